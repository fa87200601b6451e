#include "validate/operands.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "codegen/inputs.h"
#include "planner/plan.h"
#include "validate/demand.h"

namespace seam::codegen {
namespace {

const planner::ComputationPlan& plan_of(const Program& program, const Built& built) { return program.plan->computations[built.computation]; }

const graph::Computation& computation_of(const Program& program, const Built& built) { return program.graph->computations[plan_of(program, built).computation]; }

}  // namespace

namespace {

/// What an update starts from is memory, but the same kernel may compute it as well, or know it (a constant that is spread): then it is what that gives.
/// Nothing if it is too large to be evaluated, or cannot be.
std::optional<Array> computed(const Program& program, const Built& built, const Operands& made, Id<graph::Op> base) {
  constexpr std::int64_t kMost = 1 << 22;
  const graph::Computation& computation = computation_of(program, built);
  const planner::FusionGroup& group = plan_of(program, built).groups[built.group];
  const bool inside = std::ranges::any_of(group.parts, [&](const planner::Part& part) {
    return std::ranges::any_of(part.ops, [&](const planner::PlannedOp& planned) { return planned.op == base && planned.placement == planner::Placement::Inline; });
  });
  const graph::Shape& shape = computation.ops[base].shape;
  if ((!inside && !planner::folded(computation, base)) || shape.elements_count() > kMost) return std::nullopt;
  std::map<Id<graph::Op>, const Array*> inputs;
  for (const auto& [op, array] : made.host) inputs[op] = array.get();
  Indices all(static_cast<std::size_t>(shape.elements_count()));
  std::iota(all.begin(), all.end(), 0);
  const auto values = Demand(*program.graph, computation, inputs).values(base, all, graph::Rounding::Rounded);
  if (!values) return std::nullopt;
  Array out = make_array(shape.dtype, shape.dims);
  const auto width = static_cast<std::size_t>(bytes(shape.dtype));
  for (std::size_t i = 0; i < all.size(); ++i)
    store_from_double(shape.dtype, &out.data[i * width], values->numbers.empty() ? static_cast<double>(values->integers[i]) : values->numbers[i]);
  return out;
}

}  // namespace

Operands seeded_operands(const Program& program, const Built& built, int set) {
  const graph::Computation& computation = computation_of(program, built);
  Operands made;
  const auto [low, high] = integer_range(computation, plan_of(program, built).groups[built.group]);
  std::uint64_t number = 0;
  const auto array_of = [&, low = low, high = high](Id<graph::Op> op) -> const Array& {
    std::unique_ptr<Array>& array = made.host[planner::storage_of(computation, op)];
    if (!array) {
      const graph::Shape& shape = computation.ops[op].shape;
      array = std::make_unique<Array>(random_array(shape.dtype, shape.dims, input_distribution(set), input_seed(set, ++number), low, high));
      const graph::Op& stored = computation.ops[planner::storage_of(computation, op)];
      if (stored.opcode == graph::Opcode::Constant && stored.attributes.literal.known) array->data = stored.attributes.literal.value.data;
    }
    return *array;
  };
  const auto fill = [&](std::uint64_t address, const Array& array) {
    std::ranges::copy(array.data, made.memory.bytes(address).begin());
    made.memory.set_initialized(address, true);
  };
  for (const Argument& argument : built.source.arguments) {
    if (argument.workspace_bytes > 0) {
      const std::uint64_t address = made.memory.allocate(argument.workspace_bytes, argument.name);
      made.memory.set_initialized(address, true);
      made.addresses.push_back(address);
      continue;
    }
    const std::uint64_t address = made.memory.allocate(argument.elements * bytes(argument.dtype), argument.name);
    if (!argument.output) {
      fill(address, array_of(argument.op));
      made.memory.set_read_only(address, true);
    } else if (argument.updated) {
      fill(address, array_of(argument.aliases));
    }
    made.addresses.push_back(address);
  }
  // What the kernel found a way not to read has a value all the same: the reference asks for it.
  for (const Id<graph::Op> input : planner::boundary(computation, plan_of(program, built).groups[built.group]).inputs)
    if (!computation.ops[input].shape.is_tuple) (void)array_of(input);
  for (std::size_t i = 0; i < built.source.arguments.size(); ++i) {
    const Argument& argument = built.source.arguments[i];
    if (!argument.updated) continue;
    const Id<graph::Op> base = planner::storage_of(computation, argument.aliases);
    std::unique_ptr<Array> seeded = std::move(made.host[base]);
    made.host.erase(base);
    if (auto known = computed(program, built, made, base)) {
      *seeded = *std::move(known);
      fill(made.addresses[i], *seeded);
    }
    made.host[base] = std::move(seeded);
  }
  return made;
}

void start_over(const Program& program, const Built& built, Operands& operands) {
  const graph::Computation& computation = computation_of(program, built);
  for (std::size_t i = 0; i < built.source.arguments.size(); ++i) {
    const Argument& argument = built.source.arguments[i];
    if (argument.workspace_bytes > 0) {
      std::ranges::fill(operands.memory.bytes(operands.addresses[i]), std::byte{0});
      operands.memory.set_initialized(operands.addresses[i], true);
    } else if (argument.updated) {
      std::ranges::copy(operands.host.at(planner::storage_of(computation, argument.aliases))->data, operands.memory.bytes(operands.addresses[i]).begin());
    } else if (argument.output) {
      operands.memory.set_initialized(operands.addresses[i], false);
    }
  }
}

sim::Launch launch_of(const Built& built, const Operands& operands, std::vector<std::uint64_t> blocks) {
  return {built.source.name,         {static_cast<std::uint32_t>(built.source.grid)}, {static_cast<std::uint32_t>(built.source.block)},
          built.source.shared_bytes, false, parameter_block(operands.addresses), std::move(blocks)};
}

}  // namespace seam::codegen
