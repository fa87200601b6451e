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
  virtual ~Compiler() = default;
  /// PTX with line info for compute_<major><minor>, `file` as the source name. BadInput with the compiler's log if the text does not compile.
  [[nodiscard]] virtual Result<std::string> compile(std::string_view cuda, std::string_view file, int compute_major, int compute_minor) const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
};

}  // namespace seam::codegen
