#include "lower/part.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"

namespace seam::codegen {
namespace {

using graph::Op;
using graph::Opcode;
using planner::Placement;
using planner::ScheduleKind;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t align16(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }
bool constant(const Expr& guard, bool value) {
  std::int64_t v = 0;
  return is_int(guard, v) && (v != 0) == value;
}

}  // namespace

PartLowering::PartLowering(PartContext& context, const planner::Part& part, std::string prefix, const Expr& block)
    : c_(context),
      part_(part),
      prefix_(std::move(prefix)),
      b_(context.builder),
      math_(context.builder.index()),
      chunk_(block),
      slice_(context.builder.index().imm(0)),
      thread_(context.builder.index().var("thread")),
      lane_(thread_),
      warp_(thread_),
      threads_(context.group.threads),
      shared_bytes_(part.shared_bytes) {
  if (part.splits > 1) {
    chunk_ = b_.let("chunk", math_.div(block, part.splits));
    slice_ = b_.let("slice", math_.mod(block, part.splits));
  }
  if (part.blocks == 1) chunk_ = math_.imm(0);
}

Result<Body> PartLowering::run() {
  SEAM_TRY(const std::vector<Stage> stages, form_stages(c_.computation, c_.group, part_, math_.type()));
  b_.open_block();
  const bool tiles = std::ranges::any_of(stages, [](const Stage& s) { return s.kind != StageKind::Loop && (s.lanes > 1 || s.kind == StageKind::Columns); });
  if (tiles) {
    lane_ = b_.let("lane", math_.mod(thread_, 32));
    warp_ = b_.let("warp", math_.div(thread_, 32));
  }
  for (const Stage& stage : stages) {
    stage_writes_.clear();
    stage_scratch_reads_.clear();
    stage_has_barrier_ = false;
    (void)c_.elements.take_loads();
    b_.open_block();
    if (auto ok = emit(stage); !ok) return tl::unexpected(std::move(ok).error());
    Body body = b_.close_block();
    std::set<std::string> reads = c_.elements.take_loads();
    reads.insert(stage_scratch_reads_.begin(), stage_scratch_reads_.end());
    std::set<std::string> own;
    for (const StageOp& op : stage.ops) {
      if (op.shared) own.insert(shared_buffer(op.op, 0));
    }
    std::set<std::string> foreign;
    std::ranges::set_difference(reads, own, std::inserter(foreign, foreign.end()));
    for (const std::string& name : stage_scratch_reads_) foreign.erase(name);
    if (needs_barrier(foreign, stage_writes_)) {
      b_.emit(Barrier{});
      written_.clear();
      read_.clear();
    } else if (stage_has_barrier_) {
      written_.clear();
      read_.clear();
    }
    written_.insert(stage_writes_.begin(), stage_writes_.end());
    read_.insert(reads.begin(), reads.end());
    note(stage);
    for (Stmt& stmt : body) b_.emit(std::move(stmt));
  }
  if (part_.splits > 1) {
    if (auto ok = emit_combination(stages); !ok) return tl::unexpected(std::move(ok).error());
  }
  return b_.close_block();
}

bool PartLowering::needs_barrier(const std::set<std::string>& reads, const std::set<std::string>& writes) const {
  const auto meets = [&](const std::string& a, const std::string& b) {
    if (a == b) return true;
    const Buffer& x = buffer(a);
    const Buffer& y = buffer(b);
    return x.offset < y.offset + y.elements * bytes(y.dtype) && y.offset < x.offset + x.elements * bytes(x.dtype);
  };
  const auto any = [&](const std::set<std::string>& xs, const std::set<std::string>& ys) {
    return std::ranges::any_of(xs, [&](const auto& x) { return std::ranges::any_of(ys, [&](const auto& y) { return meets(x, y); }); });
  };
  return any(reads, written_) || any(writes, read_) || any(writes, written_);
}

const Buffer& PartLowering::buffer(const std::string& name) const {
  const auto found = std::ranges::find_if(c_.shared_buffers, [&](const Buffer& b) { return b.name == name; });
  SEAM_CHECK(found != c_.shared_buffers.end(), "no such shared buffer");
  return *found;
}

const planner::PlannedOp& PartLowering::planned(Id<Op> op) const {
  const auto found = std::ranges::find_if(part_.ops, [&](const planner::PlannedOp& p) { return p.op == op; });
  SEAM_CHECK(found != part_.ops.end(), "an op that is not planned in this part");
  return *found;
}

void PartLowering::barrier() {
  b_.emit(Barrier{});
  stage_has_barrier_ = true;
}

Ownership PartLowering::ownership(Id<Op> op) const {
  const std::vector<std::int64_t>& dims = value_dims(c_.computation, op);
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return owned(n, ownership_columns(dims, planned(op).schedule)).ownership;
}

PartLowering::Owned PartLowering::owned(std::int64_t elements, std::int64_t columns) const {
  Owned out{{}, true, 0, math_.imm(0), math_.imm(0)};
  out.ownership.rows = elements / columns;
  out.ownership.columns = columns;
  out.ownership.width = ceil_div(columns, part_.blocks);
  out.ownership.first = math_.mul(chunk_, out.ownership.width);
  out.exact = columns % part_.blocks == 0;
  out.count = out.ownership.count();
  if (!out.exact) {
    out.begin = out.ownership.first;
    out.end = math_.min(math_.add(out.begin, out.ownership.width), math_.imm(elements));
  }
  return out;
}

Expr PartLowering::open_owned_loop(const Owned& owned, std::string_view hint, const Expr& offset, std::int64_t step) {
  if (owned.exact) {
    const Expr local = b_.open_loop(hint, offset, math_.imm(owned.count), step);
    return owned.ownership.global(math_, local);
  }
  return b_.open_loop(hint, math_.add(owned.begin, offset), owned.end, step);
}

std::string PartLowering::shared_buffer(Id<Op> id, std::int64_t component) {
  const auto key = std::pair{id, component};
  if (const auto found = shared_names_.find(key); found != shared_names_.end()) return found->second;
  // Components of a variadic reduce lie behind each other in the op's region, the widest first: each is aligned.
  const Op& op = c_.computation.ops[id];
  const Ownership own = ownership(id);
  std::int64_t offset = planned(id).shared_offset;
  const auto width = [&](std::int64_t i) { return bytes(op.shape.elements.at(static_cast<std::size_t>(i)).dtype); };
  for (std::int64_t i = 0; op.shape.is_tuple && i < std::ssize(op.shape.elements); ++i)
    if (width(i) > width(component) || (width(i) == width(component) && i < component)) offset += own.count() * width(i);
  const DType dtype = op.shape.is_tuple ? op.shape.elements.at(static_cast<std::size_t>(component)).dtype : op.shape.dtype;
  std::string name = b_.fresh(op.name + "_s");
  c_.shared_buffers.push_back(Buffer{name, dtype, own.count(), Space::Shared, Access::Out, id, {}, offset});
  shared_bytes_ = std::max(shared_bytes_, offset + own.count() * bytes(dtype));
  shared_names_.emplace(key, name);
  return name;
}

std::string PartLowering::scratch(DType dtype, std::int64_t elements) {
  // At most 4 KiB: the planner leaves that much. Beyond it the first regions are used again, behind a barrier.
  constexpr std::int64_t kScratchBytes = 4096;
  const std::int64_t size = align16(elements * bytes(dtype));
  if (scratch_used_ > 0 && scratch_used_ + size > kScratchBytes) {
    barrier();
    scratch_used_ = 0;
  }
  const std::int64_t offset = align16(part_.shared_bytes) + scratch_used_;
  scratch_used_ += size;
  shared_bytes_ = std::max(shared_bytes_, offset + size);
  const auto same = std::ranges::find_if(c_.shared_buffers, [&](const Buffer& b) {
    return !b.op.valid() && b.offset == offset && b.dtype == dtype && b.elements == elements && b.name.starts_with(prefix_ + "scratch");
  });
  if (same != c_.shared_buffers.end()) return same->name;
  std::string name = b_.fresh(prefix_ + "scratch");
  c_.shared_buffers.push_back(Buffer{name, dtype, elements, Space::Shared, Access::Out, {}, {}, offset});
  return name;
}

void PartLowering::keep(const StageOp& op) {
  if (!op.shared) return;
  const Op& graph_op = c_.computation.ops[op.op];
  const std::size_t components = graph_op.shape.is_tuple ? graph_op.shape.elements.size() : 1;
  for (std::size_t i = 0; i < components; ++i) {
    c_.elements.set_kept(op.op, static_cast<std::int64_t>(i), shared_buffer(op.op, static_cast<std::int64_t>(i)), ownership(op.op));
  }
}

void PartLowering::store(const StageOp& op, const Expr& index, const Expr& value, std::int64_t component) {
  if (op.output) b_.emit(Store{c_.output_buffers.at(op.op), index, value});
  if (op.shared) {
    const std::string name = shared_buffer(op.op, component);
    stage_writes_.insert(name);
    b_.emit(Store{name, ownership(op.op).local(math_, index), value});
  }
}

Result<void> PartLowering::store_element(const StageOp& op, const Expr& index) {
  SEAM_TRY(const Expr value, c_.elements.value(op.op, index));
  store(op, index, value);
  return {};
}

void PartLowering::open_guard(const Expr& guard) {
  if (!constant(guard, true)) b_.open_if(guard);
}
void PartLowering::close_guard(const Expr& guard) {
  if (!constant(guard, true)) b_.close_if();
}

Result<void> PartLowering::emit(const Stage& stage) {
  scratch_used_ = 0;
  switch (stage.kind) {
    case StageKind::Rows: return emit_rows(stage);
    case StageKind::Columns: return emit_columns(stage);
    default: return emit_loop(stage);
  }
}

Result<void> PartLowering::emit_loop(const Stage& stage) {
  const Owned mine = owned(stage.elements, stage.columns);
  const Expr index = open_owned_loop(mine, "i", thread_, threads_);
  for (const StageOp& op : stage.ops) {
    auto ok = op.level == Level::Result ? emit_update(op, index) : store_element(op, index);
    if (!ok) return ok;
  }
  b_.close_loop();
  for (const StageOp& op : stage.ops) keep(op);
  return {};
}

Result<void> PartLowering::emit_update(const StageOp& op, const Expr& index) {
  const Op& update = c_.computation.ops[op.op];
  const bool scatter = update.opcode == Opcode::Scatter;
  SEAM_TRY(const Elements::Target target, c_.elements.update_target(op.op, index));
  open_guard(target.guard);
  SEAM_TRY(const Expr value, c_.elements.value(update.operands.at(scatter ? 2 : 1), index));
  const std::string& into = c_.output_buffers.at(op.op);
  const graph::Computation* combiner = scatter ? &c_.graph.computations[update.attributes.calls.at(0)] : nullptr;
  const Op* root = combiner != nullptr ? &combiner->ops[combiner->root] : nullptr;
  if (root == nullptr || (root->opcode == Opcode::Parameter && root->attributes.index == 1)) {
    b_.emit(Store{into, target.index, value});
  } else if (root->opcode == Opcode::Add) {
    b_.emit(Atomic{AtomicOp::Add, into, target.index, value});
  } else {
    return unsupported(update, "a scatter that neither adds nor assigns");
  }
  close_guard(target.guard);
  return {};
}

void PartLowering::note(const Stage& stage) {
  std::string_view how = stage.kind == StageKind::Loop ? "elements" : stage.kind == StageKind::Rows ? "rows" : "columns";
  std::string text = stage.kind == StageKind::Loop ? fmt::format("{} of {}:", how, stage.elements)
                                                   : fmt::format("{} {} of {} elements, {} threads each:", stage.outputs, how, stage.reduced, stage.lanes);
  if (stage.kind == StageKind::Columns) text = fmt::format("{} columns of {} elements:", stage.outputs, stage.reduced);
  b_.emit(Note{text});
  for (const StageOp& op : stage.ops) {
    const Op& graph_op = c_.computation.ops[op.op];
    std::string where;
    if (op.shared) where += " -> shared";
    if (op.output) where += " -> " + c_.output_buffers.at(op.op);
    if (where.empty()) where = " -> registers of the row's lanes";
    const std::string& scope = graph_op.metadata.op_name;
    b_.emit(Note{fmt::format("  {} = {} {}{}{}", graph_op.name, graph::name(graph_op.opcode), graph::print(graph_op.shape), where,
                             scope.empty() ? "" : "  [" + scope + "]")});
  }
}

}  // namespace seam::codegen
