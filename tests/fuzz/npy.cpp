#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/npy.h"

/// .npy files of any bytes: read or refused; what reads holds as many bytes as its shape says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = seam::parse_npy(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.npy");
  if (!array) return 0;
  if (array->elements() * seam::bytes(array->dtype) != static_cast<std::int64_t>(array->data.size())) __builtin_trap();
  return 0;
}
