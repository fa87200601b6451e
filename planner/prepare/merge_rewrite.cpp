#include "prepare/merge_rewrite.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "graph/transform.h"
#include "prepare/frontend.h"
#include "prepare/merges.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

bool is_whole_but(const graph::Shape& piece, const graph::Shape& of, std::int64_t dim) {
  for (std::int64_t d = 0; d < of.rank(); ++d)
    if (d != dim && piece.dims[static_cast<std::size_t>(d)] != of.dims[static_cast<std::size_t>(d)]) return false;
  return true;
}

}  // namespace

std::optional<Whole> whole_of(const Computation& computation, std::span<const Id<Op>> parts, std::int64_t dim) {
  std::optional<Whole> out;
  for (const Id<Op> part : parts) {
    const Op* op = &computation.ops[part];
    std::int64_t along = dim;
    if (op->opcode == Opcode::Reshape && dim == 0) {  // whole rows of the slice stay whole rows of the reshaped
      while (op->opcode == Opcode::Reshape) op = &computation.ops[op->operands[0]];
    } else if (op->opcode == Opcode::Reshape) {
      return std::nullopt;
    }
    if (op->opcode != Opcode::Slice) return std::nullopt;
    const graph::Shape& of = computation.ops[op->operands[0]].shape;
    const auto at = static_cast<std::size_t>(along);
    if (along >= of.rank() || !is_whole_but(op->shape, of, along)) return std::nullopt;
    if (std::ranges::any_of(op->attributes.strides, [](std::int64_t stride) { return stride != 1; })) return std::nullopt;
    if (out && (out->value != op->operands[0] || out->limit != op->attributes.starts[at])) return std::nullopt;
    if (!out) out = Whole{op->operands[0], along, op->attributes.starts[at], 0};
    out->limit = op->attributes.limits[at];
  }
  return out;
}

namespace {

class Writer {
 public:
  explicit Writer(const Computation& from) : from_(from), ops_(from.ops), gone_(from.ops.size(), false) {
    for (const Op& op : from.ops) names_.insert(op.name);
  }

  void write(const Merge& merge) { merge.kind == Merge::Kind::Stack ? stack(merge) : sum(merge); }

  /// Producers before consumers again, in the old order otherwise.
  std::optional<Computation> finish() {
    Computation out;
    out.name = from_.name;
    out.execution_thread = from_.execution_thread;
    enum class State : std::uint8_t { Fresh, Open, Done };
    IdVector<Op, State> state(ops_.size(), State::Fresh);
    IdVector<Op, Id<Op>> placed(ops_.size());
    const auto needs = [&](Id<Op> id, std::size_t k) {
      const Op& op = ops_[id];
      return now(k < op.operands.size() ? op.operands[k] : op.attributes.control_predecessors[k - op.operands.size()]);
    };
    std::vector<std::pair<Id<Op>, std::size_t>> stack;
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const Id<Op> wanted = Id<Op>(i) == from_.root ? now(from_.root) : Id<Op>(i);
      if ((wanted.index() < gone_.size() && gone_[wanted]) || state[wanted] == State::Done) continue;
      state[wanted] = State::Open;
      stack.emplace_back(wanted, 0);
      while (!stack.empty()) {
        auto& [id, k] = stack.back();
        if (k < ops_[id].operands.size() + ops_[id].attributes.control_predecessors.size()) {
          const Id<Op> next = needs(id, k++);
          if (state[next] == State::Open) return std::nullopt;
          if (state[next] == State::Done) continue;
          state[next] = State::Open;
          stack.emplace_back(next, 0);
          continue;
        }
        Op op = ops_[id];
        for (Id<Op>& operand : op.operands) operand = placed[now(operand)];
        for (Id<Op>& before : op.attributes.control_predecessors) before = placed[now(before)];
        placed[id] = out.ops.push_back(std::move(op));
        state[id] = State::Done;
        stack.pop_back();
      }
    }
    out.root = placed[now(from_.root)];
    for (const Id<Op> parameter : from_.parameters) out.parameters.push_back(placed[parameter]);
    return out;
  }

