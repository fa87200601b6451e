#include "import/chakra.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstring>

#include "base/protobuf.h"
#include "base/utf8.h"
#include "import/json_objects.h"
#include "import/json_take.h"
#include "import/python_literal.h"

namespace seam::collector {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 8> kTypes = {"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
constexpr std::array<const char*, 10> kCollectives = {"allreduce", "reduce", "allgather", "gather", "scatter", "broadcast", "alltoall", "reduce_scatter", "reduce_scatter_block", "barrier"};

/// Messages are short; a length beyond this is none.
constexpr std::uint64_t kMost = std::uint64_t{64} << 20;

std::int64_t signed_of(std::uint64_t value) { return std::bit_cast<std::int64_t>(value); }
std::int64_t zigzag(std::uint64_t value) { return signed_of((value >> 1) ^ (~(value & 1) + 1)); }

/// Numbers with their lengths in front, or one by one.
void append_numbers(const ProtoField& field, Json& list) {
  if (field.wire == 0) {
    list.push_back(signed_of(field.integer));
    return;
  }
  std::string_view rest = field.bytes;
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char c : rest) {
    if (shift < 64) value |= static_cast<std::uint64_t>(c & 0x7f) << shift;
    shift += 7;
    if ((c & 0x80) != 0) continue;
    list.push_back(signed_of(value));
    value = 0;
    shift = 0;
  }
}

/// Numbers of 4 or 8 bytes each, packed or one by one, as `Number`s.
template <class Number>
void append_fixed(const ProtoField& field, Json& list) {
  const std::string_view bytes = field.wire == 2 ? field.bytes : std::string_view();
  const auto add = [&](std::uint64_t bits) {
    if constexpr (sizeof(Number) == 8) list.push_back(std::bit_cast<Number>(bits));
    else list.push_back(std::bit_cast<Number>(static_cast<std::uint32_t>(bits)));
  };
  if (field.wire == 1 || field.wire == 5) add(field.integer);
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, sizeof(Number));
    add(bits);
  }
}

/// A repeated value of an attribute; `type` is the number that a single one would have.
void append_values(std::uint32_t type, const ProtoField& item, Json& list) {
  switch (type) {
    case 3: return append_fixed<double>(item, list);
    case 5: return append_fixed<float>(item, list);
    case 15:
    case 17: {
      Json plain = Json::array();
      append_numbers(item, plain);
      for (const Json& value : plain) list.push_back(zigzag(value.get<std::uint64_t>()));
      return;
    }
    case 19: return append_fixed<std::uint32_t>(item, list);
    case 23: return append_fixed<std::int32_t>(item, list);
    case 21:
    case 25: return append_fixed<std::int64_t>(item, list);
    case 29:
    case 31: list.push_back(to_utf8(item.bytes)); return;
    default: return append_numbers(item, list);
  }
}

/// AttributeProto: a name and one value, whose field number tells its type.
std::optional<std::pair<std::string, Json>> attribute_of(std::string_view bytes) {
  ProtoReader reader(bytes);
  ProtoField field;
  std::string name;
  Json value;
  while (reader.next(field)) {
    switch (field.number) {
      case 1: name = to_utf8(field.bytes); break;
      case 2: break;  // what it means, for people
      case 3: value = field.real(); break;
      case 5: value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.integer))); break;
      case 15:
      case 17: value = zigzag(field.integer); break;
      case 7:
      case 9:
      case 11:
      case 13:
      case 19:
      case 21:
      case 25: value = signed_of(field.integer); break;
      case 23: value = static_cast<std::int64_t>(std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(field.integer))); break;
      case 27: value = field.integer != 0; break;
      case 29:
      case 31: value = to_utf8(field.bytes); break;
      default: {
        // The list of the type before it: a message with repeated values in field 1.
        Json list = Json::array();
        ProtoReader inner(field.bytes);
        ProtoField item;
        while (inner.next(item)) append_values(field.number - 1, item, list);
        value = std::move(list);
      }
    }
  }
  if (reader.failed() || name.empty()) return std::nullopt;
  return std::pair(std::move(name), std::move(value));
}

Json values_of(std::string_view bytes) {
  static constexpr std::array<const char*, 4> kParts = {"values", "shapes", "types", "strides"};
  Json out = Json::object();
  ProtoReader reader(bytes);
  ProtoField field;
  while (reader.next(field))
    if (field.wire == 2 && field.number >= 1 && field.number <= kParts.size()) out[kParts[field.number - 1]] = to_utf8(field.bytes);
  return out;
}

