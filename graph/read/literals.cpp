#include "read/literals.h"

#include <fmt/core.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "read/shapes.h"

namespace seam::graph {
namespace {

/// Mantissa bits of the types whose NaNs carry a payload; 0 for the others.
int payload_bits(DType dtype) {
  switch (dtype) {
    case DType::F64: return 52;
    case DType::F32: return 23;
    case DType::F16: return 10;
    case DType::BF16: return 7;
    case DType::F8E5M2: return 2;
    case DType::F8E4M3: return 3;
    case DType::F8E3M4: return 4;
    default: return 0;
  }
}

/// The types without -0 have one NaN, in its place.
bool has_signed_nan(DType dtype) { return payload_bits(dtype) > 0 || dtype == DType::F8E4M3FN; }

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

void append_double(std::vector<std::byte>& out, DType dtype, double value) {
  const std::size_t at = out.size();
  out.resize(at + static_cast<std::size_t>(bytes(dtype)));
  store_from_double(dtype, out.data() + at, value);
}

class LiteralReader {
 public:
  LiteralReader(Cursor& cursor, const Shape& shape, Array& array)
      : cursor_(cursor), shape_(shape), array_(array) {}

  Result<void> read() {
    const char next = cursor_.peek();
    if (shape_.dims.empty() || next == '{') return read_dim(0);
    return splat();
  }

 private:
  Result<void> read_dim(std::size_t dim) {
    if (dim == shape_.dims.size()) return element();
    if (auto open = cursor_.expect('{', "to open a dimension of the constant"); !open) return open;
    const std::size_t at = cursor_.offset();
    std::int64_t count = 0;
    while (!cursor_.accept('}')) {
      if (auto one = read_dim(dim + 1); !one) return one;
      cursor_.accept(',');  // XLA does not insist on them
      ++count;
    }
    // XLA prints a constant without elements as {} whatever its rank.
    const bool none = count == 0 && shape_.elements_count() == 0;
    if (count != shape_.dims[dim] && !none) {
      return cursor_.error_at(at, fmt::format("dimension {} of {} holds {} elements", dim,
                                              print(shape_), count));
    }
    return {};
  }

  /// One number for a whole array: f32[2,3] constant(0).
  Result<void> splat() {
    constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;
    const std::size_t at = cursor_.offset();
    if (auto one = element(); !one) return one;
    if (shape_.byte_size() > kMaxBytes) {
      return cursor_.error_at(at, fmt::format("a constant of {} bytes is too large", shape_.byte_size()));
    }
    const std::vector<std::byte> pattern = std::move(array_.data);
    array_.data.clear();
    const auto count = static_cast<std::size_t>(shape_.elements_count());
    array_.data.reserve(count * pattern.size());
    for (std::size_t i = 0; i < count; ++i) array_.data.insert(array_.data.end(), pattern.begin(), pattern.end());
    return {};
  }

  Result<void> element() {
    if (is_complex(shape_.dtype)) return complex_element();
    const std::size_t at = cursor_.offset();
    const std::string_view token = next_token();
    if (shape_.dtype == DType::Pred) {
      if (token != "true" && token != "false" && token != "1" && token != "0") {
        return wrong(at, token, "a truth value");
      }
      array_.data.push_back(std::byte{token == "true" || token == "1"});
      return {};
    }
    if (is_integer(shape_.dtype)) return integer_element(at, token);
    return real_element(at, token, shape_.dtype);
  }

  Result<void> complex_element() {
    const DType part = shape_.dtype == DType::C64 ? DType::F32 : DType::F64;
    const bool pair = cursor_.accept('(');
    std::size_t at = cursor_.offset();
    if (auto real = real_element(at, next_token(), part); !real) return real;
    if (!pair) {
      append_double(array_.data, part, 0);
      return {};
    }
    if (auto comma = cursor_.expect(',', "between real and imaginary part"); !comma) return comma;
    at = cursor_.offset();
    if (auto imaginary = real_element(at, next_token(), part); !imaginary) return imaginary;
    return cursor_.expect(')', "to close a complex number");
  }

  Result<void> integer_element(std::size_t at, std::string_view token) {
    const int width = bits(shape_.dtype);
    const char* const last = token.data() + token.size();
    if (is_signed(shape_.dtype)) {
      std::int64_t value = 0;
      const auto [rest, code] = std::from_chars(token.data(), last, value);
      if (code == std::errc::invalid_argument || rest != last) return wrong(at, token, "an integer");
      const std::int64_t highest = std::numeric_limits<std::int64_t>::max() >> (64 - width);
      if (code != std::errc{} || value > highest || value < -highest - 1) return too_wide(at, token);
      append_integer(value);
      return {};
    }
    std::uint64_t value = 0;
    if (width == 64 && token.starts_with('-')) {  // XLA reads u64 constant(-1) as all ones
      std::int64_t negative = 0;
      const auto [rest, code] = std::from_chars(token.data(), last, negative);
      if (code != std::errc{} || rest != last) return wrong(at, token, "an integer");
      append_integer(negative);
      return {};
    }
    const auto [rest, code] = std::from_chars(token.data(), last, value);
    if (code == std::errc::invalid_argument || rest != last) return wrong(at, token, "an integer");
    if (code != std::errc{} || (width < 64 && (value >> width) != 0)) return too_wide(at, token);
    append_integer(static_cast<std::int64_t>(value));
    return {};
  }

