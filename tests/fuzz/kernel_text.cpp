#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codegen/kernel.h"

/// .kernel text of any bytes: read or refused. What reads must print to text that reads back equal, and the verifier must survive it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam::codegen;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto kernel = parse_kernel(text, "fuzz.kernel");
  if (!kernel) return 0;
  const auto again = parse_kernel(print(*kernel), "printed.kernel");
  if (!again || !(*again == *kernel)) __builtin_trap();
  (void)verify(*kernel);
  return 0;
}
