#include "programs.h"

#include <cstdio>
#include <stdexcept>

#include "base/files.h"
#include "graph/text.h"
#include "planner/pipeline.h"
#include "support/need.h"

namespace seam::codegen::test {
namespace {

using seam::test::need;

void leaves(const graph::Shape& shape, std::vector<const graph::Shape*>& out) {
  if (!shape.is_tuple) return out.push_back(&shape);
  for (const graph::Shape& element : shape.elements) leaves(element, out);
}

}  // namespace

std::shared_ptr<const Compiler> compiler() {
  auto found = Compiler::find();
  if (!found) std::printf("SKIPPED: %s\n", describe(found.error()).c_str());
  return found ? *found : nullptr;
}

std::unique_ptr<Planned> planned(const std::filesystem::path& module, const std::string& policy, const Compiler& compiler, planner::Layouts layouts) {
  planner::PlanOptions options;
  options.policy = policy;
  options.device = need(device_named("h100"));
  options.layouts = layouts;
  auto result = std::make_unique<Planned>();
  planner::Planning planning = need(planner::plan_module(need(graph::read_graph(need(read_file(module)), module.string())), options));
  result->graph = std::move(planning.graph);
  result->plan = std::move(planning.plan);
  const Result<void> sound = planner::verify(result->plan, result->graph, options.device);
  if (!sound) throw std::runtime_error(describe(sound.error()));
  result->program = need(build(result->graph, result->plan, options.device, compiler));
  return result;
}

std::vector<Array> arrays(const std::filesystem::path& folder, const std::string& prefix, const graph::Graph& graph) {
  const graph::Computation& entry = graph.entry_computation();
  std::vector<const graph::Shape*> shapes;
  if (prefix == "in") {
    for (const Id<graph::Op> parameter : entry.parameters) leaves(entry.ops[parameter].shape, shapes);
  } else {
    leaves(entry.ops[entry.root].shape, shapes);
  }
  std::vector<Array> out;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    out.push_back(need(reinterpreted(need(read_npy(folder / (prefix + std::to_string(k) + ".npy"))), shapes[k]->dtype)));
  }
  return out;
}

}  // namespace seam::codegen::test
