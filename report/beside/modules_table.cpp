#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/module_table.h"

namespace seam::report {
namespace {

using analyzer::Launching;

/// What is compared over many modules: ours over theirs.
struct Measure {
  std::string_view title;
  std::function<double(const CostTotals&)> of;
};

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all = {
      {"kernels and copies", [](const CostTotals& t) { return static_cast<double>(t.kernels + t.copies); }},
      {"with library calls", [](const CostTotals& t) { return static_cast<double>(t.launches()); }},
      {"bytes of kernels and copies", [](const CostTotals& t) { return t.kernel_bytes() + t.copy_bytes; }},
      {"bytes in all", [](const CostTotals& t) { return t.bytes(); }},
      {"time when the host launches", [](const CostTotals& t) { return t.time_us(Launching::Eager).mid; }},
      {"time in a CUDA graph", [](const CostTotals& t) { return t.time_us(Launching::GraphReplay).mid; }},
  };
  return all;
}

std::string counts(const CostTotals& t) { return fmt::format("{}+{}+{}", t.kernels, t.copies, t.library_calls); }

Cell over(double ours, double theirs) { return theirs > 0 ? Cell(ours / theirs) : Cell(Blank{}); }

std::string summary(const ModuleTable& all, std::size_t c, const Measure& measure) {
  double sum = 0, worst = 0;
  std::string where;
  int modules = 0;
  for (const ModuleRow& row : all.rows) {
    if (c >= row.beside.size() || !row.beside[c]) continue;
    const double ours = measure.of(row.beside[c]->ours.totals()), theirs = measure.of(row.beside[c]->theirs.totals());
    if (ours <= 0 || theirs <= 0) continue;
    sum += std::log(ours / theirs);
    ++modules;
    if (ours / theirs > worst) {
      worst = ours / theirs;
      where = row.module;
    }
  }
  if (modules == 0) return {};
  return fmt::format("{}, {} over {}: geometric mean of {} modules {:.2f}, at most {:.2f} ({}).", measure.title, all.policies.back(), all.compilers[c], modules, std::exp(sum / modules), worst, where);
}

}  // namespace

std::vector<Table> beside_tables(const ModuleTable& all) {
  std::vector<Table> out;
  for (std::size_t c = 0; c < all.compilers.size(); ++c) {
    const std::string &theirs = all.compilers[c], &ours = all.policies.back();
    Table table{fmt::format("{} and {} on the same simulated {}", theirs, ours, all.device),
                {{"module", "module"},
                 {"their_launches", theirs},
                 {"our_launches", ours},
                 {"floor", "floor", Unit::Count},
                 {"their_bytes", "moves", Unit::Bytes},
                 {"our_bytes", ours + " moves", Unit::Bytes},
                 {"bytes_ratio", "ratio", Unit::Ratio},
                 {"floor_bytes", "floor moves", Unit::Bytes, Evidence::Modelled},
                 {"their_us", "us in a graph", Unit::Microseconds, Evidence::Modelled},
                 {"our_us", ours + " us", Unit::Microseconds, Evidence::Modelled},
                 {"time_ratio", "ratio", Unit::Ratio},
                 {"eager_ratio", "eager ratio", Unit::Ratio}},
                {},
                {}};
    for (const ModuleRow& row : all.rows) {
      if (c >= row.beside.size() || !row.beside[c]) continue;
      const SideBySide& sides = *row.beside[c];
      const CostTotals a = sides.theirs.totals(), b = sides.ours.totals();
      const double at = a.time_us(Launching::GraphReplay).mid, bt = b.time_us(Launching::GraphReplay).mid;
      table.rows.push_back({row.module, counts(a), counts(b), sides.floor_kernels, a.bytes(), b.bytes(), over(b.bytes(), a.bytes()), static_cast<double>(sides.floor_bytes) + b.library_bytes, at, bt, over(bt, at), over(b.time_us(Launching::Eager).mid, a.time_us(Launching::Eager).mid)});
      for (const ProgramCost* program : {&sides.theirs, &sides.ours})
        for (const std::string& note : program->notes) table.notes.push_back(fmt::format("{}, {}: {}.", row.module, program->name, note));
    }
    if (table.rows.empty()) continue;
    table.notes.emplace_back(
        "Launches are kernels+copies+library calls of one run. Bytes: distinct 32-byte sectors of each kernel launch, simulated from the PTX of both sides; copies and library calls by their operands and results. "
        "Times are the mid of one model for both. The floor keeps our library calls: kernels and copies at least, and bytes of kernels at least, to which those of the calls are added.");
    for (const Measure& measure : measures())
      if (std::string line = summary(all, c, measure); !line.empty()) table.notes.push_back(std::move(line));
    out.push_back(std::move(table));
  }
  return out;
}

}  // namespace seam::report
