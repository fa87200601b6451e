#pragma once
/// What each phase computes or reads anyway, so that writing one more of its inner values costs only the write.
#include <optional>
#include <set>
#include <vector>

#include "stitch/phases.h"

namespace seam::planner::stitch {

class AtHand {
 public:
  AtHand(const Problem& problem, Timeline& timeline);

  /// A loop joined the phase: what it needs is at hand from now on.
  void joined(int phase, Id<graph::Op> loop);
  /// Bytes that phase would have to read beyond what it reads anyway, to compute `value`; nullopt if that takes too long to tell (a long
  /// chain of values that are not there: then it is not cheap).
  [[nodiscard]] std::optional<std::int64_t> extra_bytes(int phase, Id<graph::Op> value);

 private:
  void spread(int phase, Id<graph::Op> from);

  const Problem& problem_;
  Timeline& timeline_;
  std::vector<std::set<Id<graph::Op>>> there_;
};

}  // namespace seam::planner::stitch
