#include "base/npy.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/files.h"

namespace seam {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::int64_t> dims;
};

/// The header is a Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
std::optional<Header> parse_header(std::string_view text) {
  const auto value_of = [&](std::string_view key) -> std::optional<std::string_view> {
    const auto at = text.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    auto begin = text.find(':', at + key.size());
    if (begin == std::string_view::npos) return std::nullopt;
    begin = text.find_first_not_of(' ', begin + 1);
    if (begin == std::string_view::npos) return std::nullopt;
    return text.substr(begin);
  };
  Header header;
  const auto descr = value_of("'descr'");
  const auto order = value_of("'fortran_order'");
  const auto shape = value_of("'shape'");
  if (!descr || !order || !shape || descr->empty() || descr->front() != '\'' || shape->front() != '(') return std::nullopt;
  const auto close = descr->find('\'', 1);
  if (close == std::string_view::npos) return std::nullopt;
  header.descr = descr->substr(1, close - 1);
  header.fortran = order->starts_with("True");
  if (!header.fortran && !order->starts_with("False")) return std::nullopt;
  std::int64_t number = -1;
  for (const char c : shape->substr(1)) {
    if (c >= '0' && c <= '9') {
      if (number > (std::int64_t{1} << 50)) return std::nullopt;
      number = std::max<std::int64_t>(number, 0) * 10 + (c - '0');
    } else if (c == ',' || c == ')') {
      if (number >= 0) header.dims.push_back(number);
      number = -1;
      if (c == ')') return header;
    } else if (c != ' ' && c != 'L') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<DType> dtype_of(std::string_view kind) {
  if (kind == "b1") return DType::Pred;
  if (kind == "f2") return DType::F16;
  if (kind == "f4") return DType::F32;
  if (kind == "f8") return DType::F64;
  if (kind == "i1") return DType::S8;
  if (kind == "i2") return DType::S16;
  if (kind == "i4") return DType::S32;
  if (kind == "i8") return DType::S64;
  if (kind == "u1") return DType::U8;
  if (kind == "u2") return DType::U16;
  if (kind == "u4") return DType::U32;
  if (kind == "u8") return DType::U64;
  if (kind == "c8") return DType::C64;
  if (kind == "c16") return DType::C128;
  if (kind == "V2") return DType::BF16;  // ml_dtypes' bfloat16 is saved as raw two-byte records
  return std::nullopt;
}

std::string descr_of(DType dtype) {
  if (dtype == DType::Pred) return "|b1";
  const int width = bytes(dtype);
  char kind = 'u';
  if (is_signed(dtype)) kind = 'i';
  if (dtype == DType::F16 || dtype == DType::F32 || dtype == DType::F64) kind = 'f';
  if (is_complex(dtype)) kind = 'c';
  return fmt::format("{}{}{}", width == 1 ? '|' : '<', kind, width);
}

void swap_bytes(std::vector<std::byte>& data, std::size_t width) {
  for (std::size_t i = 0; i + width <= data.size(); i += width) {
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i), data.begin() + static_cast<std::ptrdiff_t>(i + width));
  }
}

/// Column-major bytes → row-major.
std::vector<std::byte> row_major(const std::vector<std::byte>& data, const std::vector<std::int64_t>& dims, std::size_t width) {
  std::vector<std::byte> out(data.size());
  std::vector<std::int64_t> index(dims.size(), 0);
  const std::size_t count = data.size() / width;
  for (std::size_t to = 0; to < count; ++to) {
    std::int64_t from = 0;
    for (std::size_t d = dims.size(); d-- > 0;) from = from * dims[d] + index[d];
    std::memcpy(&out[to * width], &data[static_cast<std::size_t>(from) * width], width);
    for (std::size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

std::int64_t Array::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

Array make_array(DType dtype, std::vector<std::int64_t> dims) {
  Array array{dtype, std::move(dims), {}};
  array.data.resize(static_cast<std::size_t>(array.elements() * bytes(dtype)));
  return array;
}

Result<Array> parse_npy(std::string_view content, std::string_view file) {
  const auto bad = [&](std::string_view why) {
    return fail(Error::Code::BadInput, fmt::format("{}: not a readable .npy file: {}", file, why));
  };
  if (!content.starts_with(kMagic) || content.size() < 10) return bad("no NumPy magic");
  const int major = content[6];
  std::size_t header_bytes = 0;
  std::size_t begin = 10;
  const auto byte_at = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(content[i])); };
  if (major == 1) {
    header_bytes = byte_at(8) | byte_at(9) << 8;
  } else if ((major == 2 || major == 3) && content.size() >= 12) {
    header_bytes = byte_at(8) | byte_at(9) << 8 | byte_at(10) << 16 | byte_at(11) << 24;
    begin = 12;
  } else {
    return bad(fmt::format("format version {} is unknown", major));
  }
  if (content.size() - begin < header_bytes) return bad("the header is cut off");
  const auto header = parse_header(content.substr(begin, header_bytes));
  if (!header || header->descr.size() < 2) return bad("the header is damaged");
  const char order = header->descr[0];
  const auto dtype = dtype_of(std::string_view(header->descr).substr(1));
  if (!dtype) return bad(fmt::format("element type '{}' is not supported", header->descr));
  std::int64_t count = 1;
  for (const std::int64_t dim : header->dims) {
    if (dim != 0 && count > kMostBytes / dim) return bad("the shape is too large");
    count *= dim;
  }
  const std::size_t want = static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes(*dtype));
  const std::size_t have = content.size() - begin - header_bytes;
  if (have < want) return bad(fmt::format("{} bytes of data, the shape needs {}", have, want));
  Array array{*dtype, header->dims, std::vector<std::byte>(want)};
  if (want > 0) std::memcpy(array.data.data(), content.data() + begin + header_bytes, want);
  const auto width = static_cast<std::size_t>(bytes(*dtype));
  if (order == '>' && width > 1) swap_bytes(array.data, is_complex(*dtype) ? width / 2 : width);
  if (header->fortran && array.dims.size() > 1) array.data = row_major(array.data, array.dims, width);
  return array;
}

Result<Array> read_npy(const std::filesystem::path& file) {
  SEAM_TRY(const std::string content, read_file(file));
  return parse_npy(content, file.string());
}

Result<void> write_npy(const std::filesystem::path& file, const Array& array) {
  SEAM_CHECK(array.data.size() == static_cast<std::size_t>(array.elements() * bytes(array.dtype)), "array data does not fit its shape");
  std::string shape = fmt::format("{}", fmt::join(array.dims, ", "));
  if (array.dims.size() == 1) shape += ",";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(array.dtype), shape);
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  if (!array.data.empty()) out.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return write_file(file, out);
}

Result<Array> reinterpreted(Array array, DType dtype) {
  if (array.dtype != dtype && bytes(array.dtype) != bytes(dtype)) {
    return fail(Error::Code::BadInput, fmt::format("elements are {}, {} is wanted", name(array.dtype), name(dtype)));
  }
  array.dtype = dtype;
  return array;
}

}  // namespace seam
