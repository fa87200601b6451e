#include "graph/views.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "read/cursor.h"

namespace seam::graph {
namespace {

constexpr std::string_view kHeader = "tensor_views";

std::string key_of(Border border, std::int64_t index) { return fmt::format("{}{}", border == Border::Input ? "in" : "out", index); }

/// "{in0=[2,64][1,2]+0, out3=…}", one entry per view.
std::string* header_of(Graph& graph) {
  for (auto& [key, value] : graph.header)
    if (key == kHeader) return &value;
  return nullptr;
}

Result<std::vector<std::int64_t>> bracketed(Cursor& cursor) {
  SEAM_DO(cursor.expect('[', "in a view"));
  std::vector<std::int64_t> out;
  while (!cursor.accept(']')) {
    SEAM_TRY(const std::int64_t value, cursor.integer("a number"));
    out.push_back(value);
    (void)cursor.accept(',');
  }
  return out;
}

Result<StridedView> read_view(std::string_view text) {
  const Source source(text, "view");
  Cursor cursor(source);
  StridedView view;
  SEAM_TRY(view.dims, bracketed(cursor));
  SEAM_TRY(view.strides, bracketed(cursor));
  if (view.dims.size() != view.strides.size()) return cursor.error("dims and strides differ in number");
  SEAM_DO(cursor.expect('+', "before the offset"));
  SEAM_TRY(view.offset, cursor.integer("the offset"));
  return view;
}

/// Calls visit(index in the tensor, index in the value) for every element, or says that the view reaches outside.
template <class Visit>
Result<void> walk(const StridedView& view, std::int64_t elements, Visit visit) {
  std::int64_t count = 1, last = view.offset;
  for (std::size_t k = 0; k < view.dims.size(); ++k) {
    count *= view.dims[k];
    if (view.dims[k] > 0) last += (view.dims[k] - 1) * view.strides[k];
  }
  if (count == 0) return {};
  if (view.offset < 0 || last >= elements) return fail(Error::Code::BadInput, fmt::format("view {} reaches outside its {} elements", print(view), elements));
  std::vector<std::int64_t> index(view.dims.size(), 0);
  std::int64_t at = view.offset;
  for (std::int64_t i = 0; i < count; ++i) {
    visit(i, at);
    for (std::size_t k = view.dims.size(); k-- > 0;) {
      at += view.strides[k];
      if (++index[k] < view.dims[k]) break;
      at -= view.strides[k] * view.dims[k];
      index[k] = 0;
    }
  }
  return {};
}

/// Rows of (size, stride), by stride, as a box.
std::optional<ViewBox> box_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& rows, std::int64_t offset, std::vector<std::int64_t> radices) {
  radices.push_back(1);
  for (const auto& [size, stride] : rows) radices.push_back(stride);
  std::ranges::sort(radices, std::greater<>());
  radices.erase(std::unique(radices.begin(), radices.end()), radices.end());
  if (radices.back() != 1 || offset < 0) return std::nullopt;
  ViewBox box{radices, std::vector<std::int64_t>(radices.size()), std::vector<std::int64_t>(radices.size(), 1)};
  for (const auto& [size, stride] : rows) {
    std::int64_t& digit = box.sizes[static_cast<std::size_t>(std::ranges::find(radices, stride) - radices.begin())];
    if (digit != 1) return std::nullopt;
    digit = size;
  }
  for (std::size_t digit = 0; digit < radices.size(); ++digit) {
    box.starts[digit] = offset / radices[digit];
    offset %= radices[digit];
    if (digit == 0) continue;
    if (radices[digit - 1] % radices[digit] != 0 || box.starts[digit] + box.sizes[digit] > radices[digit - 1] / radices[digit]) return std::nullopt;
  }
  return box;
}

}  // namespace

StridedView dense_view(std::vector<std::int64_t> dims) {
  StridedView view{std::move(dims), {}, 0};
  view.strides.resize(view.dims.size());
  std::int64_t stride = 1;
  for (std::size_t k = view.dims.size(); k-- > 0;) {
    view.strides[k] = stride;
    stride *= std::max<std::int64_t>(view.dims[k], 1);
  }
  return view;
}

std::optional<StridedView> reshaped(const StridedView& view, const std::vector<std::int64_t>& dims) {
  StridedView out{dims, std::vector<std::int64_t>(dims.size(), 1), view.offset};
  // Runs of old dims that lie densely in one another are cut into new dims, from the innermost on.
  std::size_t next = dims.size();
  std::size_t k = view.dims.size();
  while (k > 0) {
    if (view.dims[k - 1] == 1) {
      --k;
      continue;
    }
    const std::int64_t base = view.strides[k - 1];
    std::int64_t run = view.dims[--k];
    while (k > 0 && (view.dims[k - 1] == 1 || view.strides[k - 1] == run * base)) run *= view.dims[--k];
    std::int64_t made = 1;
    while (next > 0 && made < run) {
      out.strides[--next] = made * base;
      made *= dims[next];
    }
    if (made != run) return std::nullopt;
  }
  while (next > 0) {
    if (dims[--next] != 1) return std::nullopt;
  }
  return out;
}

