// What operators read and write, which values are statistics, and how a softmax scope is cut.
#include "analyzer/movement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "bert_layer.h"
#include "graph/text.h"
#include "graph/transform.h"
#include "optimized.h"

namespace seam::analyzer::test {
namespace {

graph::Graph read(const std::string& text, const std::string& file = "test") {
  Result<graph::Graph> graph = graph::read_graph(text, file);
  if (!graph) throw std::runtime_error(describe(graph.error()));
  return *std::move(graph);
}

Id<graph::Op> op(const graph::Graph& graph, std::string_view name) { return graph.entry_computation().find(name).value(); }

Movement sum_of(const std::vector<Operator>& operators) {
  Movement sum;
  for (const Operator& one : operators) sum += one.movement();
  return sum;
}

const Operator& operator_named(const std::vector<Operator>& operators, std::string_view label) {
  const auto found = std::ranges::find(operators, label, &Operator::label);
  if (found == operators.end()) {
    std::string all;
    for (const Operator& one : operators) all += one.label + "; ";
    throw std::runtime_error("no operator " + std::string(label) + " in " + all);
  }
  return *found;
}

constexpr std::string_view kReducers = R"(HloModule m
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
max { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] maximum(a, b) }
)";

TEST(Traffic, ReadsWhatIsNeededOfAValue) {
  const graph::Graph g = read(R"(HloModule m
ENTRY e {
  x = f32[4,8] parameter(0)
  y = f32[4,8] parameter(1)
  b = f32[8] parameter(2)
  bb = f32[4,8] broadcast(b), dimensions={1}
  s = f32[4,8] add(x, bb)
  p = f32[4,2] slice(s), slice={[0:4],[0:2]}
  q = f32[4,2] slice(s), slice={[0:4],[6:8]}
  c = f32[4,4] concatenate(p, q), dimensions={1}
  v = f32[16] reshape(c)
  n = f32[16] negate(v)
  ROOT t = (f32[16], f32[4,8]) tuple(n, y)
})");
  const Values values = values_of(g.entry_computation());
  const Traffic all = traffic_of(values, {op(g, "bb"), op(g, "s"), op(g, "p"), op(g, "q"), op(g, "c"), op(g, "n")});
  EXPECT_EQ(all.reads, (std::map<Id<graph::Op>, Crossing>{{op(g, "x"), {16, 64, false}}, {op(g, "b"), {4, 16, false}}})) << "two columns of each end, through the sum";
  EXPECT_EQ(all.writes, (std::map<Id<graph::Op>, Crossing>{{op(g, "n"), {16, 64, false}}}));
  EXPECT_EQ(all.flops, 32 + 16);
  const Traffic first = traffic_of(values, {op(g, "bb"), op(g, "s")});
  EXPECT_EQ(first.sum().words_in, 32 + 8);
  EXPECT_EQ(first.sum().words_out, 32);
  const Traffic last = traffic_of(values, {op(g, "n")});
  EXPECT_TRUE(last.reads.contains(op(g, "c"))) << "a reshape is no value of its own";
}

/// Views between a slice and what it is taken of: each says how many elements are read, none reads all for want of a better idea.
TEST(Traffic, FollowsPartsThroughViews) {
  const graph::Graph g = read(R"(HloModule m
ENTRY e {
  x = f32[6,4,10] parameter(0)
  k = f32[6] parameter(1)
  i = s32[2,1] parameter(2)
  none = f32[0,4] parameter(3)
  merged = f32[24,10] reshape(x)
  rows = f32[8,10] slice(merged), slice={[4:12],[0:10]}
  split = f32[2,3,4,10] reshape(x)
  block = f32[1,2,4,10] slice(split), slice={[1:2],[1:3],[0:4],[0:10]}
  kb = f32[6,4,10] broadcast(k), dimensions={0}
  turned = f32[4,10,6] transpose(kb), dimensions={1,2,0}
  last = f32[4,10,1] slice(turned), slice={[0:4],[0:10],[5:6]}
  every = f32[3,4,10] slice(x), slice={[0:6:2],[0:4],[0:10]}
  taken = f32[2,4,10] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4,10}
  flat = f32[0] reshape(none)
  ROOT t = (f32[8,10], f32[1,2,4,10], f32[4,10,1], f32[3,4,10], f32[2,4,10], f32[0]) tuple(rows, block, last, every, taken, flat)
})");
  const Values values = values_of(g.entry_computation());
  const auto reads = [&](const std::vector<const char*>& names, const char* of) {
    std::vector<Id<graph::Op>> ids;
    for (const char* name : names) ids.push_back(op(g, name));
    const Traffic traffic = traffic_of(values, ids);
    const auto found = traffic.reads.find(op(g, of));
    return found == traffic.reads.end() ? 0 : found->second.elements;
  };
  EXPECT_EQ(reads({"merged", "rows"}, "x"), 80);
  EXPECT_EQ(reads({"split", "block"}, "x"), 80);
  EXPECT_EQ(reads({"rows", "block"}, "x"), 160);
  EXPECT_EQ(reads({"kb", "turned", "last"}, "k"), 1);
  EXPECT_EQ(reads({"every"}, "x"), 120);
  EXPECT_EQ(reads({"taken"}, "x"), 80);
  EXPECT_EQ(reads({"taken"}, "i"), 2);
  EXPECT_EQ(reads({"every", "taken", "rows", "block"}, "x"), 240) << "never more than there is";
  EXPECT_EQ(reads({"flat"}, "none"), 0);
}

