/// seam import: reads modules and recorded traces, says what they hold and what is missing in them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_out.h"
#include "cli/command.h"
#include "graph/hlo.h"
#include "graph/text.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "import_traces.h"
#include "module.h"
#include "report/render.h"

namespace seam::cli {
namespace {

struct Options {
  ModuleFlags flags;
  std::vector<std::string> files;
  std::string output;
  Beside beside;
};

struct Warning {
  std::string code, message;
};

struct Imported {
  std::string file, format, module;
  graph::Graph graph;
  std::size_t ops = 0, entry_ops = 0;
  std::vector<Warning> warnings;
};

void warn_about_values(const graph::Graph& graph, std::vector<Warning>& warnings) {
  std::size_t elided = 0;
  for (const graph::Computation& computation : graph.computations) {
    for (const graph::Op& op : computation.ops) elided += op.opcode == graph::Opcode::Constant && !op.attributes.literal.known ? 1 : 0;
  }
  if (elided > 0) {
    warnings.push_back({"elided-constant", fmt::format("the values of {} constants are not in the text: it can be planned, but values cannot be checked", elided)});
  }
}

void warn_about_loops(const graph::Graph& graph, std::vector<Warning>& warnings) {
  for (const graph::Computation& computation : graph.computations) {
    for (const graph::Op& op : computation.ops) {
      if (op.opcode != graph::Opcode::While || graph::trip_count(graph, computation, op)) continue;
      warnings.push_back({"unknown-trip-count", fmt::format("how often loop '{}' runs depends on data: it counts once", op.name)});
    }
  }
}

void warn_about_calls(const graph::Graph& graph, std::vector<Warning>& warnings) {
  std::map<std::string, std::size_t> targets;
  for (const graph::Computation& computation : graph.computations) {
    for (const graph::Op& op : computation.ops) {
      if (op.opcode == graph::Opcode::CustomCall && !op.attributes.custom_call_target.starts_with("__cu")) ++targets[op.attributes.custom_call_target];
    }
  }
  for (const graph::OpaqueOp& op : graph::opaque_ops(graph)) {
    targets.erase(op.target);
    warnings.push_back({"opaque-operator", fmt::format("{} calls of {} stay library calls: {}", op.count, op.target, op.reason)});
  }
  for (const auto& [target, count] : targets) {
    warnings.push_back({"opaque-custom-call", fmt::format("{} calls of \"{}\" are opaque: known by their shapes only", count, target)});
  }
}

Imported inspected(graph::Graph graph, const std::string& file, std::string_view format) {
  Imported out{file, std::string(format), graph.name, std::move(graph), 0, 0, {}};
  for (const graph::Computation& computation : out.graph.computations) out.ops += computation.ops.size();
  out.entry_ops = out.graph.entry_computation().ops.size();
  warn_about_values(out.graph, out.warnings);
  warn_about_loops(out.graph, out.warnings);
  warn_about_calls(out.graph, out.warnings);
  return out;
}

/// Every graph of a text or log, or the chosen one.
Result<void> import_torch(const std::string& text, const std::string& file, graph::TorchOptions torch, std::vector<Imported>& out) {
  const std::size_t count = torch.graph.empty() ? std::max<std::size_t>(graph::torch_graphs(text).size(), 1) : 1;
  for (std::size_t k = 0; k < count; ++k) {
    if (count > 1) torch.graph = std::to_string(k);
    SEAM_TRY(graph::Graph graph, graph::read_graph(text, file, torch));
    out.push_back(inspected(std::move(graph), file, "fx"));
  }
  return {};
}

/// One file may hold several modules.
Result<void> import_file(const std::string& file, const graph::TorchOptions& torch, std::vector<Imported>& out) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    return fail(Error::Code::BadInput, fmt::format("{} is a folder; give the files in it", file));
  }
  SEAM_TRY(const std::string text, read_file(file));
  if (graph::text_format(text) == graph::TextFormat::Hlo) {
    SEAM_TRY(std::vector<graph::Graph> graphs, graph::parse_hlo_modules(text, file));
    for (graph::Graph& graph : graphs) {
      if (auto sound = graph::verify(graph); !sound) return sound;
      out.push_back(inspected(std::move(graph), file, "hlo"));
    }
    return {};
  }
  if (graph::text_format(text) == graph::TextFormat::Torch) return import_torch(text, file, torch, out);
  SEAM_TRY(graph::Graph graph, graph::read_graph(text, file));  // names and refuses what is foreign
  out.push_back(inspected(std::move(graph), file, "graph"));
  return {};
}

