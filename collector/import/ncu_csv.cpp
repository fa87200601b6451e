#include "import/ncu_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/utf8.h"
#include "import/csv.h"

namespace seam::collector {
namespace {

constexpr std::array<std::string_view, 12> kOfLaunch = {"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"};

using Fields = std::vector<std::string>;

bool names_columns(const Fields& fields) {
  return std::ranges::find(fields, "ID") != fields.end() && std::ranges::find(fields, "Kernel Name") != fields.end();
}

std::optional<std::size_t> place_of(const Fields& header, std::string_view column) {
  const auto at = std::ranges::find(header, column);
  return at == header.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - header.begin()));
}

/// "(32, 1, 1)", or "32, 1, 1".
std::optional<db::Grid> grid_of(std::string_view text) {
  std::array<std::int64_t, 3> values{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    if (count == 3) return std::nullopt;
    std::int64_t value = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && value < (std::int64_t{1} << 40); ++i) value = value * 10 + (text[i] - '0');
    values[count++] = value;
  }
  return count == 3 ? std::optional(db::Grid{values[0], values[1], values[2]}) : std::nullopt;
}

NcuLaunch launch_of(const Fields& header, const Fields& fields) {
  const auto text = [&](std::string_view column) {
    const auto at = place_of(header, column);
    return at ? to_utf8(fields[*at]) : std::string();
  };
  NcuLaunch out;
  out.id = text("ID");
  out.kernel = text("Kernel Name");
  out.process = text("Process ID");
  out.context = csv_whole(text("Context"));
  out.stream = csv_whole(text("Stream"));
  out.device = csv_whole(text("Device"));
  out.compute_capability = text("CC");
  out.grid = grid_of(text("Grid Size"));
  out.block = grid_of(text("Block Size"));
  return out;
}

NcuValue value_of(std::string counter, std::string unit, const std::string& field) {
  NcuValue out{to_utf8(counter), to_utf8(unit), {}, csv_number(field)};
  if (!out.value) out.text = to_utf8(field);
  return out;
}

/// One row per launch, one column per counter; units in the row below the names.
void read_raw(const Fields& header, CsvReader& reader, NcuTable& into) {
  Fields units(header.size()), fields;
  bool first = true;
  while (reader.next(fields)) {
    const bool below_names = std::exchange(first, false);
    if (fields.size() != header.size()) {
      ++into.broken_rows;
      continue;
    }
    if (below_names && fields[*place_of(header, "ID")].empty()) {
      units = fields;
      continue;
    }
    NcuLaunch& launch = into.launches.emplace_back(launch_of(header, fields));
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (fields[c].empty() || std::ranges::find(kOfLaunch, header[c]) != kOfLaunch.end()) continue;
      launch.values.push_back(value_of(header[c], units[c], fields[c]));
    }
  }
}

/// One row per launch and metric; rows of rules say what to do and have no value.
void read_details(const Fields& header, CsvReader& reader, NcuTable& into) {
  const std::optional<std::size_t> id = place_of(header, "ID"), section = place_of(header, "Section Name"), metric = place_of(header, "Metric Name"), unit = place_of(header, "Metric Unit"),
                                   value = place_of(header, "Metric Value"), process = place_of(header, "Process ID");
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  Fields fields;
  while (reader.next(fields)) {
    if (fields.size() != header.size()) {
      ++into.broken_rows;
      continue;
    }
    const auto [at, fresh] = places.try_emplace({process ? fields[*process] : std::string(), fields[*id]}, into.launches.size());
    if (fresh) into.launches.push_back(launch_of(header, fields));
    if (fields[*metric].empty()) {
      ++into.advice_rows;
      continue;
    }
    // The same name stands in several sections ("Duration"): with the section it is one counter.
    std::string counter = section && !fields[*section].empty() ? fields[*section] + "/" + fields[*metric] : fields[*metric];
    into.launches[at->second].values.push_back(value_of(std::move(counter), unit ? fields[*unit] : std::string(), fields[*value]));
  }
}

}  // namespace

bool is_ncu_table(std::string_view head) {
  ByteSource source = ByteSource::of(std::string(head.substr(0, std::size_t{1} << 14)));
  CsvReader reader(source);
  Fields fields;
  for (int lines = 0; lines < 64 && reader.next(fields); ++lines) {
    if (fields[0].starts_with("\xef\xbb\xbf")) fields[0].erase(0, 3);
    if (names_columns(fields)) return true;
    if (!fields[0].starts_with("==")) return false;
  }
  return false;
}

Result<NcuTable> read_ncu_table(ByteSource& source) {
  CsvReader reader(source);
  NcuTable out;
  Fields header;
  bool found = false;
  while (!found && reader.next(header)) {
    if (header[0].starts_with("\xef\xbb\xbf")) header[0].erase(0, 3);
    found = names_columns(header);
  }
  if (!found) return fail(Error::Code::BadInput, "there is no table of Nsight Compute in it (ncu --csv --page raw, or details)");
  if (place_of(header, "Metric Name") && place_of(header, "Metric Value")) {
    out.page = "details";
    read_details(header, reader, out);
  } else {
    out.page = "raw";
    read_raw(header, reader, out);
  }
  if (reader.cut_off()) out.cut_off = "a quote is never closed";
  if (source.damage()) out.cut_off = *source.damage();
  return out;
}

std::optional<double> ncu_plain_value(const NcuValue& value) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1}, {"byte", 1}, {"Kbyte", 1e3}, {"Mbyte", 1e6}, {"Gbyte", 1e9}, {"Tbyte", 1e12}, {"nsecond", 1}, {"usecond", 1e3}, {"msecond", 1e6},
                                                                   {"second", 1e9}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"register/thread", 1}, {"byte/block", 1}, {"Kbyte/block", 1e3}};
  for (const auto& [unit, factor] : kUnits)
    if (value.value && value.unit == unit) return *value.value * factor;
  return std::nullopt;
}

}  // namespace seam::collector
