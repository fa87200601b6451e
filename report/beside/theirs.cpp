#include <map>

#include "analyzer/count.h"
#include "beside/launch_cost.h"

namespace seam::report {

ProgramCost cost_of_foreign(const codegen::ForeignProgram& program, const std::vector<codegen::ForeignProfile>& profiles, const Device& device, std::string name) {
  std::map<std::string_view, const codegen::ForeignProfile*> by_kernel;
  for (const codegen::ForeignProfile& profile : profiles) by_kernel[profile.launch->kernel] = &profile;
  ProgramCost out;
  out.name = std::move(name);
  const std::map<std::string, std::optional<std::int64_t>> times = codegen::launch_times(program);
  for (const graph::Computation& computation : program.graph.computations) {
    for (const graph::Op& op : computation.ops) {
      const auto launch = program.launches.find(op.name);
      const auto often = times.find(op.name);
      // What never runs (the condition of a loop whose length is known) has no times.
      if (launch == program.launches.end() || often == times.end() || launch->second.kind == codegen::ForeignKind::Control) continue;
      LaunchCost cost;
      switch (launch->second.kind) {
        case codegen::ForeignKind::Kernel:
          cost.name = op.name;
          cost.kernel = launch->second.kernel;
          if (const auto profile = by_kernel.find(cost.kernel); profile != by_kernel.end()) {
            take_profile(cost, *profile->second, device);
          } else {
            cost.evidence = Evidence::Unknown;
          }
          break;
        case codegen::ForeignKind::Library: cost = library_cost(op.name, computation, op, device); break;
        default: {
          const double half = static_cast<double>(analyzer::bytes_of_launch(program.graph, computation, op)) / 2;
          cost = copy_cost(op.name, half, half, device);
        }
      }
      cost.times = often->second.value_or(1);
      cost.times_known = often->second.has_value();
      out.launches.push_back(std::move(cost));
    }
  }
  add_notes(out);
  return out;
}

}  // namespace seam::report
