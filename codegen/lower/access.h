#pragma once
/// Which element of an operand an element of an op is made of, for the ops that only move elements.
#include <optional>
#include <vector>

#include "analysis/index_math.h"
#include "graph/graph.h"

namespace seam::codegen {

/// Ops whose element `index` is element moved(…) of operand 0, whatever the data: reshape, bitcast, copy, broadcast, transpose,
/// reverse, slice.
[[nodiscard]] bool moves_elements(graph::Opcode opcode);
[[nodiscard]] Expr moved(const IndexMath& math, const graph::Computation& computation, const graph::Op& op, const Expr& index);

/// One operand that an element may come from, and where it would be there.
struct Read {
  Id<graph::Op> op;
  std::int64_t component = 0;   ///< of a variadic reduce
  std::optional<Expr> index;    ///< nothing: depends on data or on a loop
};
/// What element `index` of the op is made of, one step down; guards are left out. The order is that of the operands.
[[nodiscard]] std::vector<Read> reads_of(const IndexMath& math, const graph::Computation& computation, Id<graph::Op> op,
                                         const Expr& index);

/// Reduce: the kept dims of its operand, in order, and the reduced ones.
struct ReduceDims {
  std::vector<std::int64_t> operand, kept, reduced;  ///< extents
  std::vector<std::size_t> kept_at, reduced_at;      ///< positions in the operand
  std::int64_t outputs = 1, elements = 1;            ///< products of kept and reduced
  bool minor_reduced = false;                        ///< neighbouring elements are reduced together (row), else kept apart (column)
};
[[nodiscard]] ReduceDims reduce_dims(const graph::Computation& computation, const graph::Op& reduce);
/// Element of the operand for output element `output` and the `k`-th of its reduced elements (row-major).
[[nodiscard]] Expr reduce_operand_index(const IndexMath& math, const ReduceDims& dims, const Expr& output, const Expr& k);

}  // namespace seam::codegen
