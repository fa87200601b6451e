#include "movement/softmax.h"

#include <algorithm>
#include <map>

namespace seam::analyzer {

using graph::Computation;
using graph::Op;
using graph::OpClass;
using graph::Opcode;

namespace {

struct Forward {
  Id<Op> maximum, quotient;
};

class Finder {
 public:
  Finder(const graph::Graph& graph, const Values& values, const std::vector<OriginGroup>& groups)
      : graph_(graph), values_(values), computation_(*values.computation), groups_(groups), group_of_(computation_.ops.size(), kNone) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (&graph.computations[groups[g].computation] == &computation_)
        for (const Id<Op> id : groups[g].ops) group_of_[id] = g;
  }

  std::vector<SoftmaxScope> run() {
    for (std::size_t i = 0; i < computation_.ops.size(); ++i)
      if (const std::optional<Forward> found = forward_at(Id<Op>(i)); found && group_of_[found->quotient] != kNone) forwards_.push_back(*found);
    for (const Forward& forward : forwards_) take_forward(forward);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (&graph_.computations[groups_[g].computation] == &computation_) take_backward(g);
    std::vector<SoftmaxScope> out;
    for (auto& [group, scope] : found_) out.push_back(std::move(scope));
    return out;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  [[nodiscard]] const Op& op(Id<Op> id) const { return computation_.ops[id]; }
  [[nodiscard]] std::int64_t elements(Id<Op> id) const { return op(id).shape.is_tuple ? 0 : op(id).shape.elements_count(); }
  /// Under its first name and type.
  [[nodiscard]] Id<Op> behind(Id<Op> id) const {
    for (id = values_.owner(id); op(id).opcode == Opcode::Convert;) id = values_.owner(op(id).operands[0]);
    return id;
  }

  /// A reduce of floats by `combiner` over more than one element.
  [[nodiscard]] bool reduces_by(Id<Op> id, Opcode combiner) const {
    const Op& at = op(id);
    if (at.opcode != Opcode::Reduce || at.shape.is_tuple || !is_float(at.shape.dtype) || at.attributes.calls.empty()) return false;
    const Computation& body = graph_.computations[at.attributes.calls[0]];
    return body.ops[body.root].opcode == combiner && elements(at.operands[0]) > elements(id);
  }
  /// The reduce by `combiner` whose result, or what is computed of it alone, is spread over more elements as `value`.
  [[nodiscard]] std::optional<Id<Op>> spread_from(Id<Op> value, Opcode combiner) const {
    value = behind(value);
    while (!(op(value).opcode == Opcode::Reduce && elements(op(value).operands[0]) > elements(value))) {
      // A reduce over dimensions of one element only drops them.
      if (op(value).opcode == Opcode::Reduce && !op(value).shape.is_tuple) {
        value = behind(op(value).operands[0]);
        continue;
      }
      const OpClass c = graph::op_class(op(value).opcode);
      if (c != OpClass::Elementwise && c != OpClass::Broadcast) return std::nullopt;
      // Of several operands at most one is no constant.
      std::optional<Id<Op>> next;
      for (const Id<Op> operand : op(value).operands) {
        if (values_.folded(operand)) continue;
        if (next && *next != operand) return std::nullopt;
        next = operand;
      }
      if (!next) return std::nullopt;
      value = behind(*next);
    }
    return reduces_by(value, combiner) ? std::optional(value) : std::nullopt;
  }

  /// The operand that is multiplied or divided by one constant.
  [[nodiscard]] std::optional<Id<Op>> scaled(Id<Op> id) const {
    const Op& at = op(id);
    if (at.shape.is_tuple || !is_float(at.shape.dtype)) return std::nullopt;
    if (at.opcode == Opcode::Multiply && values_.folded(at.operands[0]) != values_.folded(at.operands[1])) return at.operands[values_.folded(at.operands[0]) ? 1 : 0];
    if (at.opcode == Opcode::Divide && values_.folded(at.operands[1]) && !values_.folded(at.operands[0])) return at.operands[0];
    return std::nullopt;
  }
  /// Masked values and the mask they are masked by.
  struct Masking {
    Id<Op> mask;
    std::vector<Id<Op>> masked;
  };
  [[nodiscard]] bool is_mask(Id<Op> value) const {
    value = behind(value);
    while (op(value).opcode == Opcode::Broadcast) value = behind(op(value).operands[0]);
    return op(value).shape.dtype == DType::Pred && !op(value).shape.is_tuple;
  }
  [[nodiscard]] std::optional<Masking> masking(Id<Op> id) const {
    const Op& at = op(id);
    if (at.shape.is_tuple || !is_float(at.shape.dtype)) return std::nullopt;
    if (at.opcode == Opcode::Select) return Masking{at.operands[0], {at.operands[1], at.operands[2]}};
    if (at.opcode != Opcode::Multiply) return std::nullopt;
    if (is_mask(at.operands[1])) return Masking{at.operands[1], {at.operands[0]}};
    if (is_mask(at.operands[0])) return Masking{at.operands[0], {at.operands[1]}};
    return std::nullopt;
  }

  /// exp(x - max(x)) / sum(exp(x - max(x))), conversions in between.
  [[nodiscard]] std::optional<Forward> forward_at(Id<Op> id) const {
    const Op& at = op(id);
    if (at.opcode != Opcode::Divide && at.opcode != Opcode::Multiply) return std::nullopt;
    for (const std::size_t numerator : {std::size_t{0}, std::size_t{1}}) {
      if (numerator == 1 && at.opcode == Opcode::Divide) break;
      const Id<Op> exponential = behind(at.operands[numerator]);
      if (op(exponential).opcode != Opcode::Exp) continue;
      const std::optional<Id<Op>> sum = spread_from(at.operands[1 - numerator], Opcode::Add);
      if (!sum || behind(op(*sum).operands[0]) != exponential) continue;
      const Id<Op> shifted = behind(op(exponential).operands[0]);
      if (op(shifted).opcode != Opcode::Subtract) continue;
      if (const std::optional<Id<Op>> maximum = spread_from(op(shifted).operands[1], Opcode::Maximum)) return Forward{*maximum, id};
    }
    return std::nullopt;
  }

  /// What nobody has yet.
  void claim(std::set<Id<Op>>& list, Id<Op> id) {
    if (group_of_[id] != kNone && claimed_.insert(id).second) list.insert(id);
  }
  SoftmaxScope& scope_at(std::size_t group, bool backward) { return found_.try_emplace(group, SoftmaxScope{group, backward, {}, {}}).first->second; }

  /// A masking op, what makes its mask in its own scope, and products with a constant on either side.
  void claim_dropout(SoftmaxScope& scope, Id<Op> id, const Masking& masking) {
    claim(scope.dropout, id);
    std::vector<Id<Op>> stack{masking.mask};
    while (!stack.empty()) {
      const Id<Op> at = values_.owner(stack.back());
      stack.pop_back();
      const OpClass c = graph::op_class(op(at).opcode);
      if (group_of_[at] != group_of_[id] || (c != OpClass::Elementwise && c != OpClass::Broadcast && c != OpClass::Generator) || scope.dropout.contains(at)) continue;
      claim(scope.dropout, at);
      stack.insert(stack.end(), op(at).operands.begin(), op(at).operands.end());
    }
    for (const Id<Op> value : masking.masked)
      if (const Id<Op> before = behind(value); scaled(before) && values_.readers(before).size() == 1) claim(scope.dropout, before);
    for (const Id<Op> reader : values_.readers(id))
      if (scaled(reader)) claim(scope.dropout, reader);
  }

  void take_forward(const Forward& forward) {
    SoftmaxScope& scope = scope_at(group_of_[forward.quotient], false);
    // Back through masks to the nearest product with a constant.
    for (Id<Op> at = behind(op(forward.maximum).operands[0]); true;) {
      if (scaled(at)) {
        claim(scope.scale, at);
        break;
      }
      if (op(at).opcode != Opcode::Select) break;
      const auto value = std::ranges::find_if_not(op(at).operands.begin() + 1, op(at).operands.end(), [&](Id<Op> operand) { return values_.folded(operand); });
      if (value == op(at).operands.end()) break;
      at = behind(*value);
    }
    const auto is_quotient = [&](Id<Op> value) {
      value = behind(value);
      if (const std::optional<Id<Op>> inner = scaled(value); inner && value != forward.quotient) value = behind(*inner);
      return value == forward.quotient;
    };
    std::vector<Id<Op>> readers{forward.quotient};
    for (std::size_t i = 0; i < readers.size(); ++i) {
      for (const Id<Op> reader : values_.readers(readers[i])) {
        if (op(reader).opcode == Opcode::Convert || (scaled(reader) && readers[i] == forward.quotient)) readers.push_back(reader);
        const std::optional<Masking> mask = masking(reader);
        if (!mask || groups_[group_of_or_home(reader, scope)].backward != groups_[scope.group].backward || !std::ranges::any_of(mask->masked, is_quotient)) continue;
        claim_dropout(scope, reader, *mask);
        masks_.insert(behind(mask->mask));
      }
    }
  }
  [[nodiscard]] std::size_t group_of_or_home(Id<Op> id, const SoftmaxScope& scope) const { return group_of_[id] == kNone ? scope.group : group_of_[id]; }

  /// The sums that a backward softmax scope spreads; empty: it is none.
  [[nodiscard]] std::set<Id<Op>> backward_sums(const OriginGroup& group) const {
    std::set<Id<Op>> sums;
    bool reads_forward = false;
    for (const Id<Op> id : group.ops) {
      if (reduces_by(id, Opcode::Maximum)) return {};
      const Op& at = op(id);
      if (at.opcode == Opcode::Multiply)
        reads_forward = reads_forward || std::ranges::any_of(at.operands, [&](Id<Op> operand) { return quotient(behind(operand)); });
      if (at.opcode == Opcode::Broadcast)
        if (const std::optional<Id<Op>> sum = spread_from(id, Opcode::Add); sum && group_of_[*sum] == group_of_[id]) sums.insert(*sum);
    }
    const bool half = group.backward && std::ranges::any_of(forwards_, [&](const Forward& one) { return groups_[group_of_[one.quotient]].scope == group.scope; });
    return reads_forward || half ? sums : std::set<Id<Op>>{};
  }
  [[nodiscard]] bool quotient(Id<Op> id) const { return std::ranges::find(forwards_, id, &Forward::quotient) != forwards_.end(); }

  void take_backward(std::size_t g) {
    const OriginGroup& group = groups_[g];
    if (found_.contains(g)) return;
    const std::set<Id<Op>> sums = backward_sums(group);
    if (sums.empty()) return;
    SoftmaxScope& scope = scope_at(g, true);
    // What comes in is masked before anything is computed of it: by what the forward half was masked by, in any scope.
    std::vector<Id<Op>> sources(group.ops.begin(), group.ops.end());
    for (const Id<Op> id : group.ops)
      for (const Id<Op> operand : op(id).operands) sources.push_back(behind(operand));
    for (const Id<Op> id : sources) {
      const std::optional<Masking> mask = masking(id);
      if (mask && !claimed_.contains(id) && masks_.contains(behind(mask->mask))) claim_dropout(scope, id, *mask);
    }
    // What leaves is scaled last, here or by who reads it, behind masks.
    std::set<Id<Op>> needing = sums;
    for (const Id<Op> id : group.ops)
      if (std::ranges::any_of(op(id).operands, [&](Id<Op> operand) { return needing.contains(values_.owner(operand)); })) needing.insert(id);
    for (const Id<Op> id : needing) {
      const std::set<Id<Op>> readers = values_.readers(id);
      const bool leaves = values_.owner(computation_.root) == id || std::ranges::any_of(readers, [&](Id<Op> reader) { return group_of_[reader] != g; });
      if (!leaves || elements(id) <= elements(*sums.begin())) continue;
      if (scaled(id)) {
        claim(scope.scale, id);
        continue;
      }
      std::vector<Id<Op>> names(readers.begin(), readers.end());
      for (std::size_t i = 0; i < names.size(); ++i) {
        const bool forward = group_of_[names[i]] != kNone && !groups_[group_of_[names[i]]].backward;
        if (scaled(names[i])) {
          if (!forward || !group.backward) claim(scope.scale, names[i]);
        } else if (op(names[i]).opcode == Opcode::Convert || op(names[i]).opcode == Opcode::Select) {
          const std::set<Id<Op>> more = values_.readers(names[i]);
          names.insert(names.end(), more.begin(), more.end());
        }
        if (names.size() > kMostReaders) break;
      }
    }
  }
  static constexpr std::size_t kMostReaders = 64;

  const graph::Graph& graph_;
  const Values& values_;
  const Computation& computation_;
  const std::vector<OriginGroup>& groups_;
  IdVector<Op, std::size_t> group_of_;
  std::vector<Forward> forwards_;
  std::set<Id<Op>> masks_, claimed_;
  std::map<std::size_t, SoftmaxScope> found_;
};

}  // namespace

std::vector<SoftmaxScope> softmax_scopes(const graph::Graph& graph, const Values& values, const std::vector<OriginGroup>& groups) { return Finder(graph, values, groups).run(); }

}  // namespace seam::analyzer
