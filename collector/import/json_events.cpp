#include "import/json_events.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace seam::collector {
namespace {

/// What a byte means inside a string.
enum : std::uint8_t { kOrdinary, kQuote, kBackslash, kUnusual };
constexpr std::array<std::uint8_t, 256> kInString = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) table[c] = c == '"' ? kQuote : c == '\\' ? kBackslash : c < 0x20 || c >= 0x80 ? kUnusual : kOrdinary;
  return table;
}();

bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool ends_word(char c) { return c == ',' || c == '}' || c == ']' || blank(c); }

bool is_number(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return !word.empty() && (word.front() == '.' || (word.front() >= '0' && word.front() <= '9')) &&
         std::ranges::all_of(word, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+'; });
}

/// Longer than any event that a profiler writes: an unclosed string runs to the end of the file.
constexpr std::size_t kMostWindows = 16;

}  // namespace

EventReader::EventReader(ByteSource& source, std::size_t window) : source_(source), window_(window) {}

bool EventReader::next(EventBatch& batch) {
  batch.events.clear();
  batch.fields.clear();
  batch.headers.clear();
  while (state_ != State::End && batch.events.empty() && batch.headers.empty()) {
    // What was left over, then fresh bytes.
    const std::size_t kept = rest_.size();
    const std::size_t wanted = std::max(window_, kept + window_ / 4);
    batch.bytes.resize(wanted);
    std::memcpy(batch.bytes.data(), rest_.data(), kept);
    const std::size_t got = source_.read(std::span(batch.bytes).subspan(kept));
    source_ended_ = got < wanted - kept;
    begin_ = at_ = batch.bytes.data();
    end_ = begin_ + kept + got;
    for (;;) {
      const char* before = at_;
      const std::size_t fields_before = batch.fields.size();
      const Read read = step(batch);
      if (state_ == State::End) break;
      if (read == Read::Done) continue;
      batch.fields.resize(fields_before);
      at_ = before;
      if (read == Read::More && source_ended_) {
        end_of_text();
        break;
      }
      const bool endless = read == Read::More && static_cast<std::size_t>(end_ - at_) >= kMostWindows * window_;
      if (read == Read::More && !endless) break;
      give_up(base_ + static_cast<std::uint64_t>(at_ - begin_), endless ? "it does not end" : why_);
      ++at_;
      state_ = State::Lost;
    }
    rest_.assign(at_, static_cast<std::size_t>(end_ - at_));
    base_ += static_cast<std::uint64_t>(at_ - begin_);
  }
  return !batch.events.empty() || !batch.headers.empty();
}

void EventReader::give_up(std::uint64_t at, std::string why) {
  if (faults_.broken_events++ > 0) return;
  faults_.first_broken = at;
  faults_.why_broken = std::move(why);
}

/// Only blanks, or the beginning of something, are left.
void EventReader::end_of_text() {
  (void)skip_blanks();
  const bool whole = state_ == State::Start || (state_ == State::Object && list_on_top_);
  if (!whole) {
    faults_.cut_off = true;
    faults_.cut_at = base_ + static_cast<std::uint64_t>(at_ - begin_);
    if (state_ == State::Events && at_ != end_ && *at_ == '{') {
      faults_.cut_in_event = true;
      give_up(faults_.cut_at, "the file ends inside it");
    }
  }
  state_ = State::End;
}

EventReader::Read EventReader::step(EventBatch& batch) {
  switch (state_) {
    case State::Start: return start();
    case State::Object: return top_level(batch);
    case State::Events: return events(batch);
    case State::Lost: return find_next_event();
    case State::End: break;
  }
  return Read::More;
}

EventReader::Read EventReader::start() {
  if (end_ - at_ >= 3 && std::memcmp(at_, "\xef\xbb\xbf", 3) == 0) at_ += 3;
  if (!skip_blanks()) return Read::More;
  list_on_top_ = *at_ == '[';
  if (*at_ != '{' && *at_ != '[') {
    state_ = State::End;
    return Read::More;
  }
  ++at_;
  faults_.has_events = list_on_top_;
  state_ = list_on_top_ ? State::Events : State::Object;
  return Read::Done;
}

/// One `"key": value` of the outermost object, or its end.
EventReader::Read EventReader::top_level(EventBatch& batch) {
  if (!skip_blanks()) return Read::More;
  if (*at_ == ',') {
    ++at_;
    return Read::Done;
  }
  if (*at_ == '}' || list_on_top_) {
    state_ = State::End;
    return Read::Done;
  }
  Text key;
  if (const Read read = this->key(key); read != Read::Done) return read;
  if (key.view() == "traceEvents" && *at_ == '[') {
    ++at_;
    faults_.has_events = true;
    state_ = State::Events;
    return Read::Done;
  }
  Text text;
  if (const Read read = value(text); read != Read::Done) return read;
  batch.headers.push_back({std::string(key.view()), std::string(text.view())});
  return Read::Done;
}

EventReader::Read EventReader::events(EventBatch& batch) {
  if (!skip_blanks()) return Read::More;
  if (*at_ == ',') {
    ++at_;
    return Read::Done;
  }
  if (*at_ == ']') {
    ++at_;
    state_ = State::Object;
    return Read::Done;
  }
  Event found;
  found.offset = base_ + static_cast<std::uint64_t>(at_ - begin_);
  if (*at_ != '{') {
    why_ = "an event is wanted";
    return Read::Broken;
  }
  if (const Read read = event(batch, found); read != Read::Done) return read;
  if (!skip_blanks()) {
    if (!source_ended_) return Read::More;
  } else if (*at_ != ',' && *at_ != ']' && *at_ != '{') {
    why_ = "a comma is wanted behind an event";
    return Read::Broken;
  }
  if (!found.phase.there() && !found.name.there() && found.arguments == 0) {
    ++faults_.empty_events;
  } else {
    batch.events.push_back(found);
  }
  return Read::Done;
}

