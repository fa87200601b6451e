#include "lower/combine.h"

#include <bit>
#include <limits>

#include "base/check.h"

namespace seam::codegen {
namespace {

using graph::Op;
using graph::Opcode;

/// Add, for a computation that is `add(parameter 0, parameter 1)`.
std::optional<Opcode> single_op(const graph::Computation& computation) {
  const Op& root = computation.ops[computation.root];
  if (root.operands.size() != 2 || computation.parameters.size() != 2) return std::nullopt;
  const Op& a = computation.ops[root.operands[0]];
  const Op& b = computation.ops[root.operands[1]];
  if (a.opcode != Opcode::Parameter || b.opcode != Opcode::Parameter || root.operands[0] == root.operands[1]) return std::nullopt;
  switch (root.opcode) {
    case Opcode::Add:
    case Opcode::Multiply:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor: return root.opcode;
    default: return std::nullopt;
  }
}

Expr smallest(DType dtype) {
  if (is_float(dtype)) return imm_float(dtype, -std::numeric_limits<double>::infinity());
  if (dtype == DType::Pred || is_unsigned(dtype)) return imm_int(dtype, 0);
  return imm_int(dtype, std::numeric_limits<std::int64_t>::min() >> (64 - bits(dtype)));
}
Expr all_ones(DType dtype) {
  if (dtype == DType::Pred) return imm_pred(true);
  if (is_signed(dtype)) return imm_int(dtype, -1);
  return Imm{dtype, ~std::uint64_t{0} >> (64 - bits(dtype))};
}
Expr largest(DType dtype) {
  if (is_float(dtype)) return imm_float(dtype, std::numeric_limits<double>::infinity());
  if (dtype == DType::Pred || is_unsigned(dtype)) return all_ones(dtype);
  return imm_int(dtype, std::numeric_limits<std::int64_t>::max() >> (64 - bits(dtype)));
}

Expr neutral(Opcode op, DType dtype) {
  switch (op) {
    case Opcode::Multiply: return is_float(dtype) ? imm_float(dtype, 1) : imm_int(dtype, 1);
    case Opcode::Maximum: return smallest(dtype);
    case Opcode::Minimum: return largest(dtype);
    case Opcode::And: return all_ones(dtype);
    default: return is_float(dtype) ? imm_float(dtype, 0) : imm_int(dtype, 0);
  }
}

}  // namespace

Result<Combiner> Combiner::of(const graph::Graph& graph, const graph::Computation& computation, const Op& reduce) {
  Combiner out;
  out.graph_ = &graph;
  out.to_apply_ = reduce.attributes.calls.at(0);
  const std::size_t count = reduce.operands.size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const DType dtype = computation.ops[reduce.operands[i]].shape.dtype;
    if (auto ok = check_type(reduce, dtype); !ok) return tl::unexpected(std::move(ok).error());
    out.types_.push_back(dtype);
  }
  if (count == 1) out.simple_ = single_op(graph.computations[out.to_apply_]);
  return out;
}

DType Combiner::accumulator_type(std::size_t component) const {
  const DType dtype = types_.at(component);
  return simple_ && (dtype == DType::F16 || dtype == DType::BF16) ? DType::F32 : dtype;
}

std::vector<Expr> Combiner::start(std::span<const Expr> inits) const {
  if (simple_) return {neutral(*simple_, accumulator_type(0))};
  return {inits.begin(), inits.end()};
}

Expr Combiner::lifted(std::size_t component, const Expr& value) const {
  const DType dtype = accumulator_type(component);
  if (dtype_of(value) == dtype) return value;
  if (const auto* imm = std::get_if<Imm>(&value->kind)) return imm_float(dtype, float_value(*imm));
  return Scalar{Opcode::Convert, dtype, {value}};
}

Result<std::vector<Expr>> Combiner::combine(Builder& builder, std::span<const Expr> a, std::span<const Expr> b) const {
  if (simple_) return std::vector<Expr>{Scalar{*simple_, accumulator_type(0), {a[0], b[0]}}};
  std::vector<Expr> parameters(a.begin(), a.end());
  parameters.insert(parameters.end(), b.begin(), b.end());
  SEAM_TRY(std::vector<Expr> out, scalar_computation(*graph_, to_apply_, parameters, builder));
  SEAM_CHECK(out.size() == types_.size(), "a combiner yields another number of values than it takes");
  return out;
}

Result<std::vector<Expr>> Combiner::finish(Builder& builder, std::span<const Expr> accumulators, std::span<const Expr> inits) const {
  std::vector<Expr> out(accumulators.begin(), accumulators.end());
  if (!simple_) return out;
  const Expr init = lifted(0, inits[0]);
  if (!(init == neutral(*simple_, accumulator_type(0)))) {
    const Expr first[] = {init};
    SEAM_TRY(out, combine(builder, first, accumulators));
  }
  if (dtype_of(out[0]) != types_[0]) out[0] = Scalar{Opcode::Convert, types_[0], {out[0]}};
  return out;
}

Result<void> accumulate_into(Builder& builder, const Combiner& combiner, std::span<const Expr> variables, std::span<const Expr> values) {
  SEAM_TRY(std::vector<Expr> sums, combiner.combine(builder, variables, values));
  // All sums are made of the old values.
  if (sums.size() > 1) {
    for (Expr& sum : sums) sum = builder.bind("next", sum);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) builder.assign(variables[i], sums[i]);
  return {};
}

}  // namespace seam::codegen
