/// Figures of an Inductor graph, from profiles of its launches and shapes of its library calls.
#include "report/triton.h"

#include <fmt/core.h>

#include <algorithm>

#include "beside/launch_cost.h"

namespace seam::report {
namespace {

TritonLaunchRow launch_row(const codegen::TritonProfile& profile, const Device& device) {
  TritonLaunchRow out;
  out.cost.name = out.cost.kernel = profile.step->name;
  out.cost.times = profile.times;
  take_profile(out.cost, profile, device);
  out.grid = profile.grid;
  out.block = profile.block;
  out.blocks = std::uint64_t{profile.grid.x} * profile.grid.y * profile.grid.z;
  out.blocks_run = profile.counters.blocks;
  out.reports = profile.reports;
  if (profile.refusal) out.refusal = describe(*profile.refusal);
  return out;
}

TritonCallRow call_row(const codegen::TritonStep& step, const Device& device) {
  TritonCallRow out;
  if (const auto work = codegen::triton_library_work(step)) {
    out.cost = library_cost(step.name, *work, device);
    out.product = work->flops > 0;
  } else {
    out.cost.name = step.name;
    out.cost.kind = LaunchKind::Library;
    out.cost.evidence = Evidence::Unknown;
  }
  return out;
}

bool same_call(const TritonCallRow& a, const TritonCallRow& b) {
  return a.cost.name == b.cost.name && a.cost.evidence == b.cost.evidence && a.cost.bytes_read == b.cost.bytes_read && a.cost.bytes_written == b.cost.bytes_written &&
         a.cost.time_us == b.cost.time_us;
}

std::vector<TritonCallRow> call_rows(const codegen::TritonGraph& graph, const Device& device) {
  std::vector<TritonCallRow> out;
  for (const codegen::TritonStep& step : graph.steps) {
    if (step.kind != codegen::TritonKind::Library) continue;
    TritonCallRow row = call_row(step, device);
    const auto found = std::ranges::find_if(out, [&](const TritonCallRow& one) { return same_call(one, row); });
    if (found == out.end()) {
      out.push_back(std::move(row));
    } else {
      ++found->cost.times;
    }
  }
  return out;
}

std::int64_t distinct_kernels(const std::vector<TritonLaunchRow>& rows) {
  std::vector<std::string> names;
  for (const TritonLaunchRow& row : rows) names.push_back(row.cost.kernel);
  std::ranges::sort(names);
  return std::ranges::unique(names).begin() - names.begin();
}

/// Where one side of the sums is less than it seems.
void add_call_notes(TritonReport& report) {
  std::int64_t unknown = 0;
  std::vector<std::string> by_bytes;
  for (const TritonCallRow& row : report.calls) {
    if (row.cost.evidence == Evidence::Unknown) unknown += row.cost.times;
    if (row.cost.bytes_read > 0 && !row.product && std::ranges::find(by_bytes, row.cost.name) == by_bytes.end()) by_bytes.push_back(row.cost.name);
  }
  if (unknown > 0) report.notes.push_back(fmt::format("{} library call{} without shapes: bytes and time unknown", unknown, unknown == 1 ? "" : "s"));
  for (const std::string& name : by_bytes) report.notes.push_back(fmt::format("the time of {} counts its bytes alone, not what it computes", name));
}

}  // namespace

bool TritonReport::kernels_known() const {
  return std::ranges::none_of(launches, [](const TritonLaunchRow& row) { return row.cost.evidence == Evidence::Unknown; });
}

bool TritonReport::calls_known() const {
  return std::ranges::none_of(calls, [](const TritonCallRow& row) { return row.cost.evidence == Evidence::Unknown; });
}

bool TritonReport::clean() const {
  return std::ranges::all_of(launches, [](const TritonLaunchRow& row) { return row.reports.empty(); });
}

TritonReport triton_report(const codegen::TritonGraph& graph, const std::vector<codegen::TritonProfile>& profiles, const Device& device) {
  TritonReport out;
  out.name = graph.name;
  ProgramCost program;
  for (const codegen::TritonProfile& profile : profiles) program.launches.push_back(out.launches.emplace_back(launch_row(profile, device)).cost);
  out.calls = call_rows(graph, device);
  for (const TritonCallRow& row : out.calls) program.launches.push_back(row.cost);
  add_notes(program);
  out.kernels = distinct_kernels(out.launches);
  out.totals = program.totals();
  out.notes = std::move(program.notes);
  add_call_notes(out);
  return out;
}

}  // namespace seam::report
