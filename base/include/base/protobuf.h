#pragma once
/// Fields of a protobuf message, one after the other, without a schema (protobuf.dev, "Encoding"). Nothing is copied.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace seam {

/// One field: what it holds depends on how it is written.
struct ProtoField {
  std::uint32_t number = 0;
  std::uint32_t wire = 0;       ///< 0 varint, 1 eight bytes, 2 bytes with their length in front, 5 four bytes
  std::uint64_t integer = 0;    ///< wire types 0, 1 and 5
  std::string_view bytes;       ///< wire type 2: text, a message, packed numbers
  [[nodiscard]] double real() const { return std::bit_cast<double>(integer); }
};

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  /// The next field; false at the end, or where the bytes are no message (failed()).
  [[nodiscard]] bool next(ProtoField& field) {
    if (rest_.empty() || failed_) return false;
    std::uint64_t key = 0;
    if (!varint(key) || key >> 3 == 0 || key >> 3 > UINT32_MAX) return fail();
    field = {static_cast<std::uint32_t>(key >> 3), static_cast<std::uint32_t>(key & 7), 0, {}};
    switch (field.wire) {
      case 0: return varint(field.integer) || fail();
      case 1: return fixed(8, field.integer) || fail();
      case 5: return fixed(4, field.integer) || fail();
      case 2: {
        std::uint64_t length = 0;
        if (!varint(length) || length > rest_.size()) return fail();
        field.bytes = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return true;
      }
      default: return fail();  // groups are long gone
    }
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  bool varint(std::uint64_t& into) {
    into = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      into |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return true;
    }
    return false;
  }
  bool fixed(std::size_t size, std::uint64_t& into) {
    if (rest_.size() < size) return false;
    into = 0;
    std::memcpy(&into, rest_.data(), size);  // little-endian, as every machine this runs on
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace seam
