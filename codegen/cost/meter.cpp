#include "codegen/meter.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "base/parallel.h"
#include "base/sha256.h"
#include "batch/canonical.h"

namespace seam::codegen {
namespace {

constexpr double kSector = 32;

/// A sample of few blocks is no answer to who wants more of them.
std::string key_of(const Source& source, std::uint64_t most_instructions) {
  const std::optional<Canonical> text = canonical(source.cuda, source.name);
  return sha256(fmt::format("{}\ngrid {} block {} shared {} instructions {}", text ? text->key : source.cuda, source.grid, source.block, source.shared_bytes, most_instructions));
}

Result<db::Cost> cost_of(const LaunchProfile& profile, const std::string& name) {
  if (profile.refusal) return tl::unexpected(*profile.refusal);
  if (!profile.reports.empty()) return fail(Error::Code::BadInput, profile.reports.front());
  const sim::Counters& c = profile.counters;
  if (c.blocks == 0) return fail(Error::Code::BadInput, fmt::format("no block of kernel {} ran", name));
  const double all = static_cast<double>(profile.blocks) / static_cast<double>(c.blocks);
  const analyzer::KernelWork work = work_of(profile);
  db::Cost cost;
  cost.evidence = profile.whole() ? Evidence::Simulated : Evidence::Modelled;
  cost.what = name;
  cost.blocks = static_cast<std::int64_t>(profile.blocks);
  cost.blocks_run = static_cast<std::int64_t>(c.blocks);
  cost.threads = work.threads;
  cost.shared_bytes = work.shared_bytes;
  cost.dram_bytes = work.dram_bytes;
  cost.l2_bytes = work.reread_bytes;
  cost.sectors = static_cast<double>(c.sectors_read + c.sectors_written) * all;
  cost.instructions = work.instructions;
  cost.wavefronts = work.wavefronts;
  cost.shared_conflicts = static_cast<double>(c.shared_conflicts) * all;
  cost.barriers = work.barriers;
  cost.atomic_sectors = work.atomic_sectors;
  return cost;
}

/// What blocks of a sample share, rows of weights for instance, would be counted once for each of them: no more bytes come from DRAM than the planner's exact
/// model says the whole launch touches.
void hold_to_model(db::Cost& cost, const planner::Estimate& estimate) {
  const auto bytes = static_cast<double>(estimate.bytes_read + estimate.bytes_written);
  if (cost.evidence != Evidence::Modelled || !estimate.exact || bytes <= 0 || cost.dram_bytes <= bytes) return;
  cost.l2_bytes += cost.dram_bytes - bytes;
  cost.dram_bytes = bytes;
}

const planner::Estimate& estimate_of(const planner::Planning& planning, const Built& built) { return planning.plan.computations[built.computation].groups[built.group].estimate; }

}  // namespace

analyzer::KernelWork work_of(const LaunchProfile& profile, int registers) {
  const sim::Counters& c = profile.counters;
  const double all = c.blocks == 0 ? 0 : static_cast<double>(profile.blocks) / static_cast<double>(c.blocks);
  analyzer::KernelWork work;
  work.blocks = static_cast<std::int64_t>(profile.blocks);
  work.threads = static_cast<int>(profile.block.x * profile.block.y * profile.block.z);
  work.shared_bytes = profile.shared_bytes;
  work.registers = registers;
  work.dram_bytes = static_cast<double>(c.footprint_read + c.footprint_written) * kSector * all;
  const double from_l2 = static_cast<double>(c.l2_sectors_read + c.sectors_written + c.atomic_sectors) * kSector * all;
  work.reread_bytes = std::max(0.0, from_l2 - work.dram_bytes);
  work.instructions = static_cast<double>(c.warp_instructions) * 32 * all;
  work.wavefronts = static_cast<double>(c.global_wavefronts + c.shared_wavefronts) * all;
  work.barriers = c.blocks == 0 ? 0 : static_cast<double>(c.barriers) / static_cast<double>(c.blocks);
  work.atomic_sectors = static_cast<double>(c.atomic_sectors) * all;
  work.counted = true;
  return work;
}

double kernel_us(const db::Cost& cost, const Device& device, double times) {
  if (cost.recorded_us) return *cost.recorded_us * times;
  if (cost.threads == 0) return 0;  // nothing to do: a value without elements
  analyzer::KernelWork work;
  work.blocks = static_cast<std::int64_t>(static_cast<double>(cost.blocks) * times);
  work.threads = static_cast<int>(cost.threads);
  work.shared_bytes = cost.shared_bytes;
  work.dram_bytes = cost.dram_bytes * times;
  work.reread_bytes = cost.l2_bytes * times;
  work.instructions = cost.instructions * times;
  work.wavefronts = cost.wavefronts * times;
  work.barriers = cost.barriers;
  work.atomic_sectors = cost.atomic_sectors * times;
  work.counted = true;
  return analyzer::kernel_time_us(device, work).mid;
}

Meter::Meter(Device device, std::shared_ptr<const Compiler> compiler, db::CostTable& costs, std::uint64_t most_instructions)
    : device_(device), compiler_(std::move(compiler)), costs_(costs), most_instructions_(most_instructions) {}

Result<std::vector<Meter::Measured>> Meter::measure(std::span<const planner::Planning* const> plans, const Progress& progress) const {
  struct Wanted {
    std::size_t plan = 0, place = 0;
    Built built;
    std::string key;
  };
  std::vector<Wanted> kernels;
  std::vector<Measured> out(plans.size());
  for (std::size_t p = 0; p < plans.size(); ++p) {
    for (std::size_t c = 0; c < plans[p]->plan.computations.size(); ++c)
      for (std::size_t g = 0; g < plans[p]->plan.computations[c].groups.size(); ++g) {
        kernels.push_back({p, out[p].kernels.size(), {}, {}});
        kernels.back().built.computation = c;
        kernels.back().built.group = g;
        out[p].kernels.emplace_back();
      }
  }
  std::vector<std::optional<Error>> errors(kernels.size());
  parallel_for(kernels.size(), 0, [&](std::size_t i) {
    Wanted& kernel = kernels[i];
    Result<Built> built = lower_group(plans[kernel.plan]->graph, plans[kernel.plan]->plan, kernel.built.computation, kernel.built.group);
    if (!built) {
      errors[i] = std::move(built).error();
      return;
    }
    kernel.built = *std::move(built);
    kernel.key = key_of(kernel.built.source, most_instructions_);
  });
  for (std::optional<Error>& error : errors)
    if (error) return tl::unexpected(*std::move(error));

  // One of each new key runs.
  std::map<std::string, db::Cost> known;
  std::map<std::string, std::size_t> fresh;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (known.contains(kernels[i].key) || fresh.contains(kernels[i].key)) continue;
    if (std::optional<db::Cost> cost = costs_.find(kernels[i].key, device_.name, kCostVersion)) {
      known.emplace(kernels[i].key, *std::move(cost));
    } else {
      fresh.emplace(kernels[i].key, i);
    }
  }
  std::vector<std::size_t> runs;
  std::vector<Built*> compiled;
  for (const auto& [key, i] : fresh) runs.push_back(i), compiled.push_back(&kernels[i].built);
  for (Result<void>& ok : compile(compiled, device_, *compiler_))
    if (!ok) return tl::unexpected(std::move(ok).error());
  std::vector<Result<db::Cost>> counted(runs.size(), fail(Error::Code::Cancelled, "not run"));
  std::atomic<std::size_t> done{0};
  parallel_for(runs.size(), 0, [&](std::size_t r) {
    Wanted& kernel = kernels[runs[r]];
    Program alone{&plans[kernel.plan]->graph, &plans[kernel.plan]->plan, {}, {}, 0, 0};
    alone.kernels.emplace_back().push_back(kernel.built);
    const std::vector<LaunchProfile> profile = profile_kernels(alone, {.most_instructions = most_instructions_, .threads = 1});
    counted[r] = cost_of(profile.front(), alone.kernels[0][0].source.name);
    if (progress) progress(++done, runs.size());
  });
  for (Result<db::Cost>& cost : counted)
    if (!cost) return tl::unexpected(std::move(cost).error());
  if (!runs.empty()) SEAM_DO(costs_.begin());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    hold_to_model(*counted[r], estimate_of(*plans[kernels[runs[r]].plan], kernels[runs[r]].built));
    SEAM_DO(costs_.put(kernels[runs[r]].key, device_.name, kCostVersion, *counted[r]));
    known.emplace(kernels[runs[r]].key, *std::move(counted[r]));
  }
  if (!runs.empty()) SEAM_DO(costs_.commit());
  std::set<std::string> new_keys;
  for (const auto& [key, i] : fresh) new_keys.insert(key);
  for (const Wanted& kernel : kernels) {
    out[kernel.plan].kernels[kernel.place] = known.at(kernel.key);
    out[kernel.plan].looked_up += new_keys.contains(kernel.key) ? 0U : 1U;
  }
  return out;
}

