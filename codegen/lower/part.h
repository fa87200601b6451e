#pragma once
/// One part of a group as statements: its stages in order, barriers between them where one needs them, reductions as tiles
/// of threads.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "lower/builder.h"
#include "lower/combine.h"
#include "lower/elements.h"
#include "lower/stages.h"
#include "planner/plan.h"

namespace seam::codegen {

/// What a part shares with the kernel around it.
struct PartContext {
  const graph::Graph& graph;
  const graph::Computation& computation;
  const planner::FusionGroup& group;
  Builder& builder;
  Elements& elements;
  std::map<Id<graph::Op>, std::string> output_buffers;
  std::vector<Buffer>& shared_buffers;
  std::vector<Buffer>& workspaces;
};

class PartLowering {
 public:
  /// `block`: this part's own block number, in [0, blocks * splits).
  PartLowering(PartContext& context, const planner::Part& part, std::string prefix, const Expr& block);
  [[nodiscard]] Result<Body> run();
  [[nodiscard]] std::int64_t shared_bytes() const { return shared_bytes_; }

 private:
  /// Elements of an iteration space that this block walks: `count` local ones from 0, or global ones [begin, end) where blocks are ragged.
  struct Owned {
    Ownership ownership;
    bool exact = true;
    std::int64_t count = 0;  ///< exact
    Expr begin, end;         ///< ragged
  };
  [[nodiscard]] Owned owned(std::int64_t elements, std::int64_t columns) const;
  /// Opens a loop over the owned elements, `step` apart from `offset`; returns the element's linear index.
  [[nodiscard]] Expr open_owned_loop(const Owned& owned, std::string_view hint, const Expr& offset, std::int64_t step);

  [[nodiscard]] Result<void> emit(const Stage& stage);
  [[nodiscard]] Result<void> emit_loop(const Stage& stage);
  [[nodiscard]] Result<void> emit_rows(const Stage& stage);
  [[nodiscard]] Result<void> emit_columns(const Stage& stage);
  [[nodiscard]] Result<void> emit_update(const StageOp& op, const Expr& index);
  [[nodiscard]] Result<void> emit_combination(const std::vector<Stage>& stages);
  void note(const Stage& stage);

  /// A reduce while its elements are walked.
  struct Running {
    const StageOp* op;
    Combiner combiner;
    ReduceDims dims;
    std::vector<Expr> inits;
    std::vector<Expr> sums;  ///< variables
  };
  [[nodiscard]] Result<Running> start(const StageOp& op);
  [[nodiscard]] Result<void> accumulate(Running& running, const Expr& result, const Expr& k);
  /// Accumulators of the 32 lanes whose numbers differ in the bits of [low, high) become equal sums.
  [[nodiscard]] Result<std::vector<Expr>> shuffled(const Combiner& combiner, std::vector<Expr> values, int low, int high);
  /// All threads of the block: one sum, known to all. Barriers inside.
  [[nodiscard]] Result<std::vector<Expr>> across_warps(const Combiner& combiner, const std::vector<Expr>& values, std::string_view hint);
  [[nodiscard]] Result<std::vector<Expr>> finished(Running& running, std::span<const Expr> values, const Expr& result);

  /// Splits: this slice's partial result, for the last block to find.
  void store_partial(const StageOp& op, std::size_t component, std::int64_t outputs, const Expr& result, const Expr& value);
  [[nodiscard]] std::string workspace(Id<graph::Op> op, std::size_t component, DType dtype, std::int64_t elements);

  /// Writes the op's element to where the plan wants it.
  void store(const StageOp& op, const Expr& index, const Expr& value, std::int64_t component = 0);
  [[nodiscard]] Result<void> store_element(const StageOp& op, const Expr& index);
  void open_guard(const Expr& guard);
  void close_guard(const Expr& guard);

  std::string scratch(DType dtype, std::int64_t elements);
  void barrier();
  void keep(const StageOp& op);
  [[nodiscard]] std::string shared_buffer(Id<graph::Op> op, std::int64_t component);
  [[nodiscard]] const planner::PlannedOp& planned(Id<graph::Op> op) const;
  [[nodiscard]] Ownership ownership(Id<graph::Op> op) const;
  [[nodiscard]] bool needs_barrier(const std::set<std::string>& reads, const std::set<std::string>& writes) const;
  [[nodiscard]] const Buffer& buffer(const std::string& name) const;

  PartContext& c_;
  const planner::Part& part_;
  std::string prefix_;
  Builder& b_;
  const IndexMath& math_;
  Expr chunk_, slice_;            ///< which chunk, and which slice of its reduction
  Expr thread_, lane_, warp_;
  int threads_;

  std::map<std::pair<Id<graph::Op>, std::int64_t>, std::string> shared_names_;
  std::map<std::pair<Id<graph::Op>, std::int64_t>, std::string> workspace_names_;
  std::int64_t shared_bytes_ = 0, scratch_used_ = 0;
  std::set<std::string> stage_writes_;         ///< shared buffers written by the stage that is being emitted
  std::set<std::string> stage_scratch_reads_;
  std::set<std::string> written_, read_;       ///< since the last barrier that every thread passed
  bool stage_has_barrier_ = false;
};

}  // namespace seam::codegen
