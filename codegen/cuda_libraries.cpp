#include "cuda_libraries.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

namespace seam::codegen {
namespace {

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> out;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') {
      out.push_back(std::filesystem::path(root) / "lib64");
      out.push_back(std::filesystem::path(root) / "lib");
    }
  }
  out.emplace_back("/usr/local/cuda/lib64");
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  // build/<preset>/bin/seam → build/cuda; an installed one keeps it beside itself.
  if (!error) {
    out.push_back(self.parent_path() / "../../cuda/nvidia/cu13/lib");
    out.push_back(self.parent_path() / "../lib/seam/cuda/nvidia/cu13/lib");
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    out.push_back(std::filesystem::path(home) / ".cache/seam/cuda/nvidia/cu13/lib");
  }
  return out;
}

/// NVRTC opens its table of built-in headers by bare name, which the loader finds only on its own path or among what is loaded already.
void load_builtins(const std::filesystem::path& folder, std::string_view name) {
  const std::string start = fmt::format("lib{}-builtins.so.", name);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(start)) dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
}

}  // namespace

CudaLibrary open_cuda_library(std::string_view name, const std::vector<std::string_view>& versions) {
  CudaLibrary out;
  const auto attempt = [&](const std::string& path) {
    out.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (out.handle != nullptr) out.path = path;
    return out.handle != nullptr;
  };
  for (const std::filesystem::path& folder : folders()) {
    out.tried += fmt::format("  {}\n", folder.lexically_normal().string());
    for (const std::string_view version : versions) {
      const std::filesystem::path file = folder / fmt::format("lib{}.so.{}", name, version);
      std::error_code error;
      if (!std::filesystem::exists(file, error)) continue;
      load_builtins(folder, name);
      if (attempt(file.string())) return out;
    }
  }
  out.tried += "  the loader's own path\n";
  for (const std::string_view version : versions) {
    if (attempt(fmt::format("lib{}.so.{}", name, version))) return out;
  }
  return out;
}

}  // namespace seam::codegen
