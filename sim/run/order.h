#pragma once
/// What one block may know of another: ordering through atomics and fences.
///
/// A thread that has executed a fence and then performs an atomic on an address *releases*: it publishes, under that
/// address, its block's earlier segments, its own accesses of this one, and all that it has itself seen. Whoever performs
/// an atomic on that address later *acquires* everything published there so far (leniently: without a fence of its own).
/// What a thread acquires is its own until the next barrier, then its block's.
///
/// Published entries form a log per address; having acquired means holding a log and a length. So a grid of n blocks costs
/// n entries, not n².
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace seam::sim {

class ReleaseLog;

/// Prefixes of logs.
struct Acquired {
  std::vector<std::pair<const ReleaseLog*, std::size_t>> logs;

  [[nodiscard]] bool empty() const { return logs.empty(); }
  void add(const ReleaseLog* log, std::size_t length);
  void add(const Acquired& other);
  /// Has the access by `thread` of block `ordinal` in `segment` been published to the holder?
  [[nodiscard]] bool covers(std::uint32_t ordinal, std::uint32_t segment, std::uint32_t thread) const;
};

class ReleaseLog {
 public:
  void publish(std::uint32_t ordinal, std::uint32_t segment, std::uint32_t thread,
               const Acquired& seen);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Directly, among the first `length` entries.
  [[nodiscard]] bool covers(std::size_t length, std::uint32_t ordinal, std::uint32_t segment,
                            std::uint32_t thread) const;

 private:
  friend struct Acquired;
  struct Entry {
    std::uint32_t segment;
    std::uint32_t thread;
    std::shared_ptr<const Acquired> seen;  ///< in other logs
  };
  std::vector<Entry> entries_;
  /// Positions by block, ascending.
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> by_block_;
  /// Positions of entries that have seen other logs, ascending.
  std::vector<std::size_t> linked_;
};

using ReleaseLogs = std::unordered_map<std::uint64_t, ReleaseLog>;

}  // namespace seam::sim
