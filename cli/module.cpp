#include "module.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include <CLI/CLI.hpp>

#include "analyzer/recorded_graph.h"
#include "base/files.h"
#include "base/units.h"
#include "cli/command.h"
#include "graph/text.h"
#include "graph/views.h"
#include "import_traces.h"
#include "layouts.h"
#include "open_run.h"
#include "planner/pipeline.h"

namespace seam::cli {
namespace {

/// More than any machine has; what the command line cannot count ends up beyond it.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

void leaves(const graph::Shape& shape, std::vector<const graph::Shape*>& out) {
  if (!shape.is_tuple) return out.push_back(&shape);
  for (const graph::Shape& element : shape.elements) leaves(element, out);
}

/// Views of storage come by the dims of the view.
Result<std::vector<Array>> read_arrays(const std::filesystem::path& folder, graph::Border border, const graph::Graph& graph, const std::vector<const graph::Shape*>& shapes) {
  std::vector<Array> arrays;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const std::filesystem::path file = folder / fmt::format("{}{}.npy", border == graph::Border::Input ? "in" : "out", k);
    SEAM_TRY(Array raw, read_npy(file));
    if (const auto view = graph::view_of(graph, border, static_cast<std::int64_t>(k))) {
      SEAM_TRY(raw, during(fmt::format("reading {}", file.string()), graph::stored_through(*view, raw, make_array(raw.dtype, shapes[k]->dims))));
    }
    if (raw.dims != shapes[k]->dims) {
      return fail(Error::Code::BadInput, fmt::format("{}: its shape is not the module's {}", file.string(), graph::print(*shapes[k])));
    }
    SEAM_TRY(Array array, during(fmt::format("reading {}", file.string()), reinterpreted(std::move(raw), shapes[k]->dtype)));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace

void add_module_flags(CLI::App& app, ModuleFlags& flags) {
  app.add_option("--size", flags.sizes, "of a graph of PyTorch: what a symbolic size is, as s17=64; may be repeated")->type_name("NAME=N")->take_all();
  app.add_option("--step", flags.step, "of a trace of PyTorch: which profiled step, counted from 0 (default: the last)")->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}).description(""));
  app.add_option("--graph", flags.graph, "of a log of PyTorch's compiler: which graph, by name or number (seam import LOG lists them)");
}

Result<bool> is_recorded(const std::string& file) {
  if (is_run_file(file)) return true;
  return holds_traces(file);
}

Result<graph::TorchOptions> torch_options(const ModuleFlags& flags) {
  graph::TorchOptions out;
  out.graph = flags.graph;
  for (const std::string& size : flags.sizes) {
    const std::size_t equals = size.find('=');
    std::int64_t value = 0;
    const char* const first = size.data() + (equals == std::string::npos ? size.size() : equals + 1);
    const auto [end, error] = std::from_chars(first, size.data() + size.size(), value);
    if (equals == 0 || equals == std::string::npos || error != std::errc{} || end != size.data() + size.size() || value < 0) {
      return fail(Error::Code::BadInput, fmt::format("--size {}: expected a name and a number, as s17=64", size));
    }
    out.sizes[size.substr(0, equals)] = value;
  }
  return out;
}

namespace {

std::string said_of(const analyzer::RecordedGraph& recorded) {
  std::string out = fmt::format("graph of {}: {} operators", recorded.scope, human_count(recorded.operators));
  if (recorded.opaque > 0) out += fmt::format(", {} of them opaque", human_count(recorded.opaque));
  if (recorded.edges_recorded > 0) out += fmt::format("; {} operands known by recorded tensor ids", human_count(recorded.edges_recorded));
  if (recorded.edges_inferred > 0) out += fmt::format("; {} operands inferred from shapes and order (an execution trace beside it would say: seam import TRACE --et ET)", human_count(recorded.edges_inferred));
  out += fmt::format("; {} tensors from outside", human_count(recorded.from_outside));
  if (recorded.cuts > 0) out += fmt::format("\nleft out: what operators wrote into {}, through views that cannot be followed. Readers take it from outside: this is not the whole of what ran", counted(recorded.cuts, "tensor"));
  for (const auto& [name, count] : recorded.left_out) out += fmt::format("\nleft out: {} x {}", human_count(count), name);
  return out;
}

Result<graph::Graph> recorded_module(const std::string& file, const ModuleFlags& flags) {
  Common quiet;
  quiet.quiet = true;
  SEAM_TRY(const OpenRun run, OpenRun::open(file, quiet));
  SEAM_TRY(analyzer::RecordedGraph recorded, during("making a graph of " + file, analyzer::graph_of_run(run.database(), {flags.step})));
  recorded.graph.name = std::filesystem::path(file).filename().replace_extension().stem().string();
  fmt::print(stderr, "{}\n", said_of(recorded));
  return std::move(recorded.graph);
}

}  // namespace

