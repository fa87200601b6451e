#include "report/run_report.h"

#include <algorithm>
#include <map>

namespace seam::report {
namespace {

std::string text_in(const db::Field& field) { return std::holds_alternative<std::string>(field) ? std::get<std::string>(field) : std::string(); }
std::optional<std::int64_t> integer_in(const db::Field& field) { return std::holds_alternative<std::int64_t>(field) ? std::optional(std::get<std::int64_t>(field)) : std::nullopt; }

/// Device work that starts within a step counts to it, whole.
std::vector<StepRow> steps_of(const analyzer::Timeline& timeline, const db::Rows& rows) {
  std::vector<StepRow> out;
  for (const auto& row : rows.rows) {
    const auto number = integer_in(row[0]), start = integer_in(row[1]), end = integer_in(row[2]);
    if (number && start && end) out.push_back({*number, *start, *end, 0, 0});
  }
  for (StepRow& step : out) {
    std::map<std::int64_t, std::int64_t> until;
    const auto from = std::ranges::lower_bound(timeline.work, step.start_ns, std::ranges::less{}, &analyzer::Work::start_ns);
    for (auto at = from; at != timeline.work.end() && at->start_ns < step.end_ns; ++at) {
      ++step.launches;
      std::int64_t& busy = until.try_emplace(timeline.device_of(*at), at->start_ns).first->second;
      step.busy_ns += std::max<std::int64_t>(0, at->end_ns - std::max(at->start_ns, busy));
      busy = std::max(busy, at->end_ns);
    }
  }
  return out;
}

/// Sizes are summed as real numbers: a damaged trace may hold any.
Result<std::vector<OpTotal>> ops_of(const db::Database& run) {
  SEAM_TRY(const db::Rows rows, run.query("SELECT s.value, count(DISTINCT n.id), sum(CASE t.side WHEN 'input' THEN CAST(t.elements AS REAL) * t.item_bytes END), sum(CASE t.side WHEN 'output' THEN CAST(t.elements AS REAL) * t.item_bytes END) "
                                          "FROM node n JOIN string s ON s.id = n.name LEFT JOIN node_tensor t ON t.node = n.id WHERE n.kind IN ('host', 'communication') AND n.launch IS NULL "
                                          "AND n.number NOT IN (SELECT parent FROM node WHERE parent IS NOT NULL) GROUP BY n.name ORDER BY 2 DESC, 1"));
  std::vector<OpTotal> out;
  for (const auto& row : rows.rows) {
    const auto real = [&](std::size_t c) { return std::holds_alternative<double>(row[c]) ? std::optional(std::get<double>(row[c])) : std::nullopt; };
    out.push_back({text_in(row[0]), integer_in(row[1]).value_or(0), real(2), real(3)});
  }
  return out;
}

Result<std::vector<CountedKernel>> counted_in(const db::Database& run) {
  SEAM_TRY(const db::Rows rows, run.query("WITH took AS (SELECT c.launch, max(c.value) AS ns FROM launch_counter c JOIN string n ON n.id = c.counter JOIN string u ON u.id = c.unit "
                                          "WHERE u.value = 'nsecond' AND (n.value = 'gpu__time_duration.sum' OR n.value LIKE 'GPU Speed Of Light%/Duration') GROUP BY c.launch) "
                                          "SELECT s.value, count(*), CASE WHEN count(*) = count(t.ns) THEN sum(t.ns) END, CASE WHEN count(*) = count(l.bytes_read) THEN total(l.bytes_read) END, "
                                          "CASE WHEN count(*) = count(l.bytes_written) THEN total(l.bytes_written) END "
                                          "FROM launch l JOIN string s ON s.id = l.name LEFT JOIN took t ON t.launch = l.id WHERE EXISTS (SELECT 1 FROM launch_counter c WHERE c.launch = l.id) GROUP BY l.name ORDER BY 3 DESC, 2 DESC, 1"));
  std::vector<CountedKernel> out;
  for (const auto& row : rows.rows) {
    const auto real = [&](std::size_t c) { return std::holds_alternative<double>(row[c]) ? std::optional(std::get<double>(row[c])) : std::nullopt; };
    out.push_back({text_in(row[0]), integer_in(row[1]).value_or(0), real(2), real(3), real(4)});
  }
  return out;
}

/// Of classes that are copies alone: what the trace says of each.
Result<void> take_copied_bytes(const db::Database& run, RunReport& out) {
  SEAM_TRY(const db::Rows copied, run.query("SELECT sum(bytes), count(*) = count(bytes) FROM copy WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL"));
  for (const analyzer::ClassShare& share : out.shares) {
    const bool only_copies = share.work == graph::WorkClass::Copy && integer_in(copied.rows[0][1]) == 1 &&
                             std::ranges::none_of(out.timeline.work, [&](const analyzer::Work& work) { return work.kind == analyzer::Work::Kind::Kernel && out.timeline.class_of(work) == graph::WorkClass::Copy; });
    out.bytes.push_back(only_copies ? integer_in(copied.rows[0][0]) : std::nullopt);
  }
  return {};
}

/// Every launch of a run without a GPU has its bytes; a class has the weakest evidence of its launches, and so has the column.
Result<void> take_all_bytes(const db::Database& run, RunReport& out) {
  SEAM_TRY(const db::Rows rows, run.query("SELECT s.value, sum(w.bytes), count(*) = count(w.bytes), max(w.evidence), w.copy FROM (SELECT name, bytes_read + bytes_written AS bytes, bytes_evidence AS evidence, 0 AS copy FROM launch "
                                          "UNION ALL SELECT name, CASE kind WHEN 'memset' THEN 1 ELSE 2 END * bytes, bytes_evidence, 1 FROM copy) w JOIN string s ON s.id = w.name GROUP BY w.name, w.copy"));
  std::map<std::string, graph::WorkClass> classes;
  for (const analyzer::NameInfo& name : out.timeline.names) classes.emplace(name.text, name.kernel.work);
  std::map<graph::WorkClass, std::optional<std::int64_t>> sums;
  out.bytes_evidence = Evidence::Counter;
  for (const auto& row : rows.rows) {
    const graph::WorkClass work = integer_in(row[4]) == 1 ? graph::WorkClass::Copy : classes[text_in(row[0])];
    std::optional<std::int64_t>& sum = sums.try_emplace(work, 0).first->second;
    sum = sum && integer_in(row[1]) && integer_in(row[2]) == 1 ? std::optional(*sum + *integer_in(row[1])) : std::nullopt;
    out.bytes_evidence = std::max(out.bytes_evidence, static_cast<Evidence>(integer_in(row[3]).value_or(static_cast<std::int64_t>(Evidence::Unknown))));
  }
  for (const analyzer::ClassShare& share : out.shares) out.bytes.push_back(sums[share.work]);
  return {};
}

}  // namespace

Result<RunReport> run_report(const db::Database& run) {
  RunReport out;
  SEAM_TRY(const db::Rows about, run.query("SELECT name, (SELECT value FROM property WHERE name = 'import.format'), kind, start_ns FROM run"));
  if (!about.rows.empty()) {
    out.name = text_in(about.rows[0][0]);
    out.format = text_in(about.rows[0][1]);
    out.kind = text_in(about.rows[0][2]);
    out.timed = integer_in(about.rows[0][3]).has_value();
  }
  SEAM_TRY(out.timeline, analyzer::timeline_of(run));
  SEAM_TRY(const db::Rows totals, run.query("SELECT kind, count, bytes_read, bytes_written FROM totals ORDER BY kind"));
  for (const auto& row : totals.rows) out.totals.push_back({text_in(row[0]), integer_in(row[1]).value_or(0), integer_in(row[2]), integer_in(row[3])});
  if (out.untimed()) {
    SEAM_TRY(out.ops, ops_of(run));
    SEAM_TRY(out.counted, counted_in(run));
  }
  for (const std::int64_t ordinal : out.timeline.devices()) {
    SEAM_TRY(const db::Rows device, run.query("SELECT coalesce(product, name) FROM device WHERE id = " + std::to_string(ordinal)));
    out.devices.push_back(device.rows.empty() ? "unknown" : text_in(device.rows[0][0]));
  }
  if (!out.untimed() && !out.devices.empty()) {
    const std::optional<Device> device = analyzer::device_called(out.devices.front());
    if (device) out.roof_device = device->name;
    SEAM_TRY(out.operators, analyzer::operator_roofs(run, device));
  }
  out.shares = analyzer::class_shares(out.timeline);
  out.kernels = analyzer::kernel_shares(out.timeline);
  out.occupation = analyzer::occupation(out.timeline);
  out.overlap = analyzer::communication_overlap(out.timeline);
  out.launches = analyzer::launch_stats(out.timeline);
  out.windows = analyzer::launch_windows(out.timeline);
  out.path = analyzer::critical_path(out.timeline);
  out.slack = analyzer::slack(out.timeline, out.path);
  if (out.timeline.evidence == Evidence::Modelled) {
    SEAM_DO(take_all_bytes(run, out));
  } else {
    SEAM_DO(take_copied_bytes(run, out));
  }
  SEAM_TRY(const db::Rows steps, run.query("SELECT number, start_ns, end_ns FROM steps ORDER BY start_ns"));
  out.steps = steps_of(out.timeline, steps);
  // What could not be joined with another file is there, and so is in the sums.
  SEAM_TRY(const db::Rows loss, run.query("SELECT detail, count, reason NOT GLOB '*-not-joined' AND reason NOT IN ('repeated-counter', 'counter-without-value', 'tensor-not-understood', 'values-not-understood') FROM loss ORDER BY reason"));
  std::int64_t lost = 0;
  for (const auto& row : loss.rows) {
    out.loss.emplace_back(text_in(row[0]), integer_in(row[1]));
    if (integer_in(row[2]) == 1) lost += integer_in(row[1]).value_or(1);
  }
  out.sequences = analyzer::sequences(out.timeline);
  std::vector<std::int64_t> step_ns;
  for (const StepRow& step : out.steps) step_ns.push_back(step.end_ns - step.start_ns);
  if (!out.untimed()) out.findings = analyzer::findings({out.timeline, out.shares, out.kernels, out.occupation, out.overlap, out.launches, out.path, out.sequences, step_ns, lost});
  SEAM_TRY(const db::Rows warnings, run.query("SELECT message FROM warning ORDER BY id"));
  for (const auto& row : warnings.rows) out.warnings.push_back(text_in(row[0]));
  return out;
}

}  // namespace seam::report
