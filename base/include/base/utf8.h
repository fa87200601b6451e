#pragma once
/// Text that comes from files: what of it is UTF-8, and what stands in for the rest.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace seam {

/// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none (Unicode 15, table 3-7).
[[nodiscard]] std::size_t utf8_length(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);
void append_utf8(std::string& out, std::uint32_t code_point);
/// `text` with U+FFFD in place of each byte that belongs to no character.
[[nodiscard]] std::string to_utf8(std::string_view text);

}  // namespace seam
