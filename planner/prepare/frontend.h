#pragma once
/// What a pass wants remembered about an op that it wrote: lists of names in the op's frontend_attributes, so that the graph's text carries them.
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace seam::planner {

/// The words kept under `key`, in order; empty if there are none.
[[nodiscard]] std::vector<std::string> frontend_words(const graph::Op& op, std::string_view key);
/// Adds a list under `key`, which must not be there yet; nothing if the list is empty. No name may have a space or a quote, as none in HLO has.
void keep_frontend_words(graph::Op& op, std::string_view key, const std::vector<std::string>& words);

}  // namespace seam::planner
