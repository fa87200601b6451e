#include <fmt/core.h>

#include "read/attributes.h"
#include "read/values.h"

namespace seam::graph {
namespace {

using List = std::vector<std::pair<std::string, std::string>>;

std::string_view text(Direction direction) {
  switch (direction) {
    case Direction::EQ: return "EQ";
    case Direction::NE: return "NE";
    case Direction::GE: return "GE";
    case Direction::GT: return "GT";
    case Direction::LE: return "LE";
    case Direction::LT: break;
  }
  return "LT";
}

std::string names(const Graph& graph, const std::vector<Id<Computation>>& calls) {
  std::string out = "{";
  for (const Id<Computation> id : calls) {
    if (out.size() > 1) out += ", ";
    out += '%' + graph.computations[id].name;
  }
  return out + '}';
}

void add_calls(List& list, const Graph& graph, const Computation& computation, const Op& op, Opcode opcode) {
  const std::vector<Id<Computation>>& calls = op.attributes.calls;
  if (calls.empty()) return;
  const auto add = [&](std::string_view key, std::size_t i) {
    list.emplace_back(key, '%' + graph.computations[calls[i]].name);
  };
  const auto two = [&](std::string_view first, std::string_view second) {
    add(first, 0);
    add(second, 1);
  };
  switch (opcode) {
    case Opcode::While: return two("condition", "body");
    case Opcode::SelectAndScatter: return two("select", "scatter");
    case Opcode::Conditional: {
      const bool by_truth = calls.size() == 2 && !op.operands.empty() &&
                            computation.ops[op.operands[0]].shape.dtype == DType::Pred;
      if (by_truth) return two("true_computation", "false_computation");
      list.emplace_back("branch_computations", names(graph, calls));
      return;
    }
    case Opcode::Fusion:
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      if (calls.size() == 1) return add("calls", 0);
      break;
    case Opcode::CustomCall: break;
    default:
      if (calls.size() == 1) return add("to_apply", 0);
  }
  list.emplace_back("called_computations", names(graph, calls));
}

void add_dims(List& list, const Attributes& a, Opcode opcode) {
  const auto ints = [&](std::string_view key, const std::vector<std::int64_t>& values) {
    list.emplace_back(key, print_integers(values));
  };
  const auto some = [&](std::string_view key, const std::vector<std::int64_t>& values) {
    if (!values.empty()) ints(key, values);
  };
  switch (opcode) {
    case Opcode::Iota:
      if (!a.dimensions.empty()) list.emplace_back("iota_dimension", fmt::format("{}", a.dimensions[0]));
      break;
    case Opcode::Broadcast:
    case Opcode::Reduce:
    case Opcode::Transpose:
    case Opcode::Concatenate:
    case Opcode::Reverse: ints("dimensions", a.dimensions); break;
    default: some("dimensions", a.dimensions);
  }
  if (opcode == Opcode::Slice) list.emplace_back("slice", print_slice(a));
  if (opcode == Opcode::DynamicSlice) {
    ints("dynamic_slice_sizes", a.slice_sizes);
  } else {
    some("dynamic_slice_sizes", a.slice_sizes);
  }
  if (opcode == Opcode::Pad) list.emplace_back("padding", print_padding(a.padding));
  some("lhs_batch_dims", a.dot.lhs_batch);
  some("lhs_contracting_dims", a.dot.lhs_contract);
  some("rhs_batch_dims", a.dot.rhs_batch);
  some("rhs_contracting_dims", a.dot.rhs_contract);
  if (!a.window.empty()) list.emplace_back("window", print_window(a.window));
  if (!(a.conv == ConvDims{})) list.emplace_back("dim_labels", print_dim_labels(a.conv));
  if (a.feature_groups != 1) list.emplace_back("feature_group_count", fmt::format("{}", a.feature_groups));
  if (a.batch_groups != 1) list.emplace_back("batch_group_count", fmt::format("{}", a.batch_groups));
}

void add_gather(List& list, const GatherDims& g, Opcode opcode) {
  const bool gather = opcode == Opcode::Gather;
  if (!gather && opcode != Opcode::Scatter) return;
  const auto ints = [&](std::string_view key, const std::vector<std::int64_t>& values) {
    list.emplace_back(key, print_integers(values));
  };
  ints(gather ? "offset_dims" : "update_window_dims", g.offset_dims);
  ints(gather ? "collapsed_slice_dims" : "inserted_window_dims", g.collapsed_slice_dims);
  ints(gather ? "start_index_map" : "scatter_dims_to_operand_dims", g.start_index_map);
  if (!g.operand_batching_dims.empty()) {
    ints(gather ? "operand_batching_dims" : "input_batching_dims", g.operand_batching_dims);
  }
  if (!g.indices_batching_dims.empty()) {
    ints(gather ? "start_indices_batching_dims" : "scatter_indices_batching_dims", g.indices_batching_dims);
  }
  list.emplace_back("index_vector_dim", fmt::format("{}", g.index_vector_dim));
  if (gather) ints("slice_sizes", g.slice_sizes);
  if (g.indices_are_sorted) list.emplace_back("indices_are_sorted", "true");
  if (g.unique_indices) list.emplace_back("unique_indices", "true");
}

}  // namespace

List printed_attributes(const Graph& graph, const Computation& computation, const Op& op) {
  List list;
  const Attributes& a = op.attributes;
  const Opcode opcode = attribute_opcode(op);
  add_dims(list, a, opcode);
  add_gather(list, a.gather, opcode);
  if (opcode == Opcode::Compare) {
    list.emplace_back("direction", text(a.direction));
    if (!a.compare_type.empty()) list.emplace_back("type", a.compare_type);
  }
  if (op.opcode == Opcode::GetTupleElement) list.emplace_back("index", fmt::format("{}", a.index));
  if (opcode == Opcode::ReducePrecision) {
    list.emplace_back("exponent_bits", fmt::format("{}", a.exponent_bits));
    list.emplace_back("mantissa_bits", fmt::format("{}", a.mantissa_bits));
  }
  if (a.is_stable) list.emplace_back("is_stable", "true");
  if (!a.fusion_kind.empty()) list.emplace_back("kind", a.fusion_kind);
  add_calls(list, graph, computation, op, opcode);
  if (op.opcode == Opcode::CustomCall || !a.custom_call_target.empty()) {
    list.emplace_back("custom_call_target", escaped(a.custom_call_target));
  }
  for (const auto& other : a.others) list.push_back(other);
  if (!a.control_predecessors.empty()) {
    std::string ids = "{";
    for (const Id<Op> id : a.control_predecessors) {
      if (ids.size() > 1) ids += ", ";
      ids += '%' + computation.ops[id].name;
    }
    list.emplace_back("control-predecessors", ids + '}');
  }
  if (!a.backend_config.empty()) list.emplace_back("backend_config", a.backend_config);
  return list;
}

}  // namespace seam::graph
