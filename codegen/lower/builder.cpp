#include "lower/builder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include "base/check.h"

namespace seam::codegen {
namespace {

constexpr std::size_t kVariable = std::numeric_limits<std::size_t>::max();

/// Words that a name in the emitted text must not be.
constexpr std::array<std::string_view, 74> kReserved = {
    "and",      "asm",     "auto",    "bool",     "break",   "case",     "char",    "class",    "const",   "continue", "default",
    "delete",   "do",      "double",  "else",     "enum",    "exp",      "float",   "floor",    "for",     "goto",     "if",
    "inline",   "int",     "log",     "long",     "new",     "not",      "operator", "or",      "private", "public",   "register",
    "return",   "short",   "signed",  "sizeof",   "static",  "struct",   "switch",  "template", "this",    "throw",    "true",
    "false",    "try",     "typedef", "union",    "unsigned", "using",   "virtual", "void",     "volatile", "while",   "xor",
    "thread",   "block",   "shared",  "abs",      "pow",     "sqrt",     "tanh",    "erf",      "ceil",    "nan",      "inf",
    "min",      "max",     "sin",     "cos",      "tan",     "round",    "divide",  "remainder_of"};

}  // namespace

Builder::Builder(DType index_type, int threads, std::int64_t grid) : index_(index_type, ranges_) {
  for (const std::string_view word : kReserved) used_[std::string(word)] = 1;
  depth_["thread"] = 0;
  depth_["block"] = 0;
  ranges_.set("thread", {0, threads - 1});
  ranges_.set("block", {0, grid - 1});
  push(Scope::Kind::Block);
}

void Builder::push(Scope::Kind kind) {
  scopes_.emplace_back();
  scopes_.back().kind = kind;
  scopes_.back().outer = ranges_;
}

Builder::Scope Builder::pop() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  ranges_ = scope.outer;
  return scope;
}

std::string Builder::fresh(std::string_view hint) {
  std::string base;
  for (const char c : hint) base += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base.front())) != 0) base = "v" + base;
  int& uses = used_[base];
  if (uses++ == 0) return base;
  std::string name;
  do {
    name = base + "_" + std::to_string(uses - 1);
    if (!used_.contains(name)) break;
    ++uses;
  } while (true);
  used_[name] = 1;
  return name;
}

std::size_t Builder::depth_of(const Expr& e) const {
  if (const auto* var = std::get_if<Var>(&e->kind)) {
    const auto found = depth_.find(var->name);
    SEAM_CHECK(found != depth_.end(), "a name is used that was never defined: " + var->name);
    return found->second == kVariable ? scopes_.size() - 1 : found->second;
  }
  std::size_t depth = 0;
  for_each_child(e, [&](const Expr& child) { depth = std::max(depth, depth_of(child)); });
  return depth;
}

std::size_t Builder::outermost_for(const Expr& e) const {
  std::size_t floor = 0;  // the innermost scope that is no loop body: nothing may leave it
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    if (scopes_[i].kind != Scope::Kind::Loop) floor = i;
  }
  return std::max(floor, depth_of(e));
}

Expr Builder::let(std::string_view hint, const Expr& value, std::optional<Interval> range) {
  if (std::holds_alternative<Imm>(value->kind)) return value;
  if (std::holds_alternative<Var>(value->kind) && !range) return value;
  if (has_variable(value)) return bind(hint, value);
  for (const Scope& scope : scopes_) {
    if (const auto found = scope.lets.find(value); found != scope.lets.end() && !range) return found->second;
  }
  const std::size_t depth = outermost_for(value);
  const std::string name = fresh(hint);
  scopes_[depth].body.push_back(Let{name, value});
  ++count_;
  const Expr var = Var{name, dtype_of(value)};
  depth_[name] = depth;
  if (!is_float(dtype_of(value))) {
    const Interval known = ranges_.of(value);
    ranges_.set(name, range ? meet(*range, known) : known);
    // Scopes that are open restore what they saw when they began; a hoisted name must survive that.
    for (std::size_t i = depth + 1; i < scopes_.size(); ++i) scopes_[i].outer.set(name, range ? meet(*range, known) : known);
  }
  scopes_[depth].lets.emplace(value, var);
  return var;
}

