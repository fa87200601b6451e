#include "run/suspects.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "run/trial.h"
#include "run/warp.h"

namespace seam::sim {
namespace {

std::size_t length_of(const SavedChunks::Key& key) {
  return std::min(kChunkBytes, key.first->bytes - key.second * kChunkBytes);
}

SavedChunks::Chunk copy_of(const SavedChunks::Key& key) {
  SavedChunks::Chunk out;
  const auto& [buffer, index] = key;
  std::memcpy(out.data.data(), buffer->data() + index * kChunkBytes, length_of(key));
  std::memcpy(out.written.data(), buffer->written() + index * (kChunkBytes / 32), (length_of(key) + 31) / 32 * sizeof(std::uint32_t));
  return out;
}

void put(const SavedChunks::Key& key, const SavedChunks::Chunk& chunk) {
  const auto& [buffer, index] = key;
  std::memcpy(buffer->data() + index * kChunkBytes, chunk.data.data(), length_of(key));
  std::memcpy(buffer->written() + index * (kChunkBytes / 32), chunk.written.data(), (length_of(key) + 31) / 32 * sizeof(std::uint32_t));
}

/// A read and a write of one cell that nothing orders.
struct Pair {
  std::uint64_t cell = 0;
  Trial::Access read, write;
  bool read_first = false;
};

bool same_warp(const Pair& pair) { return pair.read.thread >> 5 == pair.write.thread >> 5; }

std::vector<Pair> pairs_of(const Trial& trial) {
  std::vector<Pair> out;
  for (const auto& [cell, log] : trial.log) {
    for (std::size_t w = 0; w < log.size(); ++w) {
      if (!log[w].write) continue;
      for (std::size_t r = 0; r < log.size(); ++r) {
        if (log[r].write || log[r].thread == log[w].thread || log[r].segment != log[w].segment) continue;
        const Pair pair{cell, log[r], log[w], r < w};
        if (!same_warp(pair) || log[r].epoch == log[w].epoch) out.push_back(pair);
      }
    }
  }
  return out;
}

/// Judges the suspects of one block by running it again.
class Judge {
 public:
  Judge(Execution& execution, const Block& block) : execution_(execution), block_(block), suspects_(execution.suspects) {}

  /// The kind of note they become; nullopt: they matter, or nobody can tell.
  std::optional<std::string_view> verdict() {
    const SavedChunks final_state = suspects_.before.now();
    suspects_.before.restore();
    Trial plain = trial();
    const bool fine = run_again(execution_, block_, plain) && !plain.overflow;
    start_ = plain.start;
    result_ = start_.now();
    wrote_ = plain.wrote;
    if (!fine || !repeats(final_state)) {
      start_.restore();
      final_state.restore();
      return std::nullopt;
    }
    const auto kind = judge(pairs_of(plain));
    result_.restore();
    return kind;
  }

 private:
  Trial trial() const { return {suspects_.cells, std::size_t{1} << execution_.global_shift}; }

  /// The block did again what it did the first time.
  [[nodiscard]] bool repeats(const SavedChunks& final_state) const {
    return std::ranges::all_of(result_.all(), [&](const auto& one) {
      const auto kept = final_state.all().find(one.first);
      return kept != final_state.all().end() ? kept->second == one.second : start_.all().at(one.first) == one.second;
    });
  }

  std::optional<std::string_view> judge(const std::vector<Pair>& pairs) {
    constexpr std::size_t kMostQuestions = 64;
    std::set<Trial::Read> unexplained;
    std::set<std::uint64_t> seen;
    for (const Pair& pair : pairs) seen.insert(pair.cell);
    // A cell whose pair did not show again: nobody can tell.
    if (seen.size() != suspects_.cells.size()) return std::nullopt;
    for (const Pair& pair : pairs) {
      const std::pair key(pair.read.pc, pair.write.pc);
      if (pair.read_first && same_warp(pair) && !suspects_.unordered.contains(key)) {
        if (!suspects_.ordered.contains(key)) {
          if (suspects_.ordered.size() + suspects_.unordered.size() >= kMostQuestions) return std::nullopt;
          (needs(pair) ? suspects_.ordered : suspects_.unordered).insert(key);
        }
        if (suspects_.ordered.contains(key)) continue;
      }
      unexplained.insert({pair.read.thread, pair.read.pc, pair.cell});
    }
    if (unexplained.empty()) return "race-ordered";
    for (const Trial::Other other : {Trial::Other::Zero, Trial::Other::Flipped}) {
      Trial changed = trial();
      changed.changed = unexplained;
      changed.other = other;
      if (!run(changed) || changed.wrote != wrote_ || start_.now().all() != result_.all()) return std::nullopt;
    }
    return "race-unused";
  }