namespace {

/// `kernel(first + group)`: microseconds of each kernel.
template <class F>
double program_us(const planner::Planning& planning, const Device& device, F kernel) {
  const double gap = analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid;
  double sum = 0;
  std::size_t first = 0;
  for (const planner::ComputationPlan& one : planning.plan.computations) {
    const graph::Computation& computation = planning.graph.computations[one.computation];
    const auto times = static_cast<double>(std::max<std::int64_t>(1, one.trips));
    for (const planner::Step& step : one.steps) {
      switch (step.kind) {
        case planner::StepKind::Kernel: sum += times * (gap + kernel(first + step.group, one.groups[step.group])); break;
        case planner::StepKind::Library: sum += times * (gap + analyzer::library_time_us(device, analyzer::library_work(computation, computation.ops[step.op])).mid); break;
        case planner::StepKind::Copy: {
          const planner::CopiedBytes bytes = planner::copied_bytes(computation.ops[step.op]);
          sum += times * (gap + analyzer::copy_time_us(device, static_cast<double>(bytes.read + bytes.written)).mid);
          break;
        }
        default: break;
      }
    }
    first += one.groups.size();
  }
  return sum;
}

}  // namespace

double time_us(const planner::Planning& planning, const Meter::Measured& measured, const Device& device) {
  return program_us(planning, device, [&](std::size_t i, const planner::FusionGroup&) { return kernel_us(measured.kernels.at(i), device); });
}

double estimated_us(const planner::Planning& planning, const Device& device) {
  return program_us(planning, device, [](std::size_t, const planner::FusionGroup& group) { return group.estimate.time_mid_us; });
}

}  // namespace seam::codegen
