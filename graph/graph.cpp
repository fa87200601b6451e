#include "graph/graph.h"

#include <algorithm>

namespace seam::graph {

IdVector<Op, std::vector<Id<Op>>> Computation::users() const {
  IdVector<Op, std::vector<Id<Op>>> result(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Id<Op> reader(i);
    for (const Id<Op> operand : ops[reader].operands) {
      std::vector<Id<Op>>& readers = result[operand];
      if (readers.empty() || readers.back() != reader) readers.push_back(reader);
    }
  }
  return result;
}

std::optional<Id<Op>> Computation::find(std::string_view op_name) const {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[Id<Op>(i)].name == op_name) return Id<Op>(i);
  }
  return std::nullopt;
}

}  // namespace seam::graph
