#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/graph.h"

namespace seam::graph {

namespace {
/// Sizes saturate: an inferred shape can be larger than any number.
constexpr std::int64_t kMost = INT64_MAX;
}  // namespace

std::int64_t Shape::elements_count() const {
  // An unbounded dimension (-1) counts as nothing known, hence zero elements.
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1},
                         [](std::int64_t product, std::int64_t dim) {
                           std::int64_t next = 0;
                           const bool over = __builtin_mul_overflow(product, std::max<std::int64_t>(dim, 0), &next);
                           return over ? kMost : next;
                         });
}

std::int64_t Shape::byte_size() const {
  std::int64_t result = 0;
  if (!is_tuple) {
    return __builtin_mul_overflow(elements_count(), bytes(dtype), &result) ? kMost : result;
  }
  for (const Shape& element : elements) {
    if (__builtin_add_overflow(result, element.byte_size(), &result)) return kMost;
  }
  return result;
}

bool same_type(const Shape& a, const Shape& b) {
  if (a.is_tuple != b.is_tuple) return false;
  if (a.is_tuple) {
    return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                      same_type);
  }
  return a.dtype == b.dtype && a.dims == b.dims;
}

bool is_row_major(const Shape& shape) {
  if (shape.is_tuple) return std::ranges::all_of(shape.elements, is_row_major);
  for (std::size_t i = 0; i < shape.minor_to_major.size(); ++i) {
    if (shape.minor_to_major[i] !=
        static_cast<std::int64_t>(shape.minor_to_major.size() - 1 - i)) {
      return false;
    }
  }
  return true;
}

std::string print(const Shape& shape) {
  std::string out;
  if (shape.is_tuple) {
    out = "(";
    for (std::size_t i = 0; i < shape.elements.size(); ++i) {
      if (i > 0) out += ", ";
      out += print(shape.elements[i]);
    }
    out += ')';
  } else {
    out = name(shape.dtype);
    out += '[';
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
      if (i > 0) out += ',';
      if (shape.dims[i] < 0) {
        out += '?';
        continue;
      }
      if (i < shape.dynamic.size() && shape.dynamic[i]) out += "<=";
      out += fmt::to_string(shape.dims[i]);
    }
    out += ']';
    if (shape.has_layout) {
      out += fmt::format("{{{}", fmt::join(shape.minor_to_major, ","));
      if (!shape.layout_suffix.empty()) out += ':' + shape.layout_suffix;
      out += '}';
    }
  }
  return shape.is_buffer ? "b(" + out + ')' : out;
}

}  // namespace seam::graph
