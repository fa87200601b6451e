#include "decode/form.h"

#include <fmt/format.h>

#include <bit>

namespace seam::sim {
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
    if (out.size() > 200) return out + "…";
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

Form::Form(const Statement& statement, Registers& registers, bool wide)
    : statement_(statement), registers_(registers), wide_(wide) {
  std::string_view rest = statement.opcode;
  bool first = true;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    if (first) {
      base_ = part;
    } else {
      modifiers_.push_back({part, false});
    }
    first = false;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
}

bool Form::take(std::string_view modifier) {
  for (Modifier& one : modifiers_) {
    if (one.taken || one.text != modifier) continue;
    one.taken = true;
    return true;
  }
  return false;
}

int Form::take_one(std::initializer_list<std::string_view> modifiers) {
  int index = 0;
  for (const std::string_view one : modifiers) {
    if (take(one)) return index;
    ++index;
  }
  return -1;
}

bool Form::has(std::string_view modifier) const {
  for (const Modifier& one : modifiers_) {
    if (one.text == modifier) return true;
  }
  return false;
}

std::optional<Type> Form::take_optional_type() {
  for (Modifier& one : modifiers_) {
    if (one.taken) continue;
    if (const auto type = type_named(one.text)) {
      one.taken = true;
      return type;
    }
  }
  return std::nullopt;
}

std::optional<Type> Form::peek_type() const {
  for (const Modifier& one : modifiers_) {
    if (one.taken) continue;
    if (const auto type = type_named(one.text)) return type;
  }
  return std::nullopt;
}

Type Form::take_type() {
  if (const auto type = take_optional_type()) return *type;
  // Maybe it has one that is not known here: .e4m3x2, .b128, …
  refuse("the instruction has no type that is supported");
  return Type::B32;
}

void Form::expect_operands(std::size_t least, std::size_t most) {
  if (operands() >= least && operands() <= most) return;
  wrong(fmt::format("wants {} operands, has {}",
                    least == most ? fmt::to_string(least) : fmt::format("{} to {}", least, most),
                    operands()));
}

const Operand& Form::operand(std::size_t index) const {
  return index < operands() ? statement_.operands[index] : missing_;
}

std::uint32_t Form::wide_destination(const Operand& operand, Type type, std::uint8_t& row_bytes) {
  if (failed()) return 0;
  row_bytes = static_cast<std::uint8_t>(std::max(size(type), 1));
  if (operand.kind != Operand::Kind::Name || operand.negated || operand.offset != 0 ||
      !operand.second.empty()) {
    wrong("a destination must be a register");
    return 0;
  }
  if (operand.name == "_") return kNoRow;
  const auto symbol = registers_.find_register(operand.name);
  if (!symbol) {
    wrong(fmt::format("'{}' is not a register", operand.name));
    return 0;
  }
  if ((symbol->type == Type::Pred) != (type == Type::Pred) || size(symbol->type) < size(type)) {
    wrong(fmt::format("register {} is .{}, the instruction wants .{}", operand.name,
                      name(symbol->type), name(type)));
    return 0;
  }
  row_bytes = static_cast<std::uint8_t>(size(symbol->type));
  return symbol->row;
}

std::uint32_t Form::wide_destination(std::size_t index, Type type, std::uint8_t& row_bytes) {
  return wide_destination(operand(index), type, row_bytes);
}

std::uint32_t Form::destination(std::size_t index, Type type) {
  std::uint8_t bytes = 0;
  const std::uint32_t row = wide_destination(operand(index), type, bytes);
  if (failed()) return 0;
  if (row == kNoRow) {
    refuse("a destination '_' is not supported here");
    return 0;
  }
  if (bytes != size(type)) {
    wrong(fmt::format("register {} has {} bits, the instruction wants .{}", operand(index).name,
                      8 * bytes, name(type)));
  }
  return row;
}

std::uint32_t Form::wide_source(const Operand& operand, Type type, std::uint8_t& row_bytes) {
  if (failed()) return 0;
  row_bytes = static_cast<std::uint8_t>(size(type));
  switch (operand.kind) {
    case Operand::Kind::Integer:
      if (type == Type::F32 || type == Type::F64) {
        wrong("an integer literal where a float is wanted");
        return 0;
      }
      return registers_.constant(operand.bits, size(type));
    case Operand::Kind::F32:
      if (size(type) != 4) break;
      return registers_.constant(operand.bits, 4);
    case Operand::Kind::F64:
      if (type == Type::F32) {
        // a decimal literal takes the type of the instruction
        const auto value = static_cast<float>(std::bit_cast<double>(operand.bits));
        return registers_.constant(std::bit_cast<std::uint32_t>(value), 4);
      }
      if (size(type) != 8) break;
      return registers_.constant(operand.bits, 8);
    case Operand::Kind::Name: {
      if (operand.name.empty()) {
        wrong("an operand is missing");
        return 0;
      }
      if (operand.negated || !operand.second.empty() || operand.offset != 0) break;
      if (const auto symbol = registers_.find_register(operand.name)) {
        if ((symbol->type == Type::Pred) != (type == Type::Pred) ||
            size(symbol->type) < size(type)) {
          wrong(fmt::format("register {} is .{}, the instruction wants .{}", operand.name,
                            name(symbol->type), name(type)));
          return 0;
        }
        row_bytes = static_cast<std::uint8_t>(size(symbol->type));
        return symbol->row;
      }
      if (operand.name == "WARP_SZ" || operand.name == "%warpsize") {
        return registers_.constant(32, size(type));
      }
      if (const auto special = registers_.special(operand.name)) {
        row_bytes = static_cast<std::uint8_t>(special->second);
        if (special->second < size(type)) {
          wrong(fmt::format("{} is narrower than .{}", operand.name, name(type)));
        }
        return special->first;
      }
      if (operand.name[0] == '%') {
        if (registers_.find(operand.name)) break;
        refuse(fmt::format("register {} is not declared, or a special register that is not "
                           "supported", operand.name));
        return 0;
      }
      break;
    }
    default: break;
  }
  refuse("this operand is not supported here");
  return 0;
}

std::uint32_t Form::source(const Operand& operand, Type type) {
  std::uint8_t bytes = 0;
  const std::uint32_t row = wide_source(operand, type, bytes);
  if (!failed() && bytes != size(type)) {
    wrong(fmt::format("{} has {} bits, the instruction wants .{}", operand.name, 8 * bytes,
                      name(type)));
  }
  return row;
}

std::uint32_t Form::source(std::size_t index, Type type) {
  if (index >= operands()) {
    wrong("an operand is missing");
    return 0;
  }
  return source(operand(index), type);
}

std::uint32_t Form::predicate_register(std::string_view text) {
  if (failed()) return 0;
  const auto symbol = registers_.find_register(text);
  if (!symbol || symbol->type != Type::Pred) {
    wrong(fmt::format("'{}' is not a predicate", text));
    return 0;
  }
  return symbol->row;
}

std::uint32_t Form::predicate(std::size_t index, bool& negated) {
  if (failed()) return 0;
  const Operand& one = operand(index);
  negated = one.negated;
  if (one.kind == Operand::Kind::Integer) return registers_.constant(one.bits != 0 ? 1 : 0, 0);
  if (one.kind != Operand::Kind::Name || !one.second.empty() || one.offset != 0) {
    wrong("a predicate is wanted here");
    return 0;
  }
  return predicate_register(one.name);
}

void Form::predicate_pair(std::size_t index, std::uint32_t& p, std::uint32_t& q) {
  if (failed()) return;
  const Operand& one = operand(index);
  if (one.kind != Operand::Kind::Name || one.negated || one.offset != 0) {
    wrong("a predicate is wanted here");
    return;
  }
  p = one.name == "_" ? kNoRow : predicate_register(one.name);
  q = one.second.empty() || one.second == "_" ? kNoRow : predicate_register(one.second);
}

void Form::address(std::size_t index) {
  if (failed()) return;
  const Operand& whole = operand(index);
  if (whole.kind != Operand::Kind::Address) {
    wrong("an address in brackets is wanted here");
    return;
  }
  if (whole.elements.size() != 1) {
    refuse("this form of address is not supported");
    return;
  }
  const Operand& one = whole.elements[0];
  if (one.kind == Operand::Kind::Integer) {
    out.offset = static_cast<std::int64_t>(one.bits);
    return;
  }
  if (one.kind != Operand::Kind::Name || one.negated || !one.second.empty()) {
    refuse("this form of address is not supported");
    return;
  }
  out.offset = one.offset;
  const auto symbol = registers_.find(one.name);
  if (!symbol) {
    wrong(fmt::format("'{}' is not declared", one.name));
    return;
  }
  if (symbol->kind == Symbol::Kind::Register) {
    if (symbol->type == Type::Pred || size(symbol->type) < 4 || size(symbol->type) > 8) {
      wrong(fmt::format("register {} cannot hold an address", one.name));
      return;
    }
    out.a = registers_.find_register(one.name)->row;
    out.address_bytes = static_cast<std::uint8_t>(size(symbol->type));
    return;
  }
  const bool same = symbol->space == out.space ||
                    (symbol->space == Space::Const && out.space == Space::Global);
  if (!same) {
    refuse(fmt::format("'{}' does not lie in the state space of this access", one.name));
    return;
  }
  if (symbol->global >= 0) {
    out.a = registers_.constant(0, 8, symbol->global);
    out.address_bytes = 8;
  } else {
    out.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.offset) +
                                           static_cast<std::uint64_t>(symbol->address));
  }
}

std::optional<std::int64_t> Form::literal(std::size_t index) {
  const Operand& one = operand(index);
  if (index >= operands() || one.kind != Operand::Kind::Integer) return std::nullopt;
  return static_cast<std::int64_t>(one.bits);
}

void Form::refuse(std::string why) {
  if (error_) return;
  error_ = Error{Error::Code::Unsupported, std::move(why), std::nullopt, {}};
}

void Form::wrong(std::string why) {
  if (error_) return;
  error_ = Error{Error::Code::BadInput, std::move(why), std::nullopt, {}};
}

std::optional<Error> Form::finish(std::string_view file) {
  for (const Modifier& one : modifiers_) {
    if (!one.taken) refuse(fmt::format("modifier .{} is not supported on {}", one.text, base_));
  }
  if (!out.run && !branch) refuse(fmt::format("instruction {} is not supported", base_));
  if (!error_) return std::nullopt;
  Error error = *error_;
  error.message = fmt::format("{}: `{}`",
                              error.code == Error::Code::Unsupported
                                  ? fmt::format("unsupported PTX: {}", error.message)
                                  : error.message,
                              one_line(statement_.text));
  error.at = Position{std::string(file), statement_.place.line, statement_.column};
  return error;
}

}  // namespace seam::sim
