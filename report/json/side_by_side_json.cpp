#include "base/evidence.h"
#include "json/comparisons.h"

namespace seam::report {
namespace {

Json json_of(const analyzer::Band& band) { return {{"low", band.low}, {"mid", band.mid}, {"high", band.high}}; }

std::string_view kind_of(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::Kernel: return "kernel";
    case LaunchKind::Copy: return "copy";
    case LaunchKind::Library: break;
  }
  return "library_call";
}

Json json_of(const CostTotals& t) {
  return {{"kernels", t.kernels},
          {"copies", t.copies},
          {"library_calls", t.library_calls},
          {"launches", t.launches()},
          {"kernel_bytes_read", t.kernel_bytes_read},
          {"kernel_bytes_written", t.kernel_bytes_written},
          {"copy_bytes", t.copy_bytes},
          {"library_bytes", t.library_bytes},
          {"bytes", t.bytes()},
          {"bytes_requested", t.requested},
          {"instructions", t.instructions},
          {"barriers", t.barriers},
          {"evidence", name(t.evidence)},
          {"time_us",
           {{"execution", json_of(t.execution_us)},
            {"eager", json_of(t.time_us(analyzer::Launching::Eager))},
            {"graph", json_of(t.time_us(analyzer::Launching::GraphReplay))},
            {"evidence", name(Evidence::Modelled)}}}};
}

Json json_of(const LaunchCost& launch) {
  const bool known = launch.evidence != Evidence::Unknown;
  const auto figure = [&](double value) { return known ? Json(value) : Json(); };
  return {{"name", launch.name},
          {"kind", kind_of(launch.kind)},
          {"kernel", launch.kernel.empty() ? Json() : Json(launch.kernel)},
          {"times", launch.times_known ? Json(launch.times) : Json()},
          {"bytes_read", figure(launch.bytes_read)},
          {"bytes_written", figure(launch.bytes_written)},
          {"bytes_requested", launch.kind == LaunchKind::Kernel ? figure(launch.requested) : Json()},
          {"instructions", launch.kind == LaunchKind::Kernel ? figure(launch.instructions) : Json()},
          {"barriers", launch.kind == LaunchKind::Kernel ? figure(launch.barriers) : Json()},
          {"evidence", name(launch.evidence)},
          {"time_us", known ? json_of(launch.time_us) : Json()},
          {"limited_by", known && launch.kind == LaunchKind::Kernel ? Json(analyzer::name(launch.limiter)) : Json()}};
}

Json json_of(const ProgramCost& program) {
  Json launches = Json::array();
  for (const LaunchCost& launch : program.launches) launches.push_back(json_of(launch));
  return {{"name", program.name}, {"totals", json_of(program.totals())}, {"launches", std::move(launches)}, {"notes", program.notes}};
}

}  // namespace

Json totals_json(const SideBySide& sides) { return {{"name", sides.theirs.name}, {"theirs", json_of(sides.theirs.totals())}, {"ours", json_of(sides.ours.totals())}}; }

namespace {

Json json_of(const SideBySide& sides) {
  Json matches = Json::array();
  for (const MatchedLaunch& row : sides.launches) {
    Json ours = Json::array();
    for (const Counterpart& one : row.ours) ours.push_back({{"name", sides.ours.launches[one.ours].name}, {"share", one.share}});
    matches.push_back({{"theirs", sides.theirs.launches[row.theirs].name},
                       {"bytes", row.bytes},
                       {"kept_bytes", row.kept_bytes},
                       {"ours", std::move(ours)},
                       {"our_bytes", row.our_bytes},
                       {"saved_bytes", row.saved()},
                       {"time_us", row.time_us.mid},
                       {"our_time_us", row.our_time_us.mid}});
  }
  Json unmatched = Json::array();
  for (const std::size_t i : sides.unmatched) unmatched.push_back(sides.ours.launches[i].name);
  return {{"name", sides.theirs.name},
          {"theirs", json_of(sides.theirs)},
          {"ours", json_of(sides.ours)},
          {"floor", {{"kernels", sides.floor_kernels}, {"bytes", sides.floor_bytes}}},
          {"matches", std::move(matches)},
          {"unmatched", std::move(unmatched)},
          {"ops_found", {{"by_name", sides.by_name}, {"by_position", sides.by_position}, {"by_size", sides.by_size}, {"not_at_all", sides.unknown}}},
          {"time_model", sides.formula}};
}

}  // namespace

Json json_of(const std::vector<SideBySide>& all) {
  Json list = Json::array();
  for (const SideBySide& sides : all) list.push_back(json_of(sides));
  return list;
}

}  // namespace seam::report
