#include "foreign/kernel_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/mix.h"
#include "foreign/parts.h"
#include "graph/evaluate.h"
#include "graph/tolerance.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

/// What decides how far a kernel may be off: the coarsest type it rounds to and its longest sum.
struct Inside {
  DType coarsest = DType::F64;
  std::int64_t longest = 1;
};

/// Ops that only name or move values are exact.
bool rounds(const graph::Op& op) {
  if (op.shape.is_tuple || op.opcode == Opcode::Fusion || op.opcode == Opcode::Call) return false;
  switch (graph::op_class(op.opcode)) {
    case graph::OpClass::Free:
    case graph::OpClass::Generator:
    case graph::OpClass::Broadcast:
    case graph::OpClass::Layout: return false;
    default: return true;
  }
}

void look(const graph::Graph& graph, const graph::Computation& computation, const graph::Op& op, Inside& inside) {
  inside.longest = std::max(inside.longest, graph::reduction_length(computation, op));
  if (rounds(op) && graph::unit_roundoff(op.shape.dtype) > graph::unit_roundoff(inside.coarsest)) inside.coarsest = op.shape.dtype;
  if (op.opcode != Opcode::Fusion && op.opcode != Opcode::Call) return;
  const graph::Computation& called = graph.computations[op.attributes.calls[0]];
  for (const graph::Op& one : called.ops) look(graph, called, one, inside);
}

void collect(const graph::Value& value, std::vector<const graph::Value*>& out) {
  if (!value.shape.is_tuple) return out.push_back(&value);
  for (const graph::Value& element : value.elements) collect(element, out);
}

/// One result: its reference in two roundings and what they grant.
struct Reference {
  const graph::Value& rounded;
  const graph::Value& wide;
  graph::Tolerance table;
  std::vector<double> slack;  ///< by element, where the operation is ill-conditioned; may be empty
};

void compare_floats(const Array& actual, const Reference& reference, std::size_t leaf, ForeignCheck& check) {
  const auto width = static_cast<std::size_t>(bytes(actual.dtype));
  double scale = 0;
  for (const double value : reference.rounded.numbers) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  for (std::size_t i = 0; i < reference.rounded.numbers.size(); ++i) {
    const double got = load_as_double(actual.dtype, &actual.data[i * width]);
    const double want = reference.rounded.numbers[i], other = round_to(actual.dtype, reference.wide.numbers[i]);
    ++check.compared;
    if (std::isnan(want) != std::isnan(other) || std::isinf(want) != std::isinf(other)) continue;  // overflow or NaN by a rounding
    double difference = 0, allowed = 0;
    if (std::isfinite(want) && std::isfinite(got)) {
      difference = std::abs(got - want);
      allowed = reference.table.abs * scale + reference.table.rel * std::abs(want) + 2 * std::abs(want - other) +
                (reference.slack.empty() ? 0 : reference.slack[i]);
      check.max_abs = std::max(check.max_abs, difference);
      if (want != 0) check.max_rel = std::max(check.max_rel, difference / std::abs(want));
      check.tolerance = std::max(check.tolerance, allowed);
    } else if (!(std::isnan(want) ? std::isnan(got) : got == want)) {
      difference = 1;
    }
    if (difference > allowed && check.outcome != Outcome::Failed) {
      check.outcome = Outcome::Failed;
      check.reason = fmt::format("result {}, element {}: {:.9g}, reference {:.9g}, allowed difference {:.3g}", leaf, i, got, want, allowed);
    }
  }
}

/// How often operands are moved, by how many roundings, and how much of what that does to a result is granted.
constexpr int kShakes = 3;
constexpr double kMoved = 4, kGranted = 2;

/// Each number of a float array moved by a few roundings of its type, up or down.
graph::Value shaken(graph::Value value, int shake) {
  const double unit = graph::unit_roundoff(value.shape.dtype);
  for (std::size_t i = 0; i < value.numbers.size(); ++i) {
    const bool up = (mix(i * static_cast<std::uint64_t>(kShakes) + static_cast<std::uint64_t>(shake)) & 1) != 0;
    value.numbers[i] *= 1 + (up ? kMoved : -kMoved) * unit;
  }
  return value;
}

}  // namespace

