/// A whole module on the evaluator, arrays in and arrays out.
#include <fmt/core.h>

#include "codegen/program_check.h"
#include "graph/evaluate.h"

namespace seam::codegen {
namespace {

Result<graph::Value> bound(const graph::Shape& shape, std::span<const Array> inputs, std::size_t& next) {
  if (!shape.is_tuple) {
    if (next >= inputs.size()) return fail(Error::Code::BadInput, fmt::format("{} inputs given, the module takes more", inputs.size()));
    return graph::to_value(inputs[next++], shape);
  }
  graph::Value tuple;
  tuple.shape = shape;
  for (const graph::Shape& element : shape.elements) {
    SEAM_TRY(graph::Value value, bound(element, inputs, next));
    tuple.elements.push_back(std::move(value));
  }
  return tuple;
}

void collect(const graph::Value& value, std::vector<Array>& out) {
  if (!value.shape.is_tuple) return out.push_back(graph::to_array(value));
  for (const graph::Value& element : value.elements) collect(element, out);
}

}  // namespace

Result<std::vector<Array>> reference_outputs(const graph::Graph& module, std::span<const Array> inputs, const std::function<bool()>& go_on) {
  const graph::Computation& entry = module.entry_computation();
  std::vector<graph::Value> values;
  std::size_t next = 0;
  for (const Id<graph::Op> parameter : entry.parameters) {
    SEAM_TRY(graph::Value value, bound(entry.ops[parameter].shape, inputs, next));
    values.push_back(std::move(value));
  }
  if (next != inputs.size()) return fail(Error::Code::BadInput, fmt::format("{} inputs given, the module takes {}", inputs.size(), next));
  graph::EvaluateOptions options;
  options.rounding = graph::Rounding::Rounded;
  if (go_on) options.progress = [&](const graph::Op&) { return go_on(); };
  SEAM_TRY(const graph::Value root, graph::evaluate(module, values, options));
  std::vector<Array> out;
  collect(root, out);
  return out;
}

}  // namespace seam::codegen
