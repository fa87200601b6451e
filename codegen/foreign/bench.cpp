#include "foreign/bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "codegen/inputs.h"
#include "foreign/launch.h"
#include "foreign/memory_order.h"
#include "foreign/parts.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

/// Integers index what the fusion gathers, scatters and slices; elsewhere they are small numbers of both signs.
std::pair<std::int64_t, std::int64_t> integers(const graph::Graph& graph, const graph::Op& op) {
  std::int64_t largest = 0;
  const auto look = [&](const auto& self, const graph::Computation& computation, const graph::Op& one) -> void {
    const bool indexes = one.opcode == Opcode::Gather || one.opcode == Opcode::Scatter || one.opcode == Opcode::DynamicSlice ||
                         one.opcode == Opcode::DynamicUpdateSlice;
    if (indexes) {
      for (const std::int64_t dim : computation.ops[one.operands[0]].shape.dims) largest = std::max(largest, dim);
    }
    if (one.opcode == Opcode::Fusion) {
      const graph::Computation& inside = graph.computations[one.attributes.calls[0]];
      for (const graph::Op& next : inside.ops) self(self, inside, next);
    }
  };
  if (op.opcode == Opcode::Fusion) look(look, graph.computations[op.attributes.calls[0]], op);
  return largest > 0 ? std::pair{std::int64_t{0}, largest - 1} : std::pair{std::int64_t{-4}, std::int64_t{9}};
}

/// Whose memory a value is: the op that made it, and which element of a tuple.
std::pair<Id<graph::Op>, std::int64_t> storage(const graph::Computation& computation, Id<graph::Op> id) {
  for (;;) {
    const graph::Op& op = computation.ops[id];
    if (op.opcode == Opcode::Bitcast) {
      id = op.operands[0];
    } else if (op.opcode == Opcode::GetTupleElement) {
      return {op.operands[0], op.attributes.index};
    } else {
      return {id, -1};
    }
  }
}

}  // namespace

std::vector<Job> kernel_jobs(const ForeignProgram& program) {
  std::map<std::string, Job> by_kernel;
  for (const graph::Computation& computation : program.graph.computations) {
    for (const graph::Op& op : computation.ops) {
      const auto found = program.launches.find(op.name);
      if (found == program.launches.end() || found->second.kind != ForeignKind::Kernel) continue;
      by_kernel.try_emplace(found->second.kernel, Job{&found->second, &computation, &op});
    }
  }
  std::vector<Job> jobs;
  for (const auto& [name, job] : by_kernel) jobs.push_back(job);
  return jobs;
}

void Bench::fill(int set) {
  const auto [low, high] = integers(program_.graph, *job_.op);
  std::map<std::pair<Id<graph::Op>, std::int64_t>, std::uint64_t> buffers;
  for (std::size_t k = 0; k < job_.op->operands.size(); ++k) {
    const graph::Shape& shape = job_.computation->ops[job_.op->operands[k]].shape;
    const auto [slot, fresh] = buffers.try_emplace(storage(*job_.computation, job_.op->operands[k]), 0);
    if (fresh) {
      const graph::Op& from = job_.computation->ops[storage(*job_.computation, job_.op->operands[k]).first];
      const bool stated = from.opcode == Opcode::Constant && from.attributes.literal.known && !from.shape.is_tuple;
      const Array array = stated ? Array{shape.dtype, shape.dims, from.attributes.literal.value.data} : random_array(shape.dtype, shape.dims, input_distribution(set), input_seed(set, k + 1), low, high);
      slot->second = buffer(in_memory_order(array, shape), fmt::format("operand {}", k));
    }
    addresses_.push_back(slot->second);
    operands_.push_back(from_memory_order(memory_.bytes(slot->second), shape));
  }
}

void Bench::place_results() {
  shapes_ = leaves(job_.op->shape);
  const std::size_t inputs = addresses_.size();
  const Sharing& shared = job_.launch->shared;
  for (std::size_t r = 0; r < shapes_.size(); ++r) {
    addresses_.push_back(shared[r] ? addresses_[*shared[r]] : memory_.allocate(padded(shapes_[r].byte_size()), fmt::format("result {}", r)));
  }
  const auto results = std::span(addresses_).subspan(inputs);
  for (std::size_t k = 0; k < inputs; ++k) {
    if (std::ranges::find(results, addresses_[k]) == results.end()) memory_.set_read_only(addresses_[k], true);
  }
}

Result<sim::Outcome> Bench::launch(const sim::Checks& checks, std::vector<std::uint64_t> blocks) {
  return launch_foreign(program_, *job_.launch, addresses_, memory_, checks, std::move(blocks));
}

std::string Bench::fault() {
  for (std::size_t r = 0; r < shapes_.size(); ++r) {
    const std::string fault = result_fault(memory_, result(r), shapes_[r].byte_size());
    if (!fault.empty()) return fmt::format("result {}: {}", r, fault);
  }
  return {};
}

std::vector<Array> Bench::results() {
  std::vector<Array> out;
  for (std::size_t r = 0; r < shapes_.size(); ++r) out.push_back(from_memory_order(memory_.bytes(result(r)), shapes_[r]));
  return out;
}

std::uint64_t Bench::buffer(const std::vector<std::byte>& bytes, const std::string& name) {
  const std::uint64_t address = memory_.allocate(padded(static_cast<std::int64_t>(bytes.size())), name);
  if (!bytes.empty()) std::memcpy(memory_.bytes(address).data(), bytes.data(), bytes.size());
  memory_.set_initialized(address, true);
  return address;
}

}  // namespace seam::codegen
