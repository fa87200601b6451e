#include "report/machine_code.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/units.h"

namespace seam::report {
namespace {

std::int64_t spilled(const codegen::Resources& r) { return r.spill_store_bytes + r.spill_load_bytes; }

std::string evidence_of(int architecture) { return fmt::format("({}; ptxas for sm_{})", name(Evidence::Modelled), architecture); }

}  // namespace

std::optional<int> resident_blocks(const Optimized& optimized, const KernelView& kernel) {
  const std::optional<codegen::Resources>& r = kernel.built.resources;
  if (!r) return std::nullopt;
  return blocks_per_sm(optimized.options.device, kernel.built.source.block, r->registers, kernel.built.source.shared_bytes + r->static_shared_bytes);
}

std::string machine_code_of(const Optimized& optimized, const KernelView& kernel) {
  const std::optional<codegen::Resources>& r = kernel.built.resources;
  if (!r) return "registers and spills unknown";
  const std::string spills = spilled(*r) == 0 ? "nothing spilled" : fmt::format("{} spilled and {} read back", human_bytes(static_cast<double>(r->spill_store_bytes)), human_bytes(static_cast<double>(r->spill_load_bytes)));
  const int blocks = resident_blocks(optimized, kernel).value_or(0);
  const std::string fits = blocks == 0 ? fmt::format("does not fit on a {}", optimized.options.device.name) : fmt::format("{} block{} per multiprocessor", blocks, blocks == 1 ? "" : "s");
  return fmt::format("{} registers a thread, {}, {} {}", r->registers, spills, fits, evidence_of(r->architecture));
}

std::string machine_code_summary(const Optimized& optimized) {
  int most = 0, architecture = 0;
  std::size_t known = 0, unknown = 0, spilling = 0;
  std::string too_large;
  for_each_kernel(optimized, [&](const KernelView& k) {
    if (!k.built.resources) {
      unknown += k.built.ptx.empty() ? 0U : 1U;
      return;
    }
    ++known;
    most = std::max(most, k.built.resources->registers);
    architecture = k.built.resources->architecture;
    spilling += spilled(*k.built.resources) > 0 ? 1U : 0U;
    if (resident_blocks(optimized, k) == 0) too_large += fmt::format("{}{}", too_large.empty() ? "" : ", ", k.built.source.name);
  });
  if (known + unknown == 0) return {};
  if (known == 0) return "Registers and spills: unknown.";
  std::string out = fmt::format("Machine code: at most {} registers a thread, {} {}", most, spilling == 0 ? "no kernel spills" : fmt::format("{} of {} kernels spill", spilling, known), evidence_of(architecture));
  if (unknown > 0) out += fmt::format("; {} unknown", unknown);
  if (!too_large.empty()) out += fmt::format("; CANNOT BE LAUNCHED on a {}: {}", optimized.options.device.name, too_large);
  return out + ".";
}

}  // namespace seam::report
