#include "report/run_diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/units.h"

namespace seam::report {
namespace {

using analyzer::KernelShare;
using analyzer::Work;

std::map<std::string, KernelChange> by_name(const RunReport& report, bool before) {
  std::map<std::string, KernelChange> out;
  for (const KernelShare& share : report.kernels) {
    const analyzer::NameInfo& info = report.timeline.names[share.name];
    KernelChange& one = out[info.text];
    (before ? one.before : one.after) = info.text;
    (before ? one.launches_before : one.launches_after) += share.launches;
    (before ? one.ns_before : one.ns_after) += share.ns;
    one.work = share.kind == Work::Kind::Kernel ? info.kernel.work : graph::WorkClass::Copy;
  }
  return out;
}

/// A kernel that only one side has, and one that only the other has, are one kernel under two names if they do the same kind of work, as often, and both
/// stand between the same neighbours in the order of launches most of the time.
class Renames {
 public:
  Renames(const RunReport& before, const RunReport& after, const std::map<std::string, KernelChange>& a, const std::map<std::string, KernelChange>& b)
      : before_(neighbours(before, b)), after_(neighbours(after, a)) {}

  [[nodiscard]] bool same(const KernelChange& gone, const KernelChange& come) const {
    if (gone.work != come.work || gone.launches_before != come.launches_after) return false;
    const auto x = before_.find(gone.before), y = after_.find(come.after);
    return x != before_.end() && y != after_.end() && x->second == y->second;
  }

 private:
  using Pair = std::pair<std::string, std::string>;
  /// Of each name, the names that stand before and after it most often, among those that both runs have.
  static std::map<std::string, Pair> neighbours(const RunReport& report, const std::map<std::string, KernelChange>& other) {
    std::map<std::string, std::map<Pair, std::int64_t>> counts;
    const auto& work = report.timeline.work;
    const auto known = [&](std::size_t w) {
      const std::string& text = report.timeline.names[work[w].name].text;
      return other.contains(text) ? text : std::string();
    };
    for (std::size_t w = 0; w < work.size(); ++w) {
      const std::string& text = report.timeline.names[work[w].name].text;
      if (other.contains(text)) continue;
      ++counts[text][{w > 0 ? known(w - 1) : std::string(), w + 1 < work.size() ? known(w + 1) : std::string()}];
    }
    std::map<std::string, Pair> out;
    for (const auto& [text, pairs] : counts) {
      const auto most = std::ranges::max_element(pairs, {}, [](const auto& pair) { return pair.second; });
      if (!most->first.first.empty() || !most->first.second.empty()) out[text] = most->first;
    }
    return out;
  }

