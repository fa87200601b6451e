#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "import/json_events.h"
#include "import/json_text.h"

/// Trace text of any bytes: read in one window and in small ones it gives the same events and the same complaints.
namespace {

struct Told {
  std::vector<std::string> events;
  std::uint64_t broken = 0, empty = 0, headers = 0;
  bool cut_off = false, has_events = false;
  bool operator==(const Told&) const = default;
};

Told read(std::string bytes, std::size_t window) {
  using namespace seam::collector;
  seam::ByteSource source = seam::ByteSource::of(std::move(bytes));
  EventReader reader(source, window);
  EventBatch batch;
  Told told;
  TextMends mends;
  while (reader.next(batch)) {
    told.headers += batch.headers.size();
    for (const Event& event : batch.events) {
      std::string text = characters(event.name, mends) + "|" + std::to_string(nanoseconds(event.time).value_or(-1)) + "|" + std::to_string(event.offset);
      const Field* field = batch.begin_of(event);
      for (const Field* end = field + event.arguments; field != end; ++field) text += "|" + characters(field->key, mends) + "=" + std::string(field->value.view());
      told.events.push_back(std::move(text));
    }
  }
  told.broken = reader.faults().broken_events;
  told.empty = reader.faults().empty_events;
  told.cut_off = reader.faults().cut_off;
  told.has_events = reader.faults().has_events;
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Events may be as long as sixteen windows.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const Told whole = read(bytes, std::size_t{1} << 16);
  if (bytes.size() < 16 * 512 && !(read(bytes, 512) == whole)) __builtin_trap();
  return 0;
}
