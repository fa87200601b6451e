// CPU seconds of reading, planning, emitting and compiling a module, on one thread, beside what XLA's own compilation of it takes: the goal is half
// of that. Assembling, which is only for registers and spills, stands beside it.
#include <fmt/core.h>

#include <array>
#include <ctime>
#include <string>
#include <vector>

#include "base/device.h"
#include "base/files.h"
#include "codegen/program.h"
#include "graph/text.h"
#include "planner/planner.h"

namespace {

using namespace seam;

struct Module {
  const char* name;
  double xla_seconds;  ///< measured once, CPU seconds
};
constexpr std::array kModules = {Module{"lr.step", 0.5}, Module{"dlrm.step", 1.2}, Module{"rnn.step", 3.6}, Module{"bert_layer.step", 9}, Module{"nmt.unrolled", 11}, Module{"speech.unrolled", 15}};

/// CPU seconds of this process since the last call.
class Lap {
 public:
  double operator()() {
    const double before = now_;
    now_ = now();
    return now_ - before;
  }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double now_ = now();
};

Result<void> measure(const Module& module, const codegen::Compiler& compiler, const codegen::Assembler* assembler) {
  planner::PlanOptions options;
  SEAM_TRY(options.device, device_named("h100"));
  Lap lap;
  SEAM_TRY(const std::string text, read_file(fmt::format("{}/{}.hlo", SEAM_BENCH_MODULES, module.name)));
  SEAM_TRY(const graph::Graph as_read, graph::read_graph(text, module.name));
  const double read = lap();
  SEAM_TRY(const graph::Graph graph, planner::prepared(as_read, options));
  SEAM_TRY(const planner::Plan plan, planner::make_plan(graph, options));
  const double planning = lap();
  std::vector<codegen::Built> kernels;
  for (std::size_t c = 0; c < plan.computations.size(); ++c) {
    for (std::size_t g = 0; g < plan.computations[c].groups.size(); ++g) {
      SEAM_TRY(codegen::Built built, codegen::lower_group(graph, plan, c, g));
      kernels.push_back(std::move(built));
    }
  }
  const double emitting = lap();
  std::vector<codegen::Built*> all;
  for (codegen::Built& built : kernels) all.push_back(&built);
  for (Result<void>& compiled : codegen::compile(all, options.device, compiler, {1, {}, {}})) SEAM_DO(std::move(compiled));
  const double compiling = lap();
  if (assembler != nullptr) {
    for (Result<void>& assembled : codegen::assemble(all, options.device, compiler, *assembler, {1, {}, {}})) SEAM_DO(std::move(assembled));
  }
  const double assembling = lap();
  const double total = read + planning + emitting + compiling;
  fmt::print("{:<16} {:>7} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>6.2f} {:>5.2f} {:<4} {:>9.2f} {:>6.2f}\n", module.name, kernels.size(), read, planning, emitting, compiling, total,
             module.xla_seconds, total / module.xla_seconds, 2 * total <= module.xla_seconds ? "" : "OVER", assembling, (total + assembling) / module.xla_seconds);
  return {};
}

}  // namespace

int main() {
  const auto compiler = codegen::Compiler::find();
  if (!compiler) {
    fmt::print("{}\n", describe(compiler.error()));
    return 1;
  }
  const auto assembler = codegen::Assembler::find();
  fmt::print("CPU seconds on one thread\n{:<16} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>5} {:<4} {:>9} {:>6}\n", "module", "kernels", "read", "plan", "emit", "compile", "total", "XLA", "ratio", "", "assemble", "with it");
  for (const Module& module : kModules) {
    if (const auto done = measure(module, **compiler, assembler ? assembler->get() : nullptr); !done) {
      fmt::print("{}: {}\n", module.name, describe(done.error()));
      return 1;
    }
  }
  return 0;
}
