// Recorded runs: shares, idle time by cause, the critical path. Sums are exact whatever the rows.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "analyzer/critical_path.h"
#include "analyzer/findings.h"
#include "analyzer/occupation.h"
#include "analyzer/recorded.h"
#include "base/sha256.h"
#include "support/need.h"
#include "support/public_traces.h"

namespace seam::analyzer::test {
namespace {

namespace fs = std::filesystem;
using seam::test::need;

/// A trace as Chrome JSON, imported, loaded.
class Recorded : public RunFolder {
 protected:
  [[nodiscard]] Timeline load(const fs::path& trace) const { return need(timeline_of(open(trace))); }
  [[nodiscard]] Timeline timeline(const Json& events) const { return need(timeline_of(imported(events))); }
};

std::int64_t idle(const Occupation& one, IdleCause cause) { return one.idle[static_cast<std::size_t>(cause)]; }

std::map<PathKind, std::int64_t> by_kind(const CriticalPath& path) {
  std::map<PathKind, std::int64_t> out;
  for (const PathPiece& piece : path.pieces) out[piece.kind] += piece.duration_ns();
  return out;
}

void expect_exact(const Timeline& timeline) {
  for (const Occupation& one : occupation(timeline)) {
    std::int64_t sum = one.busy_ns;
    for (const std::int64_t ns : one.idle) {
      EXPECT_GE(ns, 0);
      sum += ns;
    }
    EXPECT_EQ(sum, timeline.wall_ns()) << "device " << one.device;
  }
  const CriticalPath path = critical_path(timeline);
  EXPECT_EQ(path.ns(), timeline.wall_ns());
  std::int64_t at = timeline.start_ns;
  for (const PathPiece& piece : path.pieces) {
    EXPECT_EQ(piece.start_ns, at) << "pieces touch";
    EXPECT_LT(piece.start_ns, piece.end_ns);
    at = piece.end_ns;
  }
}

/// The host launches one kernel at a time, and prepares the next one for longer than it runs.
TEST_F(Recorded, AHostBoundJobIsToldSo) {
  Json events = Json::array({event("cpu_op", "aten::a", 1, 2, 0, 100)});
  for (int i = 0; i < 4; ++i) {
    events.push_back(call("cudaLaunchKernel", 20 * i + 10, 20 * i + 14, i + 1));
    events.push_back(kernel("k", 7, 20 * i + 16, 20 * i + 19, i + 1));
  }
  const Timeline run = timeline(events);
  expect_exact(run);
  const Occupation one = occupation(run).at(0);
  EXPECT_EQ(one.busy_ns, 12'000);
  EXPECT_EQ(idle(one, IdleCause::HostOps), 10'000 + 3 * 11'000);
  EXPECT_EQ(idle(one, IdleCause::LaunchCall), 16'000);
  EXPECT_EQ(idle(one, IdleCause::LaunchLatency), 8'000);
  EXPECT_EQ(idle(one, IdleCause::AfterLast), 21'000);
  EXPECT_GT(by_kind(critical_path(run))[PathKind::HostOp], 70'000);
}

/// Everything is queued at once: the kernels are the path, and their gaps are the device's own.
TEST_F(Recorded, ADeviceBoundJobIsToldSo) {
  Json events = Json::array();
  for (int i = 0; i < 4; ++i) {
    events.push_back(call("cudaLaunchKernel", 2 * i, 2 * i + 1, i + 1));
    events.push_back(kernel("k", 7, 10 + 100 * i, 10 + 100 * i + 98, i + 1));
  }
  events.push_back(call("cudaStreamSynchronize", 9, 410, 9));
  const Timeline run = timeline(events);
  expect_exact(run);
  const Occupation one = occupation(run).at(0);
  EXPECT_EQ(idle(one, IdleCause::BetweenQueued), 6'000);
  const auto path = by_kind(critical_path(run));
  EXPECT_EQ(path.at(PathKind::Kernel), 4 * 98'000);
  EXPECT_EQ(path.at(PathKind::Return), 2'000);
}

/// A copy to pageable memory holds the host although its name says Async: what it waited for is on the path, not the call.
TEST_F(Recorded, ACallThatOutlastsItsCopyWaits) {
  const Timeline run = timeline(Json::array({call("cudaLaunchKernel", 0, 2, 1), kernel("long", 7, 5, 500, 1), call("cudaMemcpyAsync", 10, 520, 2),
                                             event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 0, 7, 501, 515, {{"device", 0}, {"context", 1}, {"stream", 7}, {"correlation", 2}, {"bytes", 4096}})}));
  expect_exact(run);
  const auto path = by_kind(critical_path(run));
  EXPECT_EQ(path.at(PathKind::Kernel), 495'000);
  EXPECT_EQ(path.at(PathKind::Copy), 14'000);
  EXPECT_FALSE(path.contains(PathKind::HostCall));
}

TEST_F(Recorded, CommunicationBesideComputationIsHidden) {
  const Timeline run = timeline(Json::array({kernel("ncclDevKernel_AllReduce", 9, 0, 100, 1), kernel("ampere_sgemm_128x64_tn", 7, 60, 200, 2)}));
  const Overlap overlap = communication_overlap(run).at(0);
  EXPECT_EQ(overlap.communication_ns, 100'000);
  EXPECT_EQ(overlap.computation_ns, 140'000);
  EXPECT_EQ(overlap.hidden_ns, 40'000);
  EXPECT_EQ(overlap.exposed_ns(), 60'000);
  EXPECT_EQ(occupation(run).at(0).busy_ns, 200'000);
  const std::vector<ClassShare> shares = class_shares(run);
  EXPECT_EQ(shares.at(0).work, graph::WorkClass::Contraction);
  EXPECT_EQ(shares.at(0).ns + shares.at(1).ns, shares.at(0).of_ns);
}

TEST_F(Recorded, RowsWithoutATimeAreInNoSum) {
  Json events = Json::array({kernel("k", 7, 10, 20, 1), kernel("lost", 7, 0, 0, 2)});
  const Timeline run = timeline(events);
  EXPECT_EQ(run.untimed_work, 1);
  EXPECT_EQ(run.wall_ns(), 10'000);
}

/// Rows at random, nested badly, overlapping, with calls after their work: the sums hold, and the walk ends.
TEST_F(Recorded, SumsAreExactWhateverTheRows) {
  std::mt19937 random(7);
  const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  static constexpr const char* kCalls[] = {"cudaLaunchKernel", "cudaStreamSynchronize", "cudaMalloc", "cudaMemcpyAsync", "cudaEventRecord"};
  for (int round = 0; round < 60; ++round) {
    Json events = Json::array();
    const int span = 20 + pick(400);
    for (int i = 0; i < 60; ++i) {
      const int start = pick(span), end = start + pick(40);
      switch (pick(4)) {
        case 0: events.push_back(event("cpu_op", "op", 1, 2 + pick(3), start, end)); break;
        case 1: events.push_back(event("cuda_runtime", kCalls[pick(5)], 1, 2 + pick(3), start, end, {{"correlation", pick(30)}})); break;
        case 2: events.push_back(event("python_function", "f", 1, 2 + pick(3), start, end)); break;
        default: {
          const int device = pick(2);
          events.push_back(event("kernel", "k", device, 7 + pick(2), start, end, {{"device", device}, {"context", 1}, {"stream", 7 + pick(2)}, {"correlation", pick(30)}}));
        }
      }
    }
    SCOPED_TRACE(round);
    expect_exact(timeline(events));
  }
}

/// HolisticTraceAnalysis on public traces of whole microseconds without its defects 3 and 4 (sync rows and Triton launchers counted as device work) and
/// without its rule that drops the last step: the same figures. `calls` and `delay`: over the launches that it knows by name, all of them here.
TEST_F(Recorded, AgreesWithHta) {
  const fs::path data = seam::test::public_data();
  const fs::path oracle = data.parent_path() / "oracle" / "hta";
  if (!fs::exists(data / "traces") || !fs::exists(oracle)) GTEST_SKIP() << "no public traces or figures at " << data;
  struct Case {
    const char* name;
    bool calls;
  };
  for (const Case& one : {Case{"sam_a100_eager", true}, Case{"sam_a100_compiled_triton_graphs", false}}) {
    SCOPED_TRACE(one.name);
    const Timeline run = load(data / "traces/kineto" / (std::string(one.name) + ".json.gz"));
    std::ifstream in(oracle / (std::string(one.name) + ".json"));
    const Json figures = Json::parse(in)["figures"];
    const Json& split = figures["temporal_breakdown"]["rows"][0];
    EXPECT_EQ(occupation(run).at(0).busy_ns, 1000 * (split["kernel_time(us)"].get<std::int64_t>() - split["idle_time(us)"].get<std::int64_t>()));
    std::map<std::string, std::int64_t> sums;
    for (const KernelShare& share : kernel_shares(run)) {
      // Long names are abbreviated in the figures.
      const std::string& name = run.names[share.name].text;
      sums[name.size() > 120 ? name.substr(0, 100) + "#" + sha256(name).substr(0, 8) : name] += share.ns;
    }
    for (const Json& row : figures["gpu_kernel_breakdown"]["by_kernel"]) {
      const std::string name = row["name"];
      ASSERT_TRUE(sums.contains(name)) << name;
      EXPECT_EQ(sums[name], 1000 * row["sum (us)"].get<std::int64_t>()) << name;
    }
    EXPECT_EQ(figures["gpu_kernel_breakdown"]["by_kernel"].size(), sums.size());
    if (!one.calls) continue;
    const Json& launches = figures["cuda_kernel_launch_stats"]["ranks"][0];
    const LaunchStats stats = launch_stats(run);
    EXPECT_EQ(stats.linked, launches["launches"].get<std::int64_t>());
    EXPECT_EQ(stats.call_ns, 1000 * launches["cpu_duration_sum"].get<std::int64_t>());
    EXPECT_EQ(stats.delay_ns, 1000 * launches["launch_delay_sum"].get<std::int64_t>());
  }
}

TEST_F(Recorded, SumsAreExactOnEveryPublicTrace) {
  const std::vector<fs::path> traces = seam::test::public_kineto_traces();
  if (traces.empty()) GTEST_SKIP() << "no public traces in " << seam::test::public_data() << " (SEAM_PUBLIC_DATA)";
  for (const fs::path& trace : traces) {
    SCOPED_TRACE(trace.filename().string());
    expect_exact(load(trace));
  }
}

std::vector<Finding> found_in(const Timeline& run, const std::vector<std::int64_t>& steps = {}) {
  const auto shares = class_shares(run);
  const auto kernels = kernel_shares(run);
  const auto devices = occupation(run);
  const auto path = critical_path(run);
  const auto runs = sequences(run);
  const auto overlap = communication_overlap(run);
  return findings({run, shares, kernels, devices, overlap, launch_stats(run), path, runs, steps, 0});
}
bool says(const std::vector<Finding>& list, std::string_view id) {
  return std::ranges::any_of(list, [&](const Finding& one) { return one.id == id; });
}

TEST_F(Recorded, RunsOfSmallKernelsAreFound) {
  Json events = Json::array();
  const char* add = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>";
  const char* norm = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>";
  for (int i = 0; i < 10; ++i) {
    events.push_back(kernel("ampere_sgemm_128x64_tn", 7, 100 * i, 100 * i + 40, 4 * i + 1));
    events.push_back(kernel(add, 7, 100 * i + 42, 100 * i + 50, 4 * i + 2));
    events.push_back(kernel(norm, 7, 100 * i + 53, 100 * i + 73, 4 * i + 3));
    events.push_back(kernel(add, 7, 100 * i + 74, 100 * i + 80, 4 * i + 4));
  }
  const Timeline run = timeline(events);
  const std::vector<Sequence> all = sequences(run);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].times, 10);
  EXPECT_EQ(all[0].names.size(), 3U);
  EXPECT_EQ(all[0].kernels_ns, 10 * 34'000);
  EXPECT_EQ(all[0].gain_low_ns(), 10 * 4'000);
  EXPECT_EQ(all[0].gain_high_ns(), 10 * (4'000 + 14'000));
  const std::vector<Finding> advice = found_in(run);
  EXPECT_TRUE(says(advice, "stitchable-sequences"));
  EXPECT_TRUE(says(advice, "no-tensor-cores"));
  EXPECT_FALSE(says(advice, "launch-bound")) << "nobody knows why the device waited";
}

/// What each situation is told, and the cheaper fix first.
TEST_F(Recorded, RulesSpeakWhereTheyShould) {
  Json events = Json::array({event("user_annotation", "train", 1, 2, 0, 2000)});
  for (int i = 0; i < 40; ++i) {
    events.push_back(call("cudaLaunchKernel", 50 * i + 30, 50 * i + 34, 2 * i + 1));
    events.push_back(kernel("triton_poi_fused_add_0", 7, 50 * i + 36, 50 * i + 38, 2 * i + 1));
    events.push_back(event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 0, 7, 50 * i + 40, 50 * i + 43, {{"device", 0}, {"stream", 7}, {"correlation", 2 * i + 2}, {"bytes", 4}}));
    events.push_back(call("cudaMemcpyAsync", 50 * i + 35, 50 * i + 45, 2 * i + 2));
  }
  const std::vector<Finding> advice = found_in(timeline(events), {400'000, 400'000, 400'000, 800'000});
  for (const char* id : {"launch-bound", "python-bound", "pageable-copies", "host-waits", "reads-of-scalars", "uneven-steps"}) EXPECT_TRUE(says(advice, id)) << id;
  for (const Finding& one : advice) EXPECT_LE(one.gain_low_ns, one.gain_high_ns) << one.id;
  EXPECT_TRUE(std::ranges::is_sorted(advice, std::ranges::less{}, &Finding::effort));
  const std::vector<Finding> memory = found_in(timeline(Json::array({call("cudaMalloc", 0, 500, 9), call("cudaLaunchKernel", 500, 502, 1), kernel("k", 7, 503, 900, 1)})));
  EXPECT_TRUE(says(memory, "allocation"));
  EXPECT_TRUE(says(memory, "unknown-kernels"));
  const std::vector<Finding> quiet = found_in(timeline(Json::array({call("cudaLaunchKernel", 0, 2, 1), kernel("ampere_fp16_s16816gemm_fp16_128x64_tn", 7, 3, 900, 1)})));
  EXPECT_TRUE(quiet.empty()) << quiet.front().id;
}

/// Each rule's rows can be asked for.
/// A damaged file may hold what its schema forbids: that is said, and nothing is made of it.
TEST_F(Recorded, DamagedRunsAreRefused) {
  for (const char* damage : {"launch SET stream = 999", "string SET value = NULL", "launch SET start_ns = 0 - 9223372036854775807, end_ns = 9223372036854775807", "api_call SET name = NULL", "stream SET device = NULL"}) {
    (void)timeline({kernel("k", 7, 10, 20, 1), call("cudaLaunchKernel", 1, 2, 1)});
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "run.seam").c_str(), &raw), SQLITE_OK);
    // What bits that flip may do to a page, the schema allows no statement to do.
    const std::string loose = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(sql, 'NOT NULL', ''), ') STRICT', ')') WHERE type = 'table'; PRAGMA writable_schema = RESET;";
    ASSERT_EQ(sqlite3_exec(raw, loose.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    ASSERT_EQ(sqlite3_exec(raw, ("UPDATE " + std::string(damage)).c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << damage << ": " << sqlite3_errmsg(raw);
    sqlite3_close(raw);
    const auto database = db::Database::open(folder_ / "run.seam");
    ASSERT_TRUE(database) << damage;
    const auto read = timeline_of(*database);
    ASSERT_FALSE(read) << damage;
    EXPECT_EQ(read.error().code, Error::Code::BadInput) << damage;
    EXPECT_NE(read.error().message.find("damaged"), std::string::npos) << read.error().message;
  }
}

TEST_F(Recorded, QueriesOfRulesRun) {
  EXPECT_GE(rules().size(), 20U);
  (void)timeline(Json::array({kernel("k", 7, 0, 10, 1)}));
  const auto run = need(db::Database::open(folder_ / "run.seam"));
  std::set<std::string_view> ids;
  for (const RuleInfo& rule : rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.sentence.empty());
    const auto rows = run.query(rule.query);
    EXPECT_TRUE(rows) << rule.id << ": " << (rows ? "" : rows.error().message);
  }
}

TEST(CallKinds, AreToldByTheirNames) {
  EXPECT_EQ(call_kind("cudaLaunchKernel"), CallKind::Launch);
  EXPECT_EQ(call_kind("cuLaunchKernelEx"), CallKind::Launch);
  EXPECT_EQ(call_kind("cudaGraphLaunch"), CallKind::Launch);
  EXPECT_EQ(call_kind("cudaMemcpyAsync"), CallKind::Launch);
  EXPECT_EQ(call_kind("hipExtModuleLaunchKernel"), CallKind::Launch);
  EXPECT_EQ(call_kind("cudaDeviceSynchronize"), CallKind::Wait);
  EXPECT_EQ(call_kind("hipMemcpyWithStream"), CallKind::Wait);
  EXPECT_EQ(call_kind("cudaMallocAsync"), CallKind::Memory);
  EXPECT_EQ(call_kind("cudaHostAlloc"), CallKind::Memory);
  EXPECT_EQ(call_kind("cudaEventRecord"), CallKind::Other);
}

}  // namespace
}  // namespace seam::analyzer::test
