#include <fmt/core.h>

#include <algorithm>

#include "base/units.h"
#include "report/side_by_side.h"
#include "table/names.h"

namespace seam::report {
namespace {

using analyzer::Band;
using analyzer::Launching;

std::string band_text(const Band& band) { return fmt::format("{:.4g} / {:.4g} / {:.4g}", band.low, band.mid, band.high); }

std::string signed_bytes(double bytes) { return bytes < 0 ? "-" + human_bytes(-bytes) : human_bytes(bytes); }

std::string ratio(double ours, double theirs) { return theirs > 0 ? fmt::format("{:.2f}", ours / theirs) : ""; }

std::string_view kind_name(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::Kernel: return "kernel";
    case LaunchKind::Copy: return "copy";
    case LaunchKind::Library: break;
  }
  return "library call";
}

/// What a kernel waits for.
Cell limit_of(const LaunchCost& launch) {
  return launch.kind == LaunchKind::Kernel && launch.evidence != Evidence::Unknown ? Cell(std::string(analyzer::name(launch.limiter))) : Cell(Blank{});
}

/// Which of ours takes the most time, and the verdict over all.
std::string verdict(const SideBySide& sides) {
  const double theirs = sides.theirs.totals().time_us(Launching::GraphReplay).mid, ours = sides.ours.totals().time_us(Launching::GraphReplay).mid;
  if (theirs <= 0 || sides.theirs.totals().evidence == Evidence::Unknown || sides.ours.totals().evidence == Evidence::Unknown) return {};
  std::string out = fmt::format("{} is modelled {} {} here: {:.2f} of its time in a CUDA graph.", sides.ours.name, ours <= theirs ? "no slower than" : "SLOWER than", sides.theirs.name, ours / theirs);
  const auto most = std::ranges::max_element(sides.ours.launches, {}, [](const LaunchCost& one) { return one.time_us.mid * static_cast<double>(one.times); });
  if (ours > theirs && most != sides.ours.launches.end())
    out += fmt::format(" Most of ours goes into {}: {:.1f} us, limited by {}.", most->name, most->time_us.mid * static_cast<double>(most->times), most->kind == LaunchKind::Kernel ? analyzer::name(most->limiter) : "the library");
  return out;
}

/// Those of ours that compute what it does, the largest share first.
std::string counterparts(const SideBySide& sides, const MatchedLaunch& launch) {
  std::vector<std::string> names;
  for (const Counterpart& one : launch.ours) names.push_back(sides.ours.launches[one.ours].name);
  return names.empty() ? "none" : first_of(names, 3);
}

}  // namespace

