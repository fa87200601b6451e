#include "import/join_nodes.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/units.h"

namespace seam::collector {
namespace {

constexpr const char* kOps = "r.kind IN ('op', 'annotation')";

std::int64_t joined(db::Writer& writer) { return writer.ask("SELECT count(*) FROM node WHERE range IS NOT NULL").value_or(0); }

/// Gives each node the first op that has its number in `column` and its name.
void join_by(db::Writer& writer, const char* column) {
  writer.change(fmt::format("CREATE INDEX joining ON range ({0}) WHERE {0} IS NOT NULL", column));
  writer.change(fmt::format("UPDATE node SET range = (SELECT min(r.id) FROM range r WHERE r.{} = node.record AND r.name = node.name AND {}) WHERE record IS NOT NULL", column, kOps));
  writer.change("DROP INDEX joining");
}

}  // namespace

void join_nodes(db::Writer& writer, NodeRows& rows, Imported& into) {
  writer.build_indexes();
  const bool numbered = writer.ask(fmt::format("SELECT EXISTS (SELECT 1 FROM range r WHERE r.number > 0 AND {})", kOps)) == 1;
  join_by(writer, numbered ? "number" : "external");
  const std::int64_t candidates = writer.ask("SELECT count(*) FROM node WHERE record IS NOT NULL").value_or(0);
  if (!numbered && joined(writer) * 2 < candidates) {
    // Names that agree now and then are no proof that the numbers mean the same.
    writer.change("UPDATE node SET range = NULL");
    rows.warn("not-joined", "this profiler's trace has no record function ids, and its external ids count something else than the execution trace: no op has tensors");
  }
  writer.change("UPDATE node SET thread = (SELECT thread FROM range WHERE id = node.range) WHERE range IS NOT NULL");
  writer.change("UPDATE range SET signature = (SELECT n.inputs FROM node n WHERE n.range = range.id) WHERE signature IS NULL AND kind = 'op'");
  writer.change("UPDATE collective SET range = (SELECT n.range FROM node n WHERE n.id = collective.node AND NOT EXISTS (SELECT 1 FROM collective o WHERE o.range = n.range)) WHERE node IS NOT NULL");
  const std::int64_t found = joined(writer);
  if (const std::int64_t without = candidates - found; without > 0) rows.lose("node-not-joined", without, "nodes of the execution trace whose op is not in the other trace: they are kept, without times");
  const std::int64_t ops = writer.ask(fmt::format("SELECT count(*) FROM range r WHERE {}", kOps)).value_or(0);
  const std::int64_t with = writer.ask("SELECT count(DISTINCT range) FROM node WHERE range IS NOT NULL").value_or(0);
  if (ops > with) rows.lose("op-not-joined", ops - with, "ops and annotations that the execution trace does not have: without tensors");
  for (auto& [kind, count] : into.rows)
    if (kind == "joined") count = found;
}

}  // namespace seam::collector
