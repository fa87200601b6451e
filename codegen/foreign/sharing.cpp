/// Which results lie in which operands' buffers. The compiler decided it when it assigned buffers; what is left of the decision is that such a kernel
/// uses one pointer for both.
#include <fmt/core.h>

#include <algorithm>

#include "foreign/alone.h"
#include "foreign/parts.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

/// Through ops that leave memory as it is.
Id<graph::Op> same_memory(const graph::Computation& computation, Id<graph::Op> id) {
  for (;;) {
    const graph::Op& op = computation.ops[id];
    if (op.opcode != Opcode::Bitcast && op.opcode != Opcode::Reshape) return id;
    id = op.operands[0];
  }
}

bool updates(Opcode opcode) { return opcode == Opcode::DynamicUpdateSlice || opcode == Opcode::Scatter; }

std::optional<std::size_t> started_as(const graph::Computation& computation, Id<graph::Op> result) {
  const graph::Op& op = computation.ops[same_memory(computation, result)];
  if (!updates(op.opcode)) return std::nullopt;
  const graph::Op& from = computation.ops[same_memory(computation, op.operands[0])];
  if (updates(from.opcode)) return started_as(computation, same_memory(computation, op.operands[0]));  // a chain of updates
  if (from.opcode != Opcode::Parameter) return std::nullopt;
  return static_cast<std::size_t>(from.attributes.index);
}

/// For each leaf of the result: the operand that it starts as, where the op writes only a part of it.
Sharing updated_operands(const graph::Graph& graph, const graph::Op& op) {
  Sharing out(leaves(op.shape).size());
  if (op.opcode != Opcode::Fusion) {
    if (updates(op.opcode)) out[0] = 0;
    return out;
  }
  const graph::Computation& inside = graph.computations[op.attributes.calls[0]];
  if (!op.shape.is_tuple) {
    out[0] = started_as(inside, inside.root);
    return out;
  }
  const graph::Op& root = inside.ops[inside.root];
  if (root.opcode != Opcode::Tuple) return out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = started_as(inside, root.operands[i]);
  return out;
}

/// More ways than this to hand out operands are not tried.
constexpr std::size_t kMostSharings = 24;

}  // namespace

std::vector<Sharing> possible_sharings(const ForeignProgram& program, const graph::Computation& computation, const graph::Op& op,
                                       const ForeignLaunch& launch) {
  const std::vector<graph::Shape> results = leaves(op.shape);
  const std::size_t operands = op.operands.size();
  Sharing base = updated_operands(program.graph, op);
  const std::vector<bool>& written = program.kernels.find(launch.kernel)->second.written;
  if (written.size() != operands + results.size()) return {base};  // launching it says so
  const auto fits = [&](std::size_t r, std::size_t k) {
    return written[k] && computation.ops[op.operands[k]].shape.byte_size() == results[r].byte_size();
  };
  std::vector<bool> taken(operands, false);
  std::vector<std::size_t> open;  // results that lie in an operand, which one is to be found
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (written[operands + r]) continue;
    if (base[r] && fits(r, *base[r])) {
      taken[*base[r]] = true;
    } else {
      base[r] = std::nullopt;
      open.push_back(r);
    }
  }
  std::vector<Sharing> out;
  const auto hand_out = [&](const auto& self, std::size_t next) -> void {
    if (out.size() >= kMostSharings) return;
    if (next == open.size()) return out.push_back(base);
    bool found = false;
    for (std::size_t k = 0; k < operands; ++k) {
      if (taken[k] || !fits(open[next], k)) continue;
      found = true;
      taken[k] = true;
      base[open[next]] = k;
      self(self, next + 1);
      base[open[next]] = std::nullopt;
      taken[k] = false;
    }
    if (!found) self(self, next + 1);  // an empty result, or one that is never written: running it says so
  };
  hand_out(hand_out, 0);
  return out;
}

Result<void> find_sharings(ForeignProgram& program) {
  std::map<std::string, Sharing> by_kernel;  // instructions that share a kernel share this too: the compiler makes sure of it
  for (const graph::Computation& computation : program.graph.computations) {  // conditions too, which may not run
    for (const graph::Op& op : computation.ops) {
      const auto found = program.launches.find(op.name);
      if (found == program.launches.end() || found->second.kind != ForeignKind::Kernel) continue;
      ForeignLaunch& launch = found->second;
      if (const auto known = by_kernel.find(launch.kernel); known != by_kernel.end()) {
        launch.shared = known->second;
        continue;
      }
      const std::vector<Sharing> possible = possible_sharings(program, computation, op, launch);
      launch.shared = possible.front();
      if (possible.size() > 1 && program.kernels.find(launch.kernel)->second.module != nullptr) {
        const auto right = std::ranges::find_if(possible, [&](const Sharing& sharing) {
          launch.shared = sharing;
          return check_alone(program, computation, op, launch, {}).outcome == Outcome::Passed;
        });
        if (right == possible.end()) {
          return fail(
              Error::Code::Unsupported,
              fmt::format("kernel {} writes several results of {} through pointers of operands, and in no order does it compute what its fusion says",
                          launch.kernel, op.name),
              op.at);
        }
      }
      by_kernel.emplace(launch.kernel, launch.shared);
    }
  }
  return {};
}

}  // namespace seam::codegen
