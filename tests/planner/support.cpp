#include "support.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "graph/text.h"

namespace seam::planner::test {

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

graph::Graph module(std::string_view text) {
  Result<graph::Graph> graph = graph::read_graph(text, "test");
  if (!graph) throw std::runtime_error(describe(graph.error(), text));
  return *std::move(graph);
}

std::vector<std::filesystem::path> xla_modules() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(SEAM_TEST_DATA) / "xla"))
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<std::filesystem::path> small_modules() {
  std::vector<std::filesystem::path> files = xla_modules();
  std::erase_if(files, [](const std::filesystem::path& file) { return std::filesystem::file_size(file) > 130'000; });
  return files;
}

PlanOptions options_for(std::string policy, std::int64_t shared_cap) {
  PlanOptions options;
  options.policy = std::move(policy);
  options.device = device_named("h100").value();
  options.shared_cap = shared_cap;
  return options;
}

Case planned(const graph::Graph& graph, const PlanOptions& options) {
  Result<graph::Graph> ready = prepared(graph, options);
  if (!ready) throw std::runtime_error(describe(ready.error()));
  Result<Plan> plan = make_plan(*ready, options);
  if (!plan) throw std::runtime_error(describe(plan.error()));
  return {*std::move(ready), *std::move(plan)};
}

Case planned(std::string_view text, const PlanOptions& options) { return planned(module(text), options); }

const PlannedOp& planned_op(const Case& c, std::string_view name) {
  for (const ComputationPlan& one : c.plan.computations)
    for (const FusionGroup& group : one.groups)
      for (const Part& part : group.parts)
        for (const PlannedOp& op : part.ops)
          if (c.graph.computations[one.computation].ops[op.op].name == name) return op;
  throw std::runtime_error("not planned: " + std::string(name));
}

bool has_veto(const Plan& plan, VetoCode code) {
  return std::ranges::any_of(plan.vetoes, [&](const Veto& veto) { return veto.code == code; });
}

std::string complaint(const Case& c) {
  const Result<void> sound = verify(c.plan, c.graph, device_named("h100").value());
  return sound ? std::string() : sound.error().message;
}

}  // namespace seam::planner::test
