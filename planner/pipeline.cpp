#include "planner/pipeline.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "graph/text.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "layout/layouts.h"
#include "planner/layouts.h"
#include "policy/policy.h"
#include "prepare/epilogues.h"
#include "prepare/merges.h"
#include "prepare/own_state.h"
#include "prepare/row_sums.h"
#include "prepare/simplify.h"

namespace seam::planner {

namespace {

/// Longer loops stay loops: their copies would only make the program long.
constexpr std::int64_t kMostUnrolled = 1024;

Planning with_graph(const Planning& from, graph::Graph graph) { return {std::move(graph), from.options, from.plan, from.planned, from.refused}; }

Result<Planning> inline_calls(const Planning& p) { return with_graph(p, graph::inline_calls(p.graph, true)); }

Result<Planning> choose_layouts(const Planning& p) { return with_graph(p, graph::with_row_major_values(p.graph)); }

Result<Planning> unroll_loops(const Planning& p) {
  if (!p.options.unroll_loops) return p;
  SEAM_TRY(graph::Graph unrolled, graph::unrolled(p.graph, kMostUnrolled));
  return with_graph(p, std::move(unrolled));
}

/// Each rewrite may open work for the others: until nothing changes, within reason.
Result<Planning> simplify(const Planning& p) {
  constexpr int kMostRounds = 8;
  graph::Graph graph = p.graph;
  for (int round = 0; round < kMostRounds; ++round) {
    graph::Graph next = graph::without_dead_code(graph::without_duplicates(graph::without_dead_code(simplified(graph))));
    const bool settled = next == graph;
    graph = std::move(next);
    if (settled) break;
  }
  return with_graph(p, std::move(graph));
}

Result<Planning> sum_rows(const Planning& p) {
  const Policy* policy = policy_named(p.options.policy);
  return policy != nullptr && policy->row_sums ? with_graph(p, with_row_sums(p.graph)) : Result<Planning>(p);
}

Result<Planning> merge_products(const Planning& p) {
  const Policy* policy = policy_named(p.options.policy);
  if (!p.options.merge_products || policy == nullptr || !policy->merges) return p;
  MergedProducts merged = with_merged_products(p.graph, p.options);
  Planning next = with_graph(p, std::move(merged.graph));
  next.refused = std::move(merged.refused);
  return next;
}

Result<Planning> lay_out(const Planning& p) {
  if (p.options.layouts == Layouts::AsWritten) return p;
  const Policy* policy = policy_named(p.options.policy);
  if (policy == nullptr) return p;
  Planning next = p;
  // Who calls a product the library's is the policy (make_plan.cpp); what the library calls read must lie as it takes it.
  PlanOptions own = p.options;
  own.emit_small_dots = own.emit_small_dots && policy->small_dots;
  // Other people's rules know no choice.
  if (!policy->layouts) {
    next.options.layouts = Layouts::RowMajor;
    next.options.orders = LayoutOrders{};
  } else if (!next.options.orders) {
    next.options.orders = p.options.layouts == Layouts::Chosen ? choose_layouts(p.graph, own, *modelled_layout_costs(own.device)).orders : LayoutOrders{};
  }
  SEAM_TRY(next.graph, layout::with_orders(p.graph, own, *next.options.orders));
  return next;
}

Result<Planning> library_epilogues(const Planning& p) {
  const Policy* policy = policy_named(p.options.policy);
  if (!p.options.library_epilogues || policy == nullptr || !policy->epilogues) return p;
  return with_graph(p, graph::without_dead_code(with_library_epilogues(p.graph, p.options)));
}

Result<Planning> own_state(const Planning& p) { return with_graph(p, with_owned_state(p.graph)); }

/// Refusals of earlier passes about ops that are still there.
std::vector<Veto> vetoes_of(const std::vector<EarlyVeto>& refused, const graph::Graph& graph) {
  std::vector<Veto> out;
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    const Id<graph::Computation> id(c);
    std::map<std::string_view, Id<graph::Op>> ids;
    for (const EarlyVeto& one : refused) {
      if (one.computation != graph.computations[id].name) continue;
      if (ids.empty())
        for (std::size_t i = 0; i < graph.computations[id].ops.size(); ++i) ids[graph.computations[id].ops[Id<graph::Op>(i)].name] = Id<graph::Op>(i);
      Veto veto{one.code, id, {}, one.numbers};
      for (const std::string& name : one.ops)
        if (const auto found = ids.find(name); found != ids.end()) veto.ops.push_back(found->second);
      if (veto.ops.size() == one.ops.size() && std::ranges::find(out, veto) == out.end()) out.push_back(std::move(veto));
    }
  }
  return out;
}

Result<Planning> group(const Planning& p) {
  Planning next = p;
  SEAM_TRY(next.plan, make_plan(p.graph, p.options));
  std::ranges::move(vetoes_of(p.refused, p.graph), std::back_inserter(next.plan.vetoes));
  next.planned = true;
  return next;
}

// Order: calls first, because everything after sees across them; loops before simplifying, because their bodies' copies share
// constants and duplicates; merges on the products that are left, before their results are tied to epilogues; epilogues once products are what they stay; copies of state after simplifying, which would merge them; grouping last, on the graph that codegen
// and the runner will use too.
constexpr std::array kPasses = {
    Pass<Planning>{"inline-calls", "calls and fusions replaced by what they compute", inline_calls},
    Pass<Planning>{"row-major", "every value row-major, where no bitcast depends on another layout", choose_layouts},
    Pass<Planning>{"unroll-loops", "loops of known length replaced by copies of their body (only with --unroll)", unroll_loops},
    Pass<Planning>{"simplify", "dead ops, duplicates, ops that change nothing, transposes that a dot can absorb", simplify},
    Pass<Planning>{"row-sums", "sums over everything of values made row by row: each row first (policy stitch)", sum_rows},
    Pass<Planning>{"merge-products", "products that share a factor, and sums of products, become one library call where that is faster (policy stitch)", merge_products},
    Pass<Planning>{"layouts", "dims of values in the orders that were chosen; copies for products that could not read them as they lie", lay_out},
    Pass<Planning>{"library-epilogues", "products that stay library calls take over scales, biases, sums and ReLU that follow them (policy stitch)", library_epilogues},
    Pass<Planning>{"own-state", "loops and branches get buffers of their own for what they update in place", own_state},
    Pass<Planning>{"group", "ops grouped into kernels by the policy; order, copies, floors and estimates", group},
};

}  // namespace

