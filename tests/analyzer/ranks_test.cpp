// Ranks of a job: which kernels are one collective, how clocks lie, who waits for whom.
#include "analyzer/ranks.h"

#include <algorithm>
#include <random>

#include "analyzer/recorded.h"
#include "support/public_traces.h"

namespace seam::analyzer::test {
namespace {

namespace fs = std::filesystem;
using seam::test::need;

constexpr const char* kReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";

class Ranks : public RunFolder {
 protected:
  [[nodiscard]] RankRun rank(std::int64_t number, const Json& events) const { return numbered(number, imported({{"traceEvents", events}, {"baseTimeNanoseconds", 0}, {"distributedInfo", {{"rank", number}, {"world_size", 2}}}})); }
  [[nodiscard]] static RankRun numbered(std::int64_t number, const db::Database& run) {
    LoadedRank loaded = need(load_rank(run));
    EXPECT_EQ(loaded.rank, number);
    loaded.run.rank = number;
    return std::move(loaded.run);
  }
};

/// `clock`: how much the rank's clock is behind; each collective: arrivals of both, and the end.
Json reductions(const std::vector<std::array<int, 3>>& times, std::size_t rank, int clock, std::size_t skip = 0) {
  Json out = Json::array();
  int correlation = 0;
  for (std::size_t i = skip; i < times.size(); ++i) {
    out.push_back(kernel("ampere_sgemm_128x64_tn", 7, times[i][rank] - 20 - clock, times[i][rank] - 1 - clock, ++correlation));
    out.push_back(kernel(kReduce, 9, times[i][rank] - clock, times[i][2] - clock, ++correlation));
  }
  return out;
}
const std::vector<std::array<int, 3>> kTimes = {{100, 200, 210}, {400, 405, 420}, {600, 590, 615}, {800, 900, 912}, {1000, 1100, 1110}, {1300, 1400, 1409}};

TEST_F(Ranks, TheLastToComeIsNamed) {
  const std::vector<RankRun> runs = {rank(0, reductions(kTimes, 0, 0)), rank(1, reductions(kTimes, 1, 0))};
  const RankSet set = rank_set(runs);
  ASSERT_EQ(set.collectives.size(), kTimes.size());
  EXPECT_EQ(set.unmatched, 0);
  const Collective& first = set.collectives[0];
  EXPECT_EQ(first.kind, CollectiveKind::AllReduce);
  EXPECT_TRUE(first.whole);
  EXPECT_EQ(first.last, 1);
  EXPECT_EQ(first.skew_ns, 100'000);
  EXPECT_EQ(first.waited_ns, 100'000);
  EXPECT_EQ(first.caused_ns, 100'000);
  EXPECT_EQ(first.transfer_ns, 10'000);
  EXPECT_FALSE(first.bytes) << "the recording does not say it";
  EXPECT_FALSE(first.bus_bytes_per_s());
  EXPECT_EQ(set.waits[0].waited_ns, 405'000);
  EXPECT_EQ(set.waits[1].waited_ns, 10'000);
  EXPECT_EQ(set.waits[1].times_last, 5);
  EXPECT_EQ(set.clocks[1].offset_ns, 0);
  EXPECT_EQ(set.clocks[1].error_ns, 15'000) << "the tightest collectives say so: 420 - 405 on one side";
  EXPECT_TRUE(std::ranges::any_of(set.findings, [](const Finding& one) { return one.id == "straggler" && one.what.starts_with("rank 1 "); }));
  std::int64_t waited = 0, together = 0;
  for (const RankWaits& one : set.waits) waited += one.waited_ns;
  for (const Collective& one : set.collectives) together += one.waited_ns;
  EXPECT_EQ(waited, together);
  for (const RankShare& share : set.shares) EXPECT_EQ(share.busy_ns + share.idle_ns(), share.wall_ns);
}

/// A clock that says that a rank left before the other one came is wrong: it is moved as far as it must be.
TEST_F(Ranks, AClockThatCannotBeIsMoved) {
  for (const int behind : {0, 5, 40, 3000, -3000}) {
    SCOPED_TRACE(behind);
    const std::vector<RankRun> runs = {rank(0, reductions(kTimes, 0, 0)), rank(1, reductions(kTimes, 1, behind))};
    const RankSet set = rank_set(runs);
    ASSERT_EQ(set.collectives.size(), kTimes.size());
    const RankClock& clock = set.clocks[1];
    EXPECT_FALSE(clock.contradicts);
    ASSERT_TRUE(clock.error_ns);
    EXPECT_LE(std::abs(clock.offset_ns - behind * 1000), *clock.error_ns) << "the truth is within the bound";
    if (std::abs(behind) > 15) {
      EXPECT_EQ(clock.offset_ns, behind * 1000) << "these ends are the same instants";
      EXPECT_EQ(set.collectives[0].skew_ns, 100'000);
    } else {
      EXPECT_EQ(clock.offset_ns, 0) << "nothing contradicts the recorded time";
    }
  }
}

/// A recording that begins two collectives later is matched with the same ones.
TEST_F(Ranks, ALaterBeginningIsShifted) {
  for (const std::size_t skip : {1U, 2U, 3U}) {
    const std::vector<RankRun> runs = {rank(0, reductions(kTimes, 0, 0)), rank(1, reductions(kTimes, 1, 0, skip))};
    const RankSet set = rank_set(runs);
    ASSERT_EQ(set.collectives.size(), kTimes.size() - skip);
    EXPECT_EQ(set.unmatched, static_cast<std::int64_t>(skip));
    for (const Collective& one : set.collectives) EXPECT_EQ(one.members[0].end_ns, one.members[1].end_ns);
  }
}

TEST_F(Ranks, SizesAreThoseOfTheFramework) {
  const auto sized = [](std::int64_t start, std::int64_t end, int elements) {
    return event("kernel", "ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", 0, 9, start, end,
                 {{"device", 0}, {"stream", 9}, {"correlation", 1}, {"Collective name", "_allgather_base"}, {"In msg nelems", elements / 2}, {"Out msg nelems", elements}, {"dtype", "BFloat16"}, {"Group size", 2}, {"Process Group Name", "7"}, {"Process Group Ranks", "[0, 1]"}, {"Seq", 3}});
  };
  const std::vector<RankRun> same = {rank(0, Json::array({sized(0, 100, 500'000)})), rank(1, Json::array({sized(50, 100, 500'000)}))};
  const RankSet set = rank_set(same);
  ASSERT_EQ(set.collectives.size(), 1U);
  const Collective& one = set.collectives[0];
  EXPECT_EQ(one.kind, CollectiveKind::AllGather);
  EXPECT_EQ(one.index, 3);
  EXPECT_EQ(one.bytes, 1'000'000);
  EXPECT_DOUBLE_EQ(one.algorithm_bytes_per_s().value(), 1e6 / 50e-6);
  EXPECT_DOUBLE_EQ(one.bus_bytes_per_s().value(), 1e6 / 50e-6 / 2);
  const std::vector<RankRun> differ = {rank(0, Json::array({sized(0, 100, 500'000)})), rank(1, Json::array({sized(50, 100, 400'000)}))};
  EXPECT_FALSE(rank_set(differ).collectives.at(0).bytes) << "no one size";
}

TEST(CollectiveKinds, AreToldByTheirNames) {
  EXPECT_EQ(collective_kind("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"), CollectiveKind::ReduceScatter);
  EXPECT_EQ(collective_kind("ncclKernel_AllReduce_RING_LL_Sum_float"), CollectiveKind::AllReduce);
  EXPECT_EQ(collective_kind("ncclDevKernel_SendRecv"), CollectiveKind::SendRecv);
  EXPECT_EQ(collective_kind("all_to_allv"), CollectiveKind::AllToAll);
  EXPECT_EQ(collective_kind("_allgather_base"), CollectiveKind::AllGather);
  EXPECT_EQ(collective_kind("wait"), CollectiveKind::Other);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::AllReduce, 8).value(), 1.75);
  EXPECT_FALSE(bus_factor(CollectiveKind::Other, 8));
}

/// Public jobs: every communication kernel finds its partners, and no clock contradicts causality.
TEST_F(Ranks, PublicJobsFitTogether) {
  const fs::path root = seam::test::public_data() / "traces/multirank";
  if (!fs::exists(root)) GTEST_SKIP() << "no public traces in " << seam::test::public_data() << " (SEAM_PUBLIC_DATA)";
  struct Job {
    const char* folder;
    const char* prefix;
    int ranks, collectives, unmatched, straggler;
  };
  for (const Job& job : {Job{"megatron_tp2_v100", "kineto_rank", 2, 13, 0, 0}, Job{"param_dlrm8_v100", "kineto_rank", 8, 8, 0, 7}, Job{"torchrec_dlrm4_v100_fp32comm", "rank", 4, 32, 0, 2}}) {
    SCOPED_TRACE(job.folder);
    std::vector<RankRun> runs;
    for (int r = 0; r < job.ranks; ++r) runs.push_back(numbered(r, open(root / job.folder / (job.prefix + std::to_string(r) + ".json.gz"))));
    const RankSet set = rank_set(runs);
    EXPECT_EQ(std::ssize(set.collectives), job.collectives);
    EXPECT_EQ(set.unmatched, job.unmatched);
    for (const RankClock& clock : set.clocks) {
      EXPECT_TRUE(clock.aligned && !clock.contradicts && clock.error_ns) << clock.rank;
    }
    const auto worst = std::ranges::max_element(set.waits, {}, &RankWaits::caused_ns);
    EXPECT_EQ(worst->rank, job.straggler);
    for (const Collective& one : set.collectives) {
      std::int64_t first = INT64_MAX, last = INT64_MIN;
      for (const Member& member : one.members) {
        first = std::min(first, member.start_ns);
        last = std::max(last, member.start_ns);
        EXPECT_TRUE(one.kind != CollectiveKind::AllReduce || member.end_ns >= std::ranges::max_element(one.members, {}, &Member::start_ns)->start_ns) << "nobody leaves before the last one comes";
      }
      EXPECT_EQ(one.skew_ns, last - first);
    }
  }
}

}  // namespace
}  // namespace seam::analyzer::test
