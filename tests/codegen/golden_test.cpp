// Golden kernels: *.group = an HLO entry with directives, then dashes, then the kernel IR and the CUDA text made of it.
//   // blocks 2 row          blocks of the part, and its kind
//   // lanes 32 | threads 64 | splits 4
//   // shared m row 0 2      op, schedule kind, split_dim, sword; also output, warp
//   // in_place r x
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/check.h"
#include "golden.h"
#include "support.h"

namespace seam::test {
namespace {

planner::ScheduleKind kind_of(const std::string& word) {
  for (const planner::ScheduleKind kind : {planner::ScheduleKind::Flat, planner::ScheduleKind::Row, planner::ScheduleKind::Column}) {
    if (planner::name(kind) == word) return kind;
  }
  throw Bug("no such schedule in a golden file: " + word);
}

void direct(GroupOf& group, const std::string& text) {
  std::istringstream line(text);
  std::string what, name, kind;
  line >> what;
  if (what == "blocks") {
    std::int64_t n = 1;
    line >> n >> kind;
    group.blocks(n, kind_of(kind));
  } else if (what == "lanes" || what == "threads" || what == "splits") {
    int n = 1;
    line >> n;
    what == "lanes" ? group.lanes(n) : what == "threads" ? group.threads(n) : group.splits(n);
  } else if (what == "in_place") {
    std::string input;
    line >> name >> input;
    group.in_place(name, input);
  } else {
    planner::Schedule schedule;
    line >> name >> kind >> schedule.split_dim >> schedule.sword;
    schedule.kind = kind_of(kind);
    if (what == "shared") {
      group.shared(name, schedule);
    } else if (what == "warp") {
      group.warp(name, schedule);
    } else {
      group.output(name, schedule);
    }
  }
}

std::string run(std::string_view input) {
  std::string ops;
  std::vector<std::string> directives;
  std::istringstream lines{std::string(input)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// ")) {
      directives.push_back(line.substr(3));
    } else {
      ops += line + "\n";
    }
  }
  const graph::Graph graph = graph_of_ops(ops);
  GroupOf group(graph, "golden");
  for (const std::string& one : directives) direct(group, one);
  const codegen::Kernel kernel = kernel_of(graph, group.group());
  return codegen::print(kernel) + "\n" + codegen::emit(kernel).cuda;
}

const GoldenSuite kSuite(".group", run);

}  // namespace
}  // namespace seam::test
