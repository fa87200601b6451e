#pragma once
/// An algebraic merge: several products of one computation that become one.
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace seam::planner {

struct Merge {
  enum class Kind : std::uint8_t {
    Stack,  ///< x·A, x·B → x·[A B], and a slice for each
    Sum,    ///< a·A + b·B → [a b]·[A; B], one contraction
  };
  Kind kind = Kind::Stack;
  std::vector<Id<graph::Op>> dots;  ///< in the order their operands are put together
  // Stack
  std::size_t shared = 0;           ///< the operand that all of them read: 0 or 1
  std::int64_t dim = 0;             ///< of the other operand: where they are put together
  std::int64_t result_dim = 0;      ///< of the result: where the slices are taken
  // Sum: the first contracting dims are put together
  Id<graph::Op> sum;                ///< the last add, whose value is replaced
  std::vector<Id<graph::Op>> adds;  ///< every add of the tree, the last one included
  std::vector<Id<graph::Op>> rest;  ///< what is added besides the products, in order
  friend bool operator==(const Merge&, const Merge&) = default;
};

}  // namespace seam::planner
