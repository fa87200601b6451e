#include "run/races.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "ops/addresses.h"
#include "run/access.h"

namespace seam::sim {
namespace {

constexpr std::uint32_t kAnyThread = UINT32_MAX;


const Acquired* pending_of(const Block& block, std::uint32_t thread) {
  for (const auto& [owner, seen] : block.pending) {
    if (owner == thread) return &seen;
  }
  return nullptr;
}

bool is_own(const Warp& warp, std::uint32_t segment) {
  const Execution& execution = *warp.execution;
  const Block& block = *warp.block;
  if (!execution.interleaved) return segment >= block.first_segment;
  return execution.block_of_segment[segment] == block.ordinal;
}

/// Does what happened then come before what this lane does now?
class Past {
 public:
  Past(const Warp& warp, std::uint32_t lane, bool shared)
      : warp_(warp), thread_(warp.thread(lane)), shared_(shared) {}

  [[nodiscard]] bool in_segment(std::uint32_t segment) const {
    return segment == warp_.block->segment;
  }
  /// A leftover of a finished block in shared memory, or nothing at all.
  [[nodiscard]] bool is_void(std::uint32_t segment) const {
    return segment == 0 || (shared_ && segment < warp_.block->first_segment);
  }
  [[nodiscard]] bool own(std::uint32_t segment) const { return shared_ || is_own(warp_, segment); }

  [[nodiscard]] bool write_ordered(std::uint32_t segment, std::uint32_t writer, bool to_read) const {
    if (is_void(segment)) return true;
    const std::uint32_t thread = writer & who::kThread;
    if (in_segment(segment)) {
      if (thread == thread_) return true;
      if (!same_warp(thread)) return false;
      // Lanes that stored one value: each of them may read it back.
      return (to_read && (writer & who::kKind) == who::kSameValue) || synced(writer);
    }
    return own(segment) || acquired(segment, thread);
  }

  [[nodiscard]] bool reads_ordered(std::uint32_t segment, std::uint32_t reader) const {
    if (is_void(segment)) return true;
    const std::uint32_t thread = reader & who::kThread;
    const std::uint32_t kind = reader & who::kKind;
    // Of readers in several blocks only their existence is kept: whoever has acquired anything is believed.
    if (kind == who::kBlocks) return acquired_anything();
    if (in_segment(segment)) {
      if (kind == who::kOne && thread == thread_) return true;
      return kind != who::kBlock && same_warp(thread) && synced(reader);
    }
    return own(segment) || acquired(segment, kind == who::kOne ? thread : kAnyThread);
  }

 private:
  [[nodiscard]] bool same_warp(std::uint32_t thread) const { return thread >> 5 == thread_ >> 5; }
  [[nodiscard]] bool synced(std::uint32_t packed) const {
    return packed >> who::kEpochShift < warp_.sync_epoch;
  }
  [[nodiscard]] bool acquired(std::uint32_t segment, std::uint32_t thread) const {
    const Block& block = *warp_.block;
    const std::uint32_t ordinal = warp_.execution->block_of_segment[segment];
    if (block.acquired.covers(ordinal, segment, thread)) return true;
    const Acquired* mine = pending_of(block, thread_);
    return mine && mine->covers(ordinal, segment, thread);
  }
  [[nodiscard]] bool acquired_anything() const {
    return !warp_.block->acquired.empty() || pending_of(*warp_.block, thread_) != nullptr;
  }

