// Reductions that several blocks share: each writes its partial result to a workspace; the last block of a chunk to arrive adds
// them up in order, so the sum does not depend on who was last.
#include "base/check.h"
#include "lower/part.h"

namespace seam::codegen {

using graph::Op;

std::string PartLowering::workspace(Id<Op> op, std::size_t component, DType dtype, std::int64_t elements) {
  const auto key = std::pair{op, static_cast<std::int64_t>(component)};
  if (const auto found = workspace_names_.find(key); found != workspace_names_.end()) return found->second;
  std::string name = b_.fresh("partial_" + c_.computation.ops[op].name);
  c_.workspaces.push_back(Buffer{name, dtype, elements, Space::Global, Access::Workspace, {}, {}, 0});
  workspace_names_.emplace(key, name);
  return name;
}

void PartLowering::store_partial(const StageOp& op, std::size_t component, std::int64_t outputs, const Expr& result, const Expr& value) {
  const std::string name = workspace(op.op, component, dtype_of(value), outputs * part_.splits);
  b_.emit(Store{name, math_.add(math_.mul(slice_, outputs), result), value});
}

Result<void> PartLowering::emit_combination(const std::vector<Stage>& stages) {
  std::string counters = b_.fresh(prefix_ + "arrived");
  c_.workspaces.push_back(Buffer{counters, DType::U32, part_.blocks, Space::Global, Access::Workspace, {}, {}, 0});
  scratch_used_ = 4096 - 16;  // a place that no reduction before it uses
  const Expr last = b_.last_block("last", counters, chunk_, part_.splits, scratch(DType::U32, 1));
  b_.emit(Note{"the last block of the chunk adds up the partial results, in order"});
  b_.open_if(last);
  for (const Stage& stage : stages) {
    const Owned mine = owned(stage.outputs, stage.columns);
    // A warp per result: its lanes read the partial results in strides.
    const Expr lane = b_.let("lane", math_.mod(thread_, 32));
    const Expr warp = b_.let("warp", math_.div(thread_, 32));
    const Expr row = open_owned_loop(mine, "row", warp, threads_ / 32);
    const Expr result = stage.outputs == 1 ? math_.imm(0) : row;
    for (const StageOp& op : stage.ops) {
      SEAM_CHECK(op.level == Level::Reduce && op.output, "a split part holds output reduces only");
      SEAM_TRY(Running r, start(op));
      const Expr s = b_.open_loop("s", lane, math_.imm(part_.splits), 32);
      std::vector<Expr> partials;
      for (std::size_t i = 0; i < r.combiner.components(); ++i) {
        const DType dtype = r.combiner.accumulator_type(i);
        const std::string name = workspace(op.op, i, dtype, stage.outputs * part_.splits);
        partials.push_back(b_.bind("partial", Load{name, dtype, math_.add(math_.mul(s, stage.outputs), result)}));
      }
      if (auto ok = accumulate_into(b_, r.combiner, r.sums, partials); !ok) return ok;
      b_.close_loop();
      SEAM_TRY(std::vector<Expr> values, shuffled(r.combiner, r.sums, 1, 32));
      SEAM_TRY(values, finished(r, values, result));
      const Expr is_first = Bin{BinOp::Eq, lane, math_.imm(0)};
      b_.open_if(is_first);
      store(op, result, values[0]);
      b_.close_if();
    }
    b_.close_loop();
  }
  b_.close_if();
  return {};
}

}  // namespace seam::codegen
