/// Products: left to a library later, whatever order their operands lie in.
#include <fmt/core.h>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// `sum`: the type of the result before something is added to it (the library rounds 16-bit results once, at the end).
Tensor mm(Builder& b, const Tensor& x, const Tensor& y, std::optional<DType> sum = std::nullopt) {
  if (b.rank(x) != 2 || b.rank(y) != 2) b.refuse("no matrices");
  return b.refused() ? x : b.dot(x, y, {{}, {1}, {}, {0}}, sum);
}

Tensor bmm(Builder& b, const Tensor& x, const Tensor& y, std::optional<DType> sum = std::nullopt) {
  if (b.rank(x) != 3 || b.rank(y) != 3) b.refuse("no batches of matrices");
  return b.refused() ? x : b.dot(x, y, {{0}, {2}, {0}, {1}}, sum);
}

/// numpy's rules: vectors are promoted, batch dims broadcast.
Tensor matmul(Builder& b, Tensor x, Tensor y, std::optional<DType> sum = std::nullopt) {
  if (b.rank(x) == 0 || b.rank(y) == 0) b.refuse("a product with a scalar");
  if (b.refused()) return x;
  const bool row = b.rank(x) == 1, column = b.rank(y) == 1;
  if (row) x = b.unsqueezed(x, 0);
  if (column) y = b.unsqueezed(y, 1);
  Tensor out;
  if (b.rank(y) == 2) {
    const std::int64_t last = b.rank(x) - 1;
    out = b.dot(x, y, {{}, {last}, {}, {0}}, sum);
  } else {
    const Dims left = b.dims(x), right = b.dims(y);
    const std::size_t rank = std::max(left.size(), right.size());
    Dims batch(rank - 2, 1);
    for (const Dims* dims : {&left, &right})
      for (std::size_t k = 0; k + 2 < dims->size(); ++k) {
        std::int64_t& extent = batch[batch.size() - (dims->size() - 2) + k];
        if ((*dims)[k] != 1) extent = (*dims)[k];
      }
    const auto spread = [&](const Tensor& tensor, const Dims& own) {
      Dims target = batch;
      target.insert(target.end(), own.end() - 2, own.end());
      return b.expanded(tensor, target);
    };
    x = spread(x, left);
    y = spread(y, right);
    DotDims dims;
    dims.lhs_batch = dims.rhs_batch = counted(static_cast<std::int64_t>(batch.size()));
    dims.lhs_contract = {static_cast<std::int64_t>(rank) - 1};
    dims.rhs_contract = {static_cast<std::int64_t>(rank) - 2};
    out = b.refused() ? x : b.dot(x, y, dims, sum);
  }
  if (column) out = b.squeezed(out, -1);
  if (row) out = b.squeezed(out, column ? -1 : -2);
  return out;
}

/// beta * input + alpha * product, in the product's type, rounded to `type`.
Tensor added(Call& call, const Tensor& input, const Tensor& product, DType type) {
  Builder& b = call.b;
  const double beta = call.number(SIZE_MAX, "beta", 1), alpha = call.number(SIZE_MAX, "alpha", 1);
  Tensor out = alpha == 1 ? product : scaled(b, product, alpha);
  if (beta != 0) {
    const Tensor wide = b.converted(input, b.dtype(product));
    out = b.binary(Opcode::Add, out, beta == 1 ? wide : scaled(b, wide, beta));
  }
  return b.converted(out, type);
}

Value mm_call(Call& call) {
  const Tensor x = call.tensor(0, "self"), y = call.tensor(1, "mat2");
  return mm(call.b, x, y);
}
Value bmm_call(Call& call) {
  const Tensor x = call.tensor(0, "self"), y = call.tensor(1, "mat2");
  return bmm(call.b, x, y);
}
Value matmul_call(Call& call) { return matmul(call.b, call.tensor(0, "self"), call.tensor(1, "other")); }
Value addmm(Call& call) {
  const Tensor input = call.tensor(0, "self"), x = call.tensor(1, "mat1");
  const DType type = call.b.dtype(x);
  return added(call, input, mm(call.b, x, call.tensor(2, "mat2"), Call::computing(type)), type);
}
Value baddbmm(Call& call) {
  const Tensor input = call.tensor(0, "self"), x = call.tensor(1, "batch1");
  const DType type = call.b.dtype(x);
  return added(call, input, bmm(call.b, x, call.tensor(2, "batch2"), Call::computing(type)), type);
}
Value addmv(Call& call) {
  const Tensor input = call.tensor(0, "self"), x = call.tensor(1, "mat");
  const DType type = call.b.dtype(x);
  return added(call, input, matmul(call.b, x, call.tensor(2, "vec"), Call::computing(type)), type);
}

/// linear(input, weight[out, in], bias)
Value linear(Call& call) {
  const Tensor x = call.tensor(0, "input"), weight = call.tensor(1, "weight");
  if (call.b.rank(weight) != 2 || call.b.rank(x) == 0) call.b.refuse("a weight that is no matrix");
  if (call.b.refused()) return x;
  const DotDims dims = {{}, {call.b.rank(x) - 1}, {}, {1}};
  const DType type = call.b.dtype(x);
  if (!call.has(2, "bias")) return call.b.dot(x, weight, dims);
  return added(call, call.tensor(2, "bias"), call.b.dot(x, weight, dims, Call::computing(type)), type);
}

Value outer(Call& call) {
  const Tensor x = call.tensor(0, "self"), y = call.tensor(1, "vec2");
  return call.b.binary(Opcode::Multiply, call.b.unsqueezed(x, -1), call.b.unsqueezed(y, 0));
}

constexpr Operator kOperators[] = {
    {"mm", mm_call}, {"bmm", bmm_call}, {"matmul", matmul_call}, {"dot", matmul_call}, {"mv", matmul_call}, {"addmm", addmm}, {"baddbmm", baddbmm}, {"addmv", addmv},
    {"linear", linear}, {"outer", outer},
};

}  // namespace

std::span<const Operator> matmul_operators() { return kOperators; }

}  // namespace seam::graph::torch
