#include <algorithm>
#include <charconv>
#include <memory>

#include "graph/transform.h"

namespace seam::graph {
namespace {

/// What is known of a value in terms of the loop's state: a constant, or one element of the state plus a constant.
struct Symbol {
  enum class Kind : std::uint8_t { Unknown, Constant, State, Tuple };
  Kind kind = Kind::Unknown;
  std::int64_t value = 0;  ///< the constant, or what is added to the state element
  std::int64_t index = 0;  ///< which state element
  std::shared_ptr<const std::vector<Symbol>> elements;
};

Symbol constant(std::int64_t value) { return {Symbol::Kind::Constant, value, 0, nullptr}; }

Symbol tuple(std::vector<Symbol> elements) {
  return {Symbol::Kind::Tuple, 0, 0, std::make_shared<const std::vector<Symbol>>(std::move(elements))};
}

/// Opcodes that a Symbol is followed through.
bool transparent(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Subtract:
    case Opcode::Copy:
    case Opcode::Bitcast:
    case Opcode::Reshape:
    case Opcode::Broadcast:
    case Opcode::Convert:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::OptBarrier:
    case Opcode::Call:
    case Opcode::Fusion: return true;
    default: return false;
  }
}

Symbol literal_symbol(const Op& op) {
  const Array& array = op.attributes.literal.value;
  const bool usable = op.attributes.literal.known && !op.shape.is_tuple && is_integer(op.shape.dtype) &&
                      op.shape.elements_count() == 1 && bytes(op.shape.dtype) < 8;
  if (usable) return constant(static_cast<std::int64_t>(load_as_double(op.shape.dtype, array.data.data())));
  if (!op.attributes.literal.known || op.shape.is_tuple || op.shape.elements_count() != 1) return {};
  if (op.shape.dtype == DType::S64 || op.shape.dtype == DType::U64) {
    std::int64_t value = 0;
    std::copy_n(array.data.begin(), sizeof value, reinterpret_cast<std::byte*>(&value));
    return constant(value);
  }
  return {};
}

Symbol sum(const Symbol& a, const Symbol& b, std::int64_t sign) {
  using Kind = Symbol::Kind;
  std::int64_t scaled = 0, total = 0;
  if (__builtin_mul_overflow(b.value, sign, &scaled) || __builtin_add_overflow(a.value, scaled, &total)) return {};
  if (b.kind == Kind::Constant && (a.kind == Kind::Constant || a.kind == Kind::State)) {
    return {a.kind, total, a.index, nullptr};
  }
  if (sign > 0 && a.kind == Kind::Constant && b.kind == Kind::State) return {b.kind, total, b.index, nullptr};
  return {};
}

class Tracer {
 public:
  explicit Tracer(const Graph& graph) : graph_(graph) {}

  /// The value of `target`, given those of the parameters.
  Symbol value(const Computation& computation, Id<Op> target, const std::vector<Symbol>& parameters) {
    IdVector<Op, bool> needed(target.index() + 1, false);
    needed[target] = true;
    for (std::size_t i = target.index() + 1; i-- > 0;) {
      const Op& op = computation.ops[Id<Op>(i)];
      if (!needed[Id<Op>(i)] || !transparent(op.opcode)) continue;
      for (const Id<Op> operand : op.operands) needed[operand] = true;
    }
    IdVector<Op, Symbol> values(target.index() + 1);
    for (std::size_t i = 0; i <= target.index(); ++i) {
      if (needed[Id<Op>(i)]) values[Id<Op>(i)] = one(computation.ops[Id<Op>(i)], values, parameters);
    }
    return values[target];
  }

