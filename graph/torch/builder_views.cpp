#include <fmt/core.h>

#include <algorithm>

#include "torch/builder.h"

namespace seam::graph::torch {
namespace {

std::size_t where(const Dims& order, std::int64_t dim) { return static_cast<std::size_t>(std::ranges::find(order, dim) - order.begin()); }

/// Dims that a reshape takes apart or joins: old dims [a, b) become new dims [c, d), of as many elements.
struct Block {
  std::size_t a, b, c, d;
};
std::vector<Block> blocks_of(const Dims& from, const Dims& to) {
  std::vector<Block> out;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Block block{i, i, j, j};
    std::int64_t left = 1, right = 1;
    if (i < from.size()) left = from[i++];
    if (j < to.size()) right = to[j++];
    while (left != right && (i < from.size() || j < to.size())) {
      if (left < right && i < from.size()) {
        left *= from[i++];
      } else if (j < to.size()) {
        right *= to[j++];
      } else {
        left *= from[i++];
      }
    }
    block.b = i;
    block.d = j;
    out.push_back(block);
  }
  return out;
}

}  // namespace

std::optional<Dims> memory_order(const Dims& dims, const Dims& strides) {
  Dims order = counted(static_cast<std::int64_t>(dims.size()));
  Dims kept;
  for (const std::int64_t dim : order)
    if (dims[static_cast<std::size_t>(dim)] != 1) kept.push_back(dim);
  Dims sorted = kept;
  std::ranges::stable_sort(sorted, [&](std::int64_t a, std::int64_t b) { return strides[static_cast<std::size_t>(a)] > strides[static_cast<std::size_t>(b)]; });
  std::int64_t dense = 1;
  for (std::size_t k = sorted.size(); k-- > 0;) {
    if (strides[static_cast<std::size_t>(sorted[k])] != dense) return std::nullopt;
    dense *= dims[static_cast<std::size_t>(sorted[k])];
  }
  for (std::size_t k = 0, next = 0; k < order.size(); ++k)
    if (next < kept.size() && order[k] == kept[next]) order[k] = sorted[next++];
  return order;
}

Tensor Builder::permuted(const Tensor& a, const Dims& permutation) {
  if (static_cast<std::int64_t>(permutation.size()) != rank(a)) {
    refuse("a permutation of another number of dimensions");
    return a;
  }
  Tensor out = a;
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    const auto from = static_cast<std::size_t>(permutation[k]);
    out.order[where(a.order, permutation[k])] = static_cast<std::int64_t>(k);
    out.view.dims[k] = a.view.dims[from];
    out.view.strides[k] = a.view.strides[from];
  }
  return out;
}

Tensor Builder::reshaped(const Tensor& a, const Dims& wanted) {
  const Dims own = dims(a);
  Dims target = wanted;
  const auto open = std::ranges::find(target, -1);
  if (open != target.end()) {
    *open = 1;
    const std::int64_t rest = product(target);
    *open = rest == 0 ? 0 : product(own) / rest;
  }
  if (product(target) != product(own) || std::ranges::any_of(target, [](std::int64_t dim) { return dim < 0; })) {
    refuse("a reshape to another number of elements");
    return a;
  }
  if (target == own) return a;
  // Block by block, where the dims of each lie together in memory as they are counted: nothing moves.
  const std::vector<Block> blocks = product(own) == 0 ? std::vector<Block>{} : blocks_of(own, target);
  Dims order;
  bool together = product(own) != 0;
  std::vector<bool> placed(blocks.size(), false);
  Dims present;  // dims of more than one element, in memory order
  for (const std::int64_t dim : a.order)
    if (own[static_cast<std::size_t>(dim)] != 1) present.push_back(dim);
  for (std::size_t k = 0; together && k < present.size();) {
    const auto block = std::ranges::find_if(blocks, [&](const Block& one) { return static_cast<std::size_t>(present[k]) >= one.a && static_cast<std::size_t>(present[k]) < one.b; });
    for (std::size_t dim = block->a; together && dim < block->b; ++dim) {
      if (own[dim] == 1) continue;
      together = k < present.size() && present[k] == static_cast<std::int64_t>(dim);
      ++k;
    }
    for (std::size_t dim = block->c; dim < block->d; ++dim) order.push_back(static_cast<std::int64_t>(dim));
    placed[static_cast<std::size_t>(block - blocks.begin())] = true;
  }
  if (!together) {
    const Tensor copy = dense(row_major(a));
    const Id<Op> value = add(Opcode::Reshape, array_shape(dtype(a), target), {copy.value});
    return dense(value);
  }
  // Blocks of one element have no place in memory: they go where they are counted, before the first later dim.
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (placed[block]) continue;
    for (std::size_t dim = blocks[block].c; dim < blocks[block].d; ++dim) {
      const auto later = std::ranges::find_if(order, [&](std::int64_t other) { return other > static_cast<std::int64_t>(dim); });
      order.insert(later, static_cast<std::int64_t>(dim));
    }
  }
  Dims memory;
  for (const std::int64_t dim : order) memory.push_back(target[static_cast<std::size_t>(dim)]);
  const Id<Op> value = add(Opcode::Reshape, array_shape(dtype(a), memory), {a.value});
  Tensor out = ordered(value, std::move(order));
  if (std::optional<StridedView> view = graph::reshaped(a.view, target)) {
    out.base = a.base;
    out.view = *std::move(view);
  }
  return out;
}

