#include "schedule/ownership.h"

#include <algorithm>

#include "base/check.h"

namespace seam::planner {

using graph::Op;
using graph::OpClass;
using graph::Opcode;

const std::vector<std::int64_t>& dims_of(const Op& op) {
  return op.shape.is_tuple && !op.shape.elements.empty() ? op.shape.elements[0].dims : op.shape.dims;
}

std::int64_t product(const std::vector<std::int64_t>& dims, std::size_t from) {
  std::int64_t n = 1;
  for (std::size_t i = from; i < dims.size(); ++i) n *= dims[i];
  return n;
}

DimMap dim_map(const graph::Computation& computation, const Op& op, std::size_t operand) {
  switch (op.opcode) {
    case Opcode::Reshape:
    case Opcode::Bitcast:
    case Opcode::Copy:
    case Opcode::OptBarrier:
    case Opcode::GetTupleElement:
      return {true, {}};
    case Opcode::Broadcast:
      return map_broadcast(computation, op, operand);
    case Opcode::Reduce:
      return map_reduce(computation, op, operand);
    case Opcode::Dot:
      return map_dot(computation, op, operand);
    default:
      return graph::op_class(op.opcode) == OpClass::Elementwise ? map_elementwise(computation, op, operand)
                                                                : map_layout(computation, op, operand);
  }
}

Ownership propagate(const graph::Computation& computation, const Op& op, std::size_t operand,
                    const Ownership& output) {
  const DimMap map = dim_map(computation, op, operand);
  const std::vector<std::int64_t>& in = dims_of(computation.ops[op.operands[operand]]);
  if (map.linear) return output;
  const Ownership everything{product(in), 1};
  const std::vector<std::int64_t>& out = dims_of(op);
  // The dims that decide the block start where the trailing product is `columns`; dims of extent 1 decide nothing.
  std::size_t start = 0;
  while (start < out.size() && product(out, start) > output.columns) ++start;
  if (product(out, start) != output.columns) return everything;
  std::int64_t deciding = 1;
  std::int64_t first = -1, last = -1;
  for (std::size_t i = start; i < out.size(); ++i) {
    if (out[i] == 1) continue;
    if (map.from[i] < 0) break;
    if (first < 0) {
      first = map.from[i];
    } else {
      // The operand's dims must follow each other, extents of 1 aside.
      if (map.from[i] <= last) break;
      bool adjacent = true;
      for (std::int64_t d = last + 1; d < map.from[i]; ++d)
        adjacent = adjacent && in[static_cast<std::size_t>(d)] == 1;
      if (!adjacent) break;
    }
    last = map.from[i];
    deciding *= out[i];
  }
  if (first < 0) return everything;
  return {product(in, static_cast<std::size_t>(first)), std::gcd(output.divides, deciding)};
}

Ownership propagate_update(const graph::Computation& computation, const Op& op, std::size_t operand, std::size_t update,
                           const Ownership& loop) {
  if (operand == update) return loop;
  return {product(dims_of(computation.ops[op.operands[operand]])), 1};
}

std::optional<Schedule> schedule_for(const std::vector<std::int64_t>& dims, std::int64_t columns,
                                     std::int64_t blocks) {
  const std::int64_t n = product(dims);
  // One block owns everything, however it is cut.
  if (blocks == 1) return Schedule{ScheduleKind::Row, 0, 1};
  if (columns == n) {
    std::int64_t before = 1;
    for (std::size_t split = 0; split < dims.size(); ++split) {
      if (blocks % before == 0) {
        const std::int64_t sword = blocks / before;
        if (sword <= dims[split] && dims[split] % sword == 0)
          return Schedule{ScheduleKind::Row, static_cast<std::int64_t>(split), sword};
      }
      before *= dims[split];
    }
    // A Column of all dims owns the same runs.
  }
  for (std::size_t split = 0; split < dims.size(); ++split) {
    if (product(dims, split) != columns) continue;
    const std::int64_t after = product(dims, split + 1);
    if (blocks % after != 0) continue;
    const std::int64_t sword = blocks / after;
    if (sword <= dims[split] && dims[split] % sword == 0)
      return Schedule{ScheduleKind::Column, static_cast<std::int64_t>(split), sword};
  }
  return std::nullopt;
}

std::int64_t columns_of(const std::vector<std::int64_t>& dims, const Schedule& schedule) {
  return schedule.kind == ScheduleKind::Column ? product(dims, static_cast<std::size_t>(schedule.split_dim))
                                               : product(dims);
}

std::int64_t blocks_of(const std::vector<std::int64_t>& dims, const Schedule& schedule) {
  std::int64_t blocks = schedule.sword;
  const auto split = static_cast<std::size_t>(schedule.split_dim);
  if (schedule.kind == ScheduleKind::Row)
    for (std::size_t i = 0; i < split && i < dims.size(); ++i) blocks *= dims[i];
  if (schedule.kind == ScheduleKind::Column) blocks *= product(dims, split + 1);
  return blocks;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> low, high;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    low.push_back(d);
    if (d * d != n) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

std::vector<Schedule> legal_schedules(const std::vector<std::int64_t>& dims) {
  std::vector<Schedule> all;
  for (const ScheduleKind kind : {ScheduleKind::Row, ScheduleKind::Column})
    for (std::size_t split = 0; split < dims.size(); ++split)
      for (const std::int64_t sword : divisors(dims[split]))
        all.push_back({kind, static_cast<std::int64_t>(split), sword});
  if (dims.empty()) all.push_back({ScheduleKind::Row, 0, 1});
  return all;
}

}  // namespace seam::planner