 private:
  Symbol one(const Op& op, const IdVector<Op, Symbol>& values, const std::vector<Symbol>& parameters) {
    const auto operand = [&](std::size_t i) -> const Symbol& { return values[op.operands[i]]; };
    switch (op.opcode) {
      case Opcode::Parameter: {
        const auto number = static_cast<std::size_t>(op.attributes.index);
        return number < parameters.size() ? parameters[number] : Symbol{};
      }
      case Opcode::Constant: return literal_symbol(op);
      case Opcode::Add: return sum(operand(0), operand(1), 1);
      case Opcode::Subtract: return sum(operand(0), operand(1), -1);
      case Opcode::Convert: return widens(op, values) ? operand(0) : Symbol{};
      case Opcode::Copy:
      case Opcode::OptBarrier:
      case Opcode::Bitcast:
      case Opcode::Reshape:
      case Opcode::Broadcast: return operand(0);
      case Opcode::Tuple: {
        std::vector<Symbol> elements;
        for (std::size_t i = 0; i < op.operands.size(); ++i) elements.push_back(operand(i));
        return tuple(std::move(elements));
      }
      case Opcode::GetTupleElement: {
        const Symbol& whole = operand(0);
        const auto index = static_cast<std::size_t>(op.attributes.index);
        const bool fits = whole.kind == Symbol::Kind::Tuple && index < whole.elements->size();
        return fits ? (*whole.elements)[index] : Symbol{};
      }
      case Opcode::Call:
      case Opcode::Fusion: {
        std::vector<Symbol> arguments;
        for (std::size_t i = 0; i < op.operands.size(); ++i) arguments.push_back(operand(i));
        const Computation& callee = graph_.computations[op.attributes.calls[0]];
        return value(callee, callee.root, arguments);
      }
      default: return {};
    }
  }

  /// A conversion that keeps every integer as it is.
  static bool widens(const Op& op, const IdVector<Op, Symbol>& values) {
    // A constant that fits stays what it is whatever the types.
    const bool is_constant = values[op.operands[0]].kind == Symbol::Kind::Constant;
    return is_integer(op.shape.dtype) && (bits(op.shape.dtype) >= 32 || is_constant);
  }

  const Graph& graph_;
};

Symbol state_symbol(const Shape& shape) {
  const auto element = [](std::int64_t i) { return Symbol{Symbol::Kind::State, 0, i, nullptr}; };
  if (!shape.is_tuple) return element(0);
  std::vector<Symbol> elements;
  for (std::int64_t i = 0; i < std::ssize(shape.elements); ++i) {
    elements.push_back(shape.elements[static_cast<std::size_t>(i)].is_tuple ? Symbol{} : element(i));
  }
  return tuple(std::move(elements));
}

Symbol element_of(const Symbol& state, std::int64_t index) {
  if (state.kind != Symbol::Kind::Tuple) return index == 0 ? state : Symbol{};
  return (*state.elements)[static_cast<std::size_t>(index)];
}

Direction mirrored(Direction direction) {
  switch (direction) {
    case Direction::LT: return Direction::GT;
    case Direction::LE: return Direction::GE;
    case Direction::GT: return Direction::LT;
    case Direction::GE: return Direction::LE;
    default: return direction;
  }
}

/// Steps from `start` by `step` while the comparison with `limit` holds. nullopt where it would run on or wrap around.
std::optional<std::int64_t> steps(std::int64_t start, std::int64_t step, Direction direction, std::int64_t limit) {
  constexpr std::int64_t kSane = std::int64_t{1} << 60;
  for (const std::int64_t value : {start, step, limit}) {
    if (value > kSane || value < -kSane) return std::nullopt;
  }
  if (direction == Direction::LE || direction == Direction::GE) {
    limit += direction == Direction::LE ? 1 : -1;
    direction = direction == Direction::LE ? Direction::LT : Direction::GT;
  }
  const std::int64_t distance = limit - start;
  switch (direction) {
    case Direction::LT:
      if (distance <= 0) return 0;
      if (step <= 0) return std::nullopt;
      return (distance + step - 1) / step;
    case Direction::GT:
      if (distance >= 0) return 0;
      if (step >= 0) return std::nullopt;
      return (distance + step + 1) / step;
    case Direction::NE:
      if (distance == 0) return 0;
      if (step == 0 || distance % step != 0 || distance / step < 0) return std::nullopt;
      return distance / step;
    case Direction::EQ:
      if (distance != 0) return 0;
      return step == 0 ? std::nullopt : std::optional<std::int64_t>(1);
    default: return std::nullopt;
  }
}

/// "known_trip_count":{"n":"32"}, in JSON or in an escaped string.
std::optional<std::int64_t> stated_trips(const std::string& backend_config) {
  const std::size_t key = backend_config.find("known_trip_count");
  if (key == std::string::npos) return std::nullopt;
  const std::size_t digits = backend_config.find_first_of("0123456789", key);
  if (digits == std::string::npos) return std::nullopt;
  std::int64_t trips = 0;
  const char* const begin = backend_config.data() + digits;
  const auto [rest, code] = std::from_chars(begin, backend_config.data() + backend_config.size(), trips);
  return code == std::errc{} ? std::optional(trips) : std::nullopt;
}

bool holds(DType dtype, std::int64_t value) {
  if (!is_integer(dtype)) return false;
  const int width = bits(dtype);
  if (width == 64) return is_signed(dtype) || value >= 0;
  if (is_unsigned(dtype)) return value >= 0 && value < (std::int64_t{1} << width);
  const std::int64_t half = std::int64_t{1} << (width - 1);
  return value >= -half && value < half;
}

/// The comparison a condition ends in, seen through calls and fusions, with the parameters' symbols there.
struct Comparison {
  const Op* op = nullptr;
  DType type = DType::S32;  ///< of what is compared
  Symbol left, right;
};

Comparison comparison(Tracer& tracer, const Graph& graph, const Computation& condition, std::vector<Symbol> parameters) {
  const Computation* computation = &condition;
  for (;;) {
    const Op& root = computation->ops[computation->root];
    if (root.opcode == Opcode::Compare) {
      return {&root, computation->ops[root.operands[0]].shape.dtype, tracer.value(*computation, root.operands[0], parameters),
              tracer.value(*computation, root.operands[1], parameters)};
    }
    if (root.opcode != Opcode::Call && root.opcode != Opcode::Fusion) return {};
    std::vector<Symbol> arguments;
    for (const Id<Op> operand : root.operands) arguments.push_back(tracer.value(*computation, operand, parameters));
    computation = &graph.computations[root.attributes.calls[0]];
    parameters = std::move(arguments);
  }
}

}  // namespace

