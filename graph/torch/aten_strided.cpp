#include "torch/call.h"
#include "torch/strided.h"

namespace seam::graph::torch {
namespace {

StridedView window(Call& call, std::size_t first, const Tensor& a) {
  return {call.ints(first, "size"), call.ints(first + 1, "stride"), call.has(first + 2, "storage_offset") ? call.integer(first + 2, "storage_offset", 0) : a.view.offset};
}

/// as_strided(self, size, stride, storage_offset): of the memory that self shows a part of.
Value as_strided(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const StridedView wanted = window(call, 1, a);
  if (call.b.refused() || (wanted == a.view && !call.b.packed(a.base))) return a;
  return window_of(call.b, a.base, wanted);
}

/// as_strided_scatter(self, src, size, stride, storage_offset): self with src where the window shows it.
Value as_strided_scatter(Call& call) {
  const Tensor a = call.tensor(0, "self"), part = call.tensor(1, "src");
  const StridedView wanted = window(call, 2, a);
  if (a.value != a.base) call.b.refuse("self is itself a view");
  if (call.b.refused()) return a;
  return call.b.ordered(written_through(call.b, a.base, wanted, call.b.converted(part, call.b.dtype(a))), a.order);
}

constexpr Operator kOperators[] = {{"as_strided", as_strided}, {"as_strided_copy", as_strided}, {"as_strided_scatter", as_strided_scatter}};

}  // namespace

std::span<const Operator> strided_operators() { return kOperators; }

}  // namespace seam::graph::torch
