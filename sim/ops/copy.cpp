/// cp.async: from global to shared memory behind the program's back. The source is read when the copy is issued; its bytes
/// arrive in shared memory when the issuing lane waits for the group.
#include <array>
#include <cstring>

#include "memory/bits.h"
#include "ops/addresses.h"
#include "ops/families.h"
#include "run/access.h"
#include "run/races.h"
#include "run/trial.h"

namespace seam::sim {
namespace {

/// Where row b says how much of the source is wanted.
constexpr std::uint8_t kSizeRow = 1;
constexpr std::uint8_t kIgnorePredicate = 2;

std::size_t source_bytes(Warp& warp, const Instruction& i, std::uint32_t lane) {
  if ((i.flags & kIgnorePredicate) != 0) {
    const std::uint32_t bits = predicate_bits(warp, i.b);
    return ((i.b_negated ? ~bits : bits) >> lane & 1U) != 0 ? 0 : i.bytes;
  }
  if ((i.flags & kSizeRow) == 0) return i.bytes;
  const std::uint32_t wanted = row<std::uint32_t>(warp, i.b)[lane];
  if (wanted > i.bytes) {
    warp.execution->report(warp, "copy", lane, "cp.async with a source longer than the copy");
    return i.bytes;
  }
  return wanted;
}

void copy_async(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  Execution& execution = *warp.execution;
  Block& block = *warp.block;
  Addresses from;
  addresses(warp, i, from);
  const std::uint32_t* to = row<std::uint32_t>(warp, i.d);
  std::uint32_t reading = 0;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) == 0) continue;
    PendingCopy copy;
    copy.lane = l;
    copy.group = warp.copy_group[l];
    copy.bytes = i.bytes;
    copy.destination = to[l] + i.c;
    const std::size_t wanted = source_bytes(warp, i, l);
    if (wanted > 0) {
      Buffer* buffer = global_bytes(warp, l, from[l], wanted, i.bytes, false);
      if (!buffer) continue;
      note_global(warp, l, *buffer, from[l], wanted, Access::Read, nullptr);
      const std::byte* source = buffer->data() + (from[l] & kOffsetMask);
      if (execution.trial) source = execution.trial->loaded(warp, l, from[l], wanted, source, copy.data.data());
      if (source != copy.data.data()) std::memcpy(copy.data.data(), source, wanted);
      reading |= 1U << l;
      if (execution.checks.counters) execution.counters.bytes_read += wanted;
    }
    if (!shared_bytes(warp, l, copy.destination, i.bytes)) continue;
    note_shared(warp, l, copy.destination, i.bytes, Access::Write, copy.data.data());
    set_bits(block.shared_in_flight.data(), copy.destination, i.bytes);
    ++block.in_flight;
    warp.copies.push_back(copy);
  }
  if (reading != 0 && execution.checks.counters) {
    execution.counters.sectors_read += sectors(from, reading, i.bytes);
    look_up(execution, from, reading, false);
  }
}

void commit(Warp& warp, const Instruction&, std::uint32_t lanes) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if ((lanes >> l & 1U) != 0) ++warp.copy_group[l];
  }
}

void deliver(Warp& warp, const PendingCopy& copy) {
  Block& block = *warp.block;
  std::memcpy(block.shared.data() + copy.destination, copy.data.data(), copy.bytes);
  for (std::size_t k = 0; k < copy.bytes; ++k) {
    const std::size_t at = copy.destination + k;
    block.shared_in_flight[at >> 5] &= ~(1U << (at & 31));
  }
  --block.in_flight;
  if (warp.execution->checks.races) note_delivery(warp, copy.lane, copy.destination, copy.bytes);
}

/// offset: groups that may stay unfinished; -1: wait for all, committed or not.
void wait(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  std::erase_if(warp.copies, [&](const PendingCopy& copy) {
    if ((lanes >> copy.lane & 1U) == 0) return false;
    const bool due = i.offset < 0 || static_cast<std::int64_t>(copy.group) + i.offset <
                                         static_cast<std::int64_t>(warp.copy_group[copy.lane]);
    if (due) deliver(warp, copy);
    return due;
  });
}

void decode_copy(Form& form) {
  const bool all_levels = form.take("ca");
  if (!all_levels && !form.take("cg")) form.refuse("cp.async wants .ca or .cg");
  if (!form.take("shared") && !form.take("shared::cta")) form.refuse("the destination must be .shared");
  if (!form.take("global")) form.refuse("the source must be .global");
  form.take_one({"L2::64B", "L2::128B", "L2::256B"});
  const bool policy = form.take("L2::cache_hint");
  form.expect_operands(policy ? 4 : 3, policy ? 5 : 4);
  form.out.space = Space::Shared;
  form.address(0);
  if (form.failed()) return;
  // The destination's row and offset go to d and c; then a and offset are the source's.
  if (form.out.address_bytes == 8) form.refuse("a 64-bit shared address is not supported here");
  form.out.d = form.out.address_bytes == 4 ? form.out.a : form.registers().constant(0, 4);
  form.out.c = static_cast<std::uint32_t>(form.out.offset);
  form.out.a = kNoRow;
  form.out.offset = 0;
  form.out.address_bytes = 0;
  form.out.space = Space::Global;
  form.address(1);
  const auto bytes = form.literal(2);
  const bool good = bytes && (*bytes == 16 || (all_levels && (*bytes == 4 || *bytes == 8)));
  if (!good) return form.wrong("a copy is of 4, 8 or 16 bytes; .cg of 16");
  form.out.bytes = static_cast<std::uint8_t>(*bytes);
  const bool sized = form.operands() == (policy ? 5U : 4U);
  if (sized) {
    const Operand& what = form.operand(3);
    const auto symbol = what.kind == Operand::Kind::Name ? form.registers().find(what.name) : std::nullopt;
    if (symbol && symbol->type == Type::Pred) {
      form.out.b = form.predicate(3, form.out.b_negated);
      form.out.flags = kIgnorePredicate;
    } else {
      form.out.b = form.source(3, Type::U32);
      form.out.flags = kSizeRow;
    }
  }
  if (policy) (void)form.source(form.operands() - 1, Type::B64);
  form.registers().note_access(Space::Shared, form.out.bytes);
  form.registers().note_access(Space::Global, sized ? 1 : form.out.bytes);
  form.out.run = copy_async;
}

void decode_cp(Form& form) {
  if (!form.take("async")) form.refuse("only cp.async is supported");
  if (form.take("commit_group")) {
    form.expect_operands(0, 0);
    form.out.run = commit;
  } else if (form.take("wait_all")) {
    form.expect_operands(0, 0);
    form.out.offset = -1;
    form.out.run = wait;
  } else if (form.take("wait_group")) {
    form.expect_operands(1, 1);
    const auto groups = form.literal(0);
    if (!groups || *groups < 0) form.wrong("how many groups may stay unfinished?");
    form.out.offset = groups.value_or(0);
    form.out.run = wait;
  } else {
    decode_copy(form);
  }
}

constexpr std::array kOpcodes = {Opcode{"cp", decode_cp}};

}  // namespace

std::span<const Opcode> copy_opcodes() { return kOpcodes; }

}  // namespace seam::sim
