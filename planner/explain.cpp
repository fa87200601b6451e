/// Refusals as sentences: "why are a and b not one kernel?"
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "planner/pipeline.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;

namespace {

std::string numbers_text(const Veto& veto) {
  std::string out;
  for (const auto& [key, value] : veto.numbers) out += fmt::format("{}{} {:.6g}", out.empty() ? " (" : ", ", key, value);
  return out.empty() ? out : out + ")";
}

std::string veto_text(const Veto& veto, const Computation& computation) {
  std::string ops;
  for (const Id<Op> op : veto.ops) ops += fmt::format("{}{}", ops.empty() ? "" : " + ", computation.ops[op].name);
  return fmt::format("{}: {}: {}{}\n", ops, name(veto.code), sentence(veto.code), numbers_text(veto));
}

struct Home {
  const ComputationPlan* plan = nullptr;
  Id<Op> op;
  std::string how;  ///< "{wanted} is …": what became of it, if it is `op`'s to compute now; empty if it stands as it was
};

/// Of a slice that stands for a product of the module: which product it is a part of now.
std::string slice_of_product(const Computation& computation, Id<Op> id) {
  const Op& op = computation.ops[id];
  if (op.opcode != graph::Opcode::Slice) return "";
  const Op& product = computation.ops[op.operands[0]];
  return std::ranges::count(merged_products(product), op.name) > 0 ? fmt::format("a slice of the merged product {}", product.name) : "";
}

Home find(const Plan& plan, const graph::Graph& graph, std::string_view wanted) {
  for (const ComputationPlan& one : plan.computations)
    if (const auto op = graph.computations[one.computation].find(wanted)) return {&one, *op, slice_of_product(graph.computations[one.computation], *op)};
  for (const ComputationPlan& one : plan.computations) {
    const Computation& computation = graph.computations[one.computation];
    for (std::size_t i = 0; i < computation.ops.size(); ++i)
      if (std::ranges::count(epilogue_ops(computation.ops[Id<Op>(i)]), wanted) > 0)
        return {&one, Id<Op>(i), fmt::format("computed by library call {}, in its epilogue", computation.ops[Id<Op>(i)].name)};
    for (std::size_t i = 0; i < computation.ops.size(); ++i)
      if (std::ranges::count(merged_products(computation.ops[Id<Op>(i)]), wanted) > 0)
        return {&one, Id<Op>(i), fmt::format("part of the merged product {}", computation.ops[Id<Op>(i)].name)};
  }
  return {};
}

Result<Home> home_of(const Plan& plan, const graph::Graph& graph, std::string_view wanted) {
  const Home home = find(plan, graph, wanted);
  if (home.plan == nullptr) return fail(Error::Code::NotFound, fmt::format("the planned graph has no op {}", wanted));
  return home;
}

std::vector<std::size_t> groups_with(const ComputationPlan& plan, Id<Op> op) {
  std::vector<std::size_t> out;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const bool has = std::ranges::any_of(plan.groups[g].parts, [&](const Part& part) {
      return std::ranges::any_of(part.ops, [&](const PlannedOp& planned) { return planned.op == op; });
    });
    if (has) out.push_back(g);
  }
  return out;
}

const Step* step_of(const ComputationPlan& plan, Id<Op> op) {
  const auto found = std::ranges::find_if(plan.steps, [&](const Step& s) { return s.kind != StepKind::Kernel && s.op == op; });
  return found == plan.steps.end() ? nullptr : &*found;
}

