#include "report/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/json_out.h"
#include "json/verdicts.h"

namespace seam::report {
namespace {

LaunchArgument argument_of(const codegen::Argument& argument, const graph::Computation& computation) {
  LaunchArgument out;
  out.name = argument.name;
  if (argument.workspace_bytes > 0) {
    out.role = ArgumentRole::Workspace;
    out.dtype = DType::U8;
    out.dims = {argument.workspace_bytes};
    out.bytes = argument.workspace_bytes;
    return out;
  }
  out.role = argument.updated ? ArgumentRole::Updated : argument.output ? ArgumentRole::Output : ArgumentRole::Input;
  out.value = computation.ops[argument.op].name;
  if (argument.updated) out.aliases = computation.ops[argument.aliases].name;
  out.dtype = argument.dtype;
  out.dims = computation.ops[argument.op].shape.dims;
  out.bytes = argument.elements * bytes(argument.dtype);
  return out;
}

std::string_view text_of(planner::StepKind kind) {
  switch (kind) {
    case planner::StepKind::Kernel: return "kernel";
    case planner::StepKind::Library: return "library";
    case planner::StepKind::Copy: return "copy";
    case planner::StepKind::While: return "while";
    case planner::StepKind::Conditional: break;
  }
  return "conditional";
}

}  // namespace

LaunchShape launch_of(const KernelView& kernel) {
  LaunchShape out{kernel.built.source.grid, kernel.built.source.block, kernel.built.source.shared_bytes, {}};
  for (const codegen::Argument& argument : kernel.built.source.arguments) out.arguments.push_back(argument_of(argument, kernel.computation));
  return out;
}

std::vector<std::string> ops_of(const KernelView& kernel) {
  std::vector<std::string> out;
  std::set<Id<graph::Op>> seen;
  for (const planner::Part& part : kernel.group.parts) {
    for (const planner::PlannedOp& planned : part.ops) {
      if (seen.insert(planned.op).second) out.push_back(kernel.computation.ops[planned.op].name);
    }
  }
  return out;
}

std::string kernel_json(const Optimized& optimized, const KernelView& kernel) {
  const codegen::Verdict& verdict = kernel.verdict;
  const Device& device = optimized.options.device;
  const Json json = {
      {"schema", "seam.kernel/1"},
      {"name", kernel.built.source.name},
      {"computation", kernel.computation.name},
      {"ops", ops_of(kernel)},
      {"device", {{"name", device.name}, {"compute", fmt::format("{}.{}", device.compute_major, device.compute_minor)}}},
      {"compiler", optimized.compiler},
      {"ptx_target", optimized.ptx_target == 0 ? Json() : Json(fmt::format("{}.{}", optimized.ptx_target / 10, optimized.ptx_target % 10))},
      {"launch", Json::parse(print_launch(launch_of(kernel)))},
      {"sha256", {{"cuda", verdict.cuda_sha256}, {"ptx", verdict.ptx_sha256}, {"ir", verdict.ir_sha256}}},
      {"resources", json_of(kernel.built.resources)},
      {"bytes", {{"read", kernel.group.estimate.bytes_read}, {"written", kernel.group.estimate.bytes_written}, {"evidence", name(Evidence::Modelled)},
                 {"exact", kernel.group.estimate.exact}}},
      {"verdict", codegen::name(verdict.outcome())},
  };
  return dumped(json) + "\n";
}

Result<ReplacementSet> replacement_set(const Optimized& optimized) {
  ReplacementSet set;
  set.module = optimized.graph->name;
  set.device = optimized.options.device.name;
  set.policy = optimized.plan->policy;
  set.compiler = optimized.compiler;
  set.guards.module_sha256 = optimized.module_sha256;
  set.guards.compute_major = optimized.ptx_target / 10;
  set.guards.compute_minor = optimized.ptx_target % 10;
  std::string refused;
  for_each_kernel(optimized, [&](const KernelView& kernel) {
    if (kernel.verdict.outcome() != codegen::Outcome::Passed) {
      refused += fmt::format("{}{} ({})", refused.empty() ? "" : ", ", kernel.built.source.name, codegen::name(kernel.verdict.outcome()));
      return;
    }
    set.guards.shared_bytes = std::max(set.guards.shared_bytes, kernel.built.source.shared_bytes);
    set.kernels.push_back({kernel.built.source.name, kernel.built.ptx, kernel.verdict.ptx_sha256, launch_of(kernel), kernel.computation.name, ops_of(kernel)});
  });
  if (!refused.empty()) return fail(Error::Code::BadInput, "only kernels that are proven can replace anything; these are not: " + refused);
  for (const planner::ComputationPlan& plan : optimized.plan->computations) {
    const graph::Computation& computation = optimized.graph->computations[plan.computation];
    ReplacementSchedule schedule{computation.name, {}};
    for (const planner::Step& step : plan.steps) {
      schedule.steps.push_back({std::string(text_of(step.kind)), step.kind == planner::StepKind::Kernel ? plan.groups[step.group].name : computation.ops[step.op].name});
    }
    set.schedules.push_back(std::move(schedule));
  }
  return set;
}

}  // namespace seam::report
