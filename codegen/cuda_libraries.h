#pragma once
/// Finds NVIDIA's libraries (NVRTC, nvJitLink) by name at run time: a toolkit, the wheels that scripts/setup unpacks, the
/// loader's own path.
#include <string>
#include <string_view>
#include <vector>

namespace seam::codegen {

struct CudaLibrary {
  void* handle = nullptr;  ///< of dlopen; never closed: the library keeps state of its own
  std::string path;
  std::string tried;       ///< one place per line
};
/// lib<name>.so.<version>, versions in order of preference.
[[nodiscard]] CudaLibrary open_cuda_library(std::string_view name, const std::vector<std::string_view>& versions);

}  // namespace seam::codegen
