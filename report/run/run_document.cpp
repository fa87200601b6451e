#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "base/units.h"
#include "report/run_report.h"

namespace seam::report {
namespace {

double us(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }
std::string time(std::int64_t ns) { return human_microseconds(us(ns)); }
double percent(std::int64_t part, std::int64_t whole) { return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }
Cell share(std::int64_t part, std::int64_t whole) { return whole == 0 ? Cell(Unknown{}) : Cell(percent(part, whole)); }

std::int64_t busy_of(const RunReport& report) {
  return std::accumulate(report.occupation.begin(), report.occupation.end(), std::int64_t{0}, [](std::int64_t sum, const analyzer::Occupation& one) { return sum + one.busy_ns; });
}

std::string summary(const RunReport& report) {
  const std::int64_t wall = report.timeline.wall_ns();
  std::string out = fmt::format("{}: {} from the first event to the last", report.name, time(wall));
  if (report.occupation.empty()) return out + "; nothing ran on a device.";
  const auto devices = static_cast<std::int64_t>(report.occupation.size());
  out += fmt::format("; {} ({})", counted(devices, "device"), report.devices.front());
  out += fmt::format(", busy for {} of it{}", human_percent(static_cast<double>(busy_of(report)), static_cast<double>(wall * devices)), devices > 1 ? " on average" : "");
  out += fmt::format("; {} pieces of work", human_count(std::ssize(report.timeline.work)));
  if (report.timeline.evidence == Evidence::Modelled) return out + fmt::format(" of a {} run, one after another. All times are modelled.", report.kind);
  return out + fmt::format(" by {} API calls. All times are recorded.", human_count(report.launches.calls));
}

Table class_table(const RunReport& report) {
  Table table;
  table.title = "Device time by class of work";
  table.columns = {{"class", "class", Unit::Text, {}}, {"launches", "launches", Unit::Count, report.timeline.evidence}, {"us", "time", Unit::Microseconds, report.timeline.evidence},
                   {"share", "share", Unit::Percent, report.timeline.evidence}, {"bytes", "bytes", Unit::Bytes, report.bytes_evidence}};
  for (std::size_t i = 0; i < report.shares.size(); ++i) {
    const analyzer::ClassShare& one = report.shares[i];
    table.rows.push_back({std::string(graph::name(one.work)), one.launches, us(one.ns), share(one.ns, one.of_ns), report.bytes[i] ? Cell(*report.bytes[i]) : Cell(Unknown{})});
  }
  table.notes = {fmt::format("share: of {} of device time, durations summed over all devices and streams; classes are told by the names of kernels{}, and a name that no rule knows is unknown",
                             time(report.shares.empty() ? 0 : report.shares.front().of_ns), report.timeline.evidence == Evidence::Modelled ? " and by the ops that they do" : "")};
  if (report.timeline.untimed_work > 0) table.notes.push_back(fmt::format("{} without a recorded time {} in no sum", counted(report.timeline.untimed_work, "row"), report.timeline.untimed_work == 1 ? "is" : "are"));
  return table;
}

Table idle_table(const RunReport& report) {
  Table table;
  table.title = report.occupation.size() == 1 ? "Where the device's time goes" : "Where the devices' time goes, summed over devices";
  table.columns = {{"cause", "cause", Unit::Text, {}}, {"us", "time", Unit::Microseconds, report.timeline.evidence}, {"share", "of wall", Unit::Percent, report.timeline.evidence}, {"why", "", Unit::Text, {}}};
  std::int64_t wall = 0;
  std::array<std::int64_t, analyzer::kIdleCauses> idle{};
  for (const analyzer::Occupation& one : report.occupation) {
    wall += one.wall_ns;
    for (std::size_t c = 0; c < idle.size(); ++c) idle[c] += one.idle[c];
  }
  table.rows.push_back({std::string("busy"), us(busy_of(report)), share(busy_of(report), wall), std::string("at least one kernel, copy or fill runs")});
  std::vector<std::size_t> order(idle.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t c) { return idle[c]; });
  for (const std::size_t c : order) {
    const auto cause = static_cast<analyzer::IdleCause>(c);
    if (idle[c] > 0) table.rows.push_back({"idle: " + std::string(name(cause)), us(idle[c]), share(idle[c], wall), std::string(sentence(cause))});
  }
  table.notes = {"rows add up to the wall time of each device; a gap is told by what the host did until it launched the work that ends the gap"};
  return table;
}

/// Devices beside each other; and of one that communicates, how much of it is covered.
Table device_table(const RunReport& report) {
  Table table;
  table.title = "Devices";
  table.columns = {{"device", "device", Unit::Count, {}}, {"name", "name", Unit::Text, {}}, {"wall", "wall", Unit::Microseconds, report.timeline.evidence}, {"busy", "busy", Unit::Microseconds, report.timeline.evidence},
                   {"computation", "computing", Unit::Microseconds, report.timeline.evidence}, {"communication", "communicating", Unit::Microseconds, report.timeline.evidence}, {"hidden", "of it hidden", Unit::Percent, report.timeline.evidence}, {"exposed", "exposed", Unit::Microseconds, report.timeline.evidence}};
  for (std::size_t d = 0; d < report.occupation.size(); ++d) {
    const analyzer::Occupation& one = report.occupation[d];
    const auto at = std::ranges::find(report.overlap, one.device, &analyzer::Overlap::device);
    const analyzer::Overlap overlap = at == report.overlap.end() ? analyzer::Overlap{} : *at;
    table.rows.push_back({one.device, report.devices[d], us(one.wall_ns), us(one.busy_ns), us(overlap.computation_ns), us(overlap.communication_ns),
                          overlap.communication_ns == 0 ? Cell(Blank{}) : share(overlap.hidden_ns, overlap.communication_ns), us(overlap.exposed_ns())});
  }
  table.notes = {"computing, communicating: the time in which at least one such kernel runs; hidden: communication while another kernel runs on the same device (as HolisticTraceAnalysis' comm_comp_overlap)"};
  return table;
}

Table path_table(const RunReport& report) {
  Table table;
  table.title = "Critical path";
  table.columns = {{"kind", "kind", Unit::Text, {}}, {"pieces", "pieces", Unit::Count, report.timeline.evidence}, {"us", "time", Unit::Microseconds, report.timeline.evidence}, {"share", "of wall", Unit::Percent, report.timeline.evidence}, {"why", "", Unit::Text, {}}};
  std::array<std::int64_t, analyzer::kPathKinds> ns{}, pieces{};
  std::int64_t inferred = 0;
  for (const analyzer::PathPiece& piece : report.path.pieces) {
    ns[static_cast<std::size_t>(piece.kind)] += piece.duration_ns();
    ++pieces[static_cast<std::size_t>(piece.kind)];
    inferred += piece.inferred ? 1 : 0;
  }
  std::vector<std::size_t> order(ns.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return ns[k]; });
  for (const std::size_t k : order)
    if (ns[k] > 0) table.rows.push_back({std::string(name(static_cast<analyzer::PathKind>(k))), pieces[k], us(ns[k]), share(ns[k], report.timeline.wall_ns()), std::string(sentence(static_cast<analyzer::PathKind>(k)))});
  table.notes = {fmt::format("the chain that the end of the run waited for, walked back from its last event: {} of {} wall", time(report.path.ns()), time(report.timeline.wall_ns()))};
  if (inferred > 0) table.notes.push_back(fmt::format("{} between streams inferred from the times: the trace has no events for them", counted(inferred, "step")));
  return table;
}

