#pragma once
/// --compare of `plan` and `optimize`: what real compilers made of the same program, to stand beside our plan; with their kernels (--ptx and --launches, or a
/// dump folder) what these do as well.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/compiler_result.h"

namespace CLI {
class App;
}

namespace seam::cli {

/// In each, `{}` stands for the module's file name without its ending, so that one flag serves many modules.
struct CompareFlags {
  std::vector<std::string> compare;        ///< an optimized module's file, or a folder of --xla_dump_to ("dump", or "dump/module_0001.jit_step" where it holds several)
  std::vector<std::string> ptx, launches;  ///< of the k-th file in `compare`: none, or one for each
};
void add_compare_flags(CLI::App& app, CompareFlags& flags);
/// What the patterns name for this module; all must be there.
[[nodiscard]] Result<std::vector<report::CompilerModule>> compared_with(const CompareFlags& flags, const std::filesystem::path& module);

/// The same for one of many modules: a file that is not there is no error, the compiler may have refused that one.
[[nodiscard]] Result<std::vector<std::optional<report::CompilerModule>>> compared_if_there(const CompareFlags& flags, const std::filesystem::path& module);
/// What the files of a pattern are called in a heading: "{}.h100.library.hlo" → "h100.library". The whole pattern where that says nothing
/// or two would be the same.
[[nodiscard]] std::vector<std::string> headings(const std::vector<std::string>& patterns);

}  // namespace seam::cli