/// "attr" of the JSON form: [{"name": …, "int64Val": …}].
void flatten_attributes(Json& node) {
  const Json list = take(node, "attr");
  if (!list.is_array()) return;
  for (const Json& one : list) {
    if (!one.is_object() || !one.contains("name") || !one["name"].is_string()) continue;
    for (const auto& [key, value] : one.items()) {
      if (key.ends_with("Val")) node.emplace(one["name"].get<std::string>(), value);
      else if (key.ends_with("List") && value.is_object() && value.contains("values")) node.emplace(one["name"].get<std::string>(), value["values"]);
    }
  }
}

NodeValues take_values(Json& node, const char* side, std::int64_t& strange) {
  Json texts = take(node, side);
  NodeValues out;
  for (const auto& [part, into] : {std::pair("values", &out.values), std::pair("shapes", &out.shapes), std::pair("types", &out.types), std::pair("strides", &out.strides)}) {
    const std::string text = take_text(texts, part);
    if (text.empty()) continue;
    if (auto parsed = python_literal(text)) *into = *std::move(parsed);
    else ++strange;
  }
  return out;
}

std::vector<std::int64_t> take_numbers(Json& node, const char* key) {
  std::vector<std::int64_t> out;
  const Json list = take(node, key);
  for (const Json& one : list.is_array() ? list : Json::array())
    if (const auto number = whole(one)) out.push_back(*number);
  return out;
}

bool truth(const Json& value) { return value.is_boolean() ? value.get<bool>() : whole(value).value_or(1) != 0; }

std::optional<TraceNode> node_of(Json node, NodeRows& rows) {
  flatten_attributes(node);
  TraceNode out;
  const std::optional<std::int64_t> number = take_whole(node, "id");
  if (!number && !node.contains("name")) return std::nullopt;
  out.number = number.value_or(0);  // protobuf leaves out what is 0
  out.name = take_text(node, "name");
  const std::string type = take_text(node, "type");
  const bool on_host = truth(take(node, "is_cpu_op"));
  out.device = !on_host;
  out.kind = type.starts_with("COMM_")           ? db::NodeKind::Communication
             : type.starts_with("MEM_")          ? db::NodeKind::Memory
             : type == "METADATA_NODE"           ? db::NodeKind::Metadata
             : out.name.ends_with("|process]") || out.name.ends_with("|thread]") ? db::NodeKind::Root
             : on_host                           ? db::NodeKind::Host
                                                 : db::NodeKind::Device;
  out.control = take_numbers(node, "ctrlDeps");
  out.data = take_numbers(node, "dataDeps");
  out.start_ns = unless(take_microseconds(node, "startTimeMicros"), 0);
  out.duration_ns = take_microseconds(node, "durationMicros");
  std::int64_t strange = 0;
  out.inputs = take_values(node, "inputs", strange);
  out.outputs = take_values(node, "outputs", strange);
  if (strange > 0) rows.lose("values-not-understood", strange, "lists of values, shapes or types that are not in Python's notation");
  out.record = unless(take_whole(node, "rf_id"), 0);
  out.forward_parent = unless(take_whole(node, "fw_parent"), 0);
  out.sequence = unless(take_whole(node, "seq_id"), -1);
  out.scope = take_whole(node, "scope");
  out.forward_thread = unless(take_whole(node, "fw_tid"), 0);
  out.op_schema = take_text(node, "op_schema");
  if (on_host) out.thread = take_whole(node, "tid");  // of device work it is a stream in some files and a thread in others: left in extra
  const std::optional<std::int64_t> collective = take_whole(node, "comm_type");
  if (collective) {
    NodeCollective said;
    said.name = *collective >= 0 && *collective < std::ssize(kCollectives) ? kCollectives[static_cast<std::size_t>(*collective)] : std::to_string(*collective);
    said.group = node.contains("pg_id") ? take_text(node, "pg_id") : take_text(node, "pg_name");
    out.collective = std::move(said);
    // In bytes, of elements of unknown size.
    out.bytes = whole(node.value("comm_size", Json()));
  }
  if (type == "INVALID_NODE") node["type"] = type;
  out.extra = std::move(node);
  return out;
}

