#include "graph/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "infer/rules.h"

namespace seam::graph {
namespace {

/// The text may widen the element type of these (preferred element type, mixed precision): dimensions only.
bool states_its_type(Opcode opcode) { return opcode == Opcode::Dot || opcode == Opcode::Convolution; }

Result<void> check_op(const Graph& graph, const Computation& computation, Id<Op> id) {
  const Op& op = computation.ops[id];
  const InferenceSite site{graph, computation, op};
  for (const Id<Op> operand : op.operands) {
    if (!operand.valid() || operand >= id) return site.error("reads a value that does not stand before it");
  }
  for (const Id<Computation> callee : op.attributes.calls) {
    if (!callee.valid() || callee.index() >= graph.computations.size()) {
      return site.error("calls a computation that is not in this module");
    }
  }
  if (arity(op.opcode) >= 0 && std::ssize(op.operands) != arity(op.opcode)) {
    return site.error(fmt::format("takes {} operands, has {}", arity(op.opcode), op.operands.size()));
  }
  const Result<Shape> inferred = infer_shape(graph, computation, op);
  if (!inferred) {
    if (inferred.error().code != Error::Code::Unsupported) return tl::unexpected(inferred.error());
    return check_stated(site);
  }
  const bool fits = states_its_type(op.opcode) ? inferred->dims == op.shape.dims : same_type(*inferred, op.shape);
  if (!fits) return site.error(fmt::format("is stated as {}, but must be {}", print(op.shape), print(*inferred)));
  return {};
}

/// Calls may nest this deep: evaluation follows them on the stack.
constexpr int kMaxCallDepth = 500;
/// And stand for so many ops: a few computations that each call the one before twice are more than any walk over the calls ends with.
constexpr std::size_t kMaxExpandedOps = 4'000'000;

Result<void> check_calls(const Graph& graph) {
  IdVector<Computation, int> depth(graph.computations.size(), 0);
  IdVector<Computation, std::size_t> expanded(graph.computations.size(), 0);
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    int& own = depth[Id<Computation>(c)];
    std::size_t& ops = expanded[Id<Computation>(c)];
    for (const Op& op : graph.computations[Id<Computation>(c)].ops) {
      for (const Id<Computation> callee : op.attributes.calls) {
        own = std::max(own, depth[callee] + 1);
        ops += expanded[callee];
      }
      ++ops;
      if (ops > kMaxExpandedOps) {
        return fail(Error::Code::Unsupported, fmt::format("with every call written out this is more than {} ops", kMaxExpandedOps), op.at);
      }
      if (own > kMaxCallDepth) {
        return fail(Error::Code::Unsupported, fmt::format("computations call each other more than {} deep", kMaxCallDepth), op.at);
      }
    }
  }
  return {};
}

Result<void> check_computation(const Graph& graph, Id<Computation> id) {
  const Computation& computation = graph.computations[id];
  if (!computation.root.valid() || computation.root.index() >= computation.ops.size()) {
    return fail(Error::Code::BadInput, fmt::format("computation '{}' has no root", computation.name));
  }
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    for (const Id<Computation> callee : op.attributes.calls) {
      if (callee >= id) {
        return fail(Error::Code::BadInput,
                    fmt::format("{} '{}' calls a computation that does not stand before its own", op.opcode_text,
                                op.name),
                    op.at);
      }
    }
    if (!names.insert(op.name).second) {
      return fail(Error::Code::BadInput, fmt::format("op '{}' is defined twice", op.name), op.at);
    }
    if (auto checked = check_op(graph, computation, Id<Op>(i)); !checked) return checked;
  }
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    const Op& op = computation.ops[computation.parameters[i]];
    if (op.opcode != Opcode::Parameter || std::cmp_not_equal(op.attributes.index, i)) {
      return fail(Error::Code::BadInput, fmt::format("parameter {} of '{}' is '{}'", i, computation.name, op.name));
    }
  }
  return {};
}

}  // namespace

Result<void> verify(const Graph& graph) {
  if (!graph.entry.valid() || graph.entry.index() >= graph.computations.size()) {
    return fail(Error::Code::BadInput, "the module has no entry computation");
  }
  for (std::size_t i = 0; i < graph.computations.size(); ++i) {
    if (auto checked = check_computation(graph, Id<Computation>(i)); !checked) return checked;
  }
  return check_calls(graph);
}

}  // namespace seam::graph
