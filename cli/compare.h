#pragma once
/// --compare of `plan` and `optimize`: optimized modules of real compilers to count beside our plan.
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

/// Each use names one file; `{}` in it stands for the module's file name without its ending, so that one flag serves many modules.
void add_compare_flag(CLI::App& app, std::vector<std::string>& patterns);
/// The files that the patterns name for this module; all must be there.
[[nodiscard]] Result<std::vector<report::CompilerModule>> compared_with(const std::vector<std::string>& patterns, const std::filesystem::path& module);

/// The same for one of many modules: a file that is not there is no error, the compiler may have refused that one.
[[nodiscard]] Result<std::vector<std::optional<report::CompilerModule>>> compared_if_there(const std::vector<std::string>& patterns, const std::filesystem::path& module);
/// What the files of a pattern are called in a heading: "{}.h100.library.hlo" → "h100.library". The whole pattern where that says nothing
/// or two would be the same.
[[nodiscard]] std::vector<std::string> headings(const std::vector<std::string>& patterns);

}  // namespace seam::cli