  std::map<std::string, Pair> before_, after_;
};

std::int64_t median(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

DiffContract count(std::string what, std::int64_t before, std::int64_t after) {
  DiffContract out{std::move(what), static_cast<double>(before), static_cast<double>(after), DiffVerdict::Pass, {}};
  if (after > before) {
    out.verdict = DiffVerdict::Regression;
    out.reason = fmt::format("{} more", human_count(after - before));
  } else if (after < before) {
    out.reason = fmt::format("{} fewer", human_count(before - after));
  }
  return out;
}

/// A figure that some rows lack cannot be compared.
DiffContract count(std::string what, std::optional<std::int64_t> before, std::optional<std::int64_t> after) {
  if (before && after) return count(std::move(what), *before, *after);
  return {std::move(what), 0, 0, DiffVerdict::Inconclusive, "not known of every launch"};
}

std::optional<std::int64_t> bytes(const RunReport& report) {
  std::int64_t sum = 0;
  for (const WorkTotal& one : report.totals) {
    if (!one.bytes_read || !one.bytes_written) return std::nullopt;
    sum += *one.bytes_read + *one.bytes_written;
  }
  return sum;
}

std::optional<std::int64_t> busy(const RunReport& report) {
  if (report.timeline.untimed_work > 0) return std::nullopt;
  std::int64_t sum = 0;
  for (const analyzer::Occupation& one : report.occupation) sum += one.busy_ns;
  return sum;
}

bool other_time(const KernelChange& one, double device_ns) {
  const double apart = std::abs(static_cast<double>(one.ns_after - one.ns_before));
  return apart > kSameTime * static_cast<double>(one.ns_before) && apart > kNoTime * device_ns;
}

DiffContract step_time(const char* what, const RunReport& before, const RunReport& after, std::int64_t (*of)(const StepRow&)) {
  if (before.timeline.evidence != after.timeline.evidence) return {what, 0, 0, DiffVerdict::Inconclusive, "the times of one run are recorded, those of the other modelled"};
  DiffContract out{what, 0, 0, DiffVerdict::Inconclusive, "fewer than three marked steps in one of the runs: nothing says how much a time varies"};
  if (before.steps.size() < 3 || after.steps.size() < 3) return out;
  const auto spread = [&](const RunReport& run, std::int64_t& middle) {
    std::vector<std::int64_t> values, off;
    for (const StepRow& step : run.steps) values.push_back(of(step));
    middle = median(values);
    for (const std::int64_t value : values) off.push_back(std::abs(value - middle));
    return 3 * median(off);
  };
  std::int64_t a = 0, b = 0;
  const std::int64_t floor = std::max(spread(before, a), spread(after, b));
  out.expected = static_cast<double>(a);
  out.actual = static_cast<double>(b);
  const std::string noise = fmt::format("medians of {} and {} steps differ by {}, steps spread by {}", before.steps.size(), after.steps.size(), human_microseconds(static_cast<double>(std::abs(b - a)) / 1e3), human_microseconds(static_cast<double>(floor) / 1e3));
  out.reason = noise;
  out.verdict = std::abs(b - a) <= floor ? DiffVerdict::Pass : b > a ? DiffVerdict::Regression : DiffVerdict::Pass;
  return out;
}

std::int64_t launches(const RunReport& report, Work::Kind kind) {
  return std::ranges::count(report.timeline.work, kind, &Work::kind);
}

}  // namespace

std::string_view name(DiffVerdict verdict) { return verdict == DiffVerdict::Pass ? "pass" : verdict == DiffVerdict::Regression ? "regression" : "inconclusive"; }

RunDiff run_diff(const RunReport& before, const RunReport& after) {
  RunDiff out;
  out.before = before.name;
  out.after = after.name;
  out.times = std::max(before.timeline.evidence, after.timeline.evidence);
  const double device_ns = before.shares.empty() ? 0 : static_cast<double>(before.shares.front().of_ns);
  const std::map<std::string, KernelChange> a = by_name(before, true), b = by_name(after, false);
  std::vector<KernelChange> gone, come;
  for (const auto& [text, one] : a) {
    const auto other = b.find(text);
    if (other == b.end()) {
      gone.push_back(one);
      continue;
    }
    KernelChange both = one;
    both.after = text;
    both.launches_after = other->second.launches_after;
    both.ns_after = other->second.ns_after;
    if (both.launches_before == both.launches_after && !other_time(both, device_ns)) {
      ++out.same_kernels;
    } else {
      out.kernels.push_back(std::move(both));
    }
  }
  for (const auto& [text, one] : b)
    if (!a.contains(text)) come.push_back(one);
  std::map<graph::WorkClass, ClassChange> classes;
  for (const analyzer::ClassShare& share : before.shares) {
    classes[share.work].launches_before = share.launches;
    classes[share.work].ns_before = share.ns;
  }
  for (const analyzer::ClassShare& share : after.shares) {
    classes[share.work].launches_after = share.launches;
    classes[share.work].ns_after = share.ns;
  }
  for (auto& [work, change] : classes) {
    change.work = work;
    out.classes.push_back(change);
  }
  std::ranges::stable_sort(out.classes, std::ranges::greater{}, &ClassChange::ns_before);
  const Renames renames(before, after, a, b);
  for (const KernelChange& one : gone) {
    KernelChange change = one;
    const auto same = std::ranges::find_if(come, [&](const KernelChange& other) { return renames.same(one, other); });
    if (same != come.end()) {
      change.after = same->after;
      change.launches_after = same->launches_after;
      change.ns_after = same->ns_after;
      come.erase(same);
    }
    out.kernels.push_back(std::move(change));
  }
  out.kernels.insert(out.kernels.end(), come.begin(), come.end());
  std::ranges::stable_sort(out.kernels, std::ranges::greater{}, [](const KernelChange& one) { return std::abs(one.ns_after - one.ns_before); });
  out.contracts = {count("kernels", launches(before, Work::Kind::Kernel), launches(after, Work::Kind::Kernel)), count("copies", launches(before, Work::Kind::Copy), launches(after, Work::Kind::Copy)),
                   count("fills", launches(before, Work::Kind::Fill), launches(after, Work::Kind::Fill))};
  if (before.timeline.evidence == Evidence::Modelled && after.timeline.evidence == Evidence::Modelled) {
    out.contracts.push_back(count("bytes read and written", bytes(before), bytes(after)));
    out.contracts.push_back(count("device time, modelled, ns", busy(before), busy(after)));
  } else {
    out.contracts.push_back(count("API calls that launch", before.launches.calls, after.launches.calls));
    out.contracts.push_back(step_time("step time, ns", before, after, [](const StepRow& step) { return step.end_ns - step.start_ns; }));
    out.contracts.push_back(step_time("device time in a step, ns", before, after, [](const StepRow& step) { return step.busy_ns; }));
  }
  for (const DiffContract& one : out.contracts) {
    if (one.verdict == DiffVerdict::Regression) out.verdict = DiffVerdict::Regression;
    if (one.verdict == DiffVerdict::Inconclusive && out.verdict == DiffVerdict::Pass) out.verdict = DiffVerdict::Inconclusive;
  }
  return out;
}

}  // namespace seam::report
