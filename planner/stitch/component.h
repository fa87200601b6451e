#pragma once
/// Loops that hand values to each other on chip, and the schedules under which all of those values stay inside one block.
#include <map>
#include <vector>

#include "schedule/ownership.h"
#include "stitch/problem.h"

namespace seam::planner::stitch {

/// What becomes a Part.
struct Component {
  std::vector<Id<graph::Op>> loops;                     ///< ascending
  std::map<Id<graph::Op>, std::int64_t> columns;        ///< of each loop
  std::vector<Id<graph::Op>> kept;                      ///< loops that others read: Shared
  std::int64_t divides = 1;                             ///< blocks must divide it
  bool conflict = false;                                ///< two loops want a kept value in different blocks: one block only
  bool fits = true;                                     ///< kept values fit into shared memory
  std::int64_t blocks = 1;
  std::int64_t splits = 1;
  double time_us = 0;                                   ///< modelled, mid
  friend bool operator==(const Component&, const Component&) = default;
};

/// Which ops of the phase are computed in it: the ones that reading a kept value can lead through.
class PhaseView {
 public:
  virtual ~PhaseView() = default;
  /// An inline op that depends on a loop of this phase.
  [[nodiscard]] virtual bool inside(Id<graph::Op> op) const = 0;
  /// A loop of this phase whose value can only be had on chip (reduce, dot).
  [[nodiscard]] virtual bool kept_here(Id<graph::Op> op) const = 0;
};

/// Finds schedules for all loops together (roots first, propagated backwards; several roots must agree), then the number of
/// blocks by the time model. One block is always legal, but what it keeps may
/// not fit (`fits`).
[[nodiscard]] Component solve(const Problem& problem, const PhaseView& view, std::vector<Id<graph::Op>> loops);
/// Bytes per block of what is kept.
[[nodiscard]] std::int64_t shared_bytes(const Problem& problem, const Component& component, std::int64_t blocks);
/// Modelled time if the component runs with that many blocks.
[[nodiscard]] double component_time_us(const Problem& problem, const Component& component, std::int64_t blocks);

}  // namespace seam::planner::stitch
