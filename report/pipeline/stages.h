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

/// Kernel IR and CUDA text of every group, then PTX where a compiler was found. Failures become verdicts.
void build_kernels(Optimized& out, const codegen::Compiler* compiler, std::string_view no_compiler, std::size_t threads, const Watch& watch);
/// Tiers 1 to 3 of every kernel that has PTX.
void prove_kernels(Optimized& out, std::size_t threads, const Watch& watch);
/// The whole planned program against the reference evaluator, where the request's budgets allow it.
void run_program(Optimized& out, const OptimizeRequest& request, const Watch& watch);

}  // namespace seam::report
