#include "beside/launch_cost.h"

#include <fmt/core.h>

#include <algorithm>

#include "codegen/meter.h"
#include "table/names.h"

namespace seam::report {
namespace {

constexpr double kSector = 32;

Evidence weaker(Evidence a, Evidence b) { return std::max(a, b); }

}  // namespace

void take_profile(LaunchCost& launch, const codegen::LaunchProfile& profile, const Device& device) {
  const sim::Counters& c = profile.counters;
  if (profile.refusal || c.blocks == 0 || !profile.reports.empty()) {
    launch.evidence = Evidence::Unknown;
    launch.why_unknown = !profile.reports.empty() ? profile.reports.front() : profile.refusal ? describe(*profile.refusal) : "no block of it ran";
    return;
  }
  launch.evidence = profile.whole() ? Evidence::Simulated : Evidence::Modelled;
  const double all = static_cast<double>(profile.blocks) / static_cast<double>(c.blocks);
  launch.bytes_read = static_cast<double>(c.footprint_read) * kSector * all;
  launch.bytes_written = static_cast<double>(c.footprint_written) * kSector * all;
  launch.requested = static_cast<double>(c.sectors_read + c.sectors_written) * kSector * all;
  launch.instructions = static_cast<double>(c.instructions) * all;
  launch.barriers = static_cast<double>(c.barriers) * all;
  const analyzer::KernelWork work = codegen::work_of(profile);
  launch.time_us = analyzer::kernel_time_us(device, work);
  launch.limiter = analyzer::limiter_of(device, work);
}

LaunchCost copy_cost(std::string name, double read, double written, const Device& device) {
  LaunchCost out;
  out.name = std::move(name);
  out.kind = LaunchKind::Copy;
  out.bytes_read = read;
  out.bytes_written = written;
  out.time_us = analyzer::copy_time_us(device, read + written);
  out.evidence = Evidence::Modelled;
  return out;
}

LaunchCost library_cost(std::string name, const graph::Computation& computation, const graph::Op& op, const Device& device) {
  return library_cost(std::move(name), analyzer::library_work(computation, op), device);
}

LaunchCost library_cost(std::string name, const analyzer::LibraryWork& work, const Device& device) {
  LaunchCost out;
  out.name = std::move(name);
  out.kind = LaunchKind::Library;
  out.bytes_read = work.bytes_read;
  out.bytes_written = work.bytes_written;
  out.time_us = analyzer::library_time_us(device, work);
  out.evidence = Evidence::Modelled;
  return out;
}

void add_notes(ProgramCost& program) {
  std::vector<std::string> sampled, unknown, uncounted;
  std::string why;
  for (const LaunchCost& one : program.launches) {
    if (one.kind != LaunchKind::Kernel) continue;
    if (one.evidence == Evidence::Modelled) sampled.push_back(one.name);
    if (one.evidence == Evidence::Unknown) unknown.push_back(one.name);
    if (one.evidence == Evidence::Unknown && why.empty()) why = one.why_unknown;
    if (!one.times_known) uncounted.push_back(one.name);
  }
  if (!unknown.empty()) program.notes.push_back(fmt::format("{} kernel{} did not run to {} end without a report and {} missing from the sums: {}", unknown.size(), unknown.size() == 1 ? "" : "s", unknown.size() == 1 ? "its" : "their", unknown.size() == 1 ? "is" : "are", first_of(unknown)));
  if (!why.empty()) program.notes.push_back(fmt::format("why {} is missing: {}", unknown.front(), why));
  if (!sampled.empty()) program.notes.push_back(fmt::format("{} ran on a sample of {} blocks, taken times all of them: {}", sampled.size() == 1 ? "a kernel" : "kernels", sampled.size() == 1 ? "its" : "their", first_of(sampled)));
  if (!uncounted.empty()) program.notes.push_back(fmt::format("how often {} run{} depends on data: counted once", first_of(uncounted), uncounted.size() == 1 ? "s" : ""));
}

analyzer::Band CostTotals::time_us(analyzer::Launching how) const {
  analyzer::Band out = analyzer::launch_gap_us(how).times(static_cast<double>(launches()));
  return out += execution_us;
}

CostTotals ProgramCost::totals() const {
  CostTotals out;
  for (const LaunchCost& one : launches) {
    const auto times = static_cast<double>(one.times);
    out.execution_us += one.time_us.times(times);
    switch (one.kind) {
      case LaunchKind::Kernel:
        out.kernels += one.times;
        out.kernel_bytes_read += times * one.bytes_read;
        out.kernel_bytes_written += times * one.bytes_written;
        out.requested += times * one.requested;
        out.instructions += times * one.instructions;
        out.barriers += times * one.barriers;
        out.evidence = weaker(out.evidence, one.evidence);
        break;
      case LaunchKind::Copy:
        out.copies += one.times;
        out.copy_bytes += times * one.bytes();
        break;
      case LaunchKind::Library:
        out.library_calls += one.times;
        out.library_bytes += times * one.bytes();
        break;
    }
  }
  return out;
}

}  // namespace seam::report
