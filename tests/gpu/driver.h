#pragma once
/// The CUDA driver by name: no header, no library at build time. What is needed to load PTX, launch and copy.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace seam::gpu {

/// Handles and error codes are plain: 0 is success.
class Driver {
 public:
  Driver() {
    library_ = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library_) {
      why_ = ::dlerror();
      return;
    }
    const bool all = resolve("cuInit", init_) && resolve("cuDeviceGetCount", device_count_) && resolve("cuDeviceGet", device_) &&
                     resolve("cuDeviceGetName", device_name_) && resolve("cuDeviceGetAttribute", attribute_) &&
                     resolve("cuDevicePrimaryCtxRetain", retain_) && resolve("cuCtxSetCurrent", set_current_) &&
                     resolve("cuModuleLoadData", load_) && resolve("cuModuleGetFunction", function_) &&
                     resolve("cuFuncSetAttribute", set_attribute_) && resolve("cuMemAlloc_v2", allocate_) &&
                     resolve("cuMemcpyHtoD_v2", to_device_) && resolve("cuMemcpyDtoH_v2", to_host_) && resolve("cuLaunchKernel", launch_) &&
                     resolve("cuLaunchCooperativeKernel", launch_cooperative_) && resolve("cuCtxSynchronize", synchronize_) &&
                     resolve("cuGetErrorName", error_name_);
    if (!all) return;
    int count = 0;
    if (init_(0) != 0 || device_count_(&count) != 0 || count == 0) {
      why_ = "the driver finds no GPU";
      return;
    }
    usable_ = true;
  }

  [[nodiscard]] bool usable() const { return usable_; }
  /// Why it is not usable.
  [[nodiscard]] const std::string& why() const { return why_; }

  /// Makes a context on device 0; name and compute capability.
  int open(std::string& name, int& major, int& minor) {
    int device = 0;
    void* context = nullptr;
    char text[256] = {};
    if (const int e = device_(&device, 0)) return e;
    device_name_(text, sizeof text, device);
    name = text;
    attribute_(&major, 75, device);
    attribute_(&minor, 76, device);
    if (const int e = retain_(&context, device)) return e;
    return set_current_(context);
  }
  int load(const char* ptx, const char* kernel, void*& function) {
    void* module = nullptr;
    if (const int e = load_(&module, ptx)) return e;
    return function_(&function, module, kernel);
  }
  int allocate(std::uint64_t& address, std::size_t bytes) { return allocate_(&address, bytes); }
  int to_device(std::uint64_t to, const void* from, std::size_t bytes) { return to_device_(to, from, bytes); }
  int to_host(void* to, std::uint64_t from, std::size_t bytes) { return to_host_(to, from, bytes); }
  /// Launches and waits.
  int run(void* function, const unsigned grid[3], const unsigned block[3], unsigned shared, bool cooperative, void** arguments) {
    constexpr int kDynamicShared = 8;
    if (shared > 48 * 1024) {
      if (const int e = set_attribute_(function, kDynamicShared, static_cast<int>(shared))) return e;
    }
    const int e = cooperative ? launch_cooperative_(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, nullptr, arguments)
                              : launch_(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, nullptr, arguments, nullptr);
    return e != 0 ? e : synchronize_();
  }
  [[nodiscard]] std::string name_of(int error) const {
    const char* text = nullptr;
    error_name_(error, &text);
    return text ? text : "error " + std::to_string(error);
  }

 private:
  template <class F>
  bool resolve(const char* name, F& out) {
    out = reinterpret_cast<F>(::dlsym(library_, name));
    if (!out) why_ = std::string("the driver lacks ") + name;
    return out != nullptr;
  }

  void* library_ = nullptr;
  bool usable_ = false;
  std::string why_;
  int (*init_)(unsigned) = nullptr;
  int (*device_count_)(int*) = nullptr;
  int (*device_)(int*, int) = nullptr;
  int (*device_name_)(char*, int, int) = nullptr;
  int (*attribute_)(int*, int, int) = nullptr;
  int (*retain_)(void**, int) = nullptr;
  int (*set_current_)(void*) = nullptr;
  int (*load_)(void**, const void*) = nullptr;
  int (*function_)(void**, void*, const char*) = nullptr;
  int (*set_attribute_)(void*, int, int) = nullptr;
  int (*allocate_)(std::uint64_t*, std::size_t) = nullptr;
  int (*to_device_)(std::uint64_t, const void*, std::size_t) = nullptr;
  int (*to_host_)(void*, std::uint64_t, std::size_t) = nullptr;
  int (*launch_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) = nullptr;
  int (*launch_cooperative_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**) = nullptr;
  int (*synchronize_)() = nullptr;
  int (*error_name_)(int, const char**) = nullptr;
};

}  // namespace seam::gpu
