#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "recorded/calls.h"

namespace seam::analyzer::recorded {
namespace {

using db::Field;
using graph::torch::TensorType;

std::string text(const Field& field) {
  const auto* value = std::get_if<std::string>(&field);
  return value == nullptr ? std::string() : *value;
}
std::optional<std::int64_t> number(const Field& field) {
  const auto* value = std::get_if<std::int64_t>(&field);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

/// "Tensor(float)", "float", "c10::BFloat16", "GenericList[Tensor(float),Tensor(long int)]": the k-th tensor's type.
std::optional<DType> dtype_in(std::string_view type, std::size_t k) {
  std::size_t at = 0;
  for (std::size_t seen = 0; (at = type.find("Tensor(", at)) != std::string_view::npos; ++seen, at += 7) {
    if (seen != k) continue;
    const std::size_t end = type.find(')', at);
    return graph::torch::torch_dtype(type.substr(at + 7, end - at - 7));
  }
  return graph::torch::torch_dtype(type);
}

std::vector<std::int64_t> extents(const nlohmann::json& list) {
  std::vector<std::int64_t> out;
  for (const auto& one : list)
    if (one.is_number_integer()) out.push_back(one.get<std::int64_t>());
  return out;
}

Slot slot_of(const std::string& type, const std::string& dims, const std::string& strides, const std::string& value) {
  Slot slot;
  slot.value = value_of(value);
  if (dims.empty()) return slot;
  const auto shape = nlohmann::json::parse(dims, nullptr, false), steps = nlohmann::json::parse(strides.empty() ? "[]" : strides, nullptr, false);
  if (!shape.is_array()) return slot;
  const bool list = !shape.empty() && shape.front().is_array();
  const auto add = [&](const nlohmann::json& own, const nlohmann::json& own_steps, std::size_t k) {
    const std::optional<DType> dtype = dtype_in(type, k);
    if (!dtype && type != "TensorList") return;
    TensorUse use{{dtype.value_or(DType::F32), extents(own), std::nullopt}, std::nullopt, dtype.has_value()};
    if (!graph::torch::can_be_held(use.type.dims)) return;
    if (own_steps.is_array() && own_steps.size() == own.size() && !strides.empty()) use.type.strides = extents(own_steps);
    slot.tensors.push_back(std::move(use));
  };
  if (list) {
    slot.kind = Slot::Kind::Tensors;
    for (std::size_t k = 0; k < shape.size(); ++k) add(shape[k], k < steps.size() ? steps[k] : nlohmann::json(), k);
    if (slot.tensors.size() != shape.size()) return {};
  } else if (dtype_in(type, 0)) {
    slot.kind = Slot::Kind::Tensor;
    add(shape, steps, 0);
  }
  return slot;
}

CallForest forest(std::vector<RecordedCall> calls) {
  for (std::size_t k = 0; k < calls.size(); ++k)
    if (calls[k].parent) calls[*calls[k].parent].children.push_back(k);
  return {std::move(calls), false};
}

Result<CallForest> from_nodes(const db::Database& run) {
  SEAM_TRY(const auto slots, slots_by_signature(run));
  SEAM_TRY(const db::Rows rows, run.query("SELECT n.id, n.number, n.parent, s.value, n.inputs, n.outputs, o.value FROM node n JOIN string s ON s.id = n.name LEFT JOIN string o ON o.id = n.op_schema "
                                          "WHERE n.kind IN ('host', 'root') ORDER BY n.number"));
  std::vector<RecordedCall> calls;
  std::unordered_map<std::int64_t, std::size_t> by_id, by_number;
  std::vector<std::optional<std::int64_t>> parent_numbers;
  for (const auto& row : rows.rows) {
    RecordedCall call;
    call.name = text(row[3]);
    call.schema = text(row[6]);
    const auto take = [&](const Field& field, std::vector<Slot>& into) {
      const auto id = number(field);
      const auto found = id ? slots.find(*id) : slots.end();
      if (found != slots.end()) into = found->second;
      return id.has_value();
    };
    call.has_inputs = take(row[4], call.inputs);
    call.outputs_known = take(row[5], call.outputs);
    by_id[number(row[0]).value_or(-1)] = calls.size();
    by_number[number(row[1]).value_or(-1)] = calls.size();
    parent_numbers.push_back(number(row[2]));
    calls.push_back(std::move(call));
  }
  SEAM_TRY(const db::Rows tensors, run.query("SELECT node, side, place, item, tensor, storage, offset FROM node_tensor"));
  for (const auto& row : tensors.rows) {
    const auto node = by_id.find(number(row[0]).value_or(-1));
    if (node == by_id.end()) continue;
    std::vector<Slot>& side = text(row[1]) == "input" ? calls[node->second].inputs : calls[node->second].outputs;
    const auto place = static_cast<std::size_t>(number(row[2]).value_or(0)), item = static_cast<std::size_t>(number(row[3]).value_or(0));
    if (place < side.size() && item < side[place].tensors.size())
      side[place].tensors[item].id = TensorId{number(row[4]).value_or(0), number(row[5]).value_or(0), number(row[6]).value_or(0)};
  }
  // Nodes are numbered as they begin, so that those around come first; one that says otherwise stands alone.
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const auto found = parent_numbers[k] ? by_number.find(*parent_numbers[k]) : by_number.end();
    if (found != by_number.end() && found->second < k) calls[k].parent = found->second;
  }
  CallForest out = forest(std::move(calls));
  out.identified = true;
  return out;
}

Result<CallForest> from_spans(const db::Database& run) {
  SEAM_TRY(const auto slots, slots_by_signature(run));
  SEAM_TRY(const db::Rows rows, run.query("SELECT r.thread, r.start_ns, r.end_ns, s.value, r.signature FROM range r JOIN string s ON s.id = r.name WHERE r.kind IN ('op', 'annotation') AND r.start_ns IS NOT NULL "
                                          "ORDER BY r.start_ns, r.end_ns DESC, r.id"));
  std::vector<RecordedCall> calls;
  struct Open {
    std::size_t call;
    std::int64_t end;
  };
  std::map<std::int64_t, std::vector<Open>> open;  // per thread
  for (const auto& row : rows.rows) {
    const std::int64_t thread = number(row[0]).value_or(-1), start = number(row[1]).value_or(0), end = number(row[2]).value_or(start);
    std::vector<Open>& stack = open[thread];
    while (!stack.empty() && stack.back().end <= start && !(stack.back().end == start && end == start)) stack.pop_back();
    RecordedCall call;
    call.name = text(row[3]);
    if (const auto id = number(row[4])) {
      const auto found = slots.find(*id);
      if (found != slots.end()) call.inputs = found->second;
      call.has_inputs = true;
    }
    if (!stack.empty()) call.parent = stack.back().call;
    stack.push_back({calls.size(), end});
    calls.push_back(std::move(call));
  }
  return forest(std::move(calls));
}

}  // namespace

Result<std::unordered_map<std::int64_t, std::vector<Slot>>> slots_by_signature(const db::Database& run) {
  SEAM_TRY(const db::Rows rows, run.query("SELECT i.signature, i.place, t.value, i.dims, i.strides, v.value FROM signature_input i LEFT JOIN string t ON t.id = i.type "
                                          "LEFT JOIN string v ON v.id = i.value ORDER BY i.signature, i.place"));
  std::unordered_map<std::int64_t, std::vector<Slot>> out;
  for (const auto& row : rows.rows) {
    const auto id = number(row[0]), place = number(row[1]);
    if (!id || !place || *place < 0 || *place > 10'000) return fail(Error::Code::BadInput, "the run file is damaged: a row does not hold what its schema asks for");
    std::vector<Slot>& slots = out[*id];
    if (slots.size() <= static_cast<std::size_t>(*place)) slots.resize(static_cast<std::size_t>(*place) + 1);
    slots[static_cast<std::size_t>(*place)] = slot_of(text(row[2]), text(row[3]), text(row[4]), text(row[5]));
  }
  return out;
}

Result<CallForest> calls_of(const db::Database& run) {
  SEAM_TRY(const db::Rows identified, run.query("SELECT EXISTS (SELECT 1 FROM node_tensor)"));
  const bool nodes = !identified.rows.empty() && number(identified.rows[0][0]).value_or(0) != 0;
  return nodes ? from_nodes(run) : from_spans(run);
}

}  // namespace seam::analyzer::recorded
