// Elements that come from one of several places: concatenate, pad, dynamic slices, gather, scatter targets. Only the place that
// an element comes from is read (guards, not selects): what is not needed is not loaded.
#include <algorithm>
#include <functional>

#include "base/check.h"
#include "lower/elements.h"

namespace seam::codegen {
namespace {

using graph::Op;
using graph::Opcode;

Expr zero(DType dtype) { return is_float(dtype) ? imm_float(dtype, 0) : imm_int(dtype, 0); }
bool contains(const std::vector<std::int64_t>& list, std::size_t x) {
  return std::ranges::find(list, static_cast<std::int64_t>(x)) != list.end();
}
bool is_true(const Expr& e) {
  std::int64_t v = 0;
  return is_int(e, v) && v != 0;
}
bool is_false(const Expr& e) {
  std::int64_t v = 1;
  return is_int(e, v) && v == 0;
}

}  // namespace

Result<Expr> Elements::concatenate(const Op& op, const Expr& index) {
  const IndexMath& math = builder_->index();
  const auto dim = static_cast<std::size_t>(op.attributes.dimensions.at(0));
  std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  // A name: the branches narrow what is known of it.
  at[dim] = builder_->let(op.name + "_at", at[dim], Interval{0, op.shape.dims.at(dim) - 1});
  const Expr place = at[dim];
  const auto element = [&](std::size_t k, std::int64_t start) {
    std::vector<Expr> inner = at;
    inner[dim] = math.add(place, -start);
    return value(op.operands[k], math.linear(inner, shape(op.operands[k]).dims));
  };
  const auto extent = [&](std::size_t k) { return shape(op.operands[k]).dims.at(dim); };

  // Where ranges decide, there is nothing to branch on.
  const Interval range = builder_->range(place);
  std::int64_t begin = 0;
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    if (range.within(begin, begin + extent(k) - 1)) return element(k, begin);
    begin += extent(k);
  }
  const Expr out = builder_->declare(op.name, zero(op.shape.dtype));
  std::int64_t start = 0;
  int open = 0;
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    const std::int64_t end = start + extent(k);
    const Expr here = math.lt(place, math.imm(end));
    const bool last = k + 1 == op.operands.size() || is_true(here);
    if (!last && (is_false(here) || extent(k) == 0)) {
      start = end;
      continue;
    }
    if (!last) {
      builder_->open_if(here);
      ++open;
    }
    SEAM_TRY(Expr e, element(k, start));
    builder_->assign(out, e);
    if (last) break;
    builder_->otherwise();
    start = end;
  }
  for (; open > 0; --open) builder_->close_if();
  return builder_->bind(op.name, out);
}

Result<Expr> Elements::pad(const Op& op, const Expr& index) {
  const IndexMath& math = builder_->index();
  const std::vector<std::int64_t>& inner_dims = shape(op.operands.at(0)).dims;
  std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  Expr inside = imm_pred(true);
  std::vector<std::int64_t> steps(at.size(), 1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const graph::PadDim& p = op.attributes.padding.at(i);
    if (p.low == 0 && p.high == 0 && p.interior == 0) continue;
    steps[i] = p.interior + 1;
    const std::int64_t extent = inner_dims.at(i) == 0 ? 0 : (inner_dims[i] - 1) * steps[i] + 1;
    at[i] = builder_->let(op.name + "_at", math.add(at[i], -p.low));
    inside = math.both(inside, math.both(math.le(math.imm(0), at[i]), math.lt(at[i], math.imm(extent))));
    if (steps[i] > 1) inside = math.both(inside, Bin{BinOp::Eq, Bin{BinOp::Mod, at[i], math.imm(steps[i])}, math.imm(0)});
  }
  if (is_false(inside)) return value(op.operands.at(1), math.imm(0));
  const auto element = [&]() {
    std::vector<Expr> inner = at;
    for (std::size_t i = 0; i < at.size(); ++i) inner[i] = math.div(at[i], steps[i]);
    return value(op.operands[0], math.linear(inner, inner_dims));
  };
  if (is_true(inside)) return element();
  SEAM_TRY(const Expr padding, value(op.operands.at(1), math.imm(0)));
  const Expr out = builder_->declare(op.name, padding);
  builder_->open_if(inside);
  SEAM_TRY(const Expr e, element());
  builder_->assign(out, e);
  builder_->close_if();
  return builder_->bind(op.name, out);
}

