#pragma once
/// What the framework called the ops of a kernel, for people; the ops' own names stay beside it.
#include <cstddef>
#include <string>
#include <vector>

#include "report/optimized.h"

namespace seam::report {

/// "attention/softmax", "attention/softmax, backward"; empty if unknown.
[[nodiscard]] std::string origin_label(const graph::Graph& graph, const graph::Op& op);

struct OriginCount {
  std::string label;  ///< "" = unknown
  std::size_t ops = 0;
};
/// Origins of a kernel's ops, most ops first.
[[nodiscard]] std::vector<OriginCount> origins_of(const KernelView& kernel);
/// One line: "attention/softmax · attention/scores and 2 more"; empty if nothing is known.
[[nodiscard]] std::string title_of(const KernelView& kernel);

}  // namespace seam::report
