#include "base/temporary_folder.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace seam {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  const fs::path among = fs::temp_directory_path(error);
  if (error) return fail(Error::Code::Environment, "the folder for temporary files is not there: set $TMPDIR to one that is");
  // mkdtemp() puts characters of its own in the place of the Xs.
  std::string pattern = (among / "seam.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return fail(Error::Code::Environment, fmt::format("cannot make a folder in {}: set $TMPDIR to another place", among.string()));
  return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace seam
