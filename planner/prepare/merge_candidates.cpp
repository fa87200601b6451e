#include "prepare/merge_candidates.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "prepare/frontend.h"
#include "prepare/merges.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

/// Which dims of an operand are neither batch nor contracted, ascending.
std::vector<std::int64_t> free_dims(const graph::Shape& shape, const std::vector<std::int64_t>& batch, const std::vector<std::int64_t>& contract) {
  std::vector<std::int64_t> out;
  for (std::int64_t d = 0; d < shape.rank(); ++d)
    if (!std::ranges::count(batch, d) && !std::ranges::count(contract, d)) out.push_back(d);
  return out;
}

class Finder {
 public:
  explicit Finder(const stitch::Problem& problem) : problem_(problem), computation_(problem.computation) {
    for (const Op& op : computation_.ops) before_others_.insert(op.attributes.control_predecessors.begin(), op.attributes.control_predecessors.end());
  }

 protected:
  [[nodiscard]] const Op& op(Id<Op> id) const { return computation_.ops[id]; }
  [[nodiscard]] const Op& factor(Id<Op> dot, std::size_t side) const { return op(op(dot).operands[side]); }

  /// Somebody asked for an order that data alone does not give.
  [[nodiscard]] bool is_ordered(Id<Op> id) const { return !op(id).attributes.control_predecessors.empty() || before_others_.contains(id); }

  static bool is_plain(const graph::Shape& shape) { return !shape.is_tuple && shape.dynamic.empty() && graph::is_row_major(shape) && shape.elements_count() > 0; }

  /// A product for the library whose meaning is its dims and its precision.
  [[nodiscard]] bool is_product(Id<Op> id) const {
    const Op& dot = op(id);
    if (dot.opcode != Opcode::Dot || problem_.roles.role[id] != Role::Library || !is_float(dot.shape.dtype) || is_ordered(id)) return false;
    for (const graph::Shape* shape : {&dot.shape, &factor(id, 0).shape, &factor(id, 1).shape})
      if (!is_plain(*shape)) return false;
    return std::ranges::all_of(dot.attributes.others, [&](const auto& other) { return other.first == "operand_precision" || !merged_products(dot).empty(); });
  }

  [[nodiscard]] std::string precision(Id<Op> dot) const {
    for (const auto& [key, value] : op(dot).attributes.others)
      if (key == "operand_precision") return value;
    return {};
  }

  /// Types and precision of a product, in words.
  [[nodiscard]] std::string types(Id<Op> dot) const {
    return fmt::format("{} {} {} {}", name(factor(dot, 0).shape.dtype), name(factor(dot, 1).shape.dtype), name(op(dot).shape.dtype), precision(dot));
  }

  [[nodiscard]] std::string numbers(Id<Op> dot) const {
    const graph::DotDims& d = op(dot).attributes.dot;
    return fmt::format("{} {} {} {}", d.lhs_batch, d.rhs_batch, d.lhs_contract, d.rhs_contract);
  }

  void refuse(MergeCandidates& out, VetoCode code, const std::vector<Id<Op>>& ops, std::map<std::string, double> numbers) const {
    EarlyVeto refused{code, computation_.name, {}, std::move(numbers)};
    for (const Id<Op> id : ops) refused.ops.push_back(op(id).name);
    out.refused.push_back(std::move(refused));
  }

  const stitch::Problem& problem_;
  const Computation& computation_;
  std::set<Id<Op>> before_others_;
};

class Stacks : Finder {
 public:
  Stacks(const stitch::Problem& problem, Reach reach) : Finder(problem), reach_(reach), taken_(problem.computation.ops.size(), false) {}