Table totals_table(const SideBySide& sides) {
  const CostTotals theirs = sides.theirs.totals(), ours = sides.ours.totals();
  Table table{fmt::format("{} and {} on the same simulated device", sides.theirs.name, sides.ours.name),
              {{"what", "a run of the program"}, {"theirs", sides.theirs.name}, {"ours", sides.ours.name}, {"ratio", "ratio"}, {"evidence", "evidence"}},
              {},
              {}};
  const auto count = [&](std::string what, std::int64_t a, std::int64_t b) {
    table.rows.push_back({std::move(what), human_count(a), human_count(b), ratio(static_cast<double>(b), static_cast<double>(a)), std::string("counted")});
  };
  const std::string simulated(name(std::max(theirs.evidence, ours.evidence)));
  const std::string modelled(name(Evidence::Modelled));
  // Sums without some kernel are no sums: they are not compared.
  const bool whole = theirs.evidence != Evidence::Unknown && ours.evidence != Evidence::Unknown;
  const auto compared = [&](double b, double a) { return whole ? ratio(b, a) : std::string("unknown"); };
  const auto bytes = [&](std::string what, double a, double b, const std::string& evidence) {
    table.rows.push_back({std::move(what), human_bytes(a), human_bytes(b), compared(b, a), evidence});
  };
  const auto large = [&](std::string what, double a, double b) {
    table.rows.push_back({std::move(what), human_count(static_cast<std::int64_t>(a)), human_count(static_cast<std::int64_t>(b)), compared(b, a), simulated});
  };
  const auto time = [&](std::string what, const Band& a, const Band& b) { table.rows.push_back({std::move(what), band_text(a), band_text(b), compared(b.mid, a.mid), modelled}); };
  count("kernels", theirs.kernels, ours.kernels);
  count("copies", theirs.copies, ours.copies);
  count("kernels + copies", theirs.kernels + theirs.copies, ours.kernels + ours.copies);
  count("library calls", theirs.library_calls, ours.library_calls);
  count("all launches", theirs.launches(), ours.launches());
  bytes("kernels read (DRAM)", theirs.kernel_bytes_read, ours.kernel_bytes_read, simulated);
  bytes("kernels write (DRAM)", theirs.kernel_bytes_written, ours.kernel_bytes_written, simulated);
  bytes("copies move", theirs.copy_bytes, ours.copy_bytes, modelled);
  bytes("library calls move", theirs.library_bytes, ours.library_bytes, modelled);
  bytes("bytes in all", theirs.bytes(), ours.bytes(), modelled);
  bytes("kernels ask caches for", theirs.requested, ours.requested, simulated);
  large("instructions of threads", theirs.instructions, ours.instructions);
  large("barriers of blocks", theirs.barriers, ours.barriers);
  time("execution, us", theirs.execution_us, ours.execution_us);
  time("launched by the host, us", theirs.time_us(Launching::Eager), ours.time_us(Launching::Eager));
  time("in a CUDA graph, us", theirs.time_us(Launching::GraphReplay), ours.time_us(Launching::GraphReplay));
  if (std::string said = verdict(sides); !said.empty()) table.notes.push_back(std::move(said));
  table.notes.emplace_back(
      "DRAM: distinct 32-byte sectors of each launch, counted while the PTX of both sides ran on the simulator (a cache without limit inside a launch). Times are low / mid / high of one model for "
      "both; ratios compare mid. They rank; no speed is claimed.");
  table.notes.push_back(fmt::format("Least for a plan that keeps {}'s library calls with their operands: kernels and copies {}, which move {}. Other calls or operands can need less.", sides.ours.name, human_count(sides.floor_kernels), human_bytes(static_cast<double>(sides.floor_bytes))));
  for (const ProgramCost* program : {&sides.theirs, &sides.ours})
    for (const std::string& note : program->notes) table.notes.push_back(program->name + ": " + note + ".");
  return table;
}

