/// seam simulate: one launch of a PTX kernel of any origin on the virtual GPU, with checks and counters; or all launches of graphs (simulate_graphs.h).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/device.h"
#include "base/files.h"
#include "cli/command.h"
#include "codegen/profile.h"
#include "report/simulated_run.h"
#include "sim/sim.h"
#include "simulate_arguments.h"
#include "simulate_graphs.h"
#include "simulate_report.h"

namespace seam::cli {
namespace {

constexpr std::uint64_t kGraphInstructions = 2'000'000'000;

struct Options {
  std::string file, kernel, output;
  std::vector<std::string> files;
  std::vector<std::uint32_t> grid, block;
  std::vector<std::uint64_t> blocks;
  std::vector<std::string> arguments;
  std::int64_t shared = 0;
  bool cooperative = false;
  std::uint64_t seed = 0;
  std::uint64_t limit = 4'000'000'000;  ///< about a minute: a loop that never ends is a report then
  std::string ulp, device, run;
  GraphsRequest graphs;
};

sim::Dim3 dim3(const std::vector<std::uint32_t>& sizes) {
  sim::Dim3 out;
  if (!sizes.empty()) out.x = sizes[0];
  if (sizes.size() > 1) out.y = sizes[1];
  if (sizes.size() > 2) out.z = sizes[2];
  return out;
}

Result<sim::KernelInfo> kernel_of(const sim::Module& module, const Options& options) {
  const std::vector<sim::KernelInfo> all = sim::kernels(module);
  for (const sim::KernelInfo& info : all) {
    if (info.name == options.kernel || (options.kernel.empty() && all.size() == 1)) return info;
  }
  return fail(Error::Code::NotFound, options.kernel.empty() ? fmt::format("{} holds {} kernels: choose one with --kernel", options.file, all.size())
                                                            : fmt::format("{} holds no kernel {}", options.file, options.kernel));
}

/// Writes changed buffers and gathers what happened to each.
Result<std::vector<Changed>> finish_buffers(const Options& options, const std::vector<Binding>& bindings, const sim::KernelInfo& kernel,
                                            sim::Memory& memory, const sim::Outcome& outcome) {
  std::vector<Changed> out;
  for (std::size_t k = 0; k < bindings.size(); ++k) {
    const Binding& binding = bindings[k];
    if (!binding.buffer) continue;
    Changed one;
    one.argument = k;
    one.name = kernel.parameters[k].name;
    one.output = binding.output;
    one.unwritten = memory.unwritten_bytes(binding.address);
    for (const sim::Outcome::Touched& touched : outcome.touched) {
      if (touched.address != binding.address) continue;
      one.bytes_read = touched.distinct_bytes_read;
      one.bytes_written = touched.distinct_bytes_written;
    }
    if (!options.output.empty() && (one.bytes_written > 0 || binding.output)) {
      one.file = fmt::format("arg{}.npy", k);
      Array array = make_array(binding.dtype, binding.dims);
      std::memcpy(array.data.data(), memory.bytes(binding.address).data(), array.data.size());
      if (auto written = write_npy(std::filesystem::path(options.output) / one.file, array); !written) {
        return tl::unexpected(std::move(written).error());
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

/// "" is off, "isa" is what the PTX ISA documents.
Result<int> ulp_of(const std::string& text) {
  if (text.empty()) return 0;
  if (text == "isa") return sim::kDocumentedUlp;
  constexpr int kMost = 1 << 20;
  int out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0 || out > kMost) {
    return fail(Error::Code::BadInput, fmt::format("--ulp {}: wants a number of units in the last place, or isa", text));
  }
  return out;
}

/// The launch as a run: what it counted, and how long that takes on the device by the time model.
Result<void> write_run(const Options& options, const std::string& ptx, const sim::KernelInfo& kernel, const sim::Launch& launch, const sim::Outcome& outcome, const std::optional<Device>& device) {
  Device on;
  if (device) {
    on = *device;
  } else {
    SEAM_TRY(on, device_named("h100"));
  }
  codegen::LaunchProfile profile;
  profile.grid = launch.grid;
  profile.block = launch.block;
  profile.shared_bytes = launch.dynamic_shared + kernel.static_shared;
  profile.counters = outcome.counters;
  profile.blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  for (const sim::Report& report : outcome.reports) profile.reports.push_back(fmt::format("{}: {}", report.kind, report.message));
  const std::string name = std::filesystem::path(options.file).filename().string();
  return report::write_kernel_run({name, fmt::format("seam simulate {}", name), std::string("seam ") + SEAM_VERSION, on}, kernel.name, ptx, profile, options.run);
}

Result<int> run_kernel(const Options& options, const Common& common) {
  if (options.grid.empty()) return fail(Error::Code::BadInput, "--grid is required");
  if (options.block.empty()) return fail(Error::Code::BadInput, "--block is required");
  std::optional<Device> device;
  if (!options.device.empty()) {
    SEAM_TRY(device, device_named(options.device));
  }
  SEAM_TRY(const std::string text, read_file(options.file));
  SEAM_TRY(const auto module, sim::load_ptx(text, options.file, options.kernel));
  SEAM_TRY(const sim::KernelInfo kernel, kernel_of(*module, options));
  sim::Memory memory;
  SEAM_TRY(const std::vector<Binding> bindings, bind_arguments(options.arguments, kernel, memory, options.seed));
  sim::Launch launch;
  launch.kernel = kernel.name;
  launch.grid = dim3(options.grid);
  launch.block = dim3(options.block);
  launch.dynamic_shared = options.shared;
  launch.cooperative = options.cooperative;
  launch.blocks = options.blocks;
  launch.parameters = parameter_block(bindings, kernel);
  sim::Checks checks;
  checks.seed = options.seed;
  checks.max_instructions = options.limit;
  checks.profile = true;
  SEAM_TRY(checks.ulp, ulp_of(options.ulp));
  SEAM_TRY(const sim::Outcome outcome, sim::launch(*module, memory, launch, checks));
  SEAM_TRY(const std::vector<Changed> buffers, finish_buffers(options, bindings, kernel, memory, outcome));
  if (!options.run.empty()) SEAM_DO(write_run(options, text, kernel, launch, outcome, device));
  const Simulated all{options.file, kernel, launch, checks, outcome, buffers, device ? std::optional(occupancy(*device, kernel, launch)) : std::nullopt};
  if (common.format == Format::Json) {
    print_json(all);
  } else {
    print_text(all, common);
  }
  return outcome.clean() ? kPass : kFailed;
}

/// What a graph's description says itself, or what speaks of one launch, is no flag of it.
Result<void> only_flags_of_graphs(const Options& options) {
  const bool launch = !options.kernel.empty() || !options.grid.empty() || !options.block.empty() || !options.blocks.empty() || !options.arguments.empty() || options.shared != 0 ||
                      options.cooperative || !options.ulp.empty() || !options.output.empty() || options.limit != Options{}.limit;
  if (launch) return fail(Error::Code::BadInput, fmt::format("{} describes launches of a graph: --grid, --block, --arg, --max-instructions and the like are for a kernel's PTX", options.files.front()));
  return {};
}

Result<int> run(Options options, const Common& common) {
  const auto graphs = std::ranges::count_if(options.files, is_graph_description);
  if (graphs > 0) {
    SEAM_DO(only_flags_of_graphs(options));
    options.graphs.files = options.files;
    options.graphs.device = options.device;
    options.graphs.seed = options.seed;
    options.graphs.run = options.run;
    return simulate_graphs(options.graphs, common);
  }
  if (options.files.size() > 1) return fail(Error::Code::BadInput, "one PTX file at a time; several files are launch descriptions of graphs (JSON)");
  if (!options.graphs.ptx.empty() || !options.graphs.beside.empty() || options.graphs.threads != 0 || options.graphs.instructions != kGraphInstructions) {
    return fail(Error::Code::BadInput, fmt::format("{} is no launch description of a graph (JSON): --ptx, --instructions and --threads are for one", options.files.front()));
  }
  options.file = options.files.front();
  return run_kernel(options, common);
}

}  // namespace

Run define_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->graphs.instructions = kGraphInstructions;
  app.add_option("file", options->files, "PTX text, from any compiler; or launch descriptions of Inductor graphs (JSON): launches, bytes and modelled time of each")->required();
  app.add_option("--ptx", options->graphs.ptx, "a graph: the folder with its PTX (default: beside the description, named as it without .json)");
  app.add_option("--beside", options->graphs.beside, "a graph: the same as PyTorch's compiler printed it (FX text); our plan and kernels of it are counted beside; {} stands for the graph's name")->type_name("FILE");
  app.add_option("--instructions", options->graphs.instructions, "a graph: thread instructions simulated per kernel; of larger grids a sample of the blocks runs (0: no limit)")
      ->capture_default_str();
  app.add_option("--threads", options->graphs.threads, "a graph: kernels simulated at once (0: all cores)");
  app.add_option("--kernel", options->kernel, "the entry function (default: the only one)");
  app.add_option("--grid", options->grid, "blocks: x,y,z (a kernel needs it)")->delimiter(',')->expected(1, 3);
  app.add_option("--block", options->block, "threads of a block: x,y,z (a kernel needs it)")->delimiter(',')->expected(1, 3);
  app.add_option("--shared", options->shared, "bytes of dynamic shared memory");
  app.add_flag("--cooperative", options->cooperative, "all blocks resident and interleaved: grid barriers work");
  app.add_option("--seed", options->seed, "order of warps and blocks, and the numbers of rand:");
  app.add_option("--blocks", options->blocks, "run only these linear block indices")->delimiter(',');
  app.add_option("--max-instructions", options->limit, "warp instructions before the launch is ended (0: no limit)")->capture_default_str();
  app.add_option("--ulp", options->ulp, "approximate instructions (ex2.approx …) err by up to this many units in the last place, or as the PTX ISA allows (isa); by --seed");
  app.add_option("--device", options->device, "also say how many blocks fit on it, and in how many waves the grid runs; a graph: whose time is modelled (default h100)");
  app.add_option("--arg", options->arguments, std::string(kArgumentHelp))->expected(1)->take_all();
  app.add_option("--run", options->run, "write what was launched as a run (.seam), for analyze, diff and sql: bytes simulated, times modelled; of several graphs {} stands for each one's name")->type_name("FILE");
  app.add_option("-o,--output", options->output, "folder for arg<k>.npy of each changed buffer");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
