/// Constants that a dump leaves out.
#include <map>
#include <set>

#include "codegen/foreign.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

/// The number in "constant.9", "constant_9_0", "constant_9_1_clone_2"; empty where a name has none.
std::string number_of(std::string_view name) {
  constexpr std::string_view kPrefix = "constant";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  if (name.empty()) return "-";
  if (name[0] != '.' && name[0] != '_') return {};
  name.remove_prefix(1);
  return std::string(name.substr(0, name.find_first_not_of("0123456789")));
}

}  // namespace

std::size_t take_constants(ForeignProgram& program, const graph::Graph& before) {
  std::map<std::string, std::set<const graph::Op*>> known;
  for (const graph::Computation& computation : before.computations) {
    for (const graph::Op& op : computation.ops) {
      if (op.opcode == Opcode::Constant && op.attributes.literal.known && !op.shape.is_tuple) known[number_of(op.name)].insert(&op);
    }
  }
  std::size_t taken = 0;
  for (graph::Computation& computation : program.graph.computations) {
    for (graph::Op& op : computation.ops) {
      if (op.opcode != Opcode::Constant || op.attributes.literal.known) continue;
      const std::string number = number_of(op.name);
      const graph::Op* found = nullptr;
      bool ambiguous = false;
      for (const graph::Op* candidate : known[number]) {
        if (!same_type(candidate->shape, op.shape)) continue;
        ambiguous |= found != nullptr && !(found->attributes.literal == candidate->attributes.literal);
        found = candidate;
      }
      if (number.empty() || found == nullptr || ambiguous) continue;
      op.attributes.literal = found->attributes.literal;
      ++taken;
    }
  }
  return taken;
}

}  // namespace seam::codegen
