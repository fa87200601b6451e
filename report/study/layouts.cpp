// Groups cut out of the layer, their borders in every order, planned in every order of their walk; counted together, then proven.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>

#include "base/parallel.h"
#include "codegen/prove.h"
#include "graph/piece.h"
#include "graph/transform.h"
#include "planner/layouts.h"
#include "report/layout_study.h"

namespace seam::report {

using graph::Graph;
using graph::Op;
using graph::Order;

namespace {

struct Published {
  const char *name, *kernel, *letters;
  std::int64_t configurations;
  double spread;
  const char* choice;
};
/// Sweeps (perf_*.txt) and the selection for batch 8, sequence 512 of spcl/substation.
constexpr std::array kGroups = {
    Published{"softmax", "SM", "HBJK", 576, 235, "HBJK"},
    Published{"bias-relu-dropout", "BAD", "BJU", 36, 72, "UBJ"},
    Published{"bias-dropout-residual-layer-norm", "BDRLN1", "BJI", 216, 45, "IBJ"},
};

std::string spelled(const Order& order, std::string_view letters) {
  std::string out;
  for (const std::int64_t dim : order) out += letters[static_cast<std::size_t>(dim)];
  return out;
}

std::vector<Order> permutations(std::int64_t rank) {
  std::vector<Order> out;
  Order order = graph::row_major_order(rank);
  do out.push_back(order);
  while (std::ranges::next_permutation(order).found);
  return out;
}

/// Ops whose op_name has the kernel as a scope.
std::vector<Id<Op>> ops_of(const graph::Computation& computation, std::string_view kernel) {
  std::vector<Id<Op>> out;
  for (std::size_t i = 0; i < computation.ops.size(); ++i)
    if (computation.ops[Id<Op>(i)].metadata.op_name.find(fmt::format("/{}/", kernel)) != std::string::npos) out.emplace_back(i);
  return out;
}

/// Every wide value inside the border walked in `order`.
planner::LayoutOrders walked_in(const Graph& ready, std::int64_t rank, const Order& order) {
  planner::LayoutOrders out;
  const Graph own = graph::with_own_broadcasts(ready);
  const graph::Computation& computation = own.entry_computation();
  const std::vector<Id<Op>>& returned = computation.ops[computation.root].operands;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    if (!graph::may_reorder(op) || op.shape.rank() != rank || graph::is_row_major(order)) continue;
    const bool leaves = op.opcode == graph::Opcode::Transpose && std::ranges::find(returned, Id<Op>(i)) != returned.end();
    if (!leaves) out[computation.name][op.name] = order;
  }
  return out;
}

struct Tried {
  std::size_t group = 0, configuration = 0;
  std::string walked;
  planner::Planning planning;
};

/// All configurations of a group, and a plan for each order that one of its border's values has.
Result<void> try_all(const Graph& layer, const Published& published, std::size_t number, const LayoutStudyRequest& request, const planner::PlanOptions& options, LayoutGroup& group,
                     std::vector<Tried>& tried) {
  const Graph piece = graph::piece_of(layer, layer.entry_computation(), ops_of(layer.entry_computation(), published.kernel), published.name);
  const graph::Computation& computation = piece.entry_computation();
  const auto rank = static_cast<std::int64_t>(std::string_view(published.letters).size());
  std::vector<std::size_t> wide;
  for (std::size_t k = 0; k < computation.parameters.size(); ++k) {
    const Op& parameter = computation.ops[computation.parameters[k]];
    if (parameter.shape.rank() != rank) continue;
    wide.push_back(k);
    group.operands.push_back(parameter.name);
  }
  if (wide.empty()) return fail(Error::Code::Unsupported, fmt::format("this is not the layer of the study: it has no kernel {}", published.kernel));
  const std::vector<Id<Op>>& results = computation.ops[computation.root].operands;
  const std::vector<Order> orders = permutations(rank);
  std::vector<std::size_t> choice(wide.size() + 1, 0);
  for (std::int64_t n = 0;; ++n) {
    if (n % request.every == 0) {
      std::vector<Order> in(computation.parameters.size()), out(results.size());
      std::set<Order> walks;
      LayoutConfiguration one;
      for (std::size_t w = 0; w < wide.size(); ++w) {
        in[wide[w]] = orders[choice[w]];
        walks.insert(orders[choice[w]]);
        one.operands.push_back(spelled(orders[choice[w]], published.letters));
      }
      for (std::size_t k = 0; k < results.size(); ++k)
        if (computation.ops[results[k]].shape.rank() == rank) out[k] = orders[choice.back()];
      walks.insert(orders[choice.back()]);
      one.results = spelled(orders[choice.back()], published.letters);
      const Graph bordered = graph::with_border(piece, in, out);
      SEAM_TRY(const Graph ready, planner::before_layouts(bordered, options));
      for (const Order& walk : walks) {
        planner::PlanOptions own = options;
        own.layouts = planner::Layouts::Chosen;
        own.orders = walked_in(ready, rank, walk);
        SEAM_TRY(planner::Planning planning, planner::plan_from_layouts(ready, own));
        tried.push_back({number, group.configurations.size(), spelled(walk, published.letters), std::move(planning)});
      }
      group.configurations.push_back(std::move(one));
    }
    std::size_t c = choice.size();
    while (c > 0 && ++choice[c - 1] == orders.size()) choice[--c] = 0;
    if (c == 0) return {};
  }
}

/// Few instructions per kernel: there are hundreds, and what differs between them are indices.
codegen::ProveOptions proving() { return {.instruction_budget = 4'000'000, .reference_budget = 2'000'000, .input_sets = 2}; }

void prove(const planner::Planning& planning, const Device& device, const codegen::Compiler& compiler, LayoutConfiguration& one) {
  const auto verdicts = [&]() -> Result<std::vector<codegen::Verdict>> {
    SEAM_TRY(const codegen::Program program, codegen::build(planning.graph, planning.plan, device, compiler, {}, 1));
    return codegen::prove_all(program, proving(), {}, 1);
  }();
  one.proof = codegen::Outcome::Passed;
  if (!verdicts) {
    one.proof = codegen::Outcome::Inconclusive;
    one.why_not_proven = describe(verdicts.error());
    return;
  }
  for (const codegen::Verdict& verdict : *verdicts) {
    if (verdict.outcome() == codegen::Outcome::Passed) continue;
    one.proof = verdict.outcome();
    for (const codegen::Tier* tier : {&verdict.ir, &verdict.sim, &verdict.values})
      if (tier->outcome != codegen::Outcome::Passed) one.why_not_proven = tier->detail;
  }
}

}  // namespace

