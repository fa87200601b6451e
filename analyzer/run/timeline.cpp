#include "analyzer/timeline.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace seam::analyzer {
namespace {

using Row = std::span<const std::optional<std::int64_t>>;

/// Ids of the run → places in the timeline; names come in as they are first needed.
class Names {
 public:
  explicit Names(Timeline& timeline) : timeline_(timeline) {}
  std::uint32_t of(std::int64_t id) {
    const auto [at, fresh] = places_.try_emplace(id, static_cast<std::uint32_t>(ids_.size()));
    if (fresh) ids_.push_back(id);
    return at->second;
  }
  Result<void> resolve(const db::Database& run) {
    timeline_.names.resize(ids_.size());
    SEAM_TRY(const db::Rows rows, run.query("SELECT id, value FROM string WHERE id IN (SELECT name FROM launch UNION SELECT name FROM copy UNION SELECT name FROM api_call UNION SELECT name FROM range)"));
    for (const auto& row : rows.rows) {
      const auto at = places_.find(std::get<std::int64_t>(row[0]));
      if (at != places_.end()) timeline_.names[at->second].text = std::get<std::string>(row[1]);
    }
    return {};
  }

 private:
  Timeline& timeline_;
  std::unordered_map<std::int64_t, std::uint32_t> places_;
  std::vector<std::int64_t> ids_;
};

template <class T>
void sort_by_start(std::vector<T>& rows) {
  std::ranges::stable_sort(rows, std::ranges::less{}, &T::start_ns);
}

/// Which call started which work: the same correlation, within one process.
struct Link {
  std::int64_t correlation = 0, process = -1;
  std::uint32_t place = 0;
  auto operator<=>(const Link&) const = default;
};

}  // namespace

CallKind call_kind(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("Synchronize") || name == "cudaMemcpy" || name == "hipMemcpy" || name == "hipMemcpyWithStream" || has("EventQuery") || has("StreamQuery")) return CallKind::Wait;
  if (has("Launch") || has("Async")) {
    return has("Malloc") || has("Free") ? CallKind::Memory : CallKind::Launch;
  }
  if (has("Malloc") || has("Free") || has("HostAlloc") || has("MemAlloc") || has("HostRegister") || has("HostUnregister") || has("MemCreate") || has("MemMap")) return CallKind::Memory;
  return CallKind::Other;
}

std::vector<std::int64_t> Timeline::devices() const {
  std::set<std::int64_t> out;
  std::vector<bool> used(streams.size(), false);
  for (const Work& w : work) used[w.stream] = true;
  for (std::size_t s = 0; s < streams.size(); ++s)
    if (used[s]) out.insert(streams[s].device);
  return {out.begin(), out.end()};
}

graph::WorkClass Timeline::class_of(const Work& one) const { return one.kind == Work::Kind::Kernel ? names[one.name].kernel.work : graph::WorkClass::Copy; }

