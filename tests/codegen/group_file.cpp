#include "group_file.h"

#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
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

}  // namespace

GroupFile read_group(std::string_view text, std::string name) {
  std::string ops;
  std::vector<std::string> directives;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// ")) {
      directives.push_back(line.substr(3));
    } else {
      ops += line + "\n";
    }
  }
  auto graph = std::make_unique<graph::Graph>(graph_of_ops(ops));
  GroupOf group(*graph, std::move(name));
  for (const std::string& one : directives) direct(group, one);
  return {std::move(graph), group.group()};
}

}  // namespace seam::test
