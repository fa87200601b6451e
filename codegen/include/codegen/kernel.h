#pragma once
/// Kernel IR: what a generated kernel does, target-neutral, typed, verified, printable (.kernel).
///
/// Meaning, written once:
///  - The body is run by grid x threads threads; `block` and `thread` are the thread's own numbers. Threads of 32 consecutive
///    numbers form a warp; `threads` is a multiple of 32.
///  - Index arithmetic (Bin) is exact: nothing overflows `index_type`. Data arithmetic (Scalar) is HLO's: each op rounds to its own
///    type, integers wrap, shifts and divisions are total.
///  - Nothing may be reordered across a Barrier, which orders all shared and global accesses of one block. Barrier and
///    LastBlock stand only where the whole block comes (block-uniform control flow), Shuffle where the whole warp comes.
///  - Let names a value once; Declare names a variable that Assign changes. A name is visible from its statement to the end of its
///    block; inner blocks see outer names, and no name is defined twice in nested scopes.
///  - A shared buffer is a region [offset, offset + bytes) of the block's shared memory; regions of one part may overlap where
///    lifetimes do not, regions of different parts overlap freely.
///  - Workspace buffers start as zeros; other blocks write them, so their loads see L2 (coherent).
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "codegen/expr.h"

namespace seam::codegen {

struct StmtNode;
struct Let;
struct Declare;
struct Assign;
struct For;
struct If;
struct Store;
struct Atomic;
struct Barrier;
struct Shuffle;
struct LastBlock;
struct Note;
template <class T>
concept StatementKind = OneOf<T, Let, Declare, Assign, For, If, Store, Atomic, Barrier, Shuffle, LastBlock, Note>;

class Stmt {
 public:
  template <StatementKind Node>
  Stmt(Node node);  // NOLINT(google-explicit-constructor): Store{...} should read like a statement
  const StmtNode& operator*() const { return *node_; }
  const StmtNode* operator->() const { return node_.get(); }
  friend bool operator==(const Stmt& a, const Stmt& b);
  [[nodiscard]] bool same_node(const Stmt& other) const { return node_ == other.node_; }

