#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/render.h"

namespace seam::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view text_of(Unit unit) {
  constexpr std::string_view kNames[] = {"text", "count", "bytes", "seconds", "microseconds", "percent", "ratio", "count"};
  return kNames[static_cast<std::size_t>(unit)];
}

Json json_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  return nullptr;
}

}  // namespace

std::string to_json(const Table& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    Json json = {{"key", column.key}, {"title", column.title}, {"unit", text_of(column.unit)}};
    if (column.evidence) json["evidence"] = name(*column.evidence);
    columns.push_back(std::move(json));
  }
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json json = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) json[table.columns[c].key] = c < row.size() ? json_of(row[c]) : Json();
    rows.push_back(std::move(json));
  }
  const Json out = {{"title", table.title}, {"columns", std::move(columns)}, {"rows", std::move(rows)}, {"notes", table.notes}};
  return dumped(out);
}

}  // namespace seam::report
