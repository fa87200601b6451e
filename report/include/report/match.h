#pragma once
/// Whose kernels compute the same ops: those that a real compiler made of a program, and those of our plan for it. Both begin at the same module, so an
/// op of the optimized module still carries what it came from: its name, with what the compiler appends to names, the traced op_name, the source line.
#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "planner/plan.h"

namespace seam::report {

/// One side's kernel or library call.
struct MatchedKernel {
  std::string name;  ///< theirs: the instruction; ours: the group, or the op of a library call
  bool library = false;
  std::size_t ops = 0;  ///< that compute something
  double found = 0;     ///< of them, how many the other side has in some kernel or library call
  /// Theirs: bytes that one launch reads or writes, operands and results once, of values that our plan never puts in memory: they stay in registers or
  /// shared memory of the kernel that computes and uses them. At most: an operand counts whole.
  std::int64_t kept_bytes = 0;
  friend bool operator==(const MatchedKernel&, const MatchedKernel&) = default;
};

/// A pair that computes ops in common.
struct KernelOverlap {
  std::size_t theirs = 0, ours = 0;  ///< indices into KernelMatches
  double ops = 0;                    ///< of our ops: how many that instruction computes; a fraction where several ops of one source line may be meant
  double bytes = 0;                  ///< the same ops, each with the size of its result
  friend bool operator==(const KernelOverlap&, const KernelOverlap&) = default;
};

struct KernelMatches {
  std::vector<MatchedKernel> theirs, ours;  ///< in the order of the module and of the plan
  std::vector<KernelOverlap> overlaps;      ///< by theirs, most ops first
  /// Their ops: found by name, by op_name and source position, or not at all (made by the compiler, or stripped of where they came from). Library calls of
  /// which nothing was found are paired with those of ours that do as many flops on as many bytes, in order.
  std::size_t by_name = 0, by_position = 0, by_size = 0, unknown = 0;
  friend bool operator==(const KernelMatches&, const KernelMatches&) = default;
};

/// `optimized` as the compiler left it, `planned` the graph that `plan` speaks of.
[[nodiscard]] KernelMatches match_kernels(const graph::Graph& optimized, const graph::Graph& planned, const planner::Plan& plan);

}  // namespace seam::report
