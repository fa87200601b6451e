/// Tables and JSON of what Inductor made of graphs.
#include <fmt/core.h>

#include <algorithm>
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

Json plan_json(const ProgramCost& cost) {
  const CostTotals t = cost.totals();
  const bool known = t.evidence != Evidence::Unknown;
  return {{"policy", cost.name}, {"kernels", t.kernels}, {"copies", t.copies}, {"library_calls", t.library_calls}, {"bytes_read", number(known, t.kernel_bytes_read)},
          {"bytes_written", number(known, t.kernel_bytes_written)}, {"copy_bytes", t.copy_bytes}, {"library_bytes", t.library_bytes},
          {"time_us", {{"eager", json_of(known, t.time_us(Launching::Eager))}, {"graph", json_of(known, t.time_us(Launching::GraphReplay))}}}, {"evidence", name(t.evidence)}, {"notes", cost.notes}};
}

/// Geometric mean of the ratios that are known.
class Mean {
 public:
  Cell add(bool known, double ours, double theirs) {
    if (!known || !(ours > 0) || !(theirs > 0)) return Unknown{};
    logs_ += std::log(ours / theirs);
    most_ = std::max(most_, ours / theirs);
    ++count_;
    return fmt::format("{:.2f}", ours / theirs);
  }
  [[nodiscard]] std::string text() const { return count_ == 0 ? "unknown" : fmt::format("{:.2f}, at most {:.2f}", std::exp(logs_ / count_), most_); }

 private:
  double logs_ = 0, most_ = 0;
  int count_ = 0;
};

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

Table triton_beside_table(std::span<const TritonReport> reports, std::span<const ProgramCost> ours, const Device& device) {
  Table out;
  out.title = fmt::format("Inductor and {}, {}", ours.empty() ? std::string("ours") : ours.front().name, device.name);
  out.columns = {{"graph", "graph"}, {"triton", "Triton", Unit::Count}, {"kernels", "ours", Unit::Count}, {"launch_ratio", "ratio"},
                 {"their_calls", "library", Unit::Count}, {"our_calls", "ours", Unit::Count},
                 {"their_bytes", "kernels move", Unit::Bytes, {}}, {"our_bytes", "ours", Unit::Bytes, {}}, {"bytes_ratio", "ratio"},
                 {"their_all", "with library", Unit::Bytes, Evidence::Modelled}, {"our_all", "ours", Unit::Bytes, Evidence::Modelled}, {"all_ratio", "ratio"},
                 {"their_us", "us, CUDA graph", Unit::Text, Evidence::Modelled}, {"our_us", "ours", Unit::Text, Evidence::Modelled}, {"us_ratio", "ratio"}};
  Mean launches, bytes, all, time;
  for (std::size_t k = 0; k < reports.size() && k < ours.size(); ++k) {
    const CostTotals& theirs = reports[k].totals;
    const CostTotals mine = ours[k].totals();
    const bool kernels = reports[k].kernels_known() && mine.evidence != Evidence::Unknown;
    const bool calls = kernels && reports[k].calls_known();
    const Band theirs_us = theirs.time_us(Launching::GraphReplay), mine_us = mine.time_us(Launching::GraphReplay);
    const std::int64_t made = mine.kernels + mine.copies;
    const double moved = mine.kernel_bytes() + mine.copy_bytes;
    out.rows.push_back({reports[k].name, theirs.kernels, made, launches.add(true, static_cast<double>(made), static_cast<double>(theirs.kernels)), theirs.library_calls, mine.library_calls,
                        known(kernels, theirs.kernel_bytes()), known(kernels, moved), bytes.add(kernels, moved, theirs.kernel_bytes()),
                        known(calls, theirs.bytes()), known(calls, mine.bytes()), all.add(calls, mine.bytes(), theirs.bytes()),
                        calls ? Cell(fmt::format("{:.4g}", theirs_us.mid)) : Cell(Unknown{}), calls ? Cell(fmt::format("{:.4g}", mine_us.mid)) : Cell(Unknown{}), time.add(calls, mine_us.mid, theirs_us.mid)});
  }
  out.notes.push_back(fmt::format("ours over theirs, geometric mean: launches {}; bytes of kernels {}; with library calls {}; time {}", launches.text(), bytes.text(), all.text(), time.text()));
  out.notes.emplace_back("ours: kernels and copies. Library calls of Inductor include the one that makes seeds for random numbers; ours takes seeds as an input. Bytes: distinct 32-byte sectors of each launch, counted "
                         "while the PTX of both ran on the simulator; of library calls operands and results once. Times: the middle of one model for both; they rank");
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

std::string triton_json(std::span<const TritonReport> reports, const Device& device, std::span<const ProgramCost> ours) {
  Json out{{"schema", "seam.graphs/1"}, {"verdict", verdict(reports)}, {"device", device.name}, {"graphs", Json::array()}};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    Json one = json_of(reports[k]);
    if (k < ours.size()) one["ours"] = plan_json(ours[k]);
    out["graphs"].push_back(std::move(one));
  }
  // Reasons quote PTX, which may hold any bytes.
  return dumped(out, 2);
}

}  // namespace seam::report
