#pragma once
/// The stages of optimize(), each filling its part of the result.
#include "report/optimize.h"

namespace seam::report {

class Watch {
 public:
  explicit Watch(const Observer& observer) : observer_(observer) {}
  [[nodiscard]] codegen::Progress stage(std::string_view name) const { return observer_.stage ? observer_.stage(name) : codegen::Progress(); }
  [[nodiscard]] bool cancelled() const { return observer_.cancelled && observer_.cancelled(); }

 private:
  const Observer& observer_;
};

/// What was found on this machine; null: nothing.
struct Tools {
  std::shared_ptr<const codegen::Compiler> compiler;
  std::string no_compiler;  ///< why not
  std::shared_ptr<const codegen::Assembler> assembler;
};
/// Kernel IR and CUDA text of every group, then PTX where a compiler was found, and its resources where an assembler was. Failures become verdicts.
void build_kernels(Optimized& out, const Tools& tools, std::size_t threads, const Watch& watch);
/// Tiers 1 to 3 of every kernel that has PTX.
void prove_kernels(Optimized& out, std::size_t threads, const Watch& watch);
/// The whole planned program against the reference evaluation of the module as it was read, where the request's budgets allow it: what the planner
/// did to its graph is under test too.
void run_program(Optimized& out, const graph::Graph& module, const OptimizeRequest& request, const Watch& watch);

}  // namespace seam::report
