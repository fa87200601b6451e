#pragma once
/// Which elements of a value a block owns, and how that travels backwards through an op: FusionStitching's Table 1 in the
/// form that our reading of schedules allows (planner/schedule.h). A value seen as rows x `columns` is divided into
/// blocks by its column index: block = (linear index mod columns) / (columns / blocks). Row schedules have columns = n.
/// Whatever `blocks` divides `divides` is local.
///
/// Table 1 speaks of (split_dim, sword) and contradicts itself for dots (section 1.3 of the notes: Fig. 3 uses split_dim 2
/// where the table demands < rank - 2) and for columns of reduces. Both disappear here: the dims that decide the block are a prefix
/// of a contiguous run of dims, and an op passes them on if its operand has that prefix too. (split 2, sword 1) and (split 1,
/// sword 8) of [64,8,17,17] are the same 512 blocks; schedule_for() names the one with the smallest split_dim, which is the legal one.
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "planner/schedule.h"

namespace seam::planner {

struct Ownership {
  std::int64_t columns = 1;
  std::int64_t divides = 1;  ///< 1 = only a single block is local
  friend bool operator==(const Ownership&, const Ownership&) = default;
};

/// How an op's output index leads to its operand's index, as far as ownership cares.
struct DimMap {
  bool linear = false;             ///< same linear index: element-wise, reshape
  std::vector<std::int64_t> from;  ///< per output dim: the operand's dim with the same index, or -1
};
/// One function per family of ops, in schedule/propagate/.
[[nodiscard]] DimMap map_elementwise(const graph::Computation& computation, const graph::Op& op, std::size_t operand);
[[nodiscard]] DimMap map_broadcast(const graph::Computation& computation, const graph::Op& op, std::size_t operand);
[[nodiscard]] DimMap map_layout(const graph::Computation& computation, const graph::Op& op, std::size_t operand);
[[nodiscard]] DimMap map_reduce(const graph::Computation& computation, const graph::Op& op, std::size_t operand);
[[nodiscard]] DimMap map_dot(const graph::Computation& computation, const graph::Op& op, std::size_t operand);
[[nodiscard]] DimMap dim_map(const graph::Computation& computation, const graph::Op& op, std::size_t operand);

/// Dims of an array, or of a tuple's first element (variadic reduce: all have the same).
[[nodiscard]] const std::vector<std::int64_t>& dims_of(const graph::Op& op);
[[nodiscard]] std::int64_t product(const std::vector<std::int64_t>& dims, std::size_t from = 0);

/// What the op's owner must own of the operand to compute what it owns of the output.
[[nodiscard]] Ownership propagate(const graph::Computation& computation, const graph::Op& op, std::size_t operand,
                                  const Ownership& output);

/// The same for a loop that updates in place: it walks the update, everything else it reads may be anywhere.
[[nodiscard]] Ownership propagate_update(const graph::Computation& computation, const graph::Op& op, std::size_t operand,
                                         std::size_t update, const Ownership& loop);

/// The schedules that give a value these columns and blocks; nullopt if sword would not divide its dim.
[[nodiscard]] std::optional<Schedule> schedule_for(const std::vector<std::int64_t>& dims, std::int64_t columns,
                                                   std::int64_t blocks);
/// And back. Flat: columns = n.
[[nodiscard]] std::int64_t columns_of(const std::vector<std::int64_t>& dims, const Schedule& schedule);
[[nodiscard]] std::int64_t blocks_of(const std::vector<std::int64_t>& dims, const Schedule& schedule);
/// Every legal schedule of an output (FusionStitching 4.2), row schedules first.
[[nodiscard]] std::vector<Schedule> legal_schedules(const std::vector<std::int64_t>& dims);
[[nodiscard]] std::vector<std::int64_t> divisors(std::int64_t n);  ///< ascending

}  // namespace seam::planner
