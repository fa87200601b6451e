#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graph/hlo.h"
#include "graph/text.h"
#include "graph/transform.h"
#include "graph/verify.h"

/// HLO text of any bytes: read or refused. What reads must print to text that reads back equal, and what verifies must
/// survive the transforms.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam::graph;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto graph = parse_hlo(text, "fuzz.hlo");
  if (!graph) return 0;
  const auto again = parse_hlo(print_hlo(*graph), "printed.hlo");
  if (!again || !(*again == *graph)) __builtin_trap();
  const auto own = parse_graph(print_graph(*graph), "printed.graph");
  if (!own || !(*own == *graph)) __builtin_trap();
  if (!verify(*graph)) return 0;
  const Graph simple = without_dead_code(without_duplicates(inline_calls(*graph, true)));
  if (!verify(simple)) __builtin_trap();
  (void)print_dot(simple);
  (void)unrolled(simple, 8);
  return 0;
}
