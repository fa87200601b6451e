#pragma once
/// Records of comma-separated text (RFC 4180): fields in quotes may hold commas, line ends and doubled quotes.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"

namespace seam::collector {

class CsvReader {
 public:
  explicit CsvReader(ByteSource& source) : source_(source) {}

  /// The next record that is not empty; false at the end.
  [[nodiscard]] bool next(std::vector<std::string>& fields);
  /// Of the record that next() gave last, counted from 1.
  [[nodiscard]] std::int64_t line() const { return line_; }
  /// The text ended within quotes.
  [[nodiscard]] bool cut_off() const { return cut_off_; }

 private:
  [[nodiscard]] int peek();

  ByteSource& source_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::int64_t line_ = 0, next_line_ = 1;
  bool cut_off_ = false;
};

/// Whole numbers of a field; nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> csv_whole(std::string_view field);
/// Numbers of a field, thousands separators allowed ("1,048,576.5"); nothing for anything else.
[[nodiscard]] std::optional<double> csv_number(std::string_view field);

}  // namespace seam::collector
