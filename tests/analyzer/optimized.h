#pragma once
/// The optimized modules of tests/data/xla/real.tar.xz and the tables that came with them.
#include <string>
#include <vector>

#include "graph/graph.h"

namespace seam::analyzer::test {

[[nodiscard]] std::string slurp(const std::string& file);
/// Rows of a tab-separated file without its heading.
[[nodiscard]] std::vector<std::vector<std::string>> rows_of(const std::string& file);
/// tests/data/xla/<name>
[[nodiscard]] std::vector<std::vector<std::string>> table(const std::string& name);
/// real/optimized/<name>.hlo; throws if it cannot be read, which fails the test.
[[nodiscard]] graph::Graph optimized(const std::string& name);

}  // namespace seam::analyzer::test
