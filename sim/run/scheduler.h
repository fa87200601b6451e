#pragma once
/// Runs warps and blocks. A warp runs its lowest-pc group until it blocks, so lanes that parted meet again as early as
/// they can; a block runs its warps in turn between barriers.
#include "run/warp.h"

namespace seam::sim {

enum class Progress : std::uint8_t {
  Blocked,   ///< at a barrier, or finished
  Yielded,   ///< wants other blocks to run
};

Progress run_warp(Warp& warp);
/// One round over the block's warps, then the barrier if all have come to it.
void step_block(Block& block);
/// Makes `block` the block with this linear index, ready to run.
void start_block(Execution& execution, Block& block, std::uint64_t index);
/// Runs all blocks of the launch.
void run_blocks(Execution& execution);

}  // namespace seam::sim