/// The metadata message, as properties of the run.
void keep_metadata(Json metadata, NodeRows& rows) {
  flatten_attributes(metadata);
  for (const auto& [key, value] : metadata.items()) {
    if (key == "pid") rows.set_process(whole(value));
    rows.set_property("trace." + key, value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

/// Bytes of a stream with what was taken from the front.
class Messages {
 public:
  explicit Messages(ByteSource& source) : source_(source) {}

  /// False at the end, and where lengths and bytes do not fit (broken()).
  bool next(std::string& message) {
    std::uint64_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
      char byte = 0;
      if (source_.read({&byte, 1}) == 0) {
        broken_ |= shift > 0;
        return false;
      }
      ++taken_;
      if (shift < 63) length |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
      if (shift > 63) break;
    }
    broken_ = length > kMost;
    if (broken_) return false;
    message.resize(length);
    const std::size_t got = length == 0 ? 0 : source_.read(message);
    taken_ += got;
    broken_ = got < length;
    return !broken_;
  }
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  ByteSource& source_;
  std::uint64_t taken_ = 0;
  bool broken_ = false;
};

void say_where_it_stopped(NodeRows& rows, std::uint64_t at) {
  rows.warn("cut-off", fmt::format("the trace cannot be read further than byte {}", at));
  rows.lose("cut-off", 1, "the rest of the trace, of unknown length");
}

void say_what_was_broken(NodeRows& rows, std::int64_t broken, const ByteSource& source) {
  if (broken > 0) rows.lose("broken-node", broken, "nodes that are not understood");
  if (source.damage()) rows.warn("damaged", *source.damage() + ": what was unpacked until there is read");
}

}  // namespace

std::optional<Json> chakra_message(std::string_view bytes) {
  Json out = Json::object();
  Json control = Json::array(), data = Json::array();
  ProtoReader reader(bytes);
  ProtoField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1: out["id"] = signed_of(field.integer); break;
      case 2: out["name"] = to_utf8(field.bytes); break;
      case 3: out["type"] = field.integer < kTypes.size() ? kTypes[field.integer] : "INVALID_NODE"; break;
      case 4: append_numbers(field, control); break;
      case 5: append_numbers(field, data); break;
      case 6: out["startTimeMicros"] = signed_of(field.integer); break;
      case 7: out["durationMicros"] = signed_of(field.integer); break;
      case 8: out["inputs"] = values_of(field.bytes); break;
      case 9: out["outputs"] = values_of(field.bytes); break;
      case 10: {
        auto attribute = attribute_of(field.bytes);
        if (!attribute) return std::nullopt;
        out.emplace(std::move(attribute->first), std::move(attribute->second));
        break;
      }
      default: break;
    }
  }
  if (reader.failed()) return std::nullopt;
  out["ctrlDeps"] = std::move(control);
  out["dataDeps"] = std::move(data);
  return out;
}

Result<void> read_chakra(ByteSource& source, NodeRows& rows, const std::function<bool()>& go_on) {
  Messages messages(source);
  std::string message;
  std::int64_t broken = 0;
  if (!messages.next(message)) return fail(Error::Code::BadInput, "its first message is cut off");
  Json metadata = Json::object();
  ProtoReader reader(message);
  ProtoField field;
  while (reader.next(field)) {
    if (field.number == 1 && field.wire == 2) metadata["version"] = to_utf8(field.bytes);
    if (field.number != 2 || field.wire != 2) continue;
    if (auto attribute = attribute_of(field.bytes)) metadata.emplace(std::move(attribute->first), std::move(attribute->second));
  }
  keep_metadata(std::move(metadata), rows);
  while (messages.next(message)) {
    std::optional<Json> node = chakra_message(message);
    std::optional<TraceNode> understood = node ? node_of(*std::move(node), rows) : std::nullopt;
    if (understood) rows.add(*understood);
    else ++broken;
    if (rows.nodes() % 1024 == 0 && go_on && !go_on()) return fail(Error::Code::Cancelled, "the import was stopped; no file was written");
  }
  if (messages.broken()) say_where_it_stopped(rows, messages.taken());
  say_what_was_broken(rows, broken, source);
  return {};
}

Result<void> read_chakra_json(ByteSource& source, NodeRows& rows, const std::function<bool()>& go_on) {
  ObjectReader reader(source, {});
  std::string text;
  std::int64_t broken = 0;
  bool first = true;
  while (reader.next(text)) {
    Json object = Json::parse(to_utf8(text), nullptr, false);
    if (first && object.is_object() && !object.contains("name")) {
      keep_metadata(std::move(object), rows);
    } else if (const std::optional<TraceNode> node = object.is_object() ? node_of(std::move(object), rows) : std::nullopt) {
      rows.add(*node);
    } else {
      ++broken;
    }
    first = false;
    if (rows.nodes() % 1024 == 0 && go_on && !go_on()) return fail(Error::Code::Cancelled, "the import was stopped; no file was written");
  }
  if (reader.broken_at()) say_where_it_stopped(rows, *reader.broken_at());
  say_what_was_broken(rows, broken + reader.others(), source);
  return {};
}

}  // namespace seam::collector
