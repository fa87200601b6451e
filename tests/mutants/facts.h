#pragma once
/// What a kernel's index arithmetic really does: every block and thread is walked through the control flow, data left unknown. A rule asks
/// here whether a change would ever be seen (a guard that never fails may be dropped, a loop that never comes round twice may step wider): such
/// a change makes no mutant.
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "codegen/kernel.h"

namespace seam::codegen::test {

/// Of one node of one statement, over all threads that come there. Values that depend on data are not among them.
struct NodeFacts {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  /// Of nodes with two operands a and b: that a == b, a != b, a == b - 1, a > b, a < b were seen.
  bool equal = false, unequal = false, just_below = false, above = false, below = false;
  [[nodiscard]] bool reached() const { return low <= high; }
};

struct LoopFacts {
  std::int64_t most_trips = 0;  ///< of one thread
  bool last_reached = false;    ///< the body ran with var == end - 1
};

struct Thread {
  std::int64_t block = 0, thread = 0;
  friend auto operator<=>(const Thread&, const Thread&) = default;
};
/// An element of a buffer that a thread loads, stores or changes.
struct Accessed {
  Thread by;
  std::int64_t element = 0;
};

class Facts {
 public:
  /// Data is unknown, and every element of it is `data` if that is given.
  explicit Facts(const Kernel& kernel, std::optional<std::int64_t> data = std::nullopt);
  /// Numbers as in places.h.
  [[nodiscard]] const NodeFacts& node(std::size_t statement, std::size_t node) const;
  [[nodiscard]] const LoopFacts& loop(std::size_t statement) const;
  /// Of the first blocks that come there: who comes, and what the load at a node, the store (node 0) or the atomic (node 0) touches.
  [[nodiscard]] const std::set<Thread>& threads(std::size_t statement) const;
  [[nodiscard]] const std::vector<Accessed>& accesses(std::size_t statement, std::size_t node) const;

 private:
  friend class Walk;
  std::map<std::pair<std::size_t, std::size_t>, NodeFacts> nodes_;
  std::map<std::size_t, LoopFacts> loops_;
  std::map<std::size_t, std::set<Thread>> threads_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Accessed>> accesses_;
};

}  // namespace seam::codegen::test
