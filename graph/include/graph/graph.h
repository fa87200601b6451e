#pragma once
/// The op graph: what every later stage reads. It speaks HLO: a Graph is a module of computations, a
/// Computation is a list of ops in an order where producers stand before consumers, an Op yields one
/// value whose Shape is an array or a tuple. Meaning of each op: XLA's operation semantics as noted in
/// graph/README.md; the reference evaluator (graph/evaluate.h) is the definition in code.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/id.h"
#include "base/npy.h"
#include "base/result.h"

namespace seam::graph {

/// One enumerator per line of ops.def.
enum class Opcode : std::uint8_t {
#define SEAM_OP(id, ...) id,
#include "graph/ops.def"
#undef SEAM_OP
};

/// Shape of a value: array (dtype, dims, layout) or tuple of shapes. Layout is minor-to-major as in
/// HLO text; empty means the default {rank-1, …, 0} (row-major).
struct Shape {
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> minor_to_major;
  bool is_tuple = false;
  std::vector<Shape> elements;  ///< of a tuple
  std::string layout_suffix;    ///< what stands after ':' in a layout ("S(5)", "T(8,128)"), kept as text
  /// Upper bounds of dynamic dimensions: 1 per dim if `<=`, else empty. Unbounded `?` is dims = -1.
  std::vector<bool> dynamic;
  bool has_layout = false;      ///< the text stated one
  bool is_buffer = false;       ///< `b(f32[4])`

  [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(dims.size()); }
  [[nodiscard]] std::int64_t elements_count() const;  ///< product of dims; 1 for scalars
  [[nodiscard]] std::int64_t byte_size() const;       ///< tuples: sum over leaves; tokens 0
  friend bool operator==(const Shape&, const Shape&) = default;
};
/// Same dtype and dims, layouts aside.
[[nodiscard]] bool same_type(const Shape& a, const Shape& b);
[[nodiscard]] bool is_row_major(const Shape& shape);
[[nodiscard]] std::string print(const Shape& shape);  ///< "f32[2,3]{1,0}"

struct Computation;
struct Op;

struct PadDim {
  std::int64_t low = 0, high = 0, interior = 0;
  friend bool operator==(const PadDim&, const PadDim&) = default;
};
struct WindowDim {
  std::int64_t size = 1, stride = 1, pad_low = 0, pad_high = 0, lhs_dilate = 1, rhs_dilate = 1;
  bool reversal = false;
  friend bool operator==(const WindowDim&, const WindowDim&) = default;
};
struct DotDims {
  std::vector<std::int64_t> lhs_batch, lhs_contract, rhs_batch, rhs_contract;
  friend bool operator==(const DotDims&, const DotDims&) = default;
};
/// dim_labels of a convolution, as positions.
struct ConvDims {
  std::int64_t lhs_batch = 0, lhs_feature = 0, rhs_input = 0, rhs_output = 0, out_batch = 0, out_feature = 0;
  std::vector<std::int64_t> lhs_spatial, rhs_spatial, out_spatial;
  friend bool operator==(const ConvDims&, const ConvDims&) = default;
};
/// Gather and scatter share their dimension numbers (names of gather; scatter: update_window_dims,
/// inserted_window_dims, scatter_dims_to_operand_dims, input_batching_dims, scatter_indices_batching_dims).
struct GatherDims {
  std::vector<std::int64_t> offset_dims;              ///< scatter: update_window_dims
  std::vector<std::int64_t> collapsed_slice_dims;     ///< scatter: inserted_window_dims
  std::vector<std::int64_t> start_index_map;          ///< scatter: scatter_dims_to_operand_dims
  std::vector<std::int64_t> operand_batching_dims;    ///< scatter: input_batching_dims
  std::vector<std::int64_t> indices_batching_dims;    ///< scatter: scatter_indices_batching_dims
  std::int64_t index_vector_dim = 0;
  std::vector<std::int64_t> slice_sizes;              ///< gather only
  bool indices_are_sorted = false;
  bool unique_indices = false;
  friend bool operator==(const GatherDims&, const GatherDims&) = default;
};
enum class Direction : std::uint8_t { EQ, NE, GE, GT, LE, LT };

/// A constant's value. Elided constants (`{...}` in the text) have known = false: shapes and plans are fine,
/// values are refused by the evaluator and by validation.
struct Literal {
  bool known = true;
  Array value;                   ///< row-major; not for tuples
  std::vector<Literal> elements; ///< of a tuple constant
  friend bool operator==(const Literal&, const Literal&) = default;
};

struct Metadata {
  std::string op_type, op_name, source_file;
  std::int64_t source_line = 0;
  std::int64_t stack_frame_id = 0;
  std::string raw;  ///< the whole text between the braces, kept only where the fields above do not print back to it
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

/// Everything an op has besides operands. Which fields mean something depends on the opcode.
struct Attributes {
  std::vector<std::int64_t> dimensions;                     ///< broadcast transpose reduce concatenate reverse sort map; iota: {iota_dimension}
  std::vector<std::int64_t> starts, limits, strides;        ///< slice
  std::vector<std::int64_t> slice_sizes;                    ///< dynamic-slice
  std::vector<PadDim> padding;                              ///< pad
  DotDims dot;
  std::vector<WindowDim> window;                            ///< convolution reduce-window select-and-scatter
  ConvDims conv;
  std::int64_t feature_groups = 1, batch_groups = 1;
  GatherDims gather;                                        ///< gather scatter
  Direction direction = Direction::EQ;                      ///< compare
  std::string compare_type;                                 ///< TOTALORDER …; empty = by dtype
  std::int64_t index = 0;                                   ///< get-tuple-element, parameter number
  std::int64_t exponent_bits = 0, mantissa_bits = 0;        ///< reduce-precision
  bool is_stable = false;                                   ///< sort
  Literal literal;                                          ///< constant
  /// Called computations, in the order of the attribute: to_apply | calls | {condition, body} |
  /// branch_computations (true first) | {select, scatter} | called_computations.
  std::vector<Id<Computation>> calls;
  std::string fusion_kind;                                  ///< kLoop kInput kOutput kCustom
  std::string custom_call_target;
  std::string backend_config;                               ///< raw text, braces or quotes as read
  std::vector<Id<Op>> control_predecessors;
  /// All other attributes, in the order read, as raw text: printed back unchanged.
  std::vector<std::pair<std::string, std::string>> others;
  friend bool operator==(const Attributes&, const Attributes&) = default;
};

struct Op {
  std::string name;  ///< unique within its computation, without '%'
  Opcode opcode{};
  std::string opcode_text;  ///< as read; differs from the opcode's name only for async sugar ("all-to-all-start")
  Shape shape;
  std::vector<Id<Op>> operands;
  Attributes attributes;
  Metadata metadata;
  Position at;  ///< where it stood in the text it was read from; not part of equality
  friend bool operator==(const Op& a, const Op& b) {
    return a.name == b.name && a.opcode == b.opcode && a.opcode_text == b.opcode_text && a.shape == b.shape &&
           a.operands == b.operands && a.attributes == b.attributes && a.metadata == b.metadata;
  }
};

struct Computation {
  std::string name;
  IdVector<Op, Op> ops;  ///< producers before consumers
  Id<Op> root;
  std::vector<Id<Op>> parameters;  ///< by parameter number
  std::string execution_thread;
  friend bool operator==(const Computation&, const Computation&) = default;

