#pragma once
/// What "Data Movement Is All You Need" (arXiv 2007.00072) and its implementation state for the BERT-large encoder layer at batch 8, sequence 512
/// (H = 16, P = 64, N = 1024, U = 4096). Millions of words, percent, launches, rounded as there. Nothing is computed from these; they
/// stand beside what is. The paper prints dimensions and shares; words are those dimensions multiplied out, which its text rounds the same way.
#include <span>
#include <string_view>

#include "analyzer/movement.h"

namespace seam::report::published {

/// Source: the paper's table of operators (input and output size of each). Where it gives dimensions only, their products.
struct OperatorWords {
  std::string_view label;  ///< KERNEL/operator in the graph
  double in, out;
};
[[nodiscard]] std::span<const OperatorWords> operators();

/// Source: the implementation's encoder kernels (spcl/substation, encoder kernels and their operand lists): what each reads and writes.
struct KernelWords {
  std::string_view name;
  double in, out;
};
[[nodiscard]] std::span<const KernelWords> kernels();

/// Source: the paper's table of operator classes (flop), and the sums of its operator table (words).
struct ClassShares {
  analyzer::Class op_class;
  double of_flop, of_words;
};
[[nodiscard]] std::span<const ClassShares> classes();

/// Source: sums of the sizes above, and differences of those sums over the baseline's, percent. The paper itself states one such figure, kHeadline.
struct Baseline {
  analyzer::Granularity granularity;
  double words, less_as_published, less_mask_only;
};
[[nodiscard]] std::span<const Baseline> baselines();

/// The implementation's launches: six GEMMs and five kernels forward, twelve and nine backward.
inline constexpr int kForwardLaunches = 11, kBackwardLaunches = 21;
inline constexpr double kGemmWords = 490.7, kForwardKernelWords = 285.2, kBackwardKernelWords = 306.2, kAllWords = 1082.2, kMaskOnlyWords = 1031.8;
/// The paper's headline: the reduction of data movement, percent. It names neither the granularity of its baseline nor what is saved.
inline constexpr double kHeadline = 22.91;

/// nullptr: not in the table.
template <class Row, class Key>
[[nodiscard]] const Row* find(std::span<const Row> rows, Key Row::* key, const Key& value) {
  for (const Row& row : rows)
    if (row.*key == value) return &row;
  return nullptr;
}

}  // namespace seam::report::published
