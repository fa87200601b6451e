#include "import/execution_trace.h"

#include <fmt/core.h>

#include "base/units.h"
#include "base/utf8.h"
#include "import/json_objects.h"
#include "import/json_take.h"

namespace seam::collector {
namespace {

using Json = nlohmann::json;

/// A node's members and its attributes, which later schemas keep in a list, as one object.
Json flattened(Json node) {
  const Json attributes = take(node, "attrs");
  if (!attributes.is_array()) return node;
  for (const Json& attribute : attributes) {
    if (!attribute.is_object() || !attribute.contains("name") || !attribute["name"].is_string() || !attribute.contains("value")) continue;
    node.emplace(attribute["name"].get<std::string>(), attribute["value"]);
  }
  return node;
}

NodeValues take_values(Json& node, const char* side, const char* shapes, const char* types) {
  Json values = take(node, side);
  if (values.is_object()) {
    NodeValues out;
    out.values = take(values, "values");
    out.shapes = take(values, "shapes");
    out.types = take(values, "types");
    out.strides = take(values, "strides");
    return out;
  }
  NodeValues out;
  out.values = std::move(values);
  out.shapes = take(node, shapes);
  out.types = take(node, types);
  return out;
}

std::optional<db::Grid> take_grid(Json& from, const char* key) {
  const Json value = take(from, key);
  if (!value.is_array() || value.size() != 3) return std::nullopt;
  const auto x = whole(value[0]), y = whole(value[1]), z = whole(value[2]);
  return x && y && z ? std::optional(db::Grid{*x, *y, *z}) : std::nullopt;
}

/// An event of the profiler among the nodes (ET+).
void take_device_work(Json& node, TraceNode& out) {
  out.device = true;
  out.kind = db::NodeKind::Device;
  Json arguments = take(node, "args");
  out.gpu = take_whole(arguments, "device");
  if (!out.gpu) out.gpu = whole(node.value("pid", Json()));
  out.stream = take_whole(arguments, "stream");
  if (!out.stream) out.stream = out.thread;
  out.thread.reset();
  out.context = take_whole(arguments, "context");
  out.correlation = take_whole(arguments, "correlation");
  out.external = take_whole(arguments, "External id");
  out.registers = take_whole(arguments, "registers per thread");
  out.shared = take_whole(arguments, "shared memory");
  out.bytes = take_whole(arguments, "bytes");
  out.grid = take_grid(arguments, "grid");
  out.block = take_grid(arguments, "block");
  for (const char* known : {"ph", "cat", "pid"}) node.erase(known);
  for (const char* told : {"queued", "blocks per SM", "warps per SM", "est. achieved occupancy %", "memory bandwidth (GB/s)"}) arguments.erase(told);
  if (arguments.is_object()) node.update(arguments);
}

/// What older schemas say only in the inputs of "record_param_comms": the one text among them.
std::string named_in(const NodeValues& inputs) {
  if (!inputs.values.is_array() || !inputs.types.is_array()) return {};
  for (std::size_t i = 0; i < std::min(inputs.values.size(), inputs.types.size()); ++i)
    if (inputs.types[i] == "String" && inputs.values[i].is_string()) return inputs.values[i].get<std::string>();
  return {};
}

void take_collective(Json& node, TraceNode& out) {
  NodeCollective said;
  said.name = take_text(node, "collective_name");
  said.dtype = take_text(node, "dtype");
  said.group = take_text(node, "pg_name");
  said.elements_in = take_whole(node, "in_msg_nelems");
  said.elements_out = take_whole(node, "out_msg_nelems");
  said.group_size = take_whole(node, "pg_size");
  if (said.name.empty() && out.name == "record_param_comms") said.name = named_in(out.inputs);
  if (said.name.empty()) return;
  out.kind = db::NodeKind::Communication;
  out.collective = std::move(said);
}

bool known_schema(const std::string& schema) {
  for (const std::string_view begin : {"1.0.1", "1.0.2", "1.0.3", "1.0.4", "1.1.0", "1.1.1"})
    if (schema.starts_with(begin)) return true;
  return false;
}

}  // namespace

std::optional<TraceNode> execution_trace_node(const std::string& text) {
  Json parsed = Json::parse(to_utf8(text), nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  Json node = flattened(std::move(parsed));
  TraceNode out;
  const std::optional<std::int64_t> number = take_whole(node, "id");
  if (!number) return std::nullopt;
  out.number = *number;
  out.name = take_text(node, "name");
  out.record = unless(take_whole(node, "rf_id"), 0);
  Json dependencies = take(node, "ctrl_deps");
  out.parent = dependencies.is_null() ? take_whole(node, "parent") : whole(dependencies);
  if (dependencies.is_array())
    for (const Json& one : dependencies)
      if (const auto source = whole(one)) out.control.push_back(*source);
  if (out.parent == out.number) out.parent.reset();
  out.forward_parent = unless(take_whole(node, "fw_parent"), 0);
  out.sequence = unless(take_whole(node, "seq_id"), -1);
  out.scope = take_whole(node, "scope");
  out.thread = take_whole(node, "tid");
  out.forward_thread = unless(take_whole(node, "fw_tid"), 0);
  out.op_schema = take_text(node, "op_schema");
  out.backend = take_text(node, "kernel_backend");
  out.kernel_file = take_text(node, "kernel_file");
  out.inputs = take_values(node, "inputs", "input_shapes", "input_types");
  out.outputs = take_values(node, "outputs", "output_shapes", "output_types");
  out.start_ns = take_microseconds(node, "ts");
  out.duration_ns = take_microseconds(node, "dur");
  if (out.duration_ns && *out.duration_ns < 0) out.duration_ns.reset();
  const std::string category = node.contains("cat") ? take_text(node, "cat") : std::string();
  if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") take_device_work(node, out);
  else if (!category.empty()) node["cat"] = category;
  if (out.name.ends_with("|process]") || out.name.ends_with("|thread]")) out.kind = db::NodeKind::Root;
  take_collective(node, out);
  for (auto at = node.begin(); at != node.end();) at = at->is_string() && at->get_ref<const std::string&>().empty() ? node.erase(at) : std::next(at);
  out.extra = std::move(node);
  return out;
}

Result<std::string> read_execution_trace(ByteSource& source, NodeRows& rows, const std::string& prefix, const std::function<bool()>& go_on) {
  ObjectReader reader(source, "nodes");
  std::string text;
  std::int64_t broken = 0;
  bool timed = false;
  std::size_t headers = 0;
  const auto take_headers = [&] {
    for (; headers < reader.headers().size(); ++headers) {
      const auto& [key, value] = reader.headers()[headers];
      const Json json = Json::parse(to_utf8(value), nullptr, false);
      if (key == "pid") rows.set_process(whole(json));
      const std::string said = json.is_string() ? json.get<std::string>() : to_utf8(value.substr(0, 1 << 16));
      if (key == "schema" && !known_schema(said)) rows.warn("schema-not-known", fmt::format("schema {} of the execution trace is not one that is known (1.0.1 to 1.1.1): read by the members that are there", to_utf8(said)));
      rows.set_property(prefix + to_utf8(key), said);
    }
  };
  while (reader.next(text)) {
    take_headers();
    if (const std::optional<TraceNode> node = execution_trace_node(text)) {
      timed |= node->start_ns.has_value();
      rows.add(*node);
    } else {
      ++broken;
    }
    if (rows.nodes() % 1024 == 0 && go_on && !go_on()) return fail(Error::Code::Cancelled, "the import was stopped; no file was written");
  }
  take_headers();
  if (broken + reader.others() > 0) rows.lose("broken-node", broken + reader.others(), "nodes of the execution trace that are not understood");
  if (reader.broken_at()) {
    const std::string where = fmt::format("the execution trace cannot be read further than byte {} of its text", *reader.broken_at());
    rows.warn("cut-off", where);
    rows.lose("cut-off", 1, "the rest of the execution trace, of unknown length");
  }
  if (source.damage()) rows.warn("damaged", *source.damage() + ": what was unpacked until there is read");
  if (!reader.has_list()) return fail(Error::Code::BadInput, "there is no list of nodes (\"nodes\") in it");
  return timed ? "et+" : "et";
}

}  // namespace seam::collector
