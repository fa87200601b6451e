// Slack: what may take longer for nothing has some, what is on the critical path has none; and the path is the wall time on every public trace.
#include "analyzer/slack.h"

#include <algorithm>

#include "analyzer/recorded.h"
#include "support/public_traces.h"

namespace seam::analyzer::test {
namespace {

namespace fs = std::filesystem;
using seam::test::need;

class SlackOf : public RunFolder {
 protected:
  [[nodiscard]] Timeline timeline(const Json& events) const { return need(timeline_of(imported(events))); }
};

std::vector<std::int64_t> slack_of(const Timeline& run) { return slack(run, critical_path(run)).work_ns; }

/// Two streams, both waited for at the end: the shorter one may grow until the longer one ends.
TEST_F(SlackOf, TheShorterOfTwoStreamsHasSome) {
  const Timeline run = timeline(Json::array({call("cudaLaunchKernel", 0, 2, 1), call("cudaLaunchKernel", 2, 4, 2), kernel("long", 7, 10, 100, 1), kernel("short", 8, 10, 40, 2), call("cudaDeviceSynchronize", 5, 102, 3)}));
  EXPECT_EQ(slack_of(run), (std::vector<std::int64_t>{0, 60'000}));
}

/// A chain on one stream moves as a whole: all of it has the slack of its end.
TEST_F(SlackOf, AQueuedChainSharesItsSlack) {
  const Timeline run = timeline(Json::array({call("cudaLaunchKernel", 0, 2, 1), call("cudaLaunchKernel", 2, 4, 2), call("cudaLaunchKernel", 4, 6, 3), kernel("long", 7, 10, 100, 1), kernel("first", 8, 12, 20, 2), kernel("second", 8, 21, 40, 3), call("cudaDeviceSynchronize", 6, 102, 4)}));
  EXPECT_EQ(slack_of(run), (std::vector<std::int64_t>{0, 60'000, 60'000}));
}

/// The device waits for the host: a kernel may grow until the next one is launched, the last one until nothing.
TEST_F(SlackOf, AHostBoundKernelMayGrowUntilTheNextLaunch) {
  const Timeline run = timeline(Json::array({call("cudaLaunchKernel", 0, 2, 1), kernel("a", 7, 4, 10, 1), call("cudaLaunchKernel", 50, 52, 2), kernel("b", 7, 54, 60, 2)}));
  EXPECT_EQ(slack_of(run), (std::vector<std::int64_t>{44'000, 0}));
}

/// Whatever the host waits for holds up what it launches afterwards.
TEST_F(SlackOf, WhatTheHostWaitsForHasNone) {
  const Timeline run = timeline(Json::array({call("cudaLaunchKernel", 0, 2, 1), kernel("a", 7, 4, 30, 1), call("cudaStreamSynchronize", 5, 32, 2), call("cudaLaunchKernel", 40, 42, 3), kernel("b", 7, 44, 60, 3)}));
  EXPECT_EQ(slack_of(run), (std::vector<std::int64_t>{0, 0}));
  const Slack all = slack(run, critical_path(run));
  EXPECT_EQ(all.names.at(0).path_ns, 26'000);
  EXPECT_EQ(all.names.at(0).critical, 1);
}

/// The path is the wall time, and what stands whole on it has no slack, on every public trace that can be read.
TEST_F(SlackOf, EveryPublicTraceStandsOnItsPath) {
  const fs::path root = seam::test::public_data() / "traces";
  if (!fs::exists(root)) GTEST_SKIP() << "no public traces in " << seam::test::public_data() << " (SEAM_PUBLIC_DATA)";
  std::vector<fs::path> files;
  for (const char* folder : {"kineto", "multirank", "nsys", "jax_tf"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  int runs = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    if (!collector::import_trace(file, {.execution_trace = {}, .counters = {}, .output = folder_ / "run.seam", .command = {}, .tool = "seam test", .window = std::size_t{4} << 20, .progress = {}})) continue;
    const Timeline run = need(timeline_of(need(db::Database::open(folder_ / "run.seam"))));
    if (run.calls.empty() && run.spans.empty()) continue;
    ++runs;
    const CriticalPath path = critical_path(run);
    EXPECT_NEAR(static_cast<double>(path.ns()), static_cast<double>(run.wall_ns()), 0.01 * static_cast<double>(run.wall_ns()));
    const Slack all = slack(run, path);
    ASSERT_EQ(all.work_ns.size(), run.work.size());
    EXPECT_TRUE(std::ranges::all_of(all.work_ns, [](std::int64_t ns) { return ns >= 0; }));
    std::int64_t with_slack = 0;
    for (const PathPiece& piece : path.pieces) {
      if (piece.kind != PathKind::Kernel && piece.kind != PathKind::Copy) continue;
      const Work& work = run.work[piece.work];
      with_slack += piece.start_ns == work.start_ns && piece.end_ns == work.end_ns && all.work_ns[piece.work] > 0 ? 1 : 0;
    }
    EXPECT_EQ(with_slack, 0) << "of " << path.pieces.size() << " pieces";
    std::int64_t path_ns = 0, in_names = 0;
    for (const PathPiece& piece : path.pieces) path_ns += piece.kind == PathKind::Kernel || piece.kind == PathKind::Copy ? piece.duration_ns() : 0;
    for (const NameSlack& one : all.names) in_names += one.path_ns;
    EXPECT_EQ(path_ns, in_names);
  }
  EXPECT_GE(runs, 50);
}

}  // namespace
}  // namespace seam::analyzer::test
