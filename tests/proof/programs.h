#pragma once
/// Modules of ours, planned and built, for tests of proofs and program runs.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "codegen/program.h"
#include "graph/graph.h"
#include "planner/planner.h"

namespace seam::codegen::test {

/// A module with its plan and its compiled kernels; lives on the heap because Program points into it.
struct Planned {
  graph::Graph graph;
  planner::Plan plan;
  Program program;
};

/// nullptr and a loud skip message if no NVRTC is found on this machine.
[[nodiscard]] std::shared_ptr<const Compiler> compiler();
/// Throws std::runtime_error with the error's text.
[[nodiscard]] std::unique_ptr<Planned> planned(const std::filesystem::path& module, const std::string& policy, const Compiler& compiler,
                                               planner::Layouts layouts = planner::Layouts::AsWritten);
/// in<k>.npy or out<k>.npy of a folder, in the dtypes of the module.
[[nodiscard]] std::vector<Array> arrays(const std::filesystem::path& folder, const std::string& prefix, const graph::Graph& graph);

}  // namespace seam::codegen::test
