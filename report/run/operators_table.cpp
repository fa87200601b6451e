#include <fmt/core.h>

#include <algorithm>

#include "base/units.h"
#include "report/run_report.h"

namespace seam::report {
namespace {

std::string rate(double per_ns) { return fmt::format("{:.3g} T", per_ns / 1e3); }

}  // namespace

std::optional<Table> operators_table(const RunReport& report, std::size_t most) {
  if (std::ranges::none_of(report.operators, [](const analyzer::OperatorRoof& one) { return one.flop.has_value(); })) return std::nullopt;
  Table table;
  table.title = report.roof_device.empty() ? std::string("Operators and what they need at least") : fmt::format("Operators against the roofs of {}", report.roof_device);
  table.columns = {{"op", "operator", Unit::Text, {}}, {"shapes", "tensors", Unit::Text, {}}, {"calls", "calls", Unit::Count, report.timeline.evidence}, {"us", "device time", Unit::Microseconds, report.timeline.evidence},
                   {"flop", "flop a call", Unit::Count, Evidence::Modelled}, {"bytes", "bytes a call", Unit::Bytes, Evidence::Modelled}, {"intensity", "flop/byte", Unit::Text, Evidence::Modelled},
                   {"bytes_rate", "bytes/s", Unit::Text, Evidence::Modelled}, {"flop_rate", "flop/s", Unit::Text, Evidence::Modelled}, {"of_roof", "of roof", Unit::Percent, Evidence::Modelled}, {"bound", "bound by", Unit::Text, {}}};
  std::int64_t all = 0, known = 0;
  double least = 0;
  for (const analyzer::OperatorRoof& one : report.operators) {
    all += one.device_ns;
    if (one.least_ns) {
      known += one.device_ns;
      least += *one.least_ns;
    }
    if (most != 0 && table.rows.size() >= most) continue;
    const auto ns = static_cast<double>(std::max<std::int64_t>(one.device_ns, 1)), calls = static_cast<double>(one.calls);
    const bool needs = one.flop && one.bytes;
    table.rows.push_back({one.op, one.shapes, one.calls, static_cast<double>(one.device_ns) / 1e3, needs ? Cell(static_cast<std::int64_t>(*one.flop)) : Cell(Unknown{}), needs ? Cell(*one.bytes) : Cell(Unknown{}),
                          needs && *one.bytes > 0 ? Cell(fmt::format("{:.3g}", *one.flop / *one.bytes)) : Cell(Unknown{}), needs ? Cell(rate(*one.bytes * calls / ns)) : Cell(Unknown{}),
                          needs ? Cell(rate(*one.flop * calls / ns)) : Cell(Unknown{}), one.least_ns ? Cell(100 * *one.least_ns / ns) : Cell(Unknown{}),
                          one.least_ns ? Cell(std::string(one.memory_bound ? "memory" : "arithmetic")) : Cell(Unknown{})});
  }
  table.notes = {"flop and bytes: from the shapes of one call, every tensor read and written once; time: of the kernels that the operator launched itself. Above 100 %: tensors that were in the caches, or a kernel that does less than the operator says"};
  if (!report.roof_device.empty() && known > 0) {
    table.notes.push_back(fmt::format("{} of {} of device time under operators is by those with known needs; at the device's roofs they would take {}", human_microseconds(static_cast<double>(known) / 1e3),
                                      human_microseconds(static_cast<double>(all) / 1e3), human_microseconds(least / 1e3)));
  }
  if (report.operators.size() > table.rows.size()) table.notes.push_back(fmt::format("{} more; -v shows all", human_count(std::ssize(report.operators) - std::ssize(table.rows))));
  return table;
}

}  // namespace seam::report
