#include "validate/operands.h"

#include <algorithm>
#include <utility>

#include "codegen/inputs.h"
#include "planner/plan.h"

namespace seam::codegen {
namespace {

const planner::ComputationPlan& plan_of(const Program& program, const Built& built) { return program.plan->computations[built.computation]; }

const graph::Computation& computation_of(const Program& program, const Built& built) { return program.graph->computations[plan_of(program, built).computation]; }

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
