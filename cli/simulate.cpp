/// seam simulate: one launch of a PTX kernel of any origin on the virtual GPU, with checks and counters.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/command.h"
#include "report/render.h"
#include "sim/sim.h"
#include "simulate_arguments.h"

namespace seam::cli {
namespace {

struct Options {
  std::string file, kernel, output;
  std::vector<std::uint32_t> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<std::uint64_t> blocks;
  std::vector<std::string> arguments;
  std::int64_t shared = 0;
  bool cooperative = false;
  std::uint64_t seed = 0;
  std::uint64_t limit = 4'000'000'000;  ///< about a minute: a loop that never ends is a report then
};

/// A buffer after the launch.
struct Changed {
  std::size_t argument = 0;
  std::string name, file;
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::int64_t unwritten = 0;
  bool output = false;
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

/// Counters in the order they are shown.
std::vector<std::pair<const char*, std::uint64_t>> counter_list(const sim::Counters& c) {
  return {{"blocks", c.blocks},
          {"warp_instructions", c.warp_instructions},
          {"instructions", c.instructions},
          {"bytes_read", c.bytes_read},
          {"bytes_written", c.bytes_written},
          {"distinct_bytes_read", c.distinct_bytes_read},
          {"distinct_bytes_written", c.distinct_bytes_written},
          {"sectors_read", c.sectors_read},
          {"sectors_written", c.sectors_written},
          {"footprint_read", c.footprint_read},
          {"footprint_written", c.footprint_written},
          {"shared_requests", c.shared_requests},
          {"shared_wavefronts", c.shared_wavefronts},
          {"barriers", c.barriers},
          {"atomics", c.atomics}};
}

void print_json(const Options& options, const std::vector<Changed>& buffers, const sim::KernelInfo& kernel, const sim::Outcome& outcome) {
  nlohmann::ordered_json json{{"schema", "seam.simulate/1"}, {"verdict", outcome.clean() ? "passed" : "failed"}};
  json["file"] = options.file;
  json["kernel"] = kernel.name;
  json["grid"] = options.grid;
  json["block"] = options.block;
  json["seed"] = options.seed;
  json["reports"] = nlohmann::ordered_json::array();
  for (const sim::Report& report : outcome.reports) {
    // The source line where the PTX has one, else the line of the PTX.
    nlohmann::ordered_json row{{"kind", report.kind}, {"message", report.message}, {"line", report.line > 0 ? report.line : report.ptx_line}};
    row["file"] = report.line > 0 ? report.file : options.file;
    row["ptx_line"] = report.ptx_line;
    row["count"] = report.count;
    json["reports"].push_back(std::move(row));
  }
  json["dropped_reports"] = outcome.dropped_reports;
  json["evidence"] = "simulated";
  for (const auto& [name, value] : counter_list(outcome.counters)) json["counters"][name] = value;
  json["buffers"] = nlohmann::ordered_json::array();
  for (const Changed& one : buffers) {
    nlohmann::ordered_json row{{"arg", one.argument}, {"parameter", one.name}, {"distinct_bytes_read", one.bytes_read},
                               {"distinct_bytes_written", one.bytes_written}, {"unwritten_bytes", one.unwritten}};
    if (!one.file.empty()) row["file"] = one.file;
    json["buffers"].push_back(std::move(row));
  }
  fmt::print("{}\n", json.dump(2));
}

void print_text(const Options& options, const Common& common, const std::vector<Changed>& buffers, const sim::KernelInfo& kernel,
                const sim::Outcome& outcome) {
  const auto render = [&](const report::Table& table) {
    fmt::print("{}\n", common.format == Format::Markdown ? report::to_markdown(table) : report::to_text(table));
  };
  fmt::print("{}: {} ({} warp instructions run; its code holds {} instructions and {} bytes of static shared memory)\n\n", kernel.name,
             outcome.clean() ? "passed: ran to the end, nothing to report" : "failed", outcome.counters.warp_instructions,
             kernel.static_instructions, kernel.static_shared);
  for (const sim::Report& report : outcome.reports) {
    const std::string place = report.line > 0 ? fmt::format("{}:{} ({}:{})", report.file, report.line, options.file, report.ptx_line)
                                              : fmt::format("{}:{}", options.file, report.ptx_line);
    fmt::print("{}: {}: {}{}\n", place, report.kind, report.message, report.count > 1 ? fmt::format(" ({} times)", report.count) : "");
  }
  if (outcome.dropped_reports > 0) fmt::print("{} further reports were counted, not kept\n", outcome.dropped_reports);
  if (!outcome.clean()) fmt::print("\n");
  if (common.quiet) return;
  report::Table counters;
  counters.title = "counted while it ran (evidence: simulated)";
  counters.columns = {{"counter", "counter", report::Unit::Text, {}}, {"count", "count", report::Unit::Count, {}}};
  for (const auto& [name, value] : counter_list(outcome.counters)) counters.rows.push_back({name, static_cast<std::int64_t>(value)});
  render(counters);
  report::Table table;
  table.title = "buffers";
  table.columns = {{"arg", "arg", report::Unit::Count, {}}, {"parameter", "parameter", report::Unit::Text, {}},
                   {"read", "distinct bytes read", report::Unit::Bytes, {}}, {"written", "distinct bytes written", report::Unit::Bytes, {}},
                   {"unwritten", "never written", report::Unit::Bytes, {}}, {"file", "file", report::Unit::Text, {}}};
  for (const Changed& one : buffers) {
    table.rows.push_back({static_cast<std::int64_t>(one.argument), one.name, static_cast<std::int64_t>(one.bytes_read),
                          static_cast<std::int64_t>(one.bytes_written), one.unwritten, one.file.empty() ? "-" : one.file});
  }
  render(table);
  for (const Changed& one : buffers) {
    if (one.output && one.unwritten > 0) fmt::print("note: {} bytes of output arg {} were never written\n", one.unwritten, one.argument);
  }
}

Result<int> run(const Options& options, const Common& common) {
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
  SEAM_TRY(const sim::Outcome outcome, sim::launch(*module, memory, launch, checks));
  SEAM_TRY(const std::vector<Changed> buffers, finish_buffers(options, bindings, kernel, memory, outcome));
  if (common.format == Format::Json) {
    print_json(options, buffers, kernel, outcome);
  } else {
    print_text(options, common, buffers, kernel, outcome);
  }
  return outcome.clean() ? kPass : kFailed;
}

}  // namespace

Run define_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("file", options->file, "PTX text, from any compiler")->required();
  app.add_option("--kernel", options->kernel, "the entry function (default: the only one)");
  app.add_option("--grid", options->grid, "blocks: x,y,z")->delimiter(',')->expected(1, 3)->required();
  app.add_option("--block", options->block, "threads of a block: x,y,z")->delimiter(',')->expected(1, 3)->required();
  app.add_option("--shared", options->shared, "bytes of dynamic shared memory");
  app.add_flag("--cooperative", options->cooperative, "all blocks resident and interleaved: grid barriers work");
  app.add_option("--seed", options->seed, "order of warps and blocks, and the numbers of rand:");
  app.add_option("--blocks", options->blocks, "run only these linear block indices")->delimiter(',');
  app.add_option("--max-instructions", options->limit, "warp instructions before the launch is ended (0: no limit)")->capture_default_str();
  app.add_option("--arg", options->arguments, std::string(kArgumentHelp))->expected(1)->take_all();
  app.add_option("-o,--output", options->output, "folder for arg<k>.npy of each changed buffer");
  return [options](const Common& common) { return run(*options, common); };
}

}  // namespace seam::cli
