/// A whole module on the evaluator, arrays in and arrays out.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "codegen/program_check.h"
#include "graph/evaluate.h"
#include "validate/compare.h"

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

Result<std::vector<Array>> outputs(const graph::Graph& module, std::span<const Array> inputs, const std::function<bool()>& go_on, std::uint64_t shake) {
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
  options.shake = shake;
  if (go_on) options.progress = [&](const graph::Op&) { return go_on(); };
  SEAM_TRY(const graph::Value root, graph::evaluate(module, values, options));
  std::vector<Array> out;
  collect(root, out);
  return out;
}

}  // namespace

Result<std::vector<Array>> reference_outputs(const graph::Graph& module, std::span<const Array> inputs, const std::function<bool()>& go_on) {
  return outputs(module, inputs, go_on, 0);
}

Result<Slack> conditioning(const graph::Graph& module, std::span<const Array> inputs, std::span<const Array> reference, const std::function<bool()>& go_on) {
  constexpr std::uint64_t kPatterns = 8;
  constexpr std::uint64_t kOfClasses = 64;  // NaN or not has no distance: only more patterns tell how many elements it concerns
  constexpr double kChance = 2;             // eight patterns of signs do not hit the worst one
  Slack slack;
  for (const Array& output : reference) slack.emplace_back(static_cast<std::size_t>(output.elements()), 0.0);
  bool classes_change = false;
  for (std::uint64_t seed = 1; seed <= (classes_change ? kOfClasses : kPatterns); ++seed) {
    SEAM_TRY(const std::vector<Array> moved, outputs(module, inputs, go_on, seed));
    for (std::size_t k = 0; k < slack.size(); ++k) {
      const Array& at_rest = reference[k];
      if (!is_float(at_rest.dtype)) continue;
      const auto width = static_cast<std::size_t>(bytes(at_rest.dtype));
      for (std::size_t i = 0; i < slack[k].size(); ++i) {
        const double was = load_as_double(at_rest.dtype, &at_rest.data[i * width]), is = load_as_double(at_rest.dtype, &moved[k].data[i * width]);
        if (!same_class(was, is)) {
          slack[k][i] = HUGE_VAL;
          classes_change = true;
        } else if (std::isfinite(was) && seed <= kPatterns) {
          slack[k][i] = std::max(slack[k][i], kChance * std::abs(is - was));
        }
      }
    }
  }
  return slack;
}

}  // namespace seam::codegen