  /// users()[id] = the ops that read it, in op order, each once.
  [[nodiscard]] IdVector<Op, std::vector<Id<Op>>> users() const;
  [[nodiscard]] std::optional<Id<Op>> find(std::string_view op_name) const;
};

/// One frame of the source stack an op came from (HLO tables FileNames … StackFrames), 1-based ids.
struct StackFrame {
  std::string file, function;
  std::int64_t line = 0, column = 0;
  std::int64_t parent = 0;  ///< 0 = none
  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

struct Graph {
  std::string name;
  IdVector<Computation, Computation> computations;  ///< callees before callers
  Id<Computation> entry;
  bool is_scheduled = false;
  /// Header attributes of HloModule, in the order read, raw.
  std::vector<std::pair<std::string, std::string>> header;
  /// (output tuple index, parameter number): may-alias and must-alias of input_output_alias with whole parameters.
  std::vector<std::pair<std::int64_t, std::int64_t>> donated;
  std::vector<StackFrame> frames;   ///< frames[id - 1]
  std::string tables;               ///< the four tables' raw text, printed back unchanged
  friend bool operator==(const Graph&, const Graph&) = default;

  [[nodiscard]] const Computation& entry_computation() const { return computations[entry]; }
};

[[nodiscard]] std::string_view name(Opcode opcode);
[[nodiscard]] std::optional<Opcode> opcode_named(std::string_view text);

/// Classes of ops.def: what may become part of a generated kernel, and how reports group ops.
enum class OpClass : std::uint8_t {
  Elementwise,   ///< one output element from the same element of each operand
  Generator,     ///< constant, iota, rng…: no big operand
  Broadcast,
  Reduce,
  Layout,        ///< moves elements: slice pad transpose concatenate reverse gather dynamic-slice copy …
  Scatter,       ///< scatter, dynamic-update-slice: writes into an operand
  Contraction,   ///< dot, convolution: library calls unless small
  Library,       ///< sort, fft, custom-call …: never generated
  Communication,
  Control,       ///< while, conditional, call, fusion, async
  Free,          ///< parameter, tuple, get-tuple-element, bitcast, after-all, opt-barrier
};
[[nodiscard]] OpClass op_class(Opcode opcode);
/// -1 = any number of operands.
[[nodiscard]] int arity(Opcode opcode);
/// Floating-point operations per output element (reduce: per input element), the convention in ops.def.
[[nodiscard]] double flops_per_element(Opcode opcode);
/// Costly enough that recomputing it is worth avoiding (exp, log, divide, power, tanh, erf, …).
[[nodiscard]] bool is_expensive(Opcode opcode);

}  // namespace seam::graph
