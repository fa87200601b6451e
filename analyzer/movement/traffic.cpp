/// What ops that run as one read and write (analyzer/movement.h).
#include <algorithm>
#include <ranges>

#include "analyzer/movement.h"
#include "movement/demand.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

std::int64_t elements_of(const graph::Shape& shape) {
  if (!shape.is_tuple) return shape.dtype == DType::Token || shape.dtype == DType::Opaque ? 0 : shape.elements_count();
  std::int64_t sum = 0;
  for (const graph::Shape& element : shape.elements) sum += elements_of(element);
  return sum;
}

/// Demands travel from what is written back to what is read.
class Walk {
 public:
  Walk(const Values& values, const std::vector<Id<Op>>& ops, const std::optional<Boundary>& boundary)
      : values_(values), computation_(*values.computation), boundary_(boundary), inside_(ops.begin(), ops.end()) {}

  Traffic run() {
    // Readers have higher ids: descending order sees every demand on a value before the value.
    for (const Id<Op> id : inside_ | std::views::reverse) {
      const Op& op = computation_.ops[id];
      traffic_.flops += cost_of(computation_, op).flops;
      const bool written = leaves(id, op);
      if (!boundary_ && (moves_nothing(computation_, op) || graph::op_class(op.opcode) == OpClass::Control)) continue;
      if (updates(id, op)) {
        update(id, op, written);
        continue;
      }
      Demand wanted = written || op.shape.is_tuple ? Demand::all(op.shape) : demands_[id];
      if (written) write(id, elements_of(op.shape) - scratch_bytes(op));
      // Library calls and sorts give tuples: all of each operand.
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        const graph::Shape& operand = computation_.ops[op.operands[i]].shape;
        want(op.operands[i], op.shape.is_tuple ? Demand::all(operand) : wanted.of_operand(computation_, op, i));
      }
    }
    for (const auto& [value, demand] : read_) {
      const graph::Shape& shape = computation_.ops[value].shape;
      const std::int64_t all = elements_of(shape);
      const std::int64_t taken = shape.is_tuple ? all : demand.elements(all);
      if (taken > 0) traffic_.reads[value] = {taken, shape.is_tuple ? shape.byte_size() : taken * bytes(shape.dtype), values_.is_statistic[value]};
    }
    return std::move(traffic_);
  }

 private:
  [[nodiscard]] bool leaves(Id<Op> id, const Op& op) const {
    if (boundary_) return boundary_->outputs.contains(id);
    if (moves_nothing(computation_, op) || graph::op_class(op.opcode) == OpClass::Control) return false;
    if (values_.owner(computation_.root) == id) return true;
    return std::ranges::any_of(values_.readers(id), [&](Id<Op> reader) { return !inside_.contains(reader); });
  }
  [[nodiscard]] bool updates(Id<Op> id, const Op& op) const {
    return boundary_ ? boundary_->in_place.contains(id) : graph::op_class(op.opcode) == OpClass::Scatter;
  }

  void update(Id<Op> id, const Op& op, bool written) {
    const Op& what = computation_.ops[op.operands[op.opcode == Opcode::Scatter ? op.operands.size() - 1 : 1]];
    if (written) write(id, std::min(elements_of(what.shape), elements_of(op.shape)));
    for (std::size_t i = 1; i < op.operands.size(); ++i) want(op.operands[i], Demand::all(computation_.ops[op.operands[i]].shape));
  }

  void write(Id<Op> id, std::int64_t elements) {
    const graph::Shape& shape = computation_.ops[id].shape;
    if (elements <= 0) return;
    const std::int64_t size = shape.is_tuple ? shape.byte_size() - scratch_bytes(computation_.ops[id]) : elements * bytes(shape.dtype);
    traffic_.writes[id] = {elements, size, values_.is_statistic[id]};
  }

  void want(Id<Op> operand, const Demand& demand) {
    const bool tuple = computation_.ops[operand].shape.is_tuple;
    if (values_.folded(operand) || (demand.empty() && !tuple)) return;
    const Id<Op> owner = values_.owner(operand);
    const graph::Shape& shape = computation_.ops[owner].shape;
    Demand there = tuple || shape.is_tuple ? Demand::all(shape) : demand.reshaped(computation_.ops[operand].shape.dims, shape.dims);
    if (inside_.contains(owner) || made_inside(owner))
      demands_[owner].add(there);
    else
      read_[owner].add(there);
  }
  /// An element of a tuple that an op inside makes.
  [[nodiscard]] bool made_inside(Id<Op> owner) const {
    const Op& op = computation_.ops[owner];
    return op.opcode == Opcode::GetTupleElement && inside_.contains(values_.owner(op.operands[0]));
  }

  const Values& values_;
  const Computation& computation_;
  const std::optional<Boundary>& boundary_;
  std::set<Id<Op>> inside_;
  std::map<Id<Op>, Demand> demands_, read_;
  Traffic traffic_;
};

}  // namespace

Movement& Movement::operator+=(const Movement& other) {
  words_in += other.words_in;
  words_out += other.words_out;
  statistic_words += other.statistic_words;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  flops += other.flops;
  return *this;
}

Movement Movement::times(std::int64_t factor) const {
  return {words_in * factor, words_out * factor, statistic_words * factor, bytes_in * factor, bytes_out * factor, flops * static_cast<double>(factor)};
}

Movement Traffic::sum() const {
  Movement out;
  out.flops = flops;
  for (const auto& [value, crossing] : reads) {
    (crossing.statistic ? out.statistic_words : out.words_in) += crossing.elements;
    out.bytes_in += crossing.bytes;
  }
  for (const auto& [value, crossing] : writes) {
    (crossing.statistic ? out.statistic_words : out.words_out) += crossing.elements;
    out.bytes_out += crossing.bytes;
  }
  return out;
}

Traffic traffic_of(const Values& values, const std::vector<Id<Op>>& ops, const std::optional<Boundary>& boundary) {
  return Walk(values, ops, boundary).run();
}

}  // namespace seam::analyzer
