// Dims in another order, op by op: each rule says what becomes of an op's attributes when its result and operands are renumbered.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/check.h"
#include "graph/orders.h"
#include "graph/transform.h"

namespace seam::graph {

Order row_major_order(std::int64_t rank) {
  Order order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool is_row_major(const Order& order) { return std::ranges::is_sorted(order); }

Order order_of_transposed(const Order& operand, const std::vector<std::int64_t>& dimensions) {
  Order result;
  for (const std::int64_t dim : operand) result.push_back(std::ranges::find(dimensions, dim) - dimensions.begin());
  return result;
}

std::string print_order(const Order& order) { return fmt::format("{{{}}}", fmt::join(order.rbegin(), order.rend(), ",")); }

std::optional<Order> parse_order(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
  Order order;
  for (const char* at = text.data() + 1, *end = text.data() + text.size() - 1; at < end;) {
    std::int64_t dim = 0;
    const auto [next, error] = std::from_chars(at, end, dim);
    if (error != std::errc{} || (next != end && (*next != ',' || next + 1 == end))) return std::nullopt;
    order.push_back(dim);
    at = next == end ? end : next + 1;
  }
  std::ranges::reverse(order);
  Order sorted = order;
  std::ranges::sort(sorted);
  return sorted == row_major_order(std::ssize(sorted)) ? std::optional(order) : std::nullopt;
}

bool may_reorder(const Op& op) {
  if (op.shape.is_tuple || !op.shape.dynamic.empty() || op.shape.rank() < 2) return false;
  switch (op.opcode) {
    case Opcode::Broadcast:
    case Opcode::Iota:
    case Opcode::Transpose:
    case Opcode::Reduce:
    case Opcode::Reshape:
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Reverse:
    case Opcode::Concatenate:
    case Opcode::Copy:
    case Opcode::Dot: return true;
    case Opcode::Map: return false;
    default: return op_class(op.opcode) == OpClass::Elementwise;
  }
}

namespace {

template <class T>
std::vector<T> picked(const std::vector<T>& from, const Order& order) {
  std::vector<T> out;
  for (const std::int64_t dim : order) out.push_back(from.at(static_cast<std::size_t>(dim)));
  return out;
}

/// place_of(order)[dim] = where the dim stands.
std::vector<std::int64_t> place_of(const Order& order) {
  std::vector<std::int64_t> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place.at(static_cast<std::size_t>(order[k])) = static_cast<std::int64_t>(k);
  return place;
}

/// Dims of a reshape fall into runs of the operand's and of the result's that hold the same elements; a renumbering that moves whole runs moves them on both sides.
struct Run {
  std::vector<std::int64_t> operand, result;
};
std::vector<Run> runs_of(const std::vector<std::int64_t>& operand, const std::vector<std::int64_t>& result) {
  std::vector<Run> runs;
  std::size_t i = 0, j = 0;
  while (i < operand.size() || j < result.size()) {
    Run run;
    std::int64_t left = 1, right = 1;
    if (i < operand.size()) left *= operand[i], run.operand.push_back(static_cast<std::int64_t>(i++));
    if (j < result.size()) right *= result[j], run.result.push_back(static_cast<std::int64_t>(j++));
    while (left != right) {
      if (left < right && i < operand.size()) {
        left *= operand[i], run.operand.push_back(static_cast<std::int64_t>(i++));
      } else if (right < left && j < result.size()) {
        right *= result[j], run.result.push_back(static_cast<std::int64_t>(j++));
      } else {
        return {};
      }
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

std::optional<Order> order_of_reshaped(const std::vector<std::int64_t>& operand, const std::vector<std::int64_t>& result, const Order& order) {
  if (is_row_major(order)) return row_major_order(static_cast<std::int64_t>(result.size()));
  const std::vector<Run> runs = runs_of(operand, result);
  if (runs.empty()) return std::nullopt;
  std::vector<std::size_t> run_of(operand.size());
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const std::int64_t dim : runs[r].operand) run_of[static_cast<std::size_t>(dim)] = r;
  Order out;
  for (std::size_t k = 0; k < order.size();) {
    const Run& run = runs[run_of[static_cast<std::size_t>(order[k])]];
    for (const std::int64_t dim : run.operand)
      if (k >= order.size() || order[k++] != dim) return std::nullopt;
    out.insert(out.end(), run.result.begin(), run.result.end());
  }
  // Runs of ones on the result's side only have no place of their own.
  std::set<std::int64_t> there(out.begin(), out.end());
  for (const Run& run : runs)
    for (const std::int64_t dim : run.result)
      if (there.insert(dim).second) out.insert(out.begin(), dim);
  return out;
}

namespace {

class Reorderer {
 public:
  Reorderer(const Computation& from, const Orders& orders, const std::map<Id<Op>, DotOrders>& products)
      : from_(from), orders_(orders), products_(products), made_(from.ops.size()), first_(from.ops.size()), lies_(from.ops.size()) {
    for (const Op& op : from.ops) names_.insert(op.name);
  }

  Computation run() {
    out_.name = from_.name;
    out_.execution_thread = from_.execution_thread;
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const Id<Op> id(i);
      Op op = from_.ops[id];
      for (Id<Op>& before : op.attributes.control_predecessors) before = made_[before].begin()->second;
      rewrite(id, std::move(op));
      // What others read: the order that was asked for, where it is not the one in which the value comes.
      lies_[id] = first_[id];
      if (orders_[id].empty() || !may_reorder(from_.ops[id])) continue;
      lies_[id] = orders_[id];
      in_order(id, orders_[id]);
    }
    out_.root = in_order(from_.root, row_major(from_.root));
    for (const Id<Op> parameter : from_.parameters) out_.parameters.push_back(in_order(parameter, row_major(parameter)));
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Shape& shape(Id<Op> id) const { return from_.ops[id].shape; }
  [[nodiscard]] Order row_major(Id<Op> id) const { return row_major_order(shape(id).is_tuple ? 0 : shape(id).rank()); }
  [[nodiscard]] Order wanted(Id<Op> id) const {
    return orders_[id].empty() || !may_reorder(from_.ops[id]) ? row_major(id) : orders_[id];
  }

  /// The value with its dims in `order`: as it was made, or transposed once for all who want it so.
  Id<Op> in_order(Id<Op> id, const Order& order) {
    const std::map<Order, Id<Op>>& made = made_[id];
    if (const auto found = made.find(order); found != made.end()) return found->second;
    const auto& [from, value] = *made.find(first_[id]);
    Op op;
    op.name = free_name(names_, fmt::format("{}.in_{}", from_.ops[id].name, fmt::join(order, "")));
    op.opcode = Opcode::Transpose;
    op.opcode_text = std::string(name(Opcode::Transpose));
    op.shape.dtype = shape(id).dtype;
    op.shape.dims = picked(shape(id).dims, order);
    const std::vector<std::int64_t> place = place_of(from);
    for (const std::int64_t dim : order) op.attributes.dimensions.push_back(place[static_cast<std::size_t>(dim)]);
    op.operands = {value};
    op.metadata = from_.ops[id].metadata;
    op.at = from_.ops[id].at;
    return made_[id][order] = out_.ops.push_back(std::move(op));
  }

  void keep(Id<Op> id, const Order& order, Op op) {
    if (!op.shape.is_tuple) {
      op.shape.dims = picked(from_.ops[id].shape.dims, order);
      op.shape.minor_to_major.clear();
      op.shape.has_layout = false;
    }
    first_[id] = order;
    made_[id][order] = out_.ops.push_back(std::move(op));
  }

  void rewrite(Id<Op> id, Op op) {
    const bool one_order = op.shape.is_tuple || op.shape.rank() < 2;
    switch (op.opcode) {
      case Opcode::Reduce: return reduce(id, std::move(op));
      case Opcode::Dot: return dot(id, std::move(op));
      case Opcode::Reshape: return reshape(id, std::move(op));
      default: break;
    }
    if (one_order || !may_reorder(op)) return as_it_stands(id, std::move(op));
    const Order order = wanted(id);
    const std::vector<std::int64_t> place = place_of(order);
    const std::vector<Id<Op>> operands = op.operands;
    const auto same_order = [&](std::size_t i) {
      // Scalars (bounds of clamp, a select's pred, padding values) have no order.
      op.operands[i] = in_order(operands[i], shape(operands[i]).rank() == op.shape.rank() ? order : row_major(operands[i]));
    };
    switch (op.opcode) {
      case Opcode::Iota: op.attributes.dimensions[0] = place[static_cast<std::size_t>(op.attributes.dimensions[0])]; break;
      case Opcode::Broadcast: {
        Order operand = row_major(operands[0]);
        std::ranges::sort(operand, {}, [&](std::int64_t dim) { return place[static_cast<std::size_t>(op.attributes.dimensions[static_cast<std::size_t>(dim)])]; });
        std::vector<std::int64_t> dimensions;
        for (const std::int64_t dim : operand) dimensions.push_back(place[static_cast<std::size_t>(op.attributes.dimensions[static_cast<std::size_t>(dim)])]);
        op.attributes.dimensions = std::move(dimensions);
        op.operands[0] = in_order(operands[0], operand);
        break;
      }
      case Opcode::Transpose: return transpose(id, std::move(op));
      case Opcode::Slice:
        op.attributes.starts = picked(op.attributes.starts, order);
        op.attributes.limits = picked(op.attributes.limits, order);
        if (!op.attributes.strides.empty()) op.attributes.strides = picked(op.attributes.strides, order);
        same_order(0);
        break;
      case Opcode::Pad:
        op.attributes.padding = picked(op.attributes.padding, order);
        same_order(0);
        op.operands[1] = in_order(operands[1], row_major(operands[1]));
        break;
      case Opcode::Reverse:
      case Opcode::Concatenate:
        for (std::int64_t& dim : op.attributes.dimensions) dim = place[static_cast<std::size_t>(dim)];
        std::ranges::sort(op.attributes.dimensions);
        for (std::size_t i = 0; i < operands.size(); ++i) same_order(i);
        break;
      default:
        for (std::size_t i = 0; i < operands.size(); ++i) same_order(i);
        break;
    }
    keep(id, order, std::move(op));
  }

  void as_it_stands(Id<Op> id, Op op) {
    for (Id<Op>& operand : op.operands) operand = in_order(operand, row_major(operand));
    keep(id, row_major(id), std::move(op));
  }

  void transpose(Id<Op> id, Op op) {
    const Id<Op> operand = op.operands[0];
    const Order order = wanted(id), from = lies_[operand];
    const std::vector<std::int64_t> place = place_of(from);
    std::vector<std::int64_t> dimensions;
    for (const std::int64_t dim : order) dimensions.push_back(place[static_cast<std::size_t>(op.attributes.dimensions[static_cast<std::size_t>(dim)])]);
    op.operands[0] = in_order(operand, from);
    if (std::ranges::is_sorted(dimensions)) {
      op.opcode = Opcode::Reshape;
      op.opcode_text = std::string(name(Opcode::Reshape));
      dimensions.clear();
    }
    op.attributes.dimensions = std::move(dimensions);
    keep(id, order, std::move(op));
  }

  void reduce(Id<Op> id, Op op) {
    const std::size_t arrays = op.operands.size() / 2;
    const Id<Op> first = op.operands[0];
    // All arrays of a variadic reduce have the same dims.
    const Order from = lies_[first];
    const std::vector<std::int64_t> place = place_of(from), reduced = op.attributes.dimensions;
    for (std::size_t i = 0; i < op.operands.size(); ++i) op.operands[i] = in_order(op.operands[i], i < arrays ? from : row_major(op.operands[i]));
    for (std::int64_t& dim : op.attributes.dimensions) dim = place[static_cast<std::size_t>(dim)];
    std::ranges::sort(op.attributes.dimensions);
    // Result dims by their number among the kept ones.
    std::vector<std::int64_t> kept_number(shape(first).dims.size(), -1);
    std::int64_t kept = 0;
    for (std::size_t d = 0; d < kept_number.size(); ++d)
      if (std::ranges::find(reduced, static_cast<std::int64_t>(d)) == reduced.end()) kept_number[d] = kept++;
    Order natural;
    for (const std::int64_t dim : from)
      if (kept_number[static_cast<std::size_t>(dim)] >= 0) natural.push_back(kept_number[static_cast<std::size_t>(dim)]);
    if (op.shape.is_tuple && !is_row_major(natural)) {
      // Elements of its tuple are read one by one, in the module's own order.
      for (std::size_t i = 0; i < arrays; ++i) op.operands[i] = in_order(from_.ops[id].operands[i], row_major(from_.ops[id].operands[i]));
      op.attributes.dimensions = reduced;
      natural = row_major_order(kept);
    }
    keep(id, op.shape.is_tuple ? row_major(id) : natural, std::move(op));
  }

  void dot(Id<Op> id, Op op) {
    const Id<Op> lhs = op.operands[0], rhs = op.operands[1];
    const DotDims dims = op.attributes.dot;
    const auto product = products_.find(id);
    const bool stated = product != products_.end();
    const Order lhs_order = stated ? product->second.lhs : lies_[lhs], rhs_order = stated ? product->second.rhs : lies_[rhs];
    const Order wish = stated ? product->second.result : wanted(id);
    const std::vector<std::int64_t> lhs_place = place_of(lhs_order), rhs_place = place_of(rhs_order);
    // Result dims: batch, free of lhs, free of rhs. Batch dims may be listed in any order: in that of the wish.
    const auto batches = static_cast<std::int64_t>(dims.lhs_batch.size());
    std::vector<std::int64_t> batch_order;
    for (const std::int64_t dim : wish)
      if (dim < batches) batch_order.push_back(dim);
    DotDims now;
    for (const std::int64_t b : batch_order) {
      now.lhs_batch.push_back(lhs_place[static_cast<std::size_t>(dims.lhs_batch[static_cast<std::size_t>(b)])]);
      now.rhs_batch.push_back(rhs_place[static_cast<std::size_t>(dims.rhs_batch[static_cast<std::size_t>(b)])]);
    }
    for (const std::int64_t dim : dims.lhs_contract) now.lhs_contract.push_back(lhs_place[static_cast<std::size_t>(dim)]);
    for (const std::int64_t dim : dims.rhs_contract) now.rhs_contract.push_back(rhs_place[static_cast<std::size_t>(dim)]);
    Order natural = batch_order;
    const auto add_free = [&](Id<Op> operand, const Order& order, const std::vector<std::int64_t>& batch, const std::vector<std::int64_t>& contract, std::int64_t first) {
      std::vector<std::int64_t> number(shape(operand).dims.size(), -1);
      for (std::size_t d = 0; d < number.size(); ++d) {
        const auto dim = static_cast<std::int64_t>(d);
        if (std::ranges::find(batch, dim) == batch.end() && std::ranges::find(contract, dim) == contract.end()) number[d] = first++;
      }
      for (const std::int64_t dim : order)
        if (number[static_cast<std::size_t>(dim)] >= 0) natural.push_back(number[static_cast<std::size_t>(dim)]);
      return first;
    };
    const std::int64_t rows_end = add_free(lhs, lhs_order, dims.lhs_batch, dims.lhs_contract, batches);
    add_free(rhs, rhs_order, dims.rhs_batch, dims.rhs_contract, rows_end);
    op.operands = {in_order(lhs, lhs_order), in_order(rhs, rhs_order)};
    // dot(b, a) has the free dims of b first; attributes beyond the dims name operands by side.
    Order swapped(natural.begin(), natural.begin() + batches);
    swapped.insert(swapped.end(), natural.begin() + rows_end, natural.end());
    swapped.insert(swapped.end(), natural.begin() + batches, natural.begin() + rows_end);
    if (wish != natural && wish == swapped && op.attributes.others.empty()) {
      std::swap(op.operands[0], op.operands[1]);
      std::swap(now.lhs_batch, now.rhs_batch);
      std::swap(now.lhs_contract, now.rhs_contract);
      natural = swapped;
    }
    op.attributes.dot = std::move(now);
    keep(id, natural, std::move(op));
    in_order(id, wish);
  }

  void reshape(Id<Op> id, Op op) {
    const Id<Op> operand = op.operands[0];
    const Order from = lies_[operand];
    if (const std::optional<Order> order = order_of_reshaped(shape(operand).dims, shape(id).dims, from)) {
      op.operands[0] = in_order(operand, from);
      return keep(id, *order, std::move(op));
    }
    as_it_stands(id, std::move(op));
  }

  const Computation& from_;
  const Orders& orders_;
  const std::map<Id<Op>, DotOrders>& products_;
  IdVector<Op, std::map<Order, Id<Op>>> made_;  ///< each value in the orders that exist
  IdVector<Op, Order> first_;                   ///< the order it was made in
  IdVector<Op, Order> lies_;                    ///< the order in which it is read where nothing else is asked
  std::set<std::string> names_;
  Computation out_;
};

bool repeatable(const Computation& computation, const Op& op) {
  return op.opcode == Opcode::Iota ||
         (op.opcode == Opcode::Broadcast && computation.ops[op.operands[0]].shape.elements_count() < op.shape.elements_count());
}

}  // namespace

Computation reordered(const Computation& computation, const Orders& orders, const std::map<Id<Op>, DotOrders>& products) {
  SEAM_CHECK(orders.size() == computation.ops.size(), "one order per op");
  return Reorderer(computation, orders, products).run();
}

Graph with_own_broadcasts(const Graph& graph) {
  Graph out = graph;
  for (Computation& computation : out.computations) {
    const Computation from = computation;
    std::set<std::string> names;
    for (const Op& op : from.ops) names.insert(op.name);
    IdVector<Op, Id<Op>> now(from.ops.size());
    IdVector<Op, bool> used(from.ops.size(), false);
    computation.ops = {};
    const auto copy_of = [&](Id<Op> id, const auto& self) -> Id<Op> {
      if (!repeatable(from, from.ops[id]) || !from.ops[id].attributes.control_predecessors.empty()) return now[id];
      if (!used[id]) {
        used[id] = true;
        return now[id];
      }
      Op again = from.ops[id];
      again.name = free_name(names, again.name + ".again");
      for (Id<Op>& operand : again.operands) operand = self(operand, self);
      return computation.ops.push_back(std::move(again));
    };
    for (std::size_t i = 0; i < from.ops.size(); ++i) {
      Op op = from.ops[Id<Op>(i)];
      for (Id<Op>& operand : op.operands) operand = copy_of(operand, copy_of);
      for (Id<Op>& before : op.attributes.control_predecessors) before = now[before];
      now[Id<Op>(i)] = computation.ops.push_back(std::move(op));
    }
    computation.root = now[from.root];
    for (Id<Op>& parameter : computation.parameters) parameter = now[parameter];
  }
  return out;
}

}  // namespace seam::graph
