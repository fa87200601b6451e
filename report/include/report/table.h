#pragma once
/// The one table model. A report is values first: columns with units and evidence, rows of cells; text, Markdown, JSON and HTML are
/// renderings of it (report/render.h), so the terminal, a CI summary and the page never disagree.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/evidence.h"

namespace seam::report {

/// Millions: a count that people read in millions, "1,451.3"; the cell holds the count itself.
enum class Unit : std::uint8_t { Text, Count, Bytes, Seconds, Microseconds, Percent, Ratio, Millions };

/// Unknown is a value of its own: printed as "unknown", null in JSON, never 0.
struct Unknown {
  friend bool operator==(const Unknown&, const Unknown&) = default;
};
/// The column does not apply to the row: printed as nothing, null in JSON.
struct Blank {
  friend bool operator==(const Blank&, const Blank&) = default;
};
using Cell = std::variant<Unknown, Blank, std::string, std::int64_t, double>;

struct Column {
  std::string key;    ///< in JSON: "bytes_read"
  std::string title;  ///< for people: "read"
  Unit unit = Unit::Text;
  std::optional<Evidence> evidence = std::nullopt;  ///< where its figures come from
  friend bool operator==(const Column&, const Column&) = default;
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  ///< what a reader must know to read it right: baseline, scope, what was sampled
  friend bool operator==(const Table&, const Table&) = default;
};

/// What a person reads in that cell: "1,234", "14.0 GB", "12.3 %", "unknown". Exact numbers are in JSON.
[[nodiscard]] std::string shown(const Cell& cell, Unit unit);

}  // namespace seam::report