Tensor Builder::expanded(const Tensor& a, const Dims& wanted) {
  if (static_cast<std::int64_t>(wanted.size()) < rank(a)) {
    refuse("an expansion to fewer dimensions");
    return a;
  }
  const Dims own = dims(a);
  const std::size_t shift = wanted.size() - own.size();
  Dims target = wanted;
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (target[k] >= 0) continue;
    if (k < shift) refuse("a new dimension of unknown extent");
    target[k] = k < shift ? 1 : own[k - shift];
  }
  if (target == own) return a;
  Dims order = counted(static_cast<std::int64_t>(shift));
  for (const std::int64_t dim : a.order) order.push_back(dim + static_cast<std::int64_t>(shift));
  Tensor out = aligned(a, target, order);
  if (refused()) return a;
  out.base = a.base;
  out.view = {target, Dims(target.size(), 0), a.view.offset};
  for (std::size_t k = 0; k < own.size(); ++k)
    if (target[k + shift] == own[k]) out.view.strides[k + shift] = a.view.strides[k];
  return out;
}

Tensor Builder::sliced(const Tensor& a, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  dim = wrapped(dim, rank(a));
  if (rank(a) == 0 || step < 1) refuse("a slice of a scalar, or backwards");
  if (refused()) return a;
  const std::int64_t extent = this->extent(a, dim);
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  start = std::clamp<std::int64_t>(start, 0, extent);
  end = std::clamp<std::int64_t>(end, start, extent);
  if (start == 0 && end == extent && step == 1) return a;
  step = std::min(step, extent + 1);
  const Dims stored = op(a.value).shape.dims;
  Attributes attributes;
  attributes.starts.assign(stored.size(), 0);
  attributes.limits = stored;
  attributes.strides.assign(stored.size(), 1);
  const std::size_t at = where(a.order, dim);
  attributes.starts[at] = start;
  attributes.limits[at] = end;
  attributes.strides[at] = step;
  Dims target = stored;
  target[at] = (end - start + step - 1) / step;
  Tensor out = ordered(add(Opcode::Slice, array_shape(dtype(a), target), {a.value}, std::move(attributes)), a.order);
  out.base = a.base;
  out.view = a.view;
  const auto logical = static_cast<std::size_t>(dim);
  out.view.dims[logical] = target[at];
  out.view.offset += start * a.view.strides[logical];
  out.view.strides[logical] *= step;
  return out;
}

Tensor Builder::selected(const Tensor& a, std::int64_t dim, std::int64_t index) {
  dim = wrapped(dim, rank(a));
  if (rank(a) == 0) refuse("a selection from a scalar");
  if (refused()) return a;
  const std::int64_t extent = this->extent(a, dim);
  if (index < -extent || index >= extent) refuse(fmt::format("index {} of {} elements", index, extent));
  if (refused()) return a;
  if (index < 0) index += extent;
  return squeezed(sliced(a, dim, index, index + 1), dim);
}

Tensor Builder::squeezed(const Tensor& a, std::int64_t dim) {
  if (rank(a) == 0) return a;
  dim = wrapped(dim, rank(a));
  if (refused() || extent(a, dim) != 1) return a;
  Dims memory = op(a.value).shape.dims, order;
  memory.erase(memory.begin() + static_cast<std::ptrdiff_t>(where(a.order, dim)));
  for (const std::int64_t other : a.order)
    if (other != dim) order.push_back(other > dim ? other - 1 : other);
  Tensor out = ordered(add(Opcode::Reshape, array_shape(dtype(a), memory), {a.value}), order);
  out.base = a.base;
  out.view = a.view;
  out.view.dims.erase(out.view.dims.begin() + dim);
  out.view.strides.erase(out.view.strides.begin() + dim);
  return out;
}

