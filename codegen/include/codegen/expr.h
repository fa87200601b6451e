#pragma once
/// Expressions of the kernel IR. A node is a plain struct; an Expr is a shared, immutable handle to
/// one of them. Two kinds of arithmetic are kept apart: Bin is index arithmetic and guards (exact
/// integers, never out of range: the verifier checks what it can), Scalar is an HLO op on one
/// element (its meaning, rounding and overflow included, is that of the op graph).
/// Adding a node kind: add the struct, add it to ExprNode, then follow the compiler: every match()
/// that does not know it stops compiling.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "graph/graph.h"

namespace seam::codegen {

template <class T, class... Ts>
concept OneOf = (std::same_as<T, Ts> || ...);

struct ExprNode;
struct Imm;
struct Var;
struct Bin;
struct Load;
struct Scalar;
template <class T>
concept ExpressionKind = OneOf<T, Imm, Var, Bin, Load, Scalar>;

class Expr {
 public:
  template <ExpressionKind Node>
  Expr(Node node);  // NOLINT(google-explicit-constructor): Bin{Add, a, Var{"i"}} should read like that
  const ExprNode& operator*() const { return *node_; }
  const ExprNode* operator->() const { return node_.get(); }
  /// Same structure. Cheap where nodes are shared or hashes differ.
  friend bool operator==(const Expr& a, const Expr& b);
  /// The very same node: how a rewrite tells that it changed nothing.
  [[nodiscard]] bool same_node(const Expr& other) const { return node_ == other.node_; }
  [[nodiscard]] std::size_t hash() const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

enum class BinOp : std::uint8_t { Add, Sub, Mul, Div, Mod, Min, Max, Lt, Le, Eq, Ne, And, Or };
[[nodiscard]] std::string_view name(BinOp op);  ///< "add" …

/// A constant. Floats: the bits of the value as a double (exact for every float type; one NaN); integers: the value; pred: 0 or 1.
struct Imm {
  DType dtype = DType::S32;
  std::uint64_t bits = 0;
  friend bool operator==(const Imm&, const Imm&) = default;
};
/// `thread` and `block` are defined everywhere; everything else by Let, Declare, For, Shuffle or LastBlock.
struct Var {
  std::string name;
  DType dtype = DType::S32;
  friend bool operator==(const Var&, const Var&) = default;
};
/// Index arithmetic. Div and Mod want a dividend >= 0 and a divisor > 0. Lt … Or yield pred;
/// And and Or look at b only where a does not decide.
struct Bin {
  BinOp op;
  Expr a, b;
  friend bool operator==(const Bin&, const Bin&) = default;
};
/// Element `index` of a buffer, in elements, not bytes.
struct Load {
  std::string buffer;
  DType dtype = DType::F32;
  Expr index;
  friend bool operator==(const Load&, const Load&) = default;
};
/// An elementwise HLO op on scalars. f16 and bf16 values are held as floats that the type can represent.
/// `detail`: compare: direction, total order; reduce-precision: exponent bits, mantissa bits.
struct Scalar {
  graph::Opcode op{};
  DType dtype = DType::F32;
  std::vector<Expr> args;
  std::int64_t detail = 0, detail2 = 0;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

struct ExprNode {
  std::variant<Imm, Var, Bin, Load, Scalar> kind;
  std::size_t hash = 0;
};

[[nodiscard]] std::size_t hash_of(const Imm& n);
[[nodiscard]] std::size_t hash_of(const Var& n);
[[nodiscard]] std::size_t hash_of(const Bin& n);
[[nodiscard]] std::size_t hash_of(const Load& n);
[[nodiscard]] std::size_t hash_of(const Scalar& n);

template <ExpressionKind Node>
Expr::Expr(Node node) {
  const std::size_t h = hash_of(node);
  node_ = std::make_shared<const ExprNode>(ExprNode{std::move(node), h});
}

inline std::size_t Expr::hash() const { return node_->hash; }

inline bool operator==(const Expr& a, const Expr& b) {
  return a.node_ == b.node_ || (a->hash == b->hash && a->kind == b->kind);
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// match(e, [](const Imm& n) {...}, [](const Var& n) {...}, ...): one function per kind, checked by
/// the compiler.
template <class... F>
decltype(auto) match(const Expr& e, F&&... f) {
  return std::visit(Overloaded{std::forward<F>(f)...}, e->kind);
}

/// e with f applied to each direct child; e itself when no child changed.
template <class F>
Expr map_children(const Expr& e, F&& f) {
  return match(
      e, [&](const Imm&) { return e; }, [&](const Var&) { return e; },
      [&](const Bin& n) {
        Expr a = f(n.a);
        Expr b = f(n.b);
        return a.same_node(n.a) && b.same_node(n.b) ? e : Expr(Bin{n.op, a, b});
      },
      [&](const Load& n) {
        Expr index = f(n.index);
        return index.same_node(n.index) ? e : Expr(Load{n.buffer, n.dtype, index});
      },
      [&](const Scalar& n) {
        std::vector<Expr> args;
        args.reserve(n.args.size());
        for (const Expr& arg : n.args) args.push_back(f(arg));
        return std::ranges::equal(args, n.args,
                                  [](const Expr& a, const Expr& b) { return a.same_node(b); })
                   ? e
                   : Expr(Scalar{n.op, n.dtype, std::move(args), n.detail, n.detail2});
      });
}

/// Calls f on each direct child.
template <class F>
void for_each_child(const Expr& e, F&& f) {
  match(
      e, [](const Imm&) {}, [](const Var&) {},
      [&](const Bin& n) {
        f(n.a);
        f(n.b);
      },
      [&](const Load& n) { f(n.index); },
      [&](const Scalar& n) {
        for (const Expr& arg : n.args) f(arg);
      });
}

[[nodiscard]] DType dtype_of(const Expr& e);

[[nodiscard]] Expr imm_int(DType dtype, std::int64_t value);
/// Rounded to `dtype`.
[[nodiscard]] Expr imm_float(DType dtype, double value);
[[nodiscard]] Expr imm_pred(bool value);
/// The value of an integer or pred Imm, or nullptr-like false.
[[nodiscard]] bool is_int(const Expr& e, std::int64_t& value);
[[nodiscard]] double float_value(const Imm& imm);

struct ExprHash {
  std::size_t operator()(const Expr& e) const { return e.hash(); }
};

}  // namespace seam::codegen
