/// bar, barrier, membar, fence.
#include <array>

#include "ops/families.h"
#include "ops/loops.h"
#include "ops/together.h"

namespace seam::sim {
namespace {

void block_barrier(Warp& warp, const Instruction&, std::uint32_t lanes) {
  const std::uint32_t here = warp.pc - 1;
  if (warp.arrived != 0 && warp.barrier_pc != here && warp.execution->checks.barriers) {
    warp.execution->report(warp, "divergent-barrier", first_lane(lanes),
                           "lanes of one warp wait at different barriers");
  }
  warp.groups.push_back({warp.pc, lanes, Group::State::Barrier});
  warp.barrier_pc = here;
  warp.arrived |= lanes;
  warp.active &= ~lanes;
}

void warp_barrier(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  if (!gather(warp, lanes, row<std::uint32_t>(warp, i.a)[first_lane(lanes)])) return;
  ++warp.sync_epoch;
}

void decode_barrier(Form& form) {
  if (form.take("warp")) {
    if (!form.take("sync")) form.refuse("an unknown form");
    form.expect_operands(1, 1);
    form.out.a = form.source(0, Type::U32);
    form.out.run = warp_barrier;
    return;
  }
  form.take("cta");
  form.take("aligned");
  const bool reduces = form.take("red");
  if (!reduces && !form.take("sync")) {
    form.refuse("only .sync and .red are supported");
    return;
  }
  std::size_t at = 0;
  if (reduces) {
    const int how = form.take_one({"popc", "and", "or"});
    if (how < 0) form.refuse("which reduction?");
    const Type type = form.take_type();
    if (type != (how == 0 ? Type::U32 : Type::Pred)) form.refuse("the type does not fit the reduction");
    form.out.kind = static_cast<std::uint8_t>(how + 1);
    form.expect_operands(3, 4);
    form.out.d = form.destination(0, type);
    form.out.a = form.predicate(form.operands() - 1, form.out.a_negated);
    at = 1;
  } else {
    form.expect_operands(1, 2);
  }
  const auto id = form.literal(at);
  if (!id) form.refuse("the barrier's number must be a literal");
  if (id && (*id < 0 || *id > 15)) form.wrong("there are barriers 0 to 15");
  if (form.operands() > (reduces ? 3U : 1U)) {
    form.refuse("a barrier for a part of the block is not supported");
  }
  form.out.target = static_cast<std::uint32_t>(id.value_or(0));
  form.out.run = block_barrier;
}

void grid_fence(Warp& warp, const Instruction&, std::uint32_t lanes) { warp.fenced |= lanes; }
void block_fence(Warp&, const Instruction&, std::uint32_t) {}

void decode_membar(Form& form) {
  const int scope = form.take_one({"cta", "gl", "sys", "gpu"});
  if (scope < 0) form.refuse("which scope?");
  form.expect_operands(0, 0);
  form.out.run = scope == 0 ? block_fence : grid_fence;
  if (scope != 0) form.registers().note_fence();
}

void decode_fence(Form& form) {
  if (form.take_one({"sc", "acq_rel", "acquire", "release"}) < 0) {
    form.refuse("only fence.sc and .acq_rel are supported");
  }
  const int scope = form.take_one({"cta", "cluster", "gpu", "sys"});
  if (scope < 0) form.refuse("which scope?");
  form.expect_operands(0, 0);
  // A cluster is one block here: what it sees, other blocks do not.
  const bool grid = scope >= 2;
  form.out.run = grid ? grid_fence : block_fence;
  if (grid) form.registers().note_fence();
}

constexpr std::array kOpcodes = {Opcode{"bar", decode_barrier}, Opcode{"barrier", decode_barrier},
                                 Opcode{"membar", decode_membar}, Opcode{"fence", decode_fence}};

}  // namespace

std::span<const Opcode> barrier_opcodes() { return kOpcodes; }

}  // namespace seam::sim
