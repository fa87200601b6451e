#pragma once
/// `seam simulate GRAPH.json…`: launches, bytes and modelled time of what Inductor made of graphs.
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"

namespace seam::cli {

struct GraphsRequest {
  std::vector<std::string> files;
  std::string ptx;     ///< folder; empty: the one beside the description that has its name without .json
  std::string beside;  ///< empty, or the same graph as PyTorch's compiler printed it; {} stands for the graph's name
  std::string run;     ///< empty, or the run file to write; {} stands for the graph's name
  std::string device;  ///< empty: h100
  std::uint64_t seed = 0;
  std::uint64_t instructions = 0;  ///< of threads, per kernel
  std::size_t threads = 0;
};

/// By content: a launch description is JSON, PTX never begins so. By name where there is no content.
[[nodiscard]] bool is_graph_description(const std::string& file);
[[nodiscard]] Result<int> simulate_graphs(const GraphsRequest& request, const Common& common);

}  // namespace seam::cli
