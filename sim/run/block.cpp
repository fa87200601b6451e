#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "memory/bits.h"
#include "run/access.h"
#include "run/scheduler.h"

namespace seam::sim {
namespace {

std::uint32_t special_value(const Execution& execution, const Block& block, const Warp& warp,
                            std::uint32_t lane, Special special) {
  const Launch& launch = execution.launch;
  const std::uint32_t thread = warp.thread(lane);
  const std::uint32_t bit = 1U << lane;
  switch (special) {
    case Special::TidX: return thread % launch.block.x;
    case Special::TidY: return thread / launch.block.x % launch.block.y;
    case Special::TidZ: return thread / (launch.block.x * launch.block.y);
    case Special::NtidX: return launch.block.x;
    case Special::NtidY: return launch.block.y;
    case Special::NtidZ: return launch.block.z;
    case Special::CtaidX: return block.ctaid[0];
    case Special::CtaidY: return block.ctaid[1];
    case Special::CtaidZ: return block.ctaid[2];
    case Special::NctaidX: return launch.grid.x;
    case Special::NctaidY: return launch.grid.y;
    case Special::NctaidZ: return launch.grid.z;
    case Special::LaneId: return lane;
    case Special::WarpId: return warp.index;
    case Special::NwarpId: return (execution.threads + 31) / 32;
    case Special::LanemaskEq: return bit;
    case Special::LanemaskLt: return bit - 1;
    case Special::LanemaskLe: return bit | (bit - 1);
    case Special::LanemaskGt: return ~(bit | (bit - 1));
    case Special::LanemaskGe: return ~(bit - 1);
    case Special::DynamicSharedSize: return static_cast<std::uint32_t>(launch.dynamic_shared);
    case Special::TotalSharedSize:
      return static_cast<std::uint32_t>(launch.dynamic_shared +
                                        execution.program.info.static_shared);
    case Special::GridIdLow: break;
  }
  return 0;
}

bool changes_with_block(Special special) {
  return special == Special::CtaidX || special == Special::CtaidY || special == Special::CtaidZ;
}

void fill_row(Warp& warp, const ConstantRow& constant, std::uint64_t value) {
  switch (constant.bytes) {
    case 0: predicate_bits(warp, constant.row) = value != 0 ? ~0U : 0U; break;
    case 1: std::memset(row<std::uint8_t>(warp, constant.row), static_cast<int>(value), 32); break;
    case 2:
      std::fill_n(row<std::uint16_t>(warp, constant.row), 32, static_cast<std::uint16_t>(value));
      break;
    case 4:
      std::fill_n(row<std::uint32_t>(warp, constant.row), 32, static_cast<std::uint32_t>(value));
      break;
    default: std::fill_n(row<std::uint64_t>(warp, constant.row), 32, value); break;
  }
}

/// Register files, constants, everything that stays from block to block.
void make_storage(Execution& execution, Block& block) {
  const Program& program = execution.program;
  block.execution = &execution;
  const std::size_t warps = (execution.threads + 31) / 32;
  const std::size_t file = (program.register_bytes + 63) / 64 * 64;
  block.register_file = Pages(file * warps + 64);
  block.warps.resize(warps);
  block.turn.resize(warps);
  const auto shared =
      static_cast<std::size_t>(program.dynamic_start + execution.launch.dynamic_shared);
  block.shared.resize(shared);
  block.shared_written.resize(shared / 32 + 1);
  block.shared_in_flight.resize(shared / 32 + 1);
  if (!program.shared_arrays.empty()) {
    block.shared_gaps.assign(shared / 32 + 1, ~0U);
    for (const auto& [begin, end] : program.shared_arrays) {
      clear_bits(block.shared_gaps.data(), static_cast<std::size_t>(begin),
                 static_cast<std::size_t>(end - begin));
    }
    clear_bits(block.shared_gaps.data(), static_cast<std::size_t>(program.dynamic_start),
               static_cast<std::size_t>(execution.launch.dynamic_shared));
  }
  if (execution.checks.races) {
    block.shared_cells.resize(((shared >> execution.shared_shift) + 1) * 4);
  }
  block.local.resize(warps * 32 * static_cast<std::size_t>(program.local_bytes));
  for (std::size_t i = 0; i < warps; ++i) {
    Warp& warp = block.warps[i];
    warp.registers = block.register_file.data() + file * i;
    std::memset(warp.registers, 0xff, file);
    warp.block = &block;
    warp.execution = &execution;
    warp.program = &program;
    warp.index = static_cast<std::uint32_t>(i);
    const std::uint32_t odd = execution.threads & 31;
    warp.present = i + 1 == warps && odd != 0 ? (1U << odd) - 1 : ~0U;
    if (program.local_bytes > 0) {
      warp.local = block.local.data() + i * 32 * static_cast<std::size_t>(program.local_bytes);
    }
    for (const ConstantRow& constant : program.constants) {
      std::uint64_t value = constant.value;
      if (constant.global >= 0) {
        value += (*execution.globals)[static_cast<std::size_t>(constant.global)];
      }
      if (constant.parameter >= 0) {
        std::memcpy(&value, execution.launch.parameters.data() + constant.parameter,
                    static_cast<std::size_t>(constant.bytes));
      }
      fill_row(warp, constant, value);
    }
  }
}

void fill_specials(Execution& execution, Block& block, bool first) {
  for (Warp& warp : block.warps) {
    for (const SpecialRow& special : execution.program.specials) {
      if (!first && !changes_with_block(special.special)) continue;
      std::uint32_t* values = row<std::uint32_t>(warp, special.row);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        values[lane] = special_value(execution, block, warp, lane, special.special);
      }
    }
  }
}

void reset(Warp& warp) {
  warp.pc = 0;
  warp.active = warp.present;
  warp.nearest = UINT32_MAX;
  warp.stop = Stop::No;
  warp.sync_epoch = 1;
  warp.exited = 0;
  warp.carry = 0;
  warp.fenced = 0;
  warp.arrived = 0;
  warp.groups.clear();
  warp.copies.clear();
  warp.copy_group.fill(0);
}

/// Nothing to run: all lanes exited or wait at the block barrier.
bool idle(const Warp& warp) {
  if (warp.active != 0) return false;
  return std::ranges::all_of(warp.groups,
                             [](const Group& g) { return g.state == Group::State::Barrier; });
}

/// The warps' order between two barriers; nothing may depend on it.
void order_turns(Block& block) {
  for (std::size_t i = 0; i < block.turn.size(); ++i) {
    block.turn[i] = static_cast<std::uint32_t>(i);
  }
  const std::uint64_t seed = block.execution->checks.seed;
  if (seed == 0) return;
  std::mt19937_64 random(seed * 7919 + block.index * 31 + block.segment);
  for (std::size_t i = block.turn.size(); i > 1; --i) {
    std::swap(block.turn[i - 1], block.turn[random() % i]);
  }
}

/// Says what is wrong with this barrier, if the checks ask.
void check_barrier(Block& block) {
  Execution& execution = *block.execution;
  if (!execution.checks.barriers) return;
  Warp* first = nullptr;
  for (Warp& warp : block.warps) {
    if (warp.arrived == 0) continue;
    if (first && first->barrier_pc != warp.barrier_pc) {
      warp.pc = warp.barrier_pc + 1;
      execution.report(warp, "divergent-barrier", first_lane(warp.arrived),
                       "warps of one block wait at different barriers");
    }
    if (!first) first = &warp;
  }
  for (Warp& warp : block.warps) {
    const std::uint32_t absent = warp.present & ~warp.arrived;
    if (absent == 0) continue;
    warp.pc = first->barrier_pc + 1;
    execution.report(warp, "divergent-barrier", first_lane(absent),
                     (absent & ~warp.exited) == 0
                         ? "threads have exited and never come to this barrier of their block"
                         : "threads never come to this barrier of their block");
  }
}

/// bar.red: the result goes to every thread that waits.
void reduce_at_barrier(Block& block) {
  std::uint32_t yes = 0;
  std::uint32_t all = 0;
  for (Warp& warp : block.warps) {
    if (warp.arrived == 0) continue;
    const Instruction& barrier = warp.program->code[warp.barrier_pc];
    if (barrier.a == kNoRow) continue;
    const std::uint32_t bits = predicate_bits(warp, barrier.a);
    yes += lane_count((barrier.a_negated ? ~bits : bits) & warp.arrived);
    all += lane_count(warp.arrived);
  }
  for (Warp& warp : block.warps) {
    if (warp.arrived == 0) continue;
    const Instruction& barrier = warp.program->code[warp.barrier_pc];
    switch (static_cast<BarrierReduce>(barrier.kind)) {
      case BarrierReduce::None: break;
      case BarrierReduce::Count:
        for (std::uint32_t l = 0; l < 32; ++l) {
          if ((warp.arrived >> l & 1U) != 0) row<std::uint32_t>(warp, barrier.d)[l] = yes;
        }
        break;
      case BarrierReduce::And:
      case BarrierReduce::Or: {
        const bool both = barrier.kind == static_cast<std::uint8_t>(BarrierReduce::And);
        const bool result = both ? yes == all : yes != 0;
        std::uint32_t& d = predicate_bits(warp, barrier.d);
        d = result ? d | warp.arrived : d & ~warp.arrived;
        break;
      }
    }
  }
}

void pass_barrier(Block& block) {
  Execution& execution = *block.execution;
  check_barrier(block);
  reduce_at_barrier(block);
  ++execution.counters.barriers;
  for (Warp& warp : block.warps) {
    for (Group& group : warp.groups) {
      if (group.state == Group::State::Barrier) group.state = Group::State::Ready;
    }
    warp.arrived = 0;
    warp.active = 0;
    warp.sync_epoch = 1;
    warp.fenced = 0;
    warp.find_nearest();
  }
  block.segment = execution.new_segment(block);
  for (const auto& [thread, seen] : block.pending) block.acquired.add(seen);
  block.pending.clear();
  order_turns(block);
}

}  // namespace

