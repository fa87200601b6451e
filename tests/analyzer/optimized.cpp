#include "optimized.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "graph/text.h"

namespace seam::analyzer::test {

std::string slurp(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::istringstream lines(slurp(file));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

std::vector<std::vector<std::string>> table(const std::string& name) { return rows_of(std::string(SEAM_TEST_DATA) + "/xla/" + name); }

graph::Graph optimized(const std::string& name) {
  const std::string file = std::string(SEAM_UNPACKED) + "/real/optimized/" + name + ".hlo";
  Result<graph::Graph> graph = graph::read_graph(slurp(file), file);
  if (!graph) throw std::runtime_error(describe(graph.error()));
  return *std::move(graph);
}

}  // namespace seam::analyzer::test