Result<graph::Graph> open_module(const std::filesystem::path& file, const ModuleFlags& flags) {
  SEAM_TRY(const graph::TorchOptions torch, torch_options(flags));
  SEAM_TRY(const bool recorded, is_recorded(file.string()));
  if (recorded) return recorded_module(file.string(), flags);
  if (flags.step >= 0) return fail(Error::Code::BadInput, fmt::format("{}: --step is for traces, which this is not", file.string()));
  SEAM_TRY(const std::string text, read_file(file));
  if (const bool given = !torch.sizes.empty() || !torch.graph.empty(); given && graph::text_format(text) != graph::TextFormat::Torch) {
    return fail(Error::Code::BadInput, fmt::format("{}: --size and --graph are for graphs of PyTorch's compiler, which this is not", file.string()));
  }
  return graph::read_graph(text, file.string(), torch);
}

void add_plan_flags(CLI::App& app, PlanFlags& flags) {
  flags.given = [&app](const std::string& flag) { return app.count(flag) > 0; };
  add_module_flags(app, flags.module);
  app.add_option("--device", flags.device, "the GPU to plan for: h100, a100, v100, …")->capture_default_str();
  app.add_option("--policy", flags.policy, "whose rules: stitch, xla2018 or none")->capture_default_str();
  app.add_option("--shared-cap", flags.shared_cap, "shared memory a block may use, bytes (0: the device's limit; FusionStitching's was 20480)")
      ->check(CLI::Range(std::int64_t{0}, kMostBytes).description(""));
  app.add_option("--footprint-cap", flags.footprint_cap, "memory a packed kernel may touch, bytes (0: no cap)")
      ->check(CLI::Range(std::int64_t{0}, kMostBytes).description(""));
  app.add_flag("--unroll", flags.unroll, "unroll loops whose trip count is known before planning");
  app.add_option("--layouts", flags.layouts, "orders of dims in memory: as-written (row-major, products read anything), row-major (with the copies that products need), chosen (by a formula) or simulated (by kernels that run)")
      ->check(CLI::IsMember({"as-written", "row-major", "chosen", kSimulatedLayouts}).description(""))
      ->capture_default_str();
  app.add_option("--costs", flags.costs_file, "with --layouts simulated: the table of costs (default: $SEAM_COSTS, or seam/costs.db among the user's caches)");
  app.add_flag("--no-merges", flags.no_merges, "leave products that share a factor, and sums of products, as the module has them");
  app.add_flag("--no-epilogues", flags.no_epilogues, "leave scales, biases, sums and ReLU after a library's product to kernels");
}

Result<planner::PlanOptions> plan_options(const PlanFlags& flags) {
  if (flags.layouts == kSimulatedLayouts) return fail(Error::Code::BadInput, "--layouts simulated: kernels are run for one module that is planned here; this command, or these inputs, take the other layouts");
  planner::PlanOptions options;
  SEAM_TRY(options.device, device_named(flags.device));
  options.policy = flags.policy;
  for (const planner::PolicyInfo& policy : planner::policy_list())
    if (policy.name == flags.policy && !policy.layouts && flags.layouts == planner::name(planner::Layouts::Chosen))
      return fail(Error::Code::BadInput, fmt::format("--layouts {}: policy {} leaves every value as it is written", flags.layouts, flags.policy));
  options.shared_cap = flags.shared_cap;
  options.footprint_cap = flags.footprint_cap;
  options.unroll_loops = flags.unroll;
  options.merge_products = !flags.no_merges;
  options.library_epilogues = !flags.no_epilogues;
  options.layouts = planner::layouts_named(flags.layouts).value_or(planner::Layouts::Chosen);
  return options;
}

