#include "import_traces.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_out.h"
#include "base/units.h"
#include "collector/import.h"
#include "interrupt.h"
#include "progress.h"
#include "report/render.h"

namespace seam::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// "step.json.gz" → "step".
std::string stem_of(const fs::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view end : {".gz", ".zst", ".json", ".trace", ".pt", ".et"})
    if (name.ends_with(end) && name.size() > end.size()) name = name.substr(0, name.size() - end.size());
  return name == "-" ? "trace" : name;
}

std::string tool() { return "seam " SEAM_VERSION; }

Json json_of(const collector::Imported& run) {
  Json rows = Json::object(), loss = Json::array(), warnings = Json::array();
  for (const auto& [kind, count] : run.rows) rows[kind] = count;
  for (const collector::ImportLoss& l : run.loss) loss.push_back({{"reason", l.reason}, {"count", l.count}, {"detail", l.detail}});
  for (const collector::ImportWarning& w : run.warnings) warnings.push_back({{"code", w.code}, {"message", w.message}});
  return {{"file", run.file.string()}, {"output", run.output.string()}, {"format", run.format}, {"rank", run.rank ? Json(*run.rank) : Json()}, {"rows", rows},
          {"busy_ns", run.start_ns || run.busy_ns > 0 ? Json(run.busy_ns) : Json()}, {"start_ns", run.start_ns ? Json(*run.start_ns) : Json()}, {"end_ns", run.end_ns ? Json(*run.end_ns) : Json()}, {"loss", loss}, {"warnings", warnings}};
}

/// All runs together: counts, busy times and losses add up.
Json json_of(const std::vector<collector::Imported>& runs) {
  Json list = Json::array(), rows = Json::object(), loss = Json::array(), warnings = Json::array();
  std::int64_t busy = 0;
  const bool timed = std::ranges::any_of(runs, [](const collector::Imported& run) { return run.start_ns.has_value() || run.busy_ns > 0; });
  std::map<std::string, std::int64_t> losses;
  std::string format = runs.front().format;
  for (const collector::Imported& run : runs) {
    list.push_back(json_of(run));
    for (const auto& [kind, count] : run.rows) rows[kind] = rows.value(kind, std::int64_t{0}) + count;
    busy += run.busy_ns;
    for (const collector::ImportLoss& l : run.loss) losses[l.reason] += l.count;
    for (const collector::ImportWarning& w : run.warnings) warnings.push_back({{"code", w.code}, {"message", runs.size() == 1 ? w.message : run.file.filename().string() + ": " + w.message}});
    if (run.format != format) format = "mixed";
  }
  for (const auto& [reason, count] : losses) loss.push_back({{"reason", reason}, {"count", count}});
  return {{"schema", "seam.import/1"}, {"format", format}, {"rows", rows}, {"busy_ns", timed ? Json(busy) : Json()}, {"loss", loss}, {"warnings", warnings}, {"runs", list}};
}

report::Table table_of(const std::vector<collector::Imported>& runs) {
  report::Table table;
  table.title = runs.size() == 1 ? fmt::format("{} ({})", runs.front().file.filename().string(), runs.front().format) : "runs";
  if (runs.size() == 1) {
    table.columns = {{"kind", "rows", report::Unit::Text, {}}, {"count", "count", report::Unit::Count, {}}};
    for (const auto& [kind, count] : runs.front().rows)
      if (count > 0) table.rows.push_back({kind, count});
  } else {
    table.columns = {{"file", "file", report::Unit::Text, {}}, {"rank", "rank", report::Unit::Count, {}}};
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : runs.front().rows) {
      const std::string& name = kind;
      const bool any = std::ranges::any_of(runs, [&](const collector::Imported& run) { return std::ranges::any_of(run.rows, [&](const auto& row) { return row.first == name && row.second > 0; }); });
      if (!any) continue;
      kinds.push_back(kind);
      table.columns.push_back({kind, kind, report::Unit::Count, {}});
    }
    for (const collector::Imported& run : runs) {
      std::vector<report::Cell> row = {run.file.filename().string(), run.rank ? report::Cell(*run.rank) : report::Cell()};
      for (const std::string& kind : kinds) row.emplace_back(std::ranges::find(run.rows, kind, [](const auto& r) { return r.first; })->second);
      table.rows.push_back(std::move(row));
    }
  }
  for (const collector::Imported& run : runs) {
    const std::string where = runs.size() == 1 ? std::string() : run.file.filename().string() + ": ";
    if (!run.start_ns) {
      table.notes.push_back(fmt::format("{}no times were recorded; written to {}", where, run.output.string()));
    } else {
      table.notes.push_back(fmt::format("{}{} from first to last event, devices busy for {} of it (recorded); written to {}", where, human_microseconds(static_cast<double>(run.end_ns.value_or(*run.start_ns) - *run.start_ns) / 1e3), human_microseconds(static_cast<double>(run.busy_ns) / 1e3), run.output.string()));
    }
    for (const collector::ImportLoss& l : run.loss) table.notes.push_back(fmt::format("{}lost: {} x {} ({})", where, human_count(l.count), l.reason, l.detail));
    for (const collector::ImportWarning& w : run.warnings) table.notes.push_back(fmt::format("{}warning, {}: {}", where, w.code, w.message));
  }
  return table;
}

