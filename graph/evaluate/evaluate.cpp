#include "graph/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/check.h"
#include "base/mix.h"
#include "evaluate/kernel.h"
#include "evaluate/supported.h"
#include "graph/tolerance.h"
#include "graph/verify.h"

namespace seam::graph {
namespace {

/// A value that is shared instead of copied while tuples and loops pass it on.
struct Handle {
  std::shared_ptr<const Value> array;
  std::vector<Handle> elements;  ///< of a tuple, which then has no array
};

Handle handle_of(Value value) {
  Handle handle;
  if (!value.shape.is_tuple) {
    handle.array = std::make_shared<const Value>(std::move(value));
    return handle;
  }
  for (Value& element : value.elements) handle.elements.push_back(handle_of(std::move(element)));
  return handle;
}

/// Borrows: `value` must outlive the handle.
Handle borrowed(const Value& value) {
  Handle handle;
  if (!value.shape.is_tuple) {
    handle.array = std::shared_ptr<const Value>(std::shared_ptr<void>(), &value);
    return handle;
  }
  for (const Value& element : value.elements) handle.elements.push_back(borrowed(element));
  return handle;
}

Value value_of(const Handle& handle) {
  if (handle.array) return *handle.array;
  Value tuple;
  tuple.shape.is_tuple = true;
  for (const Handle& element : handle.elements) {
    tuple.elements.push_back(value_of(element));
    tuple.shape.elements.push_back(tuple.elements.back().shape);
  }
  return tuple;
}

/// A loop that runs longer than this does not end, or not in a lifetime.
constexpr std::int64_t kMaxTrips = 10'000'000;

class Evaluator {
 public:
  Evaluator(const Graph& graph, const EvaluateOptions& options) : graph_(graph), options_(options) {}

  Result<Handle> computation(Id<Computation> id, std::vector<Handle> arguments) {
    const Computation& computation = graph_.computations[id];
    const IdVector<Op, std::size_t>& last_use = last_uses(id);
    IdVector<Op, Handle> values(computation.ops.size());
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Op& op = computation.ops[Id<Op>(i)];
      if (op.opcode == Opcode::Parameter) {
        values[Id<Op>(i)] = std::move(arguments[static_cast<std::size_t>(op.attributes.index)]);
      } else {
        std::vector<Handle> operands;
        for (const Id<Op> operand : op.operands) {
          // The last reader takes the value over, so that its memory is freed (or reused) as early as possible.
          operands.push_back(last_use[operand] == i && operand != computation.root && std::ranges::count(op.operands, operand) == 1
                                 ? std::move(values[operand])
                                 : values[operand]);
        }
        SEAM_TRY(values[Id<Op>(i)], one(op, std::move(operands)));
      }
      if (id == graph_.entry && options_.progress && !options_.progress(op)) {
        return fail(Error::Code::Cancelled, "evaluation was cancelled");
      }
      for (const Id<Op> operand : op.operands) {
        if (last_use[operand] == i && operand != computation.root) values[operand] = {};
      }
    }
    return std::move(values[computation.root]);
  }

  Result<Handle> one(const Op& op, std::vector<Handle> operands) {
    switch (op.opcode) {
      case Opcode::Tuple: return Handle{nullptr, std::move(operands)};
      case Opcode::GetTupleElement: return std::move(operands[0].elements.at(static_cast<std::size_t>(op.attributes.index)));
      case Opcode::OptBarrier:
      case Opcode::Domain:
      case Opcode::AddDependency: return std::move(operands[0]);
      case Opcode::Copy:
        if (!operands[0].array) return std::move(operands[0]);
        break;
      case Opcode::AfterAll: return handle_of(zeros(op.shape));
      case Opcode::Call:
      case Opcode::Fusion: return computation(op.attributes.calls[0], std::move(operands));
      case Opcode::While: return loop(op, std::move(operands[0]));
      case Opcode::Conditional: return branch(op, std::move(operands));
      case Opcode::Constant: return constant(op.attributes.literal, op.shape, op);
      default: break;
    }
    std::vector<const Value*> arrays;
    for (const Handle& operand : operands) {
      if (!operand.array) {
        return fail(Error::Code::Unsupported, fmt::format("cannot evaluate {} '{}' on a tuple", op.opcode_text, op.name), op.at);
      }
      arrays.push_back(operand.array.get());
    }
    SEAM_TRY(Value value, array_op(OpCall{graph_, op, arrays, options_.rounding}));
    if (options_.shake != 0) shake(op, operands, value);
    return handle_of(std::move(value));
  }

 private:
  /// Results that no arithmetic made (copies, selections) are as exact as what they come from.
  void shake(const Op& op, const std::vector<Handle>& operands, Value& value) {
    const OpClass of = op_class(op.opcode);
    const bool computed = of == OpClass::Elementwise || of == OpClass::Reduce || of == OpClass::Contraction || of == OpClass::Library;
    if (!computed || op.opcode == Opcode::Select || !is_float(value.shape.dtype) || value.numbers.empty()) return;
    std::int64_t terms = 1;
    for (const Handle& operand : operands) terms = std::max(terms, operand.array->shape.elements_count() / std::max<std::int64_t>(1, value.shape.elements_count()));
    const double unit = unit_roundoff(value.shape.dtype);
    const double inside = std::min(unit, unit_roundoff(DType::F32)) * std::sqrt(static_cast<double>(terms));
    const auto usual_of = [](const Value& array) {
      double squares = 0;
      for (const double number : array.numbers) squares += std::isfinite(number) ? number * number : 0;
      return array.numbers.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(array.numbers.size()));
    };
    // A sum that cancels is as exact as its neighbours, and no more than its terms allow.
    double usual = 0;
    if (terms > 1) {
      double term = usual_of(*operands[0].array);
      if (op.opcode == Opcode::Dot) term *= usual_of(*operands[1].array);
      usual = std::max(usual_of(value), term * std::sqrt(static_cast<double>(terms)));
    }
    for (std::size_t i = 0; i < value.numbers.size(); ++i) {
      const double by = 4 * unit * std::abs(value.numbers[i]) + inside * usual;  // libraries of functions are right to a few units
      value.numbers[i] += (mix(options_.shake ^ mix(++shaken_)) & 1) != 0 ? by : -by;
    }
    round_all(value, options_.rounding);
  }

