#include "validate/demand.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/mix.h"
#include "graph/tolerance.h"
#include "planner/planner.h"

namespace seam::codegen {
namespace {

using graph::Opcode;
using graph::Value;

/// More operand elements than this at once are reduced in pieces.
constexpr std::int64_t kPiece = std::int64_t{1} << 20;

graph::Shape flat_shape(DType dtype, std::size_t count) {
  graph::Shape shape;
  shape.dtype = dtype;
  shape.dims = {static_cast<std::int64_t>(count)};
  return shape;
}

/// Places of `elements` in the sorted list `have`; -1 stays -1.
Indices places(const Indices& have, const Indices& elements) {
  if (have == elements) {
    Indices same(elements.size());
    std::iota(same.begin(), same.end(), std::int64_t{0});
    return same;
  }
  const bool dense = !have.empty() && have.back() - have.front() + 1 == static_cast<std::int64_t>(have.size());
  Indices result(elements.size());
  std::size_t next = 0;  // elements mostly ascend in runs: the place after the last one is the likely one
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] < 0) {
      result[i] = -1;
      continue;
    }
    if (dense) {
      result[i] = elements[i] - have.front();
      continue;
    }
    if (next >= have.size() || have[next] != elements[i]) next = static_cast<std::size_t>(std::ranges::lower_bound(have, elements[i]) - have.begin());
    result[i] = static_cast<std::int64_t>(next++);
  }
  return result;
}

/// Ascending, each once, without the -1s.
void make_set(Indices& elements) {
  std::erase_if(elements, [](std::int64_t e) { return e < 0; });
  if (std::ranges::adjacent_find(elements, std::ranges::greater_equal{}) == elements.end()) return;
  const auto [low, high] = std::ranges::minmax(elements);
  const auto range = static_cast<std::size_t>(high - low) + 1;
  if (range / 16 > elements.size()) {
    std::ranges::sort(elements);
    elements.erase(std::ranges::unique(elements).begin(), elements.end());
    return;
  }
  // Elements lie close together: marking them is linear, sorting millions of them is not.
  std::vector<bool> marked(range);
  for (const std::int64_t e : elements) marked[static_cast<std::size_t>(e - low)] = true;
  elements.clear();
  for (std::size_t i = 0; i < range; ++i) {
    if (marked[i]) elements.push_back(low + static_cast<std::int64_t>(i));
  }
}

/// Elements of a stored array as a 1-D value.
Value loaded(const Array& array, const Indices& at) {
  Value value;
  value.shape = flat_shape(array.dtype, at.size());
  const auto width = static_cast<std::size_t>(bytes(array.dtype));
  if (is_integer(array.dtype)) {
    value.integers.resize(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::byte* from = &array.data[static_cast<std::size_t>(at[i]) * width];
      std::int64_t number = 0;
      if (width == 8) {
        std::copy_n(from, 8, reinterpret_cast<std::byte*>(&number));
      } else {
        number = static_cast<std::int64_t>(load_as_double(array.dtype, from));
      }
      value.integers[i] = number;
    }
    return value;
  }
  value.numbers.resize(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    value.numbers[i] = load_as_double(array.dtype, &array.data[static_cast<std::size_t>(at[i]) * width]);
  }
  return value;
}

Value iota_value(const graph::Op& op, const Indices& wanted) {
  const auto dim = static_cast<std::size_t>(op.attributes.dimensions[0]);
  const std::int64_t stride = row_major_strides(op.shape.dims)[dim];
  Value value;
  value.shape = flat_shape(op.shape.dtype, wanted.size());
  for (const std::int64_t w : wanted) {
    const std::int64_t coordinate = w / stride % op.shape.dims[dim];
    if (is_integer(op.shape.dtype)) {
      value.integers.push_back(coordinate);
    } else {
      value.numbers.push_back(round_to(op.shape.dtype, static_cast<double>(coordinate)));
    }
  }
  return value;
}

