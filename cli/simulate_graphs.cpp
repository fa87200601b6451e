/// seam simulate GRAPH.json… --ptx DIR: every launch of what Inductor made of a graph, counted on the virtual GPU.
#include "simulate_graphs.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/device.h"
#include "codegen/triton.h"
#include "plan_beside.h"
#include "progress.h"
#include "report/render.h"
#include "report/simulated_run.h"
#include "report/triton.h"

namespace seam::cli {
namespace {

constexpr std::size_t kWidth = 200;  // figures stand side by side, and names of kernels are long

std::filesystem::path folder_of(const GraphsRequest& request, const std::string& file) {
  return request.ptx.empty() ? std::filesystem::path(file).replace_extension() : std::filesystem::path(request.ptx);
}

std::string run_of(const GraphsRequest& request, const codegen::TritonGraph& graph) {
  std::string out = request.run;
  for (std::size_t at = out.find("{}"); at != std::string::npos; at = out.find("{}", at + graph.name.size())) out.replace(at, 2, graph.name);
  return out;
}

Result<report::TritonReport> report_of(const GraphsRequest& request, const std::string& file, const Device& device, Progress& bar) {
  SEAM_TRY(const codegen::TritonGraph graph, codegen::read_triton_graph(std::filesystem::path(file)));
  const std::filesystem::path folder = folder_of(request, file);
  if (!std::filesystem::is_directory(folder)) {
    return fail(Error::Code::NotFound, fmt::format("{}: no such folder; --ptx names the one with the PTX of {}", folder.string(), file));
  }
  codegen::TritonOptions options;
  options.most_instructions = request.instructions;
  options.threads = request.threads;
  options.seed = request.seed;
  options.target = codegen::triton_target(device);
  SEAM_TRY(const auto profiles, codegen::profile_triton(graph, folder, options, bar.stage("counting kernels of " + graph.name)));
  if (!request.run.empty()) {
    const report::SimulatedRun run{graph.name, fmt::format("seam simulate {}", std::filesystem::path(file).filename().string()), std::string("seam ") + SEAM_VERSION, device};
    SEAM_DO(report::write_triton_run(run, graph, profiles, run_of(request, graph)));
  }
  return report::triton_report(graph, profiles, device);
}

void print(const std::vector<report::TritonReport>& reports, const std::vector<report::ProgramCost>& ours, const Device& device, const Common& common) {
  const auto render = [&](const report::Table& table) {
    fmt::print("{}\n", common.format == Format::Markdown ? report::to_markdown(table) : report::to_text(table, kWidth));
  };
  render(report::triton_table(reports, device));
  if (!ours.empty()) render(report::triton_beside_table(reports, ours, device));
  for (const report::TritonReport& one : reports) {
    if (common.verbose > 0 || !one.clean() || !one.kernels_known()) render(report::triton_launches_table(one));
  }
}

}  // namespace

bool is_graph_description(const std::string& file) {
  std::ifstream in(file);
  char first = 0;
  return (in >> first) ? first == '{' || first == '[' : std::filesystem::path(file).extension() == ".json";
}

Result<int> simulate_graphs(const GraphsRequest& request, const Common& common) {
  if (request.files.size() > 1 && !request.ptx.empty()) {
    return fail(Error::Code::BadInput, "--ptx is the folder of one graph; of several graphs each has its own, named as its description without .json");
  }
  if (request.files.size() > 1 && !request.run.empty() && request.run.find("{}") == std::string::npos) {
    return fail(Error::Code::BadInput, "--run is one file, and these are several graphs: name it with {} in the place of the graph's name");
  }
  SEAM_TRY(const Device device, device_named(request.device.empty() ? "h100" : request.device));
  Progress bar(common.quiet || common.format == Format::Json);
  std::vector<report::TritonReport> reports;
  for (const std::string& file : request.files) {
    SEAM_TRY(report::TritonReport one, report_of(request, file, device, bar));
    reports.push_back(std::move(one));
  }
  std::vector<report::ProgramCost> ours;
  for (std::size_t k = 0; k < request.files.size() && !request.beside.empty(); ++k) {
    SEAM_TRY(report::ProgramCost one, cost_of_our_plan(beside_of(request.beside, request.files[k]), device, request.instructions, bar));
    ours.push_back(std::move(one));
  }
  bar.done();
  if (common.format == Format::Json) {
    fmt::print("{}\n", report::triton_json(reports, device, ours));
  } else {
    print(reports, ours, device, common);
  }
  if (!std::ranges::all_of(reports, &report::TritonReport::clean)) return kFailed;
  return std::ranges::all_of(reports, &report::TritonReport::kernels_known) ? kPass : kInconclusive;
}

}  // namespace seam::cli
