// Every operator of PyTorch with a known meaning against PyTorch itself: small graphs, inputs and results made by scripts/torch-operators.
#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/torch.h"
#include "graph/tolerance.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "graph/views.h"
#include "support.h"
#include "support/packed.h"

namespace seam::graph::test {
namespace {

using Json = nlohmann::json;
using seam::test::array_of;

/// Largest difference beyond the tolerance of the output's type, or a message.
std::string difference(const Array& actual, const Array& expected, const Precision& precision) {
  if (actual.dtype != expected.dtype || actual.dims != expected.dims) return "another type or shape";
  const Tolerance allowed = tolerance(precision.dtype, precision.reduction_length);
  double scale = 0;
  const auto width = static_cast<std::size_t>(bytes(actual.dtype));
  const auto at = [&](const Array& array, std::int64_t i) { return load_as_double(array.dtype, array.data.data() + static_cast<std::size_t>(i) * width); };
  for (std::int64_t i = 0; i < expected.elements(); ++i)
    if (std::isfinite(at(expected, i))) scale = std::max(scale, std::abs(at(expected, i)));
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    const double a = at(actual, i), e = at(expected, i);
    if ((std::isnan(a) && std::isnan(e)) || a == e) continue;
    if (!(std::abs(a - e) <= allowed.abs * std::max(scale, 1.0) + allowed.rel * std::abs(e))) return fmt::format("element {}: {} instead of {}", i, a, e);
  }
  return {};
}

std::string outcome(const Json& one) {
  const auto graph = parse_torch(one["graph"].get<std::string>(), one["name"].get<std::string>());
  if (!graph) return graph.error().message;
  const Result<void> sound = verify(*graph);
  if (!sound) return sound.error().message;
  if (const auto opaque = opaque_ops(without_dead_code(*graph)); !opaque.empty()) return opaque.front().target + ": " + opaque.front().reason;
  const Computation& entry = graph->entry_computation();
  if (entry.parameters.size() != one["inputs"].size()) return fmt::format("{} parameters for {} inputs", entry.parameters.size(), one["inputs"].size());
  std::vector<Value> inputs;
  for (std::size_t k = 0; k < one["inputs"].size(); ++k) {
    const Shape& shape = entry.ops[entry.parameters[k]].shape;
    Array array = array_of(one["inputs"][k]);
    if (const auto view = view_of(*graph, Border::Input, static_cast<std::int64_t>(k))) array = stored_through(*view, array, make_array(array.dtype, shape.dims)).value();
    const auto value = to_value(array, shape);
    if (!value) return value.error().message;
    inputs.push_back(*value);
  }
  const Graph alive = without_dead_code(*graph);
  EvaluateOptions options;
  options.rounding = Rounding::Rounded;
  const auto root = evaluate(alive, inputs, options);
  if (!root) return root.error().message;
  if (root->elements.size() != one["outputs"].size()) return fmt::format("{} outputs instead of {}", root->elements.size(), one["outputs"].size());
  const std::vector<Precision> precisions = output_precisions(alive);
  for (std::size_t k = 0; k < root->elements.size(); ++k) {
    Array array = to_array(root->elements[k]);
    if (const auto view = view_of(*graph, Border::Output, static_cast<std::int64_t>(k))) array = seen_through(*view, array).value();
    if (const std::string wrong = difference(array, array_of(one["outputs"][k]), precisions[k]); !wrong.empty()) return fmt::format("output {}: {}", k, wrong);
  }
  return {};
}

TEST(TorchOperators, AreWhatPyTorchComputes) {
  std::ifstream file(SEAM_TEST_DATA "/torch/operators.jsonl");
  ASSERT_TRUE(file) << "tests/data/torch/operators.jsonl";
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    const Json one = Json::parse(line);
    ++cases;
    EXPECT_EQ(outcome(one), "") << one["name"] << "\n" << one["graph"].get<std::string>();
  }
  EXPECT_GT(cases, 400);
}

}  // namespace
}  // namespace seam::graph::test
