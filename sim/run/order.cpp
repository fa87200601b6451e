#include "run/order.h"

#include <algorithm>

namespace seam::sim {

void Acquired::add(const ReleaseLog* log, std::size_t length) {
  for (auto& [known, known_length] : logs) {
    if (known != log) continue;
    known_length = std::max(known_length, length);
    return;
  }
  logs.emplace_back(log, length);
}

void Acquired::add(const Acquired& other) {
  for (const auto& [log, length] : other.logs) add(log, length);
}

bool ReleaseLog::covers(std::size_t length, std::uint32_t ordinal, std::uint32_t segment,
                        std::uint32_t thread) const {
  const auto at = by_block_.find(ordinal);
  if (at == by_block_.end()) return false;
  for (const std::size_t position : at->second) {
    if (position >= length) break;
    const Entry& entry = entries_[position];
    if (segment < entry.segment || (segment == entry.segment && thread == entry.thread)) return true;
  }
  return false;
}

bool Acquired::covers(std::uint32_t ordinal, std::uint32_t segment, std::uint32_t thread) const {
  bool linked = false;
  for (const auto& [log, length] : logs) {
    if (log->covers(length, ordinal, segment, thread)) return true;
    linked |= !log->linked_.empty();
  }
  if (!linked) return false;
  // Work list instead of recursion; a log is looked at again only if a longer prefix of it turns up.
  Acquired todo = *this;
  std::unordered_map<const ReleaseLog*, std::size_t> done;
  while (!todo.logs.empty()) {
    const auto [log, length] = todo.logs.back();
    todo.logs.pop_back();
    std::size_t& seen = done[log];
    if (length <= seen) continue;
    if (log->covers(length, ordinal, segment, thread)) return true;
    const auto from = std::ranges::lower_bound(log->linked_, seen);
    for (auto at = from; at != log->linked_.end() && *at < length; ++at) {
      todo.add(*log->entries_[*at].seen);
    }
    seen = length;
  }
  return false;
}

void ReleaseLog::publish(std::uint32_t ordinal, std::uint32_t segment, std::uint32_t thread,
                         const Acquired& seen) {
  Acquired others;
  for (const auto& [log, length] : seen.logs) {
    if (log != this) others.add(log, length);  // this log's own prefix is implied by the position
  }
  std::vector<std::size_t>& mine = by_block_[ordinal];
  if (others.empty() && !mine.empty()) {
    // A thread that polls publishes the same again and again; the first time says it all.
    const Entry& last = entries_[mine.back()];
    if (last.segment == segment && last.thread == thread) return;
  }
  mine.push_back(entries_.size());
  if (!others.empty()) linked_.push_back(entries_.size());
  entries_.push_back({segment, thread,
                      others.empty() ? nullptr : std::make_shared<const Acquired>(others)});
}

}  // namespace seam::sim
