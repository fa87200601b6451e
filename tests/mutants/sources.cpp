#include "sources.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/files.h"
#include "codegen/group_file.h"
#include "codegen/prove.h"
#include "cost/estimate.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "support/need.h"

namespace seam::codegen::test {
namespace {

using seam::test::need;

Device h100() { return need(device_named("h100")); }

void lowered(Origin& origin) {
  const planner::ComputationPlan& part = origin.plan.computations[origin.computation];
  origin.kernel = need(lower(origin.graph, origin.graph.computations[part.computation], part.groups[origin.group]));
  origin.program.graph = &origin.graph;
  origin.program.plan = &origin.plan;
}

bool writes(const graph::Computation& computation, const planner::FusionGroup& group, const std::string& output) {
  return std::ranges::any_of(planner::boundary(computation, group).outputs, [&](Id<graph::Op> id) { return computation.ops[id].name == output; });
}

}  // namespace

std::unique_ptr<Origin> origin_of_module(const std::string& module, const std::string& output) {
  const std::filesystem::path path = std::filesystem::path(SEAM_UNPACKED) / "oracle" / module / "before.hlo";
  auto origin = std::make_unique<Origin>();
  origin->name = module + " " + output;
  planner::PlanOptions options;
  options.device = h100();
  options.merge_products = options.library_epilogues = false;  // kernels are wanted
  origin->graph = need(planner::prepared(need(graph::read_graph(need(read_file(path)), path.string())), options));
  origin->plan = need(planner::make_plan(origin->graph, options));
  for (std::size_t c = 0; c < origin->plan.computations.size(); ++c) {
    const planner::ComputationPlan& part = origin->plan.computations[c];
    for (std::size_t g = 0; g < part.groups.size(); ++g) {
      if (!writes(origin->graph.computations[part.computation], part.groups[g], output)) continue;
      origin->computation = c;
      origin->group = g;
      lowered(*origin);
      return origin;
    }
  }
  throw std::runtime_error("no kernel of " + module + " writes " + output);
}

std::unique_ptr<Origin> origin_of_group(const std::string& name) {
  std::filesystem::path path = std::filesystem::path(SEAM_TEST_DIR) / (name + ".group");
  if (!std::filesystem::exists(path)) path = std::filesystem::path(SEAM_TEST_DIR).parent_path() / "codegen" / (name + ".group");
  const std::string text = need(read_file(path));
  seam::test::GroupFile file = seam::test::read_group(text.substr(0, text.find("\n----\n")), name);
  auto origin = std::make_unique<Origin>();
  origin->name = name;
  origin->graph = *std::move(file.graph);
  file.group.estimate = planner::estimate(origin->graph.entry_computation(), file.group, h100());
  planner::ComputationPlan part;
  part.computation = origin->graph.entry;
  part.groups.push_back(std::move(file.group));
  origin->plan.computations.push_back(std::move(part));
  lowered(*origin);
  return origin;
}

Result<Verdict> proven(const Origin& origin, const Kernel& kernel, const Compiler& compiler) {
  Built built;
  built.computation = origin.computation;
  built.group = origin.group;
  built.ir = print(kernel);
  built.source = emit(kernel);
  if (auto done = compile(built, h100(), compiler); !done) return tl::unexpected(std::move(done).error());
  return prove(origin.program, built);
}

}  // namespace seam::codegen::test
