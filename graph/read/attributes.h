#pragma once
/// Attributes of an op, shared by both text forms: read by key, printed in one fixed order. Keys that Seam has no field for
/// are kept as text.
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "read/cursor.h"
#include "read/scope.h"

namespace seam::graph {

/// The opcode whose attributes an op carries: of async sugar ("reduce-scatter-start") the one inside.
[[nodiscard]] Opcode attribute_opcode(const Op& op);
/// Number of computations an opcode calls; -1 = any number.
[[nodiscard]] int called_computations(Opcode opcode);
/// How its operands are counted, async sugar and missing optional operands aside; -1 = any.
[[nodiscard]] bool operand_count_fits(const Op& op);

/// Collects the attributes of one op; finish() puts the called computations in their order and checks what must be there.
class AttributeReader {
 public:
  AttributeReader(ModuleScope& module, const ComputationScope& scope, Op& op)
      : module_(module), scope_(scope), op_(op) {}
  /// `value` spans exactly the attribute's value.
  Result<void> read(std::string_view key, Cursor value);
  Result<void> finish(Cursor& cursor, std::size_t at);
  /// Reads `{ … }` with an inline body as a computation; set by the HLO parser.
  using InlineBody = Result<Id<Computation>> (*)(ModuleScope&, Cursor&);
  InlineBody inline_body = nullptr;

 private:
  Result<bool> read_plain(std::string_view key, Cursor& value);
  Result<bool> read_calls(std::string_view key, Cursor& value);
  Result<bool> read_gather(std::string_view key, Cursor& value);
  Result<bool> read_dot(std::string_view key, Cursor& value);
  Result<Id<Computation>> callee(Cursor& value);

  ModuleScope& module_;
  const ComputationScope& scope_;
  Op& op_;
  std::vector<std::string_view> seen_;
  /// While conditional and select-and-scatter name their callees one by one.
  Id<Computation> first_, second_;
};

/// (key, value) in the fixed order, calls by name; metadata and the op's own name, shape, operands aside.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> printed_attributes(
    const Graph& graph, const Computation& computation, const Op& op);

/// Text between the braces of metadata={…}.
[[nodiscard]] Result<Metadata> read_metadata(Cursor inside, std::string_view text);
[[nodiscard]] std::string print(const Metadata& metadata);

}  // namespace seam::graph