std::string where_text(const ComputationPlan& plan, const Computation& computation, Id<Op> op) {
  const std::string& called = computation.ops[op].name;
  std::string out;
  for (const std::size_t g : groups_with(plan, op)) {
    const FusionGroup& group = plan.groups[g];
    for (const Part& part : group.parts)
      for (const PlannedOp& planned : part.ops)
        if (planned.op == op)
          out += fmt::format("{} is in kernel {} (level {}), {}{}\n", called, group.name, group.level, name(planned.placement),
                             planned.output ? ", written to memory" : "");
  }
  if (!out.empty()) return out;
  if (const Step* step = step_of(plan, op); step != nullptr)
    return fmt::format("{} runs by itself (level {}): {}\n", called, step->level,
                       step->kind == StepKind::Library ? "a library call" : step->kind == StepKind::Copy ? "a copy" : "control flow");
  if (is_free(computation, computation.ops[op])) return fmt::format("{} is free: folded into whatever reads it\n", called);
  return fmt::format("{} is nowhere in the plan\n", called);
}

}  // namespace

Result<std::string> explain(const Plan& plan, const graph::Graph& graph, std::string_view a, std::string_view b) {
  SEAM_TRY(const Home first, home_of(plan, graph, a));
  const Computation& computation = graph.computations[first.plan->computation];
  const auto where = [&](const Home& home, std::string_view wanted) {
    const Computation& in = graph.computations[home.plan->computation];
    return (home.how.empty() ? "" : fmt::format("{} is {}\n", wanted, home.how)) + where_text(*home.plan, in, home.op);
  };
  std::string out = where(first, a);
  const auto vetoes = [&](Id<Op> one, Id<Op> other) {
    std::string text;
    for (const Veto& veto : plan.vetoes)
      if (veto.computation == first.plan->computation && std::ranges::count(veto.ops, one) && (!other.valid() || std::ranges::count(veto.ops, other)))
        text += veto_text(veto, computation);
    return text;
  };
  if (b.empty()) {
    const std::string found = vetoes(first.op, {});
    return out + (found.empty() ? "nothing was refused for it\n" : found);
  }
  SEAM_TRY(const Home second, home_of(plan, graph, b));
  out += where(second, b);
  if (second.plan != first.plan) {
    return out + fmt::format("they are not one kernel: {}\n", sentence(VetoCode::ControlFlow));
  }
  const std::vector<std::size_t> mine = groups_with(*first.plan, first.op), theirs = groups_with(*first.plan, second.op);
  for (const std::size_t g : mine)
    if (std::ranges::count(theirs, g)) return out + fmt::format("they share kernel {}\n", first.plan->groups[g].name);
  const std::string found = vetoes(first.op, second.op);
  if (!found.empty()) return out + found;
  // What is in no kernel says above where it is; a call that stands alone is no roof between the two.
  for (const auto& [groups, op] : {std::pair{&mine, first.op}, {&theirs, second.op}}) {
    if (groups->empty()) return out + fmt::format("they are not one kernel: {} is in none\n", computation.ops[op].name);
  }
  if (first.plan->groups[mine.front()].level != first.plan->groups[theirs.front()].level)
    return out + fmt::format("they are not one kernel: {}\n", sentence(VetoCode::LibraryCall));
  const std::string either = vetoes(first.op, {}) + vetoes(second.op, {});
  return out + (either.empty() ? fmt::format("they are not one kernel: {}\n", sentence(VetoCode::NoLink)) : either);
}

std::string explain_all(const Plan& plan, const graph::Graph& graph) {
  std::map<VetoCode, std::vector<const Veto*>> by_code;
  for (const Veto& veto : plan.vetoes) by_code[veto.code].push_back(&veto);
  std::string out;
  for (const auto& [code, list] : by_code) {
    out += fmt::format("{} ({}): {}\n", name(code), list.size(), sentence(code));
    for (const Veto* veto : list) {
      const Computation& computation = graph.computations[veto->computation];
      std::string ops;
      for (const Id<Op> op : veto->ops) ops += fmt::format("{}{}", ops.empty() ? "" : " + ", computation.ops[op].name);
      out += fmt::format("  {}: {}{}\n", computation.name, ops, numbers_text(*veto));
    }
  }
  return out.empty() ? "nothing was refused\n" : out;
}

}  // namespace seam::planner
