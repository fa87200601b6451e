#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/units.h"
#include "report/rank_report.h"

namespace seam::report {
namespace {

using analyzer::Collective;
using analyzer::RankClock;
using analyzer::RankSet;

double us(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }
std::string time(std::int64_t ns) { return human_microseconds(us(ns)); }
Cell share(std::int64_t part, std::int64_t whole) { return whole == 0 ? Cell(Unknown{}) : Cell(100.0 * static_cast<double>(part) / static_cast<double>(whole)); }

std::string summary(const RankReport& report) {
  const RankSet& set = report.set;
  return fmt::format("{}: {} from the first event of any to the last; {} between them. All times are recorded.", counted(std::ssize(report.names), "rank"), time(set.wall_ns), counted(std::ssize(set.collectives), "collective"));
}

Table rank_table(const RankReport& report) {
  Table table;
  table.title = "Ranks";
  table.columns = {{"rank", "rank", Unit::Count, {}}, {"device", "device", Unit::Count, {}}, {"name", "on", Unit::Text, {}}, {"wall", "wall", Unit::Microseconds, Evidence::Recorded}, {"busy", "busy", Unit::Microseconds, Evidence::Recorded},
                   {"computation", "computing", Unit::Microseconds, Evidence::Recorded}, {"communication", "communicating", Unit::Microseconds, Evidence::Recorded}, {"exposed", "of it exposed", Unit::Microseconds, Evidence::Recorded},
                   {"idle", "idle", Unit::Microseconds, Evidence::Recorded}, {"idle_share", "of wall", Unit::Percent, Evidence::Recorded}};
  for (std::size_t i = 0; i < report.set.shares.size(); ++i) {
    const analyzer::RankShare& one = report.set.shares[i];
    table.rows.push_back({one.rank, one.device, report.devices[i], us(one.wall_ns), us(one.busy_ns), us(one.computation_ns), us(one.communication_ns), us(one.exposed_ns), us(one.idle_ns()), share(one.idle_ns(), one.wall_ns)});
  }
  table.notes = {"busy + idle = wall; computing and communicating overlap by what is not exposed; copies and fills are busy and neither"};
  return table;
}

Table clock_table(const RankReport& report) {
  Table table;
  table.title = "Clocks";
  table.columns = {{"rank", "rank", Unit::Count, {}}, {"offset", "moved by", Unit::Text, {}}, {"error", "true to within", Unit::Text, {}}, {"points", "collectives shared with the first", Unit::Count, Evidence::Recorded}, {"because", "because", Unit::Text, {}}};
  for (const RankClock& one : report.set.clocks) {
    const bool first = &one == report.set.clocks.data();
    const std::string because = first              ? "the one that others are held against"
                                : !one.aligned     ? "no Unix time, no collective in common: it stands alone"
                                : one.contradicts  ? "no offset fits all collectives: its clock drifts; the median of their ends"
                                : !one.error_ns    ? "no collective in which all wait for all: its recorded time is taken as it is"
                                : one.offset_ns == 0 ? "the recorded time fits every collective"
                                                     : "nobody leaves a collective before the last one has come";
    table.rows.push_back({one.rank, one.aligned ? std::string(one.offset_ns < 0 ? "-" : "") + time(std::abs(one.offset_ns)) : std::string("unknown"), one.error_ns ? time(*one.error_ns) : std::string("unknown"), one.sync_points, because});
  }
  return table;
}

Table wait_table(const RankReport& report) {
  Table table;
  table.title = "Who waits for whom";
  table.columns = {{"rank", "rank", Unit::Count, {}}, {"collectives", "collectives", Unit::Count, Evidence::Recorded}, {"waited", "waits in them", Unit::Microseconds, Evidence::Recorded}, {"last", "comes last to", Unit::Count, Evidence::Recorded}, {"caused", "holds up", Unit::Microseconds, Evidence::Recorded}};
  for (const analyzer::RankWaits& one : report.set.waits) table.rows.push_back({one.rank, one.collectives, us(one.waited_ns), one.whole == 0 ? Cell(Unknown{}) : Cell(one.times_last), one.whole == 0 ? Cell(Unknown{}) : Cell(us(one.caused_ns))});
  table.notes = {"waits: from its own arrival to that of the last rank here; holds up: from the arrival of the last but one to its own, where it is the last. Both are as exact as the clocks"};
  const auto partial = std::ranges::count(report.set.collectives, false, &Collective::whole);
  if (partial > 0) table.notes.push_back(fmt::format("{} in which ranks take part that are not here: who comes last to them is not known", counted(partial, "collective")));
  if (report.set.unmatched > 0) table.notes.push_back(fmt::format("{} that no other rank's recording holds {} in no row", counted(report.set.unmatched, "communication kernel"), report.set.unmatched == 1 ? "is" : "are"));
  return table;
}

Cell bandwidth(const std::optional<double>& bytes_per_s) { return bytes_per_s ? Cell(*bytes_per_s / 1e9) : Cell(Unknown{}); }

Table collective_table(const RankReport& report, std::size_t most) {
  Table table;
  table.title = "Collectives by skew";
  table.columns = {{"kind", "kind", Unit::Text, {}}, {"group", "group", Unit::Text, {}}, {"index", "number", Unit::Count, {}}, {"ranks", "ranks", Unit::Count, {}}, {"bytes", "bytes", Unit::Bytes, Evidence::Recorded}, {"skew", "skew", Unit::Microseconds, Evidence::Recorded},
                   {"last", "last", Unit::Count, Evidence::Recorded}, {"transfer", "then takes", Unit::Microseconds, Evidence::Recorded}, {"algorithm", "GB/s", Unit::Ratio, Evidence::Recorded}, {"bus", "on the bus", Unit::Ratio, Evidence::Recorded}};
  std::vector<const Collective*> order;
  for (const Collective& one : report.set.collectives) order.push_back(&one);
  std::ranges::stable_sort(order, std::ranges::greater{}, &Collective::skew_ns);
  const std::size_t rows = most == 0 ? order.size() : std::min(most, order.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const Collective& one = *order[i];
    table.rows.push_back({std::string(name(one.kind)), one.group.empty() ? Cell(Unknown{}) : Cell(one.group), one.index, std::int64_t{std::ssize(one.members)}, one.bytes ? Cell(*one.bytes) : Cell(Unknown{}), us(one.skew_ns), one.whole ? Cell(one.last) : Cell(Unknown{}), us(one.transfer_ns),
                          bandwidth(one.algorithm_bytes_per_s()), bandwidth(one.bus_bytes_per_s())});
  }
  table.notes = {"skew: from the first arrival to the last one; then takes: from there to the end of the last member; GB/s: bytes over that time, on the bus: times 2(n-1)/n for all-reduce, (n-1)/n for the others that all take part in (nccl-tests), only where every rank of the group is here and all say the same size"};
  if (rows < order.size()) table.notes.push_back(fmt::format("{} more (-v, or --format json, shows all)", human_count(std::ssize(order) - static_cast<std::int64_t>(rows))));
  return table;
}

}  // namespace

Document rank_document(const RankReport& report, std::size_t most) {
  Document out{Paragraph{summary(report)}};
  if (!report.set.findings.empty()) out.emplace_back(Heading{"Findings"});
  for (const analyzer::Finding& one : report.set.findings) {
    const std::string gain = one.gain_high_ns == 0 ? std::string() : fmt::format(", gains up to {}", time(one.gain_high_ns));
    out.emplace_back(Paragraph{fmt::format("{} ({}{}): {}. Fix: {}.", one.id, name(one.effort), gain, one.what, one.fix)});
  }
  if (!report.set.findings.empty()) out.emplace_back(Paragraph{"Gains are of the job's time and modelled: everything else stays as it is."});
  out.emplace_back(rank_table(report));
  out.emplace_back(clock_table(report));
  if (!report.set.collectives.empty() || report.set.unmatched > 0) out.emplace_back(wait_table(report));
  if (!report.set.collectives.empty()) out.emplace_back(collective_table(report, most));
  for (const std::string& remark : report.remarks) out.emplace_back(Paragraph{fmt::format("Note: {}.", remark)});
  return out;
}

}  // namespace seam::report
