#include "study/saved.h"

#include <fmt/core.h>

namespace seam::report {
namespace {

enum class Side : std::uint8_t { Reads, Writes };
/// One value less or more on one side of a kernel.
struct Change {
  std::string_view kernel;
  Side side;
  char what;  ///< '-' or '+'
  std::string_view value;
};

constexpr Side R = Side::Reads, W = Side::Writes;

constexpr Change kAsPublished[] = {
    // Forward layer norms keep what their gradients start from, not the sum that they were taken of.
    {"BDRLN1", W, '-', "bdrln1.residual"}, {"BDRLN1", W, '-', "ln1.mean"}, {"BDRLN1", W, '+', "ln1.normed"}, {"BDRLN1", W, '+', "ln1.centred"}, {"BDRLN1", W, '+', "bdrln1.biased"},
    {"BDRLN2", W, '-', "bdrln2.residual"}, {"BDRLN2", W, '-', "ln2.mean"}, {"BDRLN2", W, '+', "ln2.normed"}, {"BDRLN2", W, '+', "ln2.centred"}, {"BDRLN2", W, '+', "bdrln2.biased"},
    // Gradients of gain and bias, and the gradient times the gain for the kernel that follows.
    {"BSB", R, '-', "bdrln2.residual"}, {"BSB", R, '-', "ln2.mean"}, {"BSB", R, '-', "ln2.rstd"}, {"BSB", R, '+', "ln2.normed"}, {"BSB", R, '+', "gamma2"}, {"BSB", W, '+', "ln2dx.g"},
    {"BLNRD1", R, '-', "dy"}, {"BLNRD1", R, '+', "ln2dx.g"}, {"BLNRD1", R, '-', "gamma2"}, {"BLNRD1", R, '-', "bdrln2.residual"}, {"BLNRD1", R, '-', "ln2.mean"}, {"BLNRD1", R, '+', "ln2.centred"},
    {"EBSB", R, '-', "bdrln1.residual"}, {"EBSB", R, '-', "ln1.mean"}, {"EBSB", R, '-', "ln1.rstd"}, {"EBSB", R, '+', "ln1.normed"}, {"EBSB", R, '+', "gamma1"},
    {"EBSB", W, '-', "ebsb.residual"}, {"EBSB", W, '+', "ln1dx.g"},
    {"BLNRD2", R, '-', "ebsb.residual"}, {"BLNRD2", R, '+', "ln1dx.g"}, {"BLNRD2", R, '-', "gamma1"}, {"BLNRD2", R, '-', "bdrln1.residual"}, {"BLNRD2", R, '-', "ln1.mean"}, {"BLNRD2", R, '+', "ln1.centred"},
    // The second bias's gradient is summed by EBSB.
    {"BDRLB", R, '-', "ln2.ddrop"}, {"BDRLB", W, '-', "b2dw"}, {"EBSB", R, '+', "ln2.ddrop"}, {"EBSB", W, '+', "b2dw"},
};

/// On top of the above.
constexpr Change kMaskOnly[] = {
    {"BDRLN1", W, '-', "ln1.centred"}, {"BDRLN1", W, '-', "bdrln1.biased"}, {"BLNRD2", R, '-', "ln1.centred"}, {"BLNRD2", R, '+', "ln1.normed"},
    {"BDRLN2", W, '-', "ln2.centred"}, {"BDRLN2", W, '-', "bdrln2.biased"}, {"BLNRD1", R, '-', "ln2.centred"}, {"BLNRD1", R, '+', "ln2.normed"},
    {"BAD", W, '-', "bad.biased"},     {"BDRLB", R, '-', "bad.biased"},
};

Result<void> apply(const analyzer::Values& values, const Change& change, analyzer::Traffic& traffic) {
  const auto id = values.computation->find(change.value);
  if (!id) return fail(Error::Code::Unsupported, fmt::format("this is not the layer of the study: it has no value '{}'", change.value));
  std::map<Id<graph::Op>, analyzer::Crossing>& side = change.side == R ? traffic.reads : traffic.writes;
  const graph::Shape& shape = values.computation->ops[*id].shape;
  const bool done = change.what == '-' ? side.erase(*id) > 0 : side.try_emplace(*id, analyzer::Crossing{shape.elements_count(), shape.byte_size(), values.is_statistic[*id]}).second;
  if (!done) return fail(Error::Code::Unsupported, fmt::format("this is not the layer of the study: '{}' of kernel {} is not as its policy says", change.value, change.kernel));
  return {};
}

}  // namespace

std::string_view name(SavedTensors saved) { return saved == SavedTensors::AsPublished ? "as-published" : "mask-only"; }

std::string_view meaning(SavedTensors saved) {
  return saved == SavedTensors::AsPublished
             ? "forward kernels save what the published code saves: layer norms the normalized value, the centred value, the biased input, mask and 1/std, the ReLU its input and the mask"
             : "layer norms save the normalized value and the mask, the ReLU one mask for itself and the dropout; all else as published";
}

Result<analyzer::Traffic> with_saved(const analyzer::Values& values, std::string_view kernel, analyzer::Traffic traffic, SavedTensors saved) {
  for (const Change& change : kAsPublished)
    if (change.kernel == kernel) SEAM_DO(apply(values, change, traffic));
  if (saved == SavedTensors::AsPublished) return traffic;
  for (const Change& change : kMaskOnly)
    if (change.kernel == kernel) SEAM_DO(apply(values, change, traffic));
  return traffic;
}

}  // namespace seam::report
