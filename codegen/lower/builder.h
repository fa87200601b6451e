#pragma once
/// Builds the statements of a kernel: nested scopes, fresh names, values named once and reused wherever they are visible.
/// A value that does not depend on a loop's variable is put before the loop; nothing leaves an If, whose guard may be what
/// keeps an index inside its buffer.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/index_math.h"
#include "analysis/ranges.h"
#include "codegen/kernel.h"

namespace seam::codegen {

/// Which value a name holds: result `component` of an op (0 but for variadic reduces) at an index.
struct ValueKey {
  Id<graph::Op> op;
  std::int64_t component = 0;
  Expr index;
  friend bool operator==(const ValueKey&, const ValueKey&) = default;
};
struct ValueKeyHash {
  std::size_t operator()(const ValueKey& key) const {
    return key.index.hash() * 31 + key.op.value * std::size_t{1000003} + static_cast<std::size_t>(key.component);
  }
};

class Builder {
 public:
  Builder(DType index_type, int threads, std::int64_t grid);

  [[nodiscard]] const IndexMath& index() const { return index_; }
  [[nodiscard]] Interval range(const Expr& e) const { return ranges_.of(e); }

  /// "add_3", then "add_3_1" …: C identifiers, unique in the kernel.
  std::string fresh(std::string_view hint);

  /// Names `value` in the outermost scope where it can stand; names and constants stay as they are. `range`: what the caller knows beyond
  /// the types.
  Expr let(std::string_view hint, const Expr& value, std::optional<Interval> range = std::nullopt);
  /// A new name in the current scope, whatever was named before: for values that change (accumulators, scratch).
  Expr bind(std::string_view hint, const Expr& value);
  /// A variable that assign() changes, in the current scope.
  Expr declare(std::string_view hint, const Expr& init);
  /// The value of the lane whose number differs in `mask`.
  Expr shuffle(std::string_view hint, const Expr& value, int mask);
  Expr last_block(std::string_view hint, const std::string& counters, const Expr& index, std::int64_t blocks, const std::string& flag);
  void assign(const Expr& variable, const Expr& value);
  void emit(Stmt stmt) { scopes_.back().body.push_back(std::move(stmt)); }

  [[nodiscard]] std::optional<Expr> known(const ValueKey& key) const;
  /// `value` must be visible wherever the key's index is (let() sees to that).
  void remember(const ValueKey& key, const Expr& value);

  /// A loop's variable is made by open_loop; close_loop ends the body.
  Expr open_loop(std::string_view hint, const Expr& begin, const Expr& end, std::int64_t step);
  void close_loop();
  /// Statements and knowledge until close_if / otherwise belong to the branch. Names that `condition` compares are narrowed inside.
  void open_if(const Expr& condition);
  void otherwise();
  void close_if();
  /// A list of statements that the caller places: what let() hoists stays in it.
  void open_block();
  [[nodiscard]] Body close_block();

  [[nodiscard]] std::int64_t statements() const { return count_; }

 private:
  struct Scope {
    enum class Kind : std::uint8_t { Block, Loop, Then, Else } kind = Kind::Block;
    Body body;
    std::unordered_map<ValueKey, Expr, ValueKeyHash> values;
    std::unordered_map<Expr, Expr, ExprHash> lets;  ///< value → name: the same text is named once
    Ranges outer;                     ///< to restore
    std::optional<Stmt> head;         ///< For or If without its body
    Body then;                       ///< of an If whose else is open
  };
  void push(Scope::Kind kind);
  Scope pop();
  /// The depth of the innermost scope that defines something `e` uses.
  [[nodiscard]] std::size_t depth_of(const Expr& e) const;
  [[nodiscard]] std::size_t outermost_for(const Expr& e) const;
  [[nodiscard]] bool has_variable(const Expr& e) const;

  Ranges ranges_;
  IndexMath index_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string, std::size_t> depth_;  ///< of each name; SIZE_MAX: a variable, stays where it is
  std::unordered_map<std::string, int> used_;
  std::int64_t count_ = 0;
};

}  // namespace seam::codegen