/// What is worth making faster, and what may take longer for nothing.
Table slack_table(const RunReport& report, std::size_t most) {
  Table table;
  table.title = "On the critical path, and slack";
  table.columns = {{"name", "name", Unit::Text, {}}, {"launches", "launches", Unit::Count, report.timeline.evidence}, {"us", "on the path", Unit::Microseconds, report.timeline.evidence}, {"share", "of wall", Unit::Percent, report.timeline.evidence},
                   {"critical", "without slack", Unit::Count, Evidence::Modelled}, {"least", "least slack", Unit::Microseconds, Evidence::Modelled}, {"median", "median slack", Unit::Microseconds, Evidence::Modelled}};
  const auto& names = report.slack.names;
  const std::size_t rows = most == 0 ? names.size() : std::min(most, names.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const analyzer::NameSlack& one = names[i];
    const std::string& text = report.timeline.names[one.name].text;
    table.rows.push_back({one.kind == analyzer::Work::Kind::Kernel ? graph::short_kernel_name(text) : text, one.launches, us(one.path_ns), share(one.path_ns, report.timeline.wall_ns()), one.critical, us(one.least_ns), us(one.median_ns)});
  }
  table.notes = {"making a name faster gains at most its time on the path; slack is how much longer one launch could take before the run does, modelled and rather too little than too much"};
  if (rows < names.size()) table.notes.push_back(fmt::format("{} more names (-v, or --format json, shows all)", human_count(std::ssize(names) - static_cast<std::int64_t>(rows))));
  return table;
}

