#include "stitch/pivots.h"

#include <algorithm>
#include <string>

#include "schedule/ownership.h"

namespace seam::planner::stitch {

using graph::Computation;
using graph::Op;
using graph::Opcode;

namespace {

/// Places at which a value is read by one loop, told apart by how their indices came about.
constexpr std::size_t kMostPlaces = 16;
/// Ops that one more place costs; less is not worth a loop.
constexpr double kLeastWeight = 8;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15ULL + (a << 6) + (a >> 2);
  return a * 0xBF58476D1CE4E5B9ULL;
}

std::uint64_t hash(const std::vector<std::int64_t>& list, std::uint64_t seed) {
  for (const std::int64_t x : list) seed = mixed(seed, static_cast<std::uint64_t>(x));
  return seed;
}

/// What an op does to the index on the way to an operand; equal numbers mean equal index maps.
std::uint64_t map_of(const Computation& computation, const Op& op, std::size_t operand, Id<Op> id) {
  if (dim_map(computation, op, operand).linear) return 0;
  std::uint64_t h = mixed(static_cast<std::uint64_t>(op.opcode) + 1, operand);
  h = hash(op.shape.dims, h);
  h = hash(op.attributes.dimensions, h);
  h = hash(op.attributes.starts, h);
  h = hash(op.attributes.strides, h);
  for (const graph::PadDim& pad : op.attributes.padding) h = hash({pad.low, pad.high, pad.interior}, h);
  // Where the index depends on data, every op is its own.
  if (op.opcode == Opcode::Gather || op.opcode == Opcode::DynamicSlice || op.opcode == Opcode::DynamicUpdateSlice) h = mixed(h, id.value);
  return h;
}

}  // namespace

std::vector<Id<Op>> pivots(const Computation& computation, const Roles& roles) {
  const std::size_t count = computation.ops.size();
  std::vector<Id<Op>> out;
  IdVector<Op, bool> pivot(count, false);
  bool again = true;
  // A new pivot ends the cones that ran through it, so weights are taken anew until nothing changes; few rounds suffice because each
  // pass goes through the whole graph.
  for (int round = 0; again && round < 4; ++round) {
    again = false;
    IdVector<Op, double> weight(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const Id<Op> id(i);
      if (!roles.is_inline(id) || pivot[id]) continue;
      double sum = roles.role[id] == Role::Map ? 1 : 0;
      for (const Id<Op> operand : computation.ops[id].operands) sum += weight[operand];
      weight[id] = std::min(sum, 1e6);
    }
    IdVector<Op, std::vector<std::uint64_t>> places(count);
    for (std::size_t i = count; i-- > 0;) {
      const Id<Op> id(i);
      std::vector<std::uint64_t>& here = places[id];
      if (!roles.is_inline(id) || pivot[id]) {
        if (!roles.is_inline(id) && !roles.is_anchor(id)) continue;
        here = {1};
      } else {
        if (roles.needed_in_memory[id]) here.push_back(1);
        std::ranges::sort(here);
        here.erase(std::unique(here.begin(), here.end()), here.end());
        if (here.size() > kMostPlaces && weight[id] >= kLeastWeight && roles.role[id] == Role::Map &&
            computation.ops[id].opcode != Opcode::GetTupleElement) {
          pivot[id] = true;
          out.push_back(id);
          again = true;
          here = {1};
        }
      }
      const Op& op = computation.ops[id];
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        const Id<Op> operand = op.operands[k];
        if (!roles.is_inline(operand) || pivot[operand]) continue;
        const std::uint64_t map = map_of(computation, op, k, id);
        std::vector<std::uint64_t>& to = places[operand];
        for (const std::uint64_t place : here)
          if (to.size() < 4 * kMostPlaces) to.push_back(map == 0 ? place : mixed(place, map));
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace seam::planner::stitch
