#pragma once
/// A Plan says, for each computation of a graph, which ops become which kernel, with which schedule, in which
/// order, and which calls stay with the library; plus every refusal with its numbers. It can be printed,
/// edited, parsed (.plan) and verified against its graph.
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/evidence.h"
#include "graph/graph.h"
#include "graph/orders.h"
#include "planner/schedule.h"
#include "planner/veto.h"

namespace seam::planner {

/// One op inside a part. `keep` says where its value lives; `also_output` that it is written to global memory too.
struct PlannedOp {
  Id<graph::Op> op;
  Placement placement = Placement::Inline;
  bool output = false;               ///< a root: its whole value is written to global memory by this kernel
  Schedule schedule;                 ///< of ops that are looped over (kept or output); Inline ops inherit
  std::int64_t shared_bytes = 0;     ///< chunk per block, Shared only
  std::int64_t shared_offset = 0;    ///< in the part's shared memory; equal offsets = shared by dominance
  friend bool operator==(const PlannedOp&, const PlannedOp&) = default;
};

/// Ops stitched together: they share blocks and may hand values to each other on chip. Parts of one group are independent
/// of each other (kernel packing): part i owns the next `blocks * splits` blocks of the grid.
///
/// What a part means, exactly (planner writes it, codegen lowers it, verify() checks it):
///  - An op that is `output` or Shared is *looped over*: each block computes the elements it owns by the op's schedule. All looped-over ops of
///    a part have the same number of blocks. Everything else is Inline: recomputed by whoever reads it.
///  - A read of a Shared value must stay inside what the reader's block owns. A read of an output of the same part is a recomputation
///    (Inline) unless it is Shared as well. Reduce and dot that are read inside the part must be Shared (or Warp: kept in registers by the lanes
///    that reduced it, only read by the loop over the same rows).
///  - A value that is not in the part is folded in if folded() says so (constants of one element, iota, broadcasts and reshapes of those);
///    everything else is a group input, read from global memory at storage_of(). Reshape, bitcast and the like cost nothing
///    in memory: their buffer is their operand's.
///  - splits > 1: every looped-over op is an output reduce with the same blocks; each block reduces one of `splits` slices of the reduced
///    elements into workspace, and the last block of a chunk to arrive (fence + counter) combines them in order.
///  - Flat parts keep nothing Shared, except with blocks == 1, where everything is block-local.
///  - dynamic-update-slice and scatter in `in_place` loop over the update's elements (schedule on the update's shape; Row or Column where the update
///    reads kept values, Flat otherwise) and write only those; nothing in the same group reads the result or the buffer. A
///    dynamic-update-slice that is not in place is an ordinary Inline op or output over the whole result. Scatter is always in place.
struct Part {
  std::vector<PlannedOp> ops;  ///< producers before consumers
  ScheduleKind kind = ScheduleKind::Flat;
  std::int64_t blocks = 1;     ///< chunks
  std::int64_t splits = 1;     ///< blocks that share the reduction of one chunk
  int lanes = 32;              ///< threads that reduce one row together: 1, 32 or the whole block
  std::int64_t shared_bytes = 0;  ///< of kept values; reduction scratch comes on top (at most 4 KiB)
  friend bool operator==(const Part&, const Part&) = default;
};

struct Estimate {
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< distinct bytes; modelled, must equal the simulator's count
  bool exact = true;                               ///< false if an index depends on data (gather): an upper bound
  double flops = 0;
  double time_low_us = 0, time_mid_us = 0, time_high_us = 0;
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// What becomes one kernel.
struct FusionGroup {
  std::string name;          ///< unique in the plan; the kernel's name: [A-Za-z_][A-Za-z0-9_]*
  std::vector<Part> parts;
  int threads = 256;         ///< block size, one for all parts
  int level = 0;             ///< between library layers level-1 and level
  /// Roots that write into a buffer that an operand of theirs held: (root, the group input it overwrites). Only dynamic-update-slice
  /// and scatter roots; the input must be dead afterwards.
  std::vector<std::pair<Id<graph::Op>, Id<graph::Op>>> in_place;
  Estimate estimate;
  friend bool operator==(const FusionGroup&, const FusionGroup&) = default;

