// Costs, classes, origins, depth, and the two predictors.
#include "analyzer/shares.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "graph/text.h"

namespace seam::analyzer::test {
namespace {

graph::Graph read(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  Result<graph::Graph> graph = graph::read_graph(text.str(), file.string());
  if (!graph) throw std::runtime_error(describe(graph.error()));
  return *std::move(graph);
}

TEST(OpCost, CountsWordsOnceAndWhatIsTaken) {
  const graph::Graph graph = graph::read_graph(R"(HloModule m
ENTRY e {
  x = f16[8,16] parameter(0)
  y = f16[16,4] parameter(1)
  s = f16[8,2] slice(x), slice={[0:8],[3:5]}
  q = f16[8,16] multiply(x, x)
  one = f16[] constant(1)
  ones = f16[8,16] broadcast(one), dimensions={}
  a = f16[8,16] add(x, ones)
  d = f16[8,4] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (f16[8,2], f16[8,16], f16[8,4]) tuple(s, q, d)
})", "test").value();
  const graph::Computation& c = graph.entry_computation();
  const auto cost = [&](const char* name) { return cost_of(c, c.ops[c.find(name).value()]); };
  EXPECT_EQ(cost("s").words_in, 16);
  EXPECT_EQ(cost("q").words_in, 128);  // read once
  EXPECT_EQ(cost("q").bytes_out, 256);
  EXPECT_EQ(cost("a").words_in, 128);  // the folded constant is not read
  EXPECT_EQ(cost("ones").words_out, 0);
  EXPECT_EQ(cost("d").flops, 2.0 * 8 * 4 * 16);
  EXPECT_EQ(cost("t").words_in, 0);
  EXPECT_EQ(class_of(c.ops[c.find("d").value()]), Class::Contraction);
}

TEST(Origin, OpensWhatTracingWraps) {
  graph::Graph graph;
  graph::Op op;
  op.metadata.op_name = "jit(step)/transpose(jvp(attention))/softmax/reduce_sum";
  const Origin origin = origin_of(graph, op);
  EXPECT_EQ(origin.scope, "attention/softmax");
  EXPECT_TRUE(origin.backward);
  EXPECT_EQ(origin.primitive, "reduce_sum");
  op.metadata.op_name = "jit(step)/jvp(ffn)/gelu/mul";
  EXPECT_EQ(origin_of(graph, op).scope, "ffn/gelu");
  EXPECT_FALSE(origin_of(graph, op).backward);
  op.metadata.op_name = "mul";
  EXPECT_EQ(origin_of(graph, op).scope, "");
  op.metadata.op_name = "jit(f)/a/jit(b(c)/(";  // unbalanced: still a name, no crash
  EXPECT_NO_THROW(static_cast<void>(origin_of(graph, op)));
}

TEST(Shares, OurBertLayerReadsAsInThePaper) {
  const graph::Graph graph = read(std::filesystem::path(SEAM_TEST_DATA) / "xla" / "bert_layer.fwdbwd.hlo");
  double flops = 0, contraction = 0;
  bool normalization = false;
  for (const Share& share : shares_of(graph)) {
    flops += share.flops;
    if (share.op_class == Class::Contraction) contraction += share.flops;
    normalization = normalization || share.op_class == Class::Normalization;
  }
  EXPECT_TRUE(normalization);
  EXPECT_GT(contraction / flops, 0.99);
  bool softmax = false, gradient = false;
  for (const OriginShare& origin : origins_of(graph)) {
    softmax = softmax || origin.label == "attention/softmax";
    gradient = gradient || origin.label == "residual1/layer_norm (backward)";
  }
  EXPECT_TRUE(softmax);
  EXPECT_TRUE(gradient);
}

TEST(Shares, ABiasGradientIsNoNormalization) {
  const graph::Graph graph = graph::read_graph(R"(HloModule m
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[64,32] parameter(0)
  z = f32[] constant(0)
  g = f32[64,32] negate(x), metadata={op_name="jit(f)/dense/neg"}
  sum = f32[32] reduce(g, z), dimensions={0}, to_apply=s, metadata={op_name="jit(f)/dense/reduce_sum"}
  m = f32[64] reduce(x, z), dimensions={1}, to_apply=s, metadata={op_name="jit(f)/norm/reduce_sum"}
  mb = f32[64,32] broadcast(m), dimensions={0}, metadata={op_name="jit(f)/norm/sub"}
  n = f32[64,32] subtract(x, mb), metadata={op_name="jit(f)/norm/sub"}
  ROOT t = (f32[32], f32[64,32]) tuple(sum, n)
})", "test").value();
  const graph::Computation& c = graph.entry_computation();
  const auto classes = classes_of(graph, graph.entry, origin_groups(graph));
  EXPECT_EQ(classes.at(c.find("sum").value()), Class::Elementwise);
  EXPECT_EQ(classes.at(c.find("m").value()), Class::Normalization);
  EXPECT_EQ(classes.at(c.find("n").value()), Class::Normalization);
}

TEST(WorkSpan, LoopsAreUnrolledAndBranchesOfTheDagOverlap) {
  const graph::Graph graph = graph::read_graph(R"(HloModule m
ENTRY e {
  x = f32[10] parameter(0)
  a = f32[10] negate(x)
  b = f32[10] negate(a)
  c = f32[10] sqrt(x)
  ROOT d = f32[10] add(b, c)
})", "test").value();
  const WorkSpan w = work_span(graph);
  EXPECT_EQ(w.ops, 4);
  EXPECT_EQ(w.span_ops, 3);
  EXPECT_EQ(w.flops, 40);
  EXPECT_EQ(w.span_flops, 30);
}

TEST(Predictors, ThePapersTable) {
  // FusionStitching (2018), Figures 6 to 8: fusable share, fusion speedup, what its formula predicts, Amdahl.
  struct Row {
    const char* name;
    double fusable, speedup, formula, amdahl;
  };
  for (const Row& r : {Row{"LR", 0.37, 1.55, 1.131, 1.151}, Row{"W2V", 0.40, 1.15, 1.052, 1.055}, Row{"RNN", 0.20, 1.80, 1.089, 1.098},
                       Row{"BiRNN", 0.18, 1.60, 1.067, 1.072}, Row{"Speech", 0.28, 3.50, 1.200, 1.250}, Row{"NMT", 0.45, 1.55, 1.160, 1.190}}) {
    EXPECT_NEAR(fusion_stitching_predictor(r.fusable, r.speedup), r.formula, 0.0006) << r.name;
    EXPECT_NEAR(amdahl(r.fusable, r.speedup), r.amdahl, 0.0006) << r.name;
    EXPECT_GT(amdahl(r.fusable, r.speedup), fusion_stitching_predictor(r.fusable, r.speedup)) << r.name;
  }
}

}  // namespace
}  // namespace seam::analyzer::test
