/// seam eval: the reference evaluator alone, on .npy inputs. What every other stage's values are checked against.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "base/npy.h"
#include "cli/command.h"
#include "graph/evaluate.h"
#include "graph/views.h"
#include "interrupt.h"
#include "module.h"
#include "progress.h"
#include "report/render.h"

namespace seam::cli {
namespace {

struct Options {
  ModuleFlags flags;
  std::string module, inputs, output;
  bool rounded = false;
};

/// What was written, with enough to see at a glance whether it is sane.
struct Output {
  std::string file, shape;
  std::int64_t elements = 0, nans = 0;
  double lowest = 0, highest = 0;
};

Output summary(const graph::Value& value, std::string file) {
  Output out{std::move(file), graph::print(value.shape), value.shape.elements_count(), 0, HUGE_VAL, -HUGE_VAL};
  const auto see = [&](double x) {
    if (std::isnan(x)) {
      ++out.nans;
      return;
    }
    out.lowest = std::min(out.lowest, x);
    out.highest = std::max(out.highest, x);
  };
  for (const double x : value.numbers) see(x);
  for (const std::int64_t x : value.integers) see(static_cast<double>(x));
  return out;
}

/// Leaves of a root of leaves or tuples, in order.
void leaves(const graph::Value& value, std::vector<const graph::Value*>& out) {
  if (!value.shape.is_tuple) return out.push_back(&value);
  for (const graph::Value& element : value.elements) leaves(element, out);
}

/// Parameters may be tuples: their leaves come one by one.
graph::Value assembled(const graph::Shape& shape, std::vector<graph::Value>& flat, std::size_t& next) {
  if (!shape.is_tuple) return std::move(flat[next++]);
  graph::Value tuple;
  tuple.shape = shape;
  for (const graph::Shape& element : shape.elements) tuple.elements.push_back(assembled(element, flat, next));
  return tuple;
}

Result<std::vector<graph::Value>> read_values(const graph::Graph& graph, const std::string& folder) {
  SEAM_TRY(const std::vector<Array> arrays, read_inputs(folder, graph));
  const graph::Computation& entry = graph.entry_computation();
  std::vector<const graph::Shape*> shapes;
  const auto flatten = [&](const auto& self, const graph::Shape& shape) -> void {
    if (!shape.is_tuple) return shapes.push_back(&shape);
    for (const graph::Shape& element : shape.elements) self(self, element);
  };
  for (const Id<graph::Op> parameter : entry.parameters) flatten(flatten, entry.ops[parameter].shape);
  std::vector<graph::Value> flat;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    SEAM_TRY(graph::Value value, during(fmt::format("reading input {}", k), graph::to_value(arrays[k], *shapes[k])));
    flat.push_back(std::move(value));
  }
  std::vector<graph::Value> values;
  std::size_t next = 0;
  for (const Id<graph::Op> parameter : entry.parameters) values.push_back(assembled(entry.ops[parameter].shape, flat, next));
  return values;
}

void print_summary(const std::vector<Output>& outputs, const Options& options, const Common& common) {
  if (common.format == Format::Json) {
    nlohmann::ordered_json json{{"schema", "seam.eval/1"}, {"module", options.module}, {"rounding", options.rounded ? "rounded" : "wide"}};
    json["outputs"] = nlohmann::ordered_json::array();
    for (const Output& out : outputs) {
      nlohmann::ordered_json row{{"file", out.file}, {"shape", out.shape}, {"nans", out.nans}};
      row["lowest"] = std::isfinite(out.lowest) ? nlohmann::ordered_json(out.lowest) : nullptr;
      row["highest"] = std::isfinite(out.highest) ? nlohmann::ordered_json(out.highest) : nullptr;
      json["outputs"].push_back(std::move(row));
    }
    fmt::print("{}\n", dumped(json, 2));
    return;
  }
  report::Table table;
  table.title = fmt::format("reference outputs of {}, {}", options.module,
                            options.rounded ? "each op rounded to its own type" : "computed in double");
  table.columns = {{"file", "file", report::Unit::Text, {}}, {"shape", "shape", report::Unit::Text, {}}, {"nans", "NaNs", report::Unit::Count, {}},
                   {"lowest", "lowest", report::Unit::Text, {}}, {"highest", "highest", report::Unit::Text, {}}};
  for (const Output& out : outputs) {
    const bool some = out.lowest <= out.highest;
    table.rows.push_back({out.file, out.shape, out.nans, some ? fmt::format("{:.6g}", out.lowest) : "-", some ? fmt::format("{:.6g}", out.highest) : "-"});
  }
  fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(table) : report::to_text(table));
}

Result<int> run(const Options& options, const Common& common) {
  SEAM_TRY(const graph::Graph graph, open_module(options.module, options.flags));
  std::vector<graph::Value> inputs;
  if (!graph.entry_computation().parameters.empty()) {
    if (options.inputs.empty()) return fail(Error::Code::BadInput, "this module takes inputs: give their folder with --inputs");
    SEAM_TRY(inputs, read_values(graph, options.inputs));
  }
  const Interrupt interrupt;
  Progress bar(common.quiet);
  const auto tick = bar.stage("evaluating");
  const std::size_t total = graph.entry_computation().ops.size();
  std::size_t done = 0;
  graph::EvaluateOptions evaluation;
  evaluation.rounding = options.rounded ? graph::Rounding::Rounded : graph::Rounding::Wide;
  evaluation.progress = [&](const graph::Op&) {
    if (tick) tick(++done, total);
    return !Interrupt::asked();
  };
  SEAM_TRY(const graph::Value root, graph::evaluate(graph, inputs, evaluation));
  bar.done();
  std::vector<const graph::Value*> results;
  leaves(root, results);
  std::vector<Output> outputs;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::string file = fmt::format("out{}.npy", k);
    Array array = graph::to_array(*results[k]);
    if (const auto view = graph::view_of(graph, graph::Border::Output, static_cast<std::int64_t>(k))) {
      SEAM_TRY(array, graph::seen_through(*view, array));
    }
    SEAM_DO(write_npy(std::filesystem::path(options.output) / file, array));
    outputs.push_back(summary(*results[k], file));
  }
  print_summary(outputs, options, common);
  return kPass;
}

}  // namespace

Run define_eval(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("module", options->module, "an HLO or .graph module")->required();
  add_module_flags(app, options->flags);
  app.add_option("--inputs", options->inputs, "folder with in<k>.npy, one per entry parameter (bf16 as uint16 bits)");
  app.add_option("-o,--output", options->output, "folder for out<k>.npy, one per element of the root tuple")->required();
  app.add_flag("--rounded", options->rounded, "round each op's result to its own type (default: floats stay double until written)");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
