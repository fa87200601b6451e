// *.hlo beside this file: HLO text, dashes, the same module as .graph text, or the error with the line it stands in.
#include <string>
#include <string_view>

#include "golden.h"
#include "graph/text.h"

namespace {
const seam::test::GoldenSuite kSuite(".hlo", [](std::string_view input) {
  const auto graph = seam::graph::read_graph(input, "input");
  std::string text = graph ? seam::graph::print_graph(*graph) : seam::describe(graph.error(), input);
  while (text.ends_with('\n')) text.pop_back();
  return text;
});
}  // namespace