  void append_integer(std::int64_t value) {
    switch (bytes(shape_.dtype)) {
      case 1: append(array_.data, static_cast<std::int8_t>(value)); break;
      case 2: append(array_.data, static_cast<std::int16_t>(value)); break;
      case 4: append(array_.data, static_cast<std::int32_t>(value)); break;
      default: append(array_.data, value);
    }
  }

  Result<void> real_element(std::size_t at, std::string_view token, DType dtype) {
    if (const std::size_t nan = token.find("nan("); nan != std::string_view::npos) {
      return nan_element(at, token, dtype);
    }
    const char* const last = token.data() + token.size();
    if (dtype == DType::F32) {
      float value = 0;
      const auto [rest, code] = std::from_chars(token.data(), last, value);
      if (code == std::errc{} && rest == last) {
        append(array_.data, value);
        return {};
      }
    }
    double value = 0;
    const auto [rest, code] = std::from_chars(token.data(), last, value);
    if (code == std::errc::result_out_of_range && rest == last) {
      // from_chars leaves the value alone; strtod says which end of the range it is.
      value = std::strtod(std::string(token).c_str(), nullptr);
    } else if (code != std::errc{} || rest != last) {
      return wrong(at, token, "a number");
    }
    append_double(array_.data, dtype, value);
    if (token == "-nan" && has_signed_nan(dtype)) array_.data.back() |= std::byte{0x80};
    return {};
  }

  /// nan(0x…): the payload is the mantissa.
  Result<void> nan_element(std::size_t at, std::string_view token, DType dtype) {
    const bool negative = token.starts_with('-');
    const std::string_view digits = token.substr(negative ? 5 : 4);
    std::uint64_t payload = 0;
    const int mantissa = payload_bits(dtype);
    if (!digits.starts_with("0x") || mantissa == 0) return wrong(at, token, "a number");
    const auto [rest, code] =
        std::from_chars(digits.data() + 2, digits.data() + digits.size(), payload, 16);
    const std::string_view tail = digits.substr(static_cast<std::size_t>(rest - digits.data()));
    if (code != std::errc{} || tail != ")" || payload == 0 || (payload >> mantissa) != 0) {
      return wrong(at, token, "a NaN whose payload fits");
    }
    const int width = bits(dtype);
    const int exponent = width - 1 - mantissa;
    std::uint64_t pattern = ((std::uint64_t{1} << exponent) - 1) << mantissa | payload;
    if (negative) pattern |= std::uint64_t{1} << (width - 1);
    const std::size_t to = array_.data.size();
    array_.data.resize(to + static_cast<std::size_t>(bytes(dtype)));
    std::memcpy(array_.data.data() + to, &pattern, static_cast<std::size_t>(bytes(dtype)));
    return {};
  }

  std::string_view next_token() {
    cursor_.peek();
    const std::size_t start = cursor_.offset();
    if (cursor_.here() == '-' || cursor_.here() == '+') cursor_.move_to(start + 1);
    const std::string_view word = cursor_.word();
    if (cursor_.here() == '+' && (word.ends_with('e') || word.ends_with('E'))) {
      cursor_.move_to(cursor_.offset() + 1);
      (void)cursor_.word();
    }
    if (word == "nan" && cursor_.here() == '(') {
      cursor_.accept('(');
      (void)cursor_.word();
      cursor_.accept(')');
    }
    std::string_view token = cursor_.text_from(start);
    if (token.starts_with('+')) token.remove_prefix(1);
    return token;
  }

  [[nodiscard]] Result<void> wrong(std::size_t at, std::string_view token, std::string_view what) {
    if (token.empty()) {
      return cursor_.error(fmt::format("expected {}, found {}", what, cursor_.found()));
    }
    return cursor_.error_at(at, fmt::format("'{}' is not {} that {} can hold", token.substr(0, 40),
                                            what, name(shape_.dtype)));
  }
  [[nodiscard]] Result<void> too_wide(std::size_t at, std::string_view token) {
    return cursor_.error_at(at, fmt::format("{} does not fit into {}", token, name(shape_.dtype)));
  }

