/// A real compiler's kernels beside ours: nothing is lost between launches, pairs and totals.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analyzer/count.h"
#include "base/files.h"
#include "codegen/program.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "report/plan_json.h"
#include "report/render.h"
#include "report/side_by_side.h"
#include "support/need.h"
#include "support/schema.h"

namespace seam::report::test {
namespace {

using seam::test::need;

/// Both sides of one model at small shapes, as XLA's library preset made it.
struct Both {
  graph::Graph before, graph;
  planner::Plan plan;
  std::shared_ptr<codegen::ForeignProgram> theirs;
  codegen::Program ours;
  SideBySide sides;
};

std::unique_ptr<Both> both(const std::string& model, const std::shared_ptr<const codegen::Compiler>& compiler) {
  const std::filesystem::path at = std::filesystem::path(SEAM_UNPACKED) / "oracle" / model;
  const Device device = need(device_named("h100"));
  auto out = std::make_unique<Both>();
  out->before = need(graph::read_graph(need(read_file(at / "before.hlo")), "before.hlo"));
  planner::PlanOptions options;
  options.device = device;
  out->graph = need(planner::prepared(out->before, options));
  out->plan = need(planner::make_plan(out->graph, options));
  const std::filesystem::path compiled = at / "h100.library";
  out->theirs = std::make_shared<codegen::ForeignProgram>(need(codegen::read_foreign(compiled / "optimized.hlo", compiled / "ptx", compiled / "launches.tsv")));
  codegen::take_constants(*out->theirs, out->before);
  if (compiler) {
    out->ours = need(codegen::build(out->graph, out->plan, device, *compiler));
  } else {
    out->ours.graph = &out->graph;
    out->ours.plan = &out->plan;
    for (const planner::ComputationPlan& computation : out->plan.computations) out->ours.kernels.emplace_back(computation.groups.size());
  }
  const std::vector<NamedProgram> named = {{"xla", out->theirs}};
  out->sides = side_by_side(named, out->ours, device, {}).at(0);
  return out;
}

class SideBySideTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = codegen::Compiler::find();
    if (!found) GTEST_SKIP() << "no NVRTC: our kernels cannot be run beside others\n" << found.error().message;
    compiler_ = *found;
  }
  std::shared_ptr<const codegen::Compiler> compiler_;
};

double sum(const SideBySide& sides, double MatchedLaunch::* what) {
  return std::accumulate(sides.launches.begin(), sides.launches.end(), 0.0, [&](double all, const MatchedLaunch& one) { return all + one.*what; });
}

TEST_F(SideBySideTest, NothingIsLostOnTheWay) {
  for (const char* model : {"lr.step", "w2v.step", "w2v.dense", "dlrm.infer", "rnn.step", "gpt2_block.decode", "nmt.step"}) {
    SCOPED_TRACE(model);
    const auto b = both(model, compiler_);
    const SideBySide& s = b->sides;
    const CostTotals theirs = s.theirs.totals(), ours = s.ours.totals();
    const analyzer::LaunchCounts counted = analyzer::count_launches(b->theirs->graph);
    EXPECT_EQ(theirs.kernels, counted.kernels);
    EXPECT_EQ(theirs.copies, counted.copies);
    EXPECT_EQ(theirs.library_calls, counted.library_calls);
    EXPECT_EQ(ours.kernels, b->plan.totals.kernels);
    EXPECT_EQ(ours.copies, b->plan.totals.copies);
    EXPECT_EQ(ours.library_calls, b->plan.totals.library_calls);
    EXPECT_DOUBLE_EQ(ours.library_bytes, static_cast<double>(b->plan.totals.library_bytes));
    EXPECT_EQ(ours.evidence, Evidence::Simulated);
    // Each launch of theirs stands once; what ours move is divided, not multiplied.
    EXPECT_EQ(s.launches.size(), s.theirs.launches.size());
    EXPECT_NEAR(sum(s, &MatchedLaunch::bytes), theirs.bytes(), 1e-6 * theirs.bytes());
    double rest = 0;
    for (const std::size_t i : s.unmatched) rest += static_cast<double>(s.ours.launches[i].times) * s.ours.launches[i].bytes();
    EXPECT_NEAR(sum(s, &MatchedLaunch::our_bytes) + rest, ours.bytes(), 1e-6 * ours.bytes());
    for (const MatchedLaunch& row : s.launches) {
      double share = 0;
      for (const Counterpart& one : row.ours) share += one.share;
      EXPECT_GE(share, 0);
      EXPECT_EQ(row.ours.empty(), row.our_bytes == 0) << s.theirs.launches[row.theirs].name;
    }
  }
}

