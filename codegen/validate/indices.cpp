#include "validate/indices.h"

#include <algorithm>

namespace seam::codegen {
namespace {

using graph::Opcode;
using Dims = std::vector<std::int64_t>;

/// Splits a linear index by strides and calls use(dim, coordinate).
template <class Use>
void for_each_coordinate(std::int64_t linear, const Dims& strides, Use&& use) {
  for (std::size_t d = 0; d < strides.size(); ++d) {
    use(d, linear / strides[d]);
    linear %= strides[d];
  }
}

bool contains(const Dims& list, std::int64_t value) { return std::ranges::find(list, value) != list.end(); }

std::int64_t clamp_start(std::int64_t start, std::int64_t dim, std::int64_t size) {
  return std::clamp<std::int64_t>(start, 0, std::max<std::int64_t>(dim - size, 0));
}

}  // namespace

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<std::int64_t>(dims[d], 1);
  return strides;
}

Indices operand_elements(const graph::Op& op, std::size_t k, const graph::Shape& operand, const Indices& wanted) {
  const Dims out = row_major_strides(op.shape.dims);
  const Dims in = row_major_strides(operand.dims);
  const graph::Attributes& a = op.attributes;
  Indices result(wanted.size());
  const auto fill = [&](auto&& element) {
    for (std::size_t i = 0; i < wanted.size(); ++i) result[i] = element(wanted[i]);
  };
  switch (op.opcode) {
    case Opcode::Broadcast:
      fill([&](std::int64_t w) {
        std::int64_t at = 0;
        for_each_coordinate(w, out, [&](std::size_t d, std::int64_t c) {
          for (std::size_t o = 0; o < a.dimensions.size(); ++o) {
            if (a.dimensions[o] == static_cast<std::int64_t>(d)) at += c * in[o];
          }
        });
        return at;
      });
      return result;
    case Opcode::Transpose:
      fill([&](std::int64_t w) {
        std::int64_t at = 0;
        for_each_coordinate(w, out, [&](std::size_t d, std::int64_t c) { at += c * in[static_cast<std::size_t>(a.dimensions[d])]; });
        return at;
      });
      return result;
    case Opcode::Slice:
      fill([&](std::int64_t w) {
        std::int64_t at = 0;
        for_each_coordinate(w, out, [&](std::size_t d, std::int64_t c) {
          at += (a.starts[d] + c * (a.strides.empty() ? 1 : a.strides[d])) * in[d];
        });
        return at;
      });
      return result;
    case Opcode::Reverse:
      fill([&](std::int64_t w) {
        std::int64_t at = 0;
        for_each_coordinate(w, out, [&](std::size_t d, std::int64_t c) {
          at += (contains(a.dimensions, static_cast<std::int64_t>(d)) ? op.shape.dims[d] - 1 - c : c) * in[d];
        });
        return at;
      });
      return result;
    case Opcode::Pad:
      fill([&](std::int64_t w) -> std::int64_t {
        if (k == 1) return 0;  // the padding value is asked for everywhere
        std::int64_t at = 0;
        bool inside = true;
        for_each_coordinate(w, out, [&](std::size_t d, std::int64_t c) {
          const std::int64_t from = c - a.padding[d].low;
          const std::int64_t step = a.padding[d].interior + 1;
          if (from < 0 || from % step != 0 || from / step >= operand.dims[d]) {
            inside = false;
          } else {
            at += from / step * in[d];
          }
        });
        return inside ? at : -1;
      });
      return result;
    default:
      // Elementwise and reshape: the same element; a scalar operand serves all (select's predicate, clamp's bounds).
      if (operand.elements_count() == 1 && op.shape.elements_count() != 1) return Indices(wanted.size(), 0);
      return wanted;
  }
}

Indices concatenate_elements(const graph::Op& op, std::int64_t offset, const graph::Shape& operand, const Indices& wanted) {
  const auto dim = static_cast<std::size_t>(op.attributes.dimensions[0]);
  const Dims out = row_major_strides(op.shape.dims);
  const Dims in = row_major_strides(operand.dims);
  Indices result(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    bool inside = true;
    for_each_coordinate(wanted[i], out, [&](std::size_t d, std::int64_t c) {
      const std::int64_t within = d == dim ? c - offset : c;
      inside = inside && within >= 0 && within < operand.dims[d];
      result[i] += within * in[d];
    });
    if (!inside) result[i] = -1;
  }
  return result;
}

Indices dynamic_slice_elements(const graph::Op& op, const graph::Shape& operand, const Dims& starts, const Indices& wanted) {
  const Dims out = row_major_strides(op.shape.dims);
  const Dims in = row_major_strides(operand.dims);
  Indices result(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for_each_coordinate(wanted[i], out, [&](std::size_t d, std::int64_t c) {
      result[i] += (clamp_start(starts[d], operand.dims[d], op.shape.dims[d]) + c) * in[d];
    });
  }
  return result;
}