namespace {

/// A plan says itself for what and how it was made; a flag that says something else would be dropped in silence.
Result<void> check_agreement(const PlanFlags& flags, const planner::PlanOptions& typed, const planner::PlanOptions& stated) {
  const auto refuse = [&](std::string_view flag, std::string_view plan_says) {
    return fail(Error::Code::BadInput, fmt::format("{}: plan {} was made {}; leave the flag out, or plan anew", flag, flags.plan_file, plan_says));
  };
  const auto given = [&](const char* flag) { return flags.given && flags.given(flag); };
  if (given("--device") && typed.device.name != stated.device.name) return refuse("--device", fmt::format("for {}", stated.device.name));
  if (given("--policy") && typed.policy != stated.policy) return refuse("--policy", fmt::format("by {}", stated.policy));
  if (given("--layouts") && typed.layouts != stated.layouts) return refuse("--layouts", fmt::format("with layouts {}", planner::name(stated.layouts)));
  if (given("--unroll") && !stated.unroll_loops) return refuse("--unroll", "without it");
  if (given("--no-merges") && stated.merge_products) return refuse("--no-merges", "without it");
  if (given("--no-epilogues") && stated.library_epilogues) return refuse("--no-epilogues", "without it");
  return {};
}

}  // namespace

Result<Planned> planned(const graph::Graph& module, const PlanFlags& flags) {
  SEAM_TRY(planner::PlanOptions options, flags.plan_file.empty() ? plan_options_for(module, flags) : plan_options(flags));
  std::string text;
  if (!flags.plan_file.empty()) {
    SEAM_TRY(text, read_file(flags.plan_file));
    const planner::PlanOptions stated = planner::stated_options(text, options);
    SEAM_DO(check_agreement(flags, options, stated));
    options = stated;
  }
  if (flags.plan_file.empty()) {
    SEAM_TRY(planner::Planning planning, planner::plan_module(module, options));
    return Planned{std::move(planning.graph), std::move(planning.plan), std::move(planning.options)};
  }
  SEAM_TRY(graph::Graph graph, planner::prepared(module, options));
  SEAM_TRY(planner::Plan plan, planner::parse_plan(text, flags.plan_file, graph));
  const Result<void> sound = during(fmt::format("checking {} against its module", flags.plan_file), planner::verify(plan, graph, options.device));
  if (!sound) return tl::unexpected(sound.error());
  return Planned{std::move(graph), std::move(plan), options};
}

Result<std::vector<Array>> read_inputs(const std::filesystem::path& folder, const graph::Graph& graph) {
  const graph::Computation& entry = graph.entry_computation();
  std::vector<const graph::Shape*> shapes;
  for (const Id<graph::Op> parameter : entry.parameters) leaves(entry.ops[parameter].shape, shapes);
  return read_arrays(folder, graph::Border::Input, graph, shapes);
}

Result<std::vector<Array>> read_outputs(const std::filesystem::path& folder, const graph::Graph& graph, const std::vector<Array>& computed) {
  const graph::Computation& entry = graph.entry_computation();
  std::vector<const graph::Shape*> shapes;
  leaves(entry.ops[entry.root].shape, shapes);
  SEAM_TRY(std::vector<Array> out, read_arrays(folder, graph::Border::Output, graph, shapes));
  for (std::size_t k = 0; k < std::min(out.size(), computed.size()); ++k) {
    const auto view = graph::view_of(graph, graph::Border::Output, static_cast<std::int64_t>(k));
    if (!view || computed[k].dtype != out[k].dtype || computed[k].dims != out[k].dims) continue;
    SEAM_TRY(const Array shown, graph::seen_through(*view, out[k]));
    SEAM_TRY(out[k], graph::stored_through(*view, shown, computed[k]));
  }
  return out;
}

std::vector<double> read_spreads(const std::filesystem::path& folder) {
  std::vector<double> out;
  const auto text = read_file(folder / "expected.tsv");
  if (!text) return out;
  std::istringstream lines(*text);
  std::string line;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '\t');) cells.push_back(cell);
    if (cells.size() < 6 || cells[0] != "out") continue;
    out.push_back(std::strtod(cells[5].c_str(), nullptr));
  }
  return out;
}

std::optional<codegen::ProgramCheck> not_comparable(const std::vector<std::string>& reports, bool over_budget, std::uint64_t instructions) {
  if (!reports.empty()) return codegen::ProgramCheck{codegen::Outcome::Failed, reports.front(), {}};
  if (!over_budget) return std::nullopt;
  return codegen::ProgramCheck{codegen::Outcome::Inconclusive, fmt::format("stopped after {} thread instructions (--instructions)", instructions), {}};
}

int exit_of_outcome(codegen::Outcome outcome) {
  switch (outcome) {
    case codegen::Outcome::Passed: return kPass;
    case codegen::Outcome::Failed: return kFailed;
    default: return kInconclusive;
  }
}

}  // namespace seam::cli
