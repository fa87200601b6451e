#include "import/xspace.h"

#include <fmt/core.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/protobuf.h"

namespace seam::collector {
namespace {

/// Events at a time: what is held as text.
constexpr std::size_t kBatch = 4096;

Result<void> whole(const ProtoReader& reader, std::string_view what) {
  if (reader.failed()) return fail(Error::Code::BadInput, fmt::format("{} is not written as protobuf writes messages", what));
  return {};
}

/// id → message of a map field, whose entries hold key 1 and value 2.
void add_entry(std::string_view entry, std::map<std::uint64_t, std::string_view>& into) {
  ProtoReader reader(entry);
  std::uint64_t key = 0;
  std::string_view value;
  for (ProtoField field; reader.next(field);) {
    if (field.number == 1) key = field.integer;
    if (field.number == 2) value = field.bytes;
  }
  into[key] = value;
}

/// A text field of a message.
std::string_view text_of(std::string_view message, std::uint32_t number) {
  ProtoReader reader(message);
  for (ProtoField field; reader.next(field);)
    if (field.number == number && field.wire == 2) return field.bytes;
  return {};
}

class Plane {
 public:
  Plane(std::string_view message, std::size_t number, TraceRows& rows) : message_(message), process_(std::to_string(number)), rows_(rows) {}

  Result<void> read() {
    ProtoReader reader(message_);
    std::vector<std::string_view> lines;
    for (ProtoField field; reader.next(field);) {
      switch (field.number) {
        case 2: name_ = field.bytes; break;
        case 3: lines.push_back(field.bytes); break;
        case 4: add_entry(field.bytes, events_); break;
        case 5: add_entry(field.bytes, stats_); break;
        default: break;
      }
    }
    SEAM_DO(whole(reader, "a plane"));
    if (lines.empty()) return {};
    name_event("process_name", {}, name_);
    for (const std::string_view line : lines) SEAM_DO(read_line(line));
    return {};
  }

 private:
  Result<void> read_line(std::string_view line) {
    ProtoReader reader(line);
    std::uint64_t id = 0, display_id = 0, start_ns = 0;
    std::string_view name, display_name;
    std::vector<std::string_view> events;
    for (ProtoField field; reader.next(field);) {
      switch (field.number) {
        case 1: id = field.integer; break;
        case 10: display_id = field.integer; break;
        case 2: name = field.bytes; break;
        case 11: display_name = field.bytes; break;
        case 3: start_ns = field.integer; break;
        case 4: events.push_back(field.bytes); break;
        default: break;
      }
    }
    SEAM_DO(whole(reader, "a line"));
    const std::string number = std::to_string(display_id != 0 ? display_id : id);
    const Text thread = view(number, Text::Kind::Number);
    name_event("thread_name", thread, display_name.empty() ? name : display_name);
    for (const std::string_view event : events) SEAM_DO(read_event(event, thread, start_ns));
    flush();
    return {};
  }

  Result<void> read_event(std::string_view message, const Text& thread, std::uint64_t line_ns) {
    ProtoReader reader(message);
    Event event = blank("X");
    event.thread = thread;
    event.first_argument = static_cast<std::uint32_t>(batch_.fields.size());
    std::uint64_t offset_ps = 0, duration_ps = 0, metadata = 0;
    for (ProtoField field; reader.next(field);) {
      switch (field.number) {
        case 1: metadata = field.integer; break;
        case 2: offset_ps = field.integer; break;
        case 3: duration_ps = field.integer; break;
        case 4: add_stat(field.bytes); break;
        default: break;
      }
    }
    SEAM_DO(whole(reader, "an event"));
    if (const auto known = events_.find(metadata); known != events_.end()) {
      const std::string_view shown = text_of(known->second, 4);
      event.name = view(shown.empty() ? text_of(known->second, 2) : shown, Text::Kind::String);
      ProtoReader about(known->second);
      for (ProtoField field; about.next(field);)
        if (field.number == 5) add_stat(field.bytes);
    }
    // Picoseconds: both ends to the nanosecond they lie in, as the trace.json has them.
    const std::uint64_t start = line_ns + offset_ps / 1000, end = line_ns + (offset_ps + duration_ps) / 1000;
    event.time = kept(fmt::format("{}.{:03}", start / 1000, start % 1000), Text::Kind::Number);
    event.duration = kept(fmt::format("{}.{:03}", (end - start) / 1000, (end - start) % 1000), Text::Kind::Number);
    event.arguments = static_cast<std::uint32_t>(batch_.fields.size()) - event.first_argument;
    batch_.events.push_back(event);
    if (batch_.events.size() >= kBatch) flush();
    return {};
  }

  void add_stat(std::string_view message) {
    ProtoReader reader(message);
    Field out;
    for (ProtoField field; reader.next(field);) {
      switch (field.number) {
        case 1: out.key = view(stat_name(field.integer), Text::Kind::String); break;
        case 2: out.value = kept(fmt::format("{}", field.real()), Text::Kind::Number); break;
        case 3: out.value = kept(std::to_string(field.integer), Text::Kind::Number); break;
        case 4: out.value = kept(std::to_string(static_cast<std::int64_t>(field.integer)), Text::Kind::Number); break;
        case 5: out.value = view(field.bytes, Text::Kind::String); break;
        case 7: out.value = view(stat_name(field.integer), Text::Kind::String); break;
        default: break;
      }
    }
    // Keys with a _ link events to each other inside the profile; their numbers mean nothing outside.
    if (out.value.there() && out.key.size > 0 && out.key.data[0] != '_') batch_.fields.push_back(out);
  }

  void name_event(std::string_view what, const Text& thread, std::string_view name) {
    Event event = blank("M");
    event.name = view(what, Text::Kind::String);
    event.thread = thread;
    event.first_argument = static_cast<std::uint32_t>(batch_.fields.size());
    event.arguments = 1;
    batch_.fields.push_back({view("name", Text::Kind::String), view(name, Text::Kind::String)});
    batch_.events.push_back(event);
  }

  [[nodiscard]] std::string_view stat_name(std::uint64_t id) const {
    const auto at = stats_.find(id);
    return at == stats_.end() ? std::string_view() : text_of(at->second, 2);
  }
  Event blank(std::string_view phase) {
    Event event;
    event.phase = view(phase, Text::Kind::String);
    event.process = view(process_, Text::Kind::Number);
    return event;
  }
  static Text view(std::string_view text, Text::Kind kind) { return {text.data(), static_cast<std::uint32_t>(text.size()), kind, true}; }
  Text kept(std::string text, Text::Kind kind) { return view(texts_.emplace_back(std::move(text)), kind); }
  void flush() {
    rows_.add(batch_);
    batch_.events.clear();
    batch_.fields.clear();
    texts_.clear();
  }

  std::string_view message_, name_;
  std::string process_;
  TraceRows& rows_;
  std::map<std::uint64_t, std::string_view> events_, stats_;
  EventBatch batch_;
  std::deque<std::string> texts_;
};

}  // namespace

Result<void> read_xspace(std::string_view bytes, TraceRows& rows) {
  ProtoReader reader(bytes);
  std::size_t number = 0;
  for (ProtoField field; reader.next(field);)
    if (field.number == 1 && field.wire == 2) SEAM_DO(Plane(field.bytes, ++number, rows).read());
  return whole(reader, "the file");
}

}  // namespace seam::collector
