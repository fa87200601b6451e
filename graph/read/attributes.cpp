#include "read/attributes.h"

#include <fmt/core.h>

#include <algorithm>

#include "read/opcodes.h"
#include "read/values.h"

namespace seam::graph {
namespace {

/// The whole value must have been taken.
Result<bool> took_all(Cursor& value) {
  if (value.at_end()) return true;
  return value.error(fmt::format("unexpected {} in this attribute", value.found()));
}

template <class T>
Result<bool> assign(T& field, Result<T> read, Cursor& value) {
  if (!read) return tl::unexpected(std::move(read).error());
  field = *std::move(read);
  return took_all(value);
}

std::optional<Direction> direction_named(std::string_view text) {
  if (text == "EQ") return Direction::EQ;
  if (text == "NE") return Direction::NE;
  if (text == "GE") return Direction::GE;
  if (text == "GT") return Direction::GT;
  if (text == "LE") return Direction::LE;
  if (text == "LT") return Direction::LT;
  return std::nullopt;
}

Result<Direction> read_direction(Cursor& value) {
  if (const auto direction = direction_named(value.peek_word())) {
    (void)value.word();
    return *direction;
  }
  return value.error(fmt::format("expected EQ, NE, GE, GT, LE or LT, found {}", value.found()));
}

Result<std::string> read_word(Cursor& value) {
  const std::string_view word = value.word();
  if (word.empty()) return value.error(fmt::format("expected a word, found {}", value.found()));
  return std::string(word);
}

Result<std::vector<std::int64_t>> read_one_dimension(Cursor& value) {
  SEAM_TRY(const std::int64_t dim, value.integer("a dimension number"));
  return std::vector<std::int64_t>{dim};
}

}  // namespace

Opcode attribute_opcode(const Op& op) {
  if (op.opcode != Opcode::AsyncStart && op.opcode != Opcode::AsyncUpdate &&
      op.opcode != Opcode::AsyncDone) {
    return op.opcode;
  }
  return opcode_named(without_async_suffix(op.opcode_text)).value_or(op.opcode);
}

Result<void> AttributeReader::read(std::string_view key, Cursor value) {
  if (std::ranges::find(seen_, key) != seen_.end()) {
    return value.error(fmt::format("attribute '{}' is given twice", key));
  }
  seen_.push_back(key);
  value.peek();
  const Cursor whole = value;
  for (const auto reader : {&AttributeReader::read_plain, &AttributeReader::read_calls,
                            &AttributeReader::read_gather, &AttributeReader::read_dot}) {
    Result<bool> taken = (this->*reader)(key, value);
    if (!taken) {
      taken.error().context.push_back(fmt::format("reading {}= of {} '{}'", key, op_.opcode_text, op_.name));
      return tl::unexpected(std::move(taken).error());
    }
    if (*taken) return {};
  }
  op_.attributes.others.emplace_back(key, whole.rest());
  return {};
}

Result<bool> AttributeReader::read_plain(std::string_view key, Cursor& value) {
  Attributes& a = op_.attributes;
  const Opcode opcode = attribute_opcode(op_);
  if (key == "metadata") {
    SEAM_TRY(const std::string_view group, value.group());
    const std::string_view inside = group.substr(1, group.size() - 2);
    return assign(op_.metadata, read_metadata(value.within(inside), inside), value);
  }
  if (key == "dimensions") return assign(a.dimensions, read_integers(value), value);
  if (key == "iota_dimension" && opcode == Opcode::Iota) {
    return assign(a.dimensions, read_one_dimension(value), value);
  }
  if (key == "slice" && opcode == Opcode::Slice) {
    if (auto slice = read_slice(value, a); !slice) return tl::unexpected(std::move(slice).error());
    return took_all(value);
  }
  if (key == "dynamic_slice_sizes") return assign(a.slice_sizes, read_integers(value), value);
  if (key == "padding" && opcode == Opcode::Pad) return assign(a.padding, read_padding(value), value);
  if (key == "window") return assign(a.window, read_window(value), value);
  // Custom calls may leave dimensions unnamed (?01b_…): kept as text.
  const auto unnamed = [](Cursor labels) { return labels.value().value_or("").find('?') != std::string_view::npos; };
  if (key == "dim_labels" && opcode == Opcode::CustomCall && unnamed(value)) return false;
  if (key == "dim_labels") return assign(a.conv, read_dim_labels(value), value);
  if (key == "feature_group_count") {
    return assign(a.feature_groups, value.integer("a group count"), value);
  }
  if (key == "batch_group_count") return assign(a.batch_groups, value.integer("a group count"), value);
  if (key == "direction" && opcode == Opcode::Compare) {
    return assign(a.direction, read_direction(value), value);
  }
  if (key == "type" && opcode == Opcode::Compare) return assign(a.compare_type, read_word(value), value);
  if (key == "index" && opcode == Opcode::GetTupleElement) {
    return assign(a.index, value.integer("a tuple index"), value);
  }
  if (opcode == Opcode::ReducePrecision) {
    if (key == "exponent_bits") return assign(a.exponent_bits, value.integer("a bit count"), value);
    if (key == "mantissa_bits") return assign(a.mantissa_bits, value.integer("a bit count"), value);
  }
  if (key == "is_stable" && opcode == Opcode::Sort) return assign(a.is_stable, read_bool(value), value);
  if (key == "kind" && opcode == Opcode::Fusion) return assign(a.fusion_kind, read_word(value), value);
  if (key == "custom_call_target") {
    return assign(a.custom_call_target, value.quoted("the target of a custom call"), value);
  }
  if (key == "backend_config") {
    SEAM_TRY(const std::string_view raw, value.value());
    a.backend_config = raw;
    return took_all(value);
  }
  if (key == "control-predecessors") {
    if (auto open = value.expect('{', "to open a list of ops"); !open) {
      return tl::unexpected(std::move(open).error());
    }
    if (value.accept('}')) return true;
    do {
      value.peek();
      const std::size_t at = value.offset();
      SEAM_TRY(const std::string_view predecessor, value.name("an op"));
      SEAM_TRY(const Id<Op> id, scope_.resolve(predecessor, value, at));
      a.control_predecessors.push_back(id);
    } while (value.accept(','));
    if (auto close = value.expect('}', "to close a list of ops"); !close) {
      return tl::unexpected(std::move(close).error());
    }
    return took_all(value);
  }
  return false;
}

Result<Id<Computation>> AttributeReader::callee(Cursor& value) {
  value.peek();
  const std::size_t at = value.offset();
  SEAM_TRY(const std::string_view callee_name, value.name("a computation"));
  if (const auto id = module_.find(callee_name)) return *id;
  return value.error_at(at, fmt::format("no computation named '{}' stands before this op", callee_name));
}

Result<bool> AttributeReader::read_calls(std::string_view key, Cursor& value) {
  std::vector<Id<Computation>>& calls = op_.attributes.calls;
  if (key == "condition" || key == "select" || key == "true_computation") {
    return assign(first_, callee(value), value);
  }
  if (key == "body" || key == "scatter" || key == "false_computation") {
    return assign(second_, callee(value), value);
  }
  if (key != "to_apply" && key != "calls" && key != "branch_computations" && key != "called_computations") {
    return false;
  }
  if (value.peek() != '{') {
    SEAM_TRY(const Id<Computation> id, callee(value));
    calls.push_back(id);
    return took_all(value);
  }
  // {%a, %b} lists names; { x = … } is a body written in place.
  Cursor ahead = value;
  ahead.accept('{');
  const bool empty = ahead.peek() == '}';
  ahead.accept('%');
  const std::string_view first = ahead.word();
  const char next = ahead.peek();
  if (inline_body != nullptr && !empty && !first.empty() && next != ',' && next != '}') {
    SEAM_TRY(const Id<Computation> id, inline_body(module_, value));
    calls.push_back(id);
    return took_all(value);
  }
  value.accept('{');
  if (value.accept('}')) return took_all(value);
  do {
    SEAM_TRY(const Id<Computation> id, callee(value));
    calls.push_back(id);
  } while (value.accept(','));
  if (auto close = value.expect('}', "to close a list of computations"); !close) {
    return tl::unexpected(std::move(close).error());
  }
  return took_all(value);
}

Result<bool> AttributeReader::read_gather(std::string_view key, Cursor& value) {
  const Opcode opcode = attribute_opcode(op_);
  GatherDims& g = op_.attributes.gather;
  if (opcode == Opcode::Gather) {
    if (key == "offset_dims") return assign(g.offset_dims, read_integers(value), value);
    if (key == "collapsed_slice_dims") return assign(g.collapsed_slice_dims, read_integers(value), value);
    if (key == "start_index_map") return assign(g.start_index_map, read_integers(value), value);
    if (key == "operand_batching_dims") return assign(g.operand_batching_dims, read_integers(value), value);
    if (key == "start_indices_batching_dims") {
      return assign(g.indices_batching_dims, read_integers(value), value);
    }
    if (key == "slice_sizes") return assign(g.slice_sizes, read_integers(value), value);
  } else if (opcode == Opcode::Scatter) {
    if (key == "update_window_dims") return assign(g.offset_dims, read_integers(value), value);
    if (key == "inserted_window_dims") return assign(g.collapsed_slice_dims, read_integers(value), value);
    if (key == "scatter_dims_to_operand_dims") return assign(g.start_index_map, read_integers(value), value);
    if (key == "input_batching_dims") return assign(g.operand_batching_dims, read_integers(value), value);
    if (key == "scatter_indices_batching_dims") {
      return assign(g.indices_batching_dims, read_integers(value), value);
    }
    if (key == "unique_indices") return assign(g.unique_indices, read_bool(value), value);
  } else {
    return false;
  }
  if (key == "index_vector_dim") return assign(g.index_vector_dim, value.integer("a dimension"), value);
  if (key == "indices_are_sorted") return assign(g.indices_are_sorted, read_bool(value), value);
  return false;
}

Result<bool> AttributeReader::read_dot(std::string_view key, Cursor& value) {
  DotDims& d = op_.attributes.dot;
  if (key == "lhs_batch_dims") return assign(d.lhs_batch, read_integers(value), value);
  if (key == "lhs_contracting_dims") return assign(d.lhs_contract, read_integers(value), value);
  if (key == "rhs_batch_dims") return assign(d.rhs_batch, read_integers(value), value);
  if (key == "rhs_contracting_dims") return assign(d.rhs_contract, read_integers(value), value);
  return false;
}

Result<void> AttributeReader::finish(Cursor& cursor, std::size_t at) {
  std::vector<Id<Computation>>& calls = op_.attributes.calls;
  const Opcode opcode = attribute_opcode(op_);
  if (first_.valid() != second_.valid()) {
    return cursor.error_at(at, fmt::format("{} '{}' names only one of its two computations",
                                           op_.opcode_text, op_.name));
  }
  if (first_.valid()) calls.insert(calls.begin(), {first_, second_});
  const bool done = op_.opcode == Opcode::AsyncDone || op_.opcode == Opcode::AsyncUpdate;
  const int expected = called_computations(opcode);
  if (!done && expected >= 0 && std::ssize(calls) != expected) {
    return cursor.error_at(at, fmt::format("{} '{}' must name {} computation{}, it names {}",
                                           op_.opcode_text, op_.name, expected,
                                           expected == 1 ? "" : "s", calls.size()));
  }
  if (!operand_count_fits(op_)) {
    return cursor.error_at(at, fmt::format("{} '{}' takes {} operand{}, it has {}", op_.opcode_text,
                                           op_.name, arity(op_.opcode), arity(op_.opcode) == 1 ? "" : "s",
                                           op_.operands.size()));
  }
  const auto required = [&](std::string_view key) -> Result<void> {
    if (std::ranges::find(seen_, key) != seen_.end()) return {};
    return cursor.error_at(at, fmt::format("{} '{}' needs {}=", op_.opcode_text, op_.name, key));
  };
  switch (op_.opcode) {
    case Opcode::Compare: return required("direction");
    case Opcode::GetTupleElement: return required("index");
    case Opcode::Slice: return required("slice");
    case Opcode::Pad: return required("padding");
    case Opcode::Reduce:
    case Opcode::Transpose:
    case Opcode::Concatenate: return required("dimensions");
    case Opcode::Iota: return required("iota_dimension");
    case Opcode::CustomCall: return required("custom_call_target");
    default: return {};
  }
}

int called_computations(Opcode opcode) {
  switch (opcode) {
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Map:
    case Opcode::Sort:
    case Opcode::Scatter:
    case Opcode::Call:
    case Opcode::Fusion:
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
    case Opcode::ReduceScatter:
    case Opcode::Scan: return 1;
    case Opcode::While:
    case Opcode::SelectAndScatter: return 2;
    default: return -1;
  }
}

bool operand_count_fits(const Op& op) {
  const int expected = arity(op.opcode);
  return expected < 0 || std::ssize(op.operands) == expected;
}

}  // namespace seam::graph
