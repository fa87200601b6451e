#include "analyzer/hta_rules.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

#include "base/sha256.h"
#include "graph/kernel_names.h"
#include "support/need.h"

namespace seam::analyzer::test {
namespace {

using seam::test::need;

enum class Type : std::uint8_t { Computation, Communication, Memory, Other };

struct GpuRow {
  std::int64_t start = 0, end = 0, stream = 0, correlation = -1;
  std::string name;
  Type type = Type::Other;
  bool work = true;  ///< a kernel, copy or fill
};
struct CpuRow {
  std::int64_t start = 0, end = 0, correlation = -1;
  std::string name;
};

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Type type_of(std::string_view name, bool copy, unsigned rules) {
  if ((rules & kNames) == 0) return copy ? Type::Memory : graph::classify_kernel(name).work == graph::WorkClass::Communication ? Type::Communication : Type::Computation;
  if (name.starts_with("nccl") && holds(name, "Kernel")) return Type::Communication;
  if (name.starts_with("Memcpy") || name.starts_with("Memset") || name.starts_with("dma")) return Type::Memory;
  return holds(name, "Memcpy") || name.starts_with("Memset") || holds(name, "Sync") ? Type::Other : Type::Computation;
}

/// Microseconds as JSON has them, read into a double.
double microseconds(std::int64_t ns) {
  std::string digits = std::to_string(std::abs(ns) / 1000) + "." + std::to_string(1000 + std::abs(ns) % 1000).substr(1);
  return (ns < 0 ? -1 : 1) * std::strtod(digits.c_str(), nullptr);
}
void round_inwards(std::int64_t& start, std::int64_t& end) {
  const double from = microseconds(start), until = std::floor(from + microseconds(end - start));
  start = static_cast<std::int64_t>(std::ceil(from)) * 1000;
  end = static_cast<std::int64_t>(until) * 1000;
}

class Rows {
 public:
  Rows(const db::Database& run, unsigned rules) {
    const auto read = [&](const char* sql, auto&& each) {
      for (const auto& row : need(run.query(sql)).rows) {
        const auto integer = [&](std::size_t i) { return std::holds_alternative<std::int64_t>(row[i]) ? std::get<std::int64_t>(row[i]) : -1; };
        each(std::get<std::string>(row[0]), integer(1), integer(2), integer(3), integer(4));
      }
    };
    const auto gpu_row = [&](bool copy, bool work) {
      return [this, copy, work, rules](const std::string& name, std::int64_t start, std::int64_t end, std::int64_t correlation, std::int64_t stream) { gpu.push_back({start, end, stream, correlation, name, type_of(name, copy, rules), work}); };
    };
    read("SELECT s.value, l.start_ns, l.end_ns, l.correlation, t.number FROM launch l JOIN string s ON s.id = l.name LEFT JOIN stream t ON t.id = l.stream WHERE l.end_ns IS NOT NULL ORDER BY l.start_ns, l.id", gpu_row(false, true));
    read("SELECT s.value, c.start_ns, c.end_ns, c.correlation, t.number FROM copy c JOIN string s ON s.id = c.name LEFT JOIN stream t ON t.id = c.stream WHERE c.end_ns IS NOT NULL ORDER BY c.start_ns, c.id", gpu_row(true, true));
    const std::string sync = "SELECT CASE kind WHEN 'stream' THEN 'Stream Sync' WHEN 'context' THEN 'Context Sync' WHEN 'event' THEN 'Event Sync' ELSE 'Stream Wait Event' END, y.start_ns, y.end_ns, y.correlation, t.number "
                             "FROM sync y LEFT JOIN stream t ON t.id = y.stream WHERE y.end_ns IS NOT NULL AND ";
    if ((rules & kContextRows) != 0) read((sync + "y.stream IS NULL AND y.kind = 'context'").c_str(), gpu_row(false, false));
    if ((rules & kSyncRows) != 0) read((sync + "y.stream IS NOT NULL").c_str(), gpu_row(false, false));
    if ((rules & kLaunchers) != 0)
      read("SELECT s.value, r.start_ns, r.end_ns, -1, 0 FROM range r JOIN string s ON s.id = r.name JOIN string e ON e.id = r.extra WHERE r.kind = 'op' AND json_extract(e.value, '$.kernel_backend') = 'triton'", gpu_row(false, false));
    read("SELECT s.value, a.start_ns, a.end_ns, a.correlation, 0 FROM api_call a JOIN string s ON s.id = a.name WHERE a.end_ns IS NOT NULL ORDER BY a.start_ns, a.id",
         [this](const std::string& name, std::int64_t start, std::int64_t end, std::int64_t correlation, std::int64_t) { cpu.push_back({start, end, correlation, name}); });
    if ((rules & kRounding) != 0) {
      const bool fractions = std::ranges::any_of(gpu, [](const GpuRow& row) { return row.start % 1000 != 0 || row.end % 1000 != 0; }) || std::ranges::any_of(cpu, [](const CpuRow& row) { return row.start % 1000 != 0 || row.end % 1000 != 0; });
      for (GpuRow& row : gpu)
        if (fractions) round_inwards(row.start, row.end);
      for (CpuRow& row : cpu)
        if (fractions) round_inwards(row.start, row.end);
    }
    if ((rules & kLastStep) != 0) drop_last_step(run);
    std::ranges::stable_sort(gpu, std::ranges::less{}, &GpuRow::start);
  }
  std::vector<GpuRow> gpu;
  std::vector<CpuRow> cpu;

