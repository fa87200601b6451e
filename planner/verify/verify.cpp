/// Legality of a whole plan, whoever wrote it. It shares nothing with the policies but the meaning of schedules.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "text/lexer.h"
#include "verify/check.h"

namespace seam::planner {

namespace {

bool identifier(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Result<void> check_group(const graph::Graph& graph, const graph::Computation& computation, const Roles& roles, const FusionGroup& group,
                         std::int64_t limit) {
  const auto error = [&](std::string_view what) {
    return fail(Error::Code::BadInput, fmt::format("group {}: {}", group.name, what));
  };
  if (group.threads < 1 || group.threads > 1024 || group.threads % 32 != 0) return error("threads are a multiple of 32 up to 1024");
  if (group.parts.empty()) return error("a group without parts");
  if (group.blocks() > INT32_MAX) return error("more blocks than a grid may have");
  std::set<Id<graph::Op>> written;
  for (const Part& part : group.parts) {
    for (const PlannedOp& planned : part.ops)
      if (planned.output && !written.insert(planned.op).second)
        return error(fmt::format("two parts write {}", computation.ops[planned.op].name));
    if (const Result<void> r = check_part(graph, computation, roles, group, part, limit); !r) return r;
  }
  return {};
}

}  // namespace

Result<void> verify(const Plan& plan, const graph::Graph& graph, const Device& device) {
  std::int64_t cap = 0;
  if (const auto found = plan.options.find("shared-cap"); found != plan.options.end())
    cap = text::to_integer(found->second).value_or(0);
  PlanOptions options;
  options.policy = plan.policy;
  options.device = device;
  options.emit_small_dots = true;
  std::set<std::string> names;
  std::set<Id<graph::Computation>> planned;
  for (const ComputationPlan& one : plan.computations) {
    if (!one.computation.valid() || one.computation.index() >= graph.computations.size())
      return fail(Error::Code::BadInput, "the plan speaks of a computation that the graph does not have");
    const graph::Computation& computation = graph.computations[one.computation];
    if (!planned.insert(one.computation).second)
      return fail(Error::Code::BadInput, fmt::format("computation {} is planned twice", computation.name));
    Roles roles = roles_of(graph, computation, options);
    // A dot that could be emitted may be left to the library all the same.
    for (const Step& step : one.steps)
      if (step.kind == StepKind::Library && step.op.valid() && step.op.index() < computation.ops.size()) {
        roles.role[step.op] = Role::Library;
        roles.producer[step.op] = step.op;
      }
    for (const FusionGroup& group : one.groups) {
      if (!identifier(group.name)) return fail(Error::Code::BadInput, fmt::format("{} is not a kernel's name", group.name));
      if (!names.insert(group.name).second) return fail(Error::Code::BadInput, fmt::format("two groups are named {}", group.name));
      if (const Result<void> r = check_group(graph, computation, roles, group, shared_limit(device, cap)); !r) return r;
    }
    if (const Result<void> r = check_steps(graph, computation, roles, one); !r) return r;
  }
  if (!planned.contains(graph.entry)) return fail(Error::Code::BadInput, "the plan does not say how the entry computation runs");
  return {};
}

}  // namespace seam::planner
