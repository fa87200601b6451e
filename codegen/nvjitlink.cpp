// nvJitLink by name: PTX → machine code, for what its log says of it.
#include <dlfcn.h>
#include <fmt/core.h>

#include <array>

#include "codegen/resources.h"
#include "cuda_libraries.h"

namespace seam::codegen {
namespace {

using Linker = struct nvJitLink*;
constexpr int kInputPtx = 2;
constexpr std::array kStatus = {"success", "unrecognized option", "no architecture given", "invalid input", "the PTX does not compile", "the NVVM does not compile", "internal error", "thread pool failed",
                                "unrecognized input", "the finalizer failed", "null input", "incompatible options", "wrong type of input", "another architecture", "the library is older than the PTX",
                                "missing fatbin", "unrecognized architecture", "architecture not supported", "needs link-time optimization"};

std::string status_text(int status) {
  const auto i = static_cast<std::size_t>(status);
  return status >= 0 && i < kStatus.size() ? kStatus[i] : fmt::format("status {}", status);
}

struct Api {
  int (*create)(Linker*, std::uint32_t, const char**) = nullptr;
  int (*destroy)(Linker*) = nullptr;
  int (*add)(Linker, int, const void*, std::size_t, const char*) = nullptr;
  int (*complete)(Linker) = nullptr;
  int (*error_size)(Linker, std::size_t*) = nullptr;
  int (*error)(Linker, char*) = nullptr;
  int (*info_size)(Linker, std::size_t*) = nullptr;
  int (*info)(Linker, char*) = nullptr;
  int (*version)(unsigned*, unsigned*) = nullptr;
};

template <class F>
bool resolve(void* library, const char* name, F& out) {
  void* symbol = dlsym(library, name);
  out = reinterpret_cast<F>(symbol);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): that is what dlsym is
  return symbol != nullptr;
}

std::string text_of(Linker linker, int (*size_of)(Linker, std::size_t*), int (*get)(Linker, char*)) {
  std::size_t size = 0;
  if (size_of(linker, &size) != 0 || size == 0) return {};
  std::string out(size, '\0');
  if (get(linker, out.data()) != 0) return {};
  while (!out.empty() && out.back() == '\0') out.pop_back();
  return out;
}

class NvJitLink final : public Assembler {
 public:
  NvJitLink(Api api, std::string path, std::string version) : api_(api), path_(std::move(path)), version_(std::move(version)) {}

  Result<Resources> resources(std::string_view ptx, std::string_view kernel, int architecture) const override {
    const std::string text(ptx);
    const std::string name(kernel);
    const std::string target = fmt::format("-arch=sm_{}", architecture);
    std::array<const char*, 2> options = {target.c_str(), "-verbose"};
    Linker linker = nullptr;
    if (const int status = api_.create(&linker, options.size(), options.data()); status != 0) {
      return fail(Error::Code::Environment, fmt::format("nvJitLink ({}) does not start for sm_{}: {}", path_, architecture, status_text(status)));
    }
    int status = api_.add(linker, kInputPtx, text.c_str(), text.size() + 1, name.c_str());
    if (status == 0) status = api_.complete(linker);
    const std::string log = status == 0 ? text_of(linker, api_.info_size, api_.info) : text_of(linker, api_.error_size, api_.error);
    api_.destroy(&linker);
    if (status != 0) return fail(Error::Code::BadInput, fmt::format("the PTX of kernel {} cannot be assembled for sm_{}: {}\n{}", name, architecture, status_text(status), log));
    return parse_resources(log, name);
  }

  std::string version() const override { return version_; }

 private:
  Api api_;
  std::string path_, version_;
};

}  // namespace

Result<std::shared_ptr<const Assembler>> Assembler::find() {
  const CudaLibrary found = open_cuda_library("nvJitLink", {"13", "12"});
  if (found.handle == nullptr) {
    return fail(Error::Code::Environment, fmt::format("nvJitLink was not found, so registers and spills are unknown; scripts/setup fetches it. Looked in:\n{}", found.tried));
  }
  Api api;
  const bool whole = resolve(found.handle, "nvJitLinkCreate", api.create) && resolve(found.handle, "nvJitLinkDestroy", api.destroy) && resolve(found.handle, "nvJitLinkAddData", api.add) &&
                     resolve(found.handle, "nvJitLinkComplete", api.complete) && resolve(found.handle, "nvJitLinkGetErrorLogSize", api.error_size) &&
                     resolve(found.handle, "nvJitLinkGetErrorLog", api.error) && resolve(found.handle, "nvJitLinkGetInfoLogSize", api.info_size) &&
                     resolve(found.handle, "nvJitLinkGetInfoLog", api.info);
  if (!whole) return fail(Error::Code::Environment, fmt::format("{} is no nvJitLink that we know", found.path));
  unsigned major = 0;
  unsigned minor = 0;
  std::string version = "nvJitLink";
  if (resolve(found.handle, "nvJitLinkVersion", api.version) && api.version(&major, &minor) == 0) version = fmt::format("nvJitLink {}.{}", major, minor);
  return std::shared_ptr<const Assembler>(std::make_shared<NvJitLink>(api, found.path, std::move(version)));
}

}  // namespace seam::codegen
