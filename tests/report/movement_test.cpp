// Movement of plans: what a launch needs, beside what the plan says it moves.
#include "report/movement.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "graph/text.h"
#include "modules.h"

namespace seam::report::test {
namespace {

MovementReport report_of(const graph::Graph& module, analyzer::Granularity granularity = analyzer::Granularity::Paper46) {
  planner::PlanOptions options;
  options.device = *device_named("h100");
  Result<MovementReport> report = movement_report(module, granularity, options);
  if (!report) throw std::runtime_error(describe(report.error()));
  return *std::move(report);
}

graph::Graph read(const std::string& file) { return graph::read_graph(read_file(file).value(), file).value(); }

/// Two models of the same thing, written apart: what an op-by-op launch needs is what the planner says it moves, on all modules; of stitched
/// kernels a handful differ, where places depend on data or a view cuts across.
TEST(Movement, NeedsAreWhatPlansMove) {
  std::size_t kernels = 0, differ = 0;
  for (const auto& file : std::filesystem::directory_iterator(SEAM_TEST_DATA "/xla")) {
    if (file.path().extension() != ".hlo") continue;
    const MovementReport report = report_of(read(file.path().string()));
    for (const PlanLaunch& one : report.none.launches) {
      if (one.kind != planner::StepKind::Kernel) continue;
      EXPECT_EQ(one.launch.traffic.sum().bytes(), one.planned_bytes) << file.path() << " " << one.launch.name;
    }
    for (const PlanLaunch& one : report.plan.launches) {
      if (one.kind != planner::StepKind::Kernel) continue;
      ++kernels;
      if (one.launch.traffic.sum().bytes() != *one.planned_bytes) ++differ;
    }
    EXPECT_LT(report.plan.sum.words(), report.none.sum.words()) << file.path();
    EXPECT_LT(report.plan.bytes_reread(), report.none.bytes_reread()) << file.path();
    EXPECT_LE(report.plan.bytes_reread(), report.plan.sum.bytes_in) << file.path() << ": read again is read";
  }
  EXPECT_GT(kernels, 500U);
  EXPECT_LE(differ, 5U);
}

TEST(Movement, TextNamesItsRulesAndLeavesWhatIsUnknownUnknown) {
  const MovementReport report = report_of(graph::read_graph(kSoftmax, "softmax").value(), analyzer::Granularity::Plain);
  const Document document = movement_document(report, 1);
  const Table& operators = std::get<Table>(document[0]);
  EXPECT_NE(operators.title.find("granularity plain"), std::string::npos);
  ASSERT_GE(operators.columns.size(), 2U);
  EXPECT_EQ(operators.columns[operators.columns.size() - 2].key, "q_over_d");
  EXPECT_EQ(operators.columns.back().key, "b_over_peak");
  EXPECT_EQ(operators.columns.back().evidence, Evidence::Unknown);
  for (const Block& block : document) {
    const Table& table = std::get<Table>(block);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (const Unit unit = table.columns[c].unit; unit != Unit::Text && unit != Unit::Count) {
        EXPECT_TRUE(table.columns[c].evidence.has_value()) << table.title << ": " << table.columns[c].key;
      }
      if (table.columns[c].key != "b_over_peak") continue;
      for (const auto& row : table.rows) EXPECT_EQ(row[c], Cell(Unknown{})) << table.title;
    }
  }
  std::string notes;
  for (const std::string& note : operators.notes) notes += note + "\n";
  EXPECT_NE(notes.find("granularity plain: "), std::string::npos);
  EXPECT_NE(notes.find("Saved tensors: as-written"), std::string::npos);
  EXPECT_NE(notes.find("more operators"), std::string::npos) << "says what it leaves out";
}

}  // namespace
}  // namespace seam::report::test
