#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analyzer/op_cost.h"
#include "base/units.h"
#include "codegen/inputs.h"
#include "codegen/program_check.h"
#include "codegen/run.h"
#include "pipeline/stages.h"

namespace seam::report {
namespace {

using codegen::Outcome;

/// Work of running the program once, from its shapes.
struct Work {
  double bytes = 0;  ///< of all values ever computed
  double flops = 0;  ///< of contractions, which the evaluator computes element by element
  bool unknown_trips = false;
  std::string elided;  ///< a constant whose value the text left out
};

Work work_of(const Optimized& optimized) {
  Work work;
  for (const planner::ComputationPlan& plan : optimized.plan->computations) {
    const graph::Computation& computation = optimized.graph->computations[plan.computation];
    work.unknown_trips |= plan.trips == 0;
    const auto trips = static_cast<double>(std::max<std::int64_t>(1, plan.trips));
    for (const graph::Op& op : computation.ops) {
      work.bytes += trips * static_cast<double>(op.shape.byte_size());
      if (analyzer::class_of(op) == analyzer::Class::Contraction) work.flops += trips * analyzer::cost_of(computation, op).flops;
    }
  }
  for (const graph::Computation& computation : optimized.graph->computations) {
    for (const graph::Op& op : computation.ops) {
      if (op.opcode == graph::Opcode::Constant && !op.attributes.literal.known) work.elided = op.name;
    }
  }
  return work;
}

void leaves(const graph::Shape& shape, std::vector<const graph::Shape*>& out) {
  if (!shape.is_tuple) return out.push_back(&shape);
  for (const graph::Shape& element : shape.elements) leaves(element, out);
}

/// Activations and weights of ordinary size: about N(0, 0.1), so that sums over hundreds of them do not saturate. Scalars (rates, momenta, counts)
/// are positive: below 0 they make NaN of whole outputs, and those prove nothing.
std::vector<Array> inputs_of(const graph::Graph& graph) {
  const graph::Computation& entry = graph.entry_computation();
  std::vector<const graph::Shape*> shapes;
  for (const Id<graph::Op> parameter : entry.parameters) leaves(entry.ops[parameter].shape, shapes);
  std::vector<Array> inputs;
  for (const graph::Shape* shape : shapes) {
    Array array = codegen::random_array(shape->dtype, shape->dims, codegen::Distribution::Normal, codegen::input_seed(0, inputs.size() + 1), 0, 9);
    if (is_float(shape->dtype)) {
      const auto width = static_cast<std::size_t>(bytes(shape->dtype));
      for (std::size_t at = 0; at + width <= array.data.size(); at += width) {
        store_from_double(shape->dtype, &array.data[at], 0.1 * load_as_double(shape->dtype, &array.data[at]));
      }
    }
    if (shape->rank() == 0 && is_float(shape->dtype)) store_from_double(shape->dtype, array.data.data(), std::abs(load_as_double(shape->dtype, array.data.data())));
    inputs.push_back(std::move(array));
  }
  return inputs;
}

/// Why the program cannot be run here; empty if it can.
std::string obstacle(const Optimized& out, const OptimizeRequest& request) {
  const auto built = [](const auto& kernels) { return std::ranges::all_of(kernels, [](const codegen::Built& b) { return b.module != nullptr; }); };
  if (!std::ranges::all_of(out.program.kernels, built)) return "not every kernel could be built";
  const Work work = work_of(out);
  if (!work.elided.empty()) return fmt::format("the module's text leaves out the value of constant {}", work.elided);
  if (work.unknown_trips) return "how often a loop runs depends on data";
  if (work.bytes > static_cast<double>(request.program_bytes)) {
    return fmt::format("its values take {}, more than the {} that are run here; every kernel is proven on its own", human_bytes(work.bytes),
                       human_bytes(static_cast<double>(request.program_bytes)));
  }
  if (work.flops > request.program_flops) {
    return fmt::format("its library calls take {:.2g} flop, more than the {:.2g} that are computed here; every kernel is proven on its own", work.flops,
                       request.program_flops);
  }
  return {};
}

}  // namespace

void run_program(Optimized& out, const graph::Graph& module, const OptimizeRequest& request, const Watch& watch) {
  codegen::ProgramCheck& check = out.run.check;
  check.outcome = Outcome::Inconclusive;
  if (watch.cancelled()) {
    check.reason = "stopped before the program was run";
    return;
  }
  check.reason = obstacle(out, request);
  if (!check.reason.empty()) return;
  const codegen::Progress progress = watch.stage("running the program");
  const auto total = static_cast<std::size_t>(out.plan->totals.kernels);
  codegen::RunOptions options;
  options.instruction_budget = request.program_instructions;
  options.progress = [&](std::uint64_t launches) {
    if (progress) progress(static_cast<std::size_t>(launches), total);
    return !watch.cancelled();
  };
  const std::vector<Array> inputs = inputs_of(*out.graph);
  const auto ran = codegen::run(out.program, inputs, options);
  if (!ran) {
    check.reason = ran.error().message;
    return;
  }
  out.run.kernels = ran->kernels;
  out.run.library_calls = ran->library_calls;
  out.run.copies = ran->copies;
  out.run.bytes_read = ran->bytes_read;
  out.run.bytes_written = ran->bytes_written;
  out.run.instructions = ran->instructions;
  out.run.peak_bytes = ran->peak_bytes;
  out.run.allocated_bytes = ran->allocated_bytes;
  if (!ran->reports.empty()) {
    check = {Outcome::Failed, ran->reports.front(), {}};
    return;
  }
  if (ran->over_budget) {
    check.reason = fmt::format("stopped after {} thread instructions", human_count(static_cast<std::int64_t>(ran->instructions)));
    return;
  }
  out.run.ran = true;
  const auto expected = codegen::reference_outputs(module, inputs, [&] { return !watch.cancelled(); });
  if (!expected) {
    check.reason = "the reference evaluator: " + expected.error().message;
    return;
  }
  check = codegen::check_outputs_at(module, inputs, *out.graph, ran->outputs, *expected, {}, {}, [&] { return !watch.cancelled(); });
}

}  // namespace seam::report
