#include "plan_beside.h"

#include "codegen/codegen.h"
#include "codegen/profile.h"
#include "codegen/program.h"
#include "module.h"
#include "planner/pipeline.h"

namespace seam::cli {

std::filesystem::path beside_of(std::string pattern, const std::filesystem::path& description) {
  const std::string stem = description.stem().string();
  for (std::size_t at = pattern.find("{}"); at != std::string::npos; at = pattern.find("{}", at + stem.size())) pattern.replace(at, 2, stem);
  return pattern;
}

Result<report::ProgramCost> cost_of_our_plan(const std::filesystem::path& graph, const Device& device, std::uint64_t most_instructions, Progress& bar) {
  SEAM_TRY(const graph::Graph module, open_module(graph));
  PlanFlags flags;
  SEAM_TRY(planner::PlanOptions options, plan_options(flags));
  options.device = device;
  SEAM_TRY(const planner::Planning planning, planner::plan_module(module, options));
  SEAM_TRY(const auto compiler, codegen::Compiler::find());
  SEAM_TRY(const codegen::Program program, codegen::build(planning.graph, planning.plan, options.device, *compiler, {}, 0));
  codegen::ProfileOptions profile;
  profile.most_instructions = most_instructions;
  const auto profiles = codegen::profile_kernels(program, profile, bar.stage("counting our kernels of " + module.name));
  return report::cost_of_plan(program, profiles, device);
}

}  // namespace seam::cli
