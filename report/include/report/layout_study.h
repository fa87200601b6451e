#pragma once
/// `seam study layouts`: kernel groups of the layer of "Data Movement Is All You Need" (arXiv 2007.00072) in every order of the dims of their operands and
/// results. For each configuration a kernel is emitted, counted on the simulator and proven; beside it the spread of times that the paper's authors
/// published for theirs (spcl/substation, perf_*.txt) and the order that their selection took.
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/meter.h"
#include "codegen/verdict.h"
#include "graph/graph.h"
#include "report/document.h"

namespace seam::report {

/// One assignment of orders; an order is written with the dims' letters, major first: "HBJK".
struct LayoutConfiguration {
  std::vector<std::string> operands;  ///< by wide operand
  std::string results;                ///< all wide results alike
  std::string walked;                 ///< the order in which the kernel goes through the elements: the fastest of those of its border
  std::int64_t kernels = 0;           ///< 1, unless the planner took it apart
  double sectors = 0;                 ///< 32-byte sectors asked for, simulated
  double dram_bytes = 0;
  double us = 0;                      ///< by the time model
  codegen::Outcome proof = codegen::Outcome::NotRun;
  std::string why_not_proven;
};
struct LayoutGroup {
  std::string name, kernel;           ///< "softmax", of the published implementation: "SM"
  std::string letters;                ///< of a wide value's dims, row-major: "HBJK"
  std::vector<std::string> operands;  ///< names
  std::vector<LayoutConfiguration> configurations;  ///< the first is row-major throughout
  // Published, of times on a V100: configurations tried, slowest over fastest, orders that their selection took.
  std::int64_t published_configurations = 0;
  double published_spread = 0;
  std::string published_choice;
};
struct LayoutStudy {
  std::int64_t batch = 8, sequence = 512;
  std::string device;
  std::vector<LayoutGroup> groups;
};
struct LayoutStudyRequest {
  std::int64_t batch = 8, sequence = 512;
  std::string only;       ///< a group's name; empty: all
  std::int64_t every = 1; ///< only each n-th configuration, the first included
  bool prove = true;
};
/// `layer`: the bundled bert_paper.graph.
[[nodiscard]] Result<LayoutStudy> layout_study(const graph::Graph& layer, const LayoutStudyRequest& request, const codegen::Meter& meter, const codegen::Compiler& compiler,
                                               const std::function<codegen::Progress(std::string_view stage)>& stage = {});
[[nodiscard]] Document layout_study_document(const LayoutStudy& study);
/// "schema": "seam.study-layouts/1".
[[nodiscard]] std::string layout_study_json(const LayoutStudy& study);

}  // namespace seam::report
