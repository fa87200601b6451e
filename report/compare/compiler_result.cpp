#include "report/compiler_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "analyzer/floor.h"
#include "graph/text.h"

namespace seam::report {
namespace {

void leaves(const graph::Shape& shape, std::vector<const graph::Shape*>& out) {
  if (!shape.is_tuple) return out.push_back(&shape);
  for (const graph::Shape& element : shape.elements) leaves(element, out);
}

/// Parameters, then results, tuples flattened.
std::vector<const graph::Shape*> signature(const graph::Graph& module) {
  const graph::Computation& entry = module.entry_computation();
  std::vector<const graph::Shape*> shapes;
  for (const Id<graph::Op> parameter : entry.parameters) leaves(entry.ops[parameter].shape, shapes);
  leaves(entry.ops[entry.root].shape, shapes);
  return shapes;
}

bool same_signature(const graph::Graph& a, const graph::Graph& b) {
  return std::ranges::equal(signature(a), signature(b), [](const graph::Shape* x, const graph::Shape* y) { return same_type(*x, *y); });
}

/// Layouts in tiles are a TPU's; its launches are not ours to count.
bool has_tiles(const graph::Graph& module) {
  return std::ranges::any_of(signature(module), [](const graph::Shape* shape) { return shape->layout_suffix.find("T(") != std::string::npos; });
}

/// Work split over threads, or oneDNN: XLA's CPU compiler.
bool for_cpu(const graph::Graph& module) {
  return std::ranges::any_of(module.computations, [](const graph::Computation& computation) {
    return std::ranges::any_of(computation.ops, [](const graph::Op& op) {
      return op.attributes.backend_config.find("outer_dimension_partitions") != std::string::npos || op.attributes.custom_call_target.starts_with("__onednn");
    });
  });
}

/// Products that stand outside any fusion: a GPU compiler leaves none, each is a library call or inside a fusion.
std::int64_t bare_products(const graph::Graph& module) {
  return std::ranges::count_if(module.entry_computation().ops, [](const graph::Op& op) { return graph::op_class(op.opcode) == graph::OpClass::Contraction; });
}

/// "lr.step.h100.library.hlo" beside "lr.step.hlo" → "h100.library".
std::string short_name(std::string_view file, std::string_view program_file) {
  const std::filesystem::path path(file);
  // "module_0001.jit_step" of a dump folder is a name, and no file with an ending.
  const bool ending = path.extension() == ".hlo" || path.extension() == ".txt" || path.extension() == ".graph";
  const std::string stem = ending ? path.stem().string() : path.filename().string();
  const std::string program = std::filesystem::path(program_file).stem().string();
  if (program.empty() || !stem.starts_with(program)) return stem;
  const std::size_t rest = stem.find_first_not_of("._- ", program.size());
  return rest == std::string::npos || rest == program.size() ? stem : stem.substr(rest);
}

Result<void> check_optimized(const graph::Graph& module, std::string_view file) {
  if (!module.is_scheduled) {
    return fail(Error::Code::BadInput,
                fmt::format("{}: this module is not optimized (no is_scheduled=true in its first line), so what it launches is not known; with --xla_dump_to the optimized one is named …after_optimizations.txt", file));
  }
  if (has_tiles(module)) return fail(Error::Code::BadInput, fmt::format("{}: this module was optimized for a TPU (tiled layouts): it has no GPU launches to count", file));
  if (for_cpu(module)) return fail(Error::Code::BadInput, fmt::format("{}: this module was optimized for a CPU: it has no GPU launches to count", file));
  return {};
}

}  // namespace

Result<CompilerResult> compiler_result(const CompilerModule& given, const graph::Graph& program, std::string_view program_file) {
  graph::Graph read;
  if (!given.program) {
    SEAM_TRY(read, graph::read_graph(given.text, given.file));
  }
  if (given.program) codegen::take_constants(*given.program, program);
  const graph::Graph& module = given.program ? given.program->graph : read;
  SEAM_DO(check_optimized(module, given.file));
  CompilerResult out;
  out.name = short_name(given.file, program_file);
  out.file = given.file;
  out.counts = analyzer::count_launches(module);
  out.roof_floor = analyzer::roof_floor(module, analyzer::load_in_optimized).kernels;
  if (const std::int64_t loops = out.counts.loops_of_unknown_length; loops > 0) {
    out.notes.push_back(fmt::format("{} of its loops {} not say how often {}: one trip is counted", loops, loops == 1 ? "does" : "do", loops == 1 ? "it runs" : "they run"));
  }
  if (const std::int64_t bare = bare_products(module); bare > 0) {
    out.notes.push_back(fmt::format("{} product{} outside fusions and library calls, which a compiler for GPUs leaves nowhere: counted as kernels", bare, bare == 1 ? " stands" : "s stand"));
  }
  if (!same_signature(module, program)) {
    if (given.program) return fail(Error::Code::BadInput, fmt::format("{}: its parameters or results are not this module's: kernels of different programs cannot be put side by side (without --ptx and --launches it is only counted)", given.file));
    out.notes.emplace_back("its parameters or results are not this module's: another program, or one partitioned over several devices");
  }
  return out;
}

Result<std::vector<CompilerResult>> compiler_results(std::span<const CompilerModule> modules, const graph::Graph& program, std::string_view program_file) {
  std::vector<CompilerResult> out;
  for (const CompilerModule& module : modules) {
    SEAM_TRY(CompilerResult result, compiler_result(module, program, program_file));
    out.push_back(std::move(result));
  }
  std::map<std::string, std::size_t> uses;
  for (const CompilerResult& result : out) ++uses[result.name];
  for (CompilerResult& result : out)
    if (uses[result.name] > 1) result.name = result.file;
  return out;
}

}  // namespace seam::report