TEST(Traffic, UpdatesMoveWhatTheyUpdate) {
  const graph::Graph g = read(R"(HloModule m
ENTRY e {
  x = f32[100,8] parameter(0)
  u = f32[1,8] parameter(1)
  i = s32[] parameter(2)
  z = s32[] constant(0)
  n = f32[1,8] negate(u)
  ROOT d = f32[100,8] dynamic-update-slice(x, n, i, z)
})");
  const Values values = values_of(g.entry_computation());
  const Movement inside = traffic_of(values, {op(g, "n"), op(g, "d")}).sum();
  EXPECT_EQ(inside.words_in, 8 + 1);
  EXPECT_EQ(inside.words_out, 8);
  const Movement rewritten = traffic_of(values, {op(g, "n"), op(g, "d")}, Boundary{{op(g, "d")}, {}}).sum();
  EXPECT_EQ(rewritten.words_in, 792 + 8 + 1) << "a new buffer takes the rest of the old one";
  EXPECT_EQ(rewritten.words_out, 800);
}

TEST(Statistics, AreSpreadAndNothingElse) {
  const graph::Graph g = read(std::string(kReducers) + R"(ENTRY e {
  x = f32[8,16] parameter(0)
  w = f32[8,4] parameter(1)
  k = f32[16] parameter(2)
  z = f32[] constant(0)
  eight = f32[] constant(8)
  eights = f32[8] broadcast(eight), dimensions={}
  sum = f32[8] reduce(x, z), dimensions={1}, to_apply=add
  mean = f32[8] divide(sum, eights)
  meanb = f32[8,16] broadcast(mean), dimensions={0}
  kb = f32[8,16] broadcast(k), dimensions={1}
  centred = f32[8,16] subtract(x, meanb)
  scaled = f32[8,16] multiply(centred, kb)
  bias = f32[16] reduce(x, z), dimensions={0}, to_apply=add
  bag = f32[8] reduce(scaled, z), dimensions={1}, to_apply=add
  product = f32[4] dot(bag, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT t = (f32[8,16], f32[16], f32[4]) tuple(scaled, bias, product)
})");
  const Values values = values_of(g.entry_computation());
  EXPECT_TRUE(values.is_statistic[op(g, "sum")]);
  EXPECT_TRUE(values.is_statistic[op(g, "mean")]);
  EXPECT_FALSE(values.is_statistic[op(g, "bias")]) << "it leaves: a gradient";
  EXPECT_FALSE(values.is_statistic[op(g, "bag")]) << "a product reads it";
  EXPECT_FALSE(values.is_statistic[op(g, "k")]) << "a gain";
  const Movement moved = traffic_of(values, {op(g, "sum"), op(g, "mean")}).sum();
  EXPECT_EQ(moved.words(), 128);
  EXPECT_EQ(moved.statistic_words, 8);
  EXPECT_EQ(moved.bytes(), 4 * (128 + 8));
}

