// Folders: which of their files are runs, and which execution trace belongs to which of them.
#include <fmt/core.h>

#include <algorithm>

#include "base/byte_source.h"
#include "collector/import.h"
#include "import/file_head.h"
#include "import/import_nodes.h"
#include "import/import_rocm.h"
#include "import/recognise.h"

namespace seam::collector {
namespace {

namespace fs = std::filesystem;

struct Found {
  fs::path file;
  std::string head;
  std::optional<std::int64_t> process;  ///< execution traces
};

/// `"pid": 1375` among the first events.
bool names_process(std::string_view head, std::int64_t process) {
  for (const std::string& key : {fmt::format("\"pid\": {}", process), fmt::format("\"pid\":{}", process)}) {
    for (std::size_t at = head.find(key); at != std::string_view::npos; at = head.find(key, at + 1)) {
      const std::size_t end = at + key.size();
      if (end < head.size() && (head[end] < '0' || head[end] > '9')) return true;
    }
  }
  return false;
}

bool starts_list(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && head[at] == '[';
}

std::string first_word(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.'));
}

}  // namespace

Result<std::vector<Source>> sources_in(const fs::path& folder) {
  if (is_rocprof_folder(folder)) return std::vector<Source>{{folder, {}}};
  std::vector<Found> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_regular_file()) continue;
    SEAM_TRY(const bool trace, is_trace(entry.path()));
    if (!trace) continue;
    SEAM_TRY(ByteSource source, ByteSource::open(entry.path()));
    std::string head = first_bytes(source);
    // JSON that was seen whole and holds no events is a file of something else beside the traces.
    if (kind_of(head) == FileKind::Json && head.size() < kHead && head.find("\"traceEvents\"") == std::string::npos && !starts_list(head)) continue;
    const std::optional<std::int64_t> process = process_of_execution_trace(head);
    all.push_back({entry.path(), std::move(head), process});
  }
  if (error) return fail(Error::Code::BadInput, fmt::format("{}: {}", folder.string(), error.message()));
  std::ranges::sort(all, {}, &Found::file);
  std::vector<Source> out;
  std::vector<bool> taken(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].process || kind_of(all[i].head) != FileKind::Json) continue;
    // One of the same process; of several, the one whose name begins with the same word. And no other trace may want it.
    const auto matches = [&](const Found& trace, const Found& execution, bool by_name) {
      return execution.process && !trace.process && names_process(trace.head, *execution.process) && (!by_name || first_word(trace.file) == first_word(execution.file));
    };
    for (const bool by_name : {false, true}) {
      const auto one = std::ranges::find_if(all, [&](const Found& execution) { return matches(all[i], execution, by_name); });
      if (one == all.end()) break;
      const bool only_one = std::ranges::count_if(all, [&](const Found& execution) { return matches(all[i], execution, by_name); }) == 1;
      const bool only_me = std::ranges::count_if(all, [&](const Found& trace) { return matches(trace, *one, by_name); }) == 1;
      if (!only_one || !only_me) continue;
      out.push_back({all[i].file, one->file});
      taken[i] = taken[static_cast<std::size_t>(one - all.begin())] = true;
      break;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!taken[i]) out.push_back({all[i].file, {}});
  std::ranges::sort(out, {}, &Source::trace);
  return out;
}

}  // namespace seam::collector
