/// Foreign programs from files: named one by one, or a folder as --xla_dump_to leaves it.
#include <fmt/core.h>

#include <algorithm>

#include "base/files.h"
#include "codegen/foreign.h"
#include "graph/text.h"

namespace seam::codegen {
namespace {

namespace fs = std::filesystem;

/// Plain files of a folder, by name.
Result<std::vector<fs::path>> files_of(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) return fail(Error::Code::NotFound, fmt::format("cannot read folder {}: {}", folder.string(), error.message()));
  std::vector<fs::path> files;
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    if (error) return fail(Error::Code::NotFound, fmt::format("cannot read folder {}: {}", folder.string(), error.message()));
    if (entries->is_regular_file(error)) files.push_back(entries->path());
  }
  std::ranges::sort(files);
  return files;
}

Result<std::vector<PtxText>> read_ptx(const fs::path& at) {
  std::vector<fs::path> files{at};
  if (fs::is_directory(at)) {
    SEAM_TRY(files, files_of(at));
    std::erase_if(files, [](const fs::path& file) { return file.extension() != ".ptx"; });
    if (files.empty()) return fail(Error::Code::NotFound, fmt::format("folder {} has no .ptx file", at.string()));
  }
  std::vector<PtxText> out;
  for (const fs::path& file : files) {
    SEAM_TRY(std::string text, read_file(file));
    out.push_back({file.string(), std::move(text)});
  }
  return out;
}

constexpr std::string_view kOptimized = "gpu_after_optimizations.txt", kSequence = "thunk_sequence.txt", kMetadata = "thunk_metadata.txt";

/// "module_0001.jit_step" of "module_0001.jit_step.sm_9.0_gpu_after_optimizations.txt".
std::string module_of(const std::string& name) {
  const std::string_view stem = std::string_view(name).substr(0, name.size() - kOptimized.size());
  // What stands between is the target: ".sm_9.0_", ".gfx90a_" or nothing.
  const std::size_t dot = stem.find(".sm_");
  return std::string(dot == std::string_view::npos ? stem.substr(0, stem.find_last_of('.')) : stem.substr(0, dot));
}

/// `text` of a launch list in either form, `metadata` where there is one.
Result<std::vector<ForeignLaunch>> launches_of(const fs::path& file) {
  SEAM_TRY(const std::string text, read_file(file));
  const std::string name = file.string();
  if (!name.ends_with(kSequence)) return read_launches(text, name);
  const fs::path beside = name.substr(0, name.size() - kSequence.size()) + std::string(kMetadata);
  const auto metadata = read_file(beside);
  return read_thunks(text, metadata ? *metadata : std::string(), name);
}

Result<ForeignProgram> assemble(const fs::path& module, const fs::path& launches, std::vector<PtxText> ptx) {
  SEAM_TRY(const std::string text, read_file(module));
  SEAM_TRY(graph::Graph graph, graph::read_graph(text, module.string()));
  SEAM_TRY(std::vector<ForeignLaunch> list, launches_of(launches));
  return foreign_program(std::move(graph), std::move(list), std::move(ptx));
}

}  // namespace

Result<ForeignProgram> read_foreign(const fs::path& module, const fs::path& ptx, const fs::path& launches) {
  SEAM_TRY(std::vector<PtxText> texts, read_ptx(ptx));
  return assemble(module, launches, std::move(texts));
}

Result<ForeignProgram> read_dump(const fs::path& folder, std::string_view module) {
  SEAM_TRY(const std::vector<fs::path> files, files_of(folder));
  std::vector<fs::path> optimized;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (name.ends_with(kOptimized) && (module.empty() || module_of(name) == module)) optimized.push_back(file);
  }
  if (optimized.empty()) {
    return fail(Error::Code::NotFound,
                fmt::format("folder {} has no …gpu_after_optimizations.txt{}: was XLA told --xla_dump_to and --xla_dump_hlo_as_text?",
                            folder.string(), module.empty() ? std::string() : fmt::format(" of module {}", module)));
  }
  if (optimized.size() > 1) {
    std::string names;
    for (const fs::path& file : optimized) names += (names.empty() ? "" : ", ") + module_of(file.filename().string());
    return fail(Error::Code::BadInput, fmt::format("folder {} holds several modules; name one of {}", folder.string(), names));
  }
  const std::string name = module_of(optimized[0].filename().string());
  const auto belongs = [&](const fs::path& file, std::string_view ending) {
    const std::string here = file.filename().string();
    return here.starts_with(name + ".") && here.ends_with(ending);
  };
  std::vector<PtxText> ptx;
  fs::path sequence;
  for (const fs::path& file : files) {
    if (belongs(file, ".ptx")) {
      SEAM_TRY(std::string text, read_file(file));
      ptx.push_back({file.string(), std::move(text)});
    }
    // Of two lists, the one before thunks are put into command buffers is shorter in name; it comes later in the order.
    if (belongs(file, kSequence)) sequence = file;
  }
  if (ptx.empty())
    return fail(Error::Code::NotFound,
                fmt::format("folder {} has no PTX of module {}: XLA writes {}.ptx unless compilation stopped before", folder.string(), name, name));
  if (sequence.empty()) {
    return fail(Error::Code::NotFound, fmt::format("folder {} has no {}.…thunk_sequence.txt: grids are only written there", folder.string(), name));
  }
  return assemble(optimized[0], sequence, std::move(ptx));
}

}  // namespace seam::codegen
