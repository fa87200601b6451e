/// Shared memory of a part: FusionStitching's sharing by dominance. Seen from the results backwards, the kept value that dominates
/// another stands on every way to it: once the dominator is computed, nobody needs the other any more, and a later value may take its
/// place. (The paper says "an op it dominates"; its own example, the second reduce of a softmax taking the first one's buffer, holds only
/// with the reading here: the exponential between them dominates the first reduce, and is itself kept.)
#include <algorithm>
#include <map>

#include "draft/draft.h"
#include "schedule/dominance.h"
#include "verify/check.h"

namespace seam::planner {

using graph::Computation;
using graph::Op;

namespace {

constexpr std::int64_t kAlignment = 16;

/// Kept values and outputs as a graph: loops lead to the kept values they read, a virtual root to the outputs.
struct LoopGraph {
  std::vector<std::size_t> loops;  ///< indices into part.ops
  std::vector<std::vector<std::size_t>> successors;
  std::size_t root = 0;
};

LoopGraph loop_graph(const Computation& computation, const Part& part) {
  LoopGraph g;
  std::map<Id<Op>, std::size_t> kept;  // op -> node
  std::map<Id<Op>, std::vector<std::size_t>> reads;  // kept nodes that an inline op leads to
  for (std::size_t i = 0; i < part.ops.size(); ++i) {
    const PlannedOp& planned = part.ops[i];
    std::vector<std::size_t> own;
    for (const Id<Op> operand : computation.ops[planned.op].operands) {
      if (const auto found = kept.find(operand); found != kept.end()) {
        own.push_back(found->second);
      } else if (const auto through = reads.find(operand); through != reads.end()) {
        own.insert(own.end(), through->second.begin(), through->second.end());
      }
    }
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    if (planned.placement == Placement::Inline) {
      reads[planned.op] = std::move(own);
      continue;
    }
    const std::size_t node = g.loops.size();
    g.loops.push_back(i);
    g.successors.push_back(own);
    if (planned.placement != Placement::Output)
      kept[planned.op] = node;
    else
      reads[planned.op] = std::move(own);  // whoever reads an output computes it again
  }
  g.root = g.loops.size();
  g.successors.emplace_back();
  for (std::size_t node = 0; node < g.loops.size(); ++node)
    if (part.ops[g.loops[node]].output) g.successors[g.root].push_back(node);
  return g;
}

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void place_shared(const Computation& computation, Part& part) {
  const LoopGraph g = loop_graph(computation, part);
  const std::vector<std::size_t> dominator = immediate_dominators(g.successors, g.root);
  struct Buffer {
    std::int64_t offset, bytes;
    std::size_t holder;  ///< node whose value lies there now
  };
  std::vector<Buffer> buffers;
  std::int64_t end = 0;
  for (std::size_t node = 0; node < g.loops.size(); ++node) {
    PlannedOp& planned = part.ops[g.loops[node]];
    if (planned.placement != Placement::Shared) continue;
    Buffer* best = nullptr;
    for (Buffer& buffer : buffers) {
      const std::size_t by = dominator[buffer.holder];
      if (by == SIZE_MAX || by == g.root || buffer.bytes < planned.shared_bytes) continue;
      const std::size_t held = g.loops[buffer.holder];
      bool free = by < node;
      if (by == node) {
        // The value itself is the last to read the other: it may write where it reads if that is the same element.
        const Lifetime life = lifetime(computation, part, held);
        free = life.last == g.loops[node] && life.same_place && part.ops[held].shared_bytes == planned.shared_bytes;
      }
      if (free && (best == nullptr || buffer.bytes < best->bytes)) best = &buffer;
    }
    if (best != nullptr) {
      best->holder = node;
      planned.shared_offset = best->offset;
      continue;
    }
    planned.shared_offset = end;
    buffers.push_back({end, planned.shared_bytes, node});
    end += aligned(planned.shared_bytes);
  }
  part.shared_bytes = end;
}

}  // namespace seam::planner
