#pragma once
/// What real XLA made of our models, as data/xla has it: modules, launch lists, PTX, inputs and outputs.
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/npy.h"
#include "codegen/foreign.h"
#include "graph/text.h"
#include "support/need.h"

namespace seam::codegen::test {

using seam::test::need;

inline std::filesystem::path oracle() { return std::filesystem::path(SEAM_UNPACKED) / "oracle"; }

inline graph::Graph module_of(const std::filesystem::path& file) { return need(graph::read_graph(need(read_file(file)), file.string())); }

/// in<k>.npy or out<k>.npy of a folder, in the dtypes of the module.
inline std::vector<Array> arrays(const std::filesystem::path& folder, const std::string& prefix, const graph::Graph& graph) {
  std::vector<graph::Shape> shapes;
  const auto leaves = [&](const auto& self, const graph::Shape& shape) -> void {
    if (!shape.is_tuple) return shapes.push_back(shape);
    for (const graph::Shape& element : shape.elements) self(self, element);
  };
  const graph::Computation& entry = graph.entry_computation();
  if (prefix == "in") {
    for (const Id<graph::Op> parameter : entry.parameters) leaves(leaves, entry.ops[parameter].shape);
  } else {
    leaves(leaves, entry.ops[entry.root].shape);
  }
  std::vector<Array> out;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    out.push_back(need(reinterpreted(need(read_npy(folder / (prefix + std::to_string(k) + ".npy"))), shapes[k].dtype)));
  return out;
}

/// One compiler result: "lr.step" with "h100.library".
inline ForeignProgram compiled(const std::string& model, const std::string& preset) {
  const std::filesystem::path folder = oracle() / model / preset;
  ForeignProgram program = need(read_foreign(folder / "optimized.hlo", folder / "ptx", folder / "launches.tsv"));
  take_constants(program, module_of(oracle() / model / "before.hlo"));
  return program;
}

}  // namespace seam::codegen::test
