/// Module, launch list and PTX joined into one program.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "foreign/parts.h"
#include "foreign/pointers.h"
#include "graph/verify.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

/// Entry points of a PTX text, in its order.
std::vector<std::string> entries(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry";
  std::vector<std::string> names;
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at + kEntry.size())) {
    const std::string_view rest = ptx.substr(at + kEntry.size());
    const std::size_t begin = rest.find_first_not_of(" \t\r\n");
    if (begin == 0 || begin == std::string_view::npos) continue;
    const std::string_view name = rest.substr(begin, rest.find_first_of(" \t\r\n({", begin) - begin);
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

/// The module that holds `name`: all of the file if the simulator takes all of it, else only that kernel, so that one kernel it refuses does not take the others with it.
void load(ForeignKernel& kernel, const std::string& name, const Result<std::shared_ptr<const sim::Module>>& whole) {
  if (whole) {
    kernel.module = *whole;
    return;
  }
  auto one = sim::load_ptx(*kernel.ptx, kernel.file, name);
  if (one) {
    kernel.module = *std::move(one);
  } else {
    kernel.refusal = std::move(one).error();
  }
}

Result<void> add_kernels(ForeignProgram& program, std::vector<PtxText> ptx) {
  std::map<std::string, const ForeignLaunch*> launched;
  for (const auto& [instruction, launch] : program.launches) {
    if (launch.kind == ForeignKind::Kernel) launched.emplace(launch.kernel, &launch);
  }
  for (PtxText& file : ptx) {
    const std::vector<std::string> names = entries(file.text);
    std::vector<std::string> wanted;
    for (const std::string& name : names) {
      if (launched.contains(name)) wanted.push_back(name);
    }
    if (wanted.empty()) continue;
    const auto text = std::make_shared<const std::string>(std::move(file.text));
    const auto whole = sim::load_ptx(*text, file.file);
    for (const std::string& name : wanted) {
      const auto [slot, fresh] = program.kernels.try_emplace(name);
      if (!fresh) return fail(Error::Code::BadInput, fmt::format("kernel {} stands in two PTX files, {} and {}", name, slot->second.file, file.file));
      slot->second.file = file.file;
      slot->second.ptx = text;
      load(slot->second, name, whole);
      SEAM_TRY(slot->second.written, during(fmt::format("reading {}", file.file), written_pointers(*text, name)));
    }
  }
  for (const auto& [name, launch] : launched) {
    if (!program.kernels.contains(name))
      return fail(Error::Code::NotFound, fmt::format("no PTX file has kernel {}, which {} launches", name, launch->instruction), launch->at);
  }
  return {};
}

/// What an op may become; nullopt: it cannot be run.
bool fits(const graph::Op& op, ForeignKind kind) {
  switch (op.opcode) {
    case Opcode::While:
    case Opcode::Conditional: return kind == ForeignKind::Control;
    case Opcode::CustomCall: return kind == ForeignKind::Library;
    default: return kind == ForeignKind::Kernel || kind == ForeignKind::Copy;
  }
}

Result<void> check_launches(const ForeignProgram& program) {
  const graph::Graph& graph = program.graph;
  for (const Id<graph::Computation> id : running_computations(graph)) {
    for (const graph::Op& op : graph.computations[id].ops) {
      if (launches_nothing(op.opcode) || op.opcode == Opcode::Call) continue;
      const auto found = program.launches.find(op.name);
      if (found == program.launches.end()) {
        if (op.opcode == Opcode::While || op.opcode == Opcode::Conditional) continue;
        return fail(Error::Code::BadInput,
                    fmt::format("the launch list says nothing about {} ({}): is it of another module?", op.name, op.opcode_text), op.at);
      }
      if (!fits(op, found->second.kind)) {
        return fail(Error::Code::BadInput, fmt::format("{} is a {}, the launch list has it as {}", op.name, op.opcode_text, found->second.thunk),
                    found->second.at);
      }
    }
  }
  return {};
}

}  // namespace

Result<ForeignProgram> foreign_program(graph::Graph module, std::vector<ForeignLaunch> launches, std::vector<PtxText> ptx) {
  if (!module.is_scheduled) {
    return fail(
        Error::Code::BadInput,
        fmt::format("module {} is not what a compiler runs (no is_scheduled=true in its first line): its launches are not known", module.name));
  }
  SEAM_DO(graph::verify(module));
  ForeignProgram program;
  program.graph = std::move(module);
  // Where each instruction stands; a list in another order than the schedule is not what the compiler launches.
  std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> known;
  for (std::size_t c = 0; c < program.graph.computations.size(); ++c) {
    const graph::Computation& computation = program.graph.computations[Id<graph::Computation>(c)];
    for (std::size_t i = 0; i < computation.ops.size(); ++i) known[computation.ops[Id<graph::Op>(i)].name] = {c, i};
  }
  std::map<std::size_t, std::pair<std::size_t, std::string>> last;  // by computation
  for (ForeignLaunch& launch : launches) {
    const std::string& name = launch.instruction;
    // Copies inside a slice fusion have names of their own; the fusion's row stands for them.
    if (!known.contains(name)) {
      if (launch.kind == ForeignKind::Copy) continue;
      return fail(Error::Code::BadInput, fmt::format("the module has no instruction {}: the launch list is of another module", name), launch.at);
    }
    const Position at = launch.at;
    const auto [computation, place] = known.find(name)->second;
    if (const auto before = last.find(computation); before != last.end() && before->second.first > place) {
      return fail(Error::Code::BadInput, fmt::format("{} is launched after {}, which the module's schedule has behind it", name, before->second.second), at);
    }
    last[computation] = {place, name};
    std::string key = name;
    if (!program.launches.emplace(std::move(key), std::move(launch)).second) {
      return fail(Error::Code::Unsupported, "an instruction with several launches cannot be run", at);
    }
  }
  SEAM_DO(check_launches(program));
  SEAM_DO(add_kernels(program, std::move(ptx)));
  SEAM_DO(find_sharings(program));
  return program;
}

}  // namespace seam::codegen