Table launch_table(const RunReport& report) {
  const analyzer::LaunchStats& s = report.launches;
  Table table;
  table.title = "Launches";
  table.columns = {{"what", "what", Unit::Text, {}}, {"figure", "figure", Unit::Text, {}}};
  const auto row = [&](std::string what, std::string figure) { table.rows.push_back({std::move(what), std::move(figure)}); };
  row("work with its launch in the trace", fmt::format("{} of {}", human_count(s.linked), human_count(s.linked + s.unlinked)));
  if (s.linked == 0) {
    table.notes = {"the trace does not say which call launched what"};
    return table;
  }
  row("API calls that launched it", human_count(s.calls));
  row("of it launched together (CUDA graphs)", human_count(s.in_graphs));
  row("a launch call takes, on average", time(s.call_ns / s.calls));
  row("from its end to the work's start, on average", time(s.delay_ns / s.linked));
  row("kernels shorter than their launch call", fmt::format("{} ({})", human_count(s.short_kernels), human_percent(static_cast<double>(s.short_kernels), static_cast<double>(s.linked))));
  row("work launched and not yet over, on average", fmt::format("{:.1f}", s.depth));
  return table;
}

std::optional<Table> window_table(const RunReport& report, std::size_t most) {
  // A window that waits for less than a thousandth of the run is nobody's business.
  const std::int64_t worth = report.timeline.wall_ns() / 1000;
  const auto end = std::ranges::find_if(report.windows, [&](const analyzer::LaunchWindow& one) { return one.waiting_ns < worth; });
  const auto all = static_cast<std::size_t>(end - report.windows.begin());
  if (all == 0) return std::nullopt;
  Table table;
  table.title = "Launch-bound windows";
  table.columns = {{"at", "from", Unit::Microseconds, Evidence::Recorded}, {"us", "for", Unit::Microseconds, Evidence::Recorded}, {"waiting", "waiting for the host", Unit::Percent, Evidence::Recorded}, {"launches", "launches", Unit::Count, Evidence::Recorded},
                   {"mean", "mean work", Unit::Microseconds, Evidence::Recorded}, {"device", "device", Unit::Count, {}}, {"op", "mostly under", Unit::Text, {}}};
  const std::size_t rows = most == 0 ? all : std::min(most, all);
  for (std::size_t i = 0; i < rows; ++i) {
    const analyzer::LaunchWindow& one = report.windows[i];
    table.rows.push_back({us(one.start_ns - report.timeline.start_ns), us(one.duration_ns()), share(one.waiting_ns, one.duration_ns()), one.launches, us(one.busy_ns / one.launches), one.device,
                          one.op == analyzer::kNone ? Cell(Blank{}) : Cell(report.timeline.names[one.op].text)});
  }
  table.notes = {"stretches in which a device waits for the host to launch for more than half of the time; from: since the first event; under: the outermost op around most of the late launches"};
  if (rows < all) table.notes.push_back(fmt::format("{} more (-v, or --format json, shows all)", human_count(static_cast<std::int64_t>(all - rows))));
  return table;
}

Table kernel_table(const RunReport& report, std::size_t most) {
  Table table;
  table.title = "Kernels and copies by time";
  table.columns = {{"name", "name", Unit::Text, {}}, {"family", "family", Unit::Text, {}}, {"class", "class", Unit::Text, {}}, {"launches", "launches", Unit::Count, report.timeline.evidence}, {"us", "time", Unit::Microseconds, report.timeline.evidence},
                   {"share", "share", Unit::Percent, report.timeline.evidence}, {"mean", "mean", Unit::Microseconds, report.timeline.evidence}, {"least", "least", Unit::Microseconds, report.timeline.evidence}, {"most", "most", Unit::Microseconds, report.timeline.evidence}};
  const std::int64_t all = report.shares.empty() ? 0 : report.shares.front().of_ns;
  const std::size_t rows = most == 0 ? report.kernels.size() : std::min(most, report.kernels.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const analyzer::KernelShare& one = report.kernels[i];
    const analyzer::NameInfo& info = report.timeline.names[one.name];
    const bool kernel = one.kind == analyzer::Work::Kind::Kernel;
    const std::string shown = kernel ? graph::short_kernel_name(info.text) : info.text;
    table.rows.push_back({shown, std::string(kernel ? info.kernel.family : std::string_view("runtime")), std::string(graph::name(kernel ? info.kernel.work : graph::WorkClass::Copy)), one.launches, us(one.ns), share(one.ns, all), us(one.ns / one.launches), us(one.least_ns), us(one.most_ns)});
  }
  if (rows < report.kernels.size()) {
    std::int64_t rest = 0;
    for (std::size_t i = rows; i < report.kernels.size(); ++i) rest += report.kernels[i].ns;
    table.notes.push_back(fmt::format("{} more names with {} of the time (-v, or --format json, shows all)", human_count(std::ssize(report.kernels) - static_cast<std::int64_t>(rows)), human_percent(static_cast<double>(rest), static_cast<double>(all))));
  }
  return table;
}

