#include "run/reports.h"

#include <fmt/format.h>

namespace seam::sim {
namespace {
constexpr std::size_t kDropped = SIZE_MAX;
}

bool Reports::again(std::string_view kind, std::uint32_t pc, std::uint64_t object, std::uint64_t count) {
  const auto at = known_.find(std::tuple(std::string(kind), pc, object));
  if (at == known_.end()) return false;
  if (at->second == kDropped) {
    dropped_ += count;
  } else {
    list_[at->second].count += count;
  }
  return true;
}

void Reports::add(std::string_view kind, std::uint32_t pc, std::uint64_t object,
                  std::string message, std::uint64_t count) {
  if (again(kind, pc, object, count)) return;
  const bool room = list_.size() < static_cast<std::size_t>(most_ < 0 ? 0 : most_);
  known_[{std::string(kind), pc, object}] = room ? list_.size() : kDropped;
  if (!room) {
    dropped_ += count;
    return;
  }
  Report report;
  report.count = count;
  report.kind = std::string(kind);
  const Place& place = program_.places[pc];
  report.message = fmt::format("{} in `{}`", message, program_.texts[pc]);
  report.ptx_line = place.line;
  report.line = place.source_line;
  const auto file = static_cast<std::size_t>(place.source_file);
  if (place.source_line > 0 && file < module_.source_files.size()) {
    report.file = module_.source_files[file];
  }
  list_.push_back(std::move(report));
}

}  // namespace seam::sim
