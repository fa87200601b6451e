#include "codegen/program_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/units.h"
#include "graph/cuts.h"
#include "graph/tolerance.h"
#include "validate/compare.h"

namespace seam::codegen {
namespace {

std::int64_t integer_at(const Array& array, std::size_t i) {
  const auto width = static_cast<std::size_t>(bytes(array.dtype));
  std::int64_t value = 0;
  if (width == 8) {
    std::memcpy(&value, &array.data[i * width], 8);
  } else {
    value = static_cast<std::int64_t>(load_as_double(array.dtype, &array.data[i * width]));
  }
  return value;
}

/// The table where it holds; where sums are kept in a narrow type, that type is the one they accumulate in.
graph::Tolerance granted(const graph::Precision& precision, const Arithmetic& arithmetic) {
  DType type = precision.dtype;
  if (arithmetic.tf32 && graph::unit_roundoff(type) < graph::unit_roundoff(DType::F16)) type = DType::F16;
  graph::Tolerance table = graph::tolerance(type, precision.reduction_length);
  const double unit = graph::unit_roundoff(precision.dtype);
  if (arithmetic.narrow_sums && unit > graph::unit_roundoff(DType::F32)) {
    table.abs = 8 * unit + 8 * unit * std::sqrt(static_cast<double>(std::max<std::int64_t>(precision.reduction_length, 1)));
  }
  return table;
}

OutputCheck check(const Array& actual, const Array& expected, double spread, const graph::Tolerance& table, const std::vector<double>& slack) {
  OutputCheck out;
  out.spread = spread;
  const auto count = static_cast<std::size_t>(expected.elements());
  const auto width = static_cast<std::size_t>(bytes(expected.dtype));
  const auto differs = [&](std::size_t i, double got, double want, double allowed) {
    if (out.wrong++ == 0) out.first_wrong = fmt::format("element {}: {:.9g}, expected {:.9g}, allowed difference {:.3g}", i, got, want, allowed);
  };
  out.compared = count;
  if (!is_float(expected.dtype)) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t got = integer_at(actual, i);
      const std::int64_t want = integer_at(expected, i);
      if (got != want) differs(i, static_cast<double>(got), static_cast<double>(want), 0);
    }
    return out;
  }
  double scale = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double want = load_as_double(expected.dtype, &expected.data[i * width]);
    if (std::isfinite(want)) scale = std::max(scale, std::abs(want));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double got = load_as_double(actual.dtype, &actual.data[i * width]);
    const double want = load_as_double(expected.dtype, &expected.data[i * width]);
    if (std::isnan(want) || std::isinf(want) || !std::isfinite(got)) {
      if (same_class(got, want)) continue;
      if (i < slack.size() && std::isinf(slack[i])) {
        ++out.ill_conditioned;
      } else {
        differs(i, got, want, 0);
      }
      continue;
    }
    const double difference = std::abs(got - want);
    const double by_table = table.abs * scale + table.rel * std::abs(want);
    const double before = std::max(by_table, spread);
    const double allowed = i < slack.size() ? std::max(before, slack[i]) : before;
    out.max_abs = std::max(out.max_abs, difference);
    if (want != 0) out.max_rel = std::max(out.max_rel, difference / std::abs(want));
    out.tolerance = std::max(out.tolerance, allowed);
    if (difference > by_table && difference <= before) out.used_spread = true;
    if (difference > before && difference <= allowed) ++out.ill_conditioned;
    if (difference > allowed) differs(i, got, want, allowed);
  }
  return out;
}

}  // namespace

std::string remark(const OutputCheck& output) {
  if (output.wrong > 0) return output.first_wrong;
  if (output.ill_conditioned > 0) return fmt::format("{} elements judged by their conditioning: rounding alone moves the reference that far", output.ill_conditioned);
  return output.used_spread ? "within the spread of the expected values themselves" : "";
}

std::int64_t longest_reduction(const graph::Graph& graph) {
  std::int64_t longest = 1;
  for (const graph::Computation& computation : graph.computations) {
    for (const graph::Op& op : computation.ops) longest = std::max(longest, graph::reduction_length(computation, op));
  }
  return longest;
}

ProgramCheck check_outputs(const graph::Graph& graph, const std::vector<Array>& actual, const std::vector<Array>& expected,
                           const std::vector<double>& spreads, const Arithmetic& arithmetic, const Slack& slack) {
  ProgramCheck result;
  if (actual.size() != expected.size()) {
    result.outcome = Outcome::Failed;
    result.reason = fmt::format("{} outputs, {} expected", actual.size(), expected.size());
    return result;
  }
  const std::vector<graph::Precision> precisions = graph::output_precisions(graph);
  result.outcome = Outcome::Passed;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (actual[k].dtype != expected[k].dtype || actual[k].dims != expected[k].dims) {
      result.outcome = Outcome::Failed;
      result.reason = fmt::format("output {} has another shape than expected", k);
      return result;
    }
    const graph::Precision precision = k < precisions.size() ? precisions[k] : graph::Precision{expected[k].dtype, longest_reduction(graph)};
    OutputCheck output = check(actual[k], expected[k], k < spreads.size() ? spreads[k] : 0, granted(precision, arithmetic), k < slack.size() ? slack[k] : std::vector<double>());
    output.index = k;
    if (output.wrong > 0 && result.outcome == Outcome::Passed) {
      result.outcome = Outcome::Failed;
      result.reason = fmt::format("output {}: {} of {} elements wrong; {}", k, output.wrong, output.compared, output.first_wrong);
    }
    result.outputs.push_back(std::move(output));
  }
  return result;
}

namespace {

ProgramCheck checked_by_conditioning(const graph::Graph& module, std::span<const Array> inputs, const graph::Graph& graph, const std::vector<Array>& actual,
                                     const std::vector<Array>& expected, const std::vector<double>& spreads, const Arithmetic& arithmetic, const std::function<bool()>& go_on) {
  ProgramCheck plain = check_outputs(graph, actual, expected, spreads, arithmetic);
  if (plain.outcome != Outcome::Failed || plain.outputs.size() != expected.size()) return plain;
  const auto reference = reference_outputs(module, inputs, go_on);
  if (!reference || reference->size() != expected.size()) return plain;
  const auto slack = conditioning(module, inputs, *reference, go_on);
  return slack ? check_outputs(graph, actual, expected, spreads, arithmetic, *slack) : plain;
}

}  // namespace

ProgramCheck check_outputs_at(const graph::Graph& module, std::span<const Array> inputs, const graph::Graph& graph, const std::vector<Array>& actual,
                              const std::vector<Array>& expected, const std::vector<double>& spreads, const Arithmetic& arithmetic, const std::function<bool()>& go_on) {
  ProgramCheck out = checked_by_conditioning(module, inputs, graph, actual, expected, spreads, arithmetic, go_on);
  if (const std::int64_t cuts = graph::cuts(module); cuts > 0 && out.outcome == Outcome::Passed) {
    out.outcome = Outcome::Inconclusive;
    out.reason = fmt::format("it agrees with its graph, which leaves out what was written into {}", counted(cuts, "tensor"));
  }
  return out;
}

}  // namespace seam::codegen
