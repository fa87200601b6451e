#include "compare.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/files.h"

namespace seam::cli {
namespace {

constexpr std::string_view kHole = "{}";

std::filesystem::path filled(std::string pattern, const std::filesystem::path& module) {
  const std::string stem = module.stem().string();
  for (std::size_t at = pattern.find(kHole); at != std::string::npos; at = pattern.find(kHole, at + stem.size())) pattern.replace(at, kHole.size(), stem);
  return pattern;
}

/// A folder, or a module in one: "dump/module_0001.jit_step".
std::optional<std::pair<std::filesystem::path, std::string>> dump_of(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return std::pair{file, std::string()};
  if (!std::filesystem::exists(file, error) && file.filename().string().starts_with("module_") && std::filesystem::is_directory(file.parent_path(), error))
    return std::pair{file.parent_path(), file.filename().string()};
  return std::nullopt;
}

report::CompilerModule with_program(const std::filesystem::path& file, codegen::ForeignProgram program) {
  return {{}, file.string(), std::make_shared<codegen::ForeignProgram>(std::move(program))};
}

/// The k-th of --compare, with its kernels where they are named.
Result<report::CompilerModule> read(const CompareFlags& flags, std::size_t k, const std::filesystem::path& module) {
  const std::filesystem::path file = filled(flags.compare[k], module);
  if (const auto dump = dump_of(file)) {
    if (!flags.ptx.empty()) return fail(Error::Code::BadInput, fmt::format("--compare {}: a dump folder holds its PTX and launches: --ptx and --launches are for a module's file", file.string()));
    SEAM_TRY(codegen::ForeignProgram program, during("reading what --compare names", codegen::read_dump(dump->first, dump->second)));
    return with_program(file, std::move(program));
  }
  if (!flags.ptx.empty()) {
    SEAM_TRY(codegen::ForeignProgram program, during("reading what --compare, --ptx and --launches name", codegen::read_foreign(file, filled(flags.ptx[k], module), filled(flags.launches[k], module))));
    return with_program(file, std::move(program));
  }
  SEAM_TRY(std::string text, during("reading what --compare names", read_file(file)));
  return report::CompilerModule{std::move(text), file.string(), nullptr};
}

Result<void> check_numbers(const CompareFlags& flags) {
  if (flags.ptx.size() != flags.launches.size()) return fail(Error::Code::BadInput, "--ptx and --launches belong together: what kernels there are, and how they are launched");
  if (!flags.ptx.empty() && flags.ptx.size() != flags.compare.size())
    return fail(Error::Code::BadInput, fmt::format("--ptx and --launches stand {} times, --compare {} times: one for each, in the same order", flags.ptx.size(), flags.compare.size()));
  return {};
}

std::string heading(const std::string& pattern) {
  std::string name = std::filesystem::path(pattern).stem().string();
  if (const std::size_t at = name.find(kHole); at != std::string::npos) name.erase(at, kHole.size());
  constexpr std::string_view kBetween = "._- ";
  name.erase(0, std::min(name.size(), name.find_first_not_of(kBetween)));
  name.erase(name.find_last_not_of(kBetween) + 1);
  return name.empty() ? pattern : name;
}

}  // namespace

void add_compare_flags(CLI::App& app, CompareFlags& flags) {
  app.add_option("--compare", flags.compare,
                 "count a real compiler's optimized module of the same program beside the plan, or its --xla_dump_to folder, kernels included; {} in it stands for the module's name without its ending; may be "
                 "given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--ptx", flags.ptx, "with --compare FILE: that module's kernels (a folder with .ptx files, or one file): they run on the simulator, and so do ours, kernel by kernel")->allow_extra_args(false);
  app.add_option("--launches", flags.launches, "with --ptx: the launch list (a table, or XLA's …thunk_sequence.txt)")->type_name("FILE")->allow_extra_args(false);
}

Result<std::vector<report::CompilerModule>> compared_with(const CompareFlags& flags, const std::filesystem::path& module) {
  SEAM_DO(check_numbers(flags));
  std::vector<report::CompilerModule> out;
  for (std::size_t k = 0; k < flags.compare.size(); ++k) {
    SEAM_TRY(report::CompilerModule one, read(flags, k, module));
    out.push_back(std::move(one));
  }
  return out;
}

Result<std::vector<std::optional<report::CompilerModule>>> compared_if_there(const CompareFlags& flags, const std::filesystem::path& module) {
  SEAM_DO(check_numbers(flags));
  std::vector<std::optional<report::CompilerModule>> out;
  for (std::size_t k = 0; k < flags.compare.size(); ++k) {
    const std::filesystem::path file = filled(flags.compare[k], module);
    std::error_code error;
    out.emplace_back();
    if (!std::filesystem::exists(file, error) && !dump_of(file)) continue;
    SEAM_TRY(out.back(), read(flags, k, module));
  }
  return out;
}

std::vector<std::string> headings(const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns) names.push_back(heading(pattern));
  std::vector<std::string> out = names;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::ranges::count(names, names[i]) > 1) out[i] = patterns[i];
  return out;
}

}  // namespace seam::cli
