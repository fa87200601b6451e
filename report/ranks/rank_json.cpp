#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/rank_report.h"

namespace seam::report {

std::string rank_json(const RankReport& report) {
  using Json = nlohmann::ordered_json;
  const analyzer::RankSet& set = report.set;
  Json ranks = Json::array(), shares = Json::array(), collectives = Json::array(), findings = Json::array(), remarks = Json::array();
  const auto number = [](const auto& value) { return value ? Json(*value) : Json(); };
  for (std::size_t r = 0; r < set.clocks.size(); ++r) {
    const analyzer::RankClock& clock = set.clocks[r];
    const analyzer::RankWaits& waits = set.waits[r];
    ranks.push_back({{"rank", clock.rank},
                     {"run", report.names[r]},
                     {"clock", {{"aligned", clock.aligned}, {"offset_ns", clock.aligned ? Json(clock.offset_ns) : Json()}, {"error_ns", number(clock.error_ns)}, {"sync_points", clock.sync_points}, {"contradicts", clock.contradicts}}},
                     {"collectives", waits.collectives},
                     {"waited_ns", waits.waited_ns},
                     {"times_last", waits.whole == 0 ? Json() : Json(waits.times_last)},
                     {"caused_ns", waits.whole == 0 ? Json() : Json(waits.caused_ns)}});
  }
  for (std::size_t i = 0; i < set.shares.size(); ++i) {
    const analyzer::RankShare& one = set.shares[i];
    shares.push_back({{"rank", one.rank}, {"device", one.device}, {"name", report.devices[i]}, {"wall_ns", one.wall_ns}, {"busy_ns", one.busy_ns}, {"computation_ns", one.computation_ns}, {"communication_ns", one.communication_ns},
                      {"exposed_ns", one.exposed_ns}, {"idle_ns", one.idle_ns()}, {"launches", one.launches}, {"evidence", "recorded"}});
  }
  for (const analyzer::Collective& one : set.collectives) {
    Json members = Json::array();
    for (const analyzer::Member& member : one.members) members.push_back({{"rank", member.rank}, {"start_ns", member.start_ns}, {"end_ns", member.end_ns}, {"bytes", number(member.bytes)}});
    collectives.push_back({{"kind", name(one.kind)}, {"group", one.group.empty() ? Json() : Json(one.group)}, {"index", one.index}, {"whole", one.whole}, {"last", one.whole ? Json(one.last) : Json()}, {"skew_ns", one.skew_ns}, {"waited_ns", one.waited_ns}, {"caused_ns", one.whole ? Json(one.caused_ns) : Json()},
                           {"transfer_ns", one.transfer_ns}, {"bytes", number(one.bytes)}, {"algorithm_bytes_per_s", number(one.algorithm_bytes_per_s())}, {"bus_bytes_per_s", number(one.bus_bytes_per_s())}, {"members", members}});
  }
  for (const analyzer::Finding& one : set.findings)
    findings.push_back({{"id", one.id}, {"what", one.what}, {"fix", one.fix}, {"effort", name(one.effort)}, {"part_ns", one.part_ns}, {"of_ns", one.whole_ns}, {"gain_low_ns", one.gain_low_ns}, {"gain_high_ns", one.gain_high_ns}, {"evidence", "modelled"}, {"query", one.query}});
  for (const std::string& remark : report.remarks) remarks.push_back(remark);
  return dumped(Json{{"schema", "seam.ranks/1"}, {"wall_ns", set.wall_ns}, {"ranks", ranks}, {"shares", shares}, {"collectives", collectives}, {"unmatched", set.unmatched}, {"findings", findings}, {"remarks", remarks}});
}

}  // namespace seam::report
