#pragma once
/// Opcodes as texts spell them, async sugar included.
#include <optional>
#include <string_view>

#include "graph/graph.h"

namespace seam::graph {

/// The opcode of `text`, seeing through async sugar: "all-to-all-start" is an async-start.
[[nodiscard]] std::optional<Opcode> opcode_or_sugar(std::string_view text);
/// "all-to-all-start" → "all-to-all".
[[nodiscard]] std::string_view without_async_suffix(std::string_view text);

}  // namespace seam::graph
