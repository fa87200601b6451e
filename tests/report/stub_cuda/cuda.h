#pragma once
/// A CUDA driver that launches nothing: memory is the host's, a launch prints a checksum of each argument's buffer. Enough to run a reproducer's
/// own code without a GPU.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

enum CUresult { CUDA_SUCCESS = 0 };
enum CUfunction_attribute { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES };
enum { CU_EVENT_DEFAULT = 0 };
using CUdevice = int;
using CUcontext = void*;
using CUmodule = const char*;
using CUfunction = const char*;
using CUstream = void*;
using CUevent = void*;
using CUdeviceptr = unsigned long long;

inline std::map<CUdeviceptr, std::size_t>& stub_sizes() {
  static std::map<CUdeviceptr, std::size_t> sizes;
  return sizes;
}
inline CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
inline CUresult cuDeviceGet(CUdevice*, int) { return CUDA_SUCCESS; }
inline CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice) { return CUDA_SUCCESS; }
inline CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
inline CUresult cuModuleLoadData(CUmodule* module, const void* image) { return *module = static_cast<const char*>(image), CUDA_SUCCESS; }
inline CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  std::printf("module of %zu bytes, function %s\n", std::strlen(module), name);
  return *function = name, CUDA_SUCCESS;
}
inline CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
inline CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  stub_sizes()[*address] = bytes;
  return CUDA_SUCCESS;
}
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) { return std::memcpy(reinterpret_cast<void*>(to), from, bytes), CUDA_SUCCESS; }
inline CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) { return std::memcpy(to, reinterpret_cast<const void*>(from), bytes), CUDA_SUCCESS; }
inline CUresult cuLaunchKernel(CUfunction, unsigned gx, unsigned, unsigned, unsigned bx, unsigned, unsigned, unsigned shared, CUstream, void** parameters, void**) {
  static bool first = true;
  if (!first) return CUDA_SUCCESS;
  first = false;
  std::printf("launch %u x %u, %u bytes of shared memory\n", gx, bx, shared);
  for (std::size_t i = 0; i < stub_sizes().size(); ++i) {
    const CUdeviceptr address = *static_cast<CUdeviceptr*>(parameters[i]);
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (std::size_t b = 0; b < stub_sizes()[address]; ++b) hash = (hash ^ reinterpret_cast<const std::uint8_t*>(address)[b]) * 0x100000001b3ULL;
    std::printf("argument %zu %zu %016llx\n", i, stub_sizes()[address], static_cast<unsigned long long>(hash));
  }
  return CUDA_SUCCESS;
}
inline CUresult cuEventCreate(CUevent*, unsigned) { return CUDA_SUCCESS; }
inline CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
inline CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
inline CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) { return *milliseconds = 1, CUDA_SUCCESS; }
inline CUresult cuGetErrorString(CUresult, const char** text) { return *text = "", CUDA_SUCCESS; }
