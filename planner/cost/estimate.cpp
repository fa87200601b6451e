#include "cost/estimate.h"

#include <algorithm>
#include <vector>

#include "analyzer/time_model.h"
#include "cost/touched.h"
#include "facts/small_dot.h"
#include "schedule/ownership.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

/// Scratch for reductions on top of what is kept.
constexpr std::int64_t kScratch = 1024;

/// How often each op of a part is evaluated: loops once per element (reduces: per element walked), inlined ops once
/// per element of the loops that ask, at least as often as they have elements.
double evaluations(const Computation& computation, const PlannedOp& planned, double asked) {
  const Op& op = computation.ops[planned.op];
  const auto own = static_cast<double>(product(dims_of(op)));
  return planned.placement == Placement::Inline ? std::max(asked, 1.0) : own;
}

/// A part's work, and the element operations in it.
struct PartWork {
  analyzer::KernelWork work;
  double operations = 0;
};

PartWork work_of(const Computation& computation, const FusionGroup& group, const Part& part, double& flops) {
  analyzer::KernelWork work;
  work.blocks = part.blocks * part.splits;
  work.threads = group.threads;
  work.shared_bytes = group.shared_bytes() + kScratch;
  std::map<Id<Op>, double> asked;
  double barriers = 0, operations = 0, special = 0;
  for (auto it = part.ops.rbegin(); it != part.ops.rend(); ++it) {
    const Op& op = computation.ops[it->op];
    double times = evaluations(computation, *it, asked.contains(it->op) ? asked[it->op] : 0);
    double per = graph::flops_per_element(op.opcode);
    if (op.opcode == Opcode::Reduce) {
      times = static_cast<double>(product(dims_of(computation.ops[op.operands[0]])));
    } else if (op.opcode == Opcode::Dot) {
      const DotExtents e = dot_extents(computation, op);
      times = static_cast<double>(e.batch * e.rows * e.columns * e.contracted);
      per = 2;
    }
    flops += times * per;
    operations += times * std::max(per, 1.0);
    if (graph::is_expensive(op.opcode)) special += times;
    if (it->placement == Placement::Shared) barriers += 2;
    for (const Id<Op> operand : op.operands) {
      double wanted = times;
      if (op.opcode == Opcode::Concatenate || op.opcode == Opcode::Pad || op.opcode == Opcode::DynamicUpdateSlice)
        wanted = std::min(wanted, static_cast<double>(product(dims_of(computation.ops[operand]))));
      double& have = asked[operand];
      // Different loops evaluate it each for themselves; readers in one loop share the value. Outputs of a flat part are one loop.
      have = it->placement == Placement::Inline || part.kind == ScheduleKind::Flat ? std::max(have, wanted) : have + wanted;
    }
  }
  work.barriers = barriers;
  work.instructions = analyzer::estimated_instructions(operations, special);
  return {work, operations};
}

}  // namespace

Estimate estimate(const Computation& computation, const FusionGroup& group, const Device& device) {
  Estimate out;
  const Touched bytes = touched(computation, group);
  out.bytes_read = bytes.bytes_read;
  out.bytes_written = bytes.bytes_written;
  out.exact = bytes.exact;
  std::vector<PartWork> parts;
  double walked = 0;
  for (const Part& part : group.parts) {
    parts.push_back(work_of(computation, group, part, out.flops));
    walked += parts.back().operations;
  }
  // The kernel's bytes are shared among the parts in proportion to their work.
  const auto all = static_cast<double>(out.bytes_read + out.bytes_written);
  std::vector<analyzer::KernelWork> works;
  for (PartWork& part : parts) {
    part.work.dram_bytes = walked > 0 ? all * part.operations / walked : all;
    works.push_back(part.work);
  }
  const analyzer::Band band = analyzer::packed_time_us(device, works.data(), works.size());
  out.time_low_us = band.low;
  out.time_mid_us = band.mid;
  out.time_high_us = band.high;
  return out;
}

}  // namespace seam::planner