Result<Expr> Elements::clamped_start(Id<Op> id, const Expr& element, std::int64_t limit) {
  const IndexMath& math = builder_->index();
  SEAM_TRY(Expr x, value(id, element));
  DType dtype = dtype_of(x);
  const Op& op = computation_->ops[id];
  if (!is_integer(dtype)) return unsupported(op, "an index that is no integer");
  if (limit == 0) return math.imm(0);
  // Narrow types first become indices (the limit might not fit them); wide ones are clamped first (they might not fit an index).
  if (bits(dtype) < bits(math.type())) {
    x = Scalar{Opcode::Convert, math.type(), {x}};
    dtype = math.type();
  }
  x = Scalar{Opcode::Minimum, dtype, {x, imm_int(dtype, limit)}};
  if (is_signed(dtype)) x = Scalar{Opcode::Maximum, dtype, {x, imm_int(dtype, 0)}};
  if (dtype != math.type()) x = Scalar{Opcode::Convert, math.type(), {x}};
  return builder_->let(op.name + "_start", x, Interval{0, limit});
}

Result<Expr> Elements::dynamic_slice(const Op& op, const Expr& index) {
  const IndexMath& math = builder_->index();
  const graph::Shape& from = shape(op.operands.at(0));
  std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  const bool vector_form = op.operands.size() == 2 && shape(op.operands[1]).rank() == 1;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::int64_t limit = from.dims.at(i) - op.shape.dims.at(i);
    SEAM_TRY(const Expr start, vector_form ? clamped_start(op.operands[1], math.imm(static_cast<std::int64_t>(i)), limit)
                                           : clamped_start(op.operands.at(i + 1), math.imm(0), limit));
    at[i] = math.add(start, at[i]);
  }
  return value(op.operands[0], math.linear(at, from.dims));
}

Result<Expr> Elements::dynamic_update_slice(const Op& op, const Expr& index) {
  const IndexMath& math = builder_->index();
  const graph::Shape& update = shape(op.operands.at(1));
  std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  const bool vector_form = op.operands.size() == 3 && shape(op.operands[2]).rank() == 1;
  Expr inside = imm_pred(true);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::int64_t limit = op.shape.dims.at(i) - update.dims.at(i);
    if (limit == 0) continue;
    SEAM_TRY(const Expr start, vector_form ? clamped_start(op.operands[2], math.imm(static_cast<std::int64_t>(i)), limit)
                                           : clamped_start(op.operands.at(i + 2), math.imm(0), limit));
    at[i] = builder_->let(op.name + "_at", math.sub(at[i], start));
    inside = math.both(inside, math.both(math.le(math.imm(0), at[i]), math.lt(at[i], math.imm(update.dims[i]))));
  }
  if (is_true(inside)) return value(op.operands[1], math.linear(at, update.dims));
  const Expr out = builder_->declare(op.name, zero(op.shape.dtype));
  builder_->open_if(inside);
  SEAM_TRY(const Expr fresh, value(op.operands[1], math.linear(at, update.dims)));
  builder_->assign(out, fresh);
  builder_->otherwise();
  SEAM_TRY(const Expr old, value(op.operands[0], index));
  builder_->assign(out, old);
  builder_->close_if();
  return builder_->bind(op.name, out);
}

/// The index vector of a gather or scatter for one position of its batch dims: one value per entry of start_index_map, made by `read`
/// from the element of the index array; then spread over the operand's dims, batching dims included.
Result<std::vector<Expr>> Elements::start_indices(const Op& op, std::span<const Expr> batch, Id<Op> indices,
                                                  const std::function<Result<Expr>(const Expr&, std::size_t)>& read) {
  const IndexMath& math = builder_->index();
  const graph::GatherDims& g = op.attributes.gather;
  const std::vector<std::int64_t>& dims = shape(indices).dims;
  const auto vector_dim = static_cast<std::size_t>(g.index_vector_dim);
  std::vector<Expr> at(dims.size(), math.imm(0));
  std::size_t next = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i != vector_dim) at[i] = batch[next++];
  }
  std::vector<Expr> start(shape(op.operands.at(0)).dims.size(), math.imm(0));
  for (std::size_t k = 0; k < g.start_index_map.size(); ++k) {
    if (vector_dim < dims.size()) at[vector_dim] = math.imm(static_cast<std::int64_t>(k));
    const auto dim = static_cast<std::size_t>(g.start_index_map[k]);
    SEAM_TRY(start.at(dim), read(math.linear(at, dims), dim));
  }
  for (std::size_t k = 0; k < g.operand_batching_dims.size(); ++k) {
    start.at(static_cast<std::size_t>(g.operand_batching_dims[k])) = at.at(static_cast<std::size_t>(g.indices_batching_dims.at(k)));
  }
  return start;
}

