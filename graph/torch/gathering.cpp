#include "torch/gathering.h"

namespace seam::graph::torch {
namespace {

/// (kept, update) -> update
Computation assignment(const std::string& name, DType dtype) {
  Computation body = of_two_scalars(name, dtype, "kept", "update");
  body.root = body.parameters[1];
  return body;
}

}  // namespace

Tensor from_the_front(Builder& b, const Tensor& index, std::int64_t extent) {
  const DType type = b.dtype(index);
  if (is_unsigned(type)) return index;
  return b.select(b.compare(Direction::LT, index, b.integer(type, 0)), b.binary(Opcode::Add, index, b.integer(type, extent)), index);
}

Tensor taken(Builder& b, const Tensor& a, std::int64_t dim, const Tensor& index) {
  const Dims own = b.dims(a), where = b.dims(index);
  Attributes attributes;
  GatherDims& g = attributes.gather;
  Dims out(own.begin(), own.begin() + dim);
  g.offset_dims = counted(dim);
  out.insert(out.end(), where.begin(), where.end());
  for (std::int64_t k = dim + 1; k < static_cast<std::int64_t>(own.size()); ++k) {
    g.offset_dims.push_back(static_cast<std::int64_t>(out.size()));
    out.push_back(own[static_cast<std::size_t>(k)]);
  }
  g.collapsed_slice_dims = g.start_index_map = {dim};
  g.slice_sizes = own;
  g.slice_sizes[static_cast<std::size_t>(dim)] = 1;
  g.index_vector_dim = static_cast<std::int64_t>(where.size());
  if (own[static_cast<std::size_t>(dim)] == 0) b.refuse("rows of nothing");
  if (b.refused()) return a;
  return b.dense(b.add(Opcode::Gather, array_shape(b.dtype(a), out), {b.row_major(a), b.row_major(index)}, std::move(attributes)));
}

Tensor gathered(Builder& b, const Tensor& a, std::int64_t dim, const Tensor& index) {
  Tensor source = a;
  const Dims where = b.dims(index);
  Attributes attributes;
  GatherDims& g = attributes.gather;
  for (std::int64_t k = 0; k < b.rank(a); ++k) {
    if (k == dim) continue;
    if (where[static_cast<std::size_t>(k)] != b.extent(source, k)) source = b.sliced(source, k, 0, where[static_cast<std::size_t>(k)]);
    g.operand_batching_dims.push_back(k);
    g.indices_batching_dims.push_back(k);
  }
  g.collapsed_slice_dims = g.start_index_map = {dim};
  g.slice_sizes.assign(where.size(), 1);
  g.index_vector_dim = static_cast<std::int64_t>(where.size());
  if (b.refused()) return a;
  return b.dense(b.add(Opcode::Gather, array_shape(b.dtype(a), where), {b.row_major(source), b.row_major(index)}, std::move(attributes)));
}

Tensor scattered(Builder& b, const Tensor& a, const Tensor& index, const Tensor& updates, GatherDims dims, bool add) {
  Attributes attributes;
  attributes.gather = std::move(dims);
  const DType type = b.dtype(a);
  attributes.calls = {add ? b.reducer(Opcode::Add, type) : b.function("assign_" + std::string(name(type)), [&](const std::string& called) { return assignment(called, type); })};
  const Id<Op> operand = b.row_major(a);
  if (b.refused()) return a;
  return b.dense(b.add(Opcode::Scatter, b.op(operand).shape, {operand, b.row_major(index), b.row_major(updates)}, std::move(attributes)));
}

}  // namespace seam::graph::torch