 private:
  void drop_last_step(const db::Database& run) {
    const auto steps = need(run.query("SELECT count(DISTINCT name), max(start_ns) FROM ranges WHERE name GLOB 'ProfilerStep#[0-9]*'")).rows[0];
    if (std::get<std::int64_t>(steps[0]) < 2) return;
    const std::int64_t last = std::get<std::int64_t>(steps[1]);
    std::erase_if(cpu, [&](const CpuRow& row) { return row.start >= last; });
    std::set<std::int64_t> launched;
    for (const CpuRow& row : cpu) launched.insert(row.correlation);
    std::erase_if(gpu, [&](const GpuRow& row) { return !launched.contains(row.correlation); });
  }
};

using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;
template <class Fits>
Pieces united(const std::vector<GpuRow>& rows, Fits&& fits) {
  Pieces out;
  for (const GpuRow& row : rows) {
    if (!fits(row)) continue;
    if (!out.empty() && row.start <= out.back().second) {
      out.back().second = std::max(out.back().second, row.end);
    } else {
      out.emplace_back(row.start, row.end);
    }
  }
  return out;
}
std::int64_t length(const Pieces& pieces) {
  std::int64_t sum = 0;
  for (const auto& [start, end] : pieces) sum += end - start;
  return sum;
}

/// Time in which exactly these types run.
void add_types(const std::vector<GpuRow>& rows, Figures& out) {
  constexpr const char* kTypes[] = {"COMPUTATION", "COMMUNICATION", "MEMORY"};
  std::vector<std::tuple<std::int64_t, std::size_t, int>> edges;
  for (std::size_t t = 0; t < 3; ++t)
    for (const auto& [start, end] : united(rows, [&](const GpuRow& row) { return static_cast<std::size_t>(row.type) == t; })) {
      edges.emplace_back(start, t, 1);
      edges.emplace_back(end, t, -1);
    }
  std::ranges::sort(edges);
  int open[3] = {};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& [at, type, step] = edges[i];
    open[type] += step;
    std::string set;
    for (const std::size_t t : {0U, 1U, 2U})
      if (open[t] > 0) set += (set.empty() ? "" : " + ") + std::string(kTypes[t]);
    if (!set.empty() && i + 1 < edges.size()) out["type:" + set] += std::get<0>(edges[i + 1]) - at;
  }
}

void add_gaps(const Rows& rows, const std::map<std::int64_t, const CpuRow*>& calls, Figures& out) {
  std::map<std::int64_t, const GpuRow*> before;
  for (const GpuRow& row : rows.gpu) {
    if (!row.work) continue;
    const GpuRow*& last = before[row.stream];
    if (last != nullptr) {
      const auto call = calls.find(row.correlation);
      const std::int64_t gap = row.start - last->end;
      const char* cause = call != calls.end() && call->second->start > last->end ? "host_wait" : gap < 30'000 ? "kernel_wait" : "other";
      out["idle:" + std::to_string(row.stream) + ":" + cause] += gap;
    }
    last = &row;
  }
}

void add_launches(const Rows& rows, const std::map<std::int64_t, const CpuRow*>& calls, unsigned rules, Figures& out) {
  static const std::set<std::string> kLaunches = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync"};
  for (const GpuRow& row : rows.gpu) {
    const auto call = calls.find(row.correlation);
    if (call == calls.end() || ((rules & kLaunchNames) != 0 && !kLaunches.contains(call->second->name))) continue;
    const std::int64_t cpu = call->second->end - call->second->start, gpu = row.end - row.start, delay = std::max<std::int64_t>(0, row.start - call->second->end);
    ++out["launches"];
    out["launches:cpu"] += cpu;
    out["launches:gpu"] += gpu;
    out["launches:delay"] += delay;
    out["launches:short"] += cpu <= 50'000 && gpu < cpu ? 1 : 0;
    out["launches:runtime_outliers"] += cpu > 50'000 ? 1 : 0;
    out["launches:delay_outliers"] += delay > 100'000 ? 1 : 0;
    out["launches:delay_max"] = std::max(out["launches:delay_max"], delay);
  }
}

}  // namespace

