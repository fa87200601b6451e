#include "read/values.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace seam::graph {
namespace {

constexpr std::array<std::string_view, 6> kWindowKeys{"size",       "stride",     "pad",
                                                      "lhs_dilate", "rhs_dilate", "rhs_reversal"};

Result<void> read_window_field(Cursor& cursor, std::string_view key, WindowDim& dim) {
  if (key == "pad") {
    SEAM_TRY(dim.pad_low, cursor.bare_integer("the low padding"));
    if (!cursor.accept('_')) return cursor.error("expected '_' between low and high padding");
    SEAM_TRY(dim.pad_high, cursor.bare_integer("the high padding"));
    if (cursor.here() == '_') return cursor.error("a window pads low_high, without interior");
    return {};
  }
  SEAM_TRY(const std::int64_t value, cursor.bare_integer("a number per window dimension"));
  if (key == "rhs_reversal") {
    dim.reversal = value != 0;
    return {};
  }
  if (value < (key == "size" ? 0 : 1)) return cursor.error(fmt::format("window {} must be positive", key));
  if (key == "size") dim.size = value;
  if (key == "stride") dim.stride = value;
  if (key == "lhs_dilate") dim.lhs_dilate = value;
  if (key == "rhs_dilate") dim.rhs_dilate = value;
  return {};
}

/// One of the three groups of dim labels: positions of two letters and of the spatial digits.
Result<void> read_labels(Cursor& cursor, char first, char second, std::int64_t& first_at,
                         std::int64_t& second_at, std::vector<std::int64_t>& spatial) {
  const std::size_t start = cursor.offset();
  first_at = second_at = -1;
  std::int64_t position = 0;
  for (;; ++position) {
    const char c = cursor.here();
    if (c == first && first_at < 0) {
      first_at = position;
    } else if (c == second && second_at < 0) {
      second_at = position;
    } else if (c >= '0' && c <= '9') {
      const auto digit = static_cast<std::size_t>(c - '0');
      if (spatial.size() <= digit) spatial.resize(digit + 1, -1);
      if (spatial[digit] >= 0) return cursor.error("a spatial dimension is labelled twice");
      spatial[digit] = position;
    } else {
      break;
    }
    cursor.move_to(cursor.offset() + 1);
  }
  if (first_at < 0 || second_at < 0 || std::ranges::find(spatial, -1) != spatial.end()) {
    return cursor.error_at(start, fmt::format("expected labels '{}', '{}' and digits from 0 on", first, second));
  }
  return {};
}

std::string print_labels(char first, char second, std::int64_t first_at, std::int64_t second_at,
                         const std::vector<std::int64_t>& spatial) {
  std::string out(spatial.size() + 2, '?');
  out[static_cast<std::size_t>(first_at)] = first;
  out[static_cast<std::size_t>(second_at)] = second;
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    out[static_cast<std::size_t>(spatial[i])] = static_cast<char>('0' + i);
  }
  return out;
}

}  // namespace

Result<std::vector<std::int64_t>> read_integers(Cursor& cursor) {
  std::vector<std::int64_t> values;
  if (auto open = cursor.expect('{', "to open a list of numbers"); !open) {
    return tl::unexpected(std::move(open).error());
  }
  if (cursor.accept('}')) return values;
  do {
    SEAM_TRY(const std::int64_t value, cursor.integer("a number"));
    values.push_back(value);
  } while (cursor.accept(','));
  if (auto close = cursor.expect('}', "to close a list of numbers"); !close) {
    return tl::unexpected(std::move(close).error());
  }
  return values;
}

Result<void> read_slice(Cursor& cursor, Attributes& attributes) {
  if (auto open = cursor.expect('{', "to open slice bounds"); !open) return open;
  if (cursor.accept('}')) return {};
  do {
    if (auto open = cursor.expect('[', "to open the bounds of a dimension"); !open) return open;
    SEAM_TRY(const std::int64_t start, cursor.integer("the start of a slice"));
    if (auto colon = cursor.expect(':', "between start and limit"); !colon) return colon;
    SEAM_TRY(const std::int64_t limit, cursor.integer("the limit of a slice"));
    std::int64_t stride = 1;
    if (cursor.accept(':')) {
      SEAM_TRY(stride, cursor.integer("the stride of a slice"));
    }
    if (auto close = cursor.expect(']', "to close the bounds of a dimension"); !close) return close;
    attributes.starts.push_back(start);
    attributes.limits.push_back(limit);
    attributes.strides.push_back(stride);
  } while (cursor.accept(','));
  return cursor.expect('}', "to close slice bounds");
}

Result<std::vector<PadDim>> read_padding(Cursor& cursor) {
  std::vector<PadDim> padding;
  cursor.peek();
  do {
    PadDim dim;
    SEAM_TRY(dim.low, cursor.bare_integer("the low padding"));
    if (!cursor.accept('_')) return cursor.error("expected '_' between low and high padding");
    SEAM_TRY(dim.high, cursor.bare_integer("the high padding"));
    if (cursor.here() == '_') {
      cursor.accept('_');
      const std::size_t at = cursor.offset();
      SEAM_TRY(dim.interior, cursor.bare_integer("the interior padding"));
      if (dim.interior < 0) return cursor.error_at(at, "interior padding cannot be negative");
    }
    padding.push_back(dim);
  } while (cursor.here() == 'x' && cursor.accept('x'));
  return padding;
}

