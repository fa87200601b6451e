#include "run/virtual_run.h"

#include <algorithm>
#include <unordered_map>

#include "graph/graph.h"

namespace seam::analyzer {
namespace {

using graph::WorkClass;

WorkClass class_of(graph::OpClass op) {
  switch (op) {
    case graph::OpClass::Contraction: return WorkClass::Contraction;
    case graph::OpClass::Reduce: return WorkClass::Normalization;
    case graph::OpClass::Elementwise: return WorkClass::Elementwise;
    case graph::OpClass::Layout: case graph::OpClass::Scatter: case graph::OpClass::Broadcast: case graph::OpClass::Generator: return WorkClass::Layout;
    default: return WorkClass::Unknown;
  }
}

std::string text_in(const db::Field& field) { return std::holds_alternative<std::string>(field) ? std::get<std::string>(field) : std::string(); }

}  // namespace

Result<Evidence> evidence_of_times(const db::Database& run) {
  SEAM_TRY(const db::Rows kind, run.query("SELECT kind FROM run WHERE kind IN ('simulated', 'planned')"));
  if (kind.rows.empty()) return Evidence::Recorded;
  SEAM_TRY(const db::Rows rows, run.query("SELECT (EXISTS (SELECT 1 FROM launch l JOIN evidence e ON e.id = l.evidence WHERE e.name = 'modelled') "
                                          "OR EXISTS (SELECT 1 FROM copy c JOIN evidence e ON e.id = c.evidence WHERE e.name = 'modelled'))"));
  const bool modelled = !rows.rows.empty() && std::holds_alternative<std::int64_t>(rows.rows[0][0]) && std::get<std::int64_t>(rows.rows[0][0]) == 1;
  return modelled ? Evidence::Modelled : Evidence::Recorded;
}

Result<void> classify_by_ops(const db::Database& run, Timeline& timeline) {
  std::unordered_map<std::string, WorkClass> classes;
  // A kernel is of the first class of these that one of its ops has: products before sums before the rest.
  SEAM_TRY(const db::Rows ops, run.query("SELECT DISTINCT n.value, o.value FROM kernel_op p JOIN kernel k ON k.id = p.kernel JOIN string n ON n.id = k.name JOIN string o ON o.id = p.opcode"));
  for (const auto& row : ops.rows) {
    const auto opcode = graph::opcode_named(text_in(row[1]));
    if (!opcode) continue;
    WorkClass& known = classes.try_emplace(text_in(row[0]), WorkClass::Unknown).first->second;
    known = std::min(known, class_of(graph::op_class(*opcode)));
  }
  SEAM_TRY(const db::Rows calls, run.query("SELECT n.value, max(l.flops) > 0 FROM launch l JOIN string n ON n.id = l.name WHERE l.kind = 'library' GROUP BY l.name"));
  for (const auto& row : calls.rows) classes[text_in(row[0])] = std::holds_alternative<std::int64_t>(row[1]) && std::get<std::int64_t>(row[1]) == 1 ? WorkClass::Contraction : WorkClass::Other;
  for (NameInfo& name : timeline.names) {
    const auto found = classes.find(name.text);
    if (found != classes.end() && name.kernel.work == WorkClass::Unknown) name.kernel.work = found->second;
  }
  return {};
}

}  // namespace seam::analyzer
