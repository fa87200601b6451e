#include <array>
#include <string_view>
#include <unordered_map>

#include "graph/graph.h"

namespace seam::graph {
namespace {

struct OpRow {
  std::string_view name;
  int arity;
  OpClass op_class;
  double flops;
  bool expensive;
};

constexpr std::array kOps{
#define SEAM_OP(id, text, arity, op_class, flops, expensive) \
  OpRow{text, arity, OpClass::op_class, flops, expensive},
#include "graph/ops.def"
#undef SEAM_OP
};

const OpRow& row(Opcode opcode) { return kOps[static_cast<std::size_t>(opcode)]; }

std::unordered_map<std::string_view, Opcode> opcodes_by_name() {
  std::unordered_map<std::string_view, Opcode> map;
  for (std::size_t i = 0; i < kOps.size(); ++i) map.emplace(kOps[i].name, static_cast<Opcode>(i));
  return map;
}

}  // namespace

std::string_view name(Opcode opcode) { return row(opcode).name; }
OpClass op_class(Opcode opcode) { return row(opcode).op_class; }
int arity(Opcode opcode) { return row(opcode).arity; }
double flops_per_element(Opcode opcode) { return row(opcode).flops; }
bool is_expensive(Opcode opcode) { return row(opcode).expensive; }

std::optional<Opcode> opcode_named(std::string_view text) {
  static const auto kByName = opcodes_by_name();
  const auto found = kByName.find(text);
  if (found == kByName.end()) return std::nullopt;
  return found->second;
}

}  // namespace seam::graph
