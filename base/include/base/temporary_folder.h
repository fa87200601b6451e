#pragma once
/// A folder of its own among the system's temporary ones, which goes, with what is in it, when the object does.
#include <filesystem>

#include "base/result.h"

namespace seam {

class TemporaryFolder {
 public:
  /// Environment where none can be made ($TMPDIR names another place).
  [[nodiscard]] static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace seam
