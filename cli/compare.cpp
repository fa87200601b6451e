#include "compare.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/files.h"

namespace seam::cli {
namespace {

constexpr std::string_view kHole = "{}";

std::filesystem::path filled(std::string pattern, const std::filesystem::path& module) {
  const std::string stem = module.stem().string();
  for (std::size_t at = pattern.find(kHole); at != std::string::npos; at = pattern.find(kHole, at + stem.size())) pattern.replace(at, kHole.size(), stem);
  return pattern;
}

Result<report::CompilerModule> read(const std::filesystem::path& file) {
  SEAM_TRY(std::string text, during("reading what --compare names", read_file(file)));
  return report::CompilerModule{std::move(text), file.string()};
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

void add_compare_flag(CLI::App& app, std::vector<std::string>& patterns) {
  app.add_option("--compare", patterns,
                 "count a real compiler's optimized module of the same program beside the plan; {} in it stands for the module's name without its ending; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

Result<std::vector<report::CompilerModule>> compared_with(const std::vector<std::string>& patterns, const std::filesystem::path& module) {
  std::vector<report::CompilerModule> out;
  for (const std::string& pattern : patterns) {
    SEAM_TRY(report::CompilerModule one, read(filled(pattern, module)));
    out.push_back(std::move(one));
  }
  return out;
}

Result<std::vector<std::optional<report::CompilerModule>>> compared_if_there(const std::vector<std::string>& patterns, const std::filesystem::path& module) {
  std::vector<std::optional<report::CompilerModule>> out;
  for (const std::string& pattern : patterns) {
    const std::filesystem::path file = filled(pattern, module);
    std::error_code error;
    out.emplace_back();
    if (!std::filesystem::exists(file, error)) continue;
    SEAM_TRY(out.back(), read(file));
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
