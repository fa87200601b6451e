#pragma once
/// PTX as written: functions, declarations and statements, names not yet looked up. What an opcode means is
/// the business of decode/.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/types.h"

namespace seam::sim {

struct Operand {
  enum class Kind : std::uint8_t {
    Name,     ///< register, special register, variable, label, function; `name`, maybe `offset`
    Integer,  ///< `bits` (two's complement)
    F32,      ///< 0f…: `bits`
    F64,      ///< 0d… or a decimal literal: `bits`
    Vector,   ///< {a, b}: `elements`
    Address,  ///< [name+offset], [integer]; more elements than one address for tensor forms
    List,     ///< (a, b): arguments of call
  };
  Kind kind = Kind::Name;
  bool negated = false;        ///< !p
  std::string_view name;
  std::string_view second;     ///< q of p|q
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::vector<Operand> elements;
};

/// Where an instruction came from: the PTX line, and the source line if the PTX has .loc.
struct Place {
  int line = 0;
  int source_file = 0;  ///< index of .file, 0 = none
  int source_line = 0;
};

struct Statement {
  std::string_view opcode;  ///< with its modifiers
  std::vector<Operand> operands;
  std::string_view guard;  ///< empty = none
  bool guard_negated = false;
  Place place;
  int column = 0;
  std::string_view text;  ///< as written, without guard and semicolon
};

enum class Space : std::uint8_t { Generic, Global, Shared, Local, Param, Const, Register };

/// .reg, .local, .shared, .param, .global, .const
struct Variable {
  Space space = Space::Register;
  Type type = Type::B32;
  std::string_view name;
  int count = 0;             ///< %r<10>: ten registers %r0 … %r9; 0 = one, named as written
  int align = 0;             ///< bytes
  std::int64_t elements = 1;
  bool unsized = false;      ///< extern shared s[]
  bool external = false;
  bool pointer = false;      ///< .ptr
  std::vector<Operand> initial;
  int line = 0;

  [[nodiscard]] std::int64_t bytes() const { return elements * size(type); }
};

struct Item {
  enum class Kind : std::uint8_t { Statement, Label, Variable, Open, Close, Targets };
  Kind kind = Kind::Statement;
  std::string_view label;                  ///< Label, Targets
  std::size_t index = 0;                   ///< into statements / variables
  std::vector<std::string_view> targets;   ///< .branchtargets
  int line = 0;
};

struct Function {
  std::string_view name;
  bool entry = false;
  bool defined = false;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::vector<Item> body;
  std::vector<Statement> statements;
  std::vector<Variable> variables;
  int max_threads = 0;
  int required_threads[3] = {0, 0, 0};
  int line = 0;
};

struct Syntax {
  std::string file;
  std::vector<Function> functions;
  std::vector<Variable> variables;            ///< module scope
  std::vector<std::string> source_files;      ///< by .file index
};

/// Views in the result point into `text`.
[[nodiscard]] Result<Syntax> parse(std::string_view text, std::string_view file);

}  // namespace seam::sim
