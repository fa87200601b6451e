#include "import/run_end.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/device.h"
#include "base/units.h"

namespace seam::collector {
namespace {

/// A row that runs over the ends of later rows of its stream by more than this is no overlap of programmatic launches or graph branches.
constexpr std::int64_t kOverrun = 1'000'000;

std::string typed_name(std::string_view product) {
  std::string small(product);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c); });
  std::string found;
  for (const Device& device : devices()) {
    const std::size_t at = small.find(device.name);
    if (at == std::string::npos || device.name.size() < found.size()) continue;
    const std::size_t end = at + device.name.size();
    const bool word = (at == 0 || small[at - 1] == ' ' || small[at - 1] == '-') && (end == small.size() || small[end] == ' ' || small[end] == '-');
    if (word) found = device.name;
  }
  return found;
}

}  // namespace

void say_faults(db::Writer& writer, const Losses& losses, const std::vector<ImportWarning>& warnings, Imported& into) {
  for (const auto& [reason, loss] : losses) {
    into.loss.push_back({reason, loss.first, loss.second});
    writer.add_loss(reason, loss.first, loss.second);
  }
  for (const ImportWarning& warning : warnings) {
    into.warnings.push_back(warning);
    writer.add_warning(warning.code, warning.message);
  }
}

std::string device_name(std::string_view product) {
  const std::string known = typed_name(product);
  return !known.empty() ? known : !product.empty() ? std::string(product) : "unknown";
}

std::optional<std::string> sweep(db::Writer& writer, std::int64_t& busy_ns) {
  struct Last {
    std::int64_t row = 0, end = 0;
    bool copy = false;
  };
  std::map<std::int64_t, Last> last_of_stream;
  std::map<std::int64_t, std::int64_t> busy_until;
  std::set<std::pair<bool, std::int64_t>> overrunning;
  std::optional<std::pair<Last, std::int64_t>> worst;
  writer.each(
      "SELECT s.device, w.stream, w.start_ns, w.end_ns, w.id, w.copy FROM (SELECT stream, start_ns, end_ns, id, 0 AS copy FROM launch WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL UNION ALL "
      "SELECT stream, start_ns, end_ns, id, 1 FROM copy WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL) w JOIN stream s ON s.id = w.stream ORDER BY w.start_ns, w.copy, w.id",
      [&](std::span<const std::optional<std::int64_t>> row) {
        const std::int64_t device = *row[0], stream = *row[1], start = *row[2], end = *row[3];
        std::int64_t& until = busy_until.try_emplace(device, start).first->second;
        busy_ns += std::max<std::int64_t>(0, end - std::max(start, until));
        until = std::max(until, end);
        Last& last = last_of_stream[stream];
        if (last.end - end > kOverrun) {
          overrunning.insert({last.copy, last.row});
          if (!worst || last.end - end > worst->second) worst = {last, last.end - end};
        }
        if (end >= last.end) last = {*row[4], end, *row[5] == 1};
        return true;
      });
  if (worst) {
    const std::optional<std::int64_t> name = writer.ask(fmt::format("SELECT name FROM {} WHERE id = {}", worst->first.copy ? "copy" : "launch", worst->first.row));
    return fmt::format("{} over later work of the same stream, the worst by {} ns: '{}'; the recorded values are kept, busy time is a union",
                                overrunning.size() == 1 ? std::string("one row runs") : human_count(static_cast<std::int64_t>(overrunning.size())) + " rows run", worst->second,
                                name ? writer.text(db::StringId(static_cast<std::size_t>(*name))) : std::string("?"));
  }
  return std::nullopt;
}

void order_by_time(db::Writer& writer) {
  const std::string order = "(SELECT id, copy, row_number() OVER (ORDER BY start_ns, sequence) - 1 AS place FROM (SELECT id, 0 AS copy, start_ns, sequence FROM launch UNION ALL "
                            "SELECT id, 1, start_ns, sequence FROM copy)) o";
  // Kept aside first: the second statement must not see what the first one wrote.
  writer.change("CREATE TEMP TABLE places AS SELECT * FROM " + order);
  writer.change("UPDATE launch SET sequence = o.place FROM places o WHERE o.copy = 0 AND o.id = launch.id");
  writer.change("UPDATE copy SET sequence = o.place FROM places o WHERE o.copy = 1 AND o.id = copy.id");
  writer.change("DROP TABLE places");
}

std::int64_t linked_work(db::Writer& writer) {
  std::int64_t sum = 0;
  for (const char* table : {"launch", "copy"}) {
    sum += writer.ask(fmt::format("SELECT count(*) FROM {} w WHERE EXISTS (SELECT 1 FROM api_call a LEFT JOIN thread t ON t.id = a.thread WHERE a.correlation = w.correlation AND (w.process IS NULL OR t.process = w.process))", table)).value_or(0);
  }
  return sum;
}

std::vector<std::pair<std::string, std::int64_t>> in_order(const std::map<std::string, std::int64_t, std::less<>>& counts) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  for (const char* kind : {"op", "annotation", "gpu_annotation", "python", "runtime", "kernel", "graph", "memcpy", "memset", "sync", "overhead", "profiler", "other", "instant", "allocation", "counter",
                           "flow", "launch_flow", "metadata", "links", "threads", "node", "node_tensor", "joined", "launch_counter"}) {
    const auto at = counts.find(kind);
    out.emplace_back(kind, at == counts.end() ? 0 : at->second);
  }
  return out;
}

}  // namespace seam::collector
