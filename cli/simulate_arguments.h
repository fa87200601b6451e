#pragma once
/// The --arg words of `seam simulate`: what each kernel parameter is bound to.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/npy.h"
#include "base/result.h"
#include "sim/sim.h"

namespace seam::cli {

/// A parameter once its word is understood.
struct Binding {
  std::string word;           ///< as typed
  bool buffer = false;        ///< has a buffer of its own; else a value, null, or same:
  bool output = false;        ///< starts unwritten
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
  std::uint64_t address = 0;  ///< of the buffer, its own or another argument's
  std::vector<std::byte> value;  ///< what goes into the parameter block
};

inline constexpr std::string_view kArgumentHelp =
    "one per parameter, in order: FILE.npy | rand:f16[8,64] | zero:f32[64] | out:f32[128,64] | same:0 | null | s32:7";

/// Makes the buffers in `memory` and the values. `seed` chooses the numbers of rand:.
[[nodiscard]] Result<std::vector<Binding>> bind_arguments(const std::vector<std::string>& words, const sim::KernelInfo& kernel,
                                                          sim::Memory& memory, std::uint64_t seed);
/// The parameter block.
[[nodiscard]] std::vector<std::byte> parameter_block(const std::vector<Binding>& bindings, const sim::KernelInfo& kernel);

}  // namespace seam::cli
