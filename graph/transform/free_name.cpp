#include <fmt/core.h>

#include "graph/transform.h"

namespace seam::graph {

std::string free_name(std::set<std::string>& taken, const std::string& wanted) {
  std::string name = wanted;
  for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
  return name;
}

}  // namespace seam::graph