  /// Does the value written change with the value read?
  bool needs(const Pair& pair) {
    Trial changed = trial();
    changed.changed = {{pair.read.thread, pair.read.pc, pair.cell}};
    changed.other = Trial::Other::Flipped;
    if (!run(changed)) return false;
    const SavedChunks after = start_.now();
    Buffer* const buffer = execution_.memory.find(pair.cell);
    const std::size_t offset = pair.cell & kOffsetMask;
    const SavedChunks::Key key(buffer, offset / kChunkBytes);
    const auto& was = result_.all().at(key).data;
    const auto& is = after.all().at(key).data;
    const std::size_t at = offset % kChunkBytes;
    return std::memcmp(&was[at], &is[at], std::size_t{1} << execution_.global_shift) != 0;
  }

  /// Runs the block from its start. False: it failed, or wrote where it did not write before (which is taken back).
  bool run(Trial& changed) {
    start_.restore();
    const bool good = run_again(execution_, block_, changed);
    bool strayed = false;
    for (const auto& [key, chunk] : changed.start.all()) {
      if (start_.all().contains(key)) continue;
      put(key, chunk);
      strayed = true;
    }
    return good && !strayed;
  }

  Execution& execution_;
  const Block& block_;
  Suspects& suspects_;
  SavedChunks start_, result_;
  decltype(Trial::wrote) wrote_;
};

std::string because(std::string_view note) {
  return note == "race-ordered" ? "; harmless: the value written needs the value read" : "; harmless: the block was run again with other values there, and nothing needs them";
}

/// All that the block wrote where it also reads can be taken back.
bool can_run_again(const Execution& execution, const Block& block) {
  if (execution.faulted || execution.interleaved || execution.suspects.too_many) return false;
  return std::ranges::none_of(execution.used, [&](const Buffer* one) { return one->was_read && one->unsaved == block.first_segment; });
}

}  // namespace

void SavedChunks::save(Buffer& buffer, std::size_t offset, std::size_t length) {
  for (std::size_t index = offset / kChunkBytes; index <= (offset + length - 1) / kChunkBytes; ++index) {
    const Key key(&buffer, index);
    if (key == last_) continue;
    last_ = key;
    if (!chunks_.contains(key)) chunks_.emplace(key, copy_of(key));
  }
}

void SavedChunks::restore() const {
  for (const auto& [key, chunk] : chunks_) put(key, chunk);
}

SavedChunks SavedChunks::now() const {
  SavedChunks out;
  for (const auto& [key, chunk] : chunks_) out.chunks_.emplace(key, copy_of(key));
  return out;
}

void before_write(Execution& execution, const Block& block, Buffer& buffer, std::size_t offset, std::size_t length) {
  if (execution.trial) {
    execution.trial->writes(buffer, offset, length);
  } else if (execution.checks.races && !execution.interleaved) {
    if (buffer.was_read) {
      execution.suspects.before.save(buffer, offset, length);
    } else {
      buffer.unsaved = block.first_segment;
    }
  }
}

void settle_suspects(Execution& execution, Block& block) {
  Suspects& suspects = execution.suspects;
  if (!suspects.held.empty()) {
    std::optional<std::string_view> note;
    if (can_run_again(execution, block)) note = Judge(execution, block).verdict();
    Reports& to = note ? execution.notes : execution.reports;
    for (const auto& [place, held] : suspects.held) {
      const auto& [pc, buffer] = place;
      to.add(note.value_or("race-global"), pc, buffer, note ? held.message + because(*note) : held.message, held.count);
    }
    suspects.held.clear();
    suspects.cells.clear();
  }
  suspects.before.clear();
}

}  // namespace seam::sim
