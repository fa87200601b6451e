/// Kernels alone, on seeded inputs.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "base/parallel.h"
#include "codegen/inputs.h"
#include "foreign/alone.h"
#include "foreign/kernel_check.h"
#include "foreign/launch.h"
#include "foreign/memory_order.h"
#include "foreign/parts.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

struct Job {
  const ForeignLaunch* launch = nullptr;
  const graph::Computation* computation = nullptr;
  const graph::Op* op = nullptr;
};

/// Integers index what the fusion gathers, scatters and slices; elsewhere they are small numbers of both signs.
std::pair<std::int64_t, std::int64_t> integers(const graph::Graph& graph, const graph::Op& op) {
  std::int64_t largest = 0;
  const auto look = [&](const auto& self, const graph::Computation& computation, const graph::Op& one) -> void {
    const bool indexes = one.opcode == Opcode::Gather || one.opcode == Opcode::Scatter || one.opcode == Opcode::DynamicSlice || one.opcode == Opcode::DynamicUpdateSlice;
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

/// Operands and results of one launch in a memory of their own.
class Bench {
 public:
  Bench(const ForeignProgram& program, const Job& job) : program_(program), job_(job) {}

  /// Seeded operands; those that lie in one buffer in the program do here.
  void fill(int set) {
    const auto [low, high] = integers(program_.graph, *job_.op);
    std::map<std::pair<Id<graph::Op>, std::int64_t>, std::uint64_t> buffers;
    for (std::size_t k = 0; k < job_.op->operands.size(); ++k) {
      const graph::Shape& shape = job_.computation->ops[job_.op->operands[k]].shape;
      const auto [slot, fresh] = buffers.try_emplace(storage(*job_.computation, job_.op->operands[k]), 0);
      if (fresh) {
        const Array array = random_array(shape.dtype, shape.dims, input_distribution(set), input_seed(set, k + 1), low, high);
        slot->second = buffer(in_memory_order(array, shape), fmt::format("operand {}", k));
      }
      addresses_.push_back(slot->second);
      operands_.push_back(from_memory_order(memory_.bytes(slot->second), shape));
    }
  }

  void place_results() {
    shapes_ = leaves(job_.op->shape);
    const std::size_t inputs = addresses_.size();
    const Sharing& shared = job_.launch->shared;
    for (std::size_t r = 0; r < shapes_.size(); ++r) {
      addresses_.push_back(shared[r] ? addresses_[*shared[r]] : memory_.allocate(padded(shapes_[r].byte_size()), fmt::format("result {}", r)));
    }
    for (std::size_t k = 0; k < inputs; ++k) {
      const auto results = std::span(addresses_).subspan(inputs);
      if (std::ranges::find(results, addresses_[k]) == results.end()) memory_.set_read_only(addresses_[k], true);
    }
  }

  Result<sim::Outcome> launch(const sim::Checks& checks) { return launch_foreign(program_, *job_.launch, addresses_, memory_, checks); }

  [[nodiscard]] const std::vector<Array>& operands() const { return operands_; }
  /// Empty if every result is whole.
  std::string fault() {
    for (std::size_t r = 0; r < shapes_.size(); ++r) {
      const std::string fault = result_fault(memory_, result(r), shapes_[r].byte_size());
      if (!fault.empty()) return fmt::format("result {}: {}", r, fault);
    }
    return {};
  }
  std::vector<Array> results() {
    std::vector<Array> out;
    for (std::size_t r = 0; r < shapes_.size(); ++r) out.push_back(from_memory_order(memory_.bytes(result(r)), shapes_[r]));
    return out;
  }

 private:
  std::uint64_t buffer(const std::vector<std::byte>& bytes, const std::string& name) {
    const std::uint64_t address = memory_.allocate(padded(static_cast<std::int64_t>(bytes.size())), name);
    if (!bytes.empty()) std::memcpy(memory_.bytes(address).data(), bytes.data(), bytes.size());
    memory_.set_initialized(address, true);
    return address;
  }
  [[nodiscard]] std::uint64_t result(std::size_t r) const { return addresses_[operands_.size() + r]; }

  const ForeignProgram& program_;
  const Job& job_;
  sim::Memory memory_;
  std::vector<Array> operands_;
  std::vector<graph::Shape> shapes_;
  std::vector<std::uint64_t> addresses_;
};

/// One launch on one set of inputs.
void run_once(const ForeignProgram& program, const Job& job, const FusionReference& reference, int set, const sim::Checks& checks, ForeignCheck& check) {
  Bench bench(program, job);
  bench.fill(set);
  const auto stop = [&](Outcome outcome, std::string reason) {
    check.outcome = outcome;
    check.reason = std::move(reason);
  };
  bench.place_results();
  const auto outcome = bench.launch(checks);
  if (!outcome) return stop(Outcome::Inconclusive, describe(outcome.error()));
  check.counters = outcome->counters;
  if (!outcome->reports.empty()) return stop(Outcome::Failed, rendered(*job.launch, outcome->reports.front()));
  if (const std::string fault = bench.fault(); !fault.empty()) return stop(Outcome::Failed, fault);
  reference.compare(*job.computation, *job.op, bench.operands(), bench.results(), check);
}

}  // namespace

ForeignCheck check_alone(const ForeignProgram& program, const graph::Computation& computation, const graph::Op& op, const ForeignLaunch& launch,
                         const sim::Checks& checks) {
  ForeignCheck check{.instruction = op.name, .kernel = launch.kernel, .reason = {}, .counters = {}};
  const FusionReference reference(program);
  const Job job{&launch, &computation, &op};
  for (int set = 0; set < 2; ++set) {
    run_once(program, job, reference, set, checks, check);
    if (check.outcome != Outcome::Passed) break;
  }
  return check;
}

std::vector<ForeignCheck> check_kernels(const ForeignProgram& program, const sim::Checks& checks, std::size_t threads) {
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
  std::vector<ForeignCheck> out(jobs.size());
  parallel_for(jobs.size(), threads, [&](std::size_t i) { out[i] = check_alone(program, *jobs[i].computation, *jobs[i].op, *jobs[i].launch, checks); });
  return out;
}

}  // namespace seam::codegen