void start_block(Execution& execution, Block& block, std::uint64_t index) {
  const bool first = block.execution == nullptr;
  if (first) make_storage(execution, block);
  block.index = index;
  block.ordinal = static_cast<std::uint32_t>(execution.blocks.size());
  execution.blocks.push_back(index);
  const Dim3& grid = execution.launch.grid;
  const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
  block.ctaid = {static_cast<std::uint32_t>(index % grid.x),
                 static_cast<std::uint32_t>(index / grid.x % grid.y),
                 static_cast<std::uint32_t>(index / plane)};
  block.segment = execution.new_segment(block);
  block.first_segment = block.segment;
  block.done = false;
  block.in_flight = 0;
  block.acquired = {};
  block.pending.clear();
  std::ranges::fill(block.shared, std::byte{0xff});
  std::ranges::fill(block.shared_written, 0U);
  std::ranges::fill(block.shared_in_flight, 0U);
  std::ranges::fill(block.local, std::byte{0xff});
  empty_cache(execution);
  for (Warp& warp : block.warps) reset(warp);
  fill_specials(execution, block, first);
  order_turns(block);
  ++execution.counters.blocks;
}

void step_block(Block& block) {
  bool yielded = false;
  for (const std::uint32_t index : block.turn) {
    Warp& warp = block.warps[index];
    if (idle(warp)) continue;
    yielded |= run_warp(warp) == Progress::Yielded;
    if (block.execution->faulted) return;
  }
  if (yielded) return;
  const bool waiting =
      std::ranges::any_of(block.warps, [](const Warp& warp) { return warp.arrived != 0; });
  if (waiting) {
    pass_barrier(block);
  } else {
    block.done = true;
  }
}