std::string print(const StridedView& view) { return fmt::format("[{}][{}]+{}", fmt::join(view.dims, ","), fmt::join(view.strides, ","), view.offset); }

std::vector<std::int64_t> dims_by_stride(const StridedView& view) {
  std::vector<std::int64_t> out;
  for (std::size_t dim = 0; dim < view.dims.size(); ++dim)
    if (view.dims[dim] != 1) out.push_back(static_cast<std::int64_t>(dim));
  std::ranges::stable_sort(out, [&](std::int64_t a, std::int64_t b) { return view.strides[static_cast<std::size_t>(a)] > view.strides[static_cast<std::size_t>(b)]; });
  return out;
}

std::optional<ViewBox> box_of(const StridedView& view, const std::vector<std::int64_t>& more) {
  // (size, stride) by stride; first as they are, then with those joined that lie in one row.
  std::vector<std::pair<std::int64_t, std::int64_t>> apart, joined;
  for (const std::int64_t dim : dims_by_stride(view)) {
    const std::int64_t size = view.dims[static_cast<std::size_t>(dim)], stride = view.strides[static_cast<std::size_t>(dim)];
    apart.emplace_back(size, stride);
    if (!joined.empty() && joined.back().second == size * stride) {
      joined.back() = {joined.back().first * size, stride};
    } else {
      joined.emplace_back(size, stride);
    }
  }
  std::optional<ViewBox> box = box_of(apart, view.offset, more);
  return box ? box : box_of(joined, view.offset, more);
}

bool apart(const StridedView& a, const StridedView& b) {
  const auto range = [](const StridedView& view) {
    std::int64_t last = view.offset;
    for (std::size_t dim = 0; dim < view.dims.size(); ++dim) last += (view.dims[dim] - 1) * view.strides[dim];
    return std::pair(view.offset, last);
  };
  const auto empty = [](const StridedView& view) { return std::ranges::find(view.dims, 0) != view.dims.end(); };
  if (empty(a) || empty(b)) return true;
  if (range(a).second < range(b).first || range(b).second < range(a).first) return true;
  const auto steps = [](const StridedView& view) {
    std::vector<std::int64_t> out;
    for (const std::int64_t dim : dims_by_stride(view)) out.push_back(view.strides[static_cast<std::size_t>(dim)]);
    return out;
  };
  const std::optional<ViewBox> one = box_of(a, steps(b)), other = box_of(b, steps(a));
  if (!one || !other || one->radices != other->radices) return false;
  for (std::size_t digit = 0; digit < one->radices.size(); ++digit)
    if (one->starts[digit] + one->sizes[digit] <= other->starts[digit] || other->starts[digit] + other->sizes[digit] <= one->starts[digit]) return true;
  return false;
}

void set_view(Graph& graph, Border border, std::int64_t index, const StridedView& view) {
  const std::string entry = fmt::format("{}={}", key_of(border, index), print(view));
  if (std::string* header = header_of(graph)) {
    header->insert(header->size() - 1, ", " + entry);
  } else {
    graph.header.emplace_back(kHeader, "{" + entry + "}");
  }
}

std::optional<StridedView> view_of(const Graph& graph, Border border, std::int64_t index) {
  for (const auto& [key, value] : graph.header) {
    if (key != kHeader) continue;
    const std::string wanted = key_of(border, index) + "=";
    for (std::size_t at = value.find(wanted); at != std::string::npos; at = value.find(wanted, at + 1)) {
      if (at == 0 || (value[at - 1] != '{' && value[at - 1] != ' ')) continue;
      const std::size_t start = at + wanted.size();
      const Result<StridedView> view = read_view(std::string_view(value).substr(start, value.find_first_of(" }", start) - start));
      return view ? std::optional(*view) : std::nullopt;
    }
  }
  return std::nullopt;
}

Result<Array> seen_through(const StridedView& view, const Array& value) {
  Array out = make_array(value.dtype, view.dims);
  const auto width = static_cast<std::size_t>(bytes(value.dtype));
  SEAM_DO(walk(view, value.elements(), [&](std::int64_t to, std::int64_t from) {
    std::memcpy(out.data.data() + static_cast<std::size_t>(to) * width, value.data.data() + static_cast<std::size_t>(from) * width, width);
  }));
  return out;
}

Result<Array> stored_through(const StridedView& view, const Array& tensor, Array value) {
  if (tensor.dims != view.dims) return fail(Error::Code::BadInput, fmt::format("its shape is [{}], the graph's tensor is [{}]", fmt::join(tensor.dims, ","), fmt::join(view.dims, ",")));
  const auto width = static_cast<std::size_t>(bytes(tensor.dtype));
  if (bytes(value.dtype) != bytes(tensor.dtype)) return fail(Error::Code::BadInput, "its elements are of another width");
  SEAM_DO(walk(view, value.elements(), [&](std::int64_t from, std::int64_t to) {
    std::memcpy(value.data.data() + static_cast<std::size_t>(to) * width, tensor.data.data() + static_cast<std::size_t>(from) * width, width);
  }));
  return value;
}

}  // namespace seam::graph
