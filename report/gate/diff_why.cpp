#include <algorithm>
#include <map>

#include "report/run_diff.h"

namespace seam::report {
namespace {

using Counts = std::map<std::string, std::int64_t>;

/// A string literal of SQL.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string rows_of(const std::string& name) {
  return "SELECT l.id, l.start_ns, l.duration_ns, o.op_name FROM launches l LEFT JOIN op_launches o ON o.launch = l.id WHERE l.name = " + quoted(name) + " ORDER BY l.start_ns";
}

/// Launches per kernel name and place of one kind; `sql` selects kernel, place, count.
Result<std::map<std::string, Counts>> counts(const db::Database& run, const std::string& sql) {
  SEAM_TRY(const db::Rows rows, run.query(sql));
  std::map<std::string, Counts> out;
  for (const auto& row : rows.rows) {
    const auto* name = std::get_if<std::string>(row.data());
    const auto* place = std::get_if<std::string>(&row[1]);
    const auto* count = std::get_if<std::int64_t>(&row[2]);
    if (name != nullptr && place != nullptr && count != nullptr) out[*name][*place] += *count;
  }
  return out;
}

struct Places {
  std::map<std::string, Counts> ops, annotations, steps;
};
Result<Places> places_of(const db::Database& run) {
  Places out;
  SEAM_TRY(out.ops, counts(run, "SELECT name, 'op ' || op_name, count(*) FROM op_launches GROUP BY 1, 2"));
  SEAM_TRY(out.annotations, counts(run, "SELECT s.value, 'annotation ' || w.range_name, count(*) FROM range_work w JOIN launch l ON l.id = w.id JOIN string s ON s.id = l.name WHERE w.work = 'launch' AND w.range_name NOT GLOB 'ProfilerStep#*' GROUP BY 1, 2"));
  // Steps by their order: their numbers say when the recording began.
  SEAM_TRY(out.steps, counts(run, "SELECT s.value, 'step ' || t.place, count(*) FROM (SELECT row_number() OVER (ORDER BY start_ns) AS place, start_ns, end_ns FROM steps) t CROSS JOIN launch l ON l.start_ns >= t.start_ns AND l.start_ns < t.end_ns JOIN string s ON s.id = l.name GROUP BY 1, 2"));
  return out;
}

std::vector<ChangePlace> differing(const std::map<std::string, Counts>& before, const std::string& name_before, const std::map<std::string, Counts>& after, const std::string& name_after) {
  std::map<std::string, ChangePlace> by;
  if (const auto at = before.find(name_before); at != before.end())
    for (const auto& [place, count] : at->second) by[place].launches_before = count;
  if (const auto at = after.find(name_after); at != after.end())
    for (const auto& [place, count] : at->second) by[place].launches_after = count;
  std::vector<ChangePlace> out;
  for (auto& [place, one] : by) {
    one.place = place;
    if (one.launches_before != one.launches_after) out.push_back(one);
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, [](const ChangePlace& one) { return std::abs(one.launches_after - one.launches_before); });
  return out;
}

}  // namespace

Result<void> explain(RunDiff& diff, const db::Database& before, const db::Database& after, std::size_t most) {
  SEAM_TRY(const Places a, places_of(before));
  SEAM_TRY(const Places b, places_of(after));
  const std::size_t shown = most == 0 ? diff.kernels.size() : std::min(most, diff.kernels.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelChange& change = diff.kernels[i];
    ChangeReason& reason = diff.reasons.emplace_back();
    reason.before = change.before;
    reason.after = change.after;
    reason.ops = differing(a.ops, change.before, b.ops, change.after);
    reason.annotations = differing(a.annotations, change.before, b.annotations, change.after);
    reason.steps = differing(a.steps, change.before, b.steps, change.after);
    if (!change.before.empty()) reason.sql_before = rows_of(change.before);
    if (!change.after.empty()) reason.sql_after = rows_of(change.after);
  }
  return {};
}

}  // namespace seam::report