std::optional<std::int64_t> trip_count(const Graph& graph, const Computation& computation, const Op& while_op) {
  if (const auto stated = stated_trips(while_op.attributes.backend_config)) return stated;
  Tracer tracer(graph);
  const Symbol state = state_symbol(while_op.shape);
  const Symbol initial = tracer.value(computation, while_op.operands[0], {});
  const Computation& body = graph.computations[while_op.attributes.calls[1]];
  const Symbol next = tracer.value(body, body.root, {state});
  const Comparison compared = comparison(tracer, graph, graph.computations[while_op.attributes.calls[0]], {state});
  if (compared.op == nullptr || initial.kind == Symbol::Kind::Unknown || next.kind == Symbol::Kind::Unknown) {
    return std::nullopt;
  }

  /// A side of the comparison as start + step × trip.
  struct Side {
    std::int64_t start = 0, step = 0;
  };
  const auto side = [&](const Symbol& symbol) -> std::optional<Side> {
    if (symbol.kind == Symbol::Kind::Constant) return Side{symbol.value, 0};
    if (symbol.kind != Symbol::Kind::State) return std::nullopt;
    const Symbol first = element_of(initial, symbol.index);
    const Symbol after = element_of(next, symbol.index);
    Side result;
    if (first.kind != Symbol::Kind::Constant || __builtin_add_overflow(first.value, symbol.value, &result.start)) {
      return std::nullopt;
    }
    if (after.kind != Symbol::Kind::State || after.index != symbol.index) return std::nullopt;
    result.step = after.value;
    return result;
  };
  const auto left = side(compared.left), right = side(compared.right);
  if (!left || !right || (left->step != 0 && right->step != 0)) return std::nullopt;
  const Direction direction = compared.op->attributes.direction;
  const auto trips = right->step == 0 ? steps(left->start, left->step, direction, right->start)
                                      : steps(right->start, right->step, mirrored(direction), left->start);
  const Side& counter = right->step == 0 ? *left : *right;
  // A counter that leaves its type on the last step wraps around and the loop goes on.
  std::int64_t last = 0;
  if (!trips || __builtin_mul_overflow(*trips, counter.step, &last) ||
      __builtin_add_overflow(last, counter.start, &last) || !holds(compared.type, last)) {
    return std::nullopt;
  }
  return trips;
}

}  // namespace seam::graph
