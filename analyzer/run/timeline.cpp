#include "analyzer/timeline.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "run/virtual_run.h"

namespace seam::analyzer {
namespace {

using Row = std::span<const std::optional<std::int64_t>>;

/// A damaged file may hold what its schema forbids: what must be there is taken through this, and asked for at the end.
class Sound {
 public:
  std::int64_t must(const std::optional<std::int64_t>& value) {
    sound_ = sound_ && value.has_value();
    return value.value_or(0);
  }
  /// Nanoseconds far enough from the ends of 64 bits that differences are exact.
  std::int64_t time(const std::optional<std::int64_t>& value) {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    const std::int64_t time = must(value);
    const bool sane = time > -kMost && time < kMost;
    sound_ = sound_ && sane;
    return sane ? time : 0;
  }
  std::string text(const db::Field& field) {
    const auto* text = std::get_if<std::string>(&field);
    sound_ = sound_ && text != nullptr;
    return text == nullptr ? std::string() : *text;
  }
  void broken() { sound_ = false; }
  [[nodiscard]] Result<void> check() const {
    if (!sound_) return fail(Error::Code::BadInput, "the run file is damaged: a row does not hold what its schema asks for");
    return {};
  }

 private:
  bool sound_ = true;
};

/// Ids of the run → places in the timeline; names come in as they are first needed.
class Names {
 public:
  explicit Names(Timeline& timeline) : timeline_(timeline) {}
  std::uint32_t of(std::int64_t id) {
    const auto [at, fresh] = places_.try_emplace(id, static_cast<std::uint32_t>(ids_.size()));
    if (fresh) ids_.push_back(id);
    return at->second;
  }
  Result<void> resolve(const db::Database& run, Sound& sound) {
    timeline_.names.resize(ids_.size());
    SEAM_TRY(const db::Rows rows, run.query("SELECT id, value FROM string WHERE id IN (SELECT name FROM launch UNION SELECT name FROM copy UNION SELECT name FROM api_call UNION SELECT name FROM range)"));
    for (const auto& row : rows.rows) {
      const auto* id = std::get_if<std::int64_t>(row.data());
      const auto at = id == nullptr ? places_.end() : places_.find(*id);
      if (at != places_.end()) timeline_.names[at->second].text = sound.text(row[1]);
    }
    return {};
  }

 private:
  Timeline& timeline_;
  std::unordered_map<std::int64_t, std::uint32_t> places_;
  std::vector<std::int64_t> ids_;
};

/// Most recordings are in order already.
template <class T>
void sort_by_start(std::vector<T>& rows) {
  if (!std::ranges::is_sorted(rows, std::ranges::less{}, &T::start_ns)) std::ranges::stable_sort(rows, std::ranges::less{}, &T::start_ns);
}

/// Which call started which work: the same correlation, within one process.
struct Link {
  std::int64_t correlation = 0;
  std::int32_t process = -1;
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
  Sound sound;
  SEAM_TRY(out.evidence, evidence_of_times(run));
  std::unordered_map<std::int64_t, std::uint32_t> streams;
  SEAM_DO(run.each("SELECT id, device, number FROM stream ORDER BY id", [&](Row row) {
    streams.emplace(sound.must(row[0]), static_cast<std::uint32_t>(out.streams.size()));
    out.streams.push_back({sound.must(row[1]), sound.must(row[2])});
  }));
  // Work whose stream nobody says still occupies a device.
  const auto place_of = [&](const std::optional<std::int64_t>& stream) {
    if (const auto known = stream ? streams.find(*stream) : streams.end(); known != streams.end()) return known->second;
    if (stream) sound.broken();
    const auto [at, fresh] = streams.try_emplace(-1, static_cast<std::uint32_t>(out.streams.size()));
    if (fresh) out.streams.push_back({0, 0});
    return at->second;
  };

