#include <fmt/core.h>

#include <algorithm>

#include "infer/rules.h"

namespace seam::graph {
namespace {

bool contains(const std::vector<std::int64_t>& list, std::int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

/// Checks that gather and scatter share; returns the batch dimensions of the indices, in order.
Result<std::vector<std::int64_t>> index_batch(const InferenceSite& site, const Shape& operand, const Shape& indices) {
  const GatherDims& g = site.attributes().gather;
  if (!is_integer(indices.dtype)) return site.error("indices must be integers");
  if (g.index_vector_dim < 0 || g.index_vector_dim > indices.rank()) {
    return site.error(fmt::format("index_vector_dim {} of indices {}", g.index_vector_dim, print(indices)));
  }
  const std::int64_t length =
      g.index_vector_dim == indices.rank() ? 1 : indices.dims[static_cast<std::size_t>(g.index_vector_dim)];
  if (std::ssize(g.start_index_map) != length) {
    return site.error(fmt::format("maps {} index components, the indices hold {}", g.start_index_map.size(), length));
  }
  SEAM_NEED(site.check_dims(g.start_index_map, operand.rank(), "the index map"));
  SEAM_NEED(site.check_dims(g.collapsed_slice_dims, operand.rank(), "collapsed or inserted dims"));
  SEAM_NEED(site.check_dims(g.operand_batching_dims, operand.rank(), "batching dims"));
  SEAM_NEED(site.check_dims(g.indices_batching_dims, indices.rank(), "batching dims of the indices"));
  if (g.operand_batching_dims.size() != g.indices_batching_dims.size() ||
      contains(g.indices_batching_dims, g.index_vector_dim)) {
    return site.error("batching dims of operand and indices do not pair up");
  }
  for (const std::int64_t dim : g.operand_batching_dims) {
    if (contains(g.collapsed_slice_dims, dim) || contains(g.start_index_map, dim)) {
      return site.error(fmt::format("dimension {} is a batching dim and something else", dim));
    }
  }
  for (std::size_t i = 0; i < g.operand_batching_dims.size(); ++i) {
    if (operand.dims[static_cast<std::size_t>(g.operand_batching_dims[i])] !=
        indices.dims[static_cast<std::size_t>(g.indices_batching_dims[i])]) {
      return site.error("batching dims of operand and indices differ in size");
    }
  }
  std::vector<std::int64_t> batch;
  for (std::int64_t d = 0; d < indices.rank(); ++d) {
    if (d != g.index_vector_dim) batch.push_back(indices.dims[static_cast<std::size_t>(d)]);
  }
  return batch;
}

Result<Shape> gather(const InferenceSite& site) {
  const Shape& operand = site.operand(0);
  const GatherDims& g = site.attributes().gather;
  SEAM_TRY(const std::vector<std::int64_t> batch, index_batch(site, operand, site.operand(1)));
  if (std::ssize(g.slice_sizes) != operand.rank()) return site.error("slice_sizes must give each dimension");
  std::vector<std::int64_t> window;
  for (std::int64_t d = 0; d < operand.rank(); ++d) {
    const std::int64_t size = g.slice_sizes[static_cast<std::size_t>(d)];
    if (size < 0 || size > operand.dims[static_cast<std::size_t>(d)]) {
      return site.error(fmt::format("slice size {} in dimension {} of {}", size, d, print(operand)));
    }
    if (!contains(g.collapsed_slice_dims, d) && !contains(g.operand_batching_dims, d)) {
      window.push_back(size);
    } else if (size > 1) {
      return site.error(fmt::format("collapses dimension {}, of which it takes {} elements", d, size));
    }
  }
  const auto rank = static_cast<std::int64_t>(batch.size() + g.offset_dims.size());
  if (window.size() != g.offset_dims.size() || !std::ranges::is_sorted(g.offset_dims)) {
    return site.error(fmt::format("{} offset_dims for {} sliced dimensions", g.offset_dims.size(), window.size()));
  }
  SEAM_NEED(site.check_dims(g.offset_dims, rank, "offset_dims"));
  Shape out = array_shape(operand.dtype, {});
  std::size_t next_window = 0, next_batch = 0;
  for (std::int64_t d = 0; d < rank; ++d) {
    out.dims.push_back(contains(g.offset_dims, d) ? window[next_window++] : batch[next_batch++]);
  }
  return out;
}

/// Operands, then indices, then updates; as many updates as operands.
Result<Shape> scatter(const InferenceSite& site) {
  if (site.operand_count() < 3 || site.operand_count() % 2 == 0) {
    return site.error(fmt::format("takes operands, indices and updates; has {} operands", site.operand_count()));
  }
  const std::size_t count = site.operand_count() / 2;
  const GatherDims& g = site.attributes().gather;
  std::vector<Shape> results;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape& operand = site.operand(i);
    const Shape& update = site.operand(count + 1 + i);
    SEAM_TRY(const std::vector<std::int64_t> batch, index_batch(site, operand, site.operand(count)));
    SEAM_NEED(site.check_dims(g.offset_dims, update.rank(), "update_window_dims"));
    const auto window = static_cast<std::size_t>(operand.rank()) - g.collapsed_slice_dims.size() -
                        g.operand_batching_dims.size();
    if (update.dims.size() != batch.size() + g.offset_dims.size() || window != g.offset_dims.size() ||
        operand.dims != site.operand(0).dims || update.dims != site.operand(count + 1).dims) {
      return site.error(fmt::format("updates {} do not fit indices {} and operand {}", print(update),
                                    print(site.operand(count)), print(operand)));
    }
    std::size_t next_batch = 0, next_window = 0;
    for (std::int64_t d = 0; d < update.rank(); ++d) {
      const std::int64_t size = update.dims[static_cast<std::size_t>(d)];
      if (!contains(g.offset_dims, d)) {
        if (size != batch[next_batch++]) return site.error("updates and indices differ in their batch dimensions");
        continue;
      }
      while (contains(g.collapsed_slice_dims, static_cast<std::int64_t>(next_window)) ||
             contains(g.operand_batching_dims, static_cast<std::int64_t>(next_window))) {
        ++next_window;
      }
      if (next_window >= operand.dims.size() || size > operand.dims[next_window++]) {
        return site.error("an update window is larger than the operand");
      }
    }
    results.push_back(array_shape(operand.dtype, operand.dims));
  }
  return count == 1 ? results[0] : tuple_shape(std::move(results));
}

}  // namespace

Result<std::optional<Shape>> infer_gather(const InferenceSite& site) {
  if (site.op.opcode != Opcode::Gather && site.op.opcode != Opcode::Scatter) return std::nullopt;
  SEAM_NEED(site.needs_arrays());
  Result<Shape> shape = site.op.opcode == Opcode::Gather ? gather(site) : scatter(site);
  if (!shape) return tl::unexpected(std::move(shape).error());
  return std::optional<Shape>(*std::move(shape));
}

}  // namespace seam::graph
