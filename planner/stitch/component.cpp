#include "stitch/component.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "analyzer/time_model.h"
#include "base/check.h"

namespace seam::planner::stitch {

using graph::Op;

namespace {

const std::vector<std::int64_t>& dims_of_loop(const Problem& problem, Id<Op> loop) {
  return loop_dims(problem.computation, problem.op(loop), problem.roles.updates(loop));
}

/// Schedules of all loops, as far as found: columns by loop, and what the number of blocks must divide.
struct Attempt {
  std::map<Id<Op>, std::int64_t> columns;
  std::set<Id<Op>> kept;
  std::int64_t divides = 0;
  bool conflict = false;
};

void narrow(Attempt& attempt, std::int64_t divides) { attempt.divides = std::gcd(attempt.divides, divides); }

/// Follows what `loop` reads back to kept values and notes what it wants of them.
void demand(const Problem& problem, const PhaseView& view, Id<Op> loop, Attempt& attempt) {
  const graph::Computation& computation = problem.computation;
  const std::int64_t columns = attempt.columns.at(loop);
  narrow(attempt, columns);
  // Wants per op, highest id first: every reader is visited before what it reads.
  std::map<Id<Op>, std::vector<Ownership>, std::greater<>> wants;
  const auto pass_on = [&](Id<Op> reader, const Ownership& have) {
    const Op& op = computation.ops[reader];
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const Id<Op> operand = op.operands[i];
      if (!view.inside(operand) && !view.kept_here(operand)) continue;
      std::vector<Ownership>& list = wants[operand];
      const Ownership want = problem.roles.updates(reader)
                                 ? propagate_update(computation, op, i, update_operand(op), have)
                                 : propagate(computation, op, i, have);
      if (!std::ranges::count(list, want)) list.push_back(want);
    }
  };
  pass_on(loop, {columns, columns});
  while (!wants.empty()) {
    const auto first = wants.begin();
    const Id<Op> at = first->first;
    const std::vector<Ownership> list = std::move(first->second);
    wants.erase(first);
    for (const Ownership& want : list) {
      if (!view.kept_here(at)) {
        pass_on(at, want);
        continue;
      }
      // What leads to no kept value comes from memory, where any block finds it.
      narrow(attempt, want.divides);
      attempt.kept.insert(at);
      const auto [found, fresh] = attempt.columns.try_emplace(at, want.columns);
      if (!fresh && found->second != want.columns) attempt.conflict = true;
    }
  }
  if (attempt.conflict) attempt.divides = 1;
}

std::vector<std::int64_t> choices(const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> columns{product(dims)};
  for (std::size_t split = 1; split < dims.size(); ++split) {
    const std::int64_t c = product(dims, split);
    if (c > 1 && c != columns.back()) columns.push_back(c);
  }
  return columns;
}

Attempt complete(const Problem& problem, const PhaseView& view, const std::vector<Id<Op>>& loops, std::int64_t first) {
  Attempt attempt;
  bool fixed = false;
  for (std::size_t i = loops.size(); i-- > 0;) {
    const Id<Op> loop = loops[i];
    if (attempt.columns.contains(loop)) {
      demand(problem, view, loop, attempt);
      continue;
    }
    if (!fixed) {
      fixed = true;
      attempt.columns[loop] = first;
      demand(problem, view, loop, attempt);
      continue;
    }
    // Another root: the schedule that leaves the most freedom, Row if equal.
    Attempt best;
    bool any = false;
    for (const std::int64_t columns : choices(dims_of_loop(problem, loop))) {
      Attempt next = attempt;
      next.columns[loop] = columns;
      demand(problem, view, loop, next);
      if (!any || (best.conflict && !next.conflict) ||
          (best.conflict == next.conflict && next.divides > best.divides)) {
        best = std::move(next);
        any = true;
      }
    }
    attempt = std::move(best);
  }
  return attempt;
}

bool expressible(const Problem& problem, const Component& component, std::int64_t blocks) {
  return std::ranges::all_of(component.columns, [&](const auto& loop) {
    return schedule_for(dims_of_loop(problem, loop.first), loop.second, blocks).has_value();
  });
}

/// Elements that a loop walks: a reduce walks what it reads.
std::int64_t walked(const Problem& problem, Id<Op> loop) {
  const Op& op = problem.op(loop);
  if (problem.roles.role[loop] == Role::Reduce) return elements_of(problem.op(op.operands[0]));
  if (problem.roles.role[loop] == Role::Dot)
    return elements_of(problem.op(op.operands[0])) + elements_of(problem.op(op.operands[1]));
  return product(dims_of_loop(problem, loop));
}

analyzer::KernelWork work_of(const Problem& problem, const Component& component, std::int64_t blocks) {
  analyzer::KernelWork work;
  work.blocks = blocks;
  work.shared_bytes = shared_bytes(problem, component, blocks) + 1024;
  double most = 0, all = 0, flops = 0;
  for (const Id<Op> loop : component.loops) {
    const auto bytes = static_cast<double>(walked(problem, loop) * bytes_of_element(problem.op(loop)));
    most = std::max(most, bytes);
    all += bytes;
    flops += static_cast<double>(walked(problem, loop)) * 4;
    if (problem.roles.needed_in_memory[loop])
      work.dram_bytes += static_cast<double>(product(dims_of_loop(problem, loop)) * bytes_of_element(problem.op(loop)));
  }
  work.instructions = analyzer::estimated_instructions(flops, 0);
  work.dram_bytes += most;
  work.reread_bytes = all - most;
  work.barriers = 2.0 * static_cast<double>(component.kept.size());
  return work;
}

/// Few outputs, many inputs: several blocks may share one reduction (the last one combines). Only for parts that are one output
/// reduce.
std::int64_t splits_for(const Problem& problem, const Component& component, std::int64_t blocks) {
  if (component.loops.size() != 1 || !component.kept.empty()) return 1;
  const Id<Op> loop = component.loops[0];
  // Slices are combined one value at a time.
  if (problem.roles.role[loop] != Role::Reduce || problem.op(loop).shape.is_tuple) return 1;
  const std::int64_t out = elements_of(problem.op(loop));
  const std::int64_t reduced = walked(problem, loop) / std::max<std::int64_t>(1, out);
  const std::int64_t wanted = 2 * problem.options.device.sms;
  // A slice of fewer than 4096 elements per block is not worth the second stage.
  const std::int64_t most = std::min(reduced / 8, walked(problem, loop) / (blocks * 4096));
  return std::clamp<std::int64_t>(std::min(wanted / blocks, most), 1, 512);
}

}  // namespace

