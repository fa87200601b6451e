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

Sample sample(const graph::Computation& computation, const planner::FusionGroup& group, std::uint64_t most_blocks) {
  Sample result;
  const auto total = static_cast<std::uint64_t>(group.blocks());
  if (total <= most_blocks || !group.in_place.empty()) return result;
  result.whole = false;
  std::int64_t base = 0;
  for (const planner::Part& part : group.parts) {
    const std::int64_t share = std::max<std::int64_t>(
        2, static_cast<std::int64_t>(static_cast<double>(most_blocks) * static_cast<double>(part.blocks) / static_cast<double>(total)) / part.splits);
    std::set<std::int64_t> chunks;
    for (std::int64_t k = 0; k < std::min(share, part.blocks); ++k) {
      chunks.insert(share >= part.blocks ? k : k * (part.blocks - 1) / (share - 1));
    }
    for (const std::int64_t chunk : chunks) {
      for (std::int64_t s = 0; s < part.splits; ++s) result.blocks.push_back(static_cast<std::uint64_t>(base + chunk * part.splits + s));
      for (const planner::PlannedOp& planned : part.ops) {
        if (!planned.output) continue;
        const Indices owned = owned_elements(computation.ops[planned.op].shape, planned.schedule, part.blocks, chunk);
        Indices& all = result.owned[planned.op];
        all.insert(all.end(), owned.begin(), owned.end());
      }
    }
    base += part.blocks * part.splits;
  }
  for (auto& [op, owned] : result.owned) std::ranges::sort(owned);
  return result;
}

}  // namespace seam::codegen
