#pragma once
/// One instruction while it is being decoded. A family's decoder *takes* each modifier it implements; whatever is
/// left untaken at the end makes the instruction unsupported. That is what keeps the decoder an allow-list: a modifier
/// nobody asked for can not be ignored.
///
/// The first problem is kept and later calls become harmless, so that decoders read straight through.
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/program.h"
#include "decode/registers.h"

namespace seam::sim {

/// What labels and callees become is known only when a whole function has been emitted.
struct BranchFixup {
  std::string_view label;
};

class Form {
 public:
  Form(const Statement& statement, Registers& registers, bool wide);

  /// The instruction being built.
  Instruction out;
  std::optional<BranchFixup> branch;

  [[nodiscard]] std::string_view base() const { return base_; }
  /// True if the machine has the instructions of the fast loops (ops/loops.h).
  [[nodiscard]] bool wide() const { return wide_; }
  [[nodiscard]] const Statement& statement() const { return statement_; }
  [[nodiscard]] Registers& registers() { return registers_; }

  // Modifiers.
  bool take(std::string_view modifier);
  /// The index of the one that is there, or -1.
  int take_one(std::initializer_list<std::string_view> modifiers);
  /// The next type modifier; refuses if there is none.
  Type take_type();
  std::optional<Type> take_optional_type();
  /// The type modifier that take_type would take.
  [[nodiscard]] std::optional<Type> peek_type() const;
  [[nodiscard]] bool has(std::string_view modifier) const;

  // Operands.
  [[nodiscard]] std::size_t operands() const { return statement_.operands.size(); }
  void expect_operands(std::size_t least, std::size_t most);
  [[nodiscard]] const Operand& operand(std::size_t index) const;
  /// A register of exactly the type's size to write; kNoRow for '_'.
  std::uint32_t destination(std::size_t index, Type type);
  /// A register of exactly the type's size, a special register, or a constant.
  std::uint32_t source(std::size_t index, Type type);
  std::uint32_t source(const Operand& operand, Type type);
  /// A predicate register, maybe negated, or a constant.
  std::uint32_t predicate(std::size_t index, bool& negated);
  /// "p|q" as destination: rows of p and q (kNoRow if absent or '_').
  void predicate_pair(std::size_t index, std::uint32_t& p, std::uint32_t& q);
  std::uint32_t predicate_register(std::string_view name);
  /// Fills a, address_bytes, offset from an address operand.
  void address(std::size_t index);
  /// A register at least as wide as the type; its lane size goes to `row_bytes`. For ld, st and cvt.
  std::uint32_t wide_destination(std::size_t index, Type type, std::uint8_t& row_bytes);
  std::uint32_t wide_source(const Operand& operand, Type type, std::uint8_t& row_bytes);
  std::uint32_t wide_destination(const Operand& operand, Type type, std::uint8_t& row_bytes);
  /// The value of an integer literal.
  std::optional<std::int64_t> literal(std::size_t index);

  // Problems.
  void refuse(std::string why);
  void wrong(std::string why);
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  /// After decoding: the error, or an untaken modifier, or nothing.
  [[nodiscard]] std::optional<Error> finish(std::string_view file);

 private:
  const Statement& statement_;
  Registers& registers_;
  bool wide_;
  std::string_view base_;
  struct Modifier {
    std::string_view text;
    bool taken = false;
  };
  std::vector<Modifier> modifiers_;
  std::optional<Error> error_;
  Operand missing_;
};

/// An instruction's text on one line, blanks collapsed, not too long: for messages.
[[nodiscard]] std::string one_line(std::string_view text);

/// One opcode of a family: its name and what decodes it.
struct Opcode {
  std::string_view name;
  void (*decode)(Form&);
};

}  // namespace seam::sim
