#pragma once
/// *.group: a group written by hand. HLO ops of an entry computation (with `add_f32` and `max_f32` to reduce by), and how they become one kernel:
///   // blocks 2 row          blocks of the part, and its kind
///   // lanes 32 | threads 64 | splits 4
///   // shared m row 0 2      op, schedule kind, split_dim, sword; also output, warp
///   // in_place r x
#include <memory>
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::test {

struct GroupFile {
  std::unique_ptr<graph::Graph> graph;
  planner::FusionGroup group;
};
[[nodiscard]] GroupFile read_group(std::string_view text, std::string name);

}  // namespace seam::test
