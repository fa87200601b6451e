#include <algorithm>

#include "evaluate/kernel.h"

namespace seam::graph {
namespace {

/// out[i] = in[base + Σ i × stride] over all of out.
Value strided_read(const Value& in, const Shape& shape, const Dims& strides, std::int64_t base) {
  Value out = zeros(shape);
  const Dims own = row_major_strides(shape.dims);
  each_buffer(out, in, [&](auto& to, const auto& from) {
    walk_pair(shape.dims, own, 0, strides, base, [&](std::int64_t a, std::int64_t b) {
      to[static_cast<std::size_t>(a)] = from[static_cast<std::size_t>(b)];
    });
  });
  return out;
}

/// out[base + Σ i × stride] = in[from + Σ i × own stride] over a box of in.
void strided_write(Value& out, const Dims& strides, std::int64_t base, const Value& in, const Dims& box,
                   std::int64_t from_base) {
  const Dims own = row_major_strides(in.shape.dims);
  each_buffer(out, in, [&](auto& to, const auto& from) {
    walk_pair(box, strides, base, own, from_base, [&](std::int64_t a, std::int64_t b) {
      to[static_cast<std::size_t>(a)] = from[static_cast<std::size_t>(b)];
    });
  });
}

Value broadcast(const OpCall& call) {
  const Dims own = row_major_strides(call.operand(0).shape.dims);
  Dims strides(call.op.shape.dims.size(), 0);
  for (std::size_t i = 0; i < own.size(); ++i) strides[static_cast<std::size_t>(call.attributes().dimensions[i])] = own[i];
  return strided_read(call.operand(0), call.op.shape, strides, 0);
}

Value transpose(const OpCall& call) {
  const Dims own = row_major_strides(call.operand(0).shape.dims);
  Dims strides;
  for (const std::int64_t dim : call.attributes().dimensions) strides.push_back(own[static_cast<std::size_t>(dim)]);
  return strided_read(call.operand(0), call.op.shape, strides, 0);
}

Value slice(const OpCall& call) {
  Dims strides = row_major_strides(call.operand(0).shape.dims);
  std::int64_t base = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    base += strides[i] * call.attributes().starts[i];
    strides[i] *= call.attributes().strides[i];
  }
  return strided_read(call.operand(0), call.op.shape, strides, base);
}

Value reverse(const OpCall& call) {
  Dims strides = row_major_strides(call.operand(0).shape.dims);
  std::int64_t base = 0;
  for (const std::int64_t dim : call.attributes().dimensions) {
    const auto d = static_cast<std::size_t>(dim);
    base += strides[d] * (call.operand(0).shape.dims[d] - 1);
    strides[d] = -strides[d];
  }
  return strided_read(call.operand(0), call.op.shape, strides, base);
}

/// Start indices from operand `from` on, each clamped so that a window of `size` fits into `dims`.
Dims clamped_starts(const OpCall& call, std::size_t from, const Dims& dims, const Dims& size) {
  Dims starts(dims.size());
  const bool as_vector = call.in.size() == from + 1 && !call.operand(from).shape.dims.empty();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Value& holder = as_vector ? call.operand(from) : call.operand(from + i);
    const std::int64_t raw = holder.integers[as_vector ? i : 0];
    const bool huge = holder.shape.dtype == DType::U64 && raw < 0;
    starts[i] = huge ? dims[i] - size[i] : std::clamp<std::int64_t>(raw, 0, dims[i] - size[i]);
  }
  return starts;
}

Value dynamic_slice(const OpCall& call) {
  const Dims& dims = call.operand(0).shape.dims;
  const Dims starts = clamped_starts(call, 1, dims, call.op.shape.dims);
  const Dims strides = row_major_strides(dims);
  std::int64_t base = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) base += strides[i] * starts[i];
  return strided_read(call.operand(0), call.op.shape, strides, base);
}

Value dynamic_update_slice(const OpCall& call) {
  Value out = call.operand(0);
  out.shape = call.op.shape;
  const Value& update = call.operand(1);
  const Dims starts = clamped_starts(call, 2, out.shape.dims, update.shape.dims);
  const Dims strides = row_major_strides(out.shape.dims);
  std::int64_t base = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) base += strides[i] * starts[i];
  strided_write(out, strides, base, update, update.shape.dims, 0);
  return out;
}

