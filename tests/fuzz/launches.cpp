#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codegen/foreign.h"

/// Launch lists of any bytes: read or refused, in both forms; a table that reads is what its rows say. The part after a line "--" is metadata.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam::codegen;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto table = read_launches(text, "fuzz.tsv"); table && table->empty()) __builtin_trap();
  const std::size_t cut = text.find("\n--\n");
  const std::string_view metadata = cut == std::string_view::npos ? std::string_view{} : text.substr(cut + 4);
  const auto thunks = read_thunks(text.substr(0, cut), metadata, "fuzz.txt");
  if (!thunks) return 0;
  for (const ForeignLaunch& launch : *thunks) {
    if (launch.instruction.empty() || (launch.kind == ForeignKind::Kernel && launch.kernel.empty())) __builtin_trap();
  }
  return 0;
}
