// Writes into parts of tensors: what a graph made of an execution trace computes against what PyTorch left in memory (scripts/torch-writes).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "analyzer/recorded_graph.h"
#include "base/temporary_folder.h"
#include "collector/import.h"
#include "graph/evaluate.h"
#include "graph/transform.h"
#include "graph/views.h"
#include "support/packed.h"

namespace seam::analyzer {
namespace {

using Json = nlohmann::json;

Result<RecordedGraph> graph_of(const Json& trace, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "trace.json";
  std::ofstream(file) << trace.dump();
  collector::ImportOptions options;
  options.output = folder / "run.seam";
  SEAM_DO(collector::import_trace(file.string(), options));
  SEAM_TRY(const db::Database run, db::Database::open(options.output));
  return graph_of_run(run, {});
}

bool close(const Array& actual, const Array& expected) {
  if (actual.dtype != expected.dtype || actual.dims != expected.dims) return false;
  for (std::size_t at = 0; at < expected.data.size(); at += sizeof(float)) {
    const double a = load_as_double(actual.dtype, actual.data.data() + at), e = load_as_double(expected.dtype, expected.data.data() + at);
    if (!(std::abs(a - e) <= 1e-5 * std::max(1.0, std::abs(e)))) return false;
  }
  return true;
}

/// Empty, or what is wrong: each result that PyTorch left must be an output; one that an input became must be donated to that input.
std::string outcome(const Json& one, const std::filesystem::path& folder) {
  const auto recorded = graph_of(one["trace"], folder);
  if (!recorded) return describe(recorded.error());
  if (recorded->cuts + recorded->opaque != 0 || !recorded->left_out.empty()) return "something was left out";
  const graph::Graph& graph = recorded->graph;
  const graph::Computation& entry = graph.entry_computation();
  std::vector<graph::Value> inputs;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
    const graph::Shape& shape = entry.ops[entry.parameters[k]].shape;
    const auto found = std::ranges::find_if(one["inputs"].items(), [&](const auto& input) { return input.value()[1].template get<std::vector<std::int64_t>>() == shape.dims; });
    if (found == one["inputs"].items().end()) return "a parameter of a shape that no input has";
    names.push_back(found.key());
    const auto value = graph::to_value(seam::test::array_of(found.value()), shape);
    if (!value) return value.error().message;
    inputs.push_back(*value);
  }
  const auto root = graph::evaluate(graph, inputs);
  if (!root) return root.error().message;
  std::map<std::string, int> seen;
  for (std::size_t k = 0; k < root->elements.size(); ++k) {
    Array array = graph::to_array(root->elements[k]);
    if (const auto view = graph::view_of(graph, graph::Border::Output, static_cast<std::int64_t>(k))) array = graph::seen_through(*view, array).value();
    const auto donated = std::ranges::find(graph.donated, static_cast<std::int64_t>(k), &std::pair<std::int64_t, std::int64_t>::first);
    const std::string name = donated == graph.donated.end() ? "result" : names.at(static_cast<std::size_t>(donated->second));
    if (!one["results"].contains(name)) continue;  // memory of the program's own, or written with what it held
    const Array expected = seam::test::array_of(one["results"][name]);
    if (close(array, expected)) ++seen[name];
    if (name != "result" && !close(array, expected)) return name + " is not what PyTorch left in it";
  }
  for (const auto& [name, value] : one["results"].items())
    if (seen[name] == 0) return name + " is no output";
  return {};
}

TEST(RecordedWrites, ThroughViewsLeaveWhatPyTorchLeaves) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  std::ifstream file(SEAM_UNPACKED "/writes/writes.jsonl");
  ASSERT_TRUE(file);
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const Json one = Json::parse(line);
    EXPECT_EQ(outcome(one, folder->path()), "") << one["name"] << "\n" << one["program"].dump(1);
  }
  EXPECT_EQ(cases, 150);
}

}  // namespace
}  // namespace seam::analyzer