/// Element by element: from the first operand whose place is not -1.
Value chosen(const std::vector<Value>& operands, const std::vector<Indices>& reads, std::size_t count) {
  Value value;
  value.shape = flat_shape(operands[0].shape.dtype, count);
  const bool integer = is_integer(value.shape.dtype);
  (integer ? value.integers.resize(count) : value.numbers.resize(count));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (reads[k][i] < 0) continue;
      if (integer) {
        value.integers[i] = operands[k].integers[i];
      } else {
        value.numbers[i] = operands[k].numbers[i];
      }
      break;
    }
  }
  return value;
}

bool moves_only(Opcode opcode) {
  switch (opcode) {
    case Opcode::Broadcast: case Opcode::Transpose: case Opcode::Slice: case Opcode::Reverse: case Opcode::Reshape: case Opcode::Bitcast:
    case Opcode::Copy: case Opcode::DynamicSlice: case Opcode::Gather: case Opcode::OptBarrier: case Opcode::Domain:
      return true;
    default:
      return false;
  }
}

bool one_array_reduce(const graph::Op& op) { return op.opcode == Opcode::Reduce && op.operands.size() == 2; }

bool one_array_scatter(const graph::Op& op) { return op.opcode == Opcode::Scatter && op.operands.size() == 3; }

/// Ops whose operands must be known as a whole.
bool needs_all(const graph::Op& op) {
  if (op.opcode == Opcode::Reduce) return op.operands.size() != 2;
  return graph::op_class(op.opcode) != graph::OpClass::Elementwise && !moves_only(op.opcode) && op.opcode != Opcode::Pad &&
         op.opcode != Opcode::Concatenate && op.opcode != Opcode::DynamicUpdateSlice && op.opcode != Opcode::Dot &&
         op.opcode != Opcode::Iota && op.opcode != Opcode::Constant && !one_array_scatter(op);
}

/// Whether values are rounded on the way to a sum or product of many terms; a maximum is exact.
bool sums(const graph::Graph& graph, const graph::Op& op) {
  if (op.opcode == Opcode::Dot) return true;
  if (op.opcode != Opcode::Reduce) return false;
  const graph::Computation& combiner = graph.computations[op.attributes.calls[0]];
  const Opcode root = combiner.ops[combiner.root].opcode;
  return root != Opcode::Maximum && root != Opcode::Minimum && root != Opcode::And && root != Opcode::Or;
}

}  // namespace

Value picked(const Value& value, const Indices& at) {
  Value out;
  out.shape = flat_shape(value.shape.dtype, at.size());
  const auto take = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    to.resize(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] >= 0) to[i] = from[static_cast<std::size_t>(at[i])];
    }
  };
  take(value.numbers, out.numbers);
  take(value.integers, out.integers);
  take(value.imaginary, out.imaginary);
  return out;
}

const Array* Demand::leaf(Id<graph::Op> op) const {
  if (const auto found = inputs_.find(planner::storage_of(computation_, op)); found != inputs_.end()) return found->second;
  const graph::Op& at = computation_.ops[op];
  return at.opcode == Opcode::Constant && !at.shape.is_tuple ? &at.attributes.literal.value : nullptr;
}

