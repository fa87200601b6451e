/// How a compiler computes, read off its kernels.
#include "foreign/parts.h"

namespace seam::codegen {
namespace {

using graph::Opcode;

bool is_narrow(DType dtype) { return is_float(dtype) && bits(dtype) < 32; }

/// A fusion that sums in f16 or bf16, or one inside it.
bool sums_narrow(const graph::Graph& graph, const graph::Op& op) {
  if (op.opcode == Opcode::Reduce) return !op.shape.is_tuple && is_narrow(op.shape.dtype);
  if (op.opcode != Opcode::Fusion) return false;
  for (const graph::Op& inside : graph.computations[op.attributes.calls[0]].ops) {
    if (sums_narrow(graph, inside)) return true;
  }
  return false;
}

}  // namespace

bool has_instruction(std::string_view ptx, std::string_view opcode, std::string_view modifier) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':' || c == '%'; };
  for (std::size_t at = ptx.find(modifier); at != std::string_view::npos; at = ptx.find(modifier, at + 1)) {
    std::size_t begin = at, end = at;
    while (begin > 0 && is_part(ptx[begin - 1])) --begin;
    while (end < ptx.size() && is_part(ptx[end])) ++end;
    const std::string_view word = ptx.substr(begin, end - begin);
    const std::size_t after = at - begin + modifier.size();
    const bool whole = at > begin && word[at - begin - 1] == '.' && (after == word.size() || word[after] == '.');
    if (whole && word.starts_with(opcode) && word.size() > opcode.size() && word[opcode.size()] == '.') return true;
  }
  return false;
}

Arithmetic arithmetic(const ForeignProgram& program) {
  Arithmetic out;
  for (const graph::Computation& computation : program.graph.computations) {
    for (const graph::Op& op : computation.ops) {
      const auto launch = program.launches.find(op.name);
      if (launch == program.launches.end() || launch->second.kind != ForeignKind::Kernel) continue;
      const std::string& ptx = *program.kernels.find(launch->second.kernel)->second.ptx;
      out.tf32 = out.tf32 || has_instruction(ptx, "mma", "tf32");
      if (out.narrow_sums || !sums_narrow(program.graph, op)) continue;
      for (const char* type : {"f16", "bf16", "f16x2", "bf16x2"})
        out.narrow_sums = out.narrow_sums || has_instruction(ptx, "add", type) || has_instruction(ptx, "fma", type);
    }
  }
  return out;
}

}  // namespace seam::codegen