void run_blocks(Execution& execution) {
  const Launch& launch = execution.launch;
  const std::uint64_t total = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const bool sampled = !launch.blocks.empty();
  const std::uint64_t count = sampled ? launch.blocks.size() : total;
  const auto index_of = [&](std::uint64_t i) { return sampled ? launch.blocks[i] : i; };
  const std::uint64_t seed = execution.checks.seed;
  if (!launch.cooperative) {
    Block block;
    for (std::uint64_t i = 0; i < count && !execution.faulted; ++i) {
      // Odd seeds run the grid backwards.
      start_block(execution, block, index_of((seed & 1) != 0 ? count - 1 - i : i));
      while (!block.done && !execution.faulted) step_block(block);
      settle_suspects(execution, block);
    }
    return;
  }
  std::vector<Block> blocks(count);
  for (std::uint64_t i = 0; i < count; ++i) start_block(execution, blocks[i], index_of(i));
  std::mt19937_64 random(seed);
  bool all_done = count == 0;
  for (std::uint64_t sweep = 1; !all_done && !execution.faulted; ++sweep) {
    all_done = true;
    for (std::uint64_t i = 0; i < count && !execution.faulted; ++i) {
      if (blocks[i].done) continue;
      all_done = false;
      // With a seed, one block hardly ever gets a turn and the others every other time.
      if (seed != 0 && (i == seed % count ? sweep % 16 != 0 : (random() & 1) != 0)) continue;
      step_block(blocks[i]);
    }
  }
}

}  // namespace seam::sim
