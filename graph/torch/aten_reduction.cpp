/// Sums, means, extremes and the like.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// Integers and booleans are summed as s64.
Tensor summable(Call& call, std::size_t dtype_position) {
  const Tensor a = call.tensor(0, "self");
  const DType own = call.b.dtype(a);
  return call.b.converted(a, call.dtype(dtype_position, "dtype", is_integer(own) || own == DType::Pred ? DType::S64 : own));
}

Value sum(Call& call) {
  const bool dims = call.overload != "default" && call.has(1, "dim");
  const Tensor a = summable(call, SIZE_MAX);
  return sum_of(call.b, a, dims ? call.dims_or_all(1, "dim", call.b.rank(a)) : counted(call.b.rank(a)), dims && call.flag(2, "keepdim", false));
}

Value mean(Call& call) {
  const bool dims = call.has(1, "dim");
  const Tensor a = call.b.converted(call.tensor(0, "self"), call.dtype(SIZE_MAX, "dtype", call.b.dtype(call.tensor(0, "self"))));
  return mean_of(call.b, a, dims ? call.dims_or_all(1, "dim", call.b.rank(a)) : counted(call.b.rank(a)), dims && call.flag(2, "keepdim", false));
}

Value prod(Call& call) {
  const bool dims = call.has(1, "dim");
  const Tensor a = summable(call, SIZE_MAX);
  const Tensor wide = call.wide(a);
  const Tensor out = call.b.reduced(Opcode::Multiply, wide, dims ? call.dims_or_all(1, "dim", call.b.rank(a)) : counted(call.b.rank(a)), call.b.constant(call.b.dtype(wide), 1),
                                    dims && call.flag(2, "keepdim", false));
  return call.b.converted(out, call.b.dtype(a));
}

/// Where `extreme` (kept dims) first stands along `dim`.
Tensor position(Builder& b, const Tensor& a, const Tensor& extreme, std::int64_t dim) {
  const Dims dims = b.dims(a);
  const Tensor index = b.iota(DType::S64, dims, dim);
  const Tensor here = b.compare(Direction::EQ, a, extreme);
  const Tensor beyond = b.integer(DType::S64, dims.empty() ? 0 : dims[static_cast<std::size_t>(dim)]);
  return b.reduced(Opcode::Minimum, b.select(here, index, beyond), {dim}, b.highest(DType::S64), true);
}

template <Opcode opcode>
Value extreme(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Tensor start = opcode == Opcode::Maximum ? b.lowest(b.dtype(a)) : b.highest(b.dtype(a));
  const bool plain = call.name == "amax" || call.name == "amin";
  if (!plain && call.has(1, "other")) {
    if (call.value(1, "other").is_tensor()) return b.binary(opcode, a, call.tensor(1, "other"));
    const std::int64_t dim = b.wrapped(call.integer(1, "dim", 0), b.rank(a));
    if (b.rank(a) == 0) return Value::list({a, b.integer(DType::S64, 0)});
    const bool keep = call.flag(2, "keepdim", false);
    const Tensor kept = b.reduced(opcode, a, {dim}, start, true);
    const Tensor where = position(b, a, kept, dim);
    return Value::list({keep ? kept : b.squeezed(kept, dim), keep ? where : b.squeezed(where, dim)});
  }
  return b.reduced(opcode, a, call.dims_or_all(1, "dim", b.rank(a)), start, call.flag(2, "keepdim", false));
}

template <Opcode opcode>
Value position_of(Call& call) {
  Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const bool all = !call.has(1, "dim");
  if (all) a = b.reshaped(a, {-1});
  const std::int64_t dim = all ? 0 : b.wrapped(call.integer(1, "dim", 0), b.rank(a));
  if (b.rank(a) == 0) return b.integer(DType::S64, 0);
  const Tensor kept = b.reduced(opcode, a, {dim}, opcode == Opcode::Maximum ? b.lowest(b.dtype(a)) : b.highest(b.dtype(a)), true);
  const Tensor where = position(b, a, kept, dim);
  return call.flag(2, "keepdim", false) ? where : b.squeezed(where, dim);
}

template <Opcode opcode>
Value logical(Call& call) {
  const Tensor a = call.b.converted(call.tensor(0, "self"), DType::Pred);
  return call.b.reduced(opcode, a, call.dims_or_all(1, "dim", call.b.rank(a)), call.b.constant(DType::Pred, opcode == Opcode::And ? 1 : 0), call.flag(2, "keepdim", false));
}