 private:
  std::shared_ptr<const StmtNode> node_;
};
using Body = std::vector<Stmt>;

struct Let {
  std::string name;
  Expr value;
  friend bool operator==(const Let&, const Let&) = default;
};
struct Declare {
  std::string name;
  Expr init;
  friend bool operator==(const Declare&, const Declare&) = default;
};
struct Assign {
  std::string name;
  Expr value;
  friend bool operator==(const Assign&, const Assign&) = default;
};
/// for (var = begin; var < end; var += step); step > 0.
struct For {
  std::string var;
  Expr begin, end;
  std::int64_t step = 1;
  Body body;
  friend bool operator==(const For&, const For&) = default;
};
struct If {
  Expr condition;
  Body then, otherwise;
  friend bool operator==(const If&, const If&) = default;
};
struct Store {
  std::string buffer;
  Expr index, value;
  friend bool operator==(const Store&, const Store&) = default;
};
enum class AtomicOp : std::uint8_t { Add, Min, Max, And, Or, Xor };
/// buffer[index] = op(buffer[index], value), indivisibly; order between threads is free.
struct Atomic {
  AtomicOp op{};
  std::string buffer;
  Expr index, value;
  friend bool operator==(const Atomic&, const Atomic&) = default;
};
struct Barrier {
  friend bool operator==(const Barrier&, const Barrier&) = default;
};
/// name = the value of lane (own lane xor mask), whole warp.
struct Shuffle {
  std::string name;
  Expr value;
  int mask = 0;
  friend bool operator==(const Shuffle&, const Shuffle&) = default;
};
/// name = whether this block is the last of `blocks` blocks to come here for counters[index]; block-uniform. All that the
/// others wrote before is visible afterwards; the counter is zero again. Orders like a Barrier.
struct LastBlock {
  std::string name;
  std::string counters;
  Expr index;
  std::int64_t blocks = 1;
  std::string flag;  ///< shared buffer of one u32 through which thread 0 tells the others
  friend bool operator==(const LastBlock&, const LastBlock&) = default;
};
/// A comment of the emitted text: which ops stand here.
struct Note {
  std::string text;
  friend bool operator==(const Note&, const Note&) = default;
};

struct StmtNode {
  std::variant<Let, Declare, Assign, For, If, Store, Atomic, Barrier, Shuffle, LastBlock, Note> kind;
};

template <StatementKind Node>
Stmt::Stmt(Node node) : node_(std::make_shared<const StmtNode>(StmtNode{std::move(node)})) {}
inline bool operator==(const Stmt& a, const Stmt& b) { return a.node_ == b.node_ || a->kind == b->kind; }

template <class... F>
decltype(auto) match(const Stmt& s, F&&... f) {
  return std::visit(Overloaded{std::forward<F>(f)...}, s->kind);
}

/// Calls f on each expression that stands directly in the statement (not those of nested blocks).
template <class F>
void for_each_expr(const Stmt& s, F&& f) {
  match(
      s, [&](const Let& n) { f(n.value); }, [&](const Declare& n) { f(n.init); }, [&](const Assign& n) { f(n.value); },
      [&](const For& n) { f(n.begin), f(n.end); }, [&](const If& n) { f(n.condition); },
      [&](const Store& n) { f(n.index), f(n.value); }, [&](const Atomic& n) { f(n.index), f(n.value); }, [](const Barrier&) {}, [&](const Shuffle& n) { f(n.value); },
      [&](const LastBlock& n) { f(n.index); }, [](const Note&) {});
}

/// s with its own expressions mapped by fe and its nested blocks by fb.
template <class Fe, class Fb>
Stmt map_stmt(const Stmt& s, Fe&& fe, Fb&& fb) {
  return match(
      s, [&](const Let& n) -> Stmt { return Let{n.name, fe(n.value)}; },
      [&](const Declare& n) -> Stmt { return Declare{n.name, fe(n.init)}; },
      [&](const Assign& n) -> Stmt { return Assign{n.name, fe(n.value)}; },
      [&](const For& n) -> Stmt {
        Expr begin = fe(n.begin);
        Expr end = fe(n.end);
        return For{n.var, std::move(begin), std::move(end), n.step, fb(n.body)};
      },
      [&](const If& n) -> Stmt {
        Expr condition = fe(n.condition);
        Body then = fb(n.then);
        return If{std::move(condition), std::move(then), fb(n.otherwise)};
      },
      [&](const Store& n) -> Stmt {
        Expr index = fe(n.index);
        return Store{n.buffer, std::move(index), fe(n.value)};
      },
      [&](const Atomic& n) -> Stmt {
        Expr index = fe(n.index);
        return Atomic{n.op, n.buffer, std::move(index), fe(n.value)};
      },
      [&](const Barrier&) -> Stmt { return s; }, [&](const Shuffle& n) -> Stmt { return Shuffle{n.name, fe(n.value), n.mask}; },
      [&](const LastBlock& n) -> Stmt { return LastBlock{n.name, n.counters, fe(n.index), n.blocks, n.flag}; },
      [&](const Note&) -> Stmt { return s; });
}

enum class Space : std::uint8_t { Global, Shared };
enum class Access : std::uint8_t {
  In,         ///< read only
  Out,        ///< written, whole
  Update,     ///< holds a group input already; partly overwritten
  Workspace,  ///< scratch between blocks, zeros at the start
};

struct Buffer {
  std::string name;
  DType dtype = DType::F32;
  std::int64_t elements = 0;
  Space space = Space::Global;
  Access access = Access::In;
  Id<graph::Op> op;         ///< whose value it holds; invalid for workspace and reduction scratch
  Id<graph::Op> aliases;    ///< Update: the group input it starts as
  std::int64_t offset = 0;  ///< Shared: bytes from the start of the block's shared memory
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct Kernel {
  std::string name;
  std::int64_t grid = 1;
  int threads = 256;
  std::int64_t shared_bytes = 0;
  DType index_type = DType::S32;      ///< s64 if some buffer has 2^31 elements or more
  std::vector<std::string> header;    ///< comment lines above the kernel: group, schedule, what is kept where
  std::vector<Buffer> buffers;        ///< global ones in parameter order, then shared ones
  Body body;
  friend bool operator==(const Kernel&, const Kernel&) = default;

  [[nodiscard]] const Buffer* find(std::string_view buffer) const;
};

/// The `.kernel` text form. parse_kernel(print(k)) == k.
[[nodiscard]] std::string print(const Kernel& kernel);
[[nodiscard]] std::string print(const Expr& expr);
[[nodiscard]] Result<Kernel> parse_kernel(std::string_view text, std::string_view file);

/// What the verifier could not prove or refuse: index expressions whose bounds depend on more than intervals. Zero for what lower() makes.
struct Soundness {
  std::int64_t accesses = 0;
  std::int64_t proven = 0;  ///< index inside the buffer for every thread, by interval analysis
  std::vector<std::string> unproven;  ///< the others, as text
};
/// Types, scopes, definitions before use, buffer access modes, barriers and shuffles in uniform control flow, regions inside the
/// block's shared memory, and index bounds: an access that is out of bounds for sure is an error.
[[nodiscard]] Result<Soundness> verify(const Kernel& kernel);

}  // namespace seam::codegen
