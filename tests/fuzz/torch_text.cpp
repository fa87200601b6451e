#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "graph/text.h"
#include "graph/torch.h"
#include "graph/verify.h"

/// Printed graphs and logs of any bytes: read or refused; what reads is sound and prints to text that reads back equal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam::graph;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TorchOptions options;
  options.sizes = {{"s0", 4}, {"s17", 3}};
  const std::size_t count = torch_graphs(text).size();
  for (std::size_t k = 0; k < (count < 4 ? count : 4); ++k) {
    options.graph = std::to_string(k);
    const auto graph = parse_torch(text, "fuzz.txt", options);
    if (!graph || !verify(*graph)) continue;
    const auto again = parse_graph(print_graph(*graph), "printed.graph");
    if (!again || !(*again == *graph)) __builtin_trap();
  }
  return 0;
}
