#pragma once
/// The mutation rules: each makes one kind of mistake, everywhere in a correct kernel where it would be one. A rule never makes a kernel that means
/// the same; why that is so stands beside it.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "facts.h"
#include "places.h"

namespace seam::codegen::test {

struct Mutant {
  std::string place;
  Kernel kernel;
};
using Mutants = std::vector<Mutant>;

struct Rule {
  std::string_view name;
  std::string_view what;  ///< the mistake
  std::string_view why;   ///< why the mutant cannot mean the same
  Mutants (*apply)(const Kernel& kernel, const Facts& facts);
};
[[nodiscard]] std::span<const Rule> rules();

// Order between threads (rules_order.cpp)
[[nodiscard]] Mutants barrier_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants barrier_early(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants barrier_in_branch(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants shuffle_in_branch(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants atomic_to_store(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants atomic_to_sum(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants last_block_early(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants last_block_late(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants last_block_unasked(const Kernel& kernel, const Facts& facts);

// Where values are kept (rules_memory.cpp)
[[nodiscard]] Mutants shared_store_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants shared_reused_early(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants shared_too_small(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants shared_misaligned(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants two_writers(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants store_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants input_written(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants wrong_input(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants used_before_defined(const Kernel& kernel, const Facts& facts);

// Guards, loops, indices (rules_bounds.cpp)
[[nodiscard]] Mutants guard_weakened(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants guard_tightened(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants guard_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants first_trip_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants last_trip_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants step_doubled(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants grid_short(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants index_off_by_one(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants neighbour_read(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants even_read(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants offset_off(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants wrong_stride(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants axes_swapped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants clamp_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants clamp_off(const Kernel& kernel, const Facts& facts);

// Reductions (rules_reduce.cpp)
[[nodiscard]] Mutants wrong_neutral(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants sum_op_swapped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants tree_op_swapped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants shuffle_mask(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants tree_step_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants assign_dropped(const Kernel& kernel, const Facts& facts);

// Arithmetic and types (rules_values.cpp)
[[nodiscard]] Mutants operands_exchanged(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants op_swapped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants compare_reversed(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants select_exchanged(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants wrong_constant(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants rounding_dropped(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants rounding_added(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants accumulator_narrowed(const Kernel& kernel, const Facts& facts);
[[nodiscard]] Mutants convert_missing(const Kernel& kernel, const Facts& facts);

}  // namespace seam::codegen::test