 private:
  [[nodiscard]] Id<Op> now(Id<Op> id) const {
    for (auto found = replaced_.find(id); found != replaced_.end(); found = replaced_.find(id)) id = found->second;
    return id;
  }

  void replace(Id<Op> id, Id<Op> by) {
    gone_[id] = true;
    replaced_[id] = by;
  }

  /// "q_k_v"; of many the first and the last.
  std::string name_of(const std::vector<Id<Op>>& dots) {
    constexpr std::size_t kSpelledOut = 4;
    if (dots.size() > kSpelledOut) return graph::free_name(names_, fmt::format("{}_to_{}", from_.ops[dots.front()].name, from_.ops[dots.back()].name));
    std::string name;
    for (const Id<Op> dot : dots) name += (name.empty() ? "" : "_") + from_.ops[dot].name;
    return graph::free_name(names_, name);
  }

  Id<Op> push(Opcode opcode, std::string name, DType dtype, std::vector<std::int64_t> dims, std::vector<Id<Op>> operands, const Op& like) {
    Op op;
    op.name = std::move(name);
    op.opcode = opcode;
    op.opcode_text = std::string(graph::name(opcode));
    op.shape.dtype = dtype;
    op.shape.dims = std::move(dims);
    op.operands = std::move(operands);
    op.metadata = like.metadata;
    op.at = like.at;
    return ops_.push_back(std::move(op));
  }

  Id<Op> slice(std::string name, Id<Op> of, std::int64_t dim, std::int64_t start, std::int64_t limit, const Op& like) {
    std::vector<std::int64_t> dims = ops_[of].shape.dims;
    const auto at = static_cast<std::size_t>(dim);
    graph::Attributes attributes;
    attributes.starts.assign(dims.size(), 0);
    attributes.limits = dims;
    attributes.strides.assign(dims.size(), 1);
    attributes.starts[at] = start;
    attributes.limits[at] = limit;
    dims[at] = limit - start;
    const Id<Op> id = push(Opcode::Slice, std::move(name), ops_[of].shape.dtype, std::move(dims), {of}, like);
    ops_[id].attributes = std::move(attributes);
    return id;
  }

  /// The values one behind the other along `dim`; the same ones are put together once.
  Id<Op> together(const std::vector<Id<Op>>& parts, std::int64_t dim, const std::string& wanted, const Op& like) {
    const auto [found, fresh] = together_.try_emplace({parts, dim});
    if (!fresh) return found->second;
    std::vector<std::int64_t> dims = ops_[parts.front()].shape.dims;
    const DType dtype = ops_[parts.front()].shape.dtype;
    std::int64_t& extent = dims[static_cast<std::size_t>(dim)];
    extent = 0;
    for (const Id<Op> part : parts) extent += ops_[part].shape.dims[static_cast<std::size_t>(dim)];
    if (const std::optional<Whole> whole = whole_of(from_, parts, dim)) {
      Id<Op> value = whole->value;
      if (whole->limit - whole->start != ops_[value].shape.dims[static_cast<std::size_t>(whole->dim)])
        value = slice(graph::free_name(names_, wanted), value, whole->dim, whole->start, whole->limit, like);
      if (ops_[value].shape.dims != dims) value = push(Opcode::Reshape, graph::free_name(names_, wanted), dtype, dims, {value}, like);
      return found->second = value;
    }
    const Id<Op> id = push(Opcode::Concatenate, graph::free_name(names_, wanted), dtype, dims, parts, like);
    ops_[id].attributes.dimensions = {dim};
    return found->second = id;
  }