void print_json(const std::vector<Imported>& modules) {
  using Json = nlohmann::ordered_json;
  std::size_t ops = 0, computations = 0;
  Json warnings = Json::array(), list = Json::array();
  std::string format = modules.front().format;
  for (const Imported& m : modules) {
    ops += m.ops;
    computations += m.graph.computations.size();
    if (m.format != format) format = "mixed";
    for (const Warning& w : m.warnings) warnings.push_back({{"code", w.code}, {"message", w.message}});
    list.push_back({{"file", m.file}, {"format", m.format}, {"name", m.module}, {"op", m.ops}, {"entry_op", m.entry_ops}, {"computation", m.graph.computations.size()}});
  }
  const Json json{{"schema", "seam.import/1"}, {"format", format}, {"rows", {{"op", ops}, {"computation", computations}}},
                  {"modules", list}, {"loss", Json::array()}, {"warnings", warnings}};
  fmt::print("{}\n", dumped(json, 2));
}

void print_table(const std::vector<Imported>& modules, bool markdown) {
  report::Table table;
  table.title = "modules";
  table.columns = {{"file", "file", report::Unit::Text, {}}, {"name", "module", report::Unit::Text, {}}, {"format", "format", report::Unit::Text, {}},
                   {"op", "ops", report::Unit::Count, {}}, {"entry_op", "in the entry", report::Unit::Count, {}},
                   {"computation", "computations", report::Unit::Count, {}}};
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  for (const Imported& m : modules) {
    table.rows.push_back({m.file, m.module, m.format, count(m.ops), count(m.entry_ops), count(m.graph.computations.size())});
    for (const Warning& w : m.warnings) table.notes.push_back(fmt::format("{}: {}", w.code, w.message));
  }
  fmt::print("{}", markdown ? report::to_markdown(table) : report::to_text(table));
}

Result<int> run(const Options& options, const Common& common) {
  std::size_t traces = 0;
  for (const std::string& file : options.files) {
    SEAM_TRY(const bool trace, holds_traces(file));
    traces += trace ? 1 : 0;
  }
  if (traces == options.files.size()) return import_traces(options.files, options.beside, options.output, common);
  if (traces > 0) return fail(Error::Code::BadInput, "traces and modules are imported one kind at a time");
  if (!options.beside.execution_trace.empty() || !options.beside.counters.empty()) return fail(Error::Code::BadInput, "--et and --ncu belong to a trace, not to a module");
  std::vector<Imported> modules;
  SEAM_TRY(const graph::TorchOptions torch, torch_options(options.flags));
  for (const std::string& file : options.files) {
    if (auto read = import_file(file, torch, modules); !read) return tl::unexpected(std::move(read).error());
  }
  if (!options.output.empty()) {
    if (modules.size() != 1) {
      return fail(Error::Code::BadInput, fmt::format("-o takes one module, these files hold {}", modules.size()));
    }
    if (auto written = write_file(options.output, graph::print_graph(modules.front().graph)); !written) return tl::unexpected(std::move(written).error());
  }
  if (common.format == Format::Json) {
    print_json(modules);
  } else {
    print_table(modules, common.format == Format::Markdown);
  }
  return kPass;
}

}  // namespace

Run define_import(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("files", options->files,
                 "traces (docs/traces.md lists the formats; a folder: the ranks of one job, or rocprofv3's tables; - is standard input), HLO text, .graph files or graphs of PyTorch's compiler; found by content, gzip and zstd included")
      ->required();
  add_module_flags(app, options->flags);
  app.add_option("-o,--output", options->output, "traces: the run file (default: the trace's name with .seam here; several: a folder); a module: write it as .graph text");
  app.add_option("--et", options->beside.execution_trace, "PyTorch's execution trace of the same run: gives the ops of the trace their tensors (in a folder it is found)");
  app.add_option("--ncu", options->beside.counters, "Nsight Compute's table of the same program (ncu --csv --page raw or details): gives the launches of the trace their counters");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
