#include "simulate_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/render.h"

namespace seam::cli {
namespace {

/// Counters in the order they are shown.
std::vector<std::pair<const char*, std::uint64_t>> counter_list(const sim::Counters& c) {
  return {{"blocks", c.blocks},
          {"warp_instructions", c.warp_instructions},
          {"instructions", c.instructions},
          {"bytes_read", c.bytes_read},
          {"bytes_written", c.bytes_written},
          {"distinct_bytes_read", c.distinct_bytes_read},
          {"distinct_bytes_written", c.distinct_bytes_written},
          {"sectors_read", c.sectors_read},
          {"sectors_written", c.sectors_written},
          {"footprint_read", c.footprint_read},
          {"footprint_written", c.footprint_written},
          {"global_requests", c.global_requests},
          {"global_wavefronts", c.global_wavefronts},
          {"shared_requests", c.shared_requests},
          {"shared_wavefronts", c.shared_wavefronts},
          {"shared_conflicts", c.shared_conflicts},
          {"barriers", c.barriers},
          {"atomics", c.atomics}};
}

/// The source line where the PTX has one, else the line of the PTX.
nlohmann::ordered_json json_of(const sim::Report& report, const std::string& file) {
  nlohmann::ordered_json row{{"kind", report.kind}, {"message", report.message}, {"line", report.line > 0 ? report.line : report.ptx_line}};
  row["file"] = report.line > 0 ? report.file : file;
  row["ptx_line"] = report.ptx_line;
  row["count"] = report.count;
  return row;
}

nlohmann::ordered_json json_of(const sim::Dim3& sizes) { return {sizes.x, sizes.y, sizes.z}; }

void print_report(const sim::Report& report, const std::string& file, const char* before) {
  const std::string place = report.line > 0 ? fmt::format("{}:{} ({}:{})", report.file, report.line, file, report.ptx_line) : fmt::format("{}:{}", file, report.ptx_line);
  fmt::print("{}: {}{}: {}{}\n", place, before, report.kind, report.message, report.count > 1 ? fmt::format(" ({} times)", report.count) : "");
}

/// Why an access beyond dynamic shared memory may only be a forgotten option.
bool forgot_shared(const Simulated& all) { return all.kernel.dynamic_shared && all.launch.dynamic_shared == 0; }

report::Table profile_table(const sim::Profile& profile) {
  report::Table table;
  table.title = "instructions by class (evidence: simulated)";
  table.columns = {{"class", "class", report::Unit::Text, {}}, {"warp", "of warps", report::Unit::Count, {}}, {"thread", "of threads", report::Unit::Count, {}}};
  for (std::size_t k = 0; k < sim::kInstructionClasses; ++k) {
    if (profile.warp_instructions[k] == 0) continue;
    table.rows.push_back({std::string(sim::name(static_cast<sim::InstructionClass>(k))), static_cast<std::int64_t>(profile.warp_instructions[k]),
                          static_cast<std::int64_t>(profile.instructions[k])});
  }
  return table;
}

}  // namespace

Occupancy occupancy(const Device& device, const sim::KernelInfo& kernel, const sim::Launch& launch) {
  Occupancy out;
  out.device = std::string(device.name);
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  out.blocks_per_sm = blocks_per_sm(device, static_cast<int>(threads), 1, kernel.static_shared + launch.dynamic_shared);
  out.blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  if (out.blocks_per_sm == 0) return out;
  const double resident = static_cast<double>(threads) * out.blocks_per_sm;
  out.occupancy = resident / device.threads_per_sm;
  out.waves = static_cast<double>(out.blocks) / (static_cast<double>(out.blocks_per_sm) * device.sms);
  return out;
}

void print_json(const Simulated& all) {
  const sim::Outcome& outcome = all.outcome;
  nlohmann::ordered_json json{{"schema", "seam.simulate/1"}, {"verdict", outcome.clean() ? "passed" : "failed"}};
  json["file"] = all.file;
  json["kernel"] = all.kernel.name;
  json["grid"] = json_of(all.launch.grid);
  json["block"] = json_of(all.launch.block);
  json["seed"] = all.checks.seed;
  json["ulp"] = all.checks.ulp == sim::kDocumentedUlp ? nlohmann::ordered_json("isa") : nlohmann::ordered_json(all.checks.ulp);
  json["reports"] = nlohmann::ordered_json::array();
  for (const sim::Report& report : outcome.reports) json["reports"].push_back(json_of(report, all.file));
  json["dropped_reports"] = outcome.dropped_reports;
  json["notes"] = nlohmann::ordered_json::array();
  for (const sim::Report& note : outcome.notes) json["notes"].push_back(json_of(note, all.file));
  json["evidence"] = "simulated";
  for (const auto& [name, value] : counter_list(outcome.counters)) json["counters"][name] = value;
  json["profile"] = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < sim::kInstructionClasses; ++k) {
    if (outcome.profile.warp_instructions[k] == 0) continue;
    json["profile"].push_back({{"class", sim::name(static_cast<sim::InstructionClass>(k))},
                               {"warp_instructions", outcome.profile.warp_instructions[k]},
                               {"instructions", outcome.profile.instructions[k]}});
  }
  if (all.occupancy) {
    json["occupancy"] = {{"device", all.occupancy->device}, {"blocks_per_sm", all.occupancy->blocks_per_sm}, {"occupancy", all.occupancy->occupancy},
                         {"waves", all.occupancy->waves}, {"registers", nullptr}, {"evidence", "modelled"}};
  }
  json["buffers"] = nlohmann::ordered_json::array();
  for (const Changed& one : all.buffers) {
    nlohmann::ordered_json row{{"arg", one.argument}, {"parameter", one.name}, {"distinct_bytes_read", one.bytes_read},
                               {"distinct_bytes_written", one.bytes_written}, {"unwritten_bytes", one.unwritten}};
    if (!one.file.empty()) row["file"] = one.file;
    json["buffers"].push_back(std::move(row));
  }
  fmt::print("{}\n", dumped(json, 2));
}

