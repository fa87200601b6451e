// Rows: `lanes` threads share a row. Each walks every lanes-th element, then partial results meet by shuffles, and for whole-block
// rows once more through shared memory. All lanes know the result, so later ops of the same row need no barrier.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "lower/part.h"

namespace seam::codegen {

using graph::Op;

Result<PartLowering::Running> PartLowering::start(const StageOp& stage_op) {
  const Op& op = c_.computation.ops[stage_op.reduce];
  SEAM_TRY(Combiner combiner, Combiner::of(c_.graph, c_.computation, op));
  std::vector<Expr> inits;
  for (std::size_t i = 0; i < combiner.components(); ++i) {
    SEAM_TRY(Expr init, c_.elements.value(op.operands.at(combiner.components() + i), math_.imm(0)));
    inits.push_back(std::move(init));
  }
  std::vector<Expr> variables;
  for (const Expr& first : combiner.start(inits)) variables.push_back(b_.declare(op.name + "_acc", first));
  return Running{&stage_op, std::move(combiner), reduce_dims(c_.computation, op), std::move(inits), std::move(variables)};
}

Result<void> PartLowering::accumulate(Running& running, const Expr& result, const Expr& k) {
  const Op& op = c_.computation.ops[running.op->reduce];
  const Expr from = reduce_operand_index(math_, running.dims, result, k);
  std::vector<Expr> values;
  for (std::size_t i = 0; i < running.combiner.components(); ++i) {
    SEAM_TRY(const Expr element, c_.elements.value(op.operands[i], from));
    values.push_back(running.combiner.lifted(i, element));
  }
  return accumulate_into(b_, running.combiner, running.sums, values);
}

Result<std::vector<Expr>> PartLowering::shuffled(const Combiner& combiner, std::vector<Expr> values, int low, int high) {
  for (int mask = high / 2; mask >= low; mask /= 2) {
    std::vector<Expr> others;
    for (const Expr& value : values) others.push_back(b_.shuffle("other", value, mask));
    SEAM_TRY(std::vector<Expr> sums, combiner.combine(b_, values, others));
    for (Expr& sum : sums) sum = b_.bind("sum", sum);
    values = std::move(sums);
  }
  return values;
}

Result<std::vector<Expr>> PartLowering::across_warps(const Combiner& combiner, const std::vector<Expr>& values, std::string_view hint) {
  const int warps = threads_ / 32;
  if (warps == 1) return values;
  std::vector<std::string> regions;
  for (std::size_t i = 0; i < values.size(); ++i) {
    regions.push_back(scratch(combiner.accumulator_type(i), warps));
    stage_writes_.insert(regions.back());
    stage_scratch_reads_.insert(regions.back());
  }
  b_.open_if(Bin{BinOp::Eq, lane_, math_.imm(0)});
  for (std::size_t i = 0; i < values.size(); ++i) b_.emit(Store{regions[i], warp_, values[i]});
  b_.close_if();
  barrier();
  const auto partial = [&](const Expr& at) {
    std::vector<Expr> out;
    for (std::size_t i = 0; i < regions.size(); ++i) out.push_back(b_.bind(hint, Load{regions[i], combiner.accumulator_type(i), at}));
    return out;
  };
  if (std::has_single_bit(static_cast<unsigned>(warps))) return shuffled(combiner, partial(math_.mod(lane_, warps)), 1, warps);
  std::vector<Expr> total = partial(math_.imm(0));
  for (int w = 1; w < warps; ++w) {
    SEAM_TRY(std::vector<Expr> sums, combiner.combine(b_, total, partial(math_.imm(w))));
    for (Expr& sum : sums) sum = b_.bind("sum", sum);
    total = std::move(sums);
  }
  return total;
}

Result<std::vector<Expr>> PartLowering::finished(Running& running, std::span<const Expr> values, const Expr& result) {
  const Op& op = c_.computation.ops[running.op->reduce];
  SEAM_TRY(std::vector<Expr> out, running.combiner.finish(b_, values, running.inits));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = b_.bind(op.name, out[i]);
    c_.elements.remember(ValueKey{running.op->reduce, static_cast<std::int64_t>(i), result}, out[i]);
  }
  return out;
}

