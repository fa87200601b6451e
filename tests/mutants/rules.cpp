#include "rules.h"

#include <array>

namespace seam::codegen::test {

std::span<const Rule> rules() {
  static constexpr std::array kRules = {
      Rule{"barrier-dropped", "a barrier left out", "one side of it writes shared memory that the other side reads by another index", barrier_dropped},
      Rule{"barrier-early", "a barrier before the store it should wait for", "what is stored is read after it by another index", barrier_early},
      Rule{"barrier-in-branch", "a barrier that half of the block comes to", "the other half never arrives", barrier_in_branch},
      Rule{"shuffle-in-branch", "a shuffle that half of the warp comes to", "the other half gives nothing", shuffle_in_branch},
      Rule{"atomic-to-store", "a plain store for an atomic", "rows that are hit twice lose what came first, and what was there", atomic_to_store},
      Rule{"atomic-to-sum", "load, add, store for an atomic", "two threads that hit one row lose one of the two", atomic_to_sum},
      Rule{"last-block-early", "one block too few waited for", "its partial result is missing or raced for", last_block_early},
      Rule{"last-block-late", "one block too many waited for", "no block is ever the last", last_block_late},
      Rule{"last-block-unasked", "every block takes itself for the last", "partial results of others are not there yet", last_block_unasked},

      Rule{"shared-store-dropped", "a store to shared memory left out", "what is read is what stood there before, or nothing", shared_store_dropped},
      Rule{"shared-reused-early", "a shared buffer laid over one that is still read", "the first element of both is written, then the first one's is read", shared_reused_early},
      Rule{"shared-too-small", "less shared memory than the buffers need", "the last region ends past it", shared_too_small},
      Rule{"shared-misaligned", "a shared buffer one byte further on", "no element of it is aligned", shared_misaligned},
      Rule{"two-writers", "threads write the even element next to theirs", "the odd elements are never written", two_writers},
      Rule{"store-dropped", "an output store left out", "its elements are never written", store_dropped},
      Rule{"input-written", "an input written for an output", "the output is not", input_written},
      Rule{"wrong-input", "another input of the same type read", "no two inputs hold the same", wrong_input},
      Rule{"used-before-defined", "a value used before it has a name", "there is no such name yet", used_before_defined},

      Rule{"guard-weakened", "< becomes <=", "some thread stands at the bound, and reads or writes by what is asked", guard_weakened},
      Rule{"guard-tightened", "the last one allowed is left out", "some thread is the last one allowed, and reads or writes by what is asked", guard_tightened},
      Rule{"guard-dropped", "a guard left out", "some thread is kept out by it, and would read or write by what is asked", guard_dropped},
      Rule{"first-trip-dropped", "a loop that begins one trip late", "some thread makes a trip", first_trip_dropped},
      Rule{"last-trip-dropped", "a loop that ends one early", "some thread comes to the last one", last_trip_dropped},
      Rule{"step-doubled", "a loop that takes every other one", "some thread makes two trips", step_doubled},
      Rule{"grid-short", "one block too few", "each block owns something", grid_short},
      Rule{"index-off-by-one", "an element one further or one before", "elements differ, and the outermost has no neighbour", index_off_by_one},
      Rule{"neighbour-read", "the next element read, round the end", "elements differ, and no sum is made of all of them", neighbour_read},
      Rule{"even-read", "the even element next to it read", "the odd elements are never read", even_read},
      Rule{"offset-off", "the start of a slice, pad or piece off by one", "every element moves", offset_off},
      Rule{"wrong-stride", "a stride off by one", "some thread multiplies it by more than zero", wrong_stride},
      Rule{"axes-swapped", "a*C + b becomes b*C + a", "a and b take on different values", axes_swapped},
      Rule{"clamp-off", "an index clamped one short of the edge", "input indices come to every edge", clamp_off},
      Rule{"clamp-dropped", "an index not clamped", "some thread's, or some input's, lies outside", clamp_dropped},

      Rule{"wrong-neutral", "a reduction that does not start from the neutral element", "1 is counted in sums, 0 wins in maxima of negative numbers", wrong_neutral},
      Rule{"sum-op-swapped", "terms joined by another op", "terms differ from each other and from the neutral element", sum_op_swapped},
      Rule{"tree-op-swapped", "lanes joined by another op", "both lanes of the last step hold terms", tree_op_swapped},
      Rule{"shuffle-mask", "lanes joined with the wrong lanes", "those are joined already: their terms count twice, others never", shuffle_mask},
      Rule{"tree-step-dropped", "the last step of a warp's tree left out", "both lanes of the last step hold terms", tree_step_dropped},
      Rule{"assign-dropped", "a variable not set", "it is read afterwards, and what it starts from is no value of it", assign_dropped},

      Rule{"operands-exchanged", "a-b becomes b-a, a/b becomes b/a", "the operands differ, and the result is more than squared", operands_exchanged},
      Rule{"op-swapped", "another op for the same operands", "no operand is neutral for both", op_swapped},
      Rule{"compare-reversed", "a<b becomes b<a", "the operands differ", compare_reversed},
      Rule{"select-exchanged", "the arms of a select exchanged", "the arms differ", select_exchanged},
      Rule{"wrong-constant", "a constant doubled, 0 made 1", "the constant is a factor, a term or a bound of what is computed", wrong_constant},
      Rule{"rounding-dropped", "a value used before it is rounded to its type", "results of arithmetic seldom need no rounding", rounding_dropped},
      Rule{"rounding-added", "f32 arithmetic rounded to bf16", "results of arithmetic seldom fit", rounding_added},
      Rule{"accumulator-narrowed", "a sum kept in bf16 between its terms", "results of arithmetic seldom fit", accumulator_narrowed},
      Rule{"convert-missing", "a value used as if it were of another type", "the types differ", convert_missing},
  };
  return kRules;
}

}  // namespace seam::codegen::test