/// The next `}, {` or `} ]`: an event that stands there is tried, what is inside the broken one is not.
EventReader::Read EventReader::find_next_event() {
  for (; at_ != end_; ++at_) {
    if (*at_ != '}') continue;
    const char* from = at_;
    ++at_;
    if (!skip_blanks()) {
      at_ = from;
      return Read::More;
    }
    if (*at_ == ']') {
      state_ = State::Events;
      return Read::Done;
    }
    if (*at_ == ',') {
      ++at_;
      if (!skip_blanks()) {
        at_ = from;
        return Read::More;
      }
      const char* brace = at_;
      if (*at_ == '{') {
        ++at_;
        if (!skip_blanks()) {
          at_ = from;
          return Read::More;
        }
        if (*at_ == '"') {
          at_ = brace;
          state_ = State::Events;
          return Read::Done;
        }
      }
    }
    at_ = from;
  }
  return Read::More;
}

EventReader::Read EventReader::event(EventBatch& batch, Event& event) {
  Text key;
  ++at_;
  for (;;) {
    bool ended = false;
    if (const Read read = next_member(key, ended); read != Read::Done || ended) return read;
    const std::string_view name = key.view();
    if (name == "args" && *at_ == '{') {
      event.first_argument = static_cast<std::uint32_t>(batch.fields.size());
      if (const Read read = fields(batch); read != Read::Done) return read;
      event.arguments = static_cast<std::uint32_t>(batch.fields.size()) - event.first_argument;
    } else {
      Text other;
      Text& into = name == "ph"     ? event.phase
                   : name == "cat"  ? event.category
                   : name == "name" ? event.name
                   : name == "pid"  ? event.process
                   : name == "tid"  ? event.thread
                   : name == "ts"   ? event.time
                   : name == "dur"  ? event.duration
                   : name == "id"   ? event.id
                   : name == "s"    ? event.scope
                                    : other;
      if (const Read read = value(into); read != Read::Done) return read;
    }
    if (const Read read = end_member("a comma or the end of the event is wanted"); read != Read::Done) return read;
  }
}

EventReader::Read EventReader::fields(EventBatch& batch) {
  ++at_;
  for (;;) {
    Field field;
    bool ended = false;
    if (const Read read = next_member(field.key, ended); read != Read::Done || ended) return read;
    if (const Read read = value(field.value); read != Read::Done) return read;
    batch.fields.push_back(field);
    if (const Read read = end_member("a comma or the end of the arguments is wanted"); read != Read::Done) return read;
  }
}

/// Commas, then a key up to its value, or the object's end.
EventReader::Read EventReader::next_member(Text& into, bool& ended) {
  for (;; ++at_) {
    if (!skip_blanks()) return Read::More;
    if (*at_ != ',') break;
  }
  ended = *at_ == '}';
  if (!ended) return key(into);
  ++at_;
  return Read::Done;
}

EventReader::Read EventReader::end_member(const char* wanted) {
  if (!skip_blanks()) return Read::More;
  if (*at_ == ',' || *at_ == '}') return Read::Done;
  why_ = wanted;
  return Read::Broken;
}

/// A key and the colon behind it, up to its value.
EventReader::Read EventReader::key(Text& into) {
  if (*at_ != '"') {
    why_ = "a key is wanted";
    return Read::Broken;
  }
  if (const Read read = string(into); read != Read::Done) return read;
  if (!skip_blanks()) return Read::More;
  if (*at_ != ':') {
    why_ = "a colon is wanted behind a key";
    return Read::Broken;
  }
  ++at_;
  return skip_blanks() ? Read::Done : Read::More;
}

EventReader::Read EventReader::value(Text& into) {
  const char* from = at_;
  if (*at_ == '"') return string(into);
  if (*at_ == '{' || *at_ == '[') {
    into.kind = *at_ == '{' ? Text::Kind::Object : Text::Kind::Array;
    if (const Read read = balanced(); read != Read::Done) return read;
  } else {
    while (at_ != end_ && !ends_word(*at_)) ++at_;
    if (at_ == end_) return Read::More;
    if (at_ == from) {
      why_ = "a value is wanted";
      return Read::Broken;
    }
    into.kind = is_number({from, static_cast<std::size_t>(at_ - from)}) ? Text::Kind::Number : Text::Kind::Word;
  }
  into.data = from;
  into.size = static_cast<std::uint32_t>(at_ - from);
  return Read::Done;
}

EventReader::Read EventReader::string(Text& into) {
  const char* from = ++at_;
  bool plain = true;
  for (;; ++at_) {
    while (at_ != end_ && kInString[static_cast<unsigned char>(*at_)] == kOrdinary) ++at_;
    if (at_ == end_) return Read::More;
    const std::uint8_t what = kInString[static_cast<unsigned char>(*at_)];
    if (what == kQuote) break;
    plain = false;
    if (what == kBackslash && ++at_ == end_) return Read::More;
  }
  into = {from, static_cast<std::uint32_t>(at_ - from), Text::Kind::String, plain};
  ++at_;
  return Read::Done;
}

/// Over an object or a list, whatever is in it.
EventReader::Read EventReader::balanced() {
  int depth = 0;
  for (; at_ != end_; ++at_) {
    const char c = *at_;
    if (c == '"') {
      Text skipped;
      if (const Read read = string(skipped); read != Read::Done) return read;
      --at_;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      ++at_;
      return Read::Done;
    }
  }
  return Read::More;
}

bool EventReader::skip_blanks() {
  while (at_ != end_ && blank(*at_)) ++at_;
  return at_ != end_;
}

}  // namespace seam::collector