std::span<const Pass<Planning>> pipeline() { return kPasses; }

std::string print(const Planning& planning) {
  return planning.planned ? print_plan(planning.plan, planning.graph) : graph::print_graph(planning.graph);
}

Result<void> verify(const Planning& planning) {
  if (planning.planned) return verify(planning.plan, planning.graph, planning.options.device);
  return graph::verify(planning.graph);
}

Result<PassRun<Planning>> run_pipeline(const graph::Graph& graph, const PlanOptions& options, const PassOptions& passes) {
  return run_passes<Planning>(pipeline(), Planning{graph, options, {}, false}, passes, [](const Planning& p) { return print(p); },
                              [](const Planning& p) { return verify(p); });
}

Result<graph::Graph> before_layouts(const graph::Graph& module, const PlanOptions& options) {
  PassOptions passes;
  passes.stop_after = "merge-products";
  passes.verify_each = false;
  SEAM_TRY(PassRun<Planning> run, run_pipeline(module, options, passes));
  return std::move(run.ir.graph);
}

Result<Planning> plan_from_layouts(const graph::Graph& ready, const PlanOptions& options) {
  PassOptions passes;
  passes.verify_each = false;
  for (const Pass<Planning>& pass : kPasses) {
    if (pass.name == "layouts") break;
    passes.skip.emplace_back(pass.name);
  }
  SEAM_TRY(PassRun<Planning> run, run_pipeline(ready, options, passes));
  return std::move(run.ir);
}

Result<Planning> plan_module(const graph::Graph& module, const PlanOptions& options) {
  PassOptions passes;
  passes.verify_each = false;
  SEAM_TRY(PassRun<Planning> run, run_pipeline(module, options, passes));
  // A plan that reads what nothing computes must not get as far as its kernels, which prove one by one.
  SEAM_DO(during("verifying the plan that was made", verify(run.ir)));
  return std::move(run.ir);
}

Result<graph::Graph> prepared(const graph::Graph& graph, const PlanOptions& options) {
  PassOptions passes;
  passes.skip = {"group"};
  passes.verify_each = false;
  SEAM_TRY(PassRun<Planning> run, run_pipeline(graph, options, passes));
  return std::move(run.ir.graph);
}

std::vector<PolicyInfo> policy_list() {
  std::vector<PolicyInfo> out;
  for (const Policy& policy : policies()) out.push_back({policy.name, policy.what, policy.layouts});
  return out;
}

}  // namespace seam::planner
