#pragma once
/// One element of one op, as statements and a value: what FusionStitching calls thread composition. Ops that the part computes
/// inline are expanded recursively through their index maps; kept values and group inputs are loaded; what was
/// computed in reach already is reused.
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/kernel.h"
#include "lower/access.h"
#include "lower/builder.h"

namespace seam::codegen {

/// The elements of a value that a block owns (planner/schedule.h): all `rows` of `width` columns from `first` on.
struct Ownership {
  std::int64_t rows = 1, columns = 1, width = 1;
  Expr first = imm_int(DType::S32, 0);  ///< block number x width
  [[nodiscard]] std::int64_t count() const { return rows * width; }
  [[nodiscard]] Expr local(const IndexMath& math, const Expr& linear) const;   ///< place in the block's chunk
  [[nodiscard]] Expr global(const IndexMath& math, const Expr& local) const;  ///< linear index in the whole value
};

class Elements {
 public:
  Elements(const graph::Graph& graph, const graph::Computation& computation, Builder& builder)
      : graph_(&graph), computation_(&computation), builder_(&builder) {}

  /// What may be computed here. Everything else is folded in or read from memory.
  void set_part(std::set<Id<graph::Op>> ops) { part_ = std::move(ops); }
  [[nodiscard]] bool in_part(Id<graph::Op> op) const { return part_.contains(op); }
  void set_input(Id<graph::Op> op, std::string buffer) { inputs_[op] = std::move(buffer); }
  void set_kept(Id<graph::Op> op, std::int64_t component, std::string buffer, Ownership owned) {
    kept_.insert_or_assign({op, component}, Kept{std::move(buffer), std::move(owned)});
  }
  void forget_kept() { kept_.clear(); }

  /// Element `index` (row-major, linear) of result `component` of the op.
  [[nodiscard]] Result<Expr> value(Id<graph::Op> op, const Expr& index, std::int64_t component = 0);

  /// Where the update element `index` of a dynamic-update-slice or scatter goes: the index in the result, and a guard
  /// (true where nothing can be out of bounds).
  struct Target {
    Expr index, guard;
  };
  [[nodiscard]] Result<Target> update_target(Id<graph::Op> op, const Expr& index);

  void remember(const ValueKey& key, const Expr& value) { builder_->remember(key, value); }

  /// Kept values that were loaded from shared memory since the last call.
  [[nodiscard]] std::set<std::string> take_loads() { return std::exchange(loads_, {}); }

 private:
  struct Kept {
    std::string buffer;
    Ownership owned;
  };
  [[nodiscard]] Result<Expr> compute(const graph::Op& op, Id<graph::Op> id, const Expr& index, std::int64_t component);
  [[nodiscard]] Result<Expr> elementwise(const graph::Op& op, const Expr& index);
  [[nodiscard]] Result<Expr> concatenate(const graph::Op& op, const Expr& index);
  [[nodiscard]] Result<Expr> pad(const graph::Op& op, const Expr& index);
  [[nodiscard]] Result<Expr> dynamic_slice(const graph::Op& op, const Expr& index);
  [[nodiscard]] Result<Expr> dynamic_update_slice(const graph::Op& op, const Expr& index);
  [[nodiscard]] Result<Expr> gather(const graph::Op& op, const Expr& index);
  [[nodiscard]] Result<Expr> reduce(const graph::Op& op, Id<graph::Op> id, const Expr& index, std::int64_t component);
  [[nodiscard]] Result<Expr> dot(const graph::Op& op, const Expr& index);
  [[nodiscard]] Result<Expr> load(Id<graph::Op> op, const Expr& index);

  /// A start index read from data, clamped to [0, limit].
  [[nodiscard]] Result<Expr> clamped_start(Id<graph::Op> op, const Expr& element, std::int64_t limit);
  /// A scatter index read from data, as an index; what lies beyond [0, limit) stays beyond it.
  [[nodiscard]] Result<Expr> data_index(Id<graph::Op> op, const Expr& element, std::int64_t limit);
  [[nodiscard]] Result<std::vector<Expr>> start_indices(const graph::Op& op, std::span<const Expr> batch, Id<graph::Op> indices,
                                                        const std::function<Result<Expr>(const Expr&, std::size_t)>& read);
  [[nodiscard]] const graph::Shape& shape(Id<graph::Op> op) const { return computation_->ops[op].shape; }
  [[nodiscard]] std::string hint(const graph::Op& op) const { return op.name; }

  const graph::Graph* graph_;
  const graph::Computation* computation_;
  Builder* builder_;
  std::set<Id<graph::Op>> part_;
  std::unordered_map<Id<graph::Op>, std::string> inputs_;
  std::map<std::pair<Id<graph::Op>, std::int64_t>, Kept> kept_;
  std::set<std::string> loads_;
  int depth_ = 0;
};

/// The elementwise op as one scalar expression. Unsupported names the op.
[[nodiscard]] Result<Expr> scalar_op(const graph::Op& op, std::vector<Expr> args);
/// The root of a computation of scalars (a reducer, a map's or scatter's body) on given parameters; one value per root element.
[[nodiscard]] Result<std::vector<Expr>> scalar_computation(const graph::Graph& graph, Id<graph::Computation> computation,
                                                           std::span<const Expr> parameters, Builder& builder);
/// Refuses types that no generated kernel handles (complex, f8, sub-byte, tokens).
[[nodiscard]] Result<void> check_type(const graph::Op& op, DType dtype);
[[nodiscard]] tl::unexpected<Error> unsupported(const graph::Op& op, std::string_view why);
/// Element `at` of a constant.
[[nodiscard]] Result<Expr> literal_element(const graph::Op& constant, std::int64_t at);

}  // namespace seam::codegen