bool Builder::has_variable(const Expr& e) const {
  if (const auto* var = std::get_if<Var>(&e->kind)) {
    const auto found = depth_.find(var->name);
    return found != depth_.end() && found->second == kVariable;
  }
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || has_variable(child); });
  return found;
}

Expr Builder::bind(std::string_view hint, const Expr& value) {
  const std::string name = fresh(hint);
  depth_[name] = scopes_.size() - 1;
  emit(Let{name, value});
  ++count_;
  if (!is_float(dtype_of(value))) ranges_.set(name, ranges_.of(value));
  return Var{name, dtype_of(value)};
}

Expr Builder::declare(std::string_view hint, const Expr& init) {
  const std::string name = fresh(hint);
  depth_[name] = kVariable;
  emit(Declare{name, init});
  ++count_;
  return Var{name, dtype_of(init)};
}

Expr Builder::shuffle(std::string_view hint, const Expr& value, int mask) {
  const std::string name = fresh(hint);
  depth_[name] = scopes_.size() - 1;
  emit(Shuffle{name, value, mask});
  ++count_;
  return Var{name, dtype_of(value)};
}

Expr Builder::last_block(std::string_view hint, const std::string& counters, const Expr& index, std::int64_t blocks,
                         const std::string& flag) {
  const std::string name = fresh(hint);
  depth_[name] = scopes_.size() - 1;
  emit(LastBlock{name, counters, index, blocks, flag});
  ++count_;
  return Var{name, DType::Pred};
}

void Builder::assign(const Expr& variable, const Expr& value) {
  const auto* var = std::get_if<Var>(&variable->kind);
  SEAM_CHECK(var != nullptr && depth_.at(var->name) == kVariable, "only a declared variable can be assigned");
  emit(Assign{var->name, value});
  ++count_;
}

std::optional<Expr> Builder::known(const ValueKey& key) const {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    if (const auto found = scopes_[i].values.find(key); found != scopes_[i].values.end()) return found->second;
  }
  return std::nullopt;
}

void Builder::remember(const ValueKey& key, const Expr& value) {
  // As far out as both the index and the value mean something.
  const std::size_t depth = std::max(outermost_for(key.index), depth_of(value));
  scopes_[depth].values.insert_or_assign(key, value);
}

Expr Builder::open_loop(std::string_view hint, const Expr& begin, const Expr& end, std::int64_t step) {
  const std::string name = fresh(hint);
  push(Scope::Kind::Loop);
  scopes_.back().head = For{name, begin, end, step, {}};
  depth_[name] = scopes_.size() - 1;
  ranges_.set(name, {ranges_.of(begin).lo, ranges_.of(end).hi - 1});
  return Var{name, index_.type()};
}

void Builder::close_loop() {
  SEAM_CHECK(scopes_.back().kind == Scope::Kind::Loop, "the innermost scope is no loop");
  Scope scope = pop();
  For loop = std::get<For>((*scope.head)->kind);
  loop.body = std::move(scope.body);
  emit(std::move(loop));
  ++count_;
}

void Builder::open_if(const Expr& condition) {
  push(Scope::Kind::Then);
  scopes_.back().head = If{condition, {}, {}};
  ranges_.assume(condition, true);
}

void Builder::otherwise() {
  SEAM_CHECK(scopes_.back().kind == Scope::Kind::Then, "else without if");
  Scope scope = pop();
  push(Scope::Kind::Else);
  scopes_.back().head = scope.head;
  scopes_.back().then = std::move(scope.body);
  ranges_.assume(std::get<If>((*scope.head)->kind).condition, false);
}

void Builder::close_if() {
  SEAM_CHECK(scopes_.back().kind == Scope::Kind::Then || scopes_.back().kind == Scope::Kind::Else, "the innermost scope is no if");
  Scope scope = pop();
  If branch = std::get<If>((*scope.head)->kind);
  if (scope.kind == Scope::Kind::Then) {
    branch.then = std::move(scope.body);
  } else {
    branch.then = std::move(scope.then);
    branch.otherwise = std::move(scope.body);
  }
  emit(std::move(branch));
  ++count_;
}

void Builder::open_block() { push(Scope::Kind::Block); }

Body Builder::close_block() {
  SEAM_CHECK(scopes_.back().kind == Scope::Kind::Block, "the innermost scope is no block");
  return pop().body;
}

}  // namespace seam::codegen