/// Distinct sectors cover distinct bytes: what our kernels move here is what the planner's byte model says, rounded up to sectors.
TEST_F(SideBySideTest, OurSectorsCoverTheByteModel) {
  const auto b = both("rnn.step", compiler_);
  const CostTotals ours = b->sides.ours.totals();
  const auto modelled = static_cast<double>(b->plan.totals.bytes_read + b->plan.totals.bytes_written);
  EXPECT_GE(ours.kernel_bytes(), modelled);
  EXPECT_LT(ours.kernel_bytes(), 1.3 * modelled);
}

/// Softmax's row maximum, exponentials and sum: the compiler writes some of these between kernels, we do not.
TEST_F(SideBySideTest, ValuesKeptOnChipAreFound) {
  const auto b = both("bert_layer.step", compiler_);
  EXPECT_GT(sum(b->sides, &MatchedLaunch::kept_bytes), 0);
  EXPECT_LT(sum(b->sides, &MatchedLaunch::kept_bytes), b->sides.theirs.totals().bytes());
  // Every product of theirs is one of ours.
  for (const MatchedLaunch& row : b->sides.launches) {
    const LaunchCost& launch = b->sides.theirs.launches[row.theirs];
    EXPECT_TRUE(launch.kind != LaunchKind::Library || !row.ours.empty()) << launch.name;
  }
}

TEST_F(SideBySideTest, TimesAddUpWithTheirGaps) {
  const auto b = both("lr.step", compiler_);
  const CostTotals t = b->sides.theirs.totals();
  const analyzer::Band graph = t.time_us(analyzer::Launching::GraphReplay), gap = analyzer::launch_gap_us(analyzer::Launching::GraphReplay);
  EXPECT_NEAR(graph.mid, t.execution_us.mid + gap.mid * static_cast<double>(t.launches()), 1e-9);
  EXPECT_LT(graph.low, graph.mid);
  EXPECT_LT(graph.mid, graph.high);
  EXPECT_LT(graph.mid, t.time_us(analyzer::Launching::Eager).mid);
}

TEST_F(SideBySideTest, TablesAndJsonSayTheSame) {
  const auto b = both("w2v.step", compiler_);
  const nlohmann::json json = nlohmann::json::parse(plan_json(b->plan, b->graph, {}, {b->sides}));
  EXPECT_EQ(seam::test::schema_problems(json, "seam.plan.schema.json"), std::vector<std::string>());
  const nlohmann::json& one = json["side_by_side"].at(0);
  EXPECT_EQ(one["theirs"]["totals"]["kernels"].get<std::int64_t>(), b->sides.theirs.totals().kernels);
  EXPECT_EQ(one["matches"].size(), b->sides.launches.size());
  const Table totals = totals_table(b->sides), all = launches_table(b->sides, 0), some = launches_table(b->sides, 2);
  EXPECT_EQ(all.rows.size(), b->sides.launches.size());
  EXPECT_EQ(some.rows.size(), 2U);
  EXPECT_NE(to_text(some).find("more launches of theirs"), std::string::npos);
  EXPECT_NE(to_text(totals).find("in a CUDA graph, us"), std::string::npos);
}

/// Without a compiler ours cannot run: unknown, and not 0.
TEST(SideBySide, KernelsThatDidNotRunAreUnknown) {
  const auto b = both("lr.step", nullptr);
  const CostTotals ours = b->sides.ours.totals();
  EXPECT_EQ(ours.kernels, b->plan.totals.kernels);
  EXPECT_EQ(ours.evidence, Evidence::Unknown);
  EXPECT_FALSE(b->sides.ours.notes.empty());
  const nlohmann::json json = nlohmann::json::parse(plan_json(b->plan, b->graph, {}, {b->sides}));
  EXPECT_EQ(seam::test::schema_problems(json, "seam.plan.schema.json"), std::vector<std::string>());
  for (const nlohmann::json& launch : json["side_by_side"][0]["ours"]["launches"]) {
    if (launch["kind"] != "kernel") continue;
    EXPECT_TRUE(launch["bytes_read"].is_null());
    EXPECT_TRUE(launch["time_us"].is_null());
  }
}

}  // namespace
}  // namespace seam::report::test
