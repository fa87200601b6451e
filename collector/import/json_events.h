#pragma once
/// Events of a Chrome-format JSON trace, as pieces of the text: nothing is converted or copied. Reads in windows, so a file may be larger than memory, and
/// tolerates what profilers write although JSON forbids it (control characters, wrong escapes, bare nan, missing ends); what it cannot understand it
/// counts, and goes on at the next event. Format: "Trace Event Format" (Google, 2016); what real files do: docs/traces.md.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"

namespace seam::collector {

/// A value as it stands in the text.
struct Text {
  enum class Kind : std::uint8_t { Absent, String, Number, Word, Object, Array };
  const char* data = nullptr;
  std::uint32_t size = 0;
  Kind kind = Kind::Absent;
  bool plain = true;  ///< strings: neither escapes nor control characters nor bytes above ASCII

  [[nodiscard]] std::string_view view() const { return {data, size}; }
  [[nodiscard]] bool there() const { return kind != Kind::Absent; }
};

struct Field {
  Text key, value;
};

struct Event {
  Text phase, category, name, process, thread, time, duration, id, scope;
  std::uint32_t first_argument = 0, arguments = 0;  ///< in EventBatch::fields
  std::uint64_t offset = 0;                         ///< of its first byte in the unpacked text
};

/// A value beside the events: "baseTimeNanoseconds" and its like.
struct Header {
  std::string key, text;
};

/// Events whose texts lie in `bytes`.
struct EventBatch {
  std::vector<char> bytes;
  std::vector<Event> events;
  std::vector<Field> fields;
  std::vector<Header> headers;

  [[nodiscard]] const Field* begin_of(const Event& event) const { return fields.data() + event.first_argument; }
};

/// What was wrong with the text.
struct TextFaults {
  std::uint64_t broken_events = 0;            ///< not understood, skipped
  std::optional<std::uint64_t> first_broken;  ///< offset
  std::string why_broken;
  bool cut_off = false;        ///< the text ends inside the list of events or of the object around it
  bool cut_in_event = false;   ///< … and inside an event, which is lost (counted in broken_events)
  std::uint64_t cut_at = 0;
  std::uint64_t empty_events = 0;  ///< `{}`
  bool has_events = false;     ///< there is a list of events
};

class EventReader {
 public:
  /// `window`: bytes that are looked at together; events longer than 16 of them are given up.
  explicit EventReader(ByteSource& source, std::size_t window = std::size_t{4} << 20);

  /// The next events; false at the end, when faults() is complete. `batch` is overwritten, its memory used again.
  [[nodiscard]] bool next(EventBatch& batch);
  [[nodiscard]] const TextFaults& faults() const { return faults_; }

 private:
  enum class State : std::uint8_t { Start, Object, Events, Lost, End };
  enum class Read : std::uint8_t { Done, More, Broken };

  [[nodiscard]] Read step(EventBatch& batch);
  [[nodiscard]] Read start();
  [[nodiscard]] Read top_level(EventBatch& batch);
  [[nodiscard]] Read events(EventBatch& batch);
  [[nodiscard]] Read find_next_event();
  [[nodiscard]] Read event(EventBatch& batch, Event& event);
  [[nodiscard]] Read fields(EventBatch& batch);
  [[nodiscard]] Read next_member(Text& into, bool& ended);
  [[nodiscard]] Read end_member(const char* wanted);
  [[nodiscard]] Read key(Text& into);
  [[nodiscard]] Read value(Text& into);
  [[nodiscard]] Read string(Text& into);
  [[nodiscard]] Read balanced();
  [[nodiscard]] bool skip_blanks();
  void give_up(std::uint64_t at, std::string why);
  void end_of_text();

  ByteSource& source_;
  std::size_t window_;
  std::string rest_;               ///< bytes that were read and not understood yet
  bool source_ended_ = false;
  std::uint64_t base_ = 0;         ///< offset of the batch's first byte
  State state_ = State::Start;
  bool list_on_top_ = false;
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string why_;
  TextFaults faults_;
};

}  // namespace seam::collector