/// Output files of several traces: named after their ranks where every one says a different one.
Result<void> refuse_clashes(const std::vector<fs::path>& outputs) {
  std::set<fs::path> seen;
  for (const fs::path& output : outputs)
    if (!seen.insert(output).second) return fail(Error::Code::BadInput, fmt::format("two inputs would both become {}", output.string()));
  return {};
}

}  // namespace

Result<bool> holds_traces(const std::string& input) {
  std::error_code ignored;
  if (!fs::is_directory(input, ignored)) return input == "-" ? Result<bool>(true) : collector::is_trace(input);
  SEAM_TRY(const std::vector<collector::Source> sources, collector::sources_in(input));
  return !sources.empty();
}

std::function<bool(std::uint64_t, std::optional<std::uint64_t>)> import_progress(Progress& bar, const std::filesystem::path& file) {
  return [progress = bar.stage("reading " + file.filename().string())](std::uint64_t taken, std::optional<std::uint64_t> all) {
    if (progress && all && *all > 0) progress(static_cast<std::size_t>(taken >> 10), static_cast<std::size_t>(*all >> 10) + 1);
    return !Interrupt::asked();
  };
}

Result<int> import_traces(const std::vector<std::string>& inputs, const Beside& beside, const std::string& output, const Common& common) {
  std::vector<collector::Source> sources;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (fs::is_directory(input, ignored)) {
      SEAM_TRY(const std::vector<collector::Source> inside, collector::sources_in(input));
      sources.insert(sources.end(), inside.begin(), inside.end());
    } else {
      sources.push_back({input, {}});
    }
  }
  const bool several = sources.size() > 1;
  if (several && output.empty()) return fail(Error::Code::BadInput, "several traces become several run files: -o FOLDER says where");
  if (several && !beside.execution_trace.empty()) return fail(Error::Code::BadInput, fmt::format("--et belongs to one trace, these are {}", sources.size()));
  if (several && !beside.counters.empty()) return fail(Error::Code::BadInput, fmt::format("--ncu belongs to one trace, these are {}", sources.size()));
  if (!beside.execution_trace.empty()) sources.front().execution_trace = beside.execution_trace;
  std::vector<fs::path> outputs;
  for (const collector::Source& source : sources) {
    const std::string stem = stem_of(source.trace) + ".seam";
    outputs.push_back(several ? fs::path(output) / stem : output.empty() ? fs::path(stem) : fs::path(output));
  }
  SEAM_DO(refuse_clashes(outputs));
  std::string command = "seam import";
  for (const std::string& input : inputs) command += " " + fs::path(input).filename().string();
  if (!beside.execution_trace.empty()) command += " --et " + fs::path(beside.execution_trace).filename().string();
  if (!beside.counters.empty()) command += " --ncu " + fs::path(beside.counters).filename().string();
  std::vector<collector::Imported> runs;
  const Interrupt interrupt;
  Progress bar(common.quiet || common.format == Format::Json);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    collector::ImportOptions options;
    options.execution_trace = sources[i].execution_trace;
    options.counters = beside.counters;
    options.output = outputs[i];
    options.command = command;
    options.tool = tool();
    options.progress = import_progress(bar, sources[i].trace);
    SEAM_TRY(collector::Imported run, collector::import_trace(sources[i].trace, options));
    runs.push_back(std::move(run));
  }
  bar.done();
  if (common.format == Format::Json) {
    fmt::print("{}\n", dumped(json_of(runs), 2));
  } else {
    const report::Table table = table_of(runs);
    fmt::print("{}", common.format == Format::Markdown ? report::to_markdown(table) : report::to_text(table));
  }
  return kPass;
}

}  // namespace seam::cli
