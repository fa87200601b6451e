#pragma once
/// Run files of `seam simulate`: one launch of a kernel, or what Inductor made of a graph. Bytes of kernels are simulated (modelled where a sample of the
/// blocks ran), those of library calls modelled; times are modelled as in run_file.h. What did not run has neither.
#include <filesystem>
#include <string>
#include <vector>

#include "base/device.h"
#include "codegen/profile.h"
#include "codegen/triton.h"

namespace seam::report {

struct SimulatedRun {
  std::string name;           ///< of the program
  std::string command, tool;
  Device device;
};

/// One launch of `kernel`. `ptx`: its text.
[[nodiscard]] Result<void> write_kernel_run(const SimulatedRun& run, const std::string& kernel, const std::string& ptx, const codegen::LaunchProfile& profile, const std::filesystem::path& file);
/// All launches and library calls of `graph`, in call order. `profiles` as profile_triton() gives them for it.
[[nodiscard]] Result<void> write_triton_run(const SimulatedRun& run, const codegen::TritonGraph& graph, const std::vector<codegen::TritonProfile>& profiles, const std::filesystem::path& file);

}  // namespace seam::report