/// Scale and dropout as frameworks write them today: a quotient by sqrt(d), a causal mask, a mask of pred as numbers, 1 / keep.
const graph::Graph& attention() {
  static const graph::Graph graph = read(std::string(kReducers) + R"(ENTRY e {
  x = f32[8,16] parameter(0)
  causal = pred[8,16] parameter(1)
  keep = pred[8,16] parameter(2)
  dy = f32[8,16] parameter(3)
  z = f32[] constant(0)
  low = f32[] constant(-inf)
  d = f32[] constant(8)
  up = f32[] constant(1.25)
  ds = f32[8,16] broadcast(d), dimensions={}
  lows = f32[8,16] broadcast(low), dimensions={}
  ups = f32[8,16] broadcast(up), dimensions={}
  scaled = f32[8,16] divide(x, ds), metadata={op_name="jit(f)/softmax/div"}
  visible = f32[8,16] select(causal, scaled, lows), metadata={op_name="jit(f)/softmax/select"}
  top = f32[8] reduce(visible, low), dimensions={1}, to_apply=max, metadata={op_name="jit(f)/softmax/max"}
  topb = f32[8,16] broadcast(top), dimensions={0}, metadata={op_name="jit(f)/softmax/b"}
  sub = f32[8,16] subtract(visible, topb), metadata={op_name="jit(f)/softmax/sub"}
  e = f32[8,16] exponential(sub), metadata={op_name="jit(f)/softmax/exp"}
  sum = f32[8] reduce(e, z), dimensions={1}, to_apply=add, metadata={op_name="jit(f)/softmax/sum"}
  sumb = f32[8,16] broadcast(sum), dimensions={0}, metadata={op_name="jit(f)/softmax/b"}
  soft = f32[8,16] divide(e, sumb), metadata={op_name="jit(f)/softmax/div"}
  mask = f32[8,16] convert(keep), metadata={op_name="jit(f)/softmax/convert"}
  kept = f32[8,16] multiply(soft, mask), metadata={op_name="jit(f)/softmax/mul"}
  out = f32[8,16] multiply(kept, ups), metadata={op_name="jit(f)/softmax/mul"}
  mask2 = f32[8,16] convert(keep), metadata={op_name="jit(f)/transpose(jvp(softmax))/convert"}
  dup = f32[8,16] multiply(dy, ups), metadata={op_name="jit(f)/transpose(jvp(softmax))/mul"}
  dkept = f32[8,16] multiply(dup, mask2), metadata={op_name="jit(f)/transpose(jvp(softmax))/mul"}
  prod = f32[8,16] multiply(dkept, soft), metadata={op_name="jit(f)/transpose(jvp(softmax))/mul"}
  dsum = f32[8] reduce(prod, z), dimensions={1}, to_apply=add, metadata={op_name="jit(f)/transpose(jvp(softmax))/sum"}
  dsumb = f32[8,16] broadcast(dsum), dimensions={0}, metadata={op_name="jit(f)/transpose(jvp(softmax))/b"}
  diff = f32[8,16] subtract(dkept, dsumb), metadata={op_name="jit(f)/transpose(jvp(softmax))/sub"}
  dvis = f32[8,16] multiply(diff, soft), metadata={op_name="jit(f)/transpose(jvp(softmax))/mul"}
  dx = f32[8,16] divide(dvis, ds), metadata={op_name="jit(f)/transpose(jvp(softmax))/div"}
  ROOT t = (f32[8,16], f32[8,16]) tuple(out, dx)
})");
  return graph;
}

std::set<std::string> names(const std::vector<Operator>& operators, std::string_view label) {
  std::set<std::string> out;
  for (const Id<graph::Op> id : operator_named(operators, label).ops) out.insert(attention().entry_computation().ops[id].name);
  return out;
}

TEST(Granularity, TakesScaleAndDropoutOutOfASoftmax) {
  using Names = std::set<std::string>;
  const std::vector<Operator> plain = operators_of(attention(), Granularity::Plain);
  EXPECT_EQ(plain.size(), 6U);
  EXPECT_EQ(names(plain, "softmax: scale"), Names{"scaled"});
  EXPECT_EQ(names(plain, "softmax: softmax"), (Names{"visible", "top", "topb", "sub", "e", "sum", "sumb", "soft"})) << "a causal mask is no dropout";
  EXPECT_EQ(names(plain, "softmax: dropout"), (Names{"mask", "kept", "out"}));
  EXPECT_EQ(names(plain, "softmax (backward): dropout"), (Names{"mask2", "dup", "dkept"}));
  EXPECT_EQ(names(plain, "softmax (backward): softmax"), (Names{"prod", "dsum", "dsumb", "diff", "dvis"}));
  EXPECT_EQ(names(plain, "softmax (backward): scale"), Names{"dx"});
  EXPECT_EQ(operator_named(plain, "softmax: softmax").op_class, Class::Normalization);
  EXPECT_EQ(operator_named(plain, "softmax: dropout").op_class, Class::Elementwise);

  const std::vector<Operator> scale = operators_of(attention(), Granularity::ScaleSplit);
  EXPECT_EQ(scale.size(), 5U);
  EXPECT_TRUE(names(scale, "softmax (backward): softmax").contains("dx"));
  const std::vector<Operator> dropout = operators_of(attention(), Granularity::SoftmaxDropoutSplit);
  EXPECT_EQ(dropout.size(), 4U);
  EXPECT_TRUE(names(dropout, "softmax: softmax").contains("scaled"));
  const std::vector<Operator> whole = operators_of(attention(), Granularity::Paper46);
  EXPECT_EQ(whole.size(), 2U);
  EXPECT_EQ(operator_named(whole, "softmax").movement().words(), 5 * 128) << "x and two masks in, soft and out";
}

TEST(Granularity, HasFourNames) {
  for (const Granularity granularity : kGranularities) {
    EXPECT_EQ(granularity_named(name(granularity)).value(), granularity);
    EXPECT_FALSE(meaning(granularity).empty());
  }
  const Result<Granularity> unknown = granularity_named("foo");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(describe(unknown.error()), "there is no granularity 'foo'; there are plain, scale-split, softmax-dropout-split, paper46");
}

