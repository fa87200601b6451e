#pragma once
/// The correct kernels that mutants are made of, each with what proves it: a group of a planned module, or one written by hand.
#include <memory>
#include <string>

#include "codegen/kernel.h"
#include "codegen/program.h"
#include "codegen/verdict.h"

namespace seam::codegen::test {


/// A kernel and the plan it came from; lives on the heap because Program points into it.
struct Origin {
  std::string name;     ///< "lr.step mul.11": module and an op that the kernel writes
  graph::Graph graph;
  planner::Plan plan;
  Program program;
  std::size_t computation = 0, group = 0;
  Kernel kernel;
};

/// The kernel of `module` (a folder of the oracle, planned by `stitch`) that writes op `output`. Throws std::runtime_error if there is none.
[[nodiscard]] std::unique_ptr<Origin> origin_of_module(const std::string& module, const std::string& output);
/// A *.group file: of tests/codegen, or of this folder.
[[nodiscard]] std::unique_ptr<Origin> origin_of_group(const std::string& name);

/// What `seam validate` says of this kernel in the place of the origin's own: emitted, compiled, proven. Error: it does not compile.
[[nodiscard]] Result<Verdict> proven(const Origin& origin, const Kernel& kernel, const Compiler& compiler);

}  // namespace seam::codegen::test