std::string_view name(HtaRule rule) {
  switch (rule) {
    case kRounding: return "rounding";
    case kLastStep: return "last-step-dropped";
    case kSyncRows: return "sync-rows-counted";
    case kLaunchers: return "launcher-ops-counted";
    case kNames: return "kernel-types-by-pattern";
    case kLaunchNames: return "four-launch-names";
    case kContextRows: return "context-sync-rows-counted";
  }
  return "";
}

Figures hta_figures(const db::Database& run, unsigned rules) {
  const Rows rows(run, rules);
  Figures out = {{"launches", 0}, {"launches:cpu", 0}, {"launches:gpu", 0}, {"launches:delay", 0}, {"launches:short", 0}, {"launches:runtime_outliers", 0}, {"launches:delay_outliers", 0}};
  std::map<std::int64_t, const CpuRow*> calls;
  for (const CpuRow& row : rows.cpu)
    if (row.correlation != -1) calls.try_emplace(row.correlation, &row);
  add_launches(rows, calls, rules, out);
  if (rows.gpu.empty()) return out;
  const Pieces busy = united(rows.gpu, [](const GpuRow&) { return true; }), compute = united(rows.gpu, [](const GpuRow& row) { return row.type == Type::Computation; }), communication = united(rows.gpu, [](const GpuRow& row) { return row.type == Type::Communication; });
  const std::int64_t span = busy.back().second - busy.front().first;
  out["kernel_time"] = span;
  out["idle_time"] = span - length(busy);
  out["compute_time"] = length(compute);
  out["non_compute_time"] = length(busy) - length(compute);
  std::int64_t common = 0;
  for (std::size_t a = 0, b = 0; a < compute.size() && b < communication.size();) {
    common += std::max<std::int64_t>(0, std::min(compute[a].second, communication[b].second) - std::max(compute[a].first, communication[b].first));
    (compute[a].second < communication[b].second ? a : b) += 1;
  }
  // Hundredths of a percent, as the figures on file.
  if (!communication.empty()) out["overlap"] = std::llround(10'000.0 * static_cast<double>(common) / static_cast<double>(length(communication)));
  add_types(rows.gpu, out);
  add_gaps(rows, calls, out);
  for (const GpuRow& row : rows.gpu) {
    if (row.type == Type::Other) continue;
    const std::string short_name = row.name.size() > 120 ? row.name.substr(0, 100) + "#" + sha256(row.name).substr(0, 8) : row.name;
    const auto fresh = !out.contains("kernel:" + short_name);
    out["kernel:" + short_name] += row.end - row.start;
    std::int64_t& most = out["kernel-max:" + short_name];
    std::int64_t& least = out["kernel-min:" + short_name];
    most = fresh ? row.end - row.start : std::max(most, row.end - row.start);
    least = fresh ? row.end - row.start : std::min(least, row.end - row.start);
  }
  return out;
}

}  // namespace seam::analyzer::test
