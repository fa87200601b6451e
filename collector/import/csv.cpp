#include "import/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace seam::collector {
namespace {

constexpr int kEnd = -1;
/// Longer than any name; an unclosed quote runs to the end of the file.
constexpr std::size_t kMost = std::size_t{16} << 20;

}  // namespace

int CsvReader::peek() {
  if (at_ == buffer_.size()) {
    buffer_.resize(std::size_t{1} << 16);
    buffer_.resize(source_.read(buffer_));
    at_ = 0;
  }
  return at_ == buffer_.size() ? kEnd : static_cast<unsigned char>(buffer_[at_]);
}

bool CsvReader::next(std::vector<std::string>& fields) {
  fields.assign(1, {});
  line_ = next_line_;
  std::size_t size = 0;
  bool quoted = false;
  for (int c = peek(); c != kEnd; c = peek()) {
    ++at_;
    if (c == '\n') ++next_line_;
    if (++size > kMost) {
      cut_off_ = true;
      return false;
    }
    if (quoted) {
      if (c != '"') {
        fields.back() += static_cast<char>(c);
      } else if (peek() == '"') {
        ++at_;
        fields.back() += '"';
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      if (fields.size() > 1 || !fields[0].empty()) return true;
      line_ = next_line_;
    } else if (c != '\r') {
      fields.back() += static_cast<char>(c);
    }
  }
  cut_off_ |= quoted;
  return fields.size() > 1 || !fields[0].empty();
}

std::optional<std::int64_t> csv_whole(std::string_view field) {
  std::int64_t value = 0;
  const auto [at, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && at == field.data() + field.size() && !field.empty() ? std::optional(value) : std::nullopt;
}

std::optional<double> csv_number(std::string_view field) {
  std::string plain(field);
  std::erase(plain, ',');
  double value = 0;
  const auto [at, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  return error == std::errc() && at == plain.data() + plain.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace seam::collector
