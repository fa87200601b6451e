/// Tables and JSON of what Inductor made of graphs.
#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/triton.h"

namespace seam::report {
namespace {

using analyzer::Band;
using analyzer::Launching;
using Json = nlohmann::ordered_json;

Cell known(bool is, double value) { return is ? Cell(value) : Cell(Unknown{}); }

/// Of a sample a count may be a fraction.
Cell count(bool is, double value) { return is ? Cell(static_cast<std::int64_t>(std::llround(value))) : Cell(Unknown{}); }

Cell band_cell(bool is, const Band& band) { return is ? Cell(fmt::format("{:.4g} / {:.4g} / {:.4g}", band.low, band.mid, band.high)) : Cell(Unknown{}); }

std::string sizes(const sim::Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

bool ran(const LaunchCost& cost) { return cost.evidence != Evidence::Unknown; }

std::vector<Cell> launch_cells(const LaunchCost& cost, Cell grid, Cell block, bool kernel) {
  const auto times = static_cast<double>(cost.times);
  const auto counted = [&](double each) { return kernel ? count(ran(cost), each * times) : Cell(Blank{}); };
  return {cost.name, cost.times, std::move(grid), std::move(block), known(ran(cost), cost.bytes_read * times), known(ran(cost), cost.bytes_written * times), counted(cost.instructions),
          counted(cost.barriers), band_cell(ran(cost), cost.time_us.times(times)), std::string(name(cost.evidence))};
}

Json number(bool is, double value) { return is ? Json(value) : Json(); }

Json json_of(bool is, const Band& band) { return is ? Json{{"low", band.low}, {"mid", band.mid}, {"high", band.high}} : Json(); }

Json json_of(const sim::Dim3& d) { return {d.x, d.y, d.z}; }

Json json_of(const TritonLaunchRow& row) {
  const LaunchCost& cost = row.cost;
  const bool is = ran(cost);
  return {{"kernel", cost.kernel}, {"launches", cost.times}, {"grid", json_of(row.grid)}, {"block", json_of(row.block)}, {"blocks", row.blocks}, {"blocks_run", row.blocks_run},
          {"bytes_read", number(is, cost.bytes_read)}, {"bytes_written", number(is, cost.bytes_written)}, {"instructions", number(is, cost.instructions)},
          {"barriers", number(is, cost.barriers)}, {"time_us", json_of(is, cost.time_us)}, {"evidence", name(cost.evidence)}, {"reports", row.reports},
          {"refusal", row.refusal.empty() ? Json() : Json(row.refusal)}};
}

Json json_of(const TritonCallRow& row) {
  const LaunchCost& cost = row.cost;
  const bool is = ran(cost);
  return {{"name", cost.name}, {"calls", cost.times}, {"bytes_read", number(is, cost.bytes_read)}, {"bytes_written", number(is, cost.bytes_written)},
          {"time_us", json_of(is, cost.time_us)}, {"evidence", name(cost.evidence)}};
}

Json totals_json(const TritonReport& report) {
  const CostTotals& t = report.totals;
  const bool kernels = report.kernels_known();
  const bool all = kernels && report.calls_known();
  return {{"launches", t.kernels}, {"library_calls", t.library_calls}, {"kernels", report.kernels},
          {"bytes_read", number(kernels, t.kernel_bytes_read)}, {"bytes_written", number(kernels, t.kernel_bytes_written)},
          {"library_bytes", number(report.calls_known(), t.library_bytes)}, {"instructions", number(kernels, t.instructions)}, {"barriers", number(kernels, t.barriers)},
          {"time_us", {{"eager", json_of(all, t.time_us(Launching::Eager))}, {"graph", json_of(all, t.time_us(Launching::GraphReplay))}}},
          {"evidence", name(t.evidence)}};
}

Json json_of(const TritonReport& report) {
  Json out{{"name", report.name}, {"totals", totals_json(report)}, {"launches", Json::array()}, {"library_calls", Json::array()}, {"notes", report.notes}};
  for (const TritonLaunchRow& row : report.launches) out["launches"].push_back(json_of(row));
  for (const TritonCallRow& row : report.calls) out["library_calls"].push_back(json_of(row));
  return out;
}

std::string_view verdict(std::span<const TritonReport> reports) {
  bool whole = true;
  for (const TritonReport& one : reports) {
    if (!one.clean()) return "failed";
    whole &= one.kernels_known();
  }
  return whole ? "passed" : "inconclusive";
}

}  // namespace

Table triton_table(std::span<const TritonReport> reports, const Device& device) {
  Table out;
  out.title = fmt::format("Inductor graphs, {}", device.name);
  out.columns = {{"graph", "graph"}, {"launches", "launches", Unit::Count}, {"library_calls", "library calls", Unit::Count}, {"kernels", "kernels", Unit::Count},
                 {"bytes_read", "DRAM read", Unit::Bytes, {}}, {"bytes_written", "DRAM written", Unit::Bytes, {}},
                 {"library_bytes", "library bytes", Unit::Bytes, Evidence::Modelled}, {"instructions", "thread instructions", Unit::Count}, {"barriers", "barriers", Unit::Count},
                 {"eager_us", "us, eager", Unit::Text, Evidence::Modelled}, {"graph_us", "us, CUDA graph", Unit::Text, Evidence::Modelled}, {"evidence", "of kernels"}};
  for (const TritonReport& one : reports) {
    const CostTotals& t = one.totals;
    const bool kernels = one.kernels_known();
    const bool all = kernels && one.calls_known();
    out.rows.push_back({one.name, t.kernels, t.library_calls, one.kernels, known(kernels, t.kernel_bytes_read), known(kernels, t.kernel_bytes_written),
                        known(one.calls_known(), t.library_bytes), count(kernels, t.instructions), count(kernels, t.barriers), band_cell(all, t.time_us(Launching::Eager)),
                        band_cell(all, t.time_us(Launching::GraphReplay)), std::string(name(t.evidence))});
    for (const std::string& note : one.notes) out.notes.push_back(fmt::format("{}: {}", one.name, note));
  }
  out.notes.emplace_back("DRAM: distinct 32-byte sectors of each launch, a cache without limit inside it; library calls: operands and results once; times low / mid / high, library calls included");
  return out;
}

Table triton_launches_table(const TritonReport& report) {
  Table out;
  out.title = fmt::format("{}: launches and library calls, each line as often as it happens", report.name);
  out.columns = {{"name", "kernel or call"}, {"launches", "launches", Unit::Count}, {"grid", "grid"}, {"block", "block"}, {"bytes_read", "read", Unit::Bytes, {}},
                 {"bytes_written", "written", Unit::Bytes, {}}, {"instructions", "instructions", Unit::Count}, {"barriers", "barriers", Unit::Count},
                 {"time_us", "us, without gaps", Unit::Text, Evidence::Modelled}, {"evidence", "evidence"}};
  for (const TritonLaunchRow& row : report.launches) {
    out.rows.push_back(launch_cells(row.cost, sizes(row.grid), sizes(row.block), true));
    for (const std::string& one : row.reports) out.notes.push_back(one);
    if (!row.refusal.empty()) out.notes.push_back(fmt::format("{} did not run: {}", row.cost.name, row.refusal));
  }
  for (const TritonCallRow& row : report.calls) out.rows.push_back(launch_cells(row.cost, Blank{}, Blank{}, false));
  return out;
}

std::string triton_json(std::span<const TritonReport> reports, const Device& device) {
  Json out{{"schema", "seam.graphs/1"}, {"verdict", verdict(reports)}, {"device", device.name}, {"graphs", Json::array()}};
  for (const TritonReport& one : reports) out["graphs"].push_back(json_of(one));
  // Reasons quote PTX, which may hold any bytes.
  return dumped(out, 2);
}

}  // namespace seam::report
