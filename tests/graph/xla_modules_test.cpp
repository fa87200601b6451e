#include <algorithm>
#include <map>
#include <sstream>

#include "graph/tolerance.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "support.h"

namespace seam::graph::test {
namespace {

/// counts.tsv: instructions of each module before optimization.
std::map<std::string, std::size_t> counted_instructions() {
  std::map<std::string, std::size_t> counts;
  std::istringstream table(slurp(SEAM_TEST_DATA "/xla/counts.tsv"));
  for (std::string line; std::getline(table, line);) {
    std::istringstream row(line);
    std::string model, variant, target, preset, instructions;
    for (std::string* field : {&model, &variant, &target, &preset, &instructions}) std::getline(row, *field, '\t');
    if (preset == "before") counts[model + "." + variant + ".hlo"] = std::stoul(instructions);
  }
  return counts;
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& tested) {
  std::string name = tested.param.stem().string();
  std::ranges::replace(name, '.', '_');
  return name;
}

class XlaModule : public testing::TestWithParam<std::filesystem::path> {
 protected:
  Graph read() const { return module(slurp(GetParam())); }
};

TEST_P(XlaModule, RoundTripsInBothForms) {
  const Graph graph = read();
  const Result<Graph> hlo = parse_hlo(print_hlo(graph), "printed");
  ASSERT_TRUE(hlo) << describe(hlo.error());
  EXPECT_TRUE(*hlo == graph);
  const std::string text = print_graph(graph);
  const Result<Graph> own = parse_graph(text, "printed");
  ASSERT_TRUE(own) << describe(own.error(), text);
  EXPECT_TRUE(*own == graph);
  EXPECT_EQ(print_graph(*own), text);
}

TEST_P(XlaModule, HasTheInstructionsThatWereCounted) {
  EXPECT_EQ(op_count(read()), counted_instructions().at(GetParam().filename().string()));
}

TEST_P(XlaModule, KeepsOriginsAndFrames) {
  const Graph graph = read();
  ASSERT_FALSE(graph.frames.empty());
  EXPECT_EQ(graph.frames[0].parent, 0);
  for (std::size_t i = 0; i < graph.frames.size(); ++i) {
    EXPECT_LE(graph.frames[i].parent, static_cast<std::int64_t>(i)) << "a frame's caller stands before it";
  }
  for (const Op& op : graph.entry_computation().ops) {
    EXPECT_LE(op.metadata.stack_frame_id, std::ssize(graph.frames));
  }
}

TEST_P(XlaModule, StaysSoundThroughTransforms) {
  const Graph graph = read();
  const Graph inlined = inline_calls(graph, true);
  const Graph live = without_dead_code(inlined);
  const Graph unique = without_dead_code(without_duplicates(live));
  for (const Graph* step : {&inlined, &live, &unique}) {
    const Result<void> sound = verify(*step);
    EXPECT_TRUE(sound) << describe(sound.error());
  }
  for (const Op& op : inlined.entry_computation().ops) EXPECT_NE(op.opcode, Opcode::Call);
  EXPECT_LE(op_count(live), op_count(inlined));
  EXPECT_LT(op_count(unique), op_count(live));
  EXPECT_TRUE(without_dead_code(live) == live);
  EXPECT_TRUE(without_dead_code(without_duplicates(unique)) == unique);
}

TEST_P(XlaModule, KnowsTheTripsOfEveryLoop) {
  const Graph graph = inline_calls(read(), true);
  for (const Computation& computation : graph.computations) {
    for (const Op& op : computation.ops) {
      if (op.opcode != Opcode::While) continue;
      const auto trips = trip_count(graph, computation, op);
      ASSERT_TRUE(trips) << op.name;
      EXPECT_TRUE(*trips == 50 || *trips == 100) << op.name << ": " << *trips;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, XlaModule, testing::ValuesIn(xla_modules()), test_name);

TEST(XlaModules, AreAllThere) { EXPECT_EQ(xla_modules().size(), 21U); }

// What reports group by: where an op came from, through the stack frames.
TEST(XlaModules, FramesLeadFromOpToCaller) {
  const Graph graph = module(slurp(SEAM_TEST_DATA "/xla/lr.step.hlo"));
  const Computation& entry = graph.entry_computation();
  const Op& exponential = entry.ops[entry.find("exp.1").value()];
  const StackFrame& frame = graph.frames.at(static_cast<std::size_t>(exponential.metadata.stack_frame_id - 1));
  EXPECT_EQ(frame.function, "tf_softmax");
  EXPECT_EQ(frame.line, 71);
  EXPECT_EQ(graph.frames.at(static_cast<std::size_t>(frame.parent - 1)).function, "_tf_softmax_fwd");
}

// Real compiler output: scheduled, fused, laid out, with library calls.
TEST(OptimizedModules, ReadVerifyAndRoundTrip) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SEAM_UNPACKED "/real/optimized")) {
    const std::string text = slurp(entry.path());
    const Result<Graph> graph = read_graph(text, entry.path().filename().string());
    ASSERT_TRUE(graph) << describe(graph.error(), text);
    const Result<Graph> own = parse_graph(print_graph(*graph), "printed");
    ASSERT_TRUE(own) << describe(own.error());
    EXPECT_TRUE(*own == *graph) << entry.path();
    EXPECT_TRUE(graph->is_scheduled || entry.path().string().find("v100") != std::string::npos) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 42U);
}

}  // namespace
}  // namespace seam::graph::test