/// One sentence or two each, the cheap ones first.
void add_findings(const RunReport& report, Document& out) {
  if (report.findings.empty()) return;
  out.emplace_back(Heading{"Findings"});
  for (const analyzer::Finding& one : report.findings) {
    const std::string gain = one.gain_high_ns == 0 ? std::string() : one.gain_low_ns == 0 ? fmt::format(", gains up to {}", time(one.gain_high_ns)) : fmt::format(", gains {} to {}", time(one.gain_low_ns), time(one.gain_high_ns));
    out.emplace_back(Paragraph{fmt::format("{} ({}{}): {}. Fix: {}.", one.id, name(one.effort), gain, one.what, one.fix)});
  }
  out.emplace_back(Paragraph{fmt::format("Gains are of device-wall time: {} (everything else stays as it is). --format json holds the SQL of the rows behind each.", report.timeline.evidence == Evidence::Modelled ? "all modelled" : "the low end is recorded, the high end modelled")});
}

Table sequence_table(const RunReport& report, std::size_t most) {
  Table table;
  table.title = "Runs of kernels that one kernel could do";
  table.columns = {{"times", "times", Unit::Count, report.timeline.evidence}, {"kernels", "kernels", Unit::Count, report.timeline.evidence}, {"us", "time", Unit::Microseconds, report.timeline.evidence}, {"low", "gain, low", Unit::Microseconds, report.timeline.evidence},
                   {"high", "gain, high", Unit::Microseconds, Evidence::Modelled}, {"names", "in order", Unit::Text, {}}};
  const std::size_t rows = most == 0 ? report.sequences.size() : std::min(most, report.sequences.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const analyzer::Sequence& one = report.sequences[i];
    std::string names;
    constexpr std::size_t kShown = 4;
    for (std::size_t k = 0; k < std::min(kShown, one.names.size()); ++k) names += (k == 0 ? "" : "; ") + graph::short_kernel_name(report.timeline.names[one.names[k]].text);
    if (one.names.size() > kShown) names += fmt::format("; {} more", one.names.size() - kShown);
    table.rows.push_back({one.times, std::int64_t{std::ssize(one.names)}, us(one.kernels_ns), us(one.gain_low_ns()), us(one.gain_high_ns()), names});
  }
  table.notes = {fmt::format("element-wise, normalization and layout kernels that follow one another on a stream; low: the gaps between them go; high: and all but the longest kernel of each run. {} different runs in all", human_count(std::ssize(report.sequences)))};
  return table;
}

Table step_table(const RunReport& report) {
  Table table;
  table.title = "Steps";
  table.columns = {{"step", "step", Unit::Count, {}}, {"us", "time", Unit::Microseconds, report.timeline.evidence}, {"launches", "work started in it", Unit::Count, report.timeline.evidence}, {"busy", "device busy with it", Unit::Microseconds, report.timeline.evidence}};
  for (const StepRow& step : report.steps) table.rows.push_back({step.number, us(step.end_ns - step.start_ns), step.launches, us(step.busy_ns)});
  return table;
}

Table total_table(const RunReport& report) {
  Table table;
  table.title = "What it does";
  table.columns = {{"kind", "kind", Unit::Text, {}}, {"count", "count", Unit::Count, {}}, {"bytes_read", "read", Unit::Bytes, {}}, {"bytes_written", "written", Unit::Bytes, {}}};
  const auto cell = [](const std::optional<std::int64_t>& bytes) { return bytes ? Cell(*bytes) : Cell(Unknown{}); };
  for (const WorkTotal& one : report.totals) table.rows.push_back({one.kind, one.count, cell(one.bytes_read), cell(one.bytes_written)});
  table.notes = {"where bytes come from (simulated, modelled, counted) stands in the views launches and copies, row by row"};
  return table;
}

