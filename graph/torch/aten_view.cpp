/// Views and what looks like them: nothing here computes.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

Value view(Call& call) {
  const Tensor a = call.tensor(0, "self");
  if (call.value(1, "size").kind == Value::Kind::Text || call.value(1, "dtype").kind == Value::Kind::Text) call.b.refuse("a view as another type");
  return call.b.reshaped(a, call.ints(1, "size"));
}
Value view_as(Call& call) { return call.b.reshaped(call.tensor(0, "self"), call.b.dims(call.tensor(1, "other"))); }
Value expand(Call& call) { return call.b.expanded(call.tensor(0, "self"), call.ints(1, "size")); }
Value expand_as(Call& call) { return call.b.expanded(call.tensor(0, "self"), call.b.dims(call.tensor(1, "other"))); }

Value permute(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Dims dims = call.ints(1, "dims");
  for (std::int64_t& dim : dims) dim = call.b.wrapped(dim, call.b.rank(a));
  Dims sorted = dims;
  std::ranges::sort(sorted);
  if (sorted != counted(static_cast<std::int64_t>(sorted.size()))) call.b.refuse("a permutation that repeats a dimension");
  return call.b.refused() ? a : call.b.permuted(a, dims);
}

Tensor swapped(Builder& b, const Tensor& a, std::int64_t x, std::int64_t y) {
  if (b.rank(a) == 0) return a;
  Dims order = counted(b.rank(a));
  std::swap(order[static_cast<std::size_t>(b.wrapped(x, b.rank(a)))], order[static_cast<std::size_t>(b.wrapped(y, b.rank(a)))]);
  return b.permuted(a, order);
}
Value transpose(Call& call) { return swapped(call.b, call.tensor(0, "self"), call.integer(1, "dim0", 0), call.integer(2, "dim1", 1)); }
Value t(Call& call) {
  const Tensor a = call.tensor(0, "self");
  return call.b.rank(a) < 2 ? a : swapped(call.b, a, 0, 1);
}
Value m_t(Call& call) { return swapped(call.b, call.tensor(0, "self"), -1, -2); }

Value unsqueeze(Call& call) { return call.b.unsqueezed(call.tensor(0, "self"), call.integer(1, "dim", 0)); }

Value squeeze(Call& call) {
  Tensor a = call.tensor(0, "self");
  Dims dims = call.has(1, "dim") ? call.dims_or_all(1, "dim", call.b.rank(a)) : counted(call.b.rank(a));
  std::ranges::sort(dims, std::greater<>());
  for (const std::int64_t dim : dims) a = call.b.squeezed(a, dim);
  return a;
}

Value select(Call& call) { return call.b.selected(call.tensor(0, "self"), call.integer(1, "dim", 0), call.integer(2, "index", 0)); }

Value slice(Call& call) {
  const Tensor a = call.tensor(0, "self");
  return call.b.sliced(a, call.integer(1, "dim", 0), call.integer(2, "start", 0), call.integer(3, "end", std::numeric_limits<std::int64_t>::max()), call.integer(4, "step", 1));
}

Value narrow(Call& call) {
  const std::int64_t start = call.integer(2, "start", 0);
  const std::int64_t length = std::clamp<std::int64_t>(call.integer(3, "length", 0), 0, std::int64_t{1} << 40);
  return call.b.sliced(call.tensor(0, "self"), call.integer(1, "dim", 0), std::min(start, std::int64_t{1} << 40), std::min(start, std::int64_t{1} << 40) + length);
}

Value pieces(Call& call, const Tensor& a, std::int64_t dim, const Dims& sizes) {
  std::vector<Value> out;
  std::int64_t at = 0;
  for (const std::int64_t size : sizes) {
    out.emplace_back(call.b.sliced(a, dim, at, at + size));
    at += size;
  }
  if (at != call.b.extent(a, dim)) call.b.refuse("pieces that do not make up the whole");
  return Value::list(std::move(out));
}

