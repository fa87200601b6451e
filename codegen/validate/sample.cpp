#include "validate/sample.h"

#include <algorithm>
#include <set>

namespace seam::codegen {

Indices owned_elements(const graph::Shape& shape, const planner::Schedule& schedule, std::int64_t blocks, std::int64_t chunk) {
  const std::int64_t n = shape.elements_count();
  Indices out;
  if (schedule.kind == planner::ScheduleKind::Flat) {
    const std::int64_t each = (n + blocks - 1) / blocks;
    for (std::int64_t i = chunk * each; i < std::min(n, (chunk + 1) * each); ++i) out.push_back(i);
    return out;
  }
  std::int64_t rows = 1;
  if (schedule.kind == planner::ScheduleKind::Column) {
    for (std::int64_t d = 0; d < schedule.split_dim; ++d) rows *= shape.dims[static_cast<std::size_t>(d)];
  }
  const std::int64_t columns = rows == 0 ? 0 : n / rows;
  const std::int64_t width = columns / blocks;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = chunk * width; c < (chunk + 1) * width; ++c) out.push_back(r * columns + c);
  }
  return out;
}

namespace {

/// It updates a buffer in place: which elements its blocks change depends on data, so that only all of them together can be judged.
bool updates_in_place(const planner::FusionGroup& group, const planner::Part& part) {
  return std::ranges::any_of(part.ops, [&](const planner::PlannedOp& planned) {
    return planned.output && std::ranges::any_of(group.in_place, [&](const auto& pair) { return pair.first == planned.op; });
  });
}

}  // namespace

Sample sample(const graph::Computation& computation, const planner::FusionGroup& group, std::uint64_t most_blocks, Updates updates) {
  Sample result;
  const auto total = static_cast<std::uint64_t>(group.blocks());
  if (total <= most_blocks) return result;
  result.whole = false;
  std::int64_t base = 0;
  for (const planner::Part& part : group.parts) {
    const bool complete = updates_in_place(group, part);
    if (complete && updates == Updates::Skip) {
      base += part.blocks * part.splits;
      continue;
    }
    const std::int64_t share = complete ? part.blocks : std::max<std::int64_t>(
        2, static_cast<std::int64_t>(static_cast<double>(most_blocks) * static_cast<double>(part.blocks) / static_cast<double>(total)) / part.splits);
    std::set<std::int64_t> chunks;
    for (std::int64_t k = 0; k < std::min(share, part.blocks); ++k) {
      chunks.insert(share >= part.blocks ? k : k * (part.blocks - 1) / (share - 1));
    }
    for (const std::int64_t chunk : chunks) {
      for (std::int64_t s = 0; s < part.splits; ++s) result.blocks.push_back(static_cast<std::uint64_t>(base + chunk * part.splits + s));
    }
    for (const planner::PlannedOp& planned : part.ops) {
      if (!planned.output) continue;
      if (complete) {
        result.complete.insert(planned.op);
        continue;
      }
      Indices& all = result.owned[planned.op];
      for (const std::int64_t chunk : chunks) {
        const Indices owned = owned_elements(computation.ops[planned.op].shape, planned.schedule, part.blocks, chunk);
        all.insert(all.end(), owned.begin(), owned.end());
      }
    }
    base += part.blocks * part.splits;
  }
  if (static_cast<std::int64_t>(result.blocks.size()) == group.blocks()) return {};
  for (auto& [op, owned] : result.owned) std::ranges::sort(owned);
  return result;
}

}  // namespace seam::codegen
