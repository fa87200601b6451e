#include <algorithm>

#include "evaluate/kernel.h"

namespace seam::graph {
namespace {

/// One side of a dot: its dimensions as batch, free and contracted, with sizes and strides.
struct Side {
  Dims dims;     ///< in the order batch, free, contracted (lhs) or batch, contracted, free (rhs)
  Dims strides;
  std::int64_t batch = 1, free = 1, contracted = 1;
};

Side side_of(const Value& value, const Dims& batch, const Dims& contract, bool contract_last) {
  const Dims& dims = value.shape.dims;
  const Dims own = row_major_strides(dims);
  Side side;
  const auto take = [&](std::int64_t dim, std::int64_t& product) {
    side.dims.push_back(dims[static_cast<std::size_t>(dim)]);
    side.strides.push_back(own[static_cast<std::size_t>(dim)]);
    product *= dims[static_cast<std::size_t>(dim)];
  };
  const auto take_free = [&] {
    for (std::int64_t d = 0; d < std::ssize(dims); ++d) {
      const bool used = std::ranges::find(batch, d) != batch.end() || std::ranges::find(contract, d) != contract.end();
      if (!used) take(d, side.free);
    }
  };
  for (const std::int64_t dim : batch) take(dim, side.batch);
  if (contract_last) take_free();
  for (const std::int64_t dim : contract) take(dim, side.contracted);
  if (!contract_last) take_free();
  return side;
}

template <class T>
std::vector<T> packed(const std::vector<T>& from, const Side& side) {
  std::vector<T> to(from.size());
  walk_pair(side.dims, row_major_strides(side.dims), 0, side.strides, 0, [&](std::int64_t a, std::int64_t b) {
    to[static_cast<std::size_t>(a)] = from[static_cast<std::size_t>(b)];
  });
  return to;
}

struct Sizes {
  std::size_t batch, m, n, k;
};

/// out[b, m, n] += Σ lhs[b, m, k] × rhs[b, k, n]. Columns in blocks that stay in the cache while rows pass; integers wrap
/// around as unsigned.
template <class T>
void multiply_add(const std::vector<T>& lhs, const std::vector<T>& rhs, std::vector<T>& out, const Sizes& s, double sign) {
  constexpr std::size_t kColumns = 512, kDepth = 128;
  const T factor = static_cast<T>(sign);
  for (std::size_t b = 0; b < s.batch; ++b) {
    const T* const left = lhs.data() + b * s.m * s.k;
    const T* const right = rhs.data() + b * s.k * s.n;
    T* const to = out.data() + b * s.m * s.n;
    for (std::size_t n0 = 0; n0 < s.n; n0 += kColumns) {
      const std::size_t columns = std::min(kColumns, s.n - n0);
      for (std::size_t k0 = 0; k0 < s.k; k0 += kDepth) {
        const std::size_t k1 = std::min(k0 + kDepth, s.k);
        for (std::size_t m = 0; m < s.m; ++m) {
          T* const row = to + m * s.n + n0;
          std::size_t k = k0;
          for (; k + 1 < k1; k += 2) {  // two rows of the right side per pass over the result row
            const T x0 = left[m * s.k + k] * factor, x1 = left[m * s.k + k + 1] * factor;
            const T* const r0 = right + k * s.n + n0;
            const T* const r1 = r0 + s.n;
            for (std::size_t n = 0; n < columns; ++n) row[n] += x0 * r0[n] + x1 * r1[n];
          }
          for (; k < k1; ++k) {
            const T x = left[m * s.k + k] * factor;
            const T* const r = right + k * s.n + n0;
            for (std::size_t n = 0; n < columns; ++n) row[n] += x * r[n];
          }
        }
      }
    }
  }
}

std::vector<std::uint64_t> unsigned_bits(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

Result<Value> dot_product(const Value& lhs, const Value& rhs, const DotDims& dims, const Shape& shape) {
  const Side left = side_of(lhs, dims.lhs_batch, dims.lhs_contract, true);
  const Side right = side_of(rhs, dims.rhs_batch, dims.rhs_contract, false);
  Value out = zeros(shape);
  if (left.batch * left.free * right.free != shape.elements_count() || left.contracted != right.contracted) {
    return fail(Error::Code::BadInput, "the dimensions of a dot and its result do not fit");
  }
  const Sizes sizes{static_cast<std::size_t>(left.batch), static_cast<std::size_t>(left.free),
                    static_cast<std::size_t>(right.free), static_cast<std::size_t>(left.contracted)};
  if (storage_of(shape.dtype) == Storage::Integer) {
    std::vector<std::uint64_t> sums(out.integers.size());
    multiply_add(packed(unsigned_bits(lhs.integers), left), packed(unsigned_bits(rhs.integers), right), sums, sizes, 1);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out.integers[i] = wrapped(shape.dtype, static_cast<std::int64_t>(sums[i]));
    }
    return out;
  }
  const std::vector<double> a = packed(as_numbers(lhs), left), b = packed(as_numbers(rhs), right);
  multiply_add(a, b, out.numbers, sizes, 1);
  if (is_complex(shape.dtype)) {
    const std::vector<double> ai = packed(lhs.imaginary, left), bi = packed(rhs.imaginary, right);
    multiply_add(ai, bi, out.numbers, sizes, -1);
    multiply_add(a, bi, out.imaginary, sizes, 1);
    multiply_add(ai, b, out.imaginary, sizes, 1);
  }
  return out;
}

KernelResult evaluate_contraction(const OpCall& call) {
  if (call.op.opcode != Opcode::Dot && call.op.opcode != Opcode::Convolution) return std::nullopt;
  Result<Value> value = call.op.opcode == Opcode::Dot
                            ? dot_product(call.operand(0), call.operand(1), call.attributes().dot, call.op.shape)
                            : convolved(call.operand(0), call.operand(1), call.attributes(), call.op.shape,
                                        ConvolutionPart::Output);
  if (!value) return call.unsupported(value.error().message);
  round_all(*value, call.rounding);
  return std::optional<Value>(*std::move(value));
}

}  // namespace seam::graph
