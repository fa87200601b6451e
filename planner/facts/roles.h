#pragma once
/// What each op is to the planner, found once per computation: inlined, looped over, called, or nothing at all.
#include <vector>

#include "facts/small_dot.h"
#include "graph/graph.h"
#include "planner/planner.h"

namespace seam::planner {

enum class Role : std::uint8_t {
  Memory,    ///< in memory before anything runs: parameters, their elements, constants of several elements
  Result,    ///< element of a tuple that a library call or loop yields
  Folded,    ///< planner::folded(): never in memory unless asked for
  View,      ///< another name of its operand's buffer
  Plumbing,  ///< tuples, tokens
  Pivot,     ///< could be inlined, but is read at too many places: looped over (stitch/pivots.h)
  Map,       ///< may be recomputed by whoever reads it: element-wise, broadcast, layout, gather
  Reduce,    ///< must be looped over
  Dot,       ///< small contraction that a kernel may hold; must be looped over
  Scatter,   ///< updates a buffer in place; nobody in the same kernel may read the result
  Update,    ///< dynamic-update-slice that may overwrite its operand's buffer, because nothing else reads that: returned, never read here
  Library,   ///< library call, or an op that codegen cannot emit
  Control,   ///< while, conditional
};

struct Roles {
  IdVector<graph::Op, Role> role;
  IdVector<graph::Op, Id<graph::Op>> storage;   ///< storage_of()
  IdVector<graph::Op, Id<graph::Op>> producer;  ///< Result: the call; Library and Control: itself
  IdVector<graph::Op, std::vector<Id<graph::Op>>> users;
  std::vector<Id<graph::Op>> returned;          ///< storage of what the root yields, tuples flattened, in order
  IdVector<graph::Op, bool> needed_in_memory;   ///< returned, or operand of a library call or loop, or a scatter's base

  [[nodiscard]] bool is_call(Id<graph::Op> op) const {
    return role[op] == Role::Library || role[op] == Role::Control;
  }
  [[nodiscard]] bool is_anchor(Id<graph::Op> op) const {
    return keeps(op) || updates(op);
  }
  /// Looped over, and its value can be kept on chip for readers in the same kernel.
  [[nodiscard]] bool keeps(Id<graph::Op> op) const { return role[op] == Role::Reduce || role[op] == Role::Dot || role[op] == Role::Pivot; }
  [[nodiscard]] bool updates(Id<graph::Op> op) const { return role[op] == Role::Scatter || role[op] == Role::Update; }
  [[nodiscard]] bool is_inline(Id<graph::Op> op) const {
    return role[op] == Role::Map || role[op] == Role::View;
  }
  [[nodiscard]] bool in_memory_from_start(Id<graph::Op> op) const { return role[op] == Role::Memory; }
};

[[nodiscard]] Roles roles_of(const graph::Graph& graph, const graph::Computation& computation,
                             const PlanOptions& options);
/// A small dot's price where it stands; `level`: how many calls must have run before each op.
[[nodiscard]] DotPrice dot_price(const graph::Computation& computation, const Roles& roles, const IdVector<graph::Op, int>& level, Id<graph::Op> dot, const Device& device);
/// Buffers that the program may overwrite once nobody reads them: what it computed itself, what a loop carries, what the caller donated.
[[nodiscard]] bool may_overwrite(const graph::Graph& graph, const graph::Computation& computation, const Roles& roles,
                                 Id<graph::Op> buffer);
/// Which operand holds what an update in place writes.
[[nodiscard]] inline std::size_t update_operand(const graph::Op& op) { return op.opcode == graph::Opcode::Scatter ? 2 : 1; }
/// Dims that a loop over the op walks: its own, or those of the update.
[[nodiscard]] const std::vector<std::int64_t>& loop_dims(const graph::Computation& computation, const graph::Op& op, bool updates);
/// Buffers that a call reads or a root returns: storage of each operand, tuples flattened.
[[nodiscard]] std::vector<Id<graph::Op>> flattened(const graph::Computation& computation,
                                                   Id<graph::Op> op);

}  // namespace seam::planner
