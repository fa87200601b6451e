#include "bundled.h"

#include <fmt/core.h>

namespace seam::cli {

Result<std::filesystem::path> bundled(std::string_view name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string looked;
  for (const std::filesystem::path& folder : {program.parent_path().parent_path() / "share" / "seam" / "examples", std::filesystem::path(SEAM_EXAMPLES)}) {
    if (std::filesystem::exists(folder / name, error)) return folder / name;
    looked += fmt::format("{}{}", looked.empty() ? "" : ", ", folder.string());
  }
  return fail(Error::Code::Environment, fmt::format("{} is not where it was installed; looked in {}", name, looked));
}

}  // namespace seam::cli