  MergeCandidates run() {
    struct Family {
      std::size_t shared = 0;
      std::map<std::string, std::vector<Id<Op>>> alike;  ///< by what must agree besides the shared factor
    };
    std::map<std::pair<Id<Op>, std::size_t>, Family> families;
    for (std::size_t i = 0; i < computation_.ops.size(); ++i) {
      const Id<Op> dot(i);
      if (!is_product(dot)) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        Family& family = families[{op(dot).operands[side], side}];
        family.shared = side;
        family.alike[signature(dot, side)].push_back(dot);
      }
    }
    // Most products first: a product that shares both factors goes where more is saved.
    std::vector<const Family*> order;
    for (const auto& [key, family] : families) order.push_back(&family);
    std::ranges::stable_sort(order, std::greater<>{}, [](const Family* f) {
      std::size_t most = 0;
      for (const auto& [key, dots] : f->alike) most = std::max(most, dots.size());
      return most;
    });
    for (const Family* family : order) {
      for (const auto& [key, dots] : family->alike) choose(dots, family->shared);
      if (family->alike.size() > 1) differing(family->alike, family->shared);
    }
    return std::move(out_);
  }

 private:
  /// What must agree; empty of a factor without a free dim, which cannot be stacked.
  [[nodiscard]] std::string signature(Id<Op> dot, std::size_t shared) const {
    const std::optional<std::int64_t> dim = stacking_dim(dot, shared);
    std::vector<std::int64_t> dims = factor(dot, 1 - shared).shape.dims;
    if (dim) dims[static_cast<std::size_t>(*dim)] = 0;
    return fmt::format("{} | {} | {}", dim ? "" : op(dot).name, numbers(dot), dims) + types(dot);
  }

  [[nodiscard]] std::optional<std::int64_t> stacking_dim(Id<Op> dot, std::size_t shared) const {
    const graph::DotDims& d = op(dot).attributes.dot;
    const std::vector<std::int64_t> dims = shared == 1 ? free_dims(factor(dot, 0).shape, d.lhs_batch, d.lhs_contract) : free_dims(factor(dot, 1).shape, d.rhs_batch, d.rhs_contract);
    return dims.empty() ? std::nullopt : std::optional(dims.front());
  }

  /// The op that a factor is a piece of, and where the piece begins: pieces of one value are put together in its order.
  [[nodiscard]] std::pair<Id<Op>, std::int64_t> piece(Id<Op> id, std::int64_t dim) const {
    while (op(id).opcode == Opcode::Reshape) id = op(id).operands[0], dim = 0;
    if (op(id).opcode != Opcode::Slice || static_cast<std::size_t>(dim) >= op(id).attributes.starts.size()) return {id, 0};
    return {op(id).operands[0], op(id).attributes.starts[static_cast<std::size_t>(dim)]};
  }

  void choose(const std::vector<Id<Op>>& dots, std::size_t shared) {
    std::vector<Id<Op>> left;
    for (const Id<Op> dot : dots)
      if (!taken_[dot]) left.push_back(dot);
    if (left.size() < 2) return;
    if (reach_ == Reach::Any) return add(independent(left, dots.size()), shared);
    std::ranges::stable_sort(left, {}, [&](Id<Op> dot) { return problem_.asap[dot]; });
    for (std::size_t from = 0; from < left.size();) {
      std::size_t to = from;
      while (to < left.size() && problem_.asap[left[to]] == problem_.asap[left[from]]) ++to;
      add({left.begin() + static_cast<std::ptrdiff_t>(from), left.begin() + static_cast<std::ptrdiff_t>(to)}, shared);
      from = to;
    }
  }

  /// Those of `dots` that follow from none of the others chosen before; the rest is refused.
  std::vector<Id<Op>> independent(const std::vector<Id<Op>>& dots, std::size_t of) {
    std::vector<Id<Op>> together, dependent{dots.front()};
    IdVector<Op, bool> after(computation_.ops.size(), false), chosen(computation_.ops.size(), false);
    std::size_t next = 0;
    for (std::size_t i = dots.front().index(); next < dots.size(); ++i) {  // producers stand before consumers
      const Id<Op> id(i);
      after[id] = std::ranges::any_of(op(id).operands, [&](Id<Op> operand) { return after[operand] || chosen[operand]; });
      if (id != dots[next]) continue;
      ++next;
      chosen[id] = !after[id];
      (after[id] ? dependent : together).push_back(id);
    }
    if (dependent.size() > 1) refuse(out_, VetoCode::MergeNotIndependent, dependent, {{"independent", static_cast<double>(together.size())}, {"products", static_cast<double>(of)}});
    return together;
  }

  void add(std::vector<Id<Op>> dots, std::size_t shared) {
    if (dots.size() < 2) return;
    Merge merge;
    merge.shared = shared;
    merge.dim = *stacking_dim(dots.front(), shared);
    const graph::DotDims& d = op(dots.front()).attributes.dot;
    merge.result_dim = static_cast<std::int64_t>(d.lhs_batch.size());
    if (shared == 0) merge.result_dim += factor(dots.front(), 0).shape.rank() - static_cast<std::int64_t>(d.lhs_batch.size() + d.lhs_contract.size());
    std::ranges::sort(dots, {}, [&](Id<Op> dot) { return std::pair{piece(op(dot).operands[1 - shared], merge.dim), dot}; });
    for (const Id<Op> dot : dots) taken_[dot] = true;
    merge.dots = std::move(dots);
    out_.merges.push_back(std::move(merge));
  }

  /// Products that contract the same dims of the shared factor look like one; this is what keeps them apart.
  void differing(const std::map<std::string, std::vector<Id<Op>>>& alike, std::size_t shared) {
    const auto read_as = [&](Id<Op> dot) {
      const graph::DotDims& d = op(dot).attributes.dot;
      return shared == 0 ? std::pair(d.lhs_batch, d.lhs_contract) : std::pair(d.rhs_batch, d.rhs_contract);
    };
    const Id<Op> first = alike.begin()->second.front();
    for (auto one = std::next(alike.begin()); one != alike.end(); ++one) {
      const Id<Op> other = one->second.front();
      if (read_as(first) != read_as(other)) continue;
      const bool by_type = op(first).shape.dtype != op(other).shape.dtype || factor(first, 1 - shared).shape.dtype != factor(other, 1 - shared).shape.dtype;
      const bool by_precision = precision(first) != precision(other);
      refuse(out_, VetoCode::MergeTypesDiffer, {std::min(first, other), std::max(first, other)},
             {{"dims", by_type || by_precision ? 0 : 1}, {"precision", by_precision ? 1 : 0}, {"types", by_type ? 1 : 0}});
    }
  }

  Reach reach_;
  IdVector<Op, bool> taken_;
  MergeCandidates out_;
};