  /// `side` of each product.
  [[nodiscard]] std::vector<Id<Op>> factors(const std::vector<Id<Op>>& dots, std::size_t side) const {
    std::vector<Id<Op>> out;
    for (const Id<Op> dot : dots) out.push_back(from_.ops[dot].operands[side]);
    return out;
  }

  Id<Op> product(const Merge& merge, std::vector<Id<Op>> operands, const std::string& name, std::vector<std::int64_t> dims) {
    const Op& first = from_.ops[merge.dots.front()];
    const Id<Op> id = push(Opcode::Dot, name, first.shape.dtype, std::move(dims), std::move(operands), first);
    Op& op = ops_[id];
    op.attributes.dot = first.attributes.dot;
    for (const auto& other : first.attributes.others)
      if (other.first == "operand_precision") op.attributes.others.push_back(other);
    std::vector<std::string> names;
    const auto add = [&](Id<Op> part) {
      names.push_back(from_.ops[part].name);
      std::ranges::move(merged_products(from_.ops[part]), std::back_inserter(names));
    };
    std::ranges::for_each(merge.dots, add);
    std::ranges::for_each(merge.adds, add);
    keep_frontend_words(op, kMergedProducts, names);
    return id;
  }

  void stack(const Merge& merge) {
    const Op& first = from_.ops[merge.dots.front()];
    const std::string name = name_of(merge.dots);
    std::vector<Id<Op>> operands = first.operands;
    operands[1 - merge.shared] = together(factors(merge.dots, 1 - merge.shared), merge.dim, name + ".factors", first);
    std::vector<std::int64_t> dims = first.shape.dims;
    dims[static_cast<std::size_t>(merge.result_dim)] = ops_[operands[1 - merge.shared]].shape.dims[static_cast<std::size_t>(merge.dim)];
    const Id<Op> whole = product(merge, std::move(operands), name, std::move(dims));
    std::int64_t start = 0;
    for (const Id<Op> dot : merge.dots) {
      const Op& part = from_.ops[dot];
      const std::int64_t limit = start + part.shape.dims[static_cast<std::size_t>(merge.result_dim)];
      replace(dot, slice(part.name, whole, merge.result_dim, start, limit, part));
      start = limit;
    }
  }

  void sum(const Merge& merge) {
    const Op& first = from_.ops[merge.dots.front()];
    const Op& last = from_.ops[merge.sum];
    const graph::DotDims& dims = first.attributes.dot;
    const std::string name = name_of(merge.dots);
    const std::vector<Id<Op>> operands{together(factors(merge.dots, 0), dims.lhs_contract.front(), name + ".lhs", first),
                                       together(factors(merge.dots, 1), dims.rhs_contract.front(), name + ".rhs", first)};
    for (const Id<Op> dot : merge.dots) gone_[dot] = true;
    for (const Id<Op> add : merge.adds) gone_[add] = true;
    Id<Op> value = product(merge, operands, name, first.shape.dims);
    if (merge.rest.empty()) return replace(merge.sum, value);
    Id<Op> rest = merge.rest.front();
    for (std::size_t i = 1; i < merge.rest.size(); ++i)
      rest = push(Opcode::Add, graph::free_name(names_, fmt::format("{}.rest", last.name)), last.shape.dtype, last.shape.dims, {rest, merge.rest[i]}, last);
    replace(merge.sum, push(Opcode::Add, last.name, last.shape.dtype, last.shape.dims, {rest, value}, last));
  }

  const Computation& from_;
  IdVector<Op, Op> ops_;
  IdVector<Op, bool> gone_;
  std::map<Id<Op>, Id<Op>> replaced_;
  std::map<std::pair<std::vector<Id<Op>>, std::int64_t>, Id<Op>> together_;
  std::set<std::string> names_;
};

}  // namespace

std::optional<Computation> merged(const Computation& from, std::span<const Merge> merges) {
  Writer writer(from);
  for (const Merge& merge : merges) writer.write(merge);
  return writer.finish();
}

}  // namespace seam::planner