  const auto count = [&](const char* of) -> std::size_t {
    const auto rows = run.query(std::string("SELECT count(*) FROM ") + of);
    return rows ? static_cast<std::size_t>(std::get<std::int64_t>(rows->rows[0][0])) : 0;
  };
  // In order of time by the indexes on it; a recording of ten million launches leaves no room for sorting copies.
  const std::string kernels = "SELECT start_ns, end_ns, stream, name, correlation, process, id, 0 AS kind FROM launch WHERE start_ns IS NOT NULL";
  const std::string copies = "SELECT start_ns, end_ns, stream, coalesce(name, -1), correlation, process, id, 1 + (kind = 'memset') FROM copy WHERE start_ns IS NOT NULL";
  const std::size_t all_work = count("launch") + count("copy");
  std::vector<std::int64_t> correlations;
  std::vector<std::int32_t> processes;
  out.work.reserve(all_work);
  correlations.reserve(all_work);
  processes.reserve(all_work);
  SEAM_DO(run.each(kernels + " UNION ALL " + copies + " ORDER BY start_ns, kind, id", [&](Row row) {
    if (!row[1]) return;
    Work& one = out.work.emplace_back();
    one.start_ns = sound.time(row[0]);
    one.end_ns = sound.time(row[1]);
    one.stream = place_of(row[2]);
    one.name = names.of(sound.must(row[3]));
    one.kind = *row[7] == 0 ? Work::Kind::Kernel : *row[7] == 1 ? Work::Kind::Copy : Work::Kind::Fill;
    one.row = sound.must(row[6]);
    correlations.push_back(row[4].value_or(kNoCorrelation));
    processes.push_back(static_cast<std::int32_t>(row[5].value_or(-1)));
  }));
  out.untimed_work = static_cast<std::int64_t>(all_work - out.work.size());

  std::unordered_map<std::int64_t, std::int32_t> process_of_thread;
  SEAM_DO(run.each("SELECT id, process FROM thread", [&](Row row) { process_of_thread.emplace(sound.must(row[0]), static_cast<std::int32_t>(row[1].value_or(-1))); }));
  out.calls.reserve(count("api_call"));
  SEAM_DO(run.each("SELECT start_ns, end_ns, thread, name, correlation FROM api_call", [&](Row row) {
    if (!row[0] || !row[1]) return;
    Call& one = out.calls.emplace_back();
    one.start_ns = sound.time(row[0]);
    one.end_ns = sound.time(row[1]);
    one.thread = row[2] ? static_cast<std::uint32_t>(*row[2]) : kNone;
    one.name = names.of(sound.must(row[3]));
    one.correlation = row[4].value_or(kNoCorrelation);
  }));
  sort_by_start(out.calls);

  out.spans.reserve(count("range WHERE thread IS NOT NULL AND kind IN ('op', 'annotation', 'python')"));
  SEAM_DO(run.each("SELECT start_ns, end_ns, thread, name, kind = 'op' FROM range WHERE thread IS NOT NULL AND kind IN ('op', 'annotation', 'python')", [&](Row row) {
    if (row[0] && row[1]) out.spans.push_back({sound.time(row[0]), sound.time(row[1]), static_cast<std::uint32_t>(sound.must(row[2])), names.of(sound.must(row[3])), sound.must(row[4]) != 0});
  }));
  sort_by_start(out.spans);

  // The first call of the process that has the number.
  std::vector<Link> of_calls;
  of_calls.reserve(out.calls.size());
  for (std::size_t c = 0; c < out.calls.size(); ++c) {
    const Call& call = out.calls[c];
    const auto process = process_of_thread.find(call.thread);
    if (call.correlation != kNoCorrelation) of_calls.push_back({call.correlation, process == process_of_thread.end() ? -1 : process->second, static_cast<std::uint32_t>(c)});
  }
  std::ranges::sort(of_calls);
  for (std::size_t w = 0; w < out.work.size(); ++w) {
    if (correlations[w] == kNoCorrelation) continue;
    const std::int32_t process = processes[w];
    const auto at = std::ranges::lower_bound(of_calls, Link{correlations[w], process < 0 ? INT32_MIN : process, 0});
    if (at == of_calls.end() || at->correlation != correlations[w] || (process >= 0 && at->process != process)) continue;
    out.work[w].call = at->place;
    Call& call = out.calls[at->place];
    if (call.works++ == 0) call.work = static_cast<std::uint32_t>(w);
  }
  for (Work& w : out.work) w.in_graph = w.call != kNone && out.calls[w.call].works > 1;

  SEAM_DO(names.resolve(run, sound));
  SEAM_DO(sound.check());
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

  if (out.evidence == Evidence::Modelled) SEAM_DO(classify_by_ops(run, out));

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
