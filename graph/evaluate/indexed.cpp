#include <algorithm>

#include "evaluate/kernel.h"
#include "evaluate/scalar_function.h"

namespace seam::graph {
namespace {

bool contains(const Dims& list, std::int64_t value) { return std::ranges::find(list, value) != list.end(); }

/// The start of each window in the operand, from the indices: one per point of the batch dimensions.
class Starts {
 public:
  Starts(const Value& indices, const GatherDims& dims, std::size_t operand_rank)
      : indices_(indices), dims_(dims), rank_(operand_rank) {
    const Dims own = row_major_strides(indices.shape.dims);
    for (std::int64_t d = 0; d < indices.shape.rank(); ++d) {
      if (d == dims.index_vector_dim) continue;
      batch_of_indices_.push_back(d);
      batch_dims.push_back(indices.shape.dims[static_cast<std::size_t>(d)]);
      batch_strides.push_back(own[static_cast<std::size_t>(d)]);
    }
    if (dims.index_vector_dim < indices.shape.rank()) component_stride_ = own[static_cast<std::size_t>(dims.index_vector_dim)];
  }

  Dims batch_dims;     ///< of the indices, without the index vector
  Dims batch_strides;  ///< in the indices

  /// The start for the batch point `batch` whose indices begin at `position`. Not clamped.
  [[nodiscard]] Dims at(const Dims& batch, std::int64_t position) const {
    Dims start(rank_, 0);
    for (std::size_t i = 0; i < dims_.start_index_map.size(); ++i) {
      const std::int64_t raw = index_at(indices_, position + static_cast<std::int64_t>(i) * component_stride_);
      const bool huge = indices_.shape.dtype == DType::U64 && raw < 0;
      start[static_cast<std::size_t>(dims_.start_index_map[i])] = huge ? INT64_MAX : raw;
    }
    for (std::size_t i = 0; i < dims_.operand_batching_dims.size(); ++i) {
      const auto which = std::ranges::find(batch_of_indices_, dims_.indices_batching_dims[i]) - batch_of_indices_.begin();
      start[static_cast<std::size_t>(dims_.operand_batching_dims[i])] = batch[static_cast<std::size_t>(which)];
    }
    return start;
  }

 private:
  const Value& indices_;
  const GatherDims& dims_;
  std::size_t rank_;
  std::int64_t component_stride_ = 0;
  Dims batch_of_indices_;
};

/// Splits the dimensions of result or updates: those of the window, with the operand dimension each walks along, and those
/// of the batch.
struct Split {
  Dims window_dims, window_strides, along;  ///< along: strides in the operand
  Dims batch_strides;
};

Split split(const Dims& dims, const GatherDims& g, const Dims& operand_strides) {
  const Dims own = row_major_strides(dims);
  Split result;
  std::int64_t next = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (!contains(g.offset_dims, static_cast<std::int64_t>(d))) {
      result.batch_strides.push_back(own[d]);
      continue;
    }
    while (contains(g.collapsed_slice_dims, next) || contains(g.operand_batching_dims, next)) ++next;
    result.window_dims.push_back(dims[d]);
    result.window_strides.push_back(own[d]);
    result.along.push_back(operand_strides[static_cast<std::size_t>(next++)]);
  }
  return result;
}

Value gather(const OpCall& call) {
  const Value& operand = call.operand(0);
  const GatherDims& g = call.attributes().gather;
  const Dims& dims = operand.shape.dims;
  const Dims strides = row_major_strides(dims);
  const Starts starts(call.operand(1), g, dims.size());
  const Split out_split = split(call.op.shape.dims, g, strides);
  Value out = zeros(call.op.shape);
  // A collapsed dimension may be taken with size 0, of an operand without elements: there is nothing to read.
  if (operand.shape.elements_count() == 0 || contains(g.slice_sizes, 0)) return out;
  // The walk over the indices gives the batch point; the result's own batch strides give its place.
  Walk to(starts.batch_dims, out_split.batch_strides);
  for (Walk from(starts.batch_dims, starts.batch_strides); !from.done(); from.next(), to.next()) {
    const Dims start = starts.at(from.index(), from.position());
    std::int64_t base = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      base += strides[d] * std::clamp<std::int64_t>(start[d], 0, dims[d] - g.slice_sizes[d]);
    }
    each_buffer(out, operand, [&](auto& write, const auto& read) {
      walk_pair(out_split.window_dims, out_split.window_strides, to.position(), out_split.along, base,
                [&](std::int64_t a, std::int64_t b) { write[static_cast<std::size_t>(a)] = read[static_cast<std::size_t>(b)]; });
    });
  }
  return out;
}

Result<Value> scatter(const OpCall& call) {
  const std::size_t count = call.in.size() / 2;
  const GatherDims& g = call.attributes().gather;
  SEAM_TRY(ScalarFunction combine, ScalarFunction::compile(call.graph, call.attributes().calls[0], call.rounding));
  std::vector<Value> outs;
  for (std::size_t n = 0; n < count; ++n) {
    outs.push_back(call.operand(n));
    outs[n].shape = call.op.shape.is_tuple ? call.op.shape.elements[n] : call.op.shape;
  }
  const Dims& dims = outs[0].shape.dims;
  const Dims strides = row_major_strides(dims);
  const Starts starts(call.operand(count), g, dims.size());
  const Split updates = split(call.operand(count + 1).shape.dims, g, strides);
  std::vector<Scalar> arguments(2 * count), results(count);
  Walk source(starts.batch_dims, updates.batch_strides);
  for (Walk from(starts.batch_dims, starts.batch_strides); !from.done(); from.next(), source.next()) {
    const Dims start = starts.at(from.index(), from.position());
    // A window that leaves the operand is dropped as a whole.
    bool inside = true;
    std::int64_t base = 0;
    std::size_t window = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto dim = static_cast<std::int64_t>(d);
      const bool walked = !contains(g.collapsed_slice_dims, dim) && !contains(g.operand_batching_dims, dim);
      const std::int64_t extent = walked ? updates.window_dims[window++] : 1;
      inside = inside && start[d] >= 0 && start[d] <= dims[d] - extent;
      if (inside) base += strides[d] * start[d];
    }
    if (!inside) continue;
    walk_pair(updates.window_dims, updates.along, base, updates.window_strides, source.position(),
              [&](std::int64_t to, std::int64_t update) {
                for (std::size_t n = 0; n < count; ++n) {
                  arguments[n] = element_of(outs[n], static_cast<std::size_t>(to));
                  arguments[count + n] = element_of(call.operand(count + 1 + n), static_cast<std::size_t>(update));
                }
                combine.run(arguments, results);
                for (std::size_t n = 0; n < count; ++n) set_element(outs[n], static_cast<std::size_t>(to), results[n]);
              });
  }
  if (!call.op.shape.is_tuple) return std::move(outs[0]);
  Value tuple;
  tuple.shape = call.op.shape;
  tuple.elements = std::move(outs);
  return tuple;
}

}  // namespace

KernelResult evaluate_indexed(const OpCall& call) {
  if (call.op.opcode == Opcode::Gather) return gather(call);
  if (call.op.opcode != Opcode::Scatter) return std::nullopt;
  SEAM_TRY(Value value, scatter(call));
  return std::optional<Value>(std::move(value));
}

}  // namespace seam::graph
