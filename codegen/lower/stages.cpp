#include "lower/stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/check.h"

namespace seam::codegen {
namespace {

using graph::Computation;
using graph::Op;
using graph::Opcode;
using planner::Placement;
using planner::PlannedOp;
using planner::ScheduleKind;

std::int64_t count_of(const std::vector<std::int64_t>& dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

/// What one op would be in one stage, before it is decided.
struct Candidate {
  StageOp op;
  std::int64_t elements = 0, columns = 0;
  std::optional<ReduceDims> reduce;
  bool warp = false, update = false;
  std::int64_t shared_begin = 0, shared_end = 0;
};

class Former {
 public:
  Former(const Computation& computation, const planner::FusionGroup& group, const planner::Part& part, DType index_type)
      : computation_(computation), group_(group), part_(part), math_(index_type, ranges_) {
    for (const PlannedOp& planned : part.ops) planned_.emplace(planned.op, &planned);
  }

  Result<std::vector<Stage>> run() {
    for (const PlannedOp& planned : part_.ops) {
      const bool warp = planned.placement == Placement::Warp;
      if (!planned.output && planned.placement != Placement::Shared && !warp) continue;
      SEAM_TRY(Candidate candidate, candidate_of(planned));
      if (auto ok = place(candidate); !ok) return tl::unexpected(std::move(ok).error());
    }
    return std::move(stages_);
  }

 private:
  struct KeptRead {
    Id<Op> op;
    std::optional<Expr> index;
  };
  struct Home {
    std::size_t stage;
    StageOp op;
    std::int64_t shared_begin, shared_end;
    bool warp;
  };

  Result<Candidate> candidate_of(const PlannedOp& planned) {
    const Op& op = computation_.ops[planned.op];
    Candidate c;
    c.op.op = planned.op;
    c.op.output = planned.output;
    c.op.shared = planned.placement == Placement::Shared;
    c.warp = planned.placement == Placement::Warp;
    c.update = std::ranges::any_of(group_.in_place, [&](const auto& pair) { return pair.first == planned.op; });
    const std::vector<std::int64_t>& dims = c.update ? computation_.ops[op.operands.at(op.opcode == Opcode::Scatter ? 2 : 1)].shape.dims
                                                     : value_dims(computation_, planned.op);
    c.elements = count_of(dims);
    c.columns = ownership_columns(dims, planned.schedule);
    c.shared_begin = planned.shared_offset;
    c.shared_end = planned.shared_offset + planned.shared_bytes;
    if (op.opcode == Opcode::Scatter && !c.update) return unsupported(op, "a scatter that does not update in place");
    if (op.opcode == Opcode::Reduce) {
      c.reduce = reduce_dims(computation_, op);
      c.op.reduce = planned.op;
      c.op.level = Level::Reduce;
      if (op.shape.is_tuple && planned.output) return unsupported(op, "a tuple cannot be written as one output");
    } else if (c.warp) {
      return unsupported(op, "only a reduce can be kept in a warp");
    }
    return c;
  }

  /// Kept values that computing the candidate reads, at which index.
  std::vector<KeptRead> kept_reads(const Candidate& c, const Expr& index, const std::optional<Expr>& reduced) {
    std::vector<KeptRead> out;
    std::vector<std::pair<Id<Op>, std::optional<Expr>>> todo;
    std::set<Id<Op>> unknown_seen;
    std::unordered_set<ValueKey, ValueKeyHash> seen;
    const auto visit = [&](const Read& read) {
      if (!planned_.contains(read.op)) {
        const Id<Op> storage = planner::storage_of(computation_, read.op);
        if (storage == read.op || !planned_.contains(storage)) return;
        todo.emplace_back(storage, read.index);
        return;
      }
      todo.emplace_back(read.op, read.index);
    };
    const Op& op = computation_.ops[c.op.op];
    if (c.update) {
      for (std::size_t i = 1; i < op.operands.size(); ++i) {
        const bool is_update = i == (op.opcode == Opcode::Scatter ? 2U : 1U);
        visit(Read{op.operands[i], 0, is_update ? std::optional<Expr>(index) : std::nullopt});
      }
    } else if (c.reduce) {
      const std::size_t count = op.operands.size() / 2;
      for (std::size_t i = 0; i < op.operands.size(); ++i) visit(Read{op.operands[i], 0, i < count ? reduced : std::optional<Expr>(math_.imm(0))});
    } else {
      for (const Read& read : reads_of(math_, computation_, c.op.op, index)) visit(read);
    }
    while (!todo.empty()) {
      const auto [id, at] = todo.back();
      todo.pop_back();
      if (at ? !seen.insert(ValueKey{id, 0, *at}).second : !unknown_seen.insert(id).second) continue;
      const Placement placement = planned_.at(id)->placement;
      if (placement == Placement::Shared || placement == Placement::Warp) {
        out.push_back(KeptRead{id, at});
        continue;
      }
      if (at) {
        for (const Read& read : reads_of(math_, computation_, id, *at)) visit(read);
      } else {
        for (const Id<Op> operand : computation_.ops[id].operands) visit(Read{operand, 0, std::nullopt});
      }
    }
    return out;
  }

  Expr symbol(const char* name, std::int64_t extent) {
    if (extent == 1) return math_.imm(0);
    ranges_.set(name, {0, extent - 1});
    return math_.var(name);
  }

  /// Index expressions of a stage: of its looped elements, of its results, of a reduce's operand.
  struct Walk {
    Expr element, result;
  };
  Walk walk_of(const Stage& stage) {
    if (stage.kind == StageKind::Loop) {
      const Expr e = symbol("e", stage.elements);
      return {e, e};
    }
    const Expr r = symbol("r", stage.outputs);
    const Expr k = symbol("k", stage.reduced);
    if (stage.kind == StageKind::Rows) return {math_.add(math_.mul(r, stage.reduced), k), r};
    return {math_.add(math_.mul(k, stage.outputs), r), r};
  }

  bool divides_alike(std::int64_t a, std::int64_t b) const {
    return part_.blocks == 1 || (a % part_.blocks == 0 && b % part_.blocks == 0);
  }

  /// The stage as it would be with the candidate's op in it at `level`, if the two walk the same elements.
  std::optional<Stage> same_walk(const Stage& stage, Candidate& c) const {
    Stage out = stage;
    const bool single = part_.blocks == 1;
    if (c.reduce) {
      const StageKind kind = reduce_kind(*c.reduce);
      if (stage.kind == StageKind::Loop) {
        // Elementwise ops over the operand join the reduce's loop, if it walks them in memory order.
        const bool rows = kind == StageKind::Rows && lanes() > 1 && (single || stage.columns == stage.elements);
        const bool columns = kind == StageKind::Columns && (single || stage.columns == c.reduce->outputs);
        if (c.reduce->elements == 1 || stage.elements != c.reduce->outputs * c.reduce->elements || (!rows && !columns)) return std::nullopt;
        // The block's results are the columns (or rows) of the elements it owns only where they lie in one run.
        if (!single && c.columns != c.reduce->outputs) return std::nullopt;
        if (has_update(stage) || !divides_alike(stage.elements, c.reduce->outputs) || part_.splits > 1) return std::nullopt;
        out.kind = kind;
        out.outputs = c.reduce->outputs;
        out.columns = c.columns;
        out.reduced = c.reduce->elements;
        out.lanes = lanes();
        for (StageOp& op : out.ops) op.level = Level::Element;
        return out;
      }
      return stage.kind == kind && stage.outputs == c.reduce->outputs && stage.reduced == c.reduce->elements && stage.columns == c.columns
                 ? std::optional<Stage>(out)
                 : std::nullopt;
    }
    if (stage.kind == StageKind::Loop) {
      return stage.elements == c.elements && stage.columns == c.columns ? std::optional<Stage>(out) : std::nullopt;
    }
    if (c.update || part_.splits > 1) return std::nullopt;
    if (c.elements == stage.outputs && c.columns == stage.columns) {
      c.op.level = Level::Result;
      return out;
    }
    if (stage.reduced == 1 || c.elements != stage.outputs * stage.reduced || !divides_alike(c.elements, stage.outputs)) return std::nullopt;
    const bool owned_alike = stage.kind == StageKind::Rows ? stage.lanes > 1 && c.columns == c.elements : c.columns == stage.outputs;
    if (!owned_alike && !single) return std::nullopt;
    if (stage.kind == StageKind::Rows && stage.lanes == 1) return std::nullopt;
    if (stage.columns != stage.outputs && !single) return std::nullopt;
    c.op.level = Level::Element;
    return out;
  }

  static bool has_update(const Stage& stage) {
    return std::ranges::any_of(stage.ops, [](const StageOp& op) { return op.level == Level::Result; });
  }

  int lanes() const { return part_.lanes <= 1 ? 1 : part_.lanes <= 32 ? 32 : group_.threads; }
  StageKind reduce_kind(const ReduceDims& dims) const {
    return dims.minor_reduced || lanes() == 1 ? StageKind::Rows : StageKind::Columns;
  }

  bool overlaps(const Candidate& c, const Home& home) const {
    return c.op.shared && home.op.shared && c.shared_begin < home.shared_end && home.shared_begin < c.shared_end;
  }

  /// Adds the candidate to stage `at` if what it reads there is its own thread's or its own row's; says in which pass.
  bool join(std::size_t at, Candidate c) {
    std::optional<Stage> grown = same_walk(stages_[at], c);
    if (!grown) return false;
    const Walk walk = walk_of(*grown);
    const std::optional<Expr> operand =
        c.reduce ? std::optional<Expr>(reduce_operand_index(math_, *c.reduce, walk.result, symbol("k", c.reduce->elements))) : std::nullopt;
    const Expr index = c.op.level == Level::Element ? walk.element : walk.result;
    int pass = 0;
    for (const KeptRead& read : kept_reads(c, index, operand)) {
      const auto home = homes_.find(read.op);
      if (home == homes_.end() || home->second.stage != at) continue;
      const auto inside = std::ranges::find_if(grown->ops, [&](const StageOp& op) { return op.op == read.op; });
      SEAM_CHECK(inside != grown->ops.end(), "an op is not in its own stage");
      const bool element = inside->level == Level::Element;
      if (!read.index || !(*read.index == (element ? walk.element : walk.result))) return false;
      if (grown->kind == StageKind::Columns && !element && c.op.level != Level::Result) return false;
      if (grown->kind == StageKind::Loop) continue;
      pass = std::max(pass, inside->pass + (!element && c.op.level != Level::Result ? 1 : 0));
    }
    if (grown->kind == StageKind::Columns && pass > 0) return false;
    c.op.pass = pass;
    grown->ops.push_back(c.op);
    stages_[at] = std::move(*grown);
    // Loop stages that became Rows or Columns have other levels now.
    for (const StageOp& op : stages_[at].ops) homes_.insert_or_assign(op.op, home_of(at, op, c));
    return true;
  }

  Home home_of(std::size_t stage, const StageOp& op, const Candidate& c) {
    if (const auto old = homes_.find(op.op); old != homes_.end()) return Home{stage, op, old->second.shared_begin, old->second.shared_end, old->second.warp};
    return Home{stage, op, c.shared_begin, c.shared_end, c.warp};
  }

  Result<void> place(const Candidate& c) {
    // The index of reads does not matter here, only who is read.
    std::size_t first = 0;
    bool needs_warp = false;
    for (const KeptRead& read : kept_reads(c, symbol("e", std::max<std::int64_t>(c.elements, 2)), std::nullopt)) {
      const auto home = homes_.find(read.op);
      if (home == homes_.end()) return unsupported(computation_.ops[read.op], "it is read before the plan computes it");
      first = std::max(first, home->second.stage);
      needs_warp = needs_warp || home->second.warp;
    }
    // Memory that is used again binds the order: never move such an op to an earlier stage.
    const bool reuses = std::ranges::any_of(homes_, [&](const auto& home) { return overlaps(c, home.second); });
    if (reuses && !stages_.empty()) first = stages_.size() - 1;
    for (std::size_t at = first; at < stages_.size(); ++at) {
      if (reuses && !reuse_is_safe(at, c)) continue;
      if (join(at, c)) return {};
    }
    if (needs_warp) return unsupported(computation_.ops[c.op.op], "it reads a value that the plan keeps in another loop's warp");
    if (!overwrites_own_only(c)) return unsupported(computation_.ops[c.op.op], "it takes the memory of a value of which other threads still read");
    Stage stage;
    stage.elements = c.elements;
    stage.columns = c.columns;
    StageOp op = c.op;
    if (c.reduce) {
      stage.kind = reduce_kind(*c.reduce);
      stage.outputs = c.reduce->outputs;
      stage.reduced = c.reduce->elements;
      stage.lanes = lanes();
    } else if (c.update) {
      op.level = Level::Result;  // of a Loop: it stores to where its indices say
    }
    stage.ops.push_back(op);
    homes_.insert_or_assign(op.op, Home{stages_.size(), op, c.shared_begin, c.shared_end, c.warp});
    stages_.push_back(std::move(stage));
    return {};
  }

  /// An op that is written where something it reads lies must read just what its thread overwrites.
  bool overwrites_own_only(const Candidate& c) {
    const Expr e = symbol("e", c.elements);
    const auto bytes_of = [&](Id<Op> op) { return bytes(computation_.ops[op].shape.dtype); };
    for (const KeptRead& read : kept_reads(c, e, std::nullopt)) {
      const Home& home = homes_.at(read.op);
      if (!overlaps(c, home)) continue;
      const bool own = !c.reduce && read.index && *read.index == e && home.shared_begin == c.shared_begin && bytes_of(c.op.op) == bytes_of(read.op);
      if (!own) return false;
    }
    return true;
  }

  /// A value may take the memory of one that the same stage reads only if nobody else's element is touched.
  bool reuse_is_safe(std::size_t at, const Candidate& c) {
    return std::ranges::none_of(homes_, [&](const auto& entry) {
      if (!overlaps(c, entry.second)) return false;
      if (entry.second.stage == at) return true;
      return read_in_stage(at, entry.first);
    });
  }
  bool read_in_stage(std::size_t at, Id<Op> kept) {
    for (const StageOp& op : stages_[at].ops) {
      const PlannedOp& planned = *planned_.at(op.op);
      const Result<Candidate> c = candidate_of(planned);
      if (!c) return true;
      for (const KeptRead& read : kept_reads(*c, symbol("e", std::max<std::int64_t>(c->elements, 2)), std::nullopt)) {
        if (read.op == kept) return true;
      }
    }
    return false;
  }

  const Computation& computation_;
  const planner::FusionGroup& group_;
  const planner::Part& part_;
  Ranges ranges_;
  IndexMath math_;
  std::map<Id<Op>, const PlannedOp*> planned_;
  std::map<Id<Op>, Home> homes_;
  std::vector<Stage> stages_;
};

}  // namespace

const std::vector<std::int64_t>& value_dims(const Computation& computation, Id<Op> id) {
  const graph::Shape& shape = computation.ops[id].shape;
  return shape.is_tuple && !shape.elements.empty() ? shape.elements.front().dims : shape.dims;
}

std::int64_t ownership_columns(const std::vector<std::int64_t>& dims, const planner::Schedule& schedule) {
  std::int64_t n = 1;
  const std::size_t from = schedule.kind == ScheduleKind::Column ? static_cast<std::size_t>(schedule.split_dim) : 0;
  for (std::size_t i = from; i < dims.size(); ++i) n *= dims[i];
  return n;
}

Result<std::vector<Stage>> form_stages(const Computation& computation, const planner::FusionGroup& group, const planner::Part& part,
                                       DType index_type) {
  return Former(computation, group, part, index_type).run();
}

}  // namespace seam::codegen