Result<LayoutStudy> layout_study(const Graph& layer, const LayoutStudyRequest& request, const codegen::Meter& meter, const codegen::Compiler& compiler,
                                 const std::function<codegen::Progress(std::string_view stage)>& stage) {
  LayoutStudy study{request.batch, request.sequence, std::string(meter.device().name), {}};
  SEAM_TRY(const Graph sized, during(fmt::format("giving the layer batch {} and sequence {}", request.batch, request.sequence), graph::with_extents(layer, {{8, request.batch}, {512, request.sequence}})));
  planner::PlanOptions options;
  options.device = meter.device();
  std::vector<Tried> tried;
  for (const Published& published : kGroups) {
    if (!request.only.empty() && request.only != published.name) continue;
    LayoutGroup group{published.name, published.kernel, published.letters, {}, {}, published.configurations, published.spread, published.choice};
    SEAM_DO(try_all(sized, published, study.groups.size(), request, options, group, tried));
    study.groups.push_back(std::move(group));
  }
  if (study.groups.empty()) return fail(Error::Code::BadInput, fmt::format("there is no group '{}'; there are softmax, bias-relu-dropout and bias-dropout-residual-layer-norm", request.only));
  std::vector<const planner::Planning*> plans;
  for (const Tried& one : tried) plans.push_back(&one.planning);
  SEAM_TRY(const std::vector<codegen::Meter::Measured> measured, meter.measure(plans, stage ? stage("counting configurations") : codegen::Progress{}));
  std::map<std::pair<std::size_t, std::size_t>, const Tried*> best;
  for (std::size_t t = 0; t < tried.size(); ++t) {
    LayoutConfiguration& one = study.groups[tried[t].group].configurations[tried[t].configuration];
    const double us = codegen::time_us(tried[t].planning, measured[t], meter.device());
    const Tried*& fastest = best[{tried[t].group, tried[t].configuration}];
    if (fastest != nullptr && us >= one.us) continue;
    fastest = &tried[t];
    one.us = us;
    one.walked = tried[t].walked;
    one.kernels = std::ssize(measured[t].kernels);
    one.sectors = one.dram_bytes = 0;
    for (const db::Cost& kernel : measured[t].kernels) one.sectors += kernel.sectors, one.dram_bytes += kernel.dram_bytes;
  }
  if (!request.prove) return study;
  std::vector<std::pair<LayoutConfiguration*, const Tried*>> proofs;
  for (const auto& [where, fastest] : best) proofs.emplace_back(&study.groups[where.first].configurations[where.second], fastest);
  const codegen::Progress progress = stage ? stage("proving configurations") : codegen::Progress{};
  std::atomic<std::size_t> done{0};
  parallel_for(proofs.size(), 0, [&](std::size_t i) {
    prove(proofs[i].second->planning, meter.device(), compiler, *proofs[i].first);
    if (progress) progress(++done, proofs.size());
  });
  return study;
}

}  // namespace seam::report
