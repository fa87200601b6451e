#include <algorithm>
#include <map>
#include <numeric>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/run_report.h"

namespace seam::report {
namespace {

using Json = nlohmann::ordered_json;

/// Of names, and of the longest launches.
Json slack_json(const RunReport& report) {
  constexpr std::size_t kMostLaunches = 1000;
  const analyzer::Timeline& timeline = report.timeline;
  Json names = Json::array(), launches = Json::array();
  for (const analyzer::NameSlack& one : report.slack.names)
    names.push_back({{"name", timeline.names[one.name].text}, {"launches", one.launches}, {"path_ns", one.path_ns}, {"critical", one.critical}, {"least_ns", one.least_ns}, {"median_ns", one.median_ns}});
  std::vector<std::size_t> order(timeline.work.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto longer = [&](std::size_t a, std::size_t b) { return timeline.work[a].duration_ns() != timeline.work[b].duration_ns() ? timeline.work[a].duration_ns() > timeline.work[b].duration_ns() : a < b; };
  const std::size_t shown = std::min(kMostLaunches, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), longer);
  order.resize(shown);
  for (const std::size_t w : order) {
    const analyzer::Work& work = timeline.work[w];
    launches.push_back({{"table", work.kind == analyzer::Work::Kind::Kernel ? "launch" : "copy"}, {"id", work.row}, {"name", timeline.names[work.name].text}, {"start_ns", work.start_ns}, {"ns", work.duration_ns()}, {"slack_ns", report.slack.work_ns[w]}});
  }
  return {{"evidence", "modelled"}, {"names", names}, {"launches", launches}, {"of", std::ssize(timeline.work)}};
}

}  // namespace

std::string run_json(const RunReport& report) {
  const analyzer::Timeline& timeline = report.timeline;
  Json shares = Json::array(), idle = Json::array(), devices = Json::array(), kernels = Json::array(), steps = Json::array(), loss = Json::array(), warnings = Json::array();
  for (std::size_t i = 0; i < report.shares.size(); ++i) {
    const analyzer::ClassShare& share = report.shares[i];
    shares.push_back({{"class", graph::name(share.work)}, {"ns", share.ns}, {"of_ns", share.of_ns}, {"launches", share.launches}, {"bytes", report.bytes[i] ? Json(*report.bytes[i]) : Json()}, {"evidence", name(report.timeline.evidence)}});
  }
  std::array<std::int64_t, analyzer::kIdleCauses> sums{};
  for (std::size_t d = 0; d < report.occupation.size(); ++d) {
    const analyzer::Occupation& one = report.occupation[d];
    Json causes = Json::object();
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c] += one.idle[c];
      causes[std::string(name(static_cast<analyzer::IdleCause>(c)))] = one.idle[c];
    }
    const auto at = std::ranges::find(report.overlap, one.device, &analyzer::Overlap::device);
    const analyzer::Overlap beside = at == report.overlap.end() ? analyzer::Overlap{} : *at;
    devices.push_back({{"device", one.device}, {"name", report.devices[d]}, {"wall_ns", one.wall_ns}, {"busy_ns", one.busy_ns}, {"launches", one.launches}, {"computation_ns", beside.computation_ns},
                       {"communication_ns", beside.communication_ns}, {"hidden_ns", beside.hidden_ns}, {"exposed_ns", beside.exposed_ns()}, {"idle", causes}});
  }
  for (std::size_t c = 0; c < sums.size() && !report.untimed(); ++c) idle.push_back({{"cause", name(static_cast<analyzer::IdleCause>(c))}, {"ns", sums[c]}, {"what", sentence(static_cast<analyzer::IdleCause>(c))}});
  Json kinds = Json::array(), segments = Json::array();
  std::map<analyzer::PathKind, std::pair<std::int64_t, std::int64_t>> by_kind;
  for (const analyzer::PathPiece& piece : report.path.pieces) {
    auto& [ns, count] = by_kind[piece.kind];
    ns += piece.duration_ns();
    ++count;
    const bool named = piece.work != analyzer::kNone;
    segments.push_back({{"kind", name(piece.kind)}, {"start_ns", piece.start_ns}, {"ns", piece.duration_ns()}, {"name", named ? Json(timeline.names[timeline.work[piece.work].name].text) : Json()}, {"inferred", piece.inferred}});
  }
  for (const auto& [kind, sum] : by_kind) kinds.push_back({{"kind", name(kind)}, {"ns", sum.first}, {"pieces", sum.second}});
  for (const analyzer::KernelShare& one : report.kernels) {
    const bool kernel = one.kind == analyzer::Work::Kind::Kernel;
    const analyzer::NameInfo& info = timeline.names[one.name];
    kernels.push_back({{"name", info.text}, {"family", kernel ? info.kernel.family : "runtime"}, {"class", graph::name(kernel ? info.kernel.work : graph::WorkClass::Copy)}, {"launches", one.launches}, {"ns", one.ns}, {"least_ns", one.least_ns}, {"most_ns", one.most_ns}});
  }
  for (const StepRow& step : report.steps) steps.push_back({{"step", step.number}, {"start_ns", step.start_ns}, {"ns", step.end_ns - step.start_ns}, {"launches", step.launches}, {"busy_ns", step.busy_ns}});
  for (const auto& [detail, count] : report.loss) loss.push_back({{"reason", detail}, {"count", count ? Json(*count) : Json()}});
  for (const std::string& warning : report.warnings) warnings.push_back(warning);
  Json findings = Json::array(), sequences = Json::array();
  for (const analyzer::Finding& one : report.findings)
    findings.push_back({{"id", one.id}, {"what", one.what}, {"fix", one.fix}, {"effort", name(one.effort)}, {"part_ns", one.part_ns}, {"of_ns", one.whole_ns}, {"gain_low_ns", one.gain_low_ns}, {"gain_high_ns", one.gain_high_ns}, {"evidence", "modelled"}, {"query", one.query}});
  for (const analyzer::Sequence& one : report.sequences) {
    Json names = Json::array();
    for (const std::uint32_t n : one.names) names.push_back(timeline.names[n].text);
    sequences.push_back({{"times", one.times}, {"names", names}, {"kernels_ns", one.kernels_ns}, {"gain_low_ns", one.gain_low_ns()}, {"gain_high_ns", one.gain_high_ns()}});
  }
  Json windows = Json::array();
  for (std::size_t i = 0; i < std::min(report.windows.size(), analyzer::kNamedWindows); ++i) {
    const analyzer::LaunchWindow& one = report.windows[i];
    windows.push_back({{"device", one.device}, {"start_ns", one.start_ns}, {"ns", one.duration_ns()}, {"waiting_ns", one.waiting_ns}, {"busy_ns", one.busy_ns}, {"launches", one.launches}, {"op", one.op == analyzer::kNone ? Json() : Json(timeline.names[one.op].text)}});
  }
  const Json slack = slack_json(report);
  const analyzer::LaunchStats& s = report.launches;
  const analyzer::Overlap overlap = analyzer::total(report.overlap);
  Json totals = Json::array();
  const auto number = [](const std::optional<std::int64_t>& bytes) { return bytes ? Json(*bytes) : Json(); };
  for (const WorkTotal& one : report.totals) totals.push_back({{"kind", one.kind}, {"count", one.count}, {"bytes_read", number(one.bytes_read)}, {"bytes_written", number(one.bytes_written)}});
  Json ops = Json::array();
  const auto real = [](const std::optional<double>& bytes) { return bytes ? Json(*bytes) : Json(); };
  for (const OpTotal& one : report.ops) ops.push_back({{"name", one.name}, {"count", one.count}, {"bytes_in", real(one.bytes_in)}, {"bytes_out", real(one.bytes_out)}});
  Json operators = Json::array();
  for (const analyzer::OperatorRoof& one : report.operators)
    operators.push_back({{"op", one.op}, {"shapes", one.shapes}, {"calls", one.calls}, {"launches", one.launches}, {"ns", one.device_ns}, {"flop", real(one.flop)}, {"bytes", real(one.bytes)}, {"least_ns", real(one.least_ns)}, {"bound", one.least_ns ? Json(one.memory_bound ? "memory" : "arithmetic") : Json()}});
  Json counted = Json::array();
  for (const CountedKernel& one : report.counted) counted.push_back({{"name", one.name}, {"launches", one.launches}, {"ns", real(one.ns)}, {"bytes_read", real(one.bytes_read)}, {"bytes_written", real(one.bytes_written)}, {"evidence", "counter"}});
  const Json out{{"schema", "seam.analyze/1"},
                 {"run", report.name},
                 {"kind", report.kind},
                 {"wall_ns", report.untimed() ? Json() : Json(timeline.wall_ns())},
                 {"totals", totals},
                 {"ops", ops},
                 {"counted", counted},
                 {"shares", shares},
                 {"idle", idle},
                 {"devices", devices},
                 {"communication", {{"ns", overlap.communication_ns}, {"hidden_ns", overlap.hidden_ns}, {"exposed_ns", overlap.exposed_ns()}}},
                 {"critical_path", {{"ns", report.untimed() ? Json() : Json(report.path.ns())}, {"by_kind", kinds}, {"segments", segments}}},
                 {"launches", {{"linked", s.linked}, {"unlinked", s.unlinked}, {"calls", s.calls}, {"in_graphs", s.in_graphs}, {"call_ns", s.call_ns}, {"delay_ns", s.delay_ns}, {"short_kernels", s.short_kernels}, {"mean_depth", s.depth}}},
                 {"launch_windows", windows},
                 {"slack", slack},
                 {"roof_device", report.roof_device.empty() ? Json() : Json(report.roof_device)},
                 {"operators", operators},
                 {"kernels", kernels},
                 {"steps", steps},
                 {"sequences", sequences},
                 {"findings", findings},
                 {"loss", loss},
                 {"warnings", warnings}};
  return dumped(out);
}

}  // namespace seam::report