  [[nodiscard]] std::int64_t blocks() const;        ///< the grid: sum over parts
  [[nodiscard]] std::int64_t shared_bytes() const;  ///< max over parts
};

/// Values a group reads from memory (ops outside it, by id, ascending; constants and iota that are folded in are not among them)
/// and values it writes (its outputs, ascending).
struct GroupBoundary {
  std::vector<Id<graph::Op>> inputs, outputs;
};
[[nodiscard]] GroupBoundary boundary(const graph::Computation& computation, const FusionGroup& group);

/// The op whose buffer holds this value: reshape, bitcast, opt-barrier, get-tuple-element of a tuple op … stripped.
[[nodiscard]] Id<graph::Op> storage_of(const graph::Computation& computation, Id<graph::Op> op);
/// Folded into its readers, never in memory: a constant of one element, iota, broadcasts / reshapes / bitcasts of folded values.
[[nodiscard]] bool folded(const graph::Computation& computation, Id<graph::Op> op);

/// Orders of dims by names of computations and ops; what is not among them is row-major.
using LayoutOrders = std::map<std::string, std::map<std::string, graph::Order>>;

enum class StepKind : std::uint8_t { Kernel, Library, Copy, While, Conditional };
/// One thing the program does, in order.
///   Library:     `op` by the library (dot, convolution, sort, custom-call, whatever codegen cannot emit).
///   Copy:        `op` is a dynamic-update-slice or scatter whose operand 0 is still needed or is folded: a new buffer is filled from operand 0
///                (memcpy, or memset for a folded one) and the kernel that follows updates it in place. Or `op` is a copy, or a folded value that
///                the root returns: materialised by memset/memcpy.
///   While, Conditional: run the op's computations by their own ComputationPlans.
struct Step {
  StepKind kind = StepKind::Kernel;
  std::size_t group = 0;     ///< Kernel: index into ComputationPlan::groups
  Id<graph::Op> op;          ///< Library, Copy, While, Conditional: the op
  int level = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

/// What the copy that a plan makes for `op` reads and writes, bytes.
struct CopiedBytes {
  std::int64_t read = 0, written = 0;
};
[[nodiscard]] CopiedBytes copied_bytes(const graph::Op& op);

struct ComputationPlan {
  Id<graph::Computation> computation;
  std::int64_t trips = 1;             ///< how often it runs in all; 0 = unknown
  std::vector<FusionGroup> groups;
  std::vector<Step> steps;            ///< topological, everything that costs a launch plus control flow
  std::int64_t roof_floor = 0;        ///< per trip
  std::int64_t byte_floor = 0;        ///< bytes per trip
  friend bool operator==(const ComputationPlan&, const ComputationPlan&) = default;
};

/// Dynamic counts (x trips), never mixed.
struct Totals {
  std::int64_t kernels = 0, library_calls = 0, copies = 0;
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< of kernels, modelled
  std::int64_t library_bytes = 0;                  ///< operands and results of library calls, each once per call; modelled
  std::int64_t copy_bytes = 0;                     ///< read and written by copies; modelled
  std::int64_t floor_kernels = 0, floor_bytes = 0;
  std::int64_t ops = 0;          ///< static ops of all planned computations, free ones aside
  std::int64_t fusable_ops = 0;  ///< neither library calls, control nor free
  std::int64_t fused_ops = 0;    ///< inside emitted kernels
  friend bool operator==(const Totals&, const Totals&) = default;
};

struct Plan {
  std::string module;
  std::string policy;
  std::string device;
  LayoutOrders layouts;                        ///< what is not row-major, by the names of the graph before pass layouts
  std::map<std::string, std::string> options;  ///< what was asked for: "shared-cap" = "20480" …
  std::vector<ComputationPlan> computations;   ///< planned ones, callees before callers
  std::vector<Veto> vetoes;
  Totals totals;
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace seam::planner
