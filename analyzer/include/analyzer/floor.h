#pragma once
/// The roof floor (DESIGN section 12): with library calls as barriers, the number of levels between them that hold work, copies
/// included. Ops stand at their earliest level: a plan that uses slack can need fewer, one that crosses blocks more.
#include <cstdint>
#include <functional>

#include "graph/graph.h"

namespace seam::analyzer {

enum class Load : std::uint8_t { Free, Work, Library };
using LoadOf = std::function<Load(const graph::Computation&, Id<graph::Op>)>;

struct RoofFloor {
  std::int64_t kernels = 0;        ///< loops multiplied by their trips; unknown trips count once
  std::int64_t library_depth = 0;  ///< of the entry: longest chain of library calls and loops that hold some
  friend bool operator==(const RoofFloor&, const RoofFloor&) = default;
};
/// A loop with library calls counts per trip what lies between them: work after the last call of one trip and before the first of the
/// next is one level. A loop without library calls counts once in all.
[[nodiscard]] RoofFloor roof_floor(const graph::Graph& graph, const LoadOf& load);
/// Optimized modules: fusions and copies are work, custom calls are library calls.
[[nodiscard]] Load load_in_optimized(const graph::Computation& computation, Id<graph::Op> op);

}  // namespace seam::analyzer
