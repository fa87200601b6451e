// Orders priced by kernels that copy: one that reads along its own walk, one that reads across it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "codegen/meter.h"

namespace seam::codegen {
namespace {

using planner::Crossing;

/// A type of the same width on which everything is emitted.
DType stand_in(DType dtype) {
  switch (bytes(dtype)) {
    case 1: return DType::S8;
    case 2: return DType::F16;
    case 4: return DType::F32;
    default: return DType::F64;
  }
}

/// -x, x lying as the crossing says.
graph::Graph copy_across(const Crossing& crossing) {
  graph::Graph graph;
  graph.name = "crossing";
  graph::Computation& computation = graph.computations[graph.computations.push_back({})];
  graph.entry = Id<graph::Computation>(std::size_t{0});
  computation.name = "copy";
  const auto add = [&](const char* name, graph::Opcode opcode, std::vector<std::int64_t> dims) -> graph::Op& {
    graph::Op op;
    op.name = name;
    op.opcode = opcode;
    op.opcode_text = std::string(graph::name(opcode));
    op.shape.dtype = stand_in(crossing.dtype);
    op.shape.dims = std::move(dims);
    if (!computation.ops.empty()) op.operands = {Id<graph::Op>(computation.ops.size() - 1)};
    computation.root = computation.ops.push_back(std::move(op));
    return computation.ops[computation.root];
  };
  std::vector<std::int64_t> lying, dimensions(crossing.lies.size());
  for (std::size_t k = 0; k < crossing.lies.size(); ++k) {
    lying.push_back(crossing.extents[static_cast<std::size_t>(crossing.lies[k])]);
    dimensions[static_cast<std::size_t>(crossing.lies[k])] = static_cast<std::int64_t>(k);
  }
  add("x", graph::Opcode::Parameter, lying);
  computation.parameters = {computation.root};
  if (!std::ranges::is_sorted(dimensions)) add("across", graph::Opcode::Transpose, crossing.extents).attributes.dimensions = std::move(dimensions);
  add("y", graph::Opcode::Negate, crossing.extents);
  return graph;
}

Crossing along(const Crossing& crossing) {
  Crossing out = crossing;
  std::ranges::sort(out.lies);
  return out;
}

class Asked : public planner::LayoutCosts {
 public:
  double walk_us(const Crossing& crossing) const override { return asked_.insert(crossing), 0; }
  double copy_us(const Crossing& crossing) const override { return asked_.insert(crossing), 0; }
  [[nodiscard]] const std::set<Crossing>& asked() const { return asked_; }

 private:
  mutable std::set<Crossing> asked_;
};

class Measured : public planner::LayoutCosts {
 public:
  explicit Measured(std::map<Crossing, double> us) : us_(std::move(us)) {}
  double walk_us(const Crossing& crossing) const override { return std::max(0.0, us_.at(crossing) - us_.at(along(crossing))); }
  double copy_us(const Crossing& crossing) const override { return us_.at(crossing) + analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid; }

 private:
  std::map<Crossing, double> us_;
};

}  // namespace

Result<std::unique_ptr<planner::LayoutCosts>> measured_layout_costs(const graph::Graph& graph, const planner::PlanOptions& options, const Meter& meter, const Progress& progress) {
  const Asked asked;
  (void)planner::choose_layouts(graph, options, asked);
  std::set<Crossing> crossings;
  for (const Crossing& crossing : asked.asked()) crossings.insert({crossing, along(crossing)});
  planner::PlanOptions plain;
  plain.device = options.device;
  std::vector<planner::Planning> plans;
  std::vector<const planner::Planning*> list;
  plans.reserve(crossings.size());
  for (const Crossing& crossing : crossings) {
    SEAM_TRY(planner::Planning planning, planner::plan_module(copy_across(crossing), plain));
    plans.push_back(std::move(planning));
    list.push_back(&plans.back());
  }
  SEAM_TRY(const std::vector<Meter::Measured> measured, meter.measure(list, progress));
  std::map<Crossing, double> us;
  std::size_t i = 0;
  for (const Crossing& crossing : crossings) {
    double sum = 0;
    for (const db::Cost& kernel : measured[i].kernels) sum += kernel.mid_us;
    us.emplace(crossing, sum);
    ++i;
  }
  return std::make_unique<Measured>(std::move(us));
}

}  // namespace seam::codegen
