#pragma once
/// Instructions as XLA sees them while it fuses: a node is one op or a fusion of several; an op may live in several nodes
/// (duplication). The rules of 2018 (commit 59bd4c78, nvptx_compiler.cc) are re-implemented on this, one file per pass; they are called
/// "XLA 2018 rules", never XLA.
#include <set>
#include <vector>

#include "stitch/problem.h"

namespace seam::planner::xla2018 {

struct Node {
  std::vector<Id<graph::Op>> roots;  ///< what it yields, ascending; several after multi-output fusion
  std::set<Id<graph::Op>> ops;       ///< all it computes, roots included; by take() alone
  std::set<Id<graph::Op>> inputs;    ///< values (storage) that it reads from outside; calls and parameters among them, folded values not
  std::set<Id<graph::Op>> repeated;  ///< values, inside and outside, of which some way through the node reads elements more than once: behind a broadcast
  bool alive = true;
  [[nodiscard]] bool is_fusion() const { return ops.size() > 1; }
};

class Nodes {
 public:
  Nodes(const stitch::Problem& problem, stitch::Vetoes& vetoes);

  std::vector<Node> all;

  [[nodiscard]] const stitch::Problem& problem() const { return problem_; }
  [[nodiscard]] const graph::Op& op(Id<graph::Op> id) const { return problem_.op(id); }
  /// The node that yields a value; npos if none does (parameters, calls, folded values).
  [[nodiscard]] std::size_t maker(Id<graph::Op> value) const { return maker_[value]; }
  void set_maker(Id<graph::Op> value, std::size_t node) { maker_[value] = node; }
  /// The node computes that op as well. It is a reader of what the op reads from then on.
  void take(std::size_t node, Id<graph::Op> op);
  /// Nodes that read what `node` yields, ascending.
  [[nodiscard]] std::vector<std::size_t> readers(std::size_t node) const;
  /// A call, a loop or the root reads one of its values: it cannot vanish.
  [[nodiscard]] bool read_by_call(const Node& node) const;
  void bury(std::size_t node);               ///< nobody reads it any more

  [[nodiscard]] bool rooted_in_reduce(const Node& node) const;
  [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const;
  void refuse(VetoCode code, Id<graph::Op> a, Id<graph::Op> b, std::map<std::string, double> numbers = {}) {
    vetoes_.add(code, a, b, std::move(numbers));
  }

  static constexpr std::size_t kNone = SIZE_MAX;

 private:
  const stitch::Problem& problem_;
  stitch::Vetoes& vetoes_;
  IdVector<graph::Op, std::size_t> maker_;
  IdVector<graph::Op, std::set<std::size_t>> read_by_;  ///< storage op -> nodes
};

/// Expensive in 2018's eyes: float divide is cheap, transcendental functions are not.
[[nodiscard]] bool expensive(const graph::Op& op);

/// GpuInstructionFusion: consumers pull single ops in, users before producers. true if anything changed.
bool instruction_fusion(Nodes& nodes, bool may_duplicate);
/// FusionMerger: a cheap loop fusion is merged into all its readers or none.
bool fusion_merger(Nodes& nodes);
/// GpuMultiOutputFusion: siblings that share an operand, and a loop producer with its reduce.
bool multi_output_fusion(Nodes& nodes);

/// Operands and results of one kernel.
inline constexpr std::size_t kMostParameters = 64;

}  // namespace seam::planner::xla2018
