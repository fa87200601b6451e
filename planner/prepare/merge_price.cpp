#include "prepare/merge_price.h"

#include <map>
#include <utility>

#include "analyzer/time_model.h"
#include "prepare/merge_rewrite.h"

namespace seam::planner {

using graph::Op;

namespace {

double gap_us() { return analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid; }

/// What more bytes take in a kernel that runs anyway.
double streaming_us(const Device& device, double bytes) {
  analyzer::KernelWork nothing, work;
  nothing.blocks = work.blocks = device.sms;
  work.dram_bytes = bytes;
  return analyzer::kernel_time_us(device, work).mid - analyzer::kernel_time_us(device, nothing).mid;
}

double step_us(const graph::Computation& computation, const ComputationPlan& plan, const Step& step, const Device& device) {
  switch (step.kind) {
    case StepKind::Kernel: return plan.groups[step.group].estimate.time_mid_us;
    case StepKind::Library: return analyzer::library_time_us(device, analyzer::library_work(computation, computation.ops[step.op])).mid;
    case StepKind::Copy: {
      const CopiedBytes copied = copied_bytes(computation.ops[step.op]);
      return analyzer::copy_time_us(device, static_cast<double>(copied.read + copied.written)).mid;
    }
    default: return 0;
  }
}

/// The factors that a merge puts together, with the dim along which.
using Parts = std::pair<std::vector<Id<Op>>, std::int64_t>;
std::vector<Parts> parts_of(const graph::Computation& computation, const Merge& merge) {
  const auto factors = [&](std::size_t side) {
    std::vector<Id<Op>> out;
    for (const Id<Op> dot : merge.dots) out.push_back(computation.ops[dot].operands[side]);
    return out;
  };
  if (merge.kind == Merge::Kind::Stack) return {{factors(1 - merge.shared), merge.dim}};
  const graph::DotDims& dims = computation.ops[merge.dots.front()].attributes.dot;
  return {{factors(0), dims.lhs_contract.front()}, {factors(1), dims.rhs_contract.front()}};
}

class Guesser {
 public:
  Guesser(const stitch::Problem& problem, std::span<const Merge> merges) : problem_(problem) {
    for (const Merge& merge : merges)
      for (const Parts& parts : parts_of(problem.computation, merge)) ++uses_[parts];
  }

  Guess guess(const Merge& merge) {
    const Device& device = problem_.options.device;
    Guess guess;
    analyzer::LibraryWork all;
    double moved = 0;  // bytes
    for (const Id<Op> dot : merge.dots) {
      const analyzer::LibraryWork one = analyzer::library_work(problem_.computation, problem_.op(dot));
      guess.apart_us += analyzer::library_time_us(device, one).mid + gap_us();
      all.factors = one.factors;
      all.flops += one.flops;
      all.results += one.results;
      all.bytes_read += one.bytes_read;
      all.bytes_written += one.bytes_written;
      if (merge.kind == Merge::Kind::Stack && problem_.roles.needed_in_memory[dot]) moved += 2 * one.bytes_written;
    }
    const auto extra = static_cast<double>(merge.dots.size() - 1), count = static_cast<double>(merge.dots.size());
    if (merge.kind == Merge::Kind::Stack) {
      all.bytes_read -= extra * bytes_of(problem_.op(merge.dots.front()).operands[merge.shared]);
    } else {
      guess.apart_us += streaming_us(device, all.bytes_written * extra / count);  // whoever adds them reads each
      all.results /= count;
      all.bytes_written /= count;
    }
    double saved = 0;  // bytes
    for (const Parts& parts : parts_of(problem_.computation, merge)) {
      const bool whole = whole_of(problem_.computation, parts.first, parts.second).has_value();
      double bytes = 0;
      for (const Id<Op> part : parts.first) {
        const bool own = problem_.roles.role[part] == Role::Map;  // written by a kernel for whoever needs it in memory
        if (whole && own) saved += 2 * bytes_of(part);
        if (!whole && !(own && problem_.roles.users[part].size() == 1)) bytes += 2 * bytes_of(part);
      }
      moved += bytes / uses_.at(parts);
    }
    guess.apart_us += streaming_us(device, saved);
    guess.merged_us = analyzer::library_time_us(device, all).mid + gap_us() + streaming_us(device, moved);
    return guess;
  }

 private:
  [[nodiscard]] double bytes_of(Id<Op> id) const { return static_cast<double>(problem_.op(id).shape.byte_size()); }

  const stitch::Problem& problem_;
  std::map<Parts, int> uses_;
};

}  // namespace

Price price_of(const graph::Graph& graph, Id<graph::Computation> id, const PlanOptions& options, const Policy& policy) {
  const graph::Computation& computation = graph.computations[id];
  stitch::Vetoes vetoes;
  const ComputationPlan plan = plan_by(policy, graph, id, options, vetoes);
  Price price;
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::While || step.kind == StepKind::Conditional) continue;
    ++price.launches;
    price.us += gap_us() + step_us(computation, plan, step, options.device);
  }
  return price;
}

std::vector<Guess> guesses(const stitch::Problem& problem, std::span<const Merge> merges) {
  Guesser guesser(problem, merges);
  std::vector<Guess> out;
  for (const Merge& merge : merges) out.push_back(guesser.guess(merge));
  return out;
}

}  // namespace seam::planner
