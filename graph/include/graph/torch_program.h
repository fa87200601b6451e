#pragma once
/// An FX graph as its text says it, before any operator has a meaning.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace seam::graph::torch {

/// An argument as written. Text: what is neither number nor name of a node ("torch.float32", "cuda:0"). Slice: its three items.
struct Argument {
  enum class Kind : std::uint8_t { None, Bool, Int, Float, Text, Name, List, Slice, Ellipsis };
  Kind kind = Kind::None;
  std::int64_t integer = 0;  ///< Int, Bool
  double number = 0;         ///< Float
  std::string text;          ///< Text, Name
  std::vector<Argument> items;
};

/// "f32[2, 64][64, 1]cuda:0". strides empty: not stated.
struct TensorType {
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
  std::optional<std::vector<std::int64_t>> strides;
};

struct Node {
  std::string name;
  /// "placeholder", "get_attr", "getitem", "output", "alias", or an operator: "aten.add.Tensor", "prims.fma.default", "relu" (torch level).
  std::string target;
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, Argument>> keywords;
  std::optional<TensorType> type;
  std::optional<std::int64_t> symbol;  ///< value of a `Sym(…)` node
  std::string file;                    ///< of the Python line it came from
  std::int64_t line = 0;
  bool backward = false;
  Position at;
};

struct Program {
  std::string name;
  std::vector<Node> nodes;  ///< placeholders first, one output last
};

/// `line`: where `text` begins in `file`.
[[nodiscard]] Result<Program> read_program(std::string_view text, std::string_view file, std::int64_t line, const std::map<std::string, std::int64_t>& sizes);

/// nullopt: not an annotation of a tensor or a symbol. Unknown symbols are added to `missing`.
struct Annotation {
  std::optional<TensorType> tensor;
  std::optional<std::int64_t> symbol;
};
[[nodiscard]] std::optional<Annotation> read_annotation(std::string_view text, const std::map<std::string, std::int64_t>& sizes, std::vector<std::string>& missing);
/// Whether a tensor of these extents can exist at all (2^40 elements at most).
[[nodiscard]] bool can_be_held(const std::vector<std::int64_t>& dims);
/// "f32", "i64", "b8", … and "torch.float32", "float", "long int", "c10::Half" of traces.
[[nodiscard]] std::optional<DType> torch_dtype(std::string_view text);

}  // namespace seam::graph::torch
