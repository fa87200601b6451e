/// seam export: a module in another form.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_out.h"
#include "cli/command.h"
#include "graph/hlo.h"
#include "graph/text.h"
#include "module.h"

namespace seam::cli {
namespace {

struct Options {
  ModuleFlags flags;
  std::string module, as = "graph", output;
};

struct Form {
  std::string_view name;
  std::string (*print)(const graph::Graph&);
};
constexpr std::array kForms{Form{"graph", graph::print_graph}, Form{"dot", graph::print_dot}, Form{"hlo", graph::print_hlo}};

Result<int> run(const Options& options, const Common& common) {
  const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const Form& f) { return f.name == options.as; });
  if (form == kForms.end()) {
    return fail(Error::Code::BadInput, fmt::format("cannot export as '{}'; graph, dot and hlo are there", options.as));
  }
  SEAM_TRY(const graph::Graph graph, open_module(options.module, options.flags));
  const std::string text = form->print(graph);
  if (!options.output.empty()) {
    if (auto written = write_file(options.output, text); !written) return tl::unexpected(std::move(written).error());
  }
  if (common.format == Format::Json) {
    nlohmann::ordered_json json{{"schema", "seam.export/1"}, {"as", options.as}, {"bytes", text.size()}};
    json[options.output.empty() ? "text" : "file"] = options.output.empty() ? text : options.output;
    fmt::print("{}\n", dumped(json, 2));
  } else if (options.output.empty()) {
    fmt::print("{}", text);
  } else if (!common.quiet) {
    fmt::print("{}: {} bytes\n", options.output, text.size());
  }
  return kPass;
}

}  // namespace

Run define_export(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("module", options->module, "an HLO or .graph module")->required();
  add_module_flags(app, options->flags);
  app.add_option("--as", options->as, "graph, dot or hlo")->capture_default_str();
  app.add_option("-o,--output", options->output, "file to write (default: print)");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
