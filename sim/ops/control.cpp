/// bra brx ret exit trap brkpt nanosleep griddepcontrol pragma-like hints.
#include <array>
#include <cstring>
#include <string>

#include "ops/families.h"
#include "run/warp.h"

namespace seam::sim {
namespace {

/// Lanes part: the group with the lower pc goes first, so that the other is met again at the earliest place.
void part(Warp& warp, std::uint32_t there, std::uint32_t jumping, std::uint32_t staying) {
  const std::uint32_t next = warp.pc;
  if (there < next) {
    warp.groups.push_back({next, staying, Group::State::Ready});
    warp.pc = there;
    warp.active = jumping;
  } else {
    warp.groups.push_back({there, jumping, Group::State::Ready});
    warp.active = staying;
  }
  warp.find_nearest();
}

void branch(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t staying = warp.active & ~lanes;
  if (staying == 0) {
    warp.pc = i.target;
  } else if (lanes != 0 && i.target != warp.pc) {
    part(warp, i.target, lanes, staying);
  }
}

void decode_bra(Form& form) {
  form.take("uni");
  form.expect_operands(1, 1);
  const Operand& label = form.operand(0);
  if (label.kind != Operand::Kind::Name || label.negated || label.offset != 0) {
    form.wrong("a label is wanted here");
    return;
  }
  form.branch = BranchFixup{label.name};
  form.out.control = true;
  form.out.run = branch;
}

void branch_indexed(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::vector<std::uint32_t>& table = warp.program->branch_tables[i.target];
  const std::uint32_t* index = row<std::uint32_t>(warp, i.a);
  const std::uint32_t staying = warp.active & ~lanes;
  const std::uint32_t next = warp.pc;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    if (index[l] >= table.size()) {
      warp.execution->fault(warp, "trap", l, "an indexed branch beyond its table of labels");
      return;
    }
    warp.groups.push_back({table[index[l]], 1U << l, Group::State::Ready});
  }
  if (staying != 0) warp.groups.push_back({next, staying, Group::State::Ready});
  warp.active = 0;
  warp.find_nearest();  // groups at one pc join when they are reached
}

void decode_brx(Form& form) {
  if (!form.take("idx")) form.refuse("only brx.idx is supported");
  form.take("uni");
  form.expect_operands(2, 2);
  form.out.a = form.source(0, Type::U32);
  const Operand& label = form.operand(1);
  if (label.kind != Operand::Kind::Name) form.wrong("a table of labels is wanted here");
  form.branch = BranchFixup{label.name};
  form.out.run = branch_indexed;
}

void leave(Warp& warp, const Instruction&, std::uint32_t lanes) {
  warp.exited |= lanes;
  warp.active &= ~lanes;
}

void decode_leave(Form& form) {
  form.take("uni");
  form.expect_operands(0, 0);
  form.out.run = leave;
}

void trap(Warp& warp, const Instruction&, std::uint32_t lanes) {
  warp.execution->fault(warp, "trap", first_lane(lanes), "the program executed trap");
}

void decode_trap(Form& form) {
  form.expect_operands(0, 0);
  form.out.run = trap;
}

void nothing(Warp&, const Instruction&, std::uint32_t) {}

/// A hint that other blocks may want to run.
void rest(Warp& warp, const Instruction&, std::uint32_t) {
  if (warp.execution->interleaved) warp.stop = Stop::Yield;
}

void decode_nanosleep(Form& form) {
  if (form.take_type() != Type::U32) form.refuse("the type must be .u32");
  form.expect_operands(1, 1);
  form.out.a = form.source(0, Type::U32);
  form.out.run = rest;
}

void decode_griddepcontrol(Form& form) {
  // Launches run one after the other here: what is waited for is always complete.
  if (form.take_one({"wait", "launch_dependents"}) < 0) form.refuse("an unknown form");
  form.expect_operands(0, 0);
  form.out.run = nothing;
}

void decode_setmaxnreg(Form& form) {
  form.take_one({"inc", "dec"});
  form.take("sync");
  form.take("aligned");
  form.take("u32");
  form.expect_operands(1, 1);
  form.out.run = nothing;
}

constexpr std::array kOpcodes = {
    Opcode{"bra", decode_bra},
    Opcode{"brx", decode_brx},
    Opcode{"ret", decode_leave},
    Opcode{"exit", decode_leave},
    Opcode{"trap", decode_trap},
    Opcode{"nanosleep", decode_nanosleep},
    Opcode{"griddepcontrol", decode_griddepcontrol},
    Opcode{"setmaxnreg", decode_setmaxnreg},
};

/// ": the text", if the assert's first argument points to one.
std::string assert_text(Warp& warp, const Instruction& i, std::uint32_t lane) {
  constexpr std::size_t kMost = 200;
  const auto frame = static_cast<std::size_t>(warp.program->local_bytes);
  const auto at = static_cast<std::size_t>(i.offset - 1);
  if (i.offset == 0 || frame < sizeof(std::uint64_t) || at > frame - sizeof(std::uint64_t)) return "";
  std::uint64_t address = 0;
  std::memcpy(&address, warp.local + lane * frame + at, sizeof address);
  const Buffer* buffer = warp.execution->memory.find(address);
  std::string out;
  for (std::size_t k = address & kOffsetMask; buffer && k < buffer->bytes && out.size() < kMost; ++k) {
    const char c = static_cast<char>(buffer->data()[k]);
    if (c == 0) break;
    out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out.empty() ? "" : ": " + out;
}

}  // namespace

Handler assert_handler() {
  return [](Warp& warp, const Instruction& i, std::uint32_t lanes) {
    const std::uint32_t lane = first_lane(lanes);
    warp.execution->fault(warp, "trap", lane, "an assertion failed" + assert_text(warp, i, lane));
  };
}
Handler exit_handler() { return leave; }
Handler jump_handler() { return branch; }

std::span<const Opcode> control_opcodes() { return kOpcodes; }

}  // namespace seam::sim
