// Reduces and dots inside one thread: a loop per element. For small ones, and for what is not worth a tile.
#include <algorithm>

#include "lower/combine.h"
#include "lower/elements.h"

namespace seam::codegen {

using graph::Op;
using graph::Opcode;

Result<Expr> Elements::reduce(const Op& op, Id<Op> id, const Expr& index, std::int64_t component) {
  const IndexMath& math = builder_->index();
  SEAM_TRY(const Combiner combiner, Combiner::of(*graph_, *computation_, op));
  const ReduceDims dims = reduce_dims(*computation_, op);
  const std::size_t count = combiner.components();
  std::vector<Expr> inits;
  for (std::size_t i = 0; i < count; ++i) {
    SEAM_TRY(Expr init, value(op.operands[count + i], math.imm(0)));
    inits.push_back(std::move(init));
  }
  std::vector<Expr> sums;
  for (const Expr& first : combiner.start(inits)) sums.push_back(builder_->declare(op.name + "_acc", first));
  const Expr k = builder_->open_loop("k", math.imm(0), math.imm(dims.elements), 1);
  const Expr from = reduce_operand_index(math, dims, index, k);
  std::vector<Expr> values;
  for (std::size_t i = 0; i < count; ++i) {
    SEAM_TRY(Expr element, value(op.operands[i], from));
    values.push_back(combiner.lifted(i, element));
  }
  if (auto ok = accumulate_into(*builder_, combiner, sums, values); !ok) return tl::unexpected(std::move(ok).error());
  builder_->close_loop();
  SEAM_TRY(std::vector<Expr> results, combiner.finish(*builder_, sums, inits));
  for (std::size_t i = 0; i < count; ++i) {
    results[i] = builder_->bind(op.name, results[i]);
    builder_->remember(ValueKey{id, static_cast<std::int64_t>(i), index}, results[i]);
  }
  return results.at(static_cast<std::size_t>(component));
}

Result<Expr> Elements::dot(const Op& op, const Expr& index) {
  const IndexMath& math = builder_->index();
  const graph::Shape& lhs = shape(op.operands.at(0));
  const graph::Shape& rhs = shape(op.operands.at(1));
  const graph::DotDims& d = op.attributes.dot;
  const std::vector<Expr> at = math.coordinates(index, op.shape.dims);
  std::vector<Expr> left(lhs.dims.size(), math.imm(0));
  std::vector<Expr> right(rhs.dims.size(), math.imm(0));
  const auto in = [](const std::vector<std::int64_t>& list, std::size_t x) {
    return std::ranges::find(list, static_cast<std::int64_t>(x)) != list.end();
  };
  std::size_t next = 0;
  for (std::size_t i = 0; i < d.lhs_batch.size(); ++i, ++next) {
    left.at(static_cast<std::size_t>(d.lhs_batch[i])) = at.at(next);
    right.at(static_cast<std::size_t>(d.rhs_batch.at(i))) = at.at(next);
  }
  for (std::size_t i = 0; i < lhs.dims.size(); ++i) {
    if (!in(d.lhs_batch, i) && !in(d.lhs_contract, i)) left[i] = at.at(next++);
  }
  for (std::size_t i = 0; i < rhs.dims.size(); ++i) {
    if (!in(d.rhs_batch, i) && !in(d.rhs_contract, i)) right[i] = at.at(next++);
  }
  std::vector<std::int64_t> contracted;
  std::int64_t depth = 1;
  for (const std::int64_t c : d.lhs_contract) {
    contracted.push_back(lhs.dims.at(static_cast<std::size_t>(c)));
    depth *= contracted.back();
  }
  const DType dtype = op.shape.dtype;
  if (auto ok = check_type(op, dtype); !ok) return tl::unexpected(std::move(ok).error());
  const DType wide = dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype;
  const Expr sum = builder_->declare(op.name + "_acc", is_float(wide) ? imm_float(wide, 0) : imm_int(wide, 0));
  const Expr k = builder_->open_loop("k", math.imm(0), math.imm(depth), 1);
  const std::vector<Expr> inner = math.coordinates(k, contracted);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    left.at(static_cast<std::size_t>(d.lhs_contract[i])) = inner[i];
    right.at(static_cast<std::size_t>(d.rhs_contract.at(i))) = inner[i];
  }
  const auto lift = [&](const Expr& e) { return dtype_of(e) == wide ? e : Expr(Scalar{Opcode::Convert, wide, {e}}); };
  SEAM_TRY(const Expr a, value(op.operands[0], math.linear(left, lhs.dims)));
  SEAM_TRY(const Expr b, value(op.operands[1], math.linear(right, rhs.dims)));
  builder_->assign(sum, Scalar{Opcode::Add, wide, {sum, Scalar{Opcode::Multiply, wide, {lift(a), lift(b)}}}});
  builder_->close_loop();
  return builder_->bind(op.name, wide == dtype ? sum : Expr(Scalar{Opcode::Convert, dtype, {sum}}));
}

}  // namespace seam::codegen
