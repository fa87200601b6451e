// NVRTC by name: no CUDA at build time, none on the machine but this library at run time.
#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

#include "batch/entries.h"
#include "codegen/codegen.h"
#include "cuda_libraries.h"

namespace seam::codegen {
namespace {

using Program = struct _nvrtcProgram*;

struct Api {
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*architecture_count)(int*) = nullptr;
  int (*architectures)(int*) = nullptr;
};

template <class F>
bool resolve(void* library, const char* name, F& out) {
  void* symbol = dlsym(library, name);
  out = reinterpret_cast<F>(symbol);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): that is what dlsym is
  return symbol != nullptr;
}

/// NVRTC puts the working directory in front of the source's name in .file lines: taken out again, so that the PTX depends on the text alone.
std::string without_folder(std::string ptx, const std::string& name) {
  const std::string end = "/" + name + "\"";
  for (std::size_t at = ptx.find("\t.file\t"); at != std::string::npos; at = ptx.find("\t.file\t", at + 1)) {
    const std::size_t open = ptx.find('"', at);
    const std::size_t close = open == std::string::npos ? open : ptx.find('"', open + 1);
    if (close == std::string::npos) break;
    const std::string_view path(&ptx[open], close + 1 - open);
    if (path.ends_with(end)) ptx.replace(open + 1, path.size() - end.size(), "");
  }
  return ptx;
}

class Nvrtc final : public Compiler {
 public:
  Nvrtc(Api api, std::string path, std::vector<int> architectures, int major, int minor, bool contract)
      : api_(api), path_(std::move(path)), architectures_(std::move(architectures)), major_(major), minor_(minor), contract_(contract) {}

  Result<std::string> compile(std::string_view cuda, std::string_view file, int compute_major, int compute_minor) const override {
    const std::string text(cuda);
    const std::string name(file);
    Program program = nullptr;
    if (api_.create(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr) != 0) {
      return fail(Error::Code::Environment, fmt::format("NVRTC ({}) cannot start a compilation", path_));
    }
    const std::string architecture = fmt::format("--gpu-architecture=compute_{}", target(compute_major, compute_minor));
    const std::array options = {architecture.c_str(), contract_ ? "--fmad=true" : "--fmad=false", "--generate-line-info", "--std=c++17"};
    const int status = api_.compile(program, static_cast<int>(options.size()), options.data());
    std::string log = text_of(program, api_.log_size, api_.log);
    std::string ptx = status == 0 ? text_of(program, api_.ptx_size, api_.ptx) : std::string();
    api_.destroy(&program);
    if (status != 0) return fail(Error::Code::BadInput, fmt::format("the kernel's text does not compile:\n{}", log));
    return without_unused_variables(without_folder(std::move(ptx), name));
  }

  int target(int compute_major, int compute_minor) const override {
    const int wanted = compute_major * 10 + compute_minor;
    for (const int a : architectures_) {
      if (a >= wanted) return a;
    }
    return architectures_.empty() ? wanted : architectures_.back();
  }

  std::string version() const override { return fmt::format("NVRTC {}.{}", major_, minor_); }

 private:
  static std::string text_of(Program program, int (*size_of)(Program, std::size_t*), int (*get)(Program, char*)) {
    std::size_t size = 0;
    if (size_of(program, &size) != 0 || size == 0) return {};
    std::string out(size, '\0');
    if (get(program, out.data()) != 0) return {};
    while (!out.empty() && out.back() == '\0') out.pop_back();
    return out;
  }

  Api api_;
  std::string path_;
  std::vector<int> architectures_;  ///< ascending
  int major_, minor_;
  bool contract_;
};

Result<std::shared_ptr<const Compiler>> load(bool contract) {
  const CudaLibrary found = open_cuda_library("nvrtc", {"13", "12"});
  if (found.handle == nullptr) {
    return fail(Error::Code::Environment,
                fmt::format("NVRTC was not found, so kernels cannot be compiled; scripts/setup fetches it. Looked in:\n{}", found.tried));
  }
  Api api;
  const bool whole = resolve(found.handle, "nvrtcVersion", api.version) && resolve(found.handle, "nvrtcCreateProgram", api.create) &&
                     resolve(found.handle, "nvrtcDestroyProgram", api.destroy) && resolve(found.handle, "nvrtcCompileProgram", api.compile) &&
                     resolve(found.handle, "nvrtcGetPTXSize", api.ptx_size) && resolve(found.handle, "nvrtcGetPTX", api.ptx) &&
                     resolve(found.handle, "nvrtcGetProgramLogSize", api.log_size) && resolve(found.handle, "nvrtcGetProgramLog", api.log);
  if (!whole) return fail(Error::Code::Environment, fmt::format("{} is no NVRTC that we know", found.path));
  int major = 0;
  int minor = 0;
  api.version(&major, &minor);
  std::vector<int> architectures;
  int count = 0;
  if (resolve(found.handle, "nvrtcGetNumSupportedArchs", api.architecture_count) &&
      resolve(found.handle, "nvrtcGetSupportedArchs", api.architectures) && api.architecture_count(&count) == 0 && count > 0) {
    architectures.resize(static_cast<std::size_t>(count));
    api.architectures(architectures.data());
  }
  return std::shared_ptr<const Compiler>(std::make_shared<Nvrtc>(api, found.path, std::move(architectures), major, minor, contract));
}

}  // namespace

Result<std::shared_ptr<const Compiler>> Compiler::find() { return load(false); }
Result<std::shared_ptr<const Compiler>> Compiler::find_contracting() { return load(true); }

}  // namespace seam::codegen
