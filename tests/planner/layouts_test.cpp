// Layouts chosen, stated and read back.
#include "planner/layouts.h"

#include <set>

#include "facts/roles.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "layout/network.h"
#include "support.h"

namespace seam::planner::test {
namespace {

PlanOptions with_layouts(Layouts layouts) {
  PlanOptions options = options_for("stitch");
  options.layouts = layouts;
  return options;
}

Planning plan(const graph::Graph& graph, const PlanOptions& options) {
  Result<Planning> out = plan_module(graph, options);
  if (!out) throw std::runtime_error(describe(out.error()));
  return *std::move(out);
}

// softmax(q·kᵀ)·v as attention writes it: heads are split off by transposes.
constexpr std::string_view kHeads = R"(HloModule heads
ENTRY main {
  x = f16[8,512,1024] parameter(0)
  w = f16[1024,1024] parameter(1)
  o = f16[1024,1024] parameter(2)
  p = f16[8,512,1024] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  r = f16[8,512,16,64] reshape(p)
  t = f16[8,16,512,64] transpose(r), dimensions={0,2,1,3}
  s = f16[8,16,512,512] dot(t, t), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
  e = f16[8,16,512,512] tanh(s)
  c = f16[8,16,512,64] dot(e, t), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}
  b = f16[8,512,16,64] transpose(c), dimensions={0,2,1,3}
  f = f16[8,512,1024] reshape(b)
  ROOT y = f16[8,512,1024] dot(f, o), lhs_contracting_dims={2}, rhs_contracting_dims={0}
})";

TEST(ChooseLayouts, HeadsAreNotMoved) {
  const graph::Graph graph = module(kHeads);
  const Planning before = plan(graph, with_layouts(Layouts::RowMajor)), after = plan(graph, with_layouts(Layouts::Chosen));
  EXPECT_EQ(before.plan.totals.kernels, 3);
  // The transposes are gone; tanh stays.
  EXPECT_EQ(after.plan.totals.kernels, 1);
  EXPECT_EQ(after.plan.totals.library_calls, before.plan.totals.library_calls);
  EXPECT_FALSE(after.plan.layouts.empty());

  const graph::Graph ready = before_layouts(graph, after.options).value();
  const auto costs = modelled_layout_costs(after.options.device);
  const std::vector<LayoutReason> reasons = layout_reasons(ready, after.options, after.plan.layouts, *costs);
  ASSERT_FALSE(reasons.empty());
  double most = 0;
  for (const LayoutReason& reason : reasons) most = std::max(most, reason.saved_us);
  EXPECT_GT(most, 5);

  std::set<std::string> bad;
  for (const BadLayout& one : bad_layouts(ready, after.options, after.plan.layouts, *costs)) bad.insert(one.op);
  EXPECT_TRUE(bad.contains("t") && bad.contains("b")) << "both transposes could go";
}

TEST(ChooseLayouts, ProductsThatDoNotFitGetCopies) {
  // A contraction over dims that do not lie together.
  const graph::Graph graph = module(R"(HloModule torn
ENTRY main {
  x = f16[16,4096,64] parameter(0)
  w = f16[16,64,1024] parameter(1)
  ROOT y = f16[4096,1024] dot(x, w), lhs_contracting_dims={0,2}, rhs_contracting_dims={0,1}
})");
  EXPECT_EQ(plan(graph, with_layouts(Layouts::AsWritten)).plan.totals.kernels, 0);
  EXPECT_EQ(plan(graph, with_layouts(Layouts::RowMajor)).plan.totals.kernels, 1) << "the library cannot read x as it lies";
}

TEST(ChooseLayouts, NeverCostsMoreThanLeavingSetsUnmovedAndSaysItsBound) {
  for (const auto& file : xla_modules()) {
    const graph::Graph graph = module(slurp(file));
    const PlanOptions options = with_layouts(Layouts::Chosen);
    const graph::Graph ready = before_layouts(graph, options).value();
    const LayoutChoice choice = choose_layouts(ready, options, *modelled_layout_costs(options.device));
    EXPECT_LE(choice.cost_us, choice.unmoved_us + 1e-6) << file;
    EXPECT_LE(choice.lower_bound_us, choice.cost_us + 1e-6) << file;
    const Planning planning = plan(graph, options);
    const Result<void> sound = graph::verify(planning.graph);
    EXPECT_TRUE(sound) << file << ": " << describe(sound.error());
    const Result<void> legal = verify(planning.plan, planning.graph, options.device);
    EXPECT_TRUE(legal) << file << ": " << describe(legal.error());
  }
}

