#pragma once
/// All maximal scoring subsequences of a sequence of numbers (Ruzzo and Tompa 1999): those runs whose sum no run around or inside of them exceeds. They do
/// not touch. Linear, and online: what can no longer grow is handed out at once.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace seam::analyzer {

/// `Mark`: what the caller wants to know of the ends of a run.
template <class Mark>
class MaximalRuns {
 public:
  using Found = std::function<void(const Mark& first, const Mark& last)>;
  explicit MaximalRuns(Found found) : found_(std::move(found)) {}

  /// The next score; `before`, `after`: what is told of a run that begins or ends with it.
  void push(std::int64_t score, const Mark& before, const Mark& after) {
    const std::int64_t lower = sum_;
    sum_ += score;
    if (score <= 0) return;
    Candidate one{before, after, lower, sum_, -1};
    for (;;) {
      std::ptrdiff_t at = std::ssize(stack_) - 1;
      while (at >= 0 && stack_[static_cast<std::size_t>(at)].before >= one.before) at = stack_[static_cast<std::size_t>(at)].lower;
      one.lower = at;
      if (at < 0 || stack_[static_cast<std::size_t>(at)].through >= one.through) break;
      one.first = stack_[static_cast<std::size_t>(at)].first;
      one.before = stack_[static_cast<std::size_t>(at)].before;
      stack_.erase(stack_.begin() + at, stack_.end());
    }
    // Nothing before it begins lower: nothing that comes will reach back over it.
    if (one.lower < 0) finish();
    stack_.push_back(std::move(one));
  }
  /// There are no more scores.
  void finish() {
    for (const Candidate& one : stack_) found_(one.first, one.last);
    stack_.clear();
  }

 private:
  struct Candidate {
    Mark first, last;
    std::int64_t before, through;  ///< sums of all scores before it, and to its end
    std::ptrdiff_t lower;          ///< in the stack: the last one before it whose `before` is smaller; -1: none
  };
  Found found_;
  std::vector<Candidate> stack_;
  std::int64_t sum_ = 0;
};

}  // namespace seam::analyzer
