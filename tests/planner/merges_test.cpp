/// Products that become one: the right ones, nothing else, for a gain, and with the same values.
#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "analyzer/time_model.h"
#include "graph/evaluate.h"
#include "graph/matmul.h"
#include "graph/tolerance.h"
#include "graph/verify.h"
#include "planner/pipeline.h"
#include "prepare/merge_candidates.h"
#include "prepare/merge_rewrite.h"
#include "prepare/merges.h"
#include "support.h"

namespace seam::planner::test {
namespace {

/// Through the whole pipeline, so that vetoes of the pass are in the plan.
Case through(const graph::Graph& graph, const PlanOptions& options, const PassOptions& passes = {}) {
  auto run = run_pipeline(graph, options, passes);
  if (!run) throw std::runtime_error(describe(run.error()));
  return {std::move(run->ir.graph), std::move(run->ir.plan)};
}
Case through(const std::string& text) { return through(module(text), options_for("stitch")); }

std::vector<const graph::Op*> products(const graph::Graph& graph) {
  std::vector<const graph::Op*> out;
  for (const graph::Op& op : graph.entry_computation().ops)
    if (op.opcode == graph::Opcode::Dot || graph::is_matmul(op)) out.push_back(&op);
  return out;
}

std::string parts(const graph::Op& product) {
  std::string out;
  for (const std::string& name : merged_products(product)) out += (out.empty() ? "" : " ") + name;
  return out;
}

std::string why(const Case& c, std::string_view a, std::string_view b) {
  auto text = explain(c.plan, c.graph, a, b);
  return text ? *text : describe(text.error());
}

const Veto* veto_of(const Case& c, VetoCode code) {
  const auto found = std::ranges::find(c.plan.vetoes, code, &Veto::code);
  return found == c.plan.vetoes.end() ? nullptr : &*found;
}

/// Three projections of one x, each [rows, inner]·[inner, columns], and `tail`, which names the result.
std::string projections(int rows, int inner, int columns, const std::string& tail, const std::string& type = "f32") {
  std::string out = fmt::format("HloModule m\nENTRY main {{\n  x = {0}[{1},{2}] parameter(0)\n", type, rows, inner);
  for (const auto& [w, k] : {std::pair{"wq", 1}, {"wk", 2}, {"wv", 3}}) out += fmt::format("  {} = {}[{},{}] parameter({})\n", w, type, inner, columns, k);
  for (const char* p : {"q", "k", "v"})
    out += fmt::format("  {0} = {1}[{2},{3}] dot(x, w{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, metadata={{op_name=\"layer/{0}\"}}\n", p, type, rows, columns);
  return out + tail + "\n}\n";
}
std::string element_wise(int rows, int columns) {
  return fmt::format("  t = f32[{0},{1}] tanh(q)\n  s = f32[{0},{1}] multiply(t, k)\n  ROOT r = f32[{0},{1}] add(s, v)", rows, columns);
}

TEST(Merges, ProjectionsOfOneValueBecomeOneProductAndSlices) {
  const Case c = through(projections(64, 256, 64, element_wise(64, 64)));
  EXPECT_EQ(complaint(c), "");
  const auto dots = products(c.graph);
  ASSERT_EQ(dots.size(), 1U);
  EXPECT_EQ(dots[0]->name, "q_k_v");
  EXPECT_EQ(parts(*dots[0]), "q k v");
  EXPECT_EQ(dots[0]->shape.dims, (std::vector<std::int64_t>{64, 192}));
  EXPECT_EQ(dots[0]->metadata.op_name, "layer/q") << "an origin of its parts";
  EXPECT_EQ(c.graph.entry_computation().ops[*c.graph.entry_computation().find("k")].metadata.op_name, "layer/k");
  EXPECT_EQ(c.plan.totals.kernels, 2) << "one puts the weights together, one reads the slices where they lie";
  EXPECT_NE(why(c, "q", "k").find("k is a slice of the merged product q_k_v"), std::string::npos) << why(c, "q", "k");
}

TEST(Merges, WeightsThatCostMoreToPutTogetherStayApart) {
  const Case c = through(projections(64, 1024, 1024, element_wise(64, 1024)));
  EXPECT_EQ(products(c.graph).size(), 3U);
  const Veto* veto = veto_of(c, VetoCode::MergeCostsMore);
  ASSERT_NE(veto, nullptr);
  EXPECT_LT(veto->numbers.at("apart_us"), veto->numbers.at("merged_us"));
  EXPECT_NE(why(c, "q", "v").find("merge-costs-more"), std::string::npos) << why(c, "q", "v");
  const auto again = parse_plan(print_plan(c.plan, c.graph), "p", c.graph);
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->vetoes, c.plan.vetoes);
}

/// Pieces of one weight need no kernel that puts them together, however large they are.
TEST(Merges, PiecesOfOneBufferAreTheBuffer) {
  std::string text = "HloModule m\nENTRY main {\n  x = f32[64,1024] parameter(0)\n  w = f32[1024,3072] parameter(1)\n";
  for (const auto& [p, k] : {std::pair{"k", 1}, {"q", 0}, {"v", 2}}) {
    text += fmt::format("  w{} = f32[1024,1024] slice(w), slice={{[0:1024], [{}:{}]}}\n", p, k * 1024, k * 1024 + 1024);
    text += fmt::format("  {0} = f32[64,1024] dot(x, w{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n", p);
  }
  const Case c = through(text + element_wise(64, 1024) + "\n}\n");
  ASSERT_EQ(products(c.graph).size(), 1U);
  EXPECT_EQ(products(c.graph)[0]->name, "q_k_v") << "in the order of the pieces";
  EXPECT_EQ(c.graph.entry_computation().ops[products(c.graph)[0]->operands[1]].opcode, graph::Opcode::Parameter);
  EXPECT_EQ(c.plan.totals.kernels, 1);
}

/// One weight, rows of many values: what time steps do before a recurrence.
TEST(Merges, RowsOfOneValueAreItsRows) {
  std::string text = "HloModule m\nENTRY main {\n  x = f32[4,32,64] parameter(0)\n  w = f32[64,256] parameter(1)\n";
  for (int t = 0; t < 4; ++t) {
    text += fmt::format("  s{0} = f32[1,32,64] slice(x), slice={{[{0}:{1}], [0:32], [0:64]}}\n  x{0} = f32[32,64] reshape(s{0})\n", t, t + 1);
    text += fmt::format("  d{0} = f32[32,256] dot(x{0}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n", t);
  }
  const Case c = through(text + "  a = f32[32,256] add(d0, d1)\n  b = f32[32,256] multiply(a, d2)\n  ROOT r = f32[32,256] multiply(b, d3)\n}\n");
  ASSERT_EQ(products(c.graph).size(), 1U);
  EXPECT_EQ(parts(*products(c.graph)[0]), "d0 d1 d2 d3");
  EXPECT_EQ(c.plan.totals.kernels, 1);
}

TEST(Merges, AProductThatNeedsAnotherIsNotMergedWithIt) {
  const Case c = through(
      "HloModule m\nENTRY main {\n  x = f32[32,64] parameter(0)\n  w = f32[64,64] parameter(1)\n  a = f32[32,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  h = f32[32,64] tanh(a)\n  b = f32[32,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT r = f32[32,64] tanh(b)\n}\n");
  EXPECT_EQ(products(c.graph).size(), 2U);
  ASSERT_NE(veto_of(c, VetoCode::MergeNotIndependent), nullptr);
  EXPECT_NE(why(c, "a", "b").find("merge-not-independent"), std::string::npos) << why(c, "a", "b");
}

TEST(Merges, AnOrderThatWasAskedForStays) {
  const Case c = through(projections(64, 256, 64, "  e = f32[64,64] exponential(q), control-predecessors={k}\n  s = f32[64,64] multiply(e, k)\n  ROOT r = f32[64,64] add(s, v)"));
  for (const graph::Op* product : products(c.graph)) EXPECT_EQ(parts(*product).find('k'), std::string::npos) << product->name;
}

TEST(Merges, TypesAndPrecisionMustAgree) {
  const char* tail = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const auto two = [&](const std::string& second) {
    return through("HloModule m\nENTRY main {\n  x = f32[64,256] parameter(0)\n  a = f32[256,64] parameter(1)\n  b = f32[256,64] parameter(2)\n  p = f32[64,64] dot(x, a)" + std::string(tail) + "\n  " + second +
                   "\n  s = f32[64,64] multiply(p, t)\n  ROOT r = f32[64,64] tanh(s)\n}\n");
  };
  EXPECT_EQ(products(two("t = f32[64,64] dot(x, b)" + std::string(tail)).graph).size(), 1U);
  const Case precise = two("t = f32[64,64] dot(x, b)" + std::string(tail) + ", operand_precision={highest,highest}");
  EXPECT_EQ(products(precise.graph).size(), 2U);
  ASSERT_NE(veto_of(precise, VetoCode::MergeTypesDiffer), nullptr);
  EXPECT_EQ(veto_of(precise, VetoCode::MergeTypesDiffer)->numbers.at("precision"), 1);
  const Case turned = through("HloModule m\nENTRY main {\n  x = f32[64,64] parameter(0)\n  a = f32[64,64] parameter(1)\n  b = f32[64,64] parameter(2)\n  p = f32[64,64] dot(x, a)" + std::string(tail) +
                              "\n  t = f32[64,64] dot(x, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  s = f32[64,64] multiply(p, t)\n  ROOT r = f32[64,64] tanh(s)\n}\n");
  EXPECT_EQ(products(turned.graph).size(), 2U) << "their factors lie another way";
}

std::string sum_of_products(const std::string& type, int inner) {
  return fmt::format(R"(HloModule m
ENTRY main {{
  a = {0}[32,{1}] parameter(0)
  b = {0}[{1},64] parameter(1)
  c = {0}[32,{1}] parameter(2)
  d = {0}[{1},64] parameter(3)
  e = {0}[32,64] parameter(4)
  p = {0}[32,64] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  q = {0}[32,64] dot(c, d), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  s = {0}[32,64] add(p, e)
  t = {0}[32,64] add(s, q)
  u = {0}[32,64] tanh(t)
  z = {0}[32,64] exponential(e)
  ROOT r = ({0}[32,64], {0}[32,64]) tuple(u, z)
}}
)", type, inner);
}

MergeCandidates sums_of(const std::string& text) {
  const graph::Graph graph = module(text);
  const PlanOptions options = options_for("stitch");
  return sums(stitch::problem_of(graph, graph.entry_computation(), options, false));
}

TEST(Merges, SumsOfProductsAreOneContraction) {
  const MergeCandidates found = sums_of(sum_of_products("f32", 48));
  ASSERT_EQ(found.merges.size(), 1U);
  EXPECT_EQ(found.merges[0].dots.size(), 2U);
  EXPECT_EQ(found.merges[0].rest.size(), 1U) << "e is added as before";
  const graph::Graph graph = module(sum_of_products("f32", 48));
  const auto after = merged(graph.entry_computation(), found.merges);
  ASSERT_TRUE(after);
  const auto product = after->find("p_q");
  ASSERT_TRUE(product);
  EXPECT_EQ(after->ops[after->ops[*product].operands[0]].shape.dims, (std::vector<std::int64_t>{32, 96}));
  EXPECT_TRUE(after->find("t")) << "the last add keeps its name";
}

/// What the module rounds to 16 bits may overflow there; one product would round once, at the end.
TEST(Merges, NoRoundingTo16BitsIsLeftOut) {
  for (const char* type : {"f16", "bf16"}) {
    const MergeCandidates found = sums_of(sum_of_products(type, 48));
    EXPECT_TRUE(found.merges.empty());
    ASSERT_EQ(found.refused.size(), 1U);
    EXPECT_EQ(found.refused[0].code, VetoCode::MergeRounding);
    EXPECT_EQ(found.refused[0].numbers.at("bits"), 16);
  }
  const Case c = through(sum_of_products("f16", 48));
  EXPECT_NE(why(c, "p", "q").find("merge-rounding"), std::string::npos) << why(c, "p", "q");
}

/// Weight gradients of an unrolled recurrence: a sum over time steps.
TEST(Merges, GradientsSummedOverStepsAreOneProduct) {
  std::string text = "HloModule m\nENTRY main {\n  x = f32[8,32,64] parameter(0)\n  g = f32[8,32,128] parameter(1)\n";
  for (int t = 0; t < 8; ++t) {
    text += fmt::format("  x{0}_ = f32[1,32,64] slice(x), slice={{[{0}:{1}], [0:32], [0:64]}}\n  x{0} = f32[32,64] reshape(x{0}_)\n", t, t + 1);
    text += fmt::format("  g{0}_ = f32[1,32,128] slice(g), slice={{[{0}:{1}], [0:32], [0:128]}}\n  g{0} = f32[32,128] reshape(g{0}_)\n", t, t + 1);
    text += fmt::format("  d{0} = f32[64,128] dot(x{0}, g{0}), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}\n", t);
    if (t > 0) text += fmt::format("  {}s{} = f32[64,128] add({}, d{})\n", t == 7 ? "ROOT " : "", t, t == 1 ? "d0" : fmt::format("s{}", t - 1), t);
  }
  const Case c = through(text + "}\n");
  EXPECT_EQ(c.plan.totals.library_calls, 1);
  EXPECT_EQ(c.plan.totals.kernels, 0) << "rows of x and of g lie one behind the other";
  EXPECT_NE(why(c, "d3", "s2").find("d3 is part of the merged product d0_to_d7"), std::string::npos) << why(c, "d3", "s2");
}

/// A product inside a loop and one outside never meet.
TEST(Merges, LoopsKeepTheirProducts) {
  const Case c = through(R"(HloModule m
body {
  s = (s32[], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h = f32[64,64] get-tuple-element(s), index=1
  w = f32[64,64] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  d = f32[64,64] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[64,64] tanh(d)
  ROOT r = (s32[], f32[64,64], f32[64,64]) tuple(j, t, w)
}
condition {
  s = (s32[], f32[64,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT p = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[64,64] parameter(0)
  w = f32[64,64] parameter(1)
  zero = s32[] constant(0)
  e = f32[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  init = (s32[], f32[64,64], f32[64,64]) tuple(zero, x, w)
  loop = (s32[], f32[64,64], f32[64,64]) while(init), condition=condition, body=body
  h = f32[64,64] get-tuple-element(loop), index=1
  ROOT r = f32[64,64] add(h, e)
}
)");
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(c.plan.totals.library_calls, 6);
}

/// Bias gradients read what they sum once and share a kernel as they are: merging them would save nothing.
TEST(Merges, BiasGradientsShareAKernelAnyway) {
  const Case c = through(R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY main {
  dq = f32[512,64] parameter(0)
  dk = f32[512,64] parameter(1)
  dv = f32[512,64] parameter(2)
  zero = f32[] constant(0)
  bq = f32[64] reduce(dq, zero), dimensions={0}, to_apply=add
  bk = f32[64] reduce(dk, zero), dimensions={0}, to_apply=add
  bv = f32[64] reduce(dv, zero), dimensions={0}, to_apply=add
  ROOT r = (f32[64], f32[64], f32[64]) tuple(bq, bk, bv)
}
)");
  EXPECT_EQ(c.plan.totals.kernels, 1);
  EXPECT_EQ(c.plan.totals.bytes_read, 3 * 512 * 64 * 4);
}

/// Biases of stacked products are added by the kernel that reads the slices.
TEST(Merges, BiasesOfStackedProductsShareAKernel) {
  std::string text = projections(64, 256, 64, "");
  text.resize(text.rfind('}') - 1);
  for (const auto& [p, k] : {std::pair{"q", 4}, {"k", 5}, {"v", 6}})
    text += fmt::format("  b{0} = f32[64] parameter({1})\n  w{0}_ = f32[64,64] broadcast(b{0}), dimensions={{1}}\n  y{0}_ = f32[64,64] add({0}, w{0}_)\n  y{0} = f32[64,64] tanh(y{0}_)\n", p, k);
  const Case c = through(text + "  ROOT r = (f32[64,64], f32[64,64], f32[64,64]) tuple(yq, yk, yv)\n}\n");
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(products(c.graph).size(), 1U);
  EXPECT_EQ(c.plan.totals.kernels, 2);
}

TEST(Merges, OnlyPoliciesThatKnowThemAndNotIfTurnedOff) {
  const std::string text = projections(64, 256, 64, element_wise(64, 64));
  for (const char* policy : {"none", "xla2018"}) EXPECT_EQ(planned(text, options_for(policy)).plan.totals.library_calls, 3) << policy;
  PlanOptions off = options_for("stitch");
  off.merge_products = false;
  const Case c = planned(text, off);
  EXPECT_EQ(c.plan.totals.library_calls, 3);
  EXPECT_FALSE(stated_options(print_plan(c.plan, c.graph), options_for("stitch")).merge_products) << "a plan says how its graph was prepared";
  const Case on = planned(text, options_for("stitch"));
  EXPECT_EQ(on.plan.totals.library_calls, 1);
  EXPECT_TRUE(stated_options(print_plan(on.plan, on.graph), off).merge_products) << "whatever the command line says";
  EXPECT_EQ(through(module(text), options_for("stitch"), {.dump_after = {}, .skip = {"merge-products"}, .stop_after = {}, .verify_each = true}).plan.totals.library_calls, 3);
}

/// Microseconds of a whole plan by the one model, loops times their trips.
double modelled_us(const Case& c) {
  const Device device = options_for("stitch").device;
  double us = 0;
  for (const ComputationPlan& one : c.plan.computations) {
    const graph::Computation& computation = c.graph.computations[one.computation];
    double each = 0;
    for (const Step& step : one.steps) {
      if (step.kind == StepKind::While || step.kind == StepKind::Conditional) continue;
      each += analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid;
      if (step.kind == StepKind::Kernel) each += one.groups[step.group].estimate.time_mid_us;
      if (step.kind == StepKind::Library) each += analyzer::library_time_us(device, analyzer::library_work(computation, computation.ops[step.op])).mid;
      if (step.kind != StepKind::Copy) continue;
      const CopiedBytes copied = copied_bytes(computation.ops[step.op]);
      each += analyzer::copy_time_us(device, static_cast<double>(copied.read + copied.written)).mid;
    }
    us += each * static_cast<double>(std::max<std::int64_t>(1, one.trips));
  }
  return us;
}

TEST(Merges, NoModuleTakesMoreLaunchesOrTime) {
  for (const auto& file : xla_modules()) {
    const graph::Graph graph = module(slurp(file));
    PlanOptions off = options_for("stitch");
    off.merge_products = false;
    const Case with = through(graph, options_for("stitch")), without = through(graph, off);
    EXPECT_EQ(complaint(with), "") << file;
    const Totals &a = with.plan.totals, &b = without.plan.totals;
    EXPECT_LE(a.kernels + a.library_calls + a.copies, b.kernels + b.library_calls + b.copies) << file;
    EXPECT_LE(modelled_us(with), modelled_us(without) * (1 + 1e-9)) << file;
    if (a.library_calls != b.library_calls)
      fmt::print("{:<20} launches {} -> {}, modelled {:.0f} -> {:.0f} us\n", file.filename().string(), b.kernels + b.library_calls + b.copies, a.kernels + a.library_calls + a.copies, modelled_us(without), modelled_us(with));
  }
}

/// Small graphs with products that share factors and sums of products, in all the ways that the candidates must tell apart.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  std::string graph() {
    type_ = pick({"f32", "f32", "f64", "f16"});
    const std::int64_t batch = chance() ? 0 : 2, rows = upto(6), inner = upto(7), columns = upto(5);
    const std::string x = parameter(dims(batch, rows, inner));
    std::vector<std::string> wide;  // [batch, rows, columns]
    const std::string base = parameter(dims(batch, inner, 3 * columns));
    for (std::int64_t i = 0; i < 3; ++i) {  // pieces of one factor, in any order
      const std::int64_t at = (i * 2 + 1) % 3;
      const std::string piece = line(dims(batch, inner, columns), fmt::format("slice({}), slice={{{}[0:{}], [{}:{}]}}", base, batch > 0 ? fmt::format("[0:{}], ", batch) : "", inner, at * columns, (at + 1) * columns));
      if (chance()) wide.push_back(product(batch, x, piece, rows, columns));
    }
    for (std::int64_t i = upto(3); i > 0; --i) {
      const std::string w = parameter(dims(batch, inner, columns));
      wide.push_back(product(batch, x, w, rows, columns));
      if (chance()) wide.push_back(product(batch, parameter(dims(batch, rows, inner)), w, rows, columns));  // shares w with the last
      if (chance()) wide.push_back(product(batch, line(dims(batch, rows, inner), fmt::format("tanh({})", parameter(dims(batch, rows, inner)))), w, rows, columns));
    }
    const std::int64_t other = upto(5);  // of another width
    wider_.push_back(product(batch, x, parameter(dims(batch, inner, other)), rows, other));
    while (wide.size() < 2) wide.push_back(product(batch, x, parameter(dims(batch, inner, columns)), rows, columns));
    // Sums, some of terms that are read elsewhere too; then products of the results.
    std::string sum = wide[0];
    for (std::size_t i = 1; i < wide.size(); ++i) sum = line(dims(batch, rows, columns), fmt::format("{}({}, {})", pick({"add", "add", "add", "multiply"}), sum, wide[i]));
    outputs_.push_back({sum, dims(batch, rows, columns)});
    if (chance()) outputs_.push_back({wide.back(), dims(batch, rows, columns)});
    const std::string again = product(batch, line(dims(batch, rows, columns), fmt::format("tanh({})", sum)), parameter(dims(batch, columns, other)), rows, other);
    wider_.push_back(again);
    outputs_.push_back({line(dims(batch, rows, other), fmt::format("add({}, {})", wider_[0], wider_[1])), dims(batch, rows, other)});
    std::string names, types;
    for (const auto& [name, shape] : outputs_) {
      names += (names.empty() ? "" : ", ") + name;
      types += fmt::format("{}{}{}", types.empty() ? "" : ", ", type_, shape);
    }
    return fmt::format("HloModule m\nENTRY main {{\n{}  ROOT root = ({}) tuple({})\n}}\n", text_, types, names);
  }

 private:
  bool chance() { return random_() % 2 == 0; }
  std::int64_t upto(unsigned n) { return 1 + static_cast<std::int64_t>(random_() % n); }
  std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }
  static std::string dims(std::int64_t batch, std::int64_t a, std::int64_t b) { return batch > 0 ? fmt::format("[{},{},{}]", batch, a, b) : fmt::format("[{},{}]", a, b); }

  std::string line(const std::string& shape, const std::string& value) {
    const std::string name = fmt::format("v{}", next_++);
    text_ += fmt::format("  {} = {}{} {}\n", name, type_, shape, value);
    return name;
  }
  std::string parameter(const std::string& shape) { return line(shape, fmt::format("parameter({})", parameters_++)); }
  std::string product(std::int64_t batch, const std::string& a, const std::string& b, std::int64_t rows, std::int64_t columns) {
    const int at = batch > 0 ? 1 : 0;
    return line(dims(batch, rows, columns), fmt::format("dot({}, {}), {}lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}", a, b, batch > 0 ? "lhs_batch_dims={0}, rhs_batch_dims={0}, " : "", at + 1, at));
  }

  std::mt19937 random_;
  std::string type_, text_;
  int next_ = 0, parameters_ = 0;
  std::vector<std::string> wider_;
  std::vector<std::pair<std::string, std::string>> outputs_;
};

std::vector<graph::Value> random_inputs(const graph::Graph& graph, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<graph::Value> out;
  for (const Id<graph::Op> parameter : graph.entry_computation().parameters) {
    const graph::Shape& shape = graph.entry_computation().ops[parameter].shape;
    Array array = make_array(shape.dtype, shape.dims);
    const auto bytes = static_cast<std::size_t>(seam::bytes(shape.dtype));
    for (std::int64_t i = 0; i < array.elements(); ++i) store_from_double(shape.dtype, &array.data[static_cast<std::size_t>(i) * bytes], static_cast<double>(random() % 2001) / 1000.0 - 1);
    auto value = graph::to_value(array, shape);
    if (!value) throw std::runtime_error(describe(value.error()));
    out.push_back(*std::move(value));
  }
  return out;
}

void expect_alike(const graph::Graph& before, const graph::Graph& after, unsigned seed) {
  const std::vector<graph::Value> inputs = random_inputs(before, seed);
  const std::vector<graph::Precision> precisions = graph::output_precisions(before);
  for (const graph::Rounding rounding : {graph::Rounding::Wide, graph::Rounding::Rounded}) {
    const auto expected = graph::evaluate(before, inputs, {.rounding = rounding, .progress = {}});
    const auto actual = graph::evaluate(after, inputs, {.rounding = rounding, .progress = {}});
    ASSERT_TRUE(expected && actual);
    for (std::size_t k = 0; k < expected->elements.size(); ++k) {
      const std::vector<double>&want = expected->elements[k].numbers, &got = actual->elements[k].numbers;
      ASSERT_EQ(want.size(), got.size());
      const DType dtype = rounding == graph::Rounding::Wide ? DType::F64 : precisions[k].dtype;
      const graph::Tolerance tolerance = graph::tolerance(dtype, precisions[k].reduction_length);
      double scale = 0;
      for (const double v : want) scale = std::max(scale, std::abs(v));
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_LE(std::abs(want[i] - got[i]), tolerance.abs * scale + tolerance.rel * std::abs(want[i])) << "output " << k << " element " << i;
    }
  }
}

TEST(Merges, ValuesAreTheModules) {
  int stacked = 0, summed = 0, chosen = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const std::string text = Random(seed).graph();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    const graph::Graph before = module(text);
    const PlanOptions options = options_for("stitch");
    const stitch::Problem problem = stitch::problem_of(before, before.entry_computation(), options, false);
    // All that is lawful, whatever it costs.
    for (const auto& [found, count] : {std::pair{stacks(problem, Reach::Any), &stacked}, {stacks(problem, Reach::Level), &stacked}, {sums(problem), &summed}}) {
      graph::Graph after = before;
      const auto written = merged(before.entry_computation(), found.merges);
      if (!written) continue;
      *count += found.merges.empty() ? 0 : 1;
      after.computations[after.entry] = *written;
      const Result<void> sound = graph::verify(after);
      ASSERT_TRUE(sound) << describe(sound.error());
      expect_alike(before, after, seed);
    }
    // What the pass makes of it, rounds and prices included.
    const MergedProducts made = with_merged_products(before, options);
    chosen += std::ranges::any_of(products(made.graph), [](const graph::Op* product) { return !merged_products(*product).empty(); }) ? 1 : 0;
    expect_alike(before, made.graph, seed);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(stacked, 200);
  EXPECT_GE(summed, 50);
  EXPECT_GE(chosen, 100);
  fmt::print("400 graphs: stacks in {}, sums in {}, merged by the pass {}\n", stacked, summed, chosen);
}

}  // namespace
}  // namespace seam::planner::test
