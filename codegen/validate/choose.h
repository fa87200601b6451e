#pragma once
/// Which written elements a proof compares, when comparing all would evaluate too much.
#include "base/npy.h"
#include "validate/demand.h"

namespace seam::codegen {

/// At most `most` of the numbers 0 … count-1, ascending: runs of neighbours, which share the rows that they are computed from, spread
/// evenly, first and last number among them.
[[nodiscard]] Indices thinned(std::int64_t count, std::int64_t most);

struct Choice {
  Id<graph::Op> output;
  const Indices* owned = nullptr;  ///< elements that the blocks which ran should have written; nullptr: all
  const Array* before = nullptr;   ///< an output that was updated in place: what it held before
  const Array* after = nullptr;    ///< what the kernel left
  std::int64_t budget = 0;         ///< elements of all ops together that the reference may evaluate
};
/// Elements of the output to compare, ascending. Of an update in place also those that changed and those that should have.
[[nodiscard]] Result<Indices> elements_to_compare(const Demand& demand, const graph::Computation& computation, const Choice& choice);

}  // namespace seam::codegen