Indices dynamic_update_elements(const graph::Op& op, std::size_t k, const graph::Shape& update, const Dims& starts, const Indices& wanted) {
  const Dims out = row_major_strides(op.shape.dims);
  const Dims piece = row_major_strides(update.dims);
  Indices result(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    bool inside = true;
    std::int64_t at = 0;
    for_each_coordinate(wanted[i], out, [&](std::size_t d, std::int64_t c) {
      const std::int64_t within = c - clamp_start(starts[d], op.shape.dims[d], update.dims[d]);
      inside = inside && within >= 0 && within < update.dims[d];
      at += within * piece[d];
    });
    result[i] = k == 1 ? (inside ? at : -1) : (inside ? -1 : wanted[i]);
  }
  return result;
}

Indices updated_elements(const graph::Op& op, const graph::Shape& update, const Dims& starts) {
  const Dims out = row_major_strides(op.shape.dims);
  const Dims in = row_major_strides(update.dims);
  Indices result(static_cast<std::size_t>(update.elements_count()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::int64_t at = 0;
    for_each_coordinate(static_cast<std::int64_t>(i), in, [&](std::size_t d, std::int64_t c) {
      at += (clamp_start(starts[d], op.shape.dims[d], update.dims[d]) + c) * out[d];
    });
    result[i] = at;
  }
  return result;
}

namespace {

/// gather and scatter: an element of the result (gather) or of the updates (scatter) takes its window's place from the indices, and its place in the
/// window from its own coordinates.
class Windows {
 public:
  Windows(const graph::GatherDims& g, const Dims& operand, const graph::Shape& indices_shape, const Dims& indices, const Dims& outer)
      : g_(g), indices_(indices), operand_(operand), strides_(row_major_strides(operand)), index_strides_(row_major_strides(indices_shape.dims)),
        outer_strides_(row_major_strides(outer)), offset_(operand.size()), start_(operand.size()), extent_(operand.size(), 1),
        batch_(indices_shape.dims.size()) {
    // Offset dims belong, in order, to the operand dims that are neither collapsed nor batching.
    for (std::int64_t d = 0; d < std::ssize(operand); ++d) {
      if (!contains(g.collapsed_slice_dims, d) && !contains(g.operand_batching_dims, d)) kept_.push_back(d);
    }
    // Batch dims run over the dims of the start indices, the index vector aside.
    for (std::int64_t d = 0; d < indices_shape.rank(); ++d) {
      if (d != g.index_vector_dim) batch_dims_.push_back(d);
    }
    for (std::size_t k = 0; k < g.offset_dims.size() && k < kept_.size(); ++k) {
      extent_[static_cast<std::size_t>(kept_[k])] = outer[static_cast<std::size_t>(g.offset_dims[k])];
    }
  }

  /// Where element `at` of result or updates lies in the operand; starts clamped, or -1 for a window that leaves the operand.
  std::int64_t place(std::int64_t at, bool clamp) {
    locate(at);
    std::int64_t result = 0;
    for (std::size_t d = 0; d < operand_.size(); ++d) {
      const std::int64_t extent = clamp && !g_.slice_sizes.empty() ? g_.slice_sizes[d] : extent_[d];
      if (clamp) {
        start_[d] = clamp_start(start_[d], operand_[d], extent);
      } else if (start_[d] < 0 || start_[d] > operand_[d] - extent) {
        return -1;
      }
      result += (start_[d] + offset_[d]) * strides_[d];
    }
    return result;
  }

 private:
  void locate(std::int64_t at) {
    std::ranges::fill(offset_, 0);
    std::ranges::fill(batch_, 0);
    std::ranges::fill(start_, 0);
    std::size_t next_offset = 0;
    std::size_t next_batch = 0;
    for_each_coordinate(at, outer_strides_, [&](std::size_t d, std::int64_t c) {
      if (contains(g_.offset_dims, static_cast<std::int64_t>(d))) {
        offset_[static_cast<std::size_t>(kept_[next_offset++])] = c;
      } else {
        batch_[static_cast<std::size_t>(batch_dims_[next_batch++])] = c;
      }
    });
    for (std::size_t m = 0; m < g_.start_index_map.size(); ++m) {
      std::int64_t index = 0;
      for (std::size_t d = 0; d < batch_.size(); ++d) {
        index += (static_cast<std::int64_t>(d) == g_.index_vector_dim ? static_cast<std::int64_t>(m) : batch_[d]) * index_strides_[d];
      }
      start_[static_cast<std::size_t>(g_.start_index_map[m])] = indices_[static_cast<std::size_t>(index)];
    }
    for (std::size_t m = 0; m < g_.operand_batching_dims.size(); ++m) {
      start_[static_cast<std::size_t>(g_.operand_batching_dims[m])] = batch_[static_cast<std::size_t>(g_.indices_batching_dims[m])];
    }
  }

  const graph::GatherDims& g_;
  const Dims& indices_;
  const Dims& operand_;
  Dims strides_, index_strides_, outer_strides_, kept_, batch_dims_, offset_, start_, extent_, batch_;
};

}  // namespace

Indices gather_elements(const graph::Op& op, const graph::Shape& operand, const graph::Shape& indices_shape, const Dims& indices,
                        const Indices& wanted) {
  Windows windows(op.attributes.gather, operand.dims, indices_shape, indices, op.shape.dims);
  Indices result(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) result[i] = windows.place(wanted[i], true);
  return result;
}

Indices scatter_targets(const graph::Op& op, const graph::Shape& operand, const graph::Shape& indices_shape, const Dims& indices,
                        const graph::Shape& updates) {
  Windows windows(op.attributes.gather, operand.dims, indices_shape, indices, updates.dims);
  Indices result(static_cast<std::size_t>(updates.elements_count()));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = windows.place(static_cast<std::int64_t>(i), false);
  return result;
}

std::int64_t reduced_count(const graph::Op& op, const graph::Shape& operand) {
  std::int64_t count = 1;
  for (const std::int64_t d : op.attributes.dimensions) count *= operand.dims[static_cast<std::size_t>(d)];
  return count;
}

Indices reduced_elements(const graph::Op& op, const graph::Shape& operand, const Indices& wanted, std::int64_t from, std::int64_t to) {
  const Dims in = row_major_strides(operand.dims);
  Dims kept_dims;
  Dims kept_in;
  Dims red_dims;
  Dims red_in;
  for (std::size_t d = 0; d < operand.dims.size(); ++d) {
    const bool reduced = contains(op.attributes.dimensions, static_cast<std::int64_t>(d));
    (reduced ? red_dims : kept_dims).push_back(operand.dims[d]);
    (reduced ? red_in : kept_in).push_back(in[d]);
  }
  const Dims kept = row_major_strides(kept_dims);
  const Dims red = row_major_strides(red_dims);
  Indices offsets;
  for (std::int64_t r = from; r < to; ++r) {
    std::int64_t at = 0;
    for_each_coordinate(r, red, [&](std::size_t d, std::int64_t c) { at += c * red_in[d]; });
    offsets.push_back(at);
  }
  Indices result;
  result.reserve(wanted.size() * offsets.size());
  for (const std::int64_t w : wanted) {
    std::int64_t base = 0;
    for_each_coordinate(w, kept, [&](std::size_t d, std::int64_t c) { base += c * kept_in[d]; });
    for (const std::int64_t offset : offsets) result.push_back(base + offset);
  }
  return result;
}

std::int64_t contracted_count(const graph::Op& op, const graph::Shape& lhs) {
  std::int64_t count = 1;
  for (const std::int64_t d : op.attributes.dot.lhs_contract) count *= lhs.dims[static_cast<std::size_t>(d)];
  return count;
}

Indices dot_elements(const graph::Op& op, std::size_t k, const graph::Shape& lhs, const graph::Shape& rhs, const Indices& wanted) {
  const graph::DotDims& dot = op.attributes.dot;
  const graph::Shape& shape = k == 0 ? lhs : rhs;
  const Dims& batch = k == 0 ? dot.lhs_batch : dot.rhs_batch;
  const Dims& contract = k == 0 ? dot.lhs_contract : dot.rhs_contract;
  const Dims in = row_major_strides(shape.dims);
  const Dims out = row_major_strides(op.shape.dims);
  Dims free;
  for (std::int64_t d = 0; d < shape.rank(); ++d) {
    if (!contains(batch, d) && !contains(contract, d)) free.push_back(d);
  }
  // Output dims: batch, then lhs free, then rhs free.
  const std::size_t lhs_free = lhs.dims.size() - dot.lhs_batch.size() - dot.lhs_contract.size();
  const std::size_t first_free = batch.size() + (k == 0 ? 0 : lhs_free);
  Dims contract_dims;
  for (const std::int64_t d : contract) contract_dims.push_back(shape.dims[static_cast<std::size_t>(d)]);
  const Dims red = row_major_strides(contract_dims);
  const std::int64_t count = contracted_count(op, lhs);
  Indices offsets;
  for (std::int64_t r = 0; r < count; ++r) {
    std::int64_t at = 0;
    for_each_coordinate(r, red, [&](std::size_t d, std::int64_t c) { at += c * in[static_cast<std::size_t>(contract[d])]; });
    offsets.push_back(at);
  }
  Indices result;
  result.reserve(wanted.size() * offsets.size());
  for (const std::int64_t w : wanted) {
    std::int64_t base = 0;
    for_each_coordinate(w, out, [&](std::size_t d, std::int64_t c) {
      if (d < batch.size()) {
        base += c * in[static_cast<std::size_t>(batch[d])];
      } else if (d >= first_free && d - first_free < free.size()) {
        base += c * in[static_cast<std::size_t>(free[d - first_free])];
      }
    });
    for (const std::int64_t offset : offsets) result.push_back(base + offset);
  }
  return result;
}

}  // namespace seam::codegen
