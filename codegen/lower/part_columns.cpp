// Columns: neighbouring threads take neighbouring columns, so that loads coalesce; several row lanes walk each column. Partial results of
// one column meet by shuffles inside a warp and through shared memory between warps; row lane 0 has the result.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "lower/part.h"

namespace seam::codegen {

using graph::Op;

namespace {

/// How a block's threads cover (columns x reduced elements): tid = row lane * columns + column lane.
struct Tile {
  int columns = 32;
  int row_lanes = 8;
};

Tile tile_for(int threads, std::int64_t columns, std::int64_t reduced) {
  const auto pow2 = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, columns))));
  Tile tile;
  tile.columns = static_cast<int>(std::min<std::int64_t>(pow2, 32));
  // More row lanes than rows would idle: spread over more columns instead.
  while (tile.columns < threads && threads % (tile.columns * 2) == 0 && tile.columns * 2 <= pow2 && threads / tile.columns > reduced) tile.columns *= 2;
  tile.row_lanes = threads / tile.columns;
  return tile;
}

}  // namespace

Result<void> PartLowering::emit_columns(const Stage& stage) {
  const Owned mine = owned(stage.outputs, stage.columns);
  const Tile tile = tile_for(threads_, mine.exact ? mine.count : mine.ownership.width, (stage.reduced + part_.splits - 1) / part_.splits);
  const std::int64_t width = tile.columns;
  const Expr column_lane = b_.let("column_lane", math_.mod(thread_, width));
  const Expr row_lane = b_.let("row_lane", math_.div(thread_, width));

  // The loop over tiles is the same for all threads; columns beyond the end are masked, not left out, because all must meet.
  const Expr tile_begin = mine.exact ? math_.imm(0) : mine.begin;
  const Expr tile_end = mine.exact ? math_.imm(mine.count) : mine.end;
  const Expr base = b_.open_loop("tile", tile_begin, tile_end, width);
  const Expr local = b_.let("column", math_.add(base, column_lane));
  const Expr inside = math_.lt(local, tile_end);
  const Expr result = stage.outputs == 1 ? math_.imm(0) : mine.exact ? mine.ownership.global(math_, local) : local;

  const std::int64_t per_slice = (stage.reduced + part_.splits - 1) / part_.splits;
  const Expr begin = math_.mul(slice_, per_slice);
  const Expr end = math_.min(math_.add(begin, per_slice), math_.imm(stage.reduced));

  std::vector<Running> running;
  for (const StageOp& op : stage.ops) {
    if (op.level != Level::Reduce) continue;
    SEAM_TRY(Running r, start(op));
    running.push_back(std::move(r));
  }
  open_guard(inside);
  const Expr k_var = b_.open_loop("k", math_.add(begin, row_lane), end, tile.row_lanes);
  const Expr k = stage.reduced == 1 ? math_.imm(0) : k_var;
  const Expr element = math_.add(math_.mul(k, stage.outputs), result);
  auto next = running.begin();
  for (const StageOp& op : stage.ops) {
    if (op.level == Level::Result) continue;
    auto ok = op.level == Level::Element ? store_element(op, element) : accumulate(*next++, result, k);
    if (!ok) return ok;
  }
  b_.close_loop();
  close_guard(inside);

  const bool shuffles = tile.columns < 32;
  const int groups = threads_ / std::max(32, tile.columns);  // what is left for shared memory
  std::vector<std::vector<Expr>> totals;
  for (Running& r : running) {
    std::vector<Expr> values = r.sums;
    if (shuffles) {
      SEAM_TRY(values, shuffled(r.combiner, values, tile.columns, 32));
    }
    totals.push_back(std::move(values));
  }
  std::vector<std::vector<std::string>> regions;
  if (groups > 1) {
    const Expr group = shuffles ? warp_ : row_lane;
    Expr writes = Bin{BinOp::Lt, math_.imm(0), group};
    if (shuffles) writes = Bin{BinOp::And, writes, Bin{BinOp::Lt, lane_, math_.imm(width)}};
    for (Running& r : running) {
      regions.emplace_back();
      for (std::size_t i = 0; i < r.combiner.components(); ++i) {
        regions.back().push_back(scratch(r.combiner.accumulator_type(i), (groups - 1) * width));
        stage_writes_.insert(regions.back().back());
        stage_scratch_reads_.insert(regions.back().back());
      }
    }
    b_.open_if(writes);
    const Expr place = math_.add(math_.mul(math_.add(group, -1), width), column_lane);
    for (std::size_t r = 0; r < running.size(); ++r) {
      for (std::size_t i = 0; i < regions[r].size(); ++i) b_.emit(Store{regions[r][i], place, totals[r][i]});
    }
    b_.close_if();
    barrier();
  }
  // Row lane 0 gathers the others' partial results, in order, and writes.
  const Expr first = math_.both(Bin{BinOp::Eq, row_lane, math_.imm(0)}, inside);
  b_.open_if(first);
  for (std::size_t r = 0; r < running.size(); ++r) {
    std::vector<Expr> values = totals[r];
    if (groups > 1) {
      std::vector<Expr> sums;
      for (const Expr& value : values) sums.push_back(b_.declare("total", value));
      const Expr g = b_.open_loop("group", math_.imm(0), math_.imm(groups - 1), 1);
      std::vector<Expr> others;
      for (std::size_t i = 0; i < values.size(); ++i) {
        others.push_back(b_.bind("partial", Load{regions[r][i], running[r].combiner.accumulator_type(i), math_.add(math_.mul(g, width), column_lane)}));
      }
      if (auto ok = accumulate_into(b_, running[r].combiner, sums, others); !ok) return ok;
      b_.close_loop();
      values = sums;
    }
    if (part_.splits > 1) {
      for (std::size_t i = 0; i < values.size(); ++i) store_partial(*running[r].op, i, stage.outputs, result, values[i]);
      continue;
    }
    SEAM_TRY(values, finished(running[r], values, result));
    for (std::size_t i = 0; i < values.size(); ++i) store(*running[r].op, result, values[i], static_cast<std::int64_t>(i));
  }
  for (const StageOp& op : stage.ops) {
    if (op.level != Level::Result) continue;
    if (auto ok = store_element(op, result); !ok) return ok;
  }
  b_.close_if();
  if (groups > 1 && (!mine.exact || mine.count > width)) barrier();  // the next tile writes the scratch again
  b_.close_loop();
  for (const StageOp& op : stage.ops) keep(op);
  return {};
}

}  // namespace seam::codegen