Table launches_table(const SideBySide& sides, std::size_t most) {
  Table table{fmt::format("Which launches of {} move bytes that {} does not", sides.theirs.name, sides.ours.name),
              {{"theirs", sides.theirs.name},
               {"kind", "kind"},
               {"times", "times", Unit::Count},
               {"bytes", "moves", Unit::Bytes},
               {"kept_bytes", "of values kept on chip", Unit::Bytes, Evidence::Modelled},
               {"us", "us", Unit::Microseconds, Evidence::Modelled},
               {"limited_by", "limited by"},
               {"ours", "computed by"},
               {"our_bytes", "its share moves", Unit::Bytes},
               {"our_us", "us", Unit::Microseconds, Evidence::Modelled},
               {"saved_bytes", "saved", Unit::Bytes}},
              {},
              {}};
  const std::size_t shown = most == 0 ? sides.launches.size() : std::min(most, sides.launches.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const MatchedLaunch& row = sides.launches[i];
    const LaunchCost& launch = sides.theirs.launches[row.theirs];
    const Cell bytes = launch.evidence == Evidence::Unknown ? Cell(Unknown{}) : Cell(row.bytes);
    table.rows.push_back({launch.name, std::string(kind_name(launch.kind)), launch.times, bytes, row.kept_bytes, row.time_us.mid, limit_of(launch), counterparts(sides, row), row.our_bytes, row.our_time_us.mid, row.saved()});
  }
  if (shown < sides.launches.size()) table.notes.push_back(fmt::format("{} more launches of theirs: --format json has all.", sides.launches.size() - shown));
  table.notes.emplace_back(
      "Figures are of a whole run: times the launches, execution without gaps. Of values kept on chip: what the launch reads and writes of values that our plan never puts in memory. "
      "What one of ours moves is divided among theirs by the sizes of the results that both compute, so each share is modelled; the sums are not.");
  double kept = 0;
  for (const MatchedLaunch& row : sides.launches) kept += row.kept_bytes;
  table.notes.push_back(fmt::format("Values that {} keeps on chip account for {} of what {} moves.", sides.ours.name, human_bytes(kept), sides.theirs.name));
  std::vector<std::string> rest;
  double rest_bytes = 0, saved = 0;
  for (const MatchedLaunch& row : sides.launches) saved += row.saved();
  for (const std::size_t i : sides.unmatched) {
    rest.push_back(sides.ours.launches[i].name);
    rest_bytes += static_cast<double>(sides.ours.launches[i].times) * sides.ours.launches[i].bytes();
  }
  if (!rest.empty()) table.notes.push_back(fmt::format("Ours that compute nothing found in theirs (copies among them): {}, {} in all.", first_of(rest), human_bytes(rest_bytes)));
  table.notes.push_back(fmt::format("All rows together save {}{}: {}, the difference of the totals.", signed_bytes(saved), rest.empty() ? "" : fmt::format(", less what those move {}", human_bytes(rest_bytes)), signed_bytes(saved - rest_bytes)));
  if (!matches_well(sides))
    table.notes.push_back("LITTLE OF THIS TABLE CAN BE TRUSTED: most of their ops were not found in the plan. Was the module given without its metadata? The one named …before_optimizations.txt in the dump has it.");
  table.notes.push_back(fmt::format("Of their ops, {} were found in the plan by name, {} by where in the program they come from, {} products by their size, {} not at all.", sides.by_name, sides.by_position, sides.by_size, sides.unknown));
  return table;
}

bool matches_well(const SideBySide& sides) { return sides.unknown <= sides.by_name + sides.by_position + sides.by_size; }

Table our_launches_table(const SideBySide& sides, std::size_t most) {
  Table table{fmt::format("Launches of {}, counted", sides.ours.name),
              {{"ours", sides.ours.name}, {"kind", "kind"}, {"times", "times", Unit::Count}, {"bytes_read", "read", Unit::Bytes}, {"bytes_written", "written", Unit::Bytes}, {"requested", "asked of caches", Unit::Bytes},
               {"instructions", "instructions", Unit::Count}, {"us", "us", Unit::Microseconds, Evidence::Modelled}, {"limited_by", "limited by"}},
              {},
              {}};
  std::vector<const LaunchCost*> order;
  for (const LaunchCost& launch : sides.ours.launches) order.push_back(&launch);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const LaunchCost* one) { return one->time_us.mid * static_cast<double>(one->times); });
  if (most > 0 && order.size() > most) {
    table.notes.push_back(fmt::format("{} more launches of ours take less: --format json has all.", order.size() - most));
    order.resize(most);
  }
  for (const LaunchCost* one : order) {
    const bool kernel = one->kind == LaunchKind::Kernel, known = one->evidence != Evidence::Unknown;
    const auto figure = [&](double value) { return !known ? Cell(Unknown{}) : Cell(value); };
    table.rows.push_back({one->name, std::string(kind_name(one->kind)), one->times, figure(one->bytes_read), figure(one->bytes_written), kernel ? figure(one->requested) : Cell(Blank{}),
                          kernel ? (known ? Cell(static_cast<std::int64_t>(one->instructions)) : Cell(Unknown{})) : Cell(Blank{}), figure(one->time_us.mid), limit_of(*one)});
  }
  table.notes.emplace_back("Figures of one launch, from what was counted while it ran; times of plans, which are made before there is a kernel, are estimates and differ.");
  return table;
}

Table formula_table(const SideBySide& sides) {
  Table table{"How times are modelled", {{"term", "the same for both sides"}}, {}, {}};
  for (const std::string& line : sides.formula) table.rows.push_back({line});
  return table;
}

}  // namespace seam::report
