#pragma once
/// One rank of a job: its timeline, and what is known of each communication kernel, so that the same collective can be found on other ranks.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/timeline.h"

namespace seam::analyzer {

/// What ranks do together; bandwidths are counted as nccl-tests does.
enum class CollectiveKind : std::uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, Reduce, SendRecv, Other };
[[nodiscard]] std::string_view name(CollectiveKind kind);
/// By the name of a kernel ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)") or of an op ("_allgather_base").
[[nodiscard]] CollectiveKind collective_kind(std::string_view text);
/// No rank can leave before the last one has come: true of reductions to all and of what scatters them, not of sends (a rank may have nothing to send).
[[nodiscard]] bool all_wait_for_all(CollectiveKind kind);
/// Bus bandwidth over algorithm bandwidth, of n ranks; nothing where nccl-tests defines none.
[[nodiscard]] std::optional<double> bus_factor(CollectiveKind kind, std::int64_t ranks);

/// One communication kernel of a rank.
struct CollectiveCall {
  std::uint32_t work = kNone;            ///< in Timeline::work
  CollectiveKind kernel = CollectiveKind::Other;  ///< as its kernel says
  CollectiveKind kind = CollectiveKind::Other;    ///< as the framework says, where it does: an all-to-all runs as SendRecv
  std::string group;                     ///< process group and its ranks as the source writes them; empty: not said
  std::optional<std::int64_t> sequence;  ///< within its group
  std::optional<std::int64_t> group_size;
  std::optional<std::int64_t> bytes;     ///< of the larger side: what nccl-tests divides by time
};

struct RankRun {
  std::int64_t rank = 0;
  std::string name;                      ///< of the run
  std::vector<std::string> devices;      ///< products, of Timeline::devices()
  Timeline timeline;
  std::optional<std::int64_t> unix_ns;   ///< of the zero of its clock
  std::optional<std::int64_t> world;     ///< ranks of the job, where the recording says it
  std::vector<CollectiveCall> calls;     ///< by start
};
/// `rank`: the number that the recording says, if it says one. Errors as of timeline_of().
struct LoadedRank {
  std::optional<std::int64_t> rank;
  RankRun run;
};
[[nodiscard]] Result<LoadedRank> load_rank(const db::Database& run);

}  // namespace seam::analyzer