struct Moments {
  Tensor variance, mean;
  DType dtype;
};
/// Two passes, as a reader expects them: the mean, then the mean square distance from it.
Moments moments(Call& call, bool keep) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const DType own = b.dtype(a);
  const Tensor wide = call.wide(a);
  const bool overload_of_bool = call.value(1, "").kind == Value::Kind::Bool;  // var(self, unbiased)
  const Dims dims = overload_of_bool ? counted(b.rank(a)) : call.dims_or_all(1, "dim", b.rank(a));
  double correction = call.number(SIZE_MAX, "correction", 1);
  if (overload_of_bool) correction = static_cast<double>(call.value(1, "").integer);
  if (call.value(2, "").is_number() && !overload_of_bool) correction = call.value(2, "").as_number();  // var(self, dim, unbiased | correction, keepdim)
  if (call.flag(SIZE_MAX, "unbiased", true) == false) correction = 0;
  const Tensor mean = mean_of(b, wide, dims, true);
  const Tensor apart = b.binary(Opcode::Subtract, wide, mean);
  const Tensor total = b.sum(b.binary(Opcode::Multiply, apart, apart), dims, true);
  const double count = static_cast<double>(elements_over(b, a, dims)) - correction;
  const Tensor variance = b.binary(Opcode::Divide, total, b.constant(b.dtype(wide), std::max(count, 0.0)));
  Moments out{variance, mean, own};
  if (!keep) {
    Dims left;
    for (std::int64_t dim = 0; dim < b.rank(a); ++dim)
      if (std::ranges::find(dims, dim) == dims.end()) left.push_back(b.extent(a, dim));
    out.variance = b.reshaped(variance, left);
    out.mean = b.reshaped(mean, left);
  }
  return out;
}

bool keeps(Call& call) { return call.flag(call.arguments.size() > 3 ? 3 : SIZE_MAX, "keepdim", false); }

Value variance(Call& call) {
  const Moments both = moments(call, keeps(call));
  return call.b.converted(call.name == "std" ? call.b.unary(Opcode::Sqrt, both.variance) : both.variance, both.dtype);
}

Value variance_and_mean(Call& call) {
  const Moments both = moments(call, keeps(call));
  const Tensor spread = call.name == "std_mean" ? call.b.unary(Opcode::Sqrt, both.variance) : both.variance;
  return Value::list({call.b.converted(spread, both.dtype), call.b.converted(both.mean, both.dtype)});
}

Value log_sum_exp(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Tensor wide = call.wide(a);
  const Dims dims = call.dims_or_all(1, "dim", b.rank(a));
  const bool keep = call.flag(2, "keepdim", false);
  const Tensor high = max_of(b, wide, dims, true);
  const Tensor finite = b.select(b.unary(Opcode::IsFinite, high), high, b.constant(b.dtype(high), 0));
  const Tensor total = b.sum(b.unary(Opcode::Exp, b.binary(Opcode::Subtract, wide, finite)), dims, true);
  Tensor out = b.converted(b.binary(Opcode::Add, b.unary(Opcode::Log, total), finite), b.dtype(a));
  if (!keep)
    for (std::int64_t dim = b.rank(a); dim-- > 0;)
      if (std::ranges::find(dims, dim) != dims.end()) out = b.squeezed(out, dim);
  return out;
}

/// norm(self, p, dim, keepdim), linalg_vector_norm(self, ord, dim, keepdim).
Value norm(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Tensor wide = call.wide(a);
  const double p = call.number(1, "p", call.number(SIZE_MAX, "ord", 2));
  const Dims dims = call.dims_or_all(2, "dim", b.rank(a));
  const bool keep = call.flag(3, "keepdim", false);
  const Tensor size = b.unary(Opcode::Abs, wide);
  Tensor out;
  if (p == 2) {
    out = b.unary(Opcode::Sqrt, b.sum(b.binary(Opcode::Multiply, wide, wide), dims, keep));
  } else if (p == 1) {
    out = b.sum(size, dims, keep);
  } else if (std::isinf(p)) {
    out = b.reduced(p > 0 ? Opcode::Maximum : Opcode::Minimum, size, dims, p > 0 ? b.lowest(b.dtype(size)) : b.highest(b.dtype(size)), keep);
  } else if (p == 0) {
    out = b.sum(b.converted(b.compare(Direction::NE, wide, b.constant(b.dtype(wide), 0)), b.dtype(wide)), dims, keep);
  } else {
    const Tensor total = b.sum(b.binary(Opcode::Power, size, b.constant(b.dtype(size), p)), dims, keep);
    out = b.binary(Opcode::Power, total, b.constant(b.dtype(size), 1 / p));
  }
  return b.converted(out, b.dtype(a));
}

constexpr Operator kOperators[] = {
    {"sum", sum}, {"mean", mean}, {"prod", prod}, {"amax", extreme<Opcode::Maximum>}, {"amin", extreme<Opcode::Minimum>}, {"max", extreme<Opcode::Maximum>},
    {"min", extreme<Opcode::Minimum>}, {"argmax", position_of<Opcode::Maximum>}, {"argmin", position_of<Opcode::Minimum>}, {"any", logical<Opcode::Or>},
    {"all", logical<Opcode::And>}, {"var", variance}, {"std", variance}, {"var_mean", variance_and_mean}, {"std_mean", variance_and_mean},
    {"logsumexp", log_sum_exp}, {"norm", norm}, {"linalg_vector_norm", norm},
};

}  // namespace

std::span<const Operator> reduction_operators() { return kOperators; }

}  // namespace seam::graph::torch
