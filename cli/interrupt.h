#pragma once
/// Ctrl-C as a question that long work asks, so that it can stop between two steps and leave valid files. A second Ctrl-C ends the program.
namespace seam::cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  [[nodiscard]] static bool asked();
};

}  // namespace seam::cli