class Sums : Finder {
 public:
  using Finder::Finder;

  MergeCandidates run() {
    for (std::size_t i = 0; i < computation_.ops.size(); ++i)
      if (is_add(Id<Op>(i)) && !is_inner(Id<Op>(i))) tree(Id<Op>(i));
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_add(Id<Op> id) const {
    const Op& add = op(id);
    return add.opcode == Opcode::Add && is_float(add.shape.dtype) && is_plain(add.shape) && !is_ordered(id) && add.operands[0] != add.operands[1];
  }

  [[nodiscard]] bool only_read_by_add(Id<Op> id) const {
    const std::vector<Id<Op>>& users = problem_.roles.users[id];
    return id != computation_.root && users.size() == 1 && is_add(users[0]);
  }
  [[nodiscard]] bool is_inner(Id<Op> id) const { return is_add(id) && only_read_by_add(id); }

  void tree(Id<Op> root) {
    Merge merge;
    merge.kind = Merge::Kind::Sum;
    merge.sum = root;
    std::vector<Id<Op>> terms, stack{root};
    while (!stack.empty()) {
      const Id<Op> at = stack.back();
      stack.pop_back();
      if (at != root && !is_inner(at)) {
        terms.push_back(at);
        continue;
      }
      merge.adds.push_back(at);
      stack.push_back(op(at).operands[1]);
      stack.push_back(op(at).operands[0]);
    }
    std::map<std::string, std::vector<Id<Op>>> alike;
    for (const Id<Op> term : terms)
      if (is_product(term) && only_read_by_add(term) && !op(term).attributes.dot.lhs_contract.empty()) alike[signature(term)].push_back(term);
    if (alike.size() > 1) {
      const Id<Op> a = alike.begin()->second.front(), b = std::next(alike.begin())->second.front();
      refuse(out_, VetoCode::MergeTypesDiffer, {std::min(a, b), std::max(a, b)}, {});
    }
    const auto most = std::ranges::max_element(alike, {}, [](const auto& one) { return one.second.size(); });
    if (most == alike.end() || most->second.size() < 2) return;
    merge.dots = most->second;
    const DType type = op(root).shape.dtype;
    if (type != DType::F32 && type != DType::F64) {
      refuse(out_, VetoCode::MergeRounding, merge.dots, {{"bits", static_cast<double>(bits(type))}});
      return;
    }
    std::ranges::sort(merge.dots);
    for (const Id<Op> term : terms)
      if (!std::ranges::binary_search(merge.dots, term)) merge.rest.push_back(term);
    out_.merges.push_back(std::move(merge));
  }

  [[nodiscard]] std::string signature(Id<Op> dot) const {
    const graph::DotDims& d = op(dot).attributes.dot;
    std::vector<std::int64_t> lhs = factor(dot, 0).shape.dims, rhs = factor(dot, 1).shape.dims;
    lhs[static_cast<std::size_t>(d.lhs_contract.front())] = rhs[static_cast<std::size_t>(d.rhs_contract.front())] = 0;
    return fmt::format("{} | {} | {} | ", numbers(dot), lhs, rhs) + types(dot);
  }

  MergeCandidates out_;
};

}  // namespace

MergeCandidates stacks(const stitch::Problem& problem, Reach reach) { return Stacks(problem, reach).run(); }

MergeCandidates sums(const stitch::Problem& problem) { return Sums(problem).run(); }

}  // namespace seam::planner
