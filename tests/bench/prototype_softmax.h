#pragma once
/// The prototype behind a face that does not show it: its names and macros stay in one file.
#include <memory>
#include <string>
#include <vector>

namespace seam::bench {

class PrototypeSoftmax {
 public:
  PrototypeSoftmax(const std::string& ptx, std::vector<float>& x, std::vector<float>& y, int rows, int columns, bool checks);
  ~PrototypeSoftmax();
  PrototypeSoftmax(const PrototypeSoftmax&) = delete;
  PrototypeSoftmax& operator=(const PrototypeSoftmax&) = delete;
  void run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace seam::bench