Tensor Builder::unsqueezed(const Tensor& a, std::int64_t dim) {
  dim = wrapped(dim, rank(a) + 1);
  if (refused()) return a;
  // In memory it stands before the dim that it is counted before.
  Dims memory = op(a.value).shape.dims, order;
  std::size_t at = dim == rank(a) ? memory.size() : where(a.order, dim);
  memory.insert(memory.begin() + static_cast<std::ptrdiff_t>(at), 1);
  for (const std::int64_t other : a.order) order.push_back(other >= dim ? other + 1 : other);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), dim);
  Tensor out = ordered(add(Opcode::Reshape, array_shape(dtype(a), memory), {a.value}), order);
  const std::int64_t stride = out.view.strides[static_cast<std::size_t>(dim)];
  out.base = a.base;
  out.view = a.view;
  out.view.dims.insert(out.view.dims.begin() + dim, 1);
  out.view.strides.insert(out.view.strides.begin() + dim, stride);
  return out;
}

Tensor Builder::contiguous(const Tensor& a) {
  // One element has no strides worth a copy; what lies densely in its own memory is already there.
  StridedView wanted = dense_view(dims(a));
  const bool dense_already = [&] {
    if (product(wanted.dims) != op(a.base).shape.elements_count() || a.view.offset != 0) return false;
    for (std::size_t k = 0; k < wanted.dims.size(); ++k)
      if (wanted.dims[k] != 1 && wanted.strides[k] != a.view.strides[k]) return false;
    return true;
  }();
  if (dense_already) return a;
  return dense(row_major(a));  // values are dense: what a view shows is a value of its own
}

Tensor Builder::concatenated(const std::vector<Tensor>& parts, std::int64_t dim) {
  if (parts.empty()) {
    refuse("a concatenation of nothing");
    return {};
  }
  dim = wrapped(dim, rank(parts.front()));
  if (rank(parts.front()) == 0) refuse("a concatenation of scalars");
  const Dims& order = parts.front().order;
  std::vector<Id<Op>> values;
  Dims memory;
  std::int64_t extent = 0;
  for (const Tensor& part : parts) {
    if (rank(part) != rank(parts.front()) || dtype(part) != dtype(parts.front())) refuse("a concatenation of different ranks or types");
    for (std::int64_t other = 0; !refused() && other < rank(part); ++other)
      if (other != dim && this->extent(part, other) != this->extent(parts.front(), other)) refuse("a concatenation of extents that differ");
    if (refused()) return parts.front();
    values.push_back(in_order(part, order).value);
    memory = op(values.back()).shape.dims;
    extent += memory[where(order, dim)];
  }
  if (values.size() == 1) return parts.front();
  Attributes attributes;
  attributes.dimensions = {static_cast<std::int64_t>(where(order, dim))};
  memory[where(order, dim)] = extent;
  return ordered(add(Opcode::Concatenate, array_shape(dtype(parts.front()), memory), values, std::move(attributes)), order);
}

Tensor Builder::padded(const Tensor& a, const std::vector<PadDim>& padding, const Tensor& value) {
  Attributes attributes;
  Dims memory = op(a.value).shape.dims;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const PadDim& pad = padding[static_cast<std::size_t>(a.order[k])];
    attributes.padding.push_back(pad);
    memory[k] += pad.low + pad.high + std::max<std::int64_t>(memory[k] - 1, 0) * pad.interior;
    if (memory[k] < 0) refuse("a padding that leaves less than nothing");
  }
  if (refused()) return a;
  return ordered(add(Opcode::Pad, array_shape(dtype(a), memory), {a.value, value.value}, std::move(attributes)), a.order);
}

Tensor Builder::reversed(const Tensor& a, const Dims& which) {
  Attributes attributes;
  for (const std::int64_t dim : which) attributes.dimensions.push_back(static_cast<std::int64_t>(where(a.order, wrapped(dim, rank(a)))));
  std::ranges::sort(attributes.dimensions);
  if (refused()) return a;
  return ordered(add(Opcode::Reverse, op(a.value).shape, {a.value}, std::move(attributes)), a.order);
}

