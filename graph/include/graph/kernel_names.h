#pragma once
/// What the name of a kernel tells: who wrote it and what kind of work it does. Names are all that most traces say of a kernel; a name that no rule knows
/// is unknown, never guessed.
#include <cstdint>
#include <string>
#include <string_view>

namespace seam::graph {

/// Classes of work as reports use them (docs: Data Movement Is All You Need, section 3, and what training jobs do besides).
enum class WorkClass : std::uint8_t { Contraction, Normalization, Elementwise, Layout, Communication, Copy, Other, Unknown };
[[nodiscard]] std::string_view name(WorkClass work);

struct KernelName {
  std::string_view family = "unknown";  ///< "cublas", "cutlass", "aten", "triton", "nccl" …: who wrote it
  WorkClass work = WorkClass::Unknown;
};
/// Mangled and demangled names of CUDA and HIP. The first rule that fits decides (graph/names/families.def).
[[nodiscard]] KernelName classify_kernel(std::string_view name);
/// The function's own name: "void ns::f<4>(int)" → "f". A part of `name`.
[[nodiscard]] std::string_view kernel_function(std::string_view name);
/// What a reader needs of a demangled name: the function without its namespaces and types, and the functor that tells instances apart:
/// "vectorized_elementwise_kernel [GeluCUDAKernelImpl]". Other names as they are.
[[nodiscard]] std::string short_kernel_name(std::string_view name);

}  // namespace seam::graph