std::int64_t bytes_of_element(const Op& op) {
  if (!op.shape.is_tuple) return bytes(op.shape.dtype);
  std::int64_t sum = 0;
  for (const graph::Shape& element : op.shape.elements) sum += bytes(element.dtype);
  return sum;
}

std::int64_t shared_bytes(const Problem& problem, const Component& component, std::int64_t blocks) {
  std::int64_t sum = 0;
  for (const Id<Op> loop : component.kept) {
    const std::int64_t chunk = elements_of(problem.op(loop)) / blocks * bytes_of_element(problem.op(loop));
    sum += (chunk + 15) / 16 * 16;
  }
  return sum;
}

double component_time_us(const Problem& problem, const Component& component, std::int64_t blocks) {
  analyzer::KernelWork work = work_of(problem, component, blocks);
  work.blocks *= splits_for(problem, component, blocks);
  return analyzer::kernel_time_us(problem.options.device, work).mid;
}

namespace {

/// Loops that keep nothing on chip may be cut anywhere: Flat. A lone reduce keeps Row chunks of its output.
bool free_form(const Problem& problem, const Component& component) {
  return component.kept.empty() && std::ranges::none_of(component.loops, [&](Id<Op> loop) {
    return problem.roles.role[loop] == Role::Reduce || problem.roles.role[loop] == Role::Dot;
  });
}

/// Blocks of the size that reductions like: eight short rows (a warp each), one long row, never fewer than 2048 elements.
double usual_blocks(const Problem& problem, const Component& component) {
  double most = 1;
  for (const Id<Op> loop : component.loops) {
    const std::int64_t elements = walked(problem, loop);
    std::int64_t chunk = 2048;
    if (problem.roles.role[loop] == Role::Reduce)
      chunk = std::clamp<std::int64_t>(8 * elements / std::max<std::int64_t>(1, elements_of(problem.op(loop))), 2048, 8192);
    most = std::max(most, static_cast<double>(elements) / static_cast<double>(chunk));
  }
  return most;
}

void choose_blocks(const Problem& problem, Component& component) {
  if (free_form(problem, component)) {
    std::int64_t most = 1;
    for (const Id<Op> loop : component.loops) most = std::max(most, walked(problem, loop));
    // Four elements a thread, or a multiple of that where it would be more blocks than a few waves: chunks begin where sectors do.
    constexpr std::int64_t kChunk = 1024;
    const std::int64_t chunks = (most + kChunk - 1) / kChunk;
    const std::int64_t each = (chunks + 32 * problem.options.device.sms - 1) / (32 * problem.options.device.sms);
    component.blocks = std::max<std::int64_t>(1, (chunks + each - 1) / std::max<std::int64_t>(1, each));
    component.time_us = component_time_us(problem, component, component.blocks);
    return;
  }
  // The cost table: every legal number of blocks.
  std::vector<std::pair<double, std::int64_t>> table;
  for (const std::int64_t blocks : divisors(component.divides)) {
    if (blocks > 1 && !expressible(problem, component, blocks)) continue;
    if (shared_bytes(problem, component, blocks) > problem.shared_limit()) continue;
    table.emplace_back(component_time_us(problem, component, blocks), blocks);
  }
  component.fits = !table.empty();
  if (table.empty()) {
    component.time_us = component_time_us(problem, component, component.blocks);
  } else {
    // Where the model sees no difference, the usual shape of such kernels decides: a warp per short row.
    const double best = std::ranges::min_element(table)->first;
    const double wanted = usual_blocks(problem, component);
    double distance = HUGE_VAL;
    for (const auto& [time, blocks] : table) {
      if (time > best * 1.02) continue;
      const double d = std::abs(std::log2(static_cast<double>(blocks) / wanted));
      if (d > distance) continue;
      distance = d;
      component.blocks = blocks;
      component.time_us = time;
    }
  }
  component.splits = splits_for(problem, component, component.blocks);
}

}  // namespace

Component solve(const Problem& problem, const PhaseView& view, std::vector<Id<Op>> loops) {
  SEAM_CHECK(!loops.empty(), "a component without loops");
  std::ranges::sort(loops);
  Component best;
  bool any = false;
  for (const std::int64_t first : choices(dims_of_loop(problem, loops.back()))) {
    const Attempt attempt = complete(problem, view, loops, first);
    Component component;
    component.loops = loops;
    component.columns = attempt.columns;
    component.kept.assign(attempt.kept.begin(), attempt.kept.end());
    component.divides = attempt.divides;
    component.conflict = attempt.conflict;
    choose_blocks(problem, component);
    if (!any || (component.fits && !best.fits) ||
        (component.fits == best.fits && component.time_us < best.time_us - 1e-9))
      best = std::move(component);
    any = true;
    if (free_form(problem, best)) break;
  }
  return best;
}

}  // namespace seam::planner::stitch