Tensor Builder::reduced(Opcode opcode, const Tensor& a, const Dims& which, const Tensor& start, bool keep) {
  std::vector<bool> gone(static_cast<std::size_t>(rank(a)), false);
  for (const std::int64_t dim : which) {
    const auto at = static_cast<std::size_t>(wrapped(dim, rank(a)));
    if (at >= gone.size()) continue;  // dim 0 of a scalar
    if (gone[at]) refuse("a dimension is reduced twice");
    gone[at] = true;
  }
  if (refused()) return a;
  Tensor out = a;
  Attributes attributes;
  Dims memory, order;
  std::vector<std::int64_t> number(gone.size());
  std::int64_t next = 0;
  for (std::size_t dim = 0; dim < gone.size(); ++dim) number[dim] = gone[dim] ? -1 : next++;
  for (std::size_t k = 0; k < a.order.size(); ++k) {
    const auto dim = static_cast<std::size_t>(a.order[k]);
    if (gone[dim]) {
      attributes.dimensions.push_back(static_cast<std::int64_t>(k));
    } else {
      memory.push_back(op(a.value).shape.dims[k]);
      order.push_back(number[dim]);
    }
  }
  if (!attributes.dimensions.empty()) {
    const DType type = dtype(a);
    attributes.calls = {reducer(opcode, type)};
    out = ordered(add(Opcode::Reduce, array_shape(type, memory), {a.value, start.value}, std::move(attributes)), order);
  }
  if (keep)
    for (std::size_t dim = 0; dim < gone.size(); ++dim)
      if (gone[dim]) out = unsqueezed(out, static_cast<std::int64_t>(dim));
  // Kept dims of one element are no view of anything: the sum is new.
  out.base = out.value;
  return keep ? ordered(out.value, out.order) : out;
}

Tensor Builder::sum(const Tensor& a, const Dims& which, bool keep) { return reduced(Opcode::Add, a, which, constant(dtype(a), 0), keep); }

Tensor Builder::dot(const Tensor& a, const Tensor& b, const DotDims& which, std::optional<DType> type) {
  const auto stored = [](const Tensor& tensor, const std::vector<std::int64_t>& numbers) {
    std::vector<std::int64_t> out;
    for (const std::int64_t dim : numbers) out.push_back(static_cast<std::int64_t>(where(tensor.order, dim)));
    return out;
  };
  Attributes attributes;
  attributes.dot = {stored(a, which.lhs_batch), stored(a, which.lhs_contract), stored(b, which.rhs_batch), stored(b, which.rhs_contract)};
  Dims memory, order, logical;
  const Dims left = dims(a), right = dims(b);
  for (std::size_t k = 0; k < which.lhs_contract.size(); ++k)
    if (left[static_cast<std::size_t>(which.lhs_contract[k])] != right[static_cast<std::size_t>(which.rhs_contract[k])]) refuse("a product of extents that differ");
  for (std::size_t k = 0; k < which.lhs_batch.size(); ++k)
    if (left[static_cast<std::size_t>(which.lhs_batch[k])] != right[static_cast<std::size_t>(which.rhs_batch[k])]) refuse("a product of batches that differ");
  if (dtype(a) != dtype(b)) refuse("a product of two types");
  if (refused()) return a;
  // The result's dims: batch, then what is left of a and of b, each in memory order (HLO); their numbers follow the numbers in a and b.
  for (const std::int64_t dim : which.lhs_batch) memory.push_back(left[static_cast<std::size_t>(dim)]);
  order = counted(static_cast<std::int64_t>(memory.size()));
  for (const auto& [tensor, extents, batch, contract] : {std::tuple{&a, &left, &which.lhs_batch, &which.lhs_contract}, std::tuple{&b, &right, &which.rhs_batch, &which.rhs_contract}}) {
    Dims rest;
    for (const std::int64_t dim : tensor->order)
      if (std::ranges::find(*batch, dim) == batch->end() && std::ranges::find(*contract, dim) == contract->end()) rest.push_back(dim);
    Dims sorted = rest;
    std::ranges::sort(sorted);
    const auto first = static_cast<std::int64_t>(order.size());
    for (const std::int64_t dim : rest) {
      memory.push_back((*extents)[static_cast<std::size_t>(dim)]);
      order.push_back(first + (std::ranges::find(sorted, dim) - sorted.begin()));
    }
  }
  return ordered(add(Opcode::Dot, array_shape(type.value_or(dtype(a)), memory), {a.value, b.value}, std::move(attributes)), order);
}

}  // namespace seam::graph::torch
