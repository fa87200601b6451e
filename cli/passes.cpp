/// seam passes: the pipelines, in the order in which they run; names are those that --dump-after, --stop-after and --skip take.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/json_out.h"
#include "cli/command.h"
#include "codegen/passes.h"
#include "planner/pipeline.h"

namespace seam::cli {
namespace {

struct Row {
  std::string_view pipeline, name, what;
};

std::vector<Row> rows() {
  std::vector<Row> out;
  for (const auto& pass : planner::pipeline()) out.push_back({"plan", pass.name, pass.what});
  for (const auto& pass : codegen::kPasses) out.push_back({"codegen", pass.name, pass.what});
  return out;
}

Result<int> run(const Common& common) {
  if (common.format == Format::Json) {
    nlohmann::ordered_json out = {{"schema", "seam.passes/1"}, {"passes", nlohmann::ordered_json::array()}};
    for (const Row& row : rows()) out["passes"].push_back({{"pipeline", row.pipeline}, {"name", row.name}, {"what", row.what}});
    fmt::print("{}\n", dumped(out, 2));
    return kPass;
  }
  if (common.format == Format::Markdown) fmt::print("| pipeline | pass | what it does |\n|---|---|---|\n");
  for (const Row& row : rows()) {
    fmt::print(fmt::runtime(common.format == Format::Markdown ? "| {} | {} | {} |\n" : "{:<8} {:<20} {}\n"), row.pipeline, row.name, row.what);
  }
  return kPass;
}

}  // namespace

Run define_passes(CLI::App& /*app*/) {
  return [](const Common& common) { return run(common); };
}

}  // namespace seam::cli