Result<Expr> Elements::gather(const Op& op, const Expr& index) {
  const IndexMath& math = builder_->index();
  const graph::GatherDims& g = op.attributes.gather;
  const std::vector<std::int64_t>& from = shape(op.operands.at(0)).dims;
  const std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  std::vector<Expr> batch;
  std::vector<Expr> window;
  for (std::size_t i = 0; i < at.size(); ++i) (contains(g.offset_dims, i) ? window : batch).push_back(at[i]);
  SEAM_TRY(std::vector<Expr> start, start_indices(op, batch, op.operands.at(1), [&](const Expr& element, std::size_t dim) {
             return clamped_start(op.operands[1], element, from.at(dim) - g.slice_sizes.at(dim));
           }));
  std::size_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!contains(g.collapsed_slice_dims, i) && !contains(g.operand_batching_dims, i)) start[i] = math.add(start[i], window.at(next++));
  }
  return value(op.operands[0], math.linear(start, from));
}

Result<Expr> Elements::data_index(Id<Op> id, const Expr& element, std::int64_t limit) {
  const IndexMath& math = builder_->index();
  SEAM_TRY(Expr x, value(id, element));
  const DType dtype = dtype_of(x);
  const Op& op = computation_->ops[id];
  if (!is_integer(dtype)) return unsupported(op, "an index that is no integer");
  if (dtype == math.type()) return x;
  if (bits(dtype) < bits(math.type())) return builder_->let(op.name, Scalar{Opcode::Convert, math.type(), {x}});
  // Beyond the limit everything is out of bounds alike.
  x = Scalar{Opcode::Minimum, dtype, {x, imm_int(dtype, limit)}};
  if (is_signed(dtype)) x = Scalar{Opcode::Maximum, dtype, {x, imm_int(dtype, -1)}};
  return builder_->let(op.name, Scalar{Opcode::Convert, math.type(), {x}}, Interval{is_signed(dtype) ? -1 : 0, limit});
}

Result<Elements::Target> Elements::update_target(Id<Op> id, const Expr& index) {
  const IndexMath& math = builder_->index();
  const Op& op = computation_->ops[id];
  if (op.opcode == Opcode::DynamicUpdateSlice) {
    const graph::Shape& update = shape(op.operands.at(1));
    std::vector<Expr> at = math.coordinates(index, update.dims);
    const bool vector_form = op.operands.size() == 3 && shape(op.operands[2]).rank() == 1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::int64_t limit = op.shape.dims.at(i) - update.dims.at(i);
      SEAM_TRY(const Expr start, vector_form ? clamped_start(op.operands[2], math.imm(static_cast<std::int64_t>(i)), limit)
                                             : clamped_start(op.operands.at(i + 2), math.imm(0), limit));
      at[i] = math.add(start, at[i]);
    }
    return Target{math.linear(at, op.shape.dims), imm_pred(true)};
  }
  SEAM_CHECK(op.opcode == Opcode::Scatter, "only dynamic-update-slice and scatter update in place");
  if (op.operands.size() != 3) return unsupported(op, "a scatter into several operands");
  const graph::GatherDims& g = op.attributes.gather;
  const std::vector<std::int64_t>& into = shape(op.operands[0]).dims;
  const std::vector<Expr> at = math.coordinates(index, shape(op.operands[2]).dims);
  std::vector<Expr> batch;
  std::vector<Expr> window;
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (contains(g.offset_dims, i)) extents.push_back(shape(op.operands[2]).dims[i]);
    (contains(g.offset_dims, i) ? window : batch).push_back(at[i]);
  }
  Expr guard = imm_pred(true);
  SEAM_TRY(std::vector<Expr> start, start_indices(op, batch, op.operands[1], [&](const Expr& element, std::size_t dim) {
             return data_index(op.operands[1], element, into.at(dim));
           }));
  // A window that leaves the operand is dropped as a whole.
  std::size_t next = 0;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const bool has_window = !contains(g.collapsed_slice_dims, i) && !contains(g.operand_batching_dims, i);
    if (contains(g.start_index_map, i)) {
      // A name: the guard narrows what is known of it.
      start[i] = builder_->let(op.name + "_at", start[i]);
      const std::int64_t last = into[i] - (has_window ? extents.at(next) : 1);
      guard = math.both(guard, math.both(math.le(math.imm(0), start[i]), math.le(start[i], math.imm(last))));
    }
    if (has_window) start[i] = math.add(start[i], window.at(next++));
  }
  return Target{math.linear(start, into), guard};
}

}  // namespace seam::codegen
