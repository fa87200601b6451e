// Kernels in every order of their operands: all emitted and proven, and what the table says of them.
#include "report/layout_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "graph/piece.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "support/need.h"
#include "support/schema.h"

namespace seam::report::test {
namespace {

using seam::test::need;

const graph::Graph& layer() {
  static const graph::Graph layer = need(graph::read_graph(need(read_file(SEAM_EXAMPLES "/bert_paper.graph")), "bert_paper.graph"));
  return layer;
}

TEST(LayoutStudyTest, EveryOrderIsEmittedAndProven) {
  const auto compiler = codegen::Compiler::find();
  if (!compiler) GTEST_SKIP() << describe(compiler.error());
  db::CostTable costs = need(db::CostTable::in_memory());
  const codegen::Meter meter(need(device_named("h100")), *compiler, costs, 1'000'000);
  // 72 of 576, 36, and 108 of 216.
  std::size_t tried = 0;
  for (const auto& [group, every] : {std::pair{"softmax", 8}, {"bias-relu-dropout", 1}, {"bias-dropout-residual-layer-norm", 2}}) {
    const LayoutStudy study = need(layout_study(layer(), {2, 32, group, every, true}, meter, **compiler));
    ASSERT_EQ(study.groups.size(), 1U);
    const LayoutGroup& found = study.groups[0];
    tried += found.configurations.size();
    for (const LayoutConfiguration& one : found.configurations) {
      EXPECT_EQ(one.proof, codegen::Outcome::Passed) << group << " " << one.operands[0] << " to " << one.results << " walked " << one.walked << ": " << one.why_not_proven;
      EXPECT_GT(one.sectors, 0);
    }
    // Row-major throughout reads and writes along its walk; some other order asks for far more.
    EXPECT_GT(std::ranges::max(found.configurations, {}, &LayoutConfiguration::sectors).sectors, 2 * found.configurations[0].sectors) << group;
    const auto json = nlohmann::json::parse(layout_study_json(study));
    for (const std::string& problem : seam::test::schema_problems(json, "seam.study-layouts.schema.json")) ADD_FAILURE() << problem;
  }
  EXPECT_GE(tried, 200U);
}

TEST(LayoutStudyTest, UnknownGroupsAreRefused) {
  const auto compiler = codegen::Compiler::find();
  if (!compiler) GTEST_SKIP() << describe(compiler.error());
  db::CostTable costs = need(db::CostTable::in_memory());
  const codegen::Meter meter(need(device_named("h100")), *compiler, costs);
  const auto study = layout_study(layer(), {8, 512, "attention", 1, false}, meter, **compiler);
  ASSERT_FALSE(study);
  EXPECT_NE(describe(study.error()).find("there is no group 'attention'"), std::string::npos);
}

TEST(Pieces, AreModules) {
  const graph::Computation& entry = layer().entry_computation();
  std::vector<Id<graph::Op>> ops;
  for (std::size_t i = 0; i < entry.ops.size(); ++i)
    if (entry.ops[Id<graph::Op>(i)].metadata.op_name.find("/SM/") != std::string::npos) ops.emplace_back(i);
  const graph::Graph piece = graph::piece_of(layer(), entry, ops, "softmax");
  const Result<void> sound = graph::verify(piece);
  ASSERT_TRUE(sound) << describe(sound.error());
  const graph::Computation& inside = piece.entry_computation();
  ASSERT_EQ(inside.parameters.size(), 2U) << "seed and scores; constants are its own";
  ASSERT_EQ(inside.ops[inside.parameters[1]].shape.rank(), 4);
  const graph::Graph bordered = graph::with_border(piece, {{}, {3, 2, 1, 0}}, {{1, 0, 2, 3}});
  const Result<void> also = graph::verify(bordered);
  ASSERT_TRUE(also) << describe(also.error());
  EXPECT_EQ(bordered.entry_computation().ops[bordered.entry_computation().parameters[1]].shape.dims, (std::vector<std::int64_t>{512, 512, 8, 16}));
}

}  // namespace
}  // namespace seam::report::test
