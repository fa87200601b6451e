// Launch-bound windows: the sums that they are chosen by against an exhaustive search, and what they say of made-up and of public traces.
#include "analyzer/launch_windows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analyzer/maximal_runs.h"
#include "analyzer/occupation.h"
#include "analyzer/recorded.h"
#include "support/public_traces.h"

namespace seam::analyzer::test {
namespace {

using Runs = std::vector<std::pair<std::size_t, std::size_t>>;

Runs quick(const std::vector<std::int64_t>& scores) {
  Runs out;
  MaximalRuns<std::size_t> runs([&](std::size_t first, std::size_t last) { out.emplace_back(first, last); });
  for (std::size_t k = 0; k < scores.size(); ++k) runs.push(scores[k], k, k + 1);
  runs.finish();
  std::ranges::sort(out);
  return out;
}

/// By definition: the best run (the shortest of the leftmost), then the same left and right of it.
void by_definition(const std::vector<std::int64_t>& scores, std::size_t from, std::size_t to, Runs& out) {
  std::int64_t best = 0;
  std::size_t first = from, last = from;
  for (std::size_t a = from; a < to; ++a) {
    std::int64_t sum = 0;
    for (std::size_t b = a; b < to; ++b) {
      sum += scores[b];
      if (sum > best || (sum == best && best > 0 && a == first && b + 1 < last)) {
        best = sum;
        first = a;
        last = b + 1;
      }
    }
  }
  if (best == 0) return;
  by_definition(scores, from, first, out);
  out.emplace_back(first, last);
  by_definition(scores, last, to, out);
}

TEST(MaximalRuns, AreThoseOfTheDefinition) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    // Distinct sums, so that the definition leaves no choice.
    std::vector<std::int64_t> scores(1 + random() % 24);
    for (std::int64_t& score : scores) score = static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000;
    Runs expected;
    by_definition(scores, 0, scores.size(), expected);
    EXPECT_EQ(quick(scores), expected) << trial;
  }
}

class LaunchWindows : public RunFolder {};

/// A stretch of short kernels that the host launches one by one, then one of long kernels that it has queued long before.
TEST_F(LaunchWindows, AreWhereTheHostIsSlow) {
  Json events = Json::array({event("cpu_op", "aten::slow", 1, 2, 0, 200), event("cpu_op", "aten::inner", 1, 2, 1, 199), event("cpu_op", "aten::quick", 1, 2, 200, 300)});
  for (int i = 0; i < 10; ++i) {
    events.push_back(call("cudaLaunchKernel", 20 * i + 10, 20 * i + 14, i + 1));
    events.push_back(kernel("small", 7, 20 * i + 16, 20 * i + 19, i + 1));
  }
  for (int i = 0; i < 10; ++i) {
    events.push_back(call("cudaLaunchKernel", 210 + 2 * i, 211 + 2 * i, 100 + i));
    events.push_back(kernel("big", 7, 220 + 50 * i, 269 + 50 * i, 100 + i));
  }
  const Timeline timeline = seam::test::need(timeline_of(imported(events)));
  const std::vector<LaunchWindow> windows = launch_windows(timeline);
  ASSERT_EQ(windows.size(), 1U);
  const LaunchWindow& one = windows[0];
  EXPECT_EQ(one.start_ns - timeline.start_ns, 19'000) << "after the first kernel";
  EXPECT_EQ(one.end_ns - timeline.start_ns, 220'000) << "until the first of those that were queued";
  EXPECT_EQ(one.launches, 9);
  EXPECT_EQ(one.busy_ns, 9 * 3'000);
  EXPECT_EQ(one.waiting_ns, 9 * 17'000 + 21'000);
  EXPECT_EQ(timeline.names[one.op].text, "aten::slow");
}

TEST_F(LaunchWindows, OfPublicTracesWaitForMoreThanHalf) {
  const auto folder = seam::test::public_data() / "traces" / "kineto";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no public traces at " << folder << " (SEAM_PUBLIC_DATA)";
  int seen = 0;
  for (const char* name : {"sam_a100_eager", "hta_ns_resolution_v100_resnet", "tracelens_h100_bert_small", "tracelens_mi300_bert_small", "param_resnet_rtx2080ti"}) {
    const Timeline timeline = seam::test::need(timeline_of(open(folder / (std::string(name) + ".json.gz"))));
    const std::vector<LaunchWindow> windows = launch_windows(timeline);
    std::map<std::int64_t, std::int64_t> waiting;
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> places;
    for (const LaunchWindow& one : windows) {
      EXPECT_GT(2 * one.waiting_ns, one.duration_ns()) << name;
      EXPECT_LE(one.waiting_ns + one.busy_ns, one.duration_ns()) << name;
      EXPECT_GE(one.launches, 2);
      waiting[one.device] += one.waiting_ns;
      places[one.device].emplace(one.start_ns, one.end_ns);
      ++seen;
    }
    for (const auto& [device, list] : places)
      for (auto at = list.begin(); std::next(at) != list.end(); ++at) EXPECT_LE(at->second, std::next(at)->first) << name << ": windows lie apart";
    for (const Occupation& one : occupation(timeline)) {
      const std::int64_t host = std::accumulate(one.idle.begin(), one.idle.end(), std::int64_t{0}) - one.idle[static_cast<std::size_t>(IdleCause::HostWaits)];
      EXPECT_LE(waiting[one.device], host) << name << ": no more than the device is idle";
    }
  }
  EXPECT_GT(seen, 10);
}

}  // namespace
}  // namespace seam::analyzer::test
