// Orders priced by kernels that copy: one that reads along its own walk, one that reads across it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/check.h"
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

/// What a crossing's cost depends on: four dims, walked as (rest, m, between, w) where w is innermost in the walk and m in memory; how far apart
/// two touches of one sector are is `between` x w. Where the same dim is innermost on both sides only its run matters. The rest is made small: what it
/// repeats is counted `times` over.
struct Kind {
  Crossing crossing;
  double times = 1;
};
constexpr std::int64_t kEnough = std::int64_t{1} << 21U;  ///< elements

Kind kind_of(const Crossing& crossing) {
  const std::size_t inner = crossing.extents.size() - 1, last = static_cast<std::size_t>(crossing.lies.back());
  std::int64_t rest = 1, between = 1;
  Kind kind;
  kind.crossing.dtype = stand_in(crossing.dtype);
  const auto shrunk = [&](std::int64_t fixed) {
    const std::int64_t whole = rest;
    rest = std::clamp<std::int64_t>(kEnough / std::max<std::int64_t>(1, fixed), 2, std::max<std::int64_t>(2, rest));
    kind.times = static_cast<double>(std::max<std::int64_t>(1, whole)) / static_cast<double>(rest);
  };
  if (inner == last) {
    for (std::size_t k = 0; k < inner; ++k) rest *= crossing.extents[k];
    shrunk(crossing.extents[inner] * 2);
    // Two outer dims that change places.
    kind.crossing.extents = {std::max<std::int64_t>(2, rest), 2, crossing.extents[inner]};
    kind.times /= 2;
    kind.crossing.lies = {1, 0, 2};
    return kind;
  }
  for (std::size_t k = 0; k < inner; ++k)
    if (k != last) (k > last ? between : rest) *= crossing.extents[k];
  const std::int64_t m = crossing.extents[last], w = crossing.extents[inner];
  const bool outer = rest > 1;
  if (outer) {
    shrunk(m * between * w);
    kind.crossing.extents.push_back(rest);
    kind.crossing.lies.push_back(0);
  }
  const auto first = static_cast<std::int64_t>(kind.crossing.extents.size());
  kind.crossing.extents.push_back(m);
  if (between > 1) kind.crossing.extents.push_back(between);
  kind.crossing.extents.push_back(w);
  for (std::int64_t k = first + 1; k < std::ssize(kind.crossing.extents); ++k) kind.crossing.lies.push_back(k);
  kind.crossing.lies.push_back(first);
  return kind;
}

class Asked : public planner::LayoutCosts {
 public:
  double walk_us(const Crossing& crossing) const override { return asked_.insert(kind_of(crossing).crossing), 0; }
  double copy_us(const Crossing& crossing) const override { return asked_.insert(kind_of(crossing).crossing), 0; }
  [[nodiscard]] const std::set<Crossing>& asked() const { return asked_; }

 private:
  mutable std::set<Crossing> asked_;
};

class Measured : public planner::LayoutCosts {
 public:
  Measured(const Device& device, std::map<Crossing, db::Cost> costs) : device_(device), costs_(std::move(costs)) {}
  double walk_us(const Crossing& crossing) const override {
    const Kind kind = kind_of(crossing);
    return std::max(0.0, us(kind.crossing, kind.times) - us(along(kind.crossing), kind.times));
  }
  double copy_us(const Crossing& crossing) const override {
    const Kind kind = kind_of(crossing);
    return us(kind.crossing, kind.times) + analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid;
  }

 private:
  [[nodiscard]] double us(const Crossing& crossing, double times) const { return kernel_us(costs_.at(crossing), device_, times); }

  Device device_;
  std::map<Crossing, db::Cost> costs_;
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
  std::map<Crossing, db::Cost> known;
  std::size_t i = 0;
  for (const Crossing& crossing : crossings) {
    // A value without elements is copied by nobody.
    const std::vector<db::Cost>& kernels = measured[i++].kernels;
    known.emplace(crossing, kernels.empty() ? db::Cost{} : kernels[0]);
  }
  return std::make_unique<Measured>(options.device, std::move(known));
}

}  // namespace seam::codegen