Table op_table(const RunReport& report, std::size_t most) {
  Table table;
  table.title = "Ops";
  table.columns = {{"name", "op", Unit::Text, {}}, {"count", "calls", Unit::Count, report.timeline.evidence}, {"bytes_in", "tensors read", Unit::Bytes, report.timeline.evidence}, {"bytes_out", "tensors given", Unit::Bytes, report.timeline.evidence}};
  const auto cell = [](const std::optional<double>& bytes) { return bytes && *bytes >= 0 && *bytes < 9e18 ? Cell(static_cast<std::int64_t>(*bytes)) : Cell(Unknown{}); };
  const std::size_t rows = most == 0 ? report.ops.size() : std::min(most, report.ops.size());
  for (std::size_t i = 0; i < rows; ++i) table.rows.push_back({report.ops[i].name, report.ops[i].count, cell(report.ops[i].bytes_in), cell(report.ops[i].bytes_out)});
  table.notes = {fmt::format("ops that call no others; sizes are those of whole tensors, {} different ops in all; the views nodes and op_tensors hold them one by one", human_count(std::ssize(report.ops)))};
  return table;
}

Table counted_table(const RunReport& report, std::size_t most) {
  Table table;
  table.title = "What hardware counted";
  table.columns = {{"name", "kernel", Unit::Text, {}}, {"launches", "launches", Unit::Count, Evidence::Counter}, {"us", "time of them", Unit::Microseconds, Evidence::Counter}, {"bytes_read", "DRAM read", Unit::Bytes, Evidence::Counter}, {"bytes_written", "DRAM written", Unit::Bytes, Evidence::Counter}};
  const auto bytes = [](const std::optional<double>& value) { return value && *value >= 0 && *value < 9e18 ? Cell(static_cast<std::int64_t>(*value)) : Cell(Unknown{}); };
  const std::size_t rows = most == 0 ? report.counted.size() : std::min(most, report.counted.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const CountedKernel& one = report.counted[i];
    table.rows.push_back({graph::short_kernel_name(one.name), one.launches, one.ns ? Cell(*one.ns / 1e3) : Cell(Unknown{}), bytes(one.bytes_read), bytes(one.bytes_written)});
  }
  table.notes = {fmt::format("each launch by itself, as the profiler runs it again: no times of the program; {} different kernels in all; the view launch_counters holds every counter", human_count(std::ssize(report.counted)))};
  return table;
}

Document untimed_document(const RunReport& report, std::size_t most) {
  const bool bytes = std::ranges::any_of(report.totals, [](const WorkTotal& one) { return one.bytes_read || one.bytes_written; });
  Document out{Paragraph{fmt::format("{}: {} {} run. Its rows have {}no times: nothing was measured{}.", report.name, report.kind == "imported" ? "an" : "a", report.kind, bytes ? "bytes and " : "",
                                     report.counted.empty() ? "" : " but what counters say")}};
  if (!report.totals.empty()) out.emplace_back(total_table(report));
  if (!report.counted.empty()) out.emplace_back(counted_table(report, most));
  if (!report.ops.empty()) out.emplace_back(op_table(report, most));
  for (const auto& [detail, count] : report.loss) out.emplace_back(Paragraph{fmt::format("Lost: {} ({}).", count ? human_count(*count) : "an unknown number", detail)});
  for (const std::string& warning : report.warnings) out.emplace_back(Paragraph{fmt::format("Warning: {}.", warning)});
  return out;
}

}  // namespace

Document run_document(const RunReport& report, std::size_t most) {
  if (report.untimed()) return untimed_document(report, most);
  Document out{Paragraph{summary(report)}};
  if (report.timeline.evidence == Evidence::Modelled) out.emplace_back(total_table(report));
  add_findings(report, out);
  if (!report.occupation.empty()) {
    out.emplace_back(idle_table(report));
    out.emplace_back(class_table(report));
    if (report.occupation.size() > 1 || analyzer::total(report.overlap).communication_ns > 0) out.emplace_back(device_table(report));
  }
  if (!report.path.pieces.empty()) out.emplace_back(path_table(report));
  if (!report.occupation.empty()) {
    out.emplace_back(slack_table(report, most == 0 ? 0 : most / 2));
    if (report.timeline.evidence == Evidence::Recorded) out.emplace_back(launch_table(report));
    if (std::optional<Table> windows = window_table(report, most == 0 ? 0 : most / 2)) out.emplace_back(*std::move(windows));
    out.emplace_back(kernel_table(report, most));
    if (std::optional<Table> operators = operators_table(report, most)) out.emplace_back(*std::move(operators));
    if (!report.sequences.empty()) out.emplace_back(sequence_table(report, most == 0 ? 0 : most / 2));
  }
  if (report.steps.size() > 1) out.emplace_back(step_table(report));
  for (const auto& [detail, count] : report.loss) out.emplace_back(Paragraph{fmt::format("Lost: {} ({}).", count ? human_count(*count) : "an unknown number", detail)});
  for (const std::string& warning : report.warnings) out.emplace_back(Paragraph{fmt::format("Warning: {}.", warning)});
  return out;
}

}  // namespace seam::report
