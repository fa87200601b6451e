#pragma once
/// FusionGroup → kernel IR → CUDA text → PTX.
#include <memory>
#include <string>
#include <string_view>

#include "codegen/kernel.h"
#include "codegen/source.h"
#include "planner/plan.h"

namespace seam::codegen {

/// Kernel IR of one group by its schedule; already simplified and verified. Unsupported names the op and why.
[[nodiscard]] Result<Kernel> lower(const graph::Graph& graph, const graph::Computation& computation, const planner::FusionGroup& group);
[[nodiscard]] Source emit(const Kernel& kernel);

/// NVRTC, found by name (toolkit, build/cuda wheels, library path). Thread-safe.
class Compiler {
 public:
  /// Environment error says where it looked and that scripts/setup fetches it.
  [[nodiscard]] static Result<std::shared_ptr<const Compiler>> find();
  /// One that fuses a multiply and an add into one rounding. find()'s does not: its kernels round op by op, as the reference does.
  [[nodiscard]] static Result<std::shared_ptr<const Compiler>> find_contracting();
  virtual ~Compiler() = default;
  /// PTX with line info for compute_<major><minor>, `file` as the source name, without variables that it does not use. BadInput with the compiler's log if the text does not compile.
  [[nodiscard]] virtual Result<std::string> compile(std::string_view cuda, std::string_view file, int compute_major, int compute_minor) const = 0;
  /// What compile() really targets, as 10 * major + minor: the wanted architecture, or the oldest later one that this compiler still knows
  /// (CUDA 13 dropped 7.0, so kernels for a V100 come as 7.5 and need an older toolkit to run there).
  [[nodiscard]] virtual int target(int compute_major, int compute_minor) const { return compute_major * 10 + compute_minor; }
  [[nodiscard]] virtual std::string version() const = 0;
};

}  // namespace seam::codegen
