#pragma once
/// `seam study bert-layer`: the encoder layer of "Data Movement Is All You Need" (Ivanov et al., arXiv 2007.00072), its tables of words and launches
/// recounted from the graph (examples/bert_paper.graph, whose op names say KERNEL/operator), the published figures beside them, and beside both what
/// Seam plans for the same graph, in the same accounting (analyzer/movement.h). Every figure that is not published is `modelled`.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/movement.h"

namespace seam::report {

/// Which values a kernel keeps in memory for the backward pass: the graph alone does not say what an implementation saves. Both rules are of the
/// published implementation's kernels; what Seam's own plan keeps is the plan's choice (it makes masks again instead of reading them).
enum class SavedTensors : std::uint8_t {
  /// As its encoder kernels are written: a BDRLN writes its output, the normalized value, the centred value, the biased input, the mask and 1/std;
  /// a BAD its output, the mask and the biased value; a BSB and an EBSB also the gradient times the gain, which the BLNRD after them reads
  /// instead of the gradient; the gradient of the second bias is an EBSB's, not a BDRLB's.
  AsPublished,
  /// The least such kernels could do: beside its output and the normalized value a BDRLN saves only its mask, a BAD one mask, of ReLU and dropout
  /// together; the BDRLB reads that mask alone. All else as published.
  MaskOnly,
};
inline constexpr SavedTensors kSavedTensors[] = {SavedTensors::AsPublished, SavedTensors::MaskOnly};
[[nodiscard]] std::string_view name(SavedTensors saved);     ///< "as-published", "mask-only"
[[nodiscard]] std::string_view meaning(SavedTensors saved);  ///< one sentence

/// An operator of the paper's list, at granularity paper46.
struct StudyOperator {
  analyzer::Operator op;
  std::string kernel;          ///< of the published implementation: "SM"
  bool backward = false;       ///< needs the gradient that the layer is given
  double floor_us = 0;         ///< roofline: the longer of its bytes at the DRAM peak and its flop at the arithmetic peak
};
/// A launch of the published implementation.
struct StudyKernel {
  std::string name;
  bool backward = false, gemm = false;
  std::int64_t operators = 0;                      ///< of the paper's list, done by it
  std::array<analyzer::Movement, 2> moved;         ///< by SavedTensors
};
struct StudyBaseline {
  analyzer::Granularity granularity = analyzer::Granularity::Plain;
  std::int64_t operators = 0;
  analyzer::Movement moved;
};
/// All launches of an implementation.
struct StudyTotal {
  std::int64_t forward = 0, backward = 0;          ///< launches
  analyzer::Movement gemms, forward_kernels, backward_kernels;
  [[nodiscard]] analyzer::Movement sum() const;
};
/// One of Seam's launches and the published ones whose ops it runs.
struct StudyLaunch {
  std::string name;
  bool library = false;
  std::vector<std::string> published;
  analyzer::Movement moved;
};

struct BertStudy {
  std::int64_t batch = 8, sequence = 512;
  std::string device;
  std::string layouts;                             ///< planner::Layouts of Seam's plan
  std::vector<StudyOperator> operators;
  std::vector<StudyKernel> kernels;
  std::array<StudyTotal, 2> published;             ///< by SavedTensors
  std::vector<StudyBaseline> baselines;            ///< finest first
  PlanMovement seam;
  std::vector<StudyLaunch> seam_launches;
  /// Published figures are for batch 8, sequence 512 alone.
  [[nodiscard]] bool at_published_size() const { return batch == 8 && sequence == 512; }
};

/// `layer` is the bundled graph; its extents 8 and 512 become `batch` and `sequence` (at least 1 and 2: a row of one has no statistics).
/// Errors: BadInput for sizes, what graph::with_extents and the planner refuse, Unsupported if `layer` is not that graph.
[[nodiscard]] Result<BertStudy> bert_study(const graph::Graph& layer, std::int64_t batch, std::int64_t sequence, const planner::PlanOptions& options);

[[nodiscard]] Document study_document(const BertStudy& study);
/// "schema": "seam.study/1".
[[nodiscard]] std::string study_json(const BertStudy& study);

}  // namespace seam::report