void print_text(const Simulated& all, const Common& common) {
  const sim::Outcome& outcome = all.outcome;
  const auto render = [&](const report::Table& table) {
    fmt::print("{}\n", common.format == Format::Markdown ? report::to_markdown(table) : report::to_text(table));
  };
  fmt::print("{}: {} ({} warp instructions run; its code holds {} instructions and {} bytes of static shared memory)\n\n", all.kernel.name,
             outcome.clean() ? "passed: ran to the end, nothing to report" : "failed", outcome.counters.warp_instructions, all.kernel.static_instructions,
             all.kernel.static_shared);
  for (const sim::Report& report : outcome.reports) print_report(report, all.file, "");
  if (outcome.dropped_reports > 0) fmt::print("{} further reports were counted, not kept\n", outcome.dropped_reports);
  if (!outcome.clean() && forgot_shared(all)) fmt::print("hint: {} uses dynamic shared memory; --shared says how many bytes\n", all.kernel.name);
  if (!outcome.clean()) fmt::print("\n");
  if (common.quiet) return;
  for (const sim::Report& note : outcome.notes) print_report(note, all.file, "note: ");
  if (!outcome.notes.empty()) fmt::print("\n");
  report::Table counters;
  counters.title = "counted while it ran (evidence: simulated)";
  counters.columns = {{"counter", "counter", report::Unit::Text, {}}, {"count", "count", report::Unit::Count, {}}};
  for (const auto& [name, value] : counter_list(outcome.counters)) counters.rows.push_back({name, static_cast<std::int64_t>(value)});
  render(counters);
  render(profile_table(outcome.profile));
  if (all.occupancy && all.occupancy->blocks_per_sm == 0) {
    fmt::print("{}: such a block does not fit on an SM\n\n", all.occupancy->device);
  } else if (all.occupancy) {
    fmt::print("{}: at most {} blocks on an SM, occupancy {:.0f} %, {} blocks in {:.2f} waves (modelled; registers unknown without the assembler: real ones may be fewer)\n\n",
               all.occupancy->device, all.occupancy->blocks_per_sm, 100 * all.occupancy->occupancy, all.occupancy->blocks, all.occupancy->waves);
  }
  report::Table table;
  table.title = "buffers";
  table.columns = {{"arg", "arg", report::Unit::Count, {}}, {"parameter", "parameter", report::Unit::Text, {}},
                   {"read", "distinct bytes read", report::Unit::Bytes, {}}, {"written", "distinct bytes written", report::Unit::Bytes, {}},
                   {"unwritten", "never written", report::Unit::Bytes, {}}, {"file", "file", report::Unit::Text, {}}};
  for (const Changed& one : all.buffers) {
    table.rows.push_back({static_cast<std::int64_t>(one.argument), one.name, static_cast<std::int64_t>(one.bytes_read),
                          static_cast<std::int64_t>(one.bytes_written), one.unwritten, one.file.empty() ? "-" : one.file});
  }
  render(table);
  for (const Changed& one : all.buffers) {
    if (one.output && one.unwritten > 0) fmt::print("note: {} bytes of output arg {} were never written\n", one.unwritten, one.argument);
  }
}

}  // namespace seam::cli
