#include "report/side_by_side.h"

#include <algorithm>
#include <map>

namespace seam::report {
namespace {

std::map<std::string, std::size_t> by_name(const ProgramCost& program) {
  std::map<std::string, std::size_t> out;
  for (std::size_t i = 0; i < program.launches.size(); ++i) out.emplace(program.launches[i].name, i);
  return out;
}

/// Launches of ours in the order of KernelMatches::ours: kernels and library calls.
std::vector<std::size_t> matchable(const ProgramCost& ours) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < ours.launches.size(); ++i)
    if (ours.launches[i].kind != LaunchKind::Copy) out.push_back(i);
  return out;
}

}  // namespace

SideBySide side_by_side(const codegen::ForeignProgram& theirs, const std::vector<codegen::ForeignProfile>& their_profiles, const codegen::Program& program,
                        const std::vector<codegen::LaunchProfile>& profiles, const Device& device, std::string name) {
  SideBySide out;
  out.theirs = cost_of_foreign(theirs, their_profiles, device, std::move(name));
  out.ours = cost_of_plan(program, profiles, device);
  out.floor_kernels = program.plan->totals.floor_kernels;
  out.floor_bytes = program.plan->totals.floor_bytes;
  out.formula = analyzer::time_formula(device);
  const KernelMatches matches = match_kernels(theirs.graph, *program.graph, *program.plan);
  out.by_name = matches.by_name;
  out.by_position = matches.by_position;
  out.by_size = matches.by_size;
  out.unknown = matches.unknown;

  const std::vector<std::size_t> ours = matchable(out.ours);
  std::vector<double> computed(matches.ours.size(), 0.0);  // by ours: bytes of results that are theirs as well
  for (const KernelOverlap& overlap : matches.overlaps) computed[overlap.ours] += overlap.bytes;

  const std::map<std::string, std::size_t> their_launches = by_name(out.theirs);
  std::map<std::size_t, std::size_t> matched;  // index into theirs.launches → into matches.theirs
  for (std::size_t k = 0; k < matches.theirs.size(); ++k)
    if (const auto launch = their_launches.find(matches.theirs[k].name); launch != their_launches.end()) matched.emplace(launch->second, k);

  for (std::size_t i = 0; i < out.theirs.launches.size(); ++i) {
    const LaunchCost& launch = out.theirs.launches[i];
    const auto times = static_cast<double>(launch.times);
    MatchedLaunch row;
    row.theirs = i;
    row.bytes = times * launch.bytes();
    row.time_us = launch.time_us.times(times);
    if (const auto found = matched.find(i); found != matched.end()) {
      // A slice of a value reads less than the value.
      row.kept_bytes = std::min(row.bytes, times * static_cast<double>(matches.theirs[found->second].kept_bytes));
      for (const KernelOverlap& overlap : matches.overlaps) {
        if (overlap.theirs != found->second || computed[overlap.ours] <= 0) continue;
        row.ours.push_back({ours[overlap.ours], overlap.bytes / computed[overlap.ours]});
      }
    }
    std::ranges::stable_sort(row.ours, std::ranges::greater{}, &Counterpart::share);
    for (const Counterpart& part : row.ours) {
      const LaunchCost& own = out.ours.launches[part.ours];
      row.our_bytes += part.share * static_cast<double>(own.times) * own.bytes();
      row.our_time_us += own.time_us.times(part.share * static_cast<double>(own.times));
    }
    out.launches.push_back(std::move(row));
  }
  std::ranges::stable_sort(out.launches, std::ranges::greater{}, &MatchedLaunch::saved);
  for (std::size_t i = 0; i < out.ours.launches.size(); ++i) {
    const auto at = std::ranges::find(ours, i);
    if (at == ours.end() || computed[static_cast<std::size_t>(at - ours.begin())] <= 0) out.unmatched.push_back(i);
  }
  return out;
}

std::vector<NamedProgram> with_kernels(std::span<const CompilerModule> modules, std::span<const CompilerResult> results) {
  std::vector<NamedProgram> out;
  for (std::size_t i = 0; i < modules.size(); ++i)
    if (modules[i].program) out.push_back({results[i].name, modules[i].program});
  return out;
}

std::vector<SideBySide> side_by_side(std::span<const NamedProgram> theirs, const codegen::Program& program, const Device& device, const codegen::ProfileOptions& options,
                                     const std::function<codegen::Progress(std::string_view stage)>& stage) {
  std::vector<SideBySide> out;
  if (theirs.empty()) return out;
  const auto begin = [&](const std::string& name) { return stage ? stage("counting kernels of " + name) : codegen::Progress(); };
  const std::vector<codegen::LaunchProfile> ours = codegen::profile_kernels(program, options, begin(program.plan->policy));
  for (const NamedProgram& one : theirs) out.push_back(side_by_side(*one.program, codegen::profile_kernels(*one.program, options, begin(one.name)), program, ours, device, one.name));
  return out;
}

}  // namespace seam::report
