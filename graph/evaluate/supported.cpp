#include "evaluate/supported.h"

#include <fmt/core.h>

#include <algorithm>

namespace seam::graph {
namespace {

/// 2^30 elements take 8 GiB as doubles: beyond that an evaluation would not end well.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;

bool is_known_target(std::string_view target) {
  return target == "__cublas$gemm" || target == "__cublas$lt$matmul" || target == "TopK" ||
         target.starts_with("__cudnn$conv");
}

std::string_view refusal(const Op& op) {
  switch (op.opcode) {
    case Opcode::Rng:
    case Opcode::RngBitGenerator:
    case Opcode::RngGetAndUpdateState: return "random numbers have no reference value";
    case Opcode::StochasticConvert: return "it depends on random bits in an unstated way";
    case Opcode::CustomCall:
      return is_known_target(op.attributes.custom_call_target) ? "" : "the meaning of this custom call is not known";
    case Opcode::BatchNormGrad:
    case Opcode::BatchNormInference:
    case Opcode::BatchNormTraining:
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
    case Opcode::Fft:
    case Opcode::RaggedDot:
    case Opcode::ScaledDot:
    case Opcode::Scan:
    case Opcode::DynamicReshape:
    case Opcode::SetDimensionSize:
    case Opcode::GetDimensionSize:
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
    case Opcode::CopyStart:
    case Opcode::CopyDone: return "the evaluator does not know this op";
    default: break;
  }
  if (op_class(op.opcode) == OpClass::Communication) return "it talks to other devices";
  return "";
}

Result<void> sizes_fit(const Op& op, const Shape& shape) {
  for (const Shape& element : shape.elements) {
    if (auto fits = sizes_fit(op, element); !fits) return fits;
  }
  const bool dynamic = std::ranges::any_of(shape.dims, [](std::int64_t dim) { return dim < 0; }) || !shape.dynamic.empty();
  if (dynamic) {
    return fail(Error::Code::Unsupported, fmt::format("cannot evaluate '{}': {} has dynamic dimensions", op.name, print(shape)), op.at);
  }
  if (!shape.is_tuple && shape.elements_count() > kMaxElements) {
    return fail(Error::Code::Unsupported, fmt::format("cannot evaluate '{}': {} is too large", op.name, print(shape)), op.at);
  }
  return {};
}

bool is_known(const Literal& literal) { return literal.known && std::ranges::all_of(literal.elements, is_known); }

Result<void> all_in(const Graph& graph, Id<Computation> id, IdVector<Computation, bool>& seen);

Result<void> check(const Graph& graph, const Op& op, IdVector<Computation, bool>& seen) {
  if (const std::string_view why = refusal(op); !why.empty()) {
    const std::string what = op.opcode == Opcode::CustomCall ? fmt::format("custom-call \"{}\"", op.attributes.custom_call_target)
                                                             : op.opcode_text;
    return fail(Error::Code::Unsupported, fmt::format("cannot evaluate {} '{}': {}", what, op.name, why), op.at);
  }
  if (op.opcode == Opcode::Constant && !is_known(op.attributes.literal)) {
    return fail(Error::Code::Unsupported, fmt::format("cannot evaluate constant '{}': its value is elided in the text", op.name), op.at);
  }
  if (auto fits = sizes_fit(op, op.shape); !fits) return fits;
  for (const Id<Computation> callee : op.attributes.calls) {
    if (auto inner = all_in(graph, callee, seen); !inner) return inner;
  }
  return {};
}

Result<void> all_in(const Graph& graph, Id<Computation> id, IdVector<Computation, bool>& seen) {
  if (seen[id]) return {};
  seen[id] = true;
  for (const Op& op : graph.computations[id].ops) {
    if (auto checked = check(graph, op, seen); !checked) return checked;
  }
  return {};
}

}  // namespace

Result<void> supported(const Graph& graph, const Op& op) {
  IdVector<Computation, bool> seen(graph.computations.size(), false);
  return check(graph, op, seen);
}

Result<void> all_supported(const Graph& graph) {
  IdVector<Computation, bool> seen(graph.computations.size(), false);
  return all_in(graph, graph.entry, seen);
}

}  // namespace seam::graph