/// On every module of tests/data/xla: operators divide the same ops, and whatever is merged moves no more than its parts.
TEST(Granularity, CoarserNeverMovesMore) {
  std::size_t modules = 0, cut = 0;
  for (const auto& file : std::filesystem::directory_iterator(SEAM_TEST_DATA "/xla")) {
    if (file.path().extension() != ".hlo") continue;
    ++modules;
    const graph::Graph module = graph::inline_calls(read(slurp(file.path().string()), file.path().string()), true);
    std::optional<Movement> finer;
    std::size_t operators_before = 0;
    std::set<std::pair<Id<graph::Computation>, Id<graph::Op>>> ops_before;
    for (const Granularity granularity : kGranularities) {
      const std::vector<Operator> operators = operators_of(module, granularity);
      std::set<std::pair<Id<graph::Computation>, Id<graph::Op>>> ops;
      for (const Operator& one : operators)
        for (const Id<graph::Op> id : one.ops) EXPECT_TRUE(ops.emplace(one.computation, id).second) << file.path() << ": an op in two operators";
      const Movement sum = sum_of(operators);
      EXPECT_GT(sum.words(), 0) << file.path();
      if (finer) {
        EXPECT_EQ(ops, ops_before) << file.path();
        EXPECT_LE(operators.size(), operators_before) << file.path();
        EXPECT_LE(sum.words(), finer->words()) << file.path() << " " << name(granularity);
        EXPECT_LE(sum.bytes(), finer->bytes()) << file.path() << " " << name(granularity);
        EXPECT_DOUBLE_EQ(sum.flops, finer->flops) << file.path();
        if (operators.size() < operators_before) ++cut;
      }
      finer = sum;
      operators_before = operators.size();
      ops_before = std::move(ops);
    }
  }
  EXPECT_EQ(modules, 21U);
  EXPECT_GT(cut, 0U) << "no module's softmax was cut: the property says nothing";
}

/// Activations scale with the batch, attention with the square of the sequence, weights with neither.
TEST(Granularity, WordsScaleWithBatchAndSequence) {
  const auto at = [](std::int64_t batch, std::int64_t sequence) { return operators_of(graph::with_extents(bert_layer(), {{8, batch}, {512, sequence}}).value(), Granularity::Paper46); };
  const std::vector<Operator> one = at(8, 512), wide = at(16, 512), wider = at(24, 512), longer = at(8, 1024);
  ASSERT_EQ(one.size(), wide.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const std::int64_t step = wide[i].movement().words() - one[i].movement().words();
    EXPECT_GT(step, 0) << one[i].label;
    EXPECT_EQ(wider[i].movement().words() - wide[i].movement().words(), step) << one[i].label;
  }
  EXPECT_EQ(operator_named(longer, "BS/softmax_dx").movement().words(), 4 * operator_named(one, "BS/softmax_dx").movement().words());
  EXPECT_EQ(operator_named(longer, "BEI/residual_dx").movement().words(), 2 * operator_named(one, "BEI/residual_dx").movement().words());
  EXPECT_EQ(operator_named(longer, "OUTDW/out_dw").movement().words_out, operator_named(one, "OUTDW/out_dw").movement().words_out);
}

TEST(Rereads, CountWhatLaterLaunchesReadOfEarlierOnes) {
  const graph::Graph& g = attention();
  const Values values = values_of(g.entry_computation());
  const auto launch = [&](const char* name, const std::vector<const char*>& ops, std::int64_t runs) {
    std::vector<Id<graph::Op>> ids;
    for (const char* one : ops) ids.push_back(op(g, one));
    return LaunchTraffic{name, g.entry, runs, traffic_of(values, ids)};
  };
  const std::vector<LaunchTraffic> launches = {launch("k0", {"scaled", "visible", "top"}, 3), launch("k1", {"topb", "sub", "e", "sum"}, 3), launch("k2", {"sumb", "soft"}, 3)};
  const std::vector<Reread> rereads = rereads_of(g, launches);
  ASSERT_EQ(rereads.size(), 4U);
  EXPECT_EQ(rereads[0].value, "e");
  EXPECT_EQ(rereads[0].writer, "k1");
  EXPECT_EQ(rereads[0].readers, 1);
  EXPECT_EQ(rereads[0].bytes_reread, 3 * 512);
  EXPECT_EQ(rereads[1].value, "visible");
  EXPECT_EQ(rereads[3].value, "top");
  EXPECT_EQ(rereads[3].bytes_reread, 3 * 32);
  EXPECT_TRUE(rereads_of(g, {launches[0]}).empty());
}

}  // namespace
}  // namespace seam::analyzer::test
