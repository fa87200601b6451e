// Traces of PyTorch become op graphs: every operand of an execution trace is known, loops and lists of an optimizer are one program.
#include "analyzer/recorded_graph.h"

#include <gtest/gtest.h>

#include <map>

#include "base/temporary_folder.h"
#include "collector/import.h"
#include "graph/cuts.h"
#include "graph/text.h"
#include "graph/torch.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "recorded/calls.h"

namespace seam::analyzer {
namespace {

const std::filesystem::path kTraces = std::filesystem::path(SEAM_TEST_DATA) / "traces";

class RecordedGraphs : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder);
    folder_ = std::move(*folder);
  }
  Result<RecordedGraph> graph_of(const std::string& file, std::int64_t step = -1) {
    collector::ImportOptions options;
    options.output = folder_->path() / "run.seam";
    const auto imported = collector::import_trace((kTraces / file).string(), options);
    if (!imported) return tl::unexpected(imported.error());
    SEAM_TRY(const db::Database run, db::Database::open(options.output));
    return graph_of_run(run, {step});
  }
  std::optional<TemporaryFolder> folder_;
};

std::map<graph::Opcode, int> histogram(const graph::Graph& graph) {
  std::map<graph::Opcode, int> out;
  const graph::Graph alive = graph::without_dead_code(graph::without_duplicates(graph::inline_calls(graph, true)));
  for (const graph::Op& op : alive.entry_computation().ops) ++out[op.opcode];
  return out;
}

TEST_F(RecordedGraphs, AnExecutionTraceSaysEveryOperand) {
  const auto one = graph_of("recorded/mlp_adam_foreach.et.json.gz");
  ASSERT_TRUE(one) << describe(one.error());
  EXPECT_EQ(one->scope, "step ProfilerStep#2");
  EXPECT_EQ(one->edges_inferred, 0);
  EXPECT_GT(one->edges_recorded, 150);
  EXPECT_EQ(one->opaque, 0);
  EXPECT_TRUE(one->left_out.empty());
  // 10 parameters of the network, each with two moments and a step; the input and the labels.
  EXPECT_EQ(one->from_outside, 4 * 10 + 2);
  EXPECT_EQ(one->graph.donated.size(), 4 * 10U);  // all of them are overwritten
  EXPECT_EQ(histogram(one->graph).at(graph::Opcode::Dot), 8);
}

/// a[:, ::2].neg_() of a [5, 9]: every second element of rows of odd length is no box of its memory, so that what was written is not in the graph.
/// That goes with it, through its text as well.
TEST_F(RecordedGraphs, CutsGoWithTheGraph) {
  const auto cut = graph_of("recorded/odd_step.et.json.gz");
  ASSERT_TRUE(cut) << describe(cut.error());
  EXPECT_EQ(cut->cuts, 1);
  const auto again = graph::read_graph(graph::print_graph(cut->graph), "again", {});
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(graph::cuts(*again), 1);
  for (const std::string whole : {"mlp_adam_foreach", "mlp_adam_forloop", "gru_adamw", "bert_large_b2s64_train"}) {
    const auto all = graph_of("recorded/" + whole + ".et.json.gz");
    ASSERT_TRUE(all) << describe(all.error());
    EXPECT_EQ(graph::cuts(all->graph), 0) << whole;
  }
}

TEST_F(RecordedGraphs, ListsAndLoopsOfAnOptimizerComputeTheSame) {
  const auto lists = graph_of("recorded/mlp_adam_foreach.et.json.gz"), loops = graph_of("recorded/mlp_adam_forloop.et.json.gz");
  ASSERT_TRUE(lists && loops);
  const auto a = histogram(lists->graph), b = histogram(loops->graph);
  for (const graph::Opcode opcode : {graph::Opcode::Dot, graph::Opcode::Reduce, graph::Opcode::Sqrt, graph::Opcode::Map, graph::Opcode::Exp}) EXPECT_EQ(a.at(opcode), b.at(opcode)) << name(opcode);
}

TEST_F(RecordedGraphs, StepsAreChosenByNumber) {
  const auto first = graph_of("recorded/mlp_adam_forloop.et.json.gz", 0), second = graph_of("recorded/mlp_adam_forloop.et.json.gz", 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->scope, "step ProfilerStep#1");
  EXPECT_EQ(first->operators, second->operators);
  const auto third = graph_of("recorded/mlp_adam_forloop.et.json.gz", 2);
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().message.find("2 marked steps"), std::string::npos);
}

TEST_F(RecordedGraphs, AProfilersTraceAloneIsInferredAndSaysSo) {
  const auto inferred = graph_of("recorded/lstm_t28_train.pt.trace.json.gz");
  ASSERT_TRUE(inferred) << describe(inferred.error());
  EXPECT_EQ(inferred->edges_recorded, 0);
  EXPECT_GT(inferred->edges_inferred, 1000);
  EXPECT_GE(histogram(inferred->graph).at(graph::Opcode::Dot), 28);
  EXPECT_TRUE(graph::verify(inferred->graph));
}

TEST_F(RecordedGraphs, WithoutShapesItIsSaidWhatToRecord) {
  const auto bare = graph_of("torch/mlp_noshapes.pt.trace.json.gz");
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().message.find("record_shapes=True"), std::string::npos);
}

TEST(RecordedValues, AreReadAsTheyAreWritten) {
  using recorded::value_of;
  using Kind = graph::torch::Argument::Kind;
  EXPECT_EQ(value_of("64").integer, 64);
  EXPECT_EQ(value_of("-1").integer, -1);
  EXPECT_EQ(value_of("1e-05").number, 1e-05);
  EXPECT_EQ(value_of("False").kind, Kind::Bool);
  EXPECT_EQ(value_of("<None>").kind, Kind::None);
  EXPECT_EQ(value_of("").kind, Kind::None);
  EXPECT_EQ(value_of("[64, [1,2], []]").items.size(), 3U);
  EXPECT_EQ(value_of("tanh").text, "tanh");
  EXPECT_EQ(value_of("[[[[").kind, Kind::List);
}

TEST(RecordedValues, KeywordsComeFromTheSchema) {
  using Places = std::vector<std::pair<std::size_t, std::string>>;
  EXPECT_EQ(recorded::keyword_places("aten::add", "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"), (Places{{2, "alpha"}}));
  EXPECT_EQ(recorded::keyword_places("aten::sum", "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"), (Places{{3, "dtype"}}));
  EXPECT_EQ(recorded::keyword_places("aten::add_", "aten::add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"), Places{});
  EXPECT_EQ(recorded::keyword_places("aten::addmm", ""), (Places{{3, "beta"}, {4, "alpha"}}));
}

}  // namespace
}  // namespace seam::analyzer
