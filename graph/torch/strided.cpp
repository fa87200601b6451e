#include "torch/strided.h"

#include <algorithm>
#include <iterator>

namespace seam::graph::torch {
namespace {

/// A box of memory counted under `extents`.
struct Box {
  Dims extents, starts, sizes;
};

std::optional<Box> checked_box(Builder& b, Id<Op> base, const StridedView& window) {
  if (window.dims.size() != window.strides.size() || window.offset < 0 || product(window.dims) == 0) {
    b.refuse("a window of no elements, or with sizes and strides of different ranks");
    return std::nullopt;
  }
  if (b.packed(base)) {
    b.refuse("a window into memory of which a parameter shows a part");
    return std::nullopt;
  }
  const std::optional<ViewBox> view = box_of(window);
  const std::int64_t elements = b.op(base).shape.elements_count();
  if (!view || elements % view->radices.front() != 0 || view->starts.front() + view->sizes.front() > elements / view->radices.front()) {
    b.refuse("strides that are no box of the memory they look at");
    return std::nullopt;
  }
  Box box{{elements / view->radices.front()}, view->starts, view->sizes};
  for (std::size_t digit = 1; digit < view->radices.size(); ++digit) box.extents.push_back(view->radices[digit - 1] / view->radices[digit]);
  return box;
}

/// The window's dims of more than one element in the order of memory, each by its place among them.
Dims places(const Dims& by_stride) {
  Dims out;
  for (const std::int64_t dim : by_stride) out.push_back(std::ranges::count_if(by_stride, [&](std::int64_t other) { return other < dim; }));
  return out;
}

/// `whole` with `part` in the box's dims from `dim` on.
Tensor written(Builder& b, const Tensor& whole, const Tensor& part, const Box& box, std::size_t dim) {
  if (dim == box.extents.size()) return part;
  const auto at = static_cast<std::int64_t>(dim);
  const std::int64_t start = box.starts[dim], end = start + box.sizes[dim];
  const Tensor inner = written(b, b.sliced(whole, at, start, end), part, box, dim + 1);
  std::vector<Tensor> pieces;
  if (start > 0) pieces.push_back(b.sliced(whole, at, 0, start));
  pieces.push_back(b.in_order(inner, whole.order));
  if (end < box.extents[dim]) pieces.push_back(b.sliced(whole, at, end, box.extents[dim]));
  return b.concatenated(pieces, at);
}

}  // namespace

Tensor window_of(Builder& b, Id<Op> base, const StridedView& window) {
  const Tensor whole = b.dense(base);
  if (!b.packed(base) && window == dense_view(window.dims) && product(window.dims) == b.op(base).shape.elements_count()) return b.reshaped(whole, window.dims);
  const std::optional<Box> box = checked_box(b, base, window);
  if (!box) return whole;
  Tensor out = b.reshaped(whole, box->extents);
  for (std::size_t dim = 0; dim < box->extents.size(); ++dim) out = b.sliced(out, static_cast<std::int64_t>(dim), box->starts[dim], box->starts[dim] + box->sizes[dim]);
  const Dims by_stride = dims_by_stride(window), numbers = places(by_stride);
  Dims sizes, by_number(numbers.size());
  for (const std::int64_t dim : by_stride) sizes.push_back(window.dims[static_cast<std::size_t>(dim)]);
  for (std::size_t k = 0; k < numbers.size(); ++k) by_number[static_cast<std::size_t>(numbers[k])] = static_cast<std::int64_t>(k);
  return b.reshaped(b.permuted(b.reshaped(out, sizes), by_number), window.dims);
}

Id<Op> written_through(Builder& b, Id<Op> base, const StridedView& window, const Tensor& part) {
  const Tensor whole = b.dense(base);
  const std::optional<Box> box = checked_box(b, base, window);
  if (!box || b.dims(part) != window.dims || b.dtype(part) != b.dtype(whole)) b.refuse("a part of other dims or of another type than the window");
  if (b.refused()) return base;
  const Dims memory = b.op(base).shape.dims;
  Dims sizes;  // of the window, without dims of one element
  std::ranges::copy_if(window.dims, std::back_inserter(sizes), [](std::int64_t extent) { return extent != 1; });
  const Tensor in_box = b.reshaped(b.permuted(b.reshaped(part, sizes), places(dims_by_stride(window))), box->sizes);
  return b.row_major(b.reshaped(written(b, b.reshaped(whole, box->extents), in_box, *box, 0), memory));
}

}  // namespace seam::graph::torch
