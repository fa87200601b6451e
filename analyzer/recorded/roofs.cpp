#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>

#include "analyzer/op_cost.h"
#include "analyzer/operator_roofs.h"
#include "graph/torch_calls.h"
#include "graph/transform.h"
#include "recorded/calls.h"

namespace seam::analyzer {
namespace {

using graph::Op;
using graph::Opcode;
using recorded::Slot;

/// What one call needs, whoever computes it.
struct Needs {
  double flop = 0, bytes = 0;
  bool product = false;  ///< arithmetic of tensor cores
  int width = 32;        ///< bits of its operands
};

/// A parameter of which only pieces are taken counts what is taken.
double read_of(const graph::Computation& entry, const std::vector<Id<Op>>& users, Id<Op> parameter) {
  const double whole = static_cast<double>(entry.ops[parameter].shape.byte_size());
  double taken = 0;
  for (const Id<Op> user : users) {
    const Op& op = entry.ops[user];
    if ((op.opcode != Opcode::Gather && op.opcode != Opcode::Slice) || op.operands[0] != parameter) return whole;
    taken += static_cast<double>(op.shape.byte_size());
  }
  return std::min(whole, taken);
}

Needs needs_of(const graph::Graph& graph) {
  const graph::Graph whole = graph::without_dead_code(graph::inline_calls(graph, true));
  const graph::Computation& entry = whole.entry_computation();
  const auto users = entry.users();
  Needs out;
  for (const Op& op : entry.ops) {
    out.flop += cost_of(entry, op).flops;
    if (op.opcode != Opcode::Dot && op.opcode != Opcode::Convolution) continue;
    out.product = true;
    out.width = bits(entry.ops[op.operands[0]].shape.dtype);
  }
  for (const Id<Op> parameter : entry.parameters)
    if (!users[parameter].empty()) out.bytes += read_of(entry, users[parameter], parameter);
  std::set<Id<Op>> written;
  for (const Id<Op> result : entry.ops[entry.root].operands)
    if (entry.ops[result].opcode != Opcode::Parameter && written.insert(result).second) out.bytes += static_cast<double>(entry.ops[result].shape.byte_size());
  return out;
}

/// The operator alone, on tensors of these shapes.
std::optional<Needs> needs_of(const std::string& op, const std::vector<Slot>& slots) {
  const std::size_t colon = op.find("::");
  if (colon == std::string::npos) return std::nullopt;
  graph::torch::RecordedCalls calls("one");
  graph::torch::Node node;
  node.name = "result";
  node.target = op.substr(0, colon) + "." + op.substr(colon + 2);
  const auto keywords = recorded::keyword_places(op, "");
  std::size_t count = 0;
  for (std::size_t place = 0; place < slots.size(); ++place) {
    graph::torch::Argument argument = slots[place].value;
    const auto parameter = [&](const recorded::TensorUse& use) {
      graph::torch::Argument name;
      name.kind = graph::torch::Argument::Kind::Name;
      name.text = fmt::format("p{}", count++);
      calls.parameter(name.text, use.type);
      return name;
    };
    if (slots[place].kind == Slot::Kind::Tensor) argument = parameter(slots[place].tensors.front());
    if (slots[place].kind == Slot::Kind::Tensors) {
      argument = {};
      argument.kind = graph::torch::Argument::Kind::List;
      for (const recorded::TensorUse& use : slots[place].tensors) argument.items.push_back(parameter(use));
    }
    const auto keyword = std::ranges::find(keywords, place, &std::pair<std::size_t, std::string>::first);
    if (keyword != keywords.end())
      node.keywords.emplace_back(keyword->second, std::move(argument));
    else
      node.arguments.push_back(std::move(argument));
  }
  const auto done = calls.call(node, {}, false);
  if (!done || !*done) return std::nullopt;
  std::vector<std::string> outputs;
  for (const std::string& name : (*done)->names)
    if (!name.empty()) outputs.push_back(name);
  if (outputs.empty()) return std::nullopt;
  const auto graph = calls.finish(outputs, {});
  return graph ? std::optional(needs_of(*graph)) : std::nullopt;
}

std::string shown(const std::vector<Slot>& slots) {
  std::string out;
  for (const Slot& slot : slots)
    for (const recorded::TensorUse& use : slot.tensors) {
      graph::Shape shape;
      shape.dtype = use.type.dtype;
      shape.dims = use.type.dims;
      if (!out.empty()) out += ' ';
      out += graph::print(shape);
    }
  return out;
}

double flop_per_ns(const Device& device, const Needs& needs) {
  const double lanes = device.sms * device.fp32_lanes_per_sm * 2 * device.clock_ghz;
  if (!needs.product) return lanes;
  const double tensor = needs.width <= 16 ? device.tensor_flops_16 : needs.width == 32 ? device.tensor_flops_tf32 : 0;
  return std::max(lanes, tensor * 1e-9);
}

}  // namespace

std::optional<Device> device_called(const std::string& product) {
  std::string words;  // letters and digits, one space between words: " nvidia a100 sxm4 80gb "
  for (const char c : " " + product + " ") {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      words += static_cast<char>(std::tolower(letter));
    else if (!words.ends_with(' '))
      words += ' ';
  }
  for (const Device& device : devices()) {
    // "rtx4090" is sold as "RTX 4090".
    std::string apart(device.name);
    if (apart.starts_with("rtx")) apart.insert(3, " ");
    if (words.find(" " + std::string(device.name) + " ") != std::string::npos || words.find(" " + apart + " ") != std::string::npos) return device;
  }
  return std::nullopt;
}

Result<std::vector<OperatorRoof>> operator_roofs(const db::Database& run, const std::optional<Device>& device) {
  SEAM_TRY(const auto slots, recorded::slots_by_signature(run));
  SEAM_TRY(const db::Rows rows, run.query("SELECT op_name, signature, count(DISTINCT op) AS calls, count(*), sum(duration_ns) FROM op_launches WHERE duration_ns IS NOT NULL GROUP BY op_name, signature ORDER BY 5 DESC, 1, 2"));
  std::vector<OperatorRoof> out;
  const auto number = [](const db::Field& field) {
    const auto* value = std::get_if<std::int64_t>(&field);
    return value == nullptr ? std::int64_t{0} : *value;
  };
  for (const auto& row : rows.rows) {
    OperatorRoof one;
    if (const auto* name = std::get_if<std::string>(row.data())) one.op = *name;
    one.calls = number(row[2]);
    one.launches = number(row[3]);
    one.device_ns = number(row[4]);
    const auto found = slots.find(std::holds_alternative<std::int64_t>(row[1]) ? number(row[1]) : -1);
    if (found != slots.end()) {
      one.shapes = shown(found->second);
      if (const std::optional<Needs> needs = needs_of(one.op, found->second)) {
        one.flop = needs->flop;
        one.bytes = needs->bytes;
        if (device) {
          const double memory = needs->bytes / device->dram_bytes_per_s * 1e9, arithmetic = needs->flop / flop_per_ns(*device, *needs);
          one.memory_bound = memory >= arithmetic;
          one.least_ns = std::max(memory, arithmetic) * static_cast<double>(one.calls);
        }
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace seam::analyzer
