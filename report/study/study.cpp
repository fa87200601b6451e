#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/origin.h"
#include "graph/transform.h"
#include "planner/pipeline.h"
#include "report/study.h"
#include "study/saved.h"

namespace seam::report {

using analyzer::Movement;
using graph::Op;

namespace {

/// "SM" of "SM/scaled_softmax".
std::string kernel_of(std::string_view label) { return std::string(label.substr(0, label.find('/'))); }

/// Ops that need the gradient that the layer is given.
Result<IdVector<Op, bool>> backward_ops(const graph::Computation& computation) {
  const auto gradient = computation.find("dy");
  if (!gradient) return fail(Error::Code::Unsupported, "this is not the layer of the study: it has no parameter 'dy'");
  IdVector<Op, bool> backward(computation.ops.size(), false);
  backward[*gradient] = true;
  for (std::size_t i = 0; i < computation.ops.size(); ++i)
    for (const Id<Op> operand : computation.ops[Id<Op>(i)].operands)
      if (backward[operand]) backward[Id<Op>(i)] = true;
  return backward;
}

double floor_us(const Device& device, const analyzer::Operator& op) {
  const Movement moved = op.movement();
  const double arithmetic = op.op_class == analyzer::Class::Contraction ? device.tensor_flops_16 : 2e9 * device.clock_ghz * device.sms * device.fp32_lanes_per_sm;
  return 1e6 * std::max(static_cast<double>(moved.bytes()) / device.dram_bytes_per_s, moved.flops / arithmetic);
}

Result<std::vector<StudyKernel>> kernels_of(const analyzer::Values& values, const std::vector<StudyOperator>& operators) {
  std::vector<StudyKernel> out;
  std::map<std::string, std::vector<Id<Op>>> ops;
  for (const StudyOperator& one : operators) {
    auto found = std::ranges::find(out, one.kernel, &StudyKernel::name);
    if (found == out.end()) found = out.insert(out.end(), StudyKernel{one.kernel, false, false, 0, {}});
    ++found->operators;
    found->backward = found->backward || one.backward;
    found->gemm = found->gemm || one.op.op_class == analyzer::Class::Contraction;
    ops[one.kernel].insert(ops[one.kernel].end(), one.op.ops.begin(), one.op.ops.end());
  }
  for (StudyKernel& kernel : out) {
    const analyzer::Traffic traffic = analyzer::traffic_of(values, ops[kernel.name]);
    for (const SavedTensors saved : kSavedTensors) {
      SEAM_TRY(const analyzer::Traffic kept, with_saved(values, kernel.name, traffic, saved));
      kernel.moved[static_cast<std::size_t>(saved)] = kept.sum();
    }
  }
  return out;
}

StudyTotal total_of(const std::vector<StudyKernel>& kernels, SavedTensors saved) {
  StudyTotal total;
  for (const StudyKernel& kernel : kernels) {
    ++(kernel.backward ? total.backward : total.forward);
    (kernel.gemm ? total.gemms : kernel.backward ? total.backward_kernels : total.forward_kernels) += kernel.moved[static_cast<std::size_t>(saved)];
  }
  return total;
}

/// Which published kernels' ops each launch of the plan runs; ops that are only made again for others are among them.
std::vector<StudyLaunch> launches_of_plan(const graph::Graph& graph, const planner::Plan& plan, const PlanMovement& moved) {
  std::vector<StudyLaunch> out;
  std::size_t next = 0;
  for (const planner::ComputationPlan& one : plan.computations) {
    const graph::Computation& computation = graph.computations[one.computation];
    for (const planner::Step& step : one.steps) {
      if (step.kind == planner::StepKind::While || step.kind == planner::StepKind::Conditional) continue;
      std::set<Id<Op>> ops;
      if (step.kind == planner::StepKind::Kernel) {
        for (const planner::Part& part : one.groups[step.group].parts)
          for (const planner::PlannedOp& planned : part.ops) ops.insert(planned.op);
      } else {
        ops.insert(step.op);
      }
      const PlanLaunch& launch = moved.launches[next++];
      StudyLaunch study{launch.launch.name, launch.kind == planner::StepKind::Library, {}, launch.movement()};
      for (const Id<Op> id : ops) {
        const std::string kernel = kernel_of(analyzer::origin_of(graph, computation.ops[id]).scope);
        if (!kernel.empty() && std::ranges::find(study.published, kernel) == study.published.end()) study.published.push_back(kernel);
      }
      out.push_back(std::move(study));
    }
  }
  return out;
}

}  // namespace

Movement StudyTotal::sum() const {
  Movement out = gemms;
  out += forward_kernels;
  out += backward_kernels;
  return out;
}

Result<BertStudy> bert_study(const graph::Graph& bundled, std::int64_t batch, std::int64_t sequence, const planner::PlanOptions& options) {
  if (batch < 1) return fail(Error::Code::BadInput, fmt::format("a batch of {}: at least 1", batch));
  if (sequence < 2) return fail(Error::Code::BadInput, fmt::format("a sequence of {}: at least 2, a row of one has no statistics", sequence));
  SEAM_TRY(const graph::Graph layer, during(fmt::format("giving the layer batch {} and sequence {}", batch, sequence), graph::with_extents(bundled, {{8, batch}, {512, sequence}})));
  const graph::Computation& computation = layer.entry_computation();
  SEAM_TRY(const auto backward, backward_ops(computation));

  BertStudy out;
  out.batch = batch;
  out.sequence = sequence;
  out.device = options.device.name;
  for (analyzer::Operator& op : analyzer::operators_of(layer, analyzer::Granularity::Paper46)) {
    StudyOperator one{{}, kernel_of(op.label), std::ranges::any_of(op.ops, [&](Id<Op> id) { return backward[id]; }), floor_us(options.device, op)};
    one.op = std::move(op);
    out.operators.push_back(std::move(one));
  }
  SEAM_TRY(out.kernels, kernels_of(analyzer::values_of(computation), out.operators));
  for (const SavedTensors saved : kSavedTensors) out.published[static_cast<std::size_t>(saved)] = total_of(out.kernels, saved);
  for (const analyzer::Granularity granularity : analyzer::kGranularities) {
    StudyBaseline baseline{granularity, 0, {}};
    for (const analyzer::Operator& op : analyzer::operators_of(layer, granularity)) {
      ++baseline.operators;
      baseline.moved += op.movement();
    }
    out.baselines.push_back(baseline);
  }
  SEAM_TRY(const planner::Planning planning, planner::plan_module(layer, options));
  out.layouts = planner::name(options.layouts);
  out.seam = movement_of(planning.graph, planning.plan);
  out.seam_launches = launches_of_plan(planning.graph, planning.plan, out.seam);
  return out;
}

}  // namespace seam::report