  static Result<Value> array_op(const OpCall& call) {
    for (const auto kernel : {evaluate_elementwise, evaluate_movement, evaluate_indexed, evaluate_reduction, evaluate_window,
                              evaluate_contraction, evaluate_sort, evaluate_library}) {
      SEAM_TRY(std::optional<Value> value, kernel(call));
      if (value) return *std::move(value);
    }
    return call.unsupported("the evaluator does not know this op");
  }

  Result<Handle> constant(const Literal& literal, const Shape& shape, const Op& op) {
    if (shape.is_tuple) {
      Handle tuple;
      for (std::size_t i = 0; i < shape.elements.size(); ++i) {
        SEAM_TRY(Handle element, constant(literal.elements[i], shape.elements[i], op));
        tuple.elements.push_back(std::move(element));
      }
      return tuple;
    }
    if (!literal.known) {
      return fail(Error::Code::Unsupported, fmt::format("the value of constant '{}' is elided in the text", op.name), op.at);
    }
    SEAM_TRY(Value value, to_value(literal.value, shape));
    return handle_of(std::move(value));
  }

  Result<Handle> loop(const Op& op, Handle state) {
    for (std::int64_t trip = 0;; ++trip) {
      SEAM_TRY(const Handle verdict, computation(op.attributes.calls[0], {state}));
      if (verdict.array->numbers.at(0) == 0) return state;
      if (trip == kMaxTrips) {
        return fail(Error::Code::Unsupported, fmt::format("loop '{}' runs more than {} times", op.name, kMaxTrips), op.at);
      }
      std::vector<Handle> arguments;
      arguments.push_back(std::move(state));
      SEAM_TRY(state, computation(op.attributes.calls[1], std::move(arguments)));
    }
  }

  Result<Handle> branch(const Op& op, std::vector<Handle> operands) {
    const Value& selector = *operands[0].array;
    const auto count = std::ssize(op.attributes.calls);
    std::int64_t chosen = 0;
    if (selector.shape.dtype == DType::Pred) {
      chosen = selector.numbers.at(0) != 0 ? 0 : 1;
    } else {
      chosen = selector.integers.at(0);
      if (chosen < 0 || chosen >= count) chosen = count - 1;  // out of range takes the last branch
    }
    std::vector<Handle> arguments;
    arguments.push_back(std::move(operands[static_cast<std::size_t>(chosen) + 1]));
    return computation(op.attributes.calls[static_cast<std::size_t>(chosen)], std::move(arguments));
  }

  const IdVector<Op, std::size_t>& last_uses(Id<Computation> id) {
    const auto [slot, fresh] = last_uses_.try_emplace(id);
    if (fresh) {
      const Computation& computation = graph_.computations[id];
      slot->second = IdVector<Op, std::size_t>(computation.ops.size(), 0);
      for (std::size_t i = 0; i < computation.ops.size(); ++i) {
        for (const Id<Op> operand : computation.ops[Id<Op>(i)].operands) slot->second[operand] = i;
      }
    }
    return slot->second;
  }

  const Graph& graph_;
  const EvaluateOptions& options_;
  std::uint64_t shaken_ = 0;
  std::unordered_map<Id<Computation>, IdVector<Op, std::size_t>> last_uses_;
};

}  // namespace

Result<Value> evaluate(const Graph& graph, std::span<const Value> inputs, const EvaluateOptions& options) {
  if (auto sound = verify(graph); !sound) return tl::unexpected(std::move(sound).error());
  if (auto known = all_supported(graph); !known) return tl::unexpected(std::move(known).error());
  const Computation& entry = graph.entry_computation();
  if (inputs.size() != entry.parameters.size()) {
    return fail(Error::Code::BadInput,
                fmt::format("the module takes {} inputs, {} are given", entry.parameters.size(), inputs.size()));
  }
  std::vector<Handle> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = entry.ops[entry.parameters[i]].shape;
    if (!same_type(inputs[i].shape, shape)) {
      return fail(Error::Code::BadInput,
                  fmt::format("input {} is {}, the module takes {}", i, print(inputs[i].shape), print(shape)));
    }
    arguments.push_back(borrowed(inputs[i]));
  }
  Evaluator evaluator(graph, options);
  SEAM_TRY(const Handle root, evaluator.computation(graph.entry, std::move(arguments)));
  return value_of(root);
}

Result<Value> evaluate_op(const Graph& graph, const Computation&, const Op& op, std::span<const Value* const> operands,
                          Rounding rounding) {
  if (auto known = supported(graph, op); !known) return tl::unexpected(std::move(known).error());
  EvaluateOptions options;
  options.rounding = rounding;
  std::vector<Handle> handles;
  for (const Value* operand : operands) handles.push_back(borrowed(*operand));
  Evaluator evaluator(graph, options);
  SEAM_TRY(const Handle result, evaluator.one(op, std::move(handles)));
  Value value = value_of(result);
  // The op's own shape, with its layout; scratch of library calls keeps its empty one.
  if (same_type(value.shape, op.shape)) value.shape = op.shape;
  return value;
}

}  // namespace seam::graph