Result<Timeline> timeline_of(const db::Database& run) {
  Timeline out;
  Names names(out);
  std::unordered_map<std::int64_t, std::uint32_t> streams;
  SEAM_DO(run.each("SELECT id, device, number FROM stream ORDER BY id", [&](Row row) {
    streams.emplace(*row[0], static_cast<std::uint32_t>(out.streams.size()));
    out.streams.push_back({*row[1], *row[2]});
  }));
  // Work whose stream nobody says still occupies a device.
  const auto place_of = [&](const std::optional<std::int64_t>& stream) {
    if (stream) return streams.at(*stream);
    const auto [at, fresh] = streams.try_emplace(-1, static_cast<std::uint32_t>(out.streams.size()));
    if (fresh) out.streams.push_back({0, 0});
    return at->second;
  };

  struct Unlinked {
    Work work;
    std::optional<std::int64_t> correlation;
    std::int64_t process = -1;
  };
  std::vector<Unlinked> work;
  for (const auto& [kernels, sql] : {std::pair{true, "SELECT start_ns, end_ns, stream, name, correlation, process, id, 0 FROM launch"},
                                     std::pair{false, "SELECT start_ns, end_ns, stream, coalesce(name, -1), correlation, process, id, kind = 'memset' FROM copy"}}) {
    SEAM_DO(run.each(sql, [&, kernel = kernels](Row row) {
      if (!row[0] || !row[1]) {
        ++out.untimed_work;
        return;
      }
      Unlinked& one = work.emplace_back();
      one.work.start_ns = *row[0];
      one.work.end_ns = *row[1];
      one.work.stream = place_of(row[2]);
      one.work.name = names.of(*row[3]);
      one.work.kind = kernel ? Work::Kind::Kernel : *row[7] != 0 ? Work::Kind::Fill : Work::Kind::Copy;
      one.work.row = *row[6];
      one.correlation = row[4];
      one.process = row[5].value_or(-1);
    }));
  }
  std::ranges::stable_sort(work, std::ranges::less{}, [](const Unlinked& u) { return u.work.start_ns; });

  struct Named {
    Call call;
    std::optional<std::int64_t> correlation;
    std::int64_t process = -1;
  };
  std::vector<Named> calls;
  SEAM_DO(run.each("SELECT a.start_ns, a.end_ns, a.thread, a.name, a.correlation, t.process FROM api_call a LEFT JOIN thread t ON t.id = a.thread", [&](Row row) {
    if (!row[0] || !row[1]) return;
    Named& one = calls.emplace_back();
    one.call.start_ns = *row[0];
    one.call.end_ns = *row[1];
    one.call.thread = row[2] ? static_cast<std::uint32_t>(*row[2]) : kNone;
    one.call.name = names.of(*row[3]);
    one.correlation = row[4];
    one.process = row[5].value_or(-1);
  }));
  std::ranges::stable_sort(calls, std::ranges::less{}, [](const Named& n) { return n.call.start_ns; });

  SEAM_DO(run.each("SELECT start_ns, end_ns, thread, name, kind = 'op' FROM range WHERE thread IS NOT NULL AND kind IN ('op', 'annotation', 'python')", [&](Row row) {
    if (row[0] && row[1]) out.spans.push_back({*row[0], *row[1], static_cast<std::uint32_t>(*row[2]), names.of(*row[3]), *row[4] != 0});
  }));
  sort_by_start(out.spans);

  // Links by a merge over sorted correlations: the first call of the process that has the number.
  std::vector<Link> of_calls;
  for (std::size_t c = 0; c < calls.size(); ++c)
    if (calls[c].correlation) of_calls.push_back({*calls[c].correlation, calls[c].process, static_cast<std::uint32_t>(c)});
  std::ranges::sort(of_calls);
  for (const Named& named : calls) out.calls.push_back(named.call);
  for (std::size_t w = 0; w < work.size(); ++w) {
    Work& one = work[w].work;
    if (work[w].correlation) {
      const std::int64_t process = work[w].process;
      auto at = std::ranges::lower_bound(of_calls, Link{*work[w].correlation, process < 0 ? INT64_MIN : process, 0});
      if (at != of_calls.end() && at->correlation == *work[w].correlation && (process < 0 || at->process == process)) {
        one.call = at->place;
        Call& call = out.calls[at->place];
        if (call.works++ == 0) call.work = static_cast<std::uint32_t>(w);
      }
    }
    out.work.push_back(one);
  }
  for (Work& w : out.work) w.in_graph = w.call != kNone && out.calls[w.call].works > 1;

  SEAM_DO(names.resolve(run));
  for (Call& call : out.calls) {
    call.kind = call_kind(out.names[call.name].text);
    // A copy to or from pageable memory returns once it is done, whatever its name says.
    const bool outlasts = call.work != kNone && out.work[call.work].kind == Work::Kind::Copy && out.work[call.work].end_ns <= call.end_ns;
    if (call.kind == CallKind::Launch && outlasts) call.kind = CallKind::Wait;
  }
  std::vector<bool> kernel_name(out.names.size(), false);
  for (const Work& w : out.work)
    if (w.kind == Work::Kind::Kernel) kernel_name[w.name] = true;
  for (std::size_t n = 0; n < out.names.size(); ++n)
    if (kernel_name[n]) out.names[n].kernel = graph::classify_kernel(out.names[n].text);

  std::optional<std::int64_t> first, last;
  const auto widen = [&](const auto& rows) {
    for (const auto& row : rows) {
      first = std::min(first.value_or(row.start_ns), row.start_ns);
      last = std::max(last.value_or(row.end_ns), row.end_ns);
    }
  };
  widen(out.work);
  widen(out.calls);
  widen(out.spans);
  out.start_ns = first.value_or(0);
  out.end_ns = last.value_or(0);
  return out;
}

}  // namespace seam::analyzer