TEST(ChooseLayouts, PlansSayThemAndAreReadBack) {
  const graph::Graph graph = module(kHeads);
  const Planning made = plan(graph, with_layouts(Layouts::Chosen));
  const std::string text = print_plan(made.plan, made.graph);
  EXPECT_NE(text.find("\nlayout "), std::string::npos);
  const PlanOptions stated = stated_options(text, options_for("stitch"));
  EXPECT_EQ(stated.layouts, Layouts::Chosen);
  EXPECT_EQ(stated.orders, made.plan.layouts);
  const graph::Graph again = prepared(graph, stated).value();
  EXPECT_EQ(graph::print_graph(again), graph::print_graph(made.graph));
  EXPECT_EQ(parse_plan(text, "p", again).value(), made.plan);
}

TEST(ChooseLayouts, OrdersThatDoNotFitAreRefused) {
  const graph::Graph graph = module(kHeads);
  const auto refusal = [&](const LayoutOrders& orders) {
    PlanOptions options = with_layouts(Layouts::Chosen);
    options.orders = orders;
    const Result<Planning> planning = plan_module(graph, options);
    return planning ? std::string() : describe(planning.error());
  };
  EXPECT_NE(refusal({{"nowhere", {}}}).find("computation nowhere"), std::string::npos);
  EXPECT_NE(refusal({{"main", {{"nobody", {1, 0}}}}}).find("no such op"), std::string::npos);
  EXPECT_NE(refusal({{"main", {{"x", {1, 0, 2}}}}}).find("parameter stay"), std::string::npos);
  EXPECT_NE(refusal({{"main", {{"p", {1, 0}}}}}).find("3 dims"), std::string::npos);
  EXPECT_EQ(refusal({{"main", {{"p", {1, 0, 2}}}}}), "");
}

/// A set moves as a whole, but a transpose inside it may as well move its value: no set is moved at a loss.
TEST(ChooseLayouts, NoSetIsMovedAtALoss) {
  std::vector<graph::Graph> graphs = {module(R"(HloModule loss
ENTRY main {
  p = f32[1024,512,64] parameter(0)
  a = f32[1024,512,64] maximum(p, p)
  t = f32[64,512,1024] transpose(a), dimensions={2,1,0}
  b = f32[64,512,1024] abs(t)
  ROOT root = (f32[64,512,1024], f32[64,512,1024]) tuple(b, t)
})")};
  for (const auto& file : xla_modules()) graphs.push_back(module(slurp(file)));
  const PlanOptions options = with_layouts(Layouts::Chosen);
  for (const graph::Graph& graph : graphs) {
    const graph::Graph ready = before_layouts(graph, options).value();
    const auto costs = modelled_layout_costs(options.device);
    for (const LayoutReason& reason : layout_reasons(ready, options, choose_layouts(ready, options, *costs).orders, *costs)) EXPECT_GE(reason.saved_us, -1e-5) << graph.name << ": " << reason.values.front().name;
  }
}

// 120 orders of each value in one table would be 1.7 million prices for one product.
TEST(ChooseLayouts, ValuesOfManyDimsDoNotMakeTablesExplode) {
  const graph::Graph graph = module(R"(HloModule five
ENTRY main {
  x = f16[4,8,4,256,64] parameter(0)
  y = f16[4,8,4,256,64] parameter(1)
  a = f16[4,8,4,256,64] exponential(x)
  b = f16[4,8,4,256,64] exponential(y)
  d = f16[4,8,4,256,256] dot(a, b), lhs_batch_dims={0,1,2}, lhs_contracting_dims={4}, rhs_batch_dims={0,1,2}, rhs_contracting_dims={4}
  e = f16[4,8,4,256,256] exponential(d)
  ROOT f = f16[4,8,4,256,64] dot(e, b), lhs_batch_dims={0,1,2}, lhs_contracting_dims={4}, rhs_batch_dims={0,1,2}, rhs_contracting_dims={3}
})");
  const PlanOptions options = with_layouts(Layouts::Chosen);
  const graph::Computation& entry = graph.computations[graph.entry];
  const layout::LayoutNetwork network = layout::network_of(entry, roles_of(graph, entry, options), *modelled_layout_costs(options.device));
  EXPECT_FALSE(network.network.factors.empty());
  for (const layout::Factor& factor : network.network.factors) EXPECT_LE(factor.cost.size(), 20'000U);
}

TEST(Crossing, KeepsOnlyWhatMoves) {
  EXPECT_TRUE(crossing(DType::F16, {8, 512, 64}, {0, 1, 2}, {0, 1, 2}).straight());
  const Crossing outer = crossing(DType::F16, {8, 512, 16, 64}, {0, 1, 2, 3}, {1, 0, 2, 3});
  EXPECT_EQ(outer.extents, (std::vector<std::int64_t>{8, 512, 1024}));
  EXPECT_EQ(outer.lies, (graph::Order{1, 0, 2}));
  EXPECT_TRUE(crossing(DType::F16, {1, 512, 1, 64}, {0, 1, 2, 3}, {2, 0, 1, 3}).straight()) << "dims of one element lie anywhere";
}

}  // namespace
}  // namespace seam::planner::test
