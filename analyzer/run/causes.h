#pragma once
/// What each piece of work and each waiting call waited for, as far as a trace tells: what the critical path walks back over, and what bounds slack.
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/timeline.h"

namespace seam::analyzer {

/// Why a piece of work began when it did.
struct Cause {
  std::uint32_t work = kNone;   ///< earlier work: of its stream, or (inferred) of another stream of the device that ended just then
  bool inferred = false;
  std::uint32_t call = kNone;   ///< otherwise its launch, if that is in the trace
  std::int64_t since_ns = 0;    ///< when that was over
};

class Causes {
 public:
  explicit Causes(const Timeline& timeline);

  [[nodiscard]] Cause of(std::uint32_t work) const;
  /// Of all work that had ended by `until`, the last, if the call waited for it.
  [[nodiscard]] std::uint32_t waited_for(const Call& call, std::int64_t until) const;
  /// Whatever ends last; kNone without work.
  [[nodiscard]] std::uint32_t last() const { return by_end_.empty() ? kNone : by_end_.back(); }
  /// Calls that wait by what they are, and launches that take long because the device's queue is full. Places in Timeline::calls, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& waiting_calls() const { return waiting_; }

 private:
  [[nodiscard]] const Work& work(std::uint32_t w) const { return timeline_.work[w]; }
  [[nodiscard]] std::uint32_t ended_just_before(const Work& here, std::int64_t after) const;

  const Timeline& timeline_;
  std::vector<std::uint32_t> before_, by_end_, waiting_;
};

}  // namespace seam::analyzer
