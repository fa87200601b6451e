#pragma once
/// Members of a JSON object, taken out of it and converted: what is left at the end is what nobody asked for.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace seam::collector {

/// Null if it is not there.
inline nlohmann::json take(nlohmann::json& from, const char* key) {
  if (!from.is_object()) return {};
  const auto at = from.find(key);
  if (at == from.end()) return {};
  nlohmann::json value = std::move(*at);
  from.erase(at);
  return value;
}

/// An integer, or one in quotes; nothing for anything else, or beyond 64 bits.
inline std::optional<std::int64_t> whole(const nlohmann::json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  std::int64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && at == text.data() + text.size() && !text.empty() ? std::optional(number) : std::nullopt;
}
inline std::optional<std::int64_t> take_whole(nlohmann::json& from, const char* key) { return whole(take(from, key)); }

inline std::string take_text(nlohmann::json& from, const char* key) {
  const nlohmann::json value = take(from, key);
  return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Microseconds as nanoseconds; nothing for what is no time of this age.
inline std::optional<std::int64_t> take_microseconds(nlohmann::json& from, const char* key) {
  constexpr std::int64_t kMost = std::int64_t{4'000'000'000'000'000};  // the year 2096; a sum of two stays within 64 bits
  const nlohmann::json value = take(from, key);
  if (value.is_number_float()) {
    const double us = value.get<double>();
    return std::abs(us) < static_cast<double>(kMost) ? std::optional<std::int64_t>(std::llround(us * 1000)) : std::nullopt;
  }
  const std::optional<std::int64_t> us = whole(value);
  return us && *us > -kMost && *us < kMost ? std::optional(*us * 1000) : std::nullopt;
}

/// For values that stand for "none".
inline std::optional<std::int64_t> unless(std::optional<std::int64_t> value, std::int64_t none) { return value == none ? std::nullopt : value; }

}  // namespace seam::collector
