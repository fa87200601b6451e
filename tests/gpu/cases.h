#pragma once
/// The launches that gpu_check compares: the ten kernels and the planted bugs of tests/sim/kernels, with buffers filled from a seed.
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace seam::gpu {

struct Argument {
  enum class Kind : std::uint8_t { Input, Output, Accumulated, Value };
  Kind kind = Kind::Value;
  DType dtype = DType::F32;
  std::size_t elements = 0;
  double scale = 1;          ///< of the random numbers of an input; 0: zeros
  std::uint64_t bits = 0;    ///< Value
};

struct Case {
  std::string file, kernel;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  bool cooperative = false;
  std::vector<Argument> arguments;
  double tolerance = 0;      ///< |sim - gpu| <= tolerance · (1 + |gpu|)
  bool planted = false;      ///< a bug: what the GPU does is only shown
};

[[nodiscard]] std::vector<Case> all_cases();

}  // namespace seam::gpu
