#pragma once
/// The operator calls of a run as a forest, from execution-trace nodes or from the profiler's op spans.
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/database.h"
#include "graph/torch_program.h"

namespace seam::analyzer::recorded {

struct TensorId {
  std::int64_t tensor = 0, storage = 0, offset = 0;
};

/// One tensor among the inputs or outputs of a call.
struct TensorUse {
  graph::torch::TensorType type;
  std::optional<TensorId> id;
  bool type_known = true;  ///< false: dims only (Kineto says "TensorList" of a list)
};

/// One input or output: a tensor, a list of tensors, or a value.
struct Slot {
  enum class Kind : std::uint8_t { Value, Tensor, Tensors } kind = Kind::Value;
  std::vector<TensorUse> tensors;
  graph::torch::Argument value;
};

struct RecordedCall {
  std::string name;      ///< "aten::add_"
  std::string schema;    ///< "aten::add_.Tensor(Tensor(a!) self, …)"; empty: not recorded
  std::vector<Slot> inputs, outputs;
  bool outputs_known = false;
  std::optional<std::size_t> parent;  ///< the call around it, which stands before it
  std::vector<std::size_t> children;  ///< in order
  bool has_inputs = false;
};

struct CallForest {
  std::vector<RecordedCall> calls;  ///< in the order in which they began, all threads together
  bool identified = false;          ///< tensors have ids
};

[[nodiscard]] Result<CallForest> calls_of(const db::Database& run);
/// What ops were called with, by signature; tensors without ids.
[[nodiscard]] Result<std::unordered_map<std::int64_t, std::vector<Slot>>> slots_by_signature(const db::Database& run);
/// "64", "1e-05", "[1, 64]", "False", "<None>": as execution traces and Kineto print values.
[[nodiscard]] graph::torch::Argument value_of(std::string_view text);
/// Names of the keyword-only arguments of an operator, from its schema or from a list of the usual ones: (place, name).
[[nodiscard]] std::vector<std::pair<std::size_t, std::string>> keyword_places(const std::string& name, const std::string& schema);

}  // namespace seam::analyzer::recorded
