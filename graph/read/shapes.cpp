#include "read/shapes.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace seam::graph {
namespace {

// Real shapes nest a few levels and have a handful of dimensions; the limits keep hostile text from exhausting the stack.
constexpr int kMaxNesting = 100;
constexpr std::size_t kMaxRank = 64;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 62;

Result<void> read_dims(Cursor& cursor, Shape& shape) {
  if (auto open = cursor.expect('[', "after the element type"); !open) return open;
  if (cursor.accept(']')) return {};
  std::int64_t count = 1;
  do {
    bool bounded = false;
    std::int64_t dim = -1;
    if (!cursor.accept('?')) {
      bounded = cursor.accept("<=");
      const std::size_t at = cursor.offset();
      SEAM_TRY(dim, cursor.integer("a dimension"));
      if (dim < 0) return cursor.error_at(at, "a dimension cannot be negative");
      if (dim > 0 && count > kMaxBytes / std::max(bytes(shape.dtype), 1) / dim) {
        return cursor.error_at(at, "this shape has more elements than any device can hold");
      }
      count *= std::max<std::int64_t>(dim, 1);
    }
    shape.dims.push_back(dim);
    if (bounded) shape.dynamic.resize(shape.dims.size(), false);
    if (bounded) shape.dynamic.back() = true;
    if (shape.dims.size() > kMaxRank) {
      return cursor.error(fmt::format("shapes of more than {} dimensions are not supported", kMaxRank));
    }
  } while (cursor.accept(','));
  if (!shape.dynamic.empty()) shape.dynamic.resize(shape.dims.size(), false);
  return cursor.expect(']', "to close the dimensions");
}

/// `{` opens a layout only if a layout can follow: after a signature's result shape it opens the computation.
bool starts_layout(Cursor cursor) {
  if (cursor.here() != '{') return false;
  cursor.accept('{');
  const char next = cursor.peek();
  return (next >= '0' && next <= '9') || next == ':' || next == '}';
}

Result<void> read_layout(Cursor& cursor, Shape& shape) {
  if (!starts_layout(cursor)) return {};
  const std::size_t start = cursor.offset();
  SEAM_TRY(const std::string_view group, cursor.group());
  Cursor inner = cursor.within(group.substr(1, group.size() - 2));
  shape.has_layout = true;
  std::vector<bool> seen(shape.dims.size(), false);
  while (!inner.at_end() && inner.peek() != ':') {
    const std::size_t at = inner.offset();
    SEAM_TRY(const std::int64_t dim, inner.integer("a dimension number of the layout"));
    if (dim < 0 || dim >= shape.rank() || seen[static_cast<std::size_t>(dim)]) {
      return inner.error_at(at, fmt::format("layout names dimension {} of a shape of rank {}{}", dim,
                                            shape.rank(), dim < shape.rank() ? " twice" : ""));
    }
    seen[static_cast<std::size_t>(dim)] = true;
    shape.minor_to_major.push_back(dim);
    if (!inner.accept(',')) break;
  }
  if (!shape.minor_to_major.empty() && shape.minor_to_major.size() != shape.dims.size()) {
    return cursor.error_at(start, fmt::format("layout names {} of {} dimensions",
                                              shape.minor_to_major.size(), shape.dims.size()));
  }
  if (inner.accept(':')) {
    inner.peek();
    shape.layout_suffix = group.substr(inner.offset() - start, group.size() - 1 - (inner.offset() - start));
  } else if (!inner.at_end()) {
    return inner.error(fmt::format("expected ',' or ':' in the layout, found {}", inner.found()));
  }
  return {};
}

Result<Shape> read_nested(Cursor& cursor, int depth) {
  if (depth > kMaxNesting) return cursor.error("tuples nest too deeply");
  Shape shape;
  if (cursor.accept('(')) {
    shape.is_tuple = true;
    while (!cursor.accept(')')) {
      if (!shape.elements.empty()) {
        if (auto comma = cursor.expect(',', "between the elements of a tuple shape"); !comma) {
          return tl::unexpected(std::move(comma).error());
        }
      }
      SEAM_TRY(Shape element, read_nested(cursor, depth + 1));
      shape.elements.push_back(std::move(element));
    }
    return shape;
  }
  cursor.peek();
  const std::size_t at = cursor.offset();
  const std::string_view word = cursor.word();
  if (word == "b" && cursor.here() == '(') {
    cursor.accept('(');
    SEAM_TRY(shape, read_nested(cursor, depth + 1));
    shape.is_buffer = true;
    if (auto close = cursor.expect(')', "to close the buffer"); !close) {
      return tl::unexpected(std::move(close).error());
    }
    return shape;
  }
  const std::optional<DType> dtype = dtype_named(word);
  if (!dtype) {
    cursor.move_to(at);
    return cursor.error(fmt::format("expected a shape, found {}", cursor.found()));
  }
  shape.dtype = *dtype;
  if (auto dims = read_dims(cursor, shape); !dims) return tl::unexpected(std::move(dims).error());
  if (auto layout = read_layout(cursor, shape); !layout) {
    return tl::unexpected(std::move(layout).error());
  }
  return shape;
}

}  // namespace

bool starts_shape(Cursor cursor) {
  if (cursor.peek() == '(') return true;
  const std::string_view word = cursor.word();
  if (word == "b" && cursor.here() == '(') {
    cursor.accept('(');
    return starts_shape(cursor);
  }
  return cursor.here() == '[' && dtype_named(word).has_value();
}

Result<Shape> read_shape(Cursor& cursor) { return read_nested(cursor, 0); }

}  // namespace seam::graph