Result<std::vector<WindowDim>> read_window(Cursor& cursor) {
  std::vector<WindowDim> window;
  if (auto open = cursor.expect('{', "to open a window"); !open) {
    return tl::unexpected(std::move(open).error());
  }
  bool first = true;
  while (!cursor.accept('}')) {
    cursor.accept(',');
    cursor.peek();
    const std::size_t at = cursor.offset();
    const std::string_view key = cursor.word();
    if (std::ranges::find(kWindowKeys, key) == kWindowKeys.end()) {
      cursor.move_to(at);
      return cursor.error(fmt::format("expected a window field ({}), found {}",
                                      fmt::join(kWindowKeys, ", "), cursor.found()));
    }
    if (auto equals = cursor.expect('=', "after a window field"); !equals) {
      return tl::unexpected(std::move(equals).error());
    }
    std::size_t count = 0;
    cursor.peek();
    do {
      if (count == window.size()) {
        if (!first) return cursor.error_at(at, "window fields differ in their number of dimensions");
        window.emplace_back();
      }
      if (auto field = read_window_field(cursor, key, window[count]); !field) {
        return tl::unexpected(std::move(field).error());
      }
      ++count;
    } while (cursor.here() == 'x' && cursor.accept('x'));
    if (count != window.size()) {
      return cursor.error_at(at, "window fields differ in their number of dimensions");
    }
    first = false;
  }
  return window;
}

Result<ConvDims> read_dim_labels(Cursor& cursor) {
  ConvDims dims;
  cursor.peek();
  const std::size_t at = cursor.offset();
  if (auto lhs = read_labels(cursor, 'b', 'f', dims.lhs_batch, dims.lhs_feature, dims.lhs_spatial); !lhs) {
    return tl::unexpected(std::move(lhs).error());
  }
  if (!cursor.accept('_')) return cursor.error("expected '_' after the labels of the input");
  if (auto rhs = read_labels(cursor, 'i', 'o', dims.rhs_input, dims.rhs_output, dims.rhs_spatial); !rhs) {
    return tl::unexpected(std::move(rhs).error());
  }
  if (!cursor.accept("->")) return cursor.error("expected '->' after the labels of the kernel");
  if (auto out = read_labels(cursor, 'b', 'f', dims.out_batch, dims.out_feature, dims.out_spatial); !out) {
    return tl::unexpected(std::move(out).error());
  }
  if (dims.lhs_spatial.size() != dims.rhs_spatial.size() ||
      dims.lhs_spatial.size() != dims.out_spatial.size()) {
    return cursor.error_at(at, "input, kernel and output differ in spatial dimensions");
  }
  return dims;
}

Result<bool> read_bool(Cursor& cursor) {
  if (cursor.accept_word("true") || cursor.accept_word("1")) return true;
  if (cursor.accept_word("false") || cursor.accept_word("0")) return false;
  return cursor.error(fmt::format("expected true or false, found {}", cursor.found()));
}

std::string print_integers(const std::vector<std::int64_t>& values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

std::string print_slice(const Attributes& attributes) {
  std::string out = "{";
  for (std::size_t i = 0; i < attributes.starts.size(); ++i) {
    if (i > 0) out += ", ";
    out += fmt::format("[{}:{}", attributes.starts[i], attributes.limits[i]);
    if (attributes.strides[i] != 1) out += fmt::format(":{}", attributes.strides[i]);
    out += ']';
  }
  return out + '}';
}

std::string print_padding(const std::vector<PadDim>& padding) {
  std::string out;
  for (const PadDim& dim : padding) {
    if (!out.empty()) out += 'x';
    out += fmt::format("{}_{}", dim.low, dim.high);
    if (dim.interior != 0) out += fmt::format("_{}", dim.interior);
  }
  return out;
}

std::string print_window(const std::vector<WindowDim>& window) {
  const auto field = [&](std::string_view key, auto&& value) {
    std::string out;
    for (const WindowDim& dim : window) out += (out.empty() ? "" : "x") + value(dim);
    return fmt::format("{}={}", key, out);
  };
  const auto any = [&](auto&& differs) { return std::ranges::any_of(window, differs); };
  const auto text = [](std::int64_t value) { return fmt::to_string(value); };
  std::string out = "{" + field("size", [&](const WindowDim& d) { return text(d.size); });
  if (any([](const WindowDim& d) { return d.stride != 1; })) {
    out += ' ' + field("stride", [&](const WindowDim& d) { return text(d.stride); });
  }
  if (any([](const WindowDim& d) { return d.pad_low != 0 || d.pad_high != 0; })) {
    out += ' ' + field("pad", [](const WindowDim& d) {
      return fmt::format("{}_{}", d.pad_low, d.pad_high);
    });
  }
  if (any([](const WindowDim& d) { return d.lhs_dilate != 1; })) {
    out += ' ' + field("lhs_dilate", [&](const WindowDim& d) { return text(d.lhs_dilate); });
  }
  if (any([](const WindowDim& d) { return d.rhs_dilate != 1; })) {
    out += ' ' + field("rhs_dilate", [&](const WindowDim& d) { return text(d.rhs_dilate); });
  }
  if (any([](const WindowDim& d) { return d.reversal; })) {
    out += ' ' + field("rhs_reversal", [&](const WindowDim& d) { return text(d.reversal ? 1 : 0); });
  }
  return out + '}';
}

std::string print_dim_labels(const ConvDims& dims) {
  return fmt::format("{}_{}->{}",
                     print_labels('b', 'f', dims.lhs_batch, dims.lhs_feature, dims.lhs_spatial),
                     print_labels('i', 'o', dims.rhs_input, dims.rhs_output, dims.rhs_spatial),
                     print_labels('b', 'f', dims.out_batch, dims.out_feature, dims.out_spatial));
}

}  // namespace seam::graph