  const Warp& warp_;
  std::uint32_t thread_;
  bool shared_;
};

std::uint32_t packed(const Warp& warp, std::uint32_t lane, std::uint32_t kind) {
  return warp.thread(lane) | kind | warp.sync_epoch << who::kEpochShift;
}

void note_read(const Warp& warp, std::uint32_t lane, const Past& past, std::uint32_t& segment,
               std::uint32_t& reader) {
  const std::uint32_t me = packed(warp, lane, who::kOne);
  const std::uint32_t kind = reader & who::kKind;
  const bool nothing = past.is_void(segment);
  if (!nothing && (kind == who::kBlocks || !past.own(segment))) {
    reader = me | who::kBlocks;
  } else if (nothing || !past.in_segment(segment)) {
    reader = me;
  } else if (kind != who::kBlock) {
    const std::uint32_t thread = reader & who::kThread;
    const bool same_warp = thread >> 5 == warp.index;
    const bool earlier = reader >> who::kEpochShift < warp.sync_epoch;
    if (!same_warp) {
      reader = me | who::kBlock;
    } else if (earlier || (kind == who::kOne && thread == warp.thread(lane))) {
      reader = me;  // older reads of this warp come before whatever could still conflict
    } else {
      reader = me | who::kWarp;
    }
  }
  segment = warp.block->segment;
}

enum class Problem : std::uint8_t { None, Read, Write, WriteAfterRead };

struct Verdict {
  Problem problem = Problem::None;
  std::uint32_t segment = 0;
  std::uint32_t who = 0;
};

Verdict use_cell(Warp& warp, std::uint32_t lane, const Cells& cell, CellUse use, bool shared) {
  const Past past(warp, lane, shared);
  Verdict verdict;
  std::uint32_t& ws = *cell.writer_segment;
  std::uint32_t& ww = *cell.writer;
  std::uint32_t& rs = *cell.reader_segment;
  std::uint32_t& rw = *cell.reader;
  const bool strong = use.access == Access::StrongRead || use.access == Access::Atomic;
  const bool both_atomic = strong && (ww & who::kKind) == who::kAtomic;
  const bool reads = use.access == Access::Read || use.access == Access::StrongRead;
  const bool write_ordered = both_atomic || past.write_ordered(ws, ww, reads);
  if (reads) {
    if (!write_ordered) verdict = {Problem::Read, ws, ww};
    if (use.access == Access::Read) note_read(warp, lane, past, rs, rw);
    return verdict;
  }
  const bool reads_ordered = past.reads_ordered(rs, rw);
  // A thread's atomic on top of its own plain store does not make the store atomic for the others.
  const bool own_store = past.in_segment(ws) && (ww & who::kThread) == warp.thread(lane) &&
                         (ww & who::kKind) == who::kPlain &&
                         ww >> who::kEpochShift == warp.sync_epoch;
  std::uint32_t kind = use.access == Access::Atomic && !own_store ? who::kAtomic : who::kPlain;
  if (!write_ordered) {
    if (use.same_value && use.access == Access::Write) {
      kind = who::kSameValue;
    } else {
      verdict = {Problem::Write, ws, ww};
    }
  } else if (!past.is_void(ws) && past.in_segment(ws) && (ww & who::kKind) == who::kSameValue &&
             use.same_value) {
    kind = who::kSameValue;
  }
  if (!reads_ordered) verdict = {Problem::WriteAfterRead, rs, rw};
  ww = packed(warp, lane, kind);
  ws = warp.block->segment;
  rs = 0;
  return verdict;
}

std::string thread_text(const Execution& execution, std::uint32_t thread) {
  const Dim3& shape = execution.launch.block;
  return fmt::format("thread ({}, {}, {})", thread % shape.x, thread / shape.x % shape.y,
                     thread / (shape.x * shape.y));
}

std::string other_text(const Warp& warp, const Verdict& verdict) {
  const Execution& execution = *warp.execution;
  const std::uint32_t ordinal = execution.block_of_segment[verdict.segment];
  std::string text = thread_text(execution, verdict.who & who::kThread);
  if (ordinal != warp.block->ordinal) {
    text += fmt::format(" of block {}", execution.blocks[ordinal]);
  }
  return text;
}

std::string message(const Warp& warp, std::uint32_t lane, const Verdict& verdict,
                    const std::string& object) {
  const bool other_block = warp.execution->block_of_segment[verdict.segment] != warp.block->ordinal;
  const char* did = verdict.problem == Problem::Read ? "reads" : "writes";
  const char* other_did = verdict.problem == Problem::WriteAfterRead ? "read" : "written";
  return fmt::format("{} of block {} {} {} that {} has {}, {} between them",
                     thread_text(*warp.execution, warp.thread(lane)), warp.block->index, did,
                     object, other_text(warp, verdict), other_did,
                     other_block ? "nothing orders the blocks" : "no barrier");
}

/// Floats that may be one value computed in two orders.
bool differ_in_rounding(double a, double b) {
  constexpr double kNear = 0x1p-12;
  return std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= kNear * std::max(std::fabs(a), std::fabs(b));
}

/// Two lanes of one store write to one place what is the same but for rounding: each holds a replica of a reduction, added up in its own order
/// (Welford's means after a butterfly). One of them stays; which is not defined, and does not matter more than the rounding itself.
bool is_replica(Warp& warp, std::uint32_t lane, CellUse use, const Verdict& verdict) {
  const Instruction& i = warp.here();
  const std::uint32_t other = (verdict.who & who::kThread) & 31;
  const bool same_store = use.access == Access::Write && (verdict.who & who::kThread) >> 5 == warp.index && other < lane &&
                          verdict.segment == warp.block->segment && (warp.active >> other & 1U) != 0;
  if (verdict.problem != Problem::Write || !same_store || i.bytes < 4 || i.bytes != i.row_bytes) return false;
  if (i.guard != kNoRow && ((predicate_bits(warp, i.guard) >> other & 1U) != 0) == i.guard_negated) return false;
  Addresses at;
  addresses(warp, i, at);
  if (at[other] != at[lane]) return false;
  for (std::size_t k = 0; k < i.count; ++k) {
    const bool near = i.bytes == 4 ? differ_in_rounding(row<float>(warp, i.elements[k])[other], row<float>(warp, i.elements[k])[lane])
                                   : differ_in_rounding(row<double>(warp, i.elements[k])[other], row<double>(warp, i.elements[k])[lane]);
    if (!near) return false;
  }
  return true;
}

/// True if it was a replica: the cell then counts as written by several with one value.
bool note_replica(Warp& warp, std::uint32_t lane, const Cells& cell, CellUse use, const Verdict& verdict, std::uint64_t object) {
  if (!warp.execution->checks.excuse_races || !is_replica(warp, lane, use, verdict)) return false;
  *cell.writer = packed(warp, lane, who::kSameValue);
  Reports& notes = warp.execution->notes;
  if (!notes.again("race-rounding", warp.pc - 1, object)) {
    notes.add("race-rounding", warp.pc - 1, object,
              fmt::format("threads of block {} store values to one place that differ in rounding only", warp.block->index));
  }
  return true;
}

/// A read and a write by plain instructions of one block that runs alone: the block can be run again to see (run/suspects.h).
bool may_not_matter(const Warp& warp, CellUse use, const Verdict& verdict) {
  const Execution& execution = *warp.execution;
  if (!execution.checks.excuse_races || execution.interleaved || verdict.problem == Problem::Write) return false;
  if (use.access != Access::Read && use.access != Access::Write) return false;
  if (execution.block_of_segment[verdict.segment] != warp.block->ordinal) return false;
  const std::uint32_t kind = verdict.who & who::kKind;
  return verdict.problem == Problem::Read ? kind != who::kAtomic : kind != who::kBlocks;
}

}  // namespace

void use_shared_cell(Warp& warp, std::uint32_t lane, std::size_t cell, CellUse use,
                     std::uint64_t address, std::size_t bytes) {
  const Verdict verdict = use_cell(warp, lane, warp.block->cells().from(cell), use, true);
  if (verdict.problem == Problem::None) return;
  if (note_replica(warp, lane, warp.block->cells().from(cell), use, verdict, 0)) return;
  Reports& reports = warp.execution->reports;
  if (reports.again("race-shared", warp.pc - 1, 0)) return;
  reports.add("race-shared", warp.pc - 1, 0,
              message(warp, lane, verdict, shared_place(warp, address, bytes)));
}

void use_global_cell(Warp& warp, std::uint32_t lane, const Buffer& buffer, const Cells& cells,
                     CellUse use, std::uint64_t address, std::uint64_t cell_address) {
  const Verdict verdict = use_cell(warp, lane, cells, use, false);
  if (verdict.problem == Problem::None) return;
  Execution& execution = *warp.execution;
  if (note_replica(warp, lane, cells, use, verdict, buffer.address)) return;
  if (may_not_matter(warp, use, verdict)) {
    const auto text = [&] { return message(warp, lane, verdict, fmt::format("'{}' at byte {}", buffer.name, address & kOffsetMask)); };
    if (execution.suspects.hold(warp.pc - 1, buffer.address, cell_address, text)) return;
  }
  Reports& reports = execution.reports;
  if (reports.again("race-global", warp.pc - 1, buffer.address)) return;
  reports.add("race-global", warp.pc - 1, buffer.address,
              message(warp, lane, verdict, fmt::format("'{}' at byte {}", buffer.name, address & kOffsetMask)));
}

void note_delivery(Warp& warp, std::uint32_t lane, std::uint64_t address, std::size_t bytes) {
  const int shift = warp.execution->shared_shift;
  for (std::uint64_t cell = address >> shift; cell <= (address + bytes - 1) >> shift; ++cell) {
    const Cells cells = warp.block->cells().from(cell);
    *cells.writer = packed(warp, lane, who::kPlain);
    *cells.writer_segment = warp.block->segment;
    *cells.reader_segment = 0;
  }
}

void synchronize(Warp& warp, std::uint32_t lane, std::uint64_t address, bool release,
                 bool acquire) {
  Execution& execution = *warp.execution;
  Block& block = *warp.block;
  const std::uint32_t thread = warp.thread(lane);
  const auto known = execution.releases.find(address);
  if (known == execution.releases.end() && !release) return;
  ReleaseLog& log = known == execution.releases.end() ? execution.releases[address] : known->second;
  Acquired* mine = nullptr;
  for (auto& [owner, seen] : block.pending) {
    if (owner == thread) mine = &seen;
  }
  if (acquire && log.size() > 0) {
    if (!mine) mine = &block.pending.emplace_back(thread, Acquired{}).second;
    mine->add(&log, log.size());
  }
  if (release) {
    Acquired seen = block.acquired;
    if (mine) seen.add(*mine);
    log.publish(block.ordinal, block.segment, thread, seen);
  }
}

}  // namespace seam::sim
