/// Embeddings, and reading and writing at indices.
#include <fmt/core.h>

#include "torch/gathering.h"

namespace seam::graph::torch {
namespace {

/// embedding(weight, indices, padding_idx, …); at torch level embedding(indices, weight).
Value embedding(Call& call) {
  Tensor weight = call.tensor(0, "weight"), indices = call.tensor(1, "indices");
  if (!is_integer(call.b.dtype(indices))) std::swap(weight, indices);
  if (!is_integer(call.b.dtype(indices)) || call.b.rank(weight) != 2) call.b.refuse("no table and indices");
  return call.b.refused() ? weight : taken(call.b, weight, 0, indices);
}

/// embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
Value embedding_backward(Call& call) {
  Tensor gradient = call.tensor(0, "grad_output");
  const Tensor indices = call.tensor(1, "indices");
  Builder& b = call.b;
  const std::int64_t rows = call.integer(2, "num_weights", 0), padding = call.integer(3, "padding_idx", -1);
  if (call.flag(4, "scale_grad_by_freq", false)) b.refuse("gradients scaled by frequency");
  if (b.rank(gradient) != b.rank(indices) + 1) b.refuse("a gradient of another shape");
  if (b.refused()) return gradient;
  if (padding >= 0) {
    const Tensor used = b.compare(Direction::NE, indices, b.integer(b.dtype(indices), padding));
    gradient = b.select(b.unsqueezed(used, -1), gradient, b.constant(b.dtype(gradient), 0));
  }
  const std::int64_t width = b.extent(gradient, b.rank(gradient) - 1);
  GatherDims dims;
  dims.offset_dims = {b.rank(indices)};
  dims.collapsed_slice_dims = dims.start_index_map = {0};
  dims.index_vector_dim = b.rank(indices);
  const DType wide = Call::computing(b.dtype(gradient));
  const Tensor table = b.filled(wide, {rows, width}, 0);
  return b.converted(scattered(b, table, indices, b.converted(gradient, wide), std::move(dims), true), b.dtype(gradient));
}

struct Along {
  Tensor self, index;
  std::int64_t dim = 0;
};
Along along(Call& call) {
  Along out{call.tensor(0, "self"), call.tensor(2, "index"), 0};
  out.dim = call.b.wrapped(call.integer(1, "dim", 0), call.b.rank(out.self));
  if (call.b.rank(out.self) == 0) call.b.refuse("a scalar has no dimension");
  return out;
}

Value index_select(Call& call) {
  const Along a = along(call);
  return call.b.refused() ? a.self : taken(call.b, a.self, a.dim, a.index);
}

Value gather(Call& call) {
  const Along a = along(call);
  if (call.b.rank(a.index) != call.b.rank(a.self)) call.b.refuse("an index of another rank");
  return call.b.refused() ? a.self : gathered(call.b, a.self, a.dim, a.index);
}

/// scatter(self, dim, index, src | value), scatter_add(self, dim, index, src)
Value scatter(Call& call) {
  const Along a = along(call);
  Builder& b = call.b;
  if (b.rank(a.index) != b.rank(a.self)) b.refuse("an index of another rank");
  if (call.has(4, "reduce") || call.name == "scatter_reduce") b.refuse("a reduction other than a sum");
  if (b.refused()) return a.self;
  const Dims where = b.dims(a.index), own = b.dims(a.self);
  GatherDims dims;
  for (std::int64_t k = 0; k < b.rank(a.self); ++k) {
    if (k == a.dim) continue;
    if (where[static_cast<std::size_t>(k)] != own[static_cast<std::size_t>(k)]) b.refuse("an index that covers a part of the other dimensions");
    dims.operand_batching_dims.push_back(k);
    dims.indices_batching_dims.push_back(k);
  }
  dims.collapsed_slice_dims = dims.start_index_map = {a.dim};
  dims.index_vector_dim = b.rank(a.index);
  const Value& source = call.value(3, "src");
  Tensor updates = call.as(source.kind == Value::Kind::None ? call.value(3, "value") : source, b.dtype(a.self));
  if (b.rank(updates) == 0) updates = b.expanded(updates, where);
  for (std::size_t k = 0; k < where.size() && !b.refused(); ++k)
    if (b.extent(updates, static_cast<std::int64_t>(k)) != where[k]) updates = b.sliced(updates, static_cast<std::int64_t>(k), 0, where[k]);
  return b.refused() ? a.self : scattered(b, a.self, a.index, updates, std::move(dims), call.name == "scatter_add");
}

/// Index tensors of `x[…]` that stand side by side from dim `first` on.
struct Indices {
  std::vector<Tensor> tensors;
  std::int64_t first = 0;
};
Indices indices_of(Call& call, const Tensor& a) {
  Indices out;
  const Value& list = call.value(1, "indices");
  bool ended = false;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    if (list.items[k].kind == Value::Kind::None) {
      if (!out.tensors.empty()) ended = true;
      continue;
    }
    if (!list.items[k].is_tensor() || ended || static_cast<std::int64_t>(k) >= call.b.rank(a)) {
      call.b.refuse("indices that do not stand side by side");
      return out;
    }
    if (out.tensors.empty()) out.first = static_cast<std::int64_t>(k);
    const Tensor& index = list.items[k].tensor;
    if (!is_integer(call.b.dtype(index))) call.b.refuse("a mask as an index: the result's size depends on its values");
    if (call.b.refused()) return out;
    out.tensors.push_back(from_the_front(call.b, index, call.b.extent(a, static_cast<std::int64_t>(k))));
  }
  if (out.tensors.empty()) call.b.refuse("no indices");
  return out;
}

/// One vector of indices per position: [common dims …, k].
Tensor vectors(Builder& b, const std::vector<Tensor>& tensors) {
  Dims common;
  for (const Tensor& tensor : tensors) {
    const Dims dims = b.dims(tensor);
    if (dims.size() > common.size()) common.insert(common.begin(), dims.size() - common.size(), 1);
    for (std::size_t k = 0; k < dims.size(); ++k)
      if (dims[k] != 1) common[common.size() - dims.size() + k] = dims[k];
  }
  std::vector<Tensor> columns;
  for (const Tensor& tensor : tensors) columns.push_back(b.unsqueezed(b.converted(b.expanded(tensor, common), DType::S64), -1));
  return b.concatenated(columns, -1);
}

Value index(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Indices at = indices_of(call, a);
  if (b.refused()) return a;
  if (at.tensors.size() == 1) return taken(b, a, at.first, at.tensors.front());
  const Tensor starts = vectors(b, at.tensors);
  if (b.refused()) return a;
  const Dims own = b.dims(a), where = b.dims(starts);
  const auto count = static_cast<std::int64_t>(at.tensors.size());
  Attributes attributes;
  GatherDims& g = attributes.gather;
  Shape shape;
  shape.dtype = b.dtype(a);
  shape.dims.assign(own.begin(), own.begin() + at.first);
  g.offset_dims = counted(at.first);
  shape.dims.insert(shape.dims.end(), where.begin(), where.end() - 1);
  g.slice_sizes = own;
  for (std::int64_t k = 0; k < count; ++k) {
    g.collapsed_slice_dims.push_back(at.first + k);
    g.start_index_map.push_back(at.first + k);
    g.slice_sizes[static_cast<std::size_t>(at.first + k)] = 1;
  }
  for (std::size_t k = static_cast<std::size_t>(at.first + count); k < own.size(); ++k) {
    g.offset_dims.push_back(shape.rank());
    shape.dims.push_back(own[k]);
  }
  g.index_vector_dim = b.rank(starts) - 1;
  return b.dense(b.add(Opcode::Gather, std::move(shape), {b.row_major(a), b.row_major(starts)}, std::move(attributes)));
}

/// index_put(self, indices, values, accumulate)
Value index_put(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Indices at = indices_of(call, a);
  if (b.refused()) return a;
  const Tensor starts = vectors(b, at.tensors);
  if (b.refused()) return a;
  const Dims own = b.dims(a), where = b.dims(starts);
  const auto count = static_cast<std::int64_t>(at.tensors.size());
  GatherDims dims;
  Dims updates(own.begin(), own.begin() + at.first);
  dims.offset_dims = counted(at.first);
  updates.insert(updates.end(), where.begin(), where.end() - 1);
  for (std::int64_t k = 0; k < count; ++k) {
    dims.collapsed_slice_dims.push_back(at.first + k);
    dims.start_index_map.push_back(at.first + k);
  }
  for (std::size_t k = static_cast<std::size_t>(at.first + count); k < own.size(); ++k) {
    dims.offset_dims.push_back(static_cast<std::int64_t>(updates.size()));
    updates.push_back(own[k]);
  }
  dims.index_vector_dim = b.rank(starts) - 1;
  const bool add = call.flag(3, "accumulate", false);
  const DType type = b.dtype(a), wide = add ? Call::computing(type) : type;
  const Tensor values = b.expanded(b.converted(call.tensor(2, "values"), wide), updates);
  return b.refused() ? a : b.converted(scattered(b, b.converted(a, wide), starts, values, std::move(dims), add), type);
}

/// index_add(self, dim, index, source)
Value index_add(Call& call) {
  const Along a = along(call);
  Builder& b = call.b;
  const Tensor source = b.converted(call.tensor(3, "source"), b.dtype(a.self));
  const double alpha = call.number(SIZE_MAX, "alpha", 1);
  if (b.rank(a.index) != 1 || b.rank(source) != b.rank(a.self)) b.refuse("an index that is no vector");
  if (b.refused()) return a.self;
  GatherDims dims;
  for (std::int64_t k = 0; k < b.rank(a.self); ++k)
    if (k != a.dim) dims.offset_dims.push_back(k);
  dims.collapsed_slice_dims = dims.start_index_map = {a.dim};
  dims.index_vector_dim = 1;
  return scattered(b, a.self, a.index, alpha == 1 ? source : scaled(b, source, alpha), std::move(dims), true);
}

constexpr Operator kOperators[] = {
    {"embedding", embedding}, {"embedding_dense_backward", embedding_backward}, {"index_select", index_select}, {"gather", gather}, {"scatter", scatter}, {"scatter_add", scatter},
    {"scatter_reduce", scatter}, {"index", index}, {"_unsafe_index", index}, {"index_put", index_put}, {"_unsafe_index_put", index_put}, {"_index_put_impl", index_put}, {"index_add", index_add},
};

}  // namespace

std::span<const Operator> indexing_operators() { return kOperators; }

}  // namespace seam::graph::torch
