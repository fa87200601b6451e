#pragma once
/// CUDA text → PTX in tests, by NVRTC loaded at run time. Where there is none, a test says so and skips.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace seam::test {

class Nvrtc {
 public:
  /// Looks in CUDA_HOME, /usr/local/cuda, the build folder's wheels and the loader's path.
  Nvrtc() {
    for (const std::filesystem::path& root : roots()) {
      for (const char* name : {"lib64/libnvrtc.so.13", "lib/libnvrtc.so.13", "lib64/libnvrtc.so.12"}) {
        if (!library_ && std::filesystem::exists(root / name)) {
          load_builtins((root / name).parent_path());
          library_ = ::dlopen((root / name).c_str(), RTLD_NOW | RTLD_LOCAL);
          include_ = root / "include";
        }
      }
    }
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
      if (!library_) library_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    resolve("nvrtcCreateProgram", create_);
    resolve("nvrtcDestroyProgram", destroy_);
    resolve("nvrtcCompileProgram", compile_);
    resolve("nvrtcGetPTXSize", ptx_size_);
    resolve("nvrtcGetPTX", ptx_);
    resolve("nvrtcGetProgramLogSize", log_size_);
    resolve("nvrtcGetProgramLog", log_);
  }

  [[nodiscard]] bool available() const { return library_ && create_ && ptx_; }

  /// Empty on failure; `log` then says why.
  std::string ptx(const std::string& text, const std::string& name, int compute,
                  std::vector<std::string> options = {}) {
    void* program = nullptr;
    if (create_(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr) != 0) return {};
    options.push_back("--gpu-architecture=compute_" + std::to_string(compute));
    options.emplace_back("--std=c++17");
    if (!include_.empty()) options.push_back("--include-path=" + include_.string());
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    const int status = compile_(program, static_cast<int>(pointers.size()), pointers.data());
    std::size_t size = 0;
    log_size_(program, &size);
    log.assign(size, '\0');
    log_(program, log.data());
    std::string out;
    if (status == 0) {
      ptx_size_(program, &size);
      out.assign(size, '\0');
      ptx_(program, out.data());
    }
    destroy_(&program);
    return out;
  }

  std::string log;

 private:
  /// NVRTC opens its built-in headers by bare name: the wheel's folder is on nobody's path, so they must be loaded before.
  static void load_builtins(const std::filesystem::path& folder) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  }

  static std::vector<std::filesystem::path> roots() {
    std::vector<std::filesystem::path> out;
    if (const char* home = std::getenv("CUDA_HOME")) out.emplace_back(home);
    out.emplace_back("/usr/local/cuda");
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    for (auto folder = self.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
      out.push_back(folder / "cuda/nvidia/cu13");
      out.push_back(folder / "build/cuda/nvidia/cu13");
    }
    return out;
  }

  template <class F>
  void resolve(const char* name, F& out) {
    out = library_ ? reinterpret_cast<F>(::dlsym(library_, name)) : nullptr;
  }

  void* library_ = nullptr;
  std::filesystem::path include_;
  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy_)(void**) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*ptx_size_)(void*, std::size_t*) = nullptr;
  int (*ptx_)(void*, char*) = nullptr;
  int (*log_size_)(void*, std::size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
};

}  // namespace seam::test
