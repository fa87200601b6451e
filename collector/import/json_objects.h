#pragma once
/// The objects of a JSON text one by one, as text: those of one list of the top-level object, or objects that follow one another without anything between
/// them. For files of many small objects that may be larger than memory; what profilers write as trace events: json_events.h.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"

namespace seam::collector {

class ObjectReader {
 public:
  /// `list`: the key of the list whose objects are wanted; empty: objects one after the other.
  ObjectReader(ByteSource& source, std::string_view list) : source_(source), list_(list), state_(list.empty() ? State::List : State::Start) {}

  /// The next object; false at the end.
  [[nodiscard]] bool next(std::string& object);
  /// The other members of the top-level object, as far as they were read.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }
  [[nodiscard]] bool has_list() const { return has_list_; }
  /// Where the text stopped to make sense or ended too early.
  [[nodiscard]] const std::optional<std::uint64_t>& broken_at() const { return broken_at_; }
  /// What stood in the list and was no object.
  [[nodiscard]] std::int64_t others() const { return others_; }

 private:
  enum class State : std::uint8_t { Start, Object, List, End };

  [[nodiscard]] int peek();
  int take();
  [[nodiscard]] int skip_blanks();
  [[nodiscard]] bool capture(std::string& into);
  [[nodiscard]] bool capture_string(std::string& into);
  void stop();

  ByteSource& source_;
  std::string list_;
  State state_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t taken_ = 0;
  bool has_list_ = false;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::optional<std::uint64_t> broken_at_;
  std::int64_t others_ = 0;
};

}  // namespace seam::collector