/// split(self, size | sizes, dim), split_with_sizes, chunk(self, chunks, dim); "unsafe" ones promise only that no piece is written in place.
Value split(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const std::int64_t dim = call.b.wrapped(call.integer(2, "dim", 0), call.b.rank(a));
  if (call.b.rank(a) == 0) call.b.refuse("a scalar is not split");
  if (call.b.refused()) return {};
  const std::int64_t extent = call.b.extent(a, dim);
  const bool chunks = call.name == "chunk" || call.name == "unsafe_chunk";
  if (!chunks && call.value(1, "split_size").kind == Value::Kind::List) return pieces(call, a, dim, call.ints(1, "split_sizes"));
  std::int64_t size = call.integer(1, chunks ? "chunks" : "split_size", 1);
  if (size < 1 || extent > std::int64_t{100'000} * size) call.b.refuse("pieces of no size");
  if (call.b.refused()) return {};
  if (chunks) size = std::max<std::int64_t>((extent + size - 1) / size, 1);
  Dims sizes;
  for (std::int64_t at = 0; at < extent; at += size) sizes.push_back(std::min(size, extent - at));
  return pieces(call, a, dim, sizes);
}

Value unbind(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const std::int64_t dim = call.b.wrapped(call.integer(1, "dim", 0), call.b.rank(a));
  if (call.b.rank(a) == 0 || call.b.extent(a, dim) > 10'000) call.b.refuse("too many pieces");
  if (call.b.refused()) return {};
  std::vector<Value> out;
  for (std::int64_t k = 0; k < call.b.extent(a, dim); ++k) out.emplace_back(call.b.selected(a, dim, k));
  return Value::list(std::move(out));
}

Value flatten(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const std::int64_t first = call.b.wrapped(call.integer(1, "start_dim", 0), call.b.rank(a)), last = call.b.wrapped(call.integer(2, "end_dim", -1), call.b.rank(a));
  Dims dims = call.b.dims(a);
  if (dims.empty()) return call.b.reshaped(a, {1});
  if (first > last) call.b.refuse("a range of dimensions that ends before it starts");
  if (call.b.refused()) return a;
  std::int64_t whole = 1;
  for (std::int64_t dim = first; dim <= last; ++dim) whole *= dims[static_cast<std::size_t>(dim)];
  dims.erase(dims.begin() + first, dims.begin() + last + 1);
  dims.insert(dims.begin() + first, whole);
  return call.b.reshaped(a, dims);
}

Value unflatten(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const std::int64_t dim = call.b.wrapped(call.integer(1, "dim", 0), call.b.rank(a));
  Dims dims = call.b.dims(a), sizes = call.ints(2, "sizes");
  if (dims.empty()) call.b.refuse("a scalar has no dimension to cut");
  if (call.b.refused()) return a;
  std::int64_t known = 1;
  for (const std::int64_t size : sizes) known *= size < 0 ? 1 : size;
  for (std::int64_t& size : sizes)
    if (size < 0) size = known == 0 ? 0 : dims[static_cast<std::size_t>(dim)] / known;
  dims.erase(dims.begin() + dim);
  dims.insert(dims.begin() + dim, sizes.begin(), sizes.end());
  return call.b.reshaped(a, dims);
}

Value same(Call& call) { return call.tensor(0, "self"); }

/// clone(memory_format): a copy only where the memory is not already as wanted; copies of what nobody changes are none.
Value clone(Call& call) {
  const std::string format = call.text(1, "memory_format");
  const Tensor a = call.tensor(0, "self");
  if (call.name == "contiguous" || format == "torch.contiguous_format") {
    if (call.name == "contiguous" && format.ends_with("channels_last")) return a;
    return call.b.contiguous(a);
  }
  return a;
}

/// x[…] on a tensor: numbers, slices, None and an ellipsis.
Value subscript(Call& call) {
  const Value& object = call.value(0, "self");
  const Value& index = call.value(1, "index");
  if (index.kind != Value::Kind::List) call.b.refuse("an index that is no list");
  if (call.b.refused()) return {};
  if (object.kind == Value::Kind::List) {
    if (index.items.size() != 1 || index.items[0].kind != Value::Kind::Int) call.b.refuse("a list is indexed with one number");
    if (call.b.refused()) return {};
    const auto size = static_cast<std::int64_t>(object.items.size());
    const std::int64_t at = index.items[0].integer < 0 ? index.items[0].integer + size : index.items[0].integer;
    if (at < 0 || at >= size) {
      call.b.refuse(fmt::format("element {} of a list of {}", index.items[0].integer, size));
      return {};
    }
    return object.items[static_cast<std::size_t>(at)];
  }
  Tensor a = call.tensor(0, "self");
  std::int64_t named = 0;
  for (const Value& item : index.items) named += item.kind == Value::Kind::None || item.kind == Value::Kind::Ellipsis ? 0 : 1;
  std::int64_t dim = 0;
  for (const Value& item : index.items) {
    if (call.b.refused()) return a;
    switch (item.kind) {
      case Value::Kind::None: a = call.b.unsqueezed(a, dim++); break;
      case Value::Kind::Ellipsis: dim = call.b.rank(a) - named; break;
      case Value::Kind::Int:
        a = call.b.selected(a, dim, item.integer);
        --named;
        break;
      case Value::Kind::Slice: {
        const auto bound = [&](std::size_t which, std::int64_t otherwise) { return item.items[which].kind == Value::Kind::Int ? item.items[which].integer : otherwise; };
        a = call.b.sliced(a, dim++, bound(0, 0), bound(1, std::numeric_limits<std::int64_t>::max()), bound(2, 1));
        --named;
        break;
      }
      default: call.b.refuse("an index by a tensor"); break;
    }
  }
  return a;
}

Value movedim(Call& call) {
  const Tensor a = call.tensor(0, "self");
  const std::int64_t from = call.b.wrapped(call.integer(1, "source", 0), call.b.rank(a)), to = call.b.wrapped(call.integer(2, "destination", 0), call.b.rank(a));
  if (call.b.refused() || call.b.rank(a) == 0) return a;
  Dims order = counted(call.b.rank(a));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return call.b.permuted(a, order);
}

Value size(Call& call) {
  const Tensor a = call.tensor(0, "self");
  if (call.has(1, "dim")) {
    const std::int64_t dim = call.b.wrapped(call.integer(1, "dim", 0), call.b.rank(a));
    return call.b.rank(a) == 0 ? Value::of(1) : Value::of(call.b.extent(a, dim));
  }
  std::vector<Value> out;
  for (const std::int64_t extent : call.b.dims(a)) out.push_back(Value::of(extent));
  return Value::list(std::move(out));
}

constexpr Operator kOperators[] = {
    {"view", view}, {"reshape", view}, {"_unsafe_view", view}, {"_reshape_alias", view}, {"view_as", view_as}, {"reshape_as", view_as}, {"expand", expand},
    {"expand_as", expand_as}, {"broadcast_to", expand}, {"permute", permute}, {"transpose", transpose}, {"swapaxes", transpose}, {"swapdims", transpose}, {"t", t}, {"numpy_T", t}, {"mT", m_t},
    {"unsqueeze", unsqueeze}, {"squeeze", squeeze}, {"select", select}, {"slice", slice}, {"narrow", narrow}, {"split", split}, {"split_with_sizes", split}, {"chunk", split},
    {"unbind", unbind}, {"flatten", flatten}, {"unflatten", unflatten}, {"alias", same}, {"detach", same}, {"view_of", same}, {"clone", clone}, {"contiguous", clone},
    {"getitem", subscript}, {"movedim", movedim}, {"moveaxis", movedim}, {"sym_size", size}, {"size", size},
    {"split_copy", split}, {"unsafe_split", split}, {"unsafe_split_with_sizes", split}, {"unsafe_chunk", split}, {"view_copy", view}, {"select_copy", select}, {"slice_copy", slice}, {"permute_copy", permute}, {"expand_copy", expand}, {"t_copy", t},
    {"unsqueeze_copy", unsqueeze}, {"squeeze_copy", squeeze}, {"alias_copy", same}, {"detach_copy", same},
};

}  // namespace

std::span<const Operator> view_operators() { return kOperators; }

}  // namespace seam::graph::torch