void FusionReference::compare(const graph::Computation& computation, const graph::Op& op, const std::vector<Array>& operands,
                              const std::vector<Array>& results, ForeignCheck& check) const {
  const graph::Graph& graph = program_.graph;
  const auto give_up = [&](const Error& error) {
    check.outcome = Outcome::Inconclusive;
    check.reason = error.message;
  };
  std::vector<graph::Value> values;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    auto value = graph::to_value(operands[k], computation.ops[op.operands[k]].shape);
    if (!value) return give_up(value.error());
    values.push_back(*std::move(value));
  }
  std::vector<const graph::Value*> pointers;
  for (const graph::Value& value : values) pointers.push_back(&value);
  const auto rounded = graph::evaluate_op(graph, computation, op, pointers, graph::Rounding::Rounded);
  if (!rounded) return give_up(rounded.error());
  const auto wide = graph::evaluate_op(graph, computation, op, pointers, graph::Rounding::Wide);
  if (!wide) return give_up(wide.error());
  std::vector<const graph::Value*> rounded_leaves, wide_leaves;
  collect(*rounded, rounded_leaves);
  collect(*wide, wide_leaves);

  Inside inside;
  look(graph, computation, op, inside);
  // Tensor cores round the factors of f32 products to tf32, which has as many bits as f16.
  const auto kernel = program_.kernels.find(check.kernel);
  const bool tf32 = kernel != program_.kernels.end() && has_instruction(*kernel->second.ptx, "mma", "tf32");
  if (tf32 && graph::unit_roundoff(DType::F16) > graph::unit_roundoff(inside.coarsest)) inside.coarsest = DType::F16;

  std::vector<std::vector<double>> slack(results.size());
  const auto look_at_all = [&] {
    check.outcome = Outcome::Passed;
    check.reason.clear();
    check.compared = 0;
    for (std::size_t leaf = 0; leaf < results.size() && leaf < rounded_leaves.size(); ++leaf) {
      const Array& actual = results[leaf];
      if (is_float(actual.dtype)) {
        const DType type = graph::unit_roundoff(actual.dtype) > graph::unit_roundoff(inside.coarsest) ? actual.dtype : inside.coarsest;
        compare_floats(actual, {*rounded_leaves[leaf], *wide_leaves[leaf], graph::tolerance(type, inside.longest), slack[leaf]}, leaf, check);
        continue;
      }
      const Array reference = graph::to_array(*rounded_leaves[leaf]);
      check.compared += static_cast<std::uint64_t>(actual.elements());
      if (reference.data == actual.data || check.outcome == Outcome::Failed) continue;
      const auto at = std::ranges::mismatch(actual.data, reference.data).in1 - actual.data.begin();
      check.outcome = Outcome::Failed;
      check.reason = fmt::format("result {} ({}) differs from the reference first in element {}", leaf, name(actual.dtype),
                                 at / std::max(bytes(actual.dtype), 1));
    }
  };
  look_at_all();
  if (check.outcome == Outcome::Passed) return;
  // Sums that nearly cancel and are then divided by: what is right for operands a few roundings off is right.
  for (int shake = 0; shake < kShakes; ++shake) {
    std::vector<graph::Value> moved;
    for (const graph::Value& value : values) moved.push_back(shaken(value, shake));
    std::vector<const graph::Value*> at;
    for (const graph::Value& value : moved) at.push_back(&value);
    const auto other = graph::evaluate_op(graph, computation, op, at, graph::Rounding::Wide);
    if (!other) return;
    std::vector<const graph::Value*> other_leaves;
    collect(*other, other_leaves);
    for (std::size_t leaf = 0; leaf < results.size() && leaf < other_leaves.size(); ++leaf) {
      const std::vector<double>&a = other_leaves[leaf]->numbers, &b = wide_leaves[leaf]->numbers;
      slack[leaf].resize(b.size(), 0);
      for (std::size_t i = 0; i < b.size(); ++i) {
        if (const double far = kGranted * std::abs(a[i] - b[i]); std::isfinite(far)) slack[leaf][i] = std::max(slack[leaf][i], far);
      }
    }
  }
  look_at_all();
  check.ill_conditioned |= check.outcome == Outcome::Passed;
}

}  // namespace seam::codegen