  Cursor& cursor_;
  const Shape& shape_;
  Array& array_;
};

std::string print_real(DType dtype, const std::byte* at) {
  const double value = load_as_double(dtype, at);
  if (std::isnan(value)) {
    std::uint64_t pattern = 0;
    std::memcpy(&pattern, at, static_cast<std::size_t>(bytes(dtype)));
    std::uint64_t usual = 0;
    store_from_double(dtype, &usual, std::numeric_limits<double>::quiet_NaN());
    if (pattern == usual) return "nan";
    if (const int mantissa = payload_bits(dtype); mantissa > 0) {
      const bool negative = (pattern >> (bits(dtype) - 1)) != 0;
      const std::uint64_t payload = pattern & ((std::uint64_t{1} << mantissa) - 1);
      return fmt::format("{}nan(0x{:x})", negative ? "-" : "", payload);
    }
    return has_signed_nan(dtype) && (pattern >> (bits(dtype) - 1)) != 0 ? "-nan" : "nan";
  }
  if (dtype == DType::F64) return fmt::format("{}", value);
  return fmt::format("{}", static_cast<float>(value));
}

std::string print_element(DType dtype, const std::byte* at) {
  if (dtype == DType::Pred) return *at == std::byte{0} ? "false" : "true";
  if (dtype == DType::U64 || dtype == DType::S64) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return dtype == DType::U64 ? fmt::format("{}", value)
                               : fmt::format("{}", static_cast<std::int64_t>(value));
  }
  if (is_integer(dtype)) {
    return fmt::format("{}", static_cast<std::int64_t>(load_as_double(dtype, at)));
  }
  if (is_complex(dtype)) {
    const DType part = dtype == DType::C64 ? DType::F32 : DType::F64;
    return fmt::format("({}, {})", print_real(part, at), print_real(part, at + bytes(part)));
  }
  return print_real(dtype, at);
}

void print_dense(std::string& out, const Array& array, const Shape& shape, std::size_t dim,
                 const std::byte*& at) {
  if (dim == shape.dims.size()) {
    out += print_element(shape.dtype, at);
    at += bytes(shape.dtype);
    return;
  }
  out += '{';
  for (std::int64_t i = 0; i < shape.dims[dim]; ++i) {
    if (i > 0) out += ", ";
    print_dense(out, array, shape, dim + 1, at);
  }
  out += '}';
}

/// Large and all the same: printed as one number, as XLA lets one write it.
bool is_splat(const Array& array) {
  constexpr std::int64_t kLarge = 64;
  const auto width = static_cast<std::size_t>(bytes(array.dtype));
  if (array.elements() < kLarge) return false;
  return std::memcmp(array.data.data(), array.data.data() + width, array.data.size() - width) == 0;
}

}  // namespace

Result<Literal> read_literal(Cursor& cursor, const Shape& shape) {
  Literal literal;
  if (shape.is_tuple) {
    const std::size_t at = cursor.offset();
    if (auto open = cursor.expect('(', "to open a tuple constant"); !open) {
      return tl::unexpected(std::move(open).error());
    }
    while (!cursor.accept(')')) {
      if (literal.elements.size() >= shape.elements.size()) {
        return cursor.error_at(at, fmt::format("expected {} elements in this tuple constant",
                                               shape.elements.size()));
      }
      if (!literal.elements.empty()) {
        if (auto comma = cursor.expect(',', "between tuple elements"); !comma) {
          return tl::unexpected(std::move(comma).error());
        }
      }
      SEAM_TRY(Literal element, read_literal(cursor, shape.elements[literal.elements.size()]));
      literal.known = literal.known && element.known;
      literal.elements.push_back(std::move(element));
    }
    if (literal.elements.size() != shape.elements.size()) {
      return cursor.error_at(at, fmt::format("expected {} elements in this tuple constant, found {}",
                                             shape.elements.size(), literal.elements.size()));
    }
    return literal;
  }
  // Older dumps repeat the shape inside: constant(f32[2] {1, 2}).
  if (cursor.peek() != '(' && starts_shape(cursor)) {
    SEAM_TRY([[maybe_unused]] const Shape repeated, read_shape(cursor));
  }
  Cursor ahead = cursor;
  if (ahead.accept('{') && ahead.accept("...") && ahead.accept('}')) {
    cursor = ahead;
    literal.known = false;
    return literal;
  }
  if (bytes(shape.dtype) == 0) {
    return cursor.error(fmt::format("a constant of type {} has no value", name(shape.dtype)));
  }
  literal.value.dtype = shape.dtype;
  literal.value.dims = shape.dims;
  LiteralReader reader(cursor, shape, literal.value);
  if (auto dense = reader.read(); !dense) return tl::unexpected(std::move(dense).error());
  return literal;
}

std::string print(const Literal& literal, const Shape& shape) {
  if (shape.is_tuple) {
    std::string out = "(";
    for (std::size_t i = 0; i < literal.elements.size(); ++i) {
      if (i > 0) out += ", ";
      out += print(literal.elements[i], shape.elements[i]);
    }
    return out + ')';
  }
  if (!literal.known) return "{...}";
  std::string out;
  const std::byte* at = literal.value.data.data();
  if (is_splat(literal.value)) return print_element(shape.dtype, at);
  print_dense(out, literal.value, shape, 0, at);
  return out;
}

}  // namespace seam::graph
