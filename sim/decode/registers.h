#pragma once
/// Names → rows of the register file, addresses of variables, constants. Names are scoped by braces; a name in an inner
/// scope hides the outer one (inline asm relies on it).
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decode/program.h"

namespace seam::sim {

/// What a name stands for.
struct Symbol {
  enum class Kind : std::uint8_t { Register, Variable };
  Kind kind = Kind::Register;
  Type type = Type::B32;
  std::uint32_t row = kNoRow;       ///< Register: given on first use
  Space space = Space::Register;    ///< Variable
  std::int64_t address = 0;         ///< Variable: offset in its space
  int global = -1;                  ///< Variable: module variable
};

class Registers {
 public:
  explicit Registers(Program& program) : program_(program) {}

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() { scopes_.pop_back(); }
  /// Hides the scopes that are open now (a callee does not see its caller's names); returns what close_function needs.
  [[nodiscard]] std::size_t open_function();
  void close_function(std::size_t floor);

  void declare(std::string_view name, Symbol symbol) { scopes_.back().names[name] = symbol; }
  /// %r<10>
  void declare_range(std::string_view prefix, int count, Type type);
  void declare_global(std::string_view name, Symbol symbol) { globals_[name] = symbol; }

  [[nodiscard]] std::optional<Symbol> find(std::string_view name);
  /// The row of a register symbol, made on first use. nullopt: not a register.
  [[nodiscard]] std::optional<Symbol> find_register(std::string_view name);
  [[nodiscard]] std::optional<std::pair<std::uint32_t, int>> special(std::string_view name);
  /// The granularity of race checks follows the smallest access.
  void note_access(Space space, int bytes);
  void note_fence() { program_.fences = true; }
  /// The row of `bytes` bytes at a place of the parameter block; nullopt if they are not inside it.
  [[nodiscard]] std::optional<std::uint32_t> parameter(std::int64_t at, int bytes);
  [[nodiscard]] std::uint32_t constant(std::uint64_t value, int bytes, int global = -1);

 private:
  struct Range {
    std::string_view prefix;
    int count;
    Type type;
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> names;
    std::vector<Range> ranges;
  };

  std::uint32_t new_row(int bytes);
  Symbol* find_local(std::string_view name);

  Program& program_;
  std::vector<Scope> scopes_;
  std::size_t floor_ = 0;
  std::unordered_map<std::string_view, Symbol> globals_;
  std::map<std::tuple<std::uint64_t, int, int>, std::uint32_t> constants_;
  std::map<std::pair<std::int64_t, int>, std::uint32_t> parameters_;
  std::map<std::pair<Special, int>, std::uint32_t> specials_;
};

}  // namespace seam::sim
