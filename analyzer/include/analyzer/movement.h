#pragma once
/// Data movement as "Data Movement Is All You Need" (arXiv 2007.00072) accounts for it: what an operator, or a kernel that does the work
/// of several, must read and write at least. One element is one word, whatever its type; bytes stand beside words and use the types.
/// Facts of a graph and of how it is cut into operators or launches; every figure is `modelled`.
///
/// Statistics aside: the paper's words leave out what a row leaves behind (a softmax's maximum and sum, a layer norm's mean and 1/std). So do
/// `words_in` and `words_out`; what is left out is `statistic_words`, and bytes hold both. A statistic is decided from the graph alone: what a
/// reduce over more than one element leaves (not a contraction), or as many elements computed from statistics and constants only, if it has readers
/// and each of them spreads it by a broadcast or computes another statistic from it. Biases, gains and their gradients are words.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/op_cost.h"
#include "graph/graph.h"

namespace seam::analyzer {

/// A value that crosses the border of an operator or of a launch.
struct Crossing {
  std::int64_t elements = 0;  ///< distinct ones
  std::int64_t bytes = 0;
  bool statistic = false;     ///< see above
  friend bool operator==(const Crossing&, const Crossing&) = default;
};
/// Sums of crossings. Units: words (elements), bytes, floating-point operations.
struct Movement {
  std::int64_t words_in = 0, words_out = 0;  ///< statistics aside
  std::int64_t statistic_words = 0;          ///< in and out
  std::int64_t bytes_in = 0, bytes_out = 0;  ///< statistics included
  double flops = 0;
  [[nodiscard]] std::int64_t words() const { return words_in + words_out; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_in + bytes_out; }
  Movement& operator+=(const Movement& other);
  [[nodiscard]] Movement times(std::int64_t factor) const;
  friend bool operator==(const Movement&, const Movement&) = default;
};
/// What is read and written, value by value; a value stands under the op that owns its memory (views seen through).
struct Traffic {
  std::map<Id<graph::Op>, Crossing> reads, writes;
  double flops = 0;
  [[nodiscard]] Movement sum() const;
};

/// What is asked again and again of one computation, computed once.
struct Values {
  const graph::Computation* computation = nullptr;
  IdVector<graph::Op, std::vector<Id<graph::Op>>> users;
  IdVector<graph::Op, bool> is_statistic;  ///< by the op that owns the memory
  /// Reshapes, bitcasts, barriers and elements of tuples made here, stripped.
  [[nodiscard]] Id<graph::Op> owner(Id<graph::Op> value) const;
  /// One element, or an iota, under any shape: in no memory.
  [[nodiscard]] bool folded(Id<graph::Op> value) const;
  /// Ops that read it under any name; a tuple counts as a reader.
  [[nodiscard]] std::set<Id<graph::Op>> readers(Id<graph::Op> value) const;
};
/// `computation` must outlive what is returned.
[[nodiscard]] Values values_of(const graph::Computation& computation);

/// Ops that run as one. Without `outputs`, what an op outside reads, or the root, is written; scatters and dynamic updates move what they
/// update. With `outputs`, these and no others, and only those in `in_place` update what they are given; the others write all of it. Of what it
/// reads, only what the outputs need counts: a slice's part, taken through the ops between. Places known only at run time count as many
/// elements as are taken.
struct Boundary {
  std::set<Id<graph::Op>> outputs, in_place;
};
[[nodiscard]] Traffic traffic_of(const Values& values, const std::vector<Id<graph::Op>>& ops, const std::optional<Boundary>& boundary = std::nullopt);

/// How finely a module is cut into operators. An operator is an origin scope (origin.h); around softmaxes, which are found by their ops, frameworks
/// differ in what they launch apart, and so do granularities. Forward softmax: exp(x - max(x)) divided by its sum. Backward softmax: a scope that
/// spreads a sum, takes no maximum, and multiplies by what a forward softmax made or is the backward half of its scope. To them belong, in whatever
/// scope they stand,
///   scale    a product or quotient with a constant that all elements share: the nearest before the maximum, behind masks; backward the one
///            that what leaves is multiplied by
///   dropout  a select by a mask, or a product with one (pred as numbers), of what a forward softmax divided; backward what is masked by
///            the same mask before the sum; with what makes the mask in the same scope and with a constant factor on either side
/// A coarser granularity only ever joins operators of a finer one, so its words never exceed the finer one's.
enum class Granularity : std::uint8_t {
  Plain,                ///< scale, softmax and dropout apart, forward and backward: PyTorch of 2020
  ScaleSplit,           ///< the backward scale inside the softmax
  SoftmaxDropoutSplit,  ///< the forward scale as well: scaled softmax, dropout
  Paper46,              ///< the dropout as well: scaled softmax with dropout is one operator (the paper's 46)
};
inline constexpr Granularity kGranularities[] = {Granularity::Plain, Granularity::ScaleSplit, Granularity::SoftmaxDropoutSplit, Granularity::Paper46};
/// As typed: "plain", "scale-split", "softmax-dropout-split", "paper46".
[[nodiscard]] std::string_view name(Granularity granularity);
/// One sentence for reports.
[[nodiscard]] std::string_view meaning(Granularity granularity);
/// BadInput lists the names that exist.
[[nodiscard]] Result<Granularity> granularity_named(std::string_view text);

struct Operator {
  std::string label;  ///< "SM/scaled_softmax", "attention/softmax (backward): dropout"
  Id<graph::Computation> computation;
  std::vector<Id<graph::Op>> ops;
  Class op_class = Class::Other;  ///< of the operator as a whole: contraction if it holds one, else normalization, else element-wise, else what moves most
  std::int64_t runs = 1;          ///< trips of loops; 1 where they depend on data
  Traffic traffic;                ///< of one run
  [[nodiscard]] Movement movement() const { return traffic.sum().times(runs); }
};
/// Calls and fusions should be inlined (graph::inline_calls). In the order of each operator's first op.
[[nodiscard]] std::vector<Operator> operators_of(const graph::Graph& graph, Granularity granularity);

/// One launch of a plan or of an implementation, whoever made it.
struct LaunchTraffic {
  std::string name;
  Id<graph::Computation> computation;
  std::int64_t runs = 1;
  Traffic traffic;  ///< of one run
};
/// A value that one launch writes and later ones of the same computation read again.
struct Reread {
  std::string value;
  std::string writer;
  std::int64_t readers = 0;
  std::int64_t bytes_written = 0, bytes_reread = 0;  ///< all runs
};
/// Most bytes read again first, then by name; `launches` in the order they run. Values that loops carry from trip to trip are not among them.
[[nodiscard]] std::vector<Reread> rereads_of(const graph::Graph& graph, const std::vector<LaunchTraffic>& launches);

}  // namespace seam::analyzer
