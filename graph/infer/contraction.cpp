#include <fmt/core.h>

#include <algorithm>

#include "infer/rules.h"

namespace seam::graph {
namespace {

bool contains(const std::vector<std::int64_t>& list, std::int64_t value) {
  return std::ranges::find(list, value) != list.end();
}
std::int64_t at(const Shape& shape, std::int64_t dim) { return shape.dims[static_cast<std::size_t>(dim)]; }

Result<Shape> dot(const InferenceSite& site) {
  const Shape& lhs = site.operand(0);
  const Shape& rhs = site.operand(1);
  const DotDims& d = site.attributes().dot;
  const auto check_pairs = [&](const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right,
                               std::string_view what) -> Result<void> {
    SEAM_NEED(site.check_dims(left, lhs.rank(), what));
    SEAM_NEED(site.check_dims(right, rhs.rank(), what));
    if (left.size() != right.size()) return site.error(fmt::format("{} do not pair up", what));
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (at(lhs, left[i]) != at(rhs, right[i])) {
        return site.error(fmt::format("{} differ in size: {} and {}", what, at(lhs, left[i]), at(rhs, right[i])));
      }
    }
    return {};
  };
  SEAM_NEED(check_pairs(d.lhs_batch, d.rhs_batch, "batch dims"));
  SEAM_NEED(check_pairs(d.lhs_contract, d.rhs_contract, "contracting dims"));
  for (const std::int64_t dim : d.lhs_batch) {
    if (contains(d.lhs_contract, dim)) return site.error("a batch dim is contracted");
  }
  for (const std::int64_t dim : d.rhs_batch) {
    if (contains(d.rhs_contract, dim)) return site.error("a batch dim is contracted");
  }
  Shape out = array_shape(lhs.dtype, {});
  for (const std::int64_t dim : d.lhs_batch) out.dims.push_back(at(lhs, dim));
  for (std::int64_t i = 0; i < lhs.rank(); ++i) {
    if (!contains(d.lhs_batch, i) && !contains(d.lhs_contract, i)) out.dims.push_back(at(lhs, i));
  }
  for (std::int64_t i = 0; i < rhs.rank(); ++i) {
    if (!contains(d.rhs_batch, i) && !contains(d.rhs_contract, i)) out.dims.push_back(at(rhs, i));
  }
  return out;
}

Result<Shape> convolution(const InferenceSite& site) {
  const Shape& lhs = site.operand(0);
  const Shape& rhs = site.operand(1);
  const Attributes& a = site.attributes();
  const ConvDims& c = a.conv;
  const auto rank = static_cast<std::int64_t>(c.lhs_spatial.size()) + 2;
  if (lhs.rank() != rank || rhs.rank() != rank || a.window.size() != c.lhs_spatial.size()) {
    return site.error(fmt::format("dim_labels are for rank {}, operands are {} and {}, the window has {} dimensions",
                                  rank, print(lhs), print(rhs), a.window.size()));
  }
  if (c.lhs_batch == c.lhs_feature) return site.error("needs dim_labels=");
  if (a.feature_groups < 1 || a.batch_groups < 1 || (a.feature_groups > 1 && a.batch_groups > 1)) {
    return site.error("group counts must be positive, and one of them 1");
  }
  if (at(lhs, c.lhs_feature) != at(rhs, c.rhs_input) * a.feature_groups ||
      at(rhs, c.rhs_output) % a.feature_groups != 0 || at(lhs, c.lhs_batch) % a.batch_groups != 0 ||
      at(rhs, c.rhs_output) % a.batch_groups != 0) {
    return site.error(fmt::format("features, batch and groups of {} and {} do not fit", print(lhs), print(rhs)));
  }
  Shape out = array_shape(lhs.dtype, std::vector<std::int64_t>(static_cast<std::size_t>(rank)));
  const auto set = [&](std::int64_t dim, std::int64_t size) { out.dims[static_cast<std::size_t>(dim)] = size; };
  set(c.out_batch, at(lhs, c.lhs_batch) / a.batch_groups);
  set(c.out_feature, at(rhs, c.rhs_output));
  for (std::size_t i = 0; i < a.window.size(); ++i) {
    if (a.window[i].size != at(rhs, c.rhs_spatial[i])) return site.error("window and kernel differ in size");
    const auto positions = window_positions(at(lhs, c.lhs_spatial[i]), a.window[i]);
    if (!positions) return site.error("the window is too large or malformed");
    set(c.out_spatial[i], *positions);
  }
  return out;
}

}  // namespace

Result<std::optional<Shape>> infer_contraction(const InferenceSite& site) {
  if (site.op.opcode != Opcode::Dot && site.op.opcode != Opcode::Convolution) return std::nullopt;
  SEAM_NEED(site.needs_arrays());
  Result<Shape> shape = site.op.opcode == Opcode::Dot ? dot(site) : convolution(site);
  if (!shape) return tl::unexpected(std::move(shape).error());
  return std::optional<Shape>(*std::move(shape));
}

}  // namespace seam::graph