Result<void> PartLowering::emit_rows(const Stage& stage) {
  const int lanes = stage.lanes;
  const bool block_wide = lanes > 32;
  const Owned mine = owned(stage.outputs, stage.columns);
  // One thread per row, one warp per row, or the whole block for each row in turn.
  const Expr first = lanes == 1 ? thread_ : block_wide ? math_.imm(0) : warp_;
  const Expr turn = open_owned_loop(mine, "row", first, lanes == 1 ? threads_ : block_wide ? 1 : threads_ / 32);
  // Whoever gets in has the only row: its index is a number, and every way to write it is the same.
  const Expr row = mine.exact && mine.count == 1 ? mine.ownership.global(math_, math_.imm(0)) : turn;
  const Expr lane = lanes == 1 ? math_.imm(0) : block_wide ? thread_ : lane_;
  const Expr is_first = lanes == 1 ? imm_pred(true) : Expr(Bin{BinOp::Eq, lane, math_.imm(0)});
  const Expr result = stage.outputs == 1 ? math_.imm(0) : row;

  const std::int64_t per_slice = (stage.reduced + part_.splits - 1) / part_.splits;
  const Expr begin = math_.mul(slice_, per_slice);
  const Expr end = math_.min(math_.add(begin, per_slice), math_.imm(stage.reduced));

  int last_pass = 0;
  for (const StageOp& op : stage.ops) last_pass = std::max(last_pass, op.pass);
  int rounds = 0;
  for (int pass = 0; pass <= last_pass; ++pass) {
    std::vector<Running> running;
    bool walks = false;
    for (const StageOp& op : stage.ops) {
      if (op.pass != pass) continue;
      walks = walks || op.level != Level::Result;
      if (op.level != Level::Reduce) continue;
      SEAM_TRY(Running r, start(op));
      running.push_back(std::move(r));
    }
    if (walks) {
      const Expr k_var = b_.open_loop("k", math_.add(begin, lane), end, lanes);
      const Expr k = stage.reduced == 1 ? math_.imm(0) : k_var;
      const Expr element = math_.add(math_.mul(result, stage.reduced), k);
      auto next = running.begin();
      for (const StageOp& op : stage.ops) {
        if (op.pass != pass || op.level == Level::Result) continue;
        auto ok = op.level == Level::Element ? store_element(op, element) : accumulate(*next++, result, k);
        if (!ok) return ok;
      }
      b_.close_loop();
      for (const StageOp& op : stage.ops) {
        if (op.pass == pass && op.level == Level::Element) keep(op);
      }
    }
    std::vector<std::pair<const StageOp*, std::vector<Expr>>> results;
    for (Running& r : running) {
      std::vector<Expr> values = r.sums;
      if (lanes > 1) {
        SEAM_TRY(values, shuffled(r.combiner, values, 1, 32));
      }
      if (block_wide && threads_ > 32) {
        SEAM_TRY(values, across_warps(r.combiner, values, "partial"));
        ++rounds;
      }
      if (part_.splits == 1) {
        SEAM_TRY(values, finished(r, values, result));
      }
      results.emplace_back(r.op, std::move(values));
    }
    for (const StageOp& op : stage.ops) {
      if (op.pass != pass || op.level != Level::Result) continue;
      SEAM_TRY(Expr value, c_.elements.value(op.op, result));
      results.emplace_back(&op, std::vector<Expr>{std::move(value)});
    }
    const bool stores = part_.splits > 1 || std::ranges::any_of(results, [](const auto& r) { return r.first->output || r.first->shared; });
    if (!stores) continue;
    open_guard(is_first);
    for (const auto& [op, values] : results) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (part_.splits > 1) {
          store_partial(*op, i, stage.outputs, result, values[i]);
        } else {
          store(*op, result, values[i], static_cast<std::int64_t>(i));
        }
      }
    }
    close_guard(is_first);
  }
  // The next row writes the scratch that slower warps may still read. Two rounds or more use different regions, and the barrier of one
  // guards the other.
  if (rounds == 1 && (!mine.exact || mine.count > 1)) barrier();
  b_.close_loop();
  for (const StageOp& op : stage.ops) keep(op);
  return {};
}

}  // namespace seam::codegen