Value pad(const OpCall& call) {
  const Value& in = call.operand(0);
  Value out = zeros(call.op.shape);
  each_buffer(out, call.operand(1), [&](auto& to, const auto& from) { std::fill(to.begin(), to.end(), from[0]); });
  const Dims own = row_major_strides(in.shape.dims);
  Dims strides = row_major_strides(out.shape.dims);
  Dims box = in.shape.dims;
  std::int64_t to_base = 0, from_base = 0;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const PadDim& p = call.attributes().padding[d];
    const std::int64_t spread = p.interior + 1;
    // Elements i with 0 <= low + i × spread < size of out; negative padding crops.
    const std::int64_t first = p.low >= 0 ? 0 : (-p.low + spread - 1) / spread;
    const std::int64_t room = out.shape.dims[d] - p.low;
    const std::int64_t last = room <= 0 ? 0 : std::min(box[d], (room + spread - 1) / spread);
    box[d] = std::max<std::int64_t>(last - first, 0);
    to_base += strides[d] * (p.low + first * spread);
    from_base += own[d] * first;
    strides[d] *= spread;
  }
  strided_write(out, strides, to_base, in, box, from_base);
  return out;
}

Value concatenate(const OpCall& call) {
  Value out = zeros(call.op.shape);
  const auto along = static_cast<std::size_t>(call.attributes().dimensions[0]);
  const Dims strides = row_major_strides(out.shape.dims);
  std::int64_t offset = 0;
  for (const Value* in : call.in) {
    strided_write(out, strides, offset * strides[along], *in, in->shape.dims, 0);
    offset += in->shape.dims[along];
  }
  return out;
}

Value iota(const OpCall& call) {
  Value out = zeros(call.op.shape);
  const auto along = static_cast<std::size_t>(call.attributes().dimensions[0]);
  const std::int64_t stride = row_major_strides(out.shape.dims)[along];
  const std::int64_t size = out.shape.dims[along];
  const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(i) / stride % size; };
  for (std::size_t i = 0; i < out.numbers.size(); ++i) out.numbers[i] = static_cast<double>(at(i));
  for (std::size_t i = 0; i < out.integers.size(); ++i) out.integers[i] = wrapped(out.shape.dtype, at(i));
  round_all(out, call.rounding);
  return out;
}

Value relabelled(const Value& in, const Shape& shape) {
  Value out = in;
  out.shape = shape;
  return out;
}

/// Strides of the row-major logical index for a walk in the order of memory.
Dims memory_order_dims(const Shape& shape, Dims& strides) {
  const Dims own = row_major_strides(shape.dims);
  if (shape.minor_to_major.empty()) {
    strides = own;
    return shape.dims;
  }
  Dims dims;
  for (std::size_t i = shape.minor_to_major.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(shape.minor_to_major[i]);
    dims.push_back(shape.dims[d]);
    strides.push_back(own[d]);
  }
  return dims;
}

/// The same memory under another shape and layout.
Result<Value> bitcast(const OpCall& call) {
  const Value& in = call.operand(0);
  const Shape& shape = call.op.shape;
  if (in.shape.dtype != shape.dtype || in.shape.elements_count() != shape.elements_count()) {
    if (!is_row_major(in.shape) || !is_row_major(shape) || bits(in.shape.dtype) < 8 || bits(shape.dtype) < 8) {
      return call.unsupported("it changes type and layout at once");
    }
    Array array = to_array(in);
    array.dtype = shape.dtype;
    array.dims = shape.dims;
    return to_value(array, shape);
  }
  Dims in_strides, out_strides;
  const Dims in_dims = memory_order_dims(in.shape, in_strides);
  const Dims out_dims = memory_order_dims(shape, out_strides);
  Value out = zeros(shape);
  each_buffer(out, in, [&](auto& to, const auto& from) {
    Walk read(in_dims, in_strides), write(out_dims, out_strides);
    for (; !read.done(); read.next(), write.next()) {
      to[static_cast<std::size_t>(write.position())] = from[static_cast<std::size_t>(read.position())];
    }
  });
  return out;
}

}  // namespace

KernelResult evaluate_movement(const OpCall& call) {
  switch (call.op.opcode) {
    case Opcode::Broadcast: return broadcast(call);
    case Opcode::Transpose: return transpose(call);
    case Opcode::Slice: return slice(call);
    case Opcode::Reverse: return reverse(call);
    case Opcode::DynamicSlice: return dynamic_slice(call);
    case Opcode::DynamicUpdateSlice: return dynamic_update_slice(call);
    case Opcode::Pad: return pad(call);
    case Opcode::Concatenate: return concatenate(call);
    case Opcode::Iota: return iota(call);
    case Opcode::Reshape:
    case Opcode::Copy: return relabelled(call.operand(0), call.op.shape);
    case Opcode::Bitcast: {
      SEAM_TRY(Value value, bitcast(call));
      return std::optional<Value>(std::move(value));
    }
    default: return std::nullopt;
  }
}

}  // namespace seam::graph
