#include "cost/touched.h"

#include <algorithm>
#include <cstdint>

#include "schedule/ownership.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

std::int64_t element_bytes(const Op& op) { return bytes(op.shape.dtype); }

/// Regions inside one part, loops first, producers last.
class PartWalk {
 public:
  PartWalk(const Computation& computation, const FusionGroup& group, const Part& part, Touched& out, std::map<Id<Op>, Region>& slices)
      : computation_(computation), group_(group), out_(out), slices_(slices) {
    for (const PlannedOp& planned : part.ops) planned_[planned.op] = &planned;
  }

  void run() {
    // Readers have higher ids: descending order sees every demand before what it falls on.
    for (auto it = planned_.rbegin(); it != planned_.rend(); ++it) {
      const PlannedOp& planned = *it->second;
      const Op& op = computation_.ops[it->first];
      const bool updates = std::ranges::any_of(group_.in_place, [&](const auto& pair) { return pair.first == it->first; });
      if (updates) {
        update(it->first, op);
        continue;
      }
      Region wanted = Region::none(dims_of(op));
      if (planned.output || planned.placement != Placement::Inline) {
        wanted = Region::all(dims_of(op));
      } else if (const auto found = wanted_.find(it->first); found != wanted_.end()) {
        wanted = found->second;
      }
      if (planned.output) out_.bytes_written += product(dims_of(op)) * element_bytes(op);
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        // All loops of the group that want elements of one dynamic slice of memory find them in the same place.
        if (op.opcode == Opcode::DynamicSlice && i == 0 && !wanted.empty() && !planned_.contains(op.operands[0]) && !folded(computation_, op.operands[0])) {
          const auto [found, fresh] = slices_.try_emplace(it->first, wanted);
          if (!fresh) found->second.add(wanted);
          continue;
        }
        if (!index_without_choice(op, i)) want(op.operands[i], operand_region(computation_, op, i, wanted));
      }
      if (op.opcode == Opcode::Gather || may_spare_loads(op)) out_.exact = false;
    }
  }

 private:
  /// A start that can only be 0, because all of the dim is taken: nobody loads it.
  [[nodiscard]] bool index_without_choice(const Op& op, std::size_t operand) const {
    const std::size_t first = op.opcode == Opcode::DynamicSlice ? 1 : op.opcode == Opcode::DynamicUpdateSlice ? 2 : SIZE_MAX;
    const std::vector<std::int64_t>& all = dims_of(computation_.ops[op.operands[0]]);
    if (operand < first || first == SIZE_MAX || op.operands.size() != first + all.size()) return false;
    const std::vector<std::int64_t>& taken = first == 1 ? dims_of(op) : dims_of(computation_.ops[op.operands[1]]);
    return taken[operand - first] == all[operand - first];
  }

  /// A result that is known without its operands, or where one of them decides: a compiler leaves loads out, and the model is the most there can be.
  [[nodiscard]] bool may_spare_loads(const Op& op) const {
    const bool divides = (op.opcode == Opcode::Divide || op.opcode == Opcode::Remainder) && is_integer(op.shape.dtype);
    if (divides && !folded(computation_, op.operands[1])) return true;  // by 0 gives what no dividend changes
    const bool same = op.operands.size() == 2 && op.operands[0] == op.operands[1];
    return same && (op.opcode == Opcode::Compare || op.opcode == Opcode::Subtract || op.opcode == Opcode::Xor);
  }

  /// Writes as much as the update holds; reads the update and the indices.
  void update(Id<Op> id, const Op& op) {
    const std::size_t update = op.opcode == Opcode::Scatter ? 2 : 1;
    const std::int64_t elements = product(dims_of(computation_.ops[op.operands[update]]));
    const std::int64_t moved = std::min(elements, product(dims_of(op))) * element_bytes(op);
    out_.bytes_written += moved;
    for (std::size_t i = 1; i < op.operands.size(); ++i)
      if (!index_without_choice(op, i)) want(op.operands[i], Region::all(dims_of(computation_.ops[op.operands[i]])));
    if (op.opcode != Opcode::Scatter) return;
    // Adding reads what it writes; equal indices meet in one place.
    out_.exact = false;
    (void)id;
  }

  void want(Id<Op> operand, const Region& region) {
    if (region.empty()) return;
    if (planned_.contains(operand)) {
      const auto [found, fresh] = wanted_.try_emplace(operand, region);
      if (!fresh) found->second.add(region);
      return;
    }
    if (folded(computation_, operand)) return;
    const Id<Op> storage = storage_of(computation_, operand);
    const Region there = reshaped(region, dims_of(computation_.ops[storage]));
    const auto [found, fresh] = out_.inputs.try_emplace(storage, there);
    if (!fresh) found->second.add(there);
  }

  const Computation& computation_;
  const FusionGroup& group_;
  Touched& out_;
  std::map<Id<Op>, Region>& slices_;
  std::map<Id<Op>, const PlannedOp*> planned_;
  std::map<Id<Op>, Region> wanted_;
};

}  // namespace

Touched touched(const Computation& computation, const FusionGroup& group) {
  Touched out;
  std::map<Id<Op>, Region> slices;
  for (const Part& part : group.parts) PartWalk(computation, group, part, out, slices).run();
  for (const auto& [slice, wanted] : slices) {
    const Op& op = computation.ops[slice];
    const Id<Op> storage = storage_of(computation, op.operands[0]);
    const Region there = reshaped(operand_region(computation, op, 0, wanted), dims_of(computation.ops[storage]));
    const auto [found, fresh] = out.inputs.try_emplace(storage, there);
    if (!fresh) found->second.add(there);
  }
  for (const auto& [op, region] : out.inputs) {
    out.bytes_read += region.elements() * element_bytes(computation.ops[op]);
    out.exact = out.exact && region.exact();
  }
  return out;
}

}  // namespace seam::planner
