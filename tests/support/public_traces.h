#pragma once
/// The public traces beside the checkout, which are never committed: tests that want them skip, saying so, where they are absent.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace seam::test {

/// SEAM_PUBLIC_DATA, or the folder beside the checkout.
inline std::filesystem::path public_data() {
  const char* given = std::getenv("SEAM_PUBLIC_DATA");
  return given != nullptr ? given : SEAM_PUBLIC_DATA_DEFAULT;
}

/// Traces of PyTorch's profiler, single ones and ranks of jobs; empty if the data is absent.
inline std::vector<std::filesystem::path> public_kineto_traces() {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path root = public_data() / "traces";
  if (!std::filesystem::exists(root)) return out;
  for (const std::filesystem::directory_entry& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string(), folder = entry.path().parent_path().string();
    const bool kineto = folder.ends_with("kineto") || folder.find("multirank") != std::string::npos;
    if (kineto && name.ends_with(".json.gz") && !name.starts_with("et_")) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace seam::test
