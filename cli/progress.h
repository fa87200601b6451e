#pragma once
/// A progress line on a terminal, for work that takes seconds. Goes to stderr, and only if that is a terminal: pipes and logs stay clean.
#include <functional>
#include <memory>
#include <string_view>

namespace seam::cli {

class Progress {
 public:
  explicit Progress(bool off);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A new stage begins. What it returns may be called from any thread, with how much of how much is done; it outlives this object harmlessly.
  [[nodiscard]] std::function<void(std::size_t done, std::size_t total)> stage(std::string_view name);
  /// Takes the line away.
  void done();

 private:
  struct Line;
  std::shared_ptr<Line> line_;
};

}  // namespace seam::cli