Result<std::vector<std::int64_t>> Demand::integers(Id<graph::Op> op, graph::Rounding rounding) const {
  Indices all(static_cast<std::size_t>(computation_.ops[op].shape.elements_count()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  SEAM_TRY(Value value, values(op, all, rounding));
  return std::move(value.integers);
}

Result<std::vector<std::int64_t>> Demand::starts(const graph::Op& op, std::size_t first, graph::Rounding rounding) const {
  std::vector<std::int64_t> out;
  for (std::size_t k = first; k < op.operands.size(); ++k) {
    SEAM_TRY(const std::vector<std::int64_t> part, integers(op.operands[k], rounding));
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

Result<std::vector<Indices>> Demand::reads(const graph::Op& op, const Indices& wanted, graph::Rounding rounding) const {
  const auto shape = [&](std::size_t k) -> const graph::Shape& { return computation_.ops[op.operands[k]].shape; };
  std::vector<Indices> out;
  switch (op.opcode) {
    case Opcode::DynamicSlice: {
      SEAM_TRY(const auto start, starts(op, 1, rounding));
      out.push_back(dynamic_slice_elements(op, shape(0), start, wanted));
      return out;
    }
    case Opcode::DynamicUpdateSlice: {
      SEAM_TRY(const auto start, starts(op, 2, rounding));
      for (std::size_t k : {0U, 1U}) out.push_back(dynamic_update_elements(op, k, shape(1), start, wanted));
      return out;
    }
    case Opcode::Gather: {
      SEAM_TRY(const auto indices, integers(op.operands[1], rounding));
      out.push_back(gather_elements(op, shape(0), shape(1), indices, wanted));
      return out;
    }
    case Opcode::Concatenate: {
      std::int64_t offset = 0;
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        out.push_back(concatenate_elements(op, offset, shape(k), wanted));
        offset += shape(k).dims[static_cast<std::size_t>(op.attributes.dimensions[0])];
      }
      return out;
    }
    case Opcode::Dot:
      for (std::size_t k : {0U, 1U}) out.push_back(dot_elements(op, k, shape(0), shape(1), wanted));
      return out;
    case Opcode::Reduce: {
      const std::int64_t count = reduced_count(op, shape(0));
      const bool in_pieces = static_cast<std::int64_t>(wanted.size()) * count > kPiece;
      out.push_back(in_pieces ? Indices{} : reduced_elements(op, shape(0), wanted, 0, count));
      out.emplace_back(1, 0);
      return out;
    }
    default:
      for (std::size_t k = 0; k < op.operands.size(); ++k) out.push_back(operand_elements(op, k, shape(k), wanted));
      return out;
  }
}

Result<std::vector<Id<graph::Op>>> Demand::propagate(Id<graph::Op> root, const Indices& wanted, graph::Rounding rounding, Slots& slots) const {
  slots[root].wanted = wanted;
  std::vector<Id<graph::Op>> order;
  for (auto next = slots.begin(); next != slots.end(); ++next) {
    const auto& [id, slot] = *next;
    Slot& mine = next->second;
    make_set(mine.wanted);
    order.push_back(id);
    const graph::Op& op = computation_.ops[id];
    if (leaf(id) != nullptr || op.opcode == Opcode::Iota || needs_all(op)) continue;
    if (op.opcode == Opcode::Parameter) return fail(Error::Code::BadInput, fmt::format("no value was given for {}", op.name));
    if (one_array_scatter(op)) {
      if (const Result<void> read = read_scatter(op, mine, rounding); !read) return tl::unexpected(read.error());
    } else {
      SEAM_TRY(mine.reads, reads(op, mine.wanted, rounding));
    }
    for (std::size_t k = 0; k < mine.reads.size(); ++k) {
      Indices& want = slots[op.operands[k]].wanted;
      if (want != mine.reads[k]) want.insert(want.end(), mine.reads[k].begin(), mine.reads[k].end());
    }
  }
  return order;
}

Result<std::int64_t> Demand::work(Id<graph::Op> root, const Indices& wanted) const {
  Slots slots;
  SEAM_TRY(const std::vector<Id<graph::Op>> order, propagate(root, wanted, graph::Rounding::Rounded, slots));
  std::int64_t elements = 0;
  for (const Id<graph::Op> id : order) {
    const Slot& slot = slots[id];
    const graph::Op& op = computation_.ops[id];
    elements += std::ssize(slot.wanted);
    if (leaf(id) != nullptr) continue;
    for (const Indices& read : slot.reads) elements += std::ssize(read);
    // What is reduced in pieces is not listed: its terms, and at least one op that makes them.
    if (one_array_reduce(op) && slot.reads[0].empty()) elements += 2 * std::ssize(slot.wanted) * reduced_count(op, computation_.ops[op.operands[0]].shape);
    if (needs_all(op)) {
      for (const Id<graph::Op> operand : op.operands) elements += computation_.ops[operand].shape.elements_count();
    }
  }
  return elements;
}

Result<Value> Demand::values(Id<graph::Op> root, const Indices& wanted, graph::Rounding rounding) const {
  Slots slots;  // largest id first: users before producers
  SEAM_TRY(const std::vector<Id<graph::Op>> order, propagate(root, wanted, rounding, slots));
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    SEAM_TRY(slots[*at].value, compute(*at, slots, rounding));
    if (shake_ != 0) shake(*at, slots[*at].wanted, slots[*at].value);
    slots[*at].value.shape = flat_shape(computation_.ops[*at].shape.dtype, slots[*at].wanted.size());
  }
  const Slot& mine = slots[root];
  return picked(mine.value, places(mine.wanted, wanted));
}

Result<Value> Demand::compute(Id<graph::Op> id, const Slots& slots, graph::Rounding rounding) const {
  const Slot& slot = slots.at(id);
  const graph::Op& op = computation_.ops[id];
  if (const Array* array = leaf(id)) {
    if (is_complex(array->dtype)) return fail(Error::Code::Unsupported, fmt::format("{} is complex", op.name), op.at);
    if (op.opcode == Opcode::Constant && !op.attributes.literal.known) {
      return fail(Error::Code::Unsupported, fmt::format("the value of constant {} is not in the text ({{...}})", op.name), op.at);
    }
    return loaded(*array, slot.wanted);
  }
  if (op.opcode == Opcode::Iota) return iota_value(op, slot.wanted);
  if (needs_all(op)) {
    SEAM_TRY(const Value all, whole(id, rounding));
    return picked(all, slot.wanted);
  }
  const std::size_t count = slot.wanted.size();
  std::vector<Value> operands;
  for (std::size_t k = 0; k < slot.reads.size(); ++k) {
    const Slot& from = slots.at(op.operands[k]);
    operands.push_back(picked(from.value, places(from.wanted, slot.reads[k])));
  }
  if (one_array_reduce(op) && slot.reads[0].empty() && count > 0 &&
      reduced_count(op, computation_.ops[op.operands[0]].shape) > 0) {
    return reduced_piecewise(op, slot, operands[1], rounding);
  }
  if (one_array_scatter(op)) return scattered(op, slot, std::move(operands), rounding);
  if (moves_only(op.opcode)) return std::move(operands[0]);
  if (op.opcode == Opcode::Concatenate || op.opcode == Opcode::DynamicUpdateSlice || op.opcode == Opcode::Pad) {
    return chosen(operands, slot.reads, count);
  }
  return combined(op, operands, count, rounding);
}

Result<Value> Demand::combined(const graph::Op& op, const std::vector<Value>& operands, std::size_t count, graph::Rounding rounding) const {
  graph::Op flat = op;
  flat.shape = flat_shape(op.shape.dtype, count);
  std::vector<Value> shaped = operands;
  if (op.opcode == Opcode::Reduce || op.opcode == Opcode::Dot) {
    const auto n = static_cast<std::int64_t>(count);
    const std::size_t rows = op.opcode == Opcode::Dot ? 2 : 1;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto total = static_cast<std::int64_t>(std::max({shaped[k].numbers.size(), shaped[k].integers.size()}));
      shaped[k].shape.dims = {n, n == 0 ? 0 : total / n};
    }
    if (op.opcode == Opcode::Reduce) {
      flat.attributes.dimensions = {1};
      shaped[1].shape.dims = {};
    } else {
      flat.attributes.dot = graph::DotDims{{0}, {1}, {0}, {1}};
    }
  }
  std::vector<const Value*> pointers;
  for (const Value& value : shaped) pointers.push_back(&value);
  return graph::evaluate_op(graph_, computation_, flat, pointers, rounding);
}

Result<Indices> Demand::targets(Id<graph::Op> update, graph::Rounding rounding) const {
  const graph::Op& op = computation_.ops[update];
  const auto shape = [&](std::size_t k) -> const graph::Shape& { return computation_.ops[op.operands[k]].shape; };
  Indices out;
  if (op.opcode == Opcode::DynamicUpdateSlice) {
    SEAM_TRY(const auto start, starts(op, 2, rounding));
    out = updated_elements(op, shape(1), start);
  } else if (one_array_scatter(op)) {
    SEAM_TRY(const auto indices, integers(op.operands[1], rounding));
    out = scatter_targets(op, shape(0), shape(1), indices, shape(2));
  }
  make_set(out);
  return out;
}

Result<void> Demand::read_scatter(const graph::Op& op, Slot& slot, graph::Rounding rounding) const {
  const auto shape = [&](std::size_t k) -> const graph::Shape& { return computation_.ops[op.operands[k]].shape; };
  SEAM_TRY(const auto indices, integers(op.operands[1], rounding));
  const Indices targets = scatter_targets(op, shape(0), shape(1), indices, shape(2));
  Indices updates;
  for (std::size_t u = 0; u < targets.size(); ++u) {
    if (targets[u] < 0) continue;
    const auto at = std::ranges::lower_bound(slot.wanted, targets[u]);
    if (at == slot.wanted.end() || *at != targets[u]) continue;
    updates.push_back(static_cast<std::int64_t>(u));
    slot.falls_on.push_back(at - slot.wanted.begin());
  }
  slot.reads = {slot.wanted, {}, std::move(updates)};
  return {};
}

/// The same scatter over a list of numbers: the wanted elements, and only the updates that fall on them, in their order.
Result<Value> Demand::scattered(const graph::Op& op, const Slot& slot, std::vector<Value> operands, graph::Rounding rounding) const {
  graph::Op flat = op;
  flat.shape = flat_shape(op.shape.dtype, slot.wanted.size());
  flat.attributes.gather = {};
  flat.attributes.gather.collapsed_slice_dims = {0};
  flat.attributes.gather.start_index_map = {0};
  flat.attributes.gather.index_vector_dim = 1;
  operands[1].shape = flat_shape(DType::S64, slot.falls_on.size());
  operands[1].shape.dims.push_back(1);
  operands[1].integers = slot.falls_on;
  operands[1].numbers.clear();
  const std::array<const Value*, 3> pointers = {&operands[0], &operands[1], &operands[2]};
  return graph::evaluate_op(graph_, computation_, flat, pointers, rounding);
}

/// Few results at a time, each reduced at once; a value that a reduced row needs as a whole (the maximum inside a softmax) is then computed for these
/// rows only. A single row too long for that is reduced in pieces.
Result<Value> Demand::reduced_piecewise(const graph::Op& op, const Slot& slot, const Value& init, graph::Rounding rounding) const {
  const Id<graph::Op> operand = op.operands[0];
  const graph::Shape& shape = computation_.ops[operand].shape;
  const std::int64_t count = reduced_count(op, shape);
  const auto rows_at_once = static_cast<std::size_t>(std::max<std::int64_t>(1, kPiece / count));
  Value result;
  result.shape = flat_shape(op.shape.dtype, slot.wanted.size());
  for (std::size_t from = 0; from < slot.wanted.size(); from += rows_at_once) {
    const std::size_t to = std::min(slot.wanted.size(), from + rows_at_once);
    const Indices rows(slot.wanted.begin() + static_cast<std::ptrdiff_t>(from), slot.wanted.begin() + static_cast<std::ptrdiff_t>(to));
    SEAM_TRY(const Value some, count > kPiece ? long_row(op, rows, init, rounding) : whole_rows(op, rows, count, init, rounding));
    result.numbers.insert(result.numbers.end(), some.numbers.begin(), some.numbers.end());
    result.integers.insert(result.integers.end(), some.integers.begin(), some.integers.end());
  }
  return result;
}

Result<Value> Demand::whole_rows(const graph::Op& op, const Indices& rows, std::int64_t count, const Value& init, graph::Rounding rounding) const {
  SEAM_TRY(Value elements, values(op.operands[0], reduced_elements(op, computation_.ops[op.operands[0]].shape, rows, 0, count), rounding));
  return combined(op, {std::move(elements), init}, rows.size(), rounding);
}

/// Partial results stay wide and are rounded once at the end, as if all had been reduced at once. HLO lets the initial value be applied any
/// number of times.
Result<Value> Demand::long_row(const graph::Op& op, const Indices& row, const Value& init, graph::Rounding rounding) const {
  const Id<graph::Op> operand = op.operands[0];
  const graph::Shape& shape = computation_.ops[operand].shape;
  const std::int64_t count = reduced_count(op, shape);
  Value partials;
  std::int64_t pieces = 0;
  for (std::int64_t from = 0; from < count; from += kPiece, ++pieces) {
    SEAM_TRY(Value elements, values(operand, reduced_elements(op, shape, row, from, std::min(count, from + kPiece)), rounding));
    SEAM_TRY(const Value partial, combined(op, {std::move(elements), init}, 1, graph::Rounding::Wide));
    partials.numbers.insert(partials.numbers.end(), partial.numbers.begin(), partial.numbers.end());
    partials.integers.insert(partials.integers.end(), partial.integers.begin(), partial.integers.end());
  }
  partials.shape = flat_shape(op.shape.dtype, static_cast<std::size_t>(pieces));
  SEAM_TRY(Value result, combined(op, {std::move(partials), init}, 1, graph::Rounding::Wide));
  if (rounding == graph::Rounding::Rounded) {
    for (double& number : result.numbers) number = round_to(op.shape.dtype, number);
  }
  return result;
}

void Demand::shake(Id<graph::Op> id, const Indices& at, Value& value) const {
  const graph::Op& op = computation_.ops[id];
  if (leaf(id) == nullptr && shake_ % 2 == 1 && op.shape.dtype == DType::F32 && graph::op_class(op.opcode) == graph::OpClass::Elementwise) {
    // 1 / (1 + e^-x) is 0 where e^-x overflows, though the quotient is a denormal: f32 functions may lose what is below the smallest normal.
    for (double& number : value.numbers)
      if (std::abs(number) < std::numeric_limits<float>::min()) number = std::copysign(0.0, number);
  }
  if (leaf(id) != nullptr || !sums(graph_, op) || !is_float(op.shape.dtype) || value.numbers.empty()) return;
  const double unit = std::min(graph::unit_roundoff(op.shape.dtype), graph::unit_roundoff(DType::F32));
  const double relative = unit * std::sqrt(static_cast<double>(graph::reduction_length(computation_, op)));
  double squares = 0;
  for (const double number : value.numbers) squares += std::isfinite(number) ? number * number : 0;
  const double usual = std::sqrt(squares / static_cast<double>(value.numbers.size()));  // a sum that cancels is as exact as its neighbours
  for (std::size_t i = 0; i < value.numbers.size(); ++i) {
    const std::uint64_t bits = mix(shake_ ^ mix((static_cast<std::uint64_t>(id.index()) << 40) + static_cast<std::uint64_t>(at[i])));
    const double by = relative * std::max(std::abs(value.numbers[i]), usual);
    value.numbers[i] += (bits & 1) != 0 ? by : -by;
  }
}

Result<Value> Demand::whole(Id<graph::Op> id, graph::Rounding rounding) const {
  const graph::Op& op = computation_.ops[id];
  if (op.opcode == Opcode::GetTupleElement) {
    SEAM_TRY(Value tuple, whole(op.operands[0], rounding));
    SEAM_CHECK(static_cast<std::size_t>(op.attributes.index) < tuple.elements.size(), "tuple element out of range");
    return std::move(tuple.elements[static_cast<std::size_t>(op.attributes.index)]);
  }
  std::vector<Value> operands;
  for (const Id<graph::Op> operand : op.operands) {
    const graph::Shape& shape = computation_.ops[operand].shape;
    if (shape.is_tuple) return fail(Error::Code::Unsupported, fmt::format("{} reads a tuple", op.name), op.at);
    Indices all(static_cast<std::size_t>(shape.elements_count()));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    SEAM_TRY(Value value, values(operand, all, rounding));
    value.shape = shape;
    operands.push_back(std::move(value));
  }
  std::vector<const Value*> pointers;
  for (const Value& value : operands) pointers.push_back(&value);
  return graph::evaluate_op(graph_, computation_, op, pointers, rounding);
}

}  // namespace seam::codegen
