#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "verify/check.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

/// Plays the steps: what is in memory, what was overwritten.
class StepCheck {
 public:
  StepCheck(const graph::Graph& graph, const Computation& computation, const Roles& roles, const ComputationPlan& plan)
      : graph_(graph), computation_(computation), roles_(roles), plan_(plan) {}

  Result<void> run() {
    std::vector<int> launched(plan_.groups.size(), 0);
    for (const Step& step : plan_.steps) {
      if (step.kind == StepKind::Kernel) {
        if (step.group >= plan_.groups.size()) return error("a step launches a group that is not there");
        if (launched[step.group]++ > 0) return error(fmt::format("group {} is launched twice", plan_.groups[step.group].name));
        if (const Result<void> r = kernel(plan_.groups[step.group]); !r) return r;
        continue;
      }
      if (!step.op.valid() || step.op.index() >= computation_.ops.size()) return error("a step without its op");
      const Result<void> r = step.kind == StepKind::Copy ? copy(step.op) : call(step);
      if (!r) return r;
    }
    for (std::size_t g = 0; g < launched.size(); ++g)
      if (launched[g] == 0) return error(fmt::format("group {} is never launched", plan_.groups[g].name));
    for (const Id<Op> value : roles_.returned)
      if (const Result<void> r = readable(value, "the root"); !r) return r;
    return {};
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(const std::string& what) const {
    return fail(Error::Code::BadInput, fmt::format("computation {}: {}", computation_.name, what));
  }
  [[nodiscard]] const std::string& name(Id<Op> op) const { return computation_.ops[op].name; }

  Result<void> readable(Id<Op> value, std::string_view reader) const {
    if (overwritten_.contains(value)) return error(fmt::format("{} reads {}, which was overwritten", reader, name(value)));
    const Role role = roles_.role[value];
    if (role == Role::Memory) return {};
    const Id<Op> source = role == Role::Result ? roles_.producer[value] : value;
    if (present_.contains(source)) return {};
    return error(fmt::format("{} reads {} before anything computed it", reader, name(value)));
  }

  Result<void> kernel(const FusionGroup& group) {
    const GroupBoundary edge = boundary(computation_, group);
    std::set<Id<Op>> bases;
    for (const auto& [root, input] : group.in_place) {
      const Op& op = computation_.ops[root];
      if (op.opcode != Opcode::Scatter && op.opcode != Opcode::DynamicUpdateSlice)
        return error(fmt::format("{} cannot update anything in place", op.name));
      if (!std::ranges::binary_search(edge.outputs, root)) return error(fmt::format("{} is updated in place but not an output of {}", op.name, group.name));
      if (storage_of(computation_, op.operands[0]) != input) return error(fmt::format("{} does not update {}", op.name, name(input)));
      if (filled_.contains(root)) continue;
      if (roles_.role[input] == Role::Folded) return error(fmt::format("{} updates {}, which is nowhere in memory: a copy must fill it first", op.name, name(input)));
      if (!may_overwrite(graph_, computation_, roles_, input)) return error(fmt::format("{} would overwrite {}, which is not the program's to change", op.name, name(input)));
      if (!bases.insert(input).second) return error(fmt::format("{} is updated twice by {}", name(input), group.name));
    }
    for (const Id<Op> input : edge.inputs) {
      if (std::ranges::binary_search(edge.outputs, input))
        return error(fmt::format("group {} reads {} from memory and writes it", group.name, name(input)));
      if (roles_.role[input] == Role::Folded) continue;  // the base of an update that a copy filled
      if (const Result<void> r = readable(input, group.name); !r) return r;
    }
    for (const Part& part : group.parts)
      for (const PlannedOp& planned : part.ops)
        for (std::size_t i = 0; i < computation_.ops[planned.op].operands.size(); ++i) {
          const Id<Op> storage = roles_.storage[computation_.ops[planned.op].operands[i]];
          const bool the_update = i == 0 && std::ranges::any_of(group.in_place, [&](const auto& pair) { return pair.first == planned.op; });
          if (bases.contains(storage) && !the_update) return error(fmt::format("group {} overwrites {} while {} reads it", group.name, name(storage), name(planned.op)));
        }
    for (const Id<Op> base : bases) overwritten_.insert(base);
    for (const Id<Op> output : edge.outputs)
      if (!present_.insert(output).second) return error(fmt::format("{} is computed twice", name(output)));
    return {};
  }

  Result<void> copy(Id<Op> id) {
    const Op& op = computation_.ops[id];
    if (op.opcode == Opcode::Scatter || op.opcode == Opcode::DynamicUpdateSlice) {
      const Id<Op> base = roles_.storage[op.operands[0]];
      if (roles_.role[base] != Role::Folded)
        if (const Result<void> r = readable(base, op.name); !r) return r;
      filled_.insert(id);
      return {};
    }
    if (roles_.role[id] != Role::Folded) {
      if (op.opcode != Opcode::Copy) return error(fmt::format("{} cannot be made by a copy", op.name));
      if (const Result<void> r = readable(roles_.storage[op.operands[0]], op.name); !r) return r;
    }
    present_.insert(id);
    return {};
  }

  Result<void> call(const Step& step) {
    const Op& op = computation_.ops[step.op];
    const bool loop = op.opcode == Opcode::While, branch = op.opcode == Opcode::Conditional;
    if (loop != (step.kind == StepKind::While) || branch != (step.kind == StepKind::Conditional))
      return error(fmt::format("{} is not a {} step", op.name, step.kind == StepKind::Library ? "library" : "control flow"));
    for (const Id<Op> operand : op.operands)
      for (const Id<Op> value : flattened(computation_, operand))
        if (const Result<void> r = readable(value, op.name); !r) return r;
    if (!present_.insert(step.op).second) return error(fmt::format("{} runs twice", op.name));
    return {};
  }

  const graph::Graph& graph_;
  const Computation& computation_;
  const Roles& roles_;
  const ComputationPlan& plan_;
  std::set<Id<Op>> present_, overwritten_, filled_;
};

}  // namespace

Result<void> check_steps(const graph::Graph& graph, const Computation& computation, const Roles& roles, const ComputationPlan& plan) {
  return StepCheck(graph, computation, roles, plan).run();
}

}  // namespace seam::planner
