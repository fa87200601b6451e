#pragma once
/// The ranks of a job beside each other: what each does with its time, which communication kernels are one collective, who comes last to it and how long the
/// others wait, and how well the ranks' clocks are known to agree. Results do not depend on the order in which ranks are given.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/findings.h"
#include "analyzer/rank_run.h"

namespace seam::analyzer {

/// One device of one rank.
struct RankShare {
  std::int64_t rank = 0, device = 0;
  std::int64_t wall_ns = 0, busy_ns = 0, launches = 0;
  std::int64_t computation_ns = 0, communication_ns = 0, exposed_ns = 0;  ///< unions of kernels; exposed: communication while nothing else computes
  [[nodiscard]] std::int64_t idle_ns() const { return wall_ns - busy_ns; }
};

/// How a rank's clock lies to that of the first rank. What is added to its times: `offset_ns`, on top of the Unix time that it says. A rank leaves a reduction
/// to all no earlier than the last rank enters it: each one bounds the offset from both sides.
struct RankClock {
  std::int64_t rank = 0;
  bool aligned = false;                 ///< its times can be compared with those of other ranks
  std::int64_t offset_ns = 0;           ///< 0 where the recorded time contradicts nothing
  std::optional<std::int64_t> error_ns; ///< the true offset differs by at most this; nothing: no collective bounds it from both sides
  std::int64_t sync_points = 0;         ///< collectives that it shares with the first rank
  bool contradicts = false;             ///< no offset fits all collectives: the clocks drift, or what was matched is not the same
};

/// One rank in a collective; times are aligned.
struct Member {
  std::int64_t rank = 0, start_ns = 0, end_ns = 0;
  std::optional<std::int64_t> bytes;
  std::uint32_t work = kNone;
};
struct Collective {
  CollectiveKind kind = CollectiveKind::Other;
  std::string group;             ///< empty: not said
  std::int64_t index = 0;        ///< place among those of its group and kind
  std::vector<Member> members;   ///< by rank
  std::int64_t last = 0;         ///< rank that comes last; the lowest of several
  std::int64_t skew_ns = 0;      ///< from the first rank's arrival to the last one's
  std::int64_t waited_ns = 0;    ///< of all ranks, until the last one came
  bool whole = false;            ///< every rank of the group is here; otherwise one that is not may come later still
  std::int64_t caused_ns = 0;    ///< of whole ones: from the last but one to the last arrival, what the last one alone holds up
  std::int64_t transfer_ns = 0;  ///< from the last arrival to the end of the last member
  std::optional<std::int64_t> bytes;  ///< where all members say the same
  [[nodiscard]] std::optional<double> algorithm_bytes_per_s() const;
  [[nodiscard]] std::optional<double> bus_bytes_per_s() const;
};

/// Sums over the collectives that a rank is in; times_last and caused_ns over whole ones.
struct RankWaits {
  std::int64_t rank = 0, collectives = 0, whole = 0, waited_ns = 0, times_last = 0, caused_ns = 0;
};

struct RankSet {
  std::int64_t wall_ns = 0;               ///< from the first to the last instant of any rank, aligned
  std::int64_t start_ns = 0;              ///< of that first instant; times of members are after it
  std::vector<RankShare> shares;          ///< by rank and device
  std::vector<RankClock> clocks;          ///< by rank
  std::vector<RankWaits> waits;           ///< by rank
  std::vector<Collective> collectives;    ///< by arrival of the first
  std::int64_t unmatched = 0;             ///< communication kernels that no other rank's recording holds
  std::vector<Finding> findings;
};
/// `runs` by rank, no number twice.
[[nodiscard]] RankSet rank_set(std::span<const RankRun> runs);

}  // namespace seam::analyzer
