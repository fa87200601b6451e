#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graph/text.h"

/// .graph text of any bytes: read or refused; what reads prints to text that reads back equal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto graph = seam::graph::parse_graph(text, "fuzz.graph");
  if (!graph) return 0;
  const auto again = seam::graph::parse_graph(seam::graph::print_graph(*graph), "printed.graph");
  if (!again || !(*again == *graph)) __builtin_trap();
  return 0;
}
