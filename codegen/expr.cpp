#include "codegen/expr.h"

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace seam::codegen {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U));
}
std::size_t text_hash(const std::string& text) { return std::hash<std::string>{}(text); }

constexpr std::array<std::string_view, 13> kBinNames = {"add", "sub", "mul", "div", "mod", "min", "max",
                                                        "lt",  "le",  "eq",  "ne",  "and", "or"};

}  // namespace

std::string_view name(BinOp op) { return kBinNames.at(static_cast<std::size_t>(op)); }

std::size_t hash_of(const Imm& n) { return mix(mix(1, static_cast<std::size_t>(n.dtype)), n.bits); }
std::size_t hash_of(const Var& n) { return mix(mix(2, static_cast<std::size_t>(n.dtype)), text_hash(n.name)); }
std::size_t hash_of(const Bin& n) {
  return mix(mix(mix(3, static_cast<std::size_t>(n.op)), n.a.hash()), n.b.hash());
}
std::size_t hash_of(const Load& n) {
  return mix(mix(mix(4, static_cast<std::size_t>(n.dtype)), text_hash(n.buffer)), n.index.hash());
}
std::size_t hash_of(const Scalar& n) {
  std::size_t h = mix(mix(5, static_cast<std::size_t>(n.op)), static_cast<std::size_t>(n.dtype));
  for (const Expr& arg : n.args) h = mix(h, arg.hash());
  return mix(mix(h, static_cast<std::size_t>(n.detail)), static_cast<std::size_t>(n.detail2));
}

DType dtype_of(const Expr& e) {
  return match(
      e, [](const Imm& n) { return n.dtype; }, [](const Var& n) { return n.dtype; },
      [](const Bin& n) { return n.op >= BinOp::Lt ? DType::Pred : dtype_of(n.a); },
      [](const Load& n) { return n.dtype; }, [](const Scalar& n) { return n.dtype; });
}

Expr imm_int(DType dtype, std::int64_t value) { return Imm{dtype, std::bit_cast<std::uint64_t>(value)}; }

Expr imm_float(DType dtype, double value) {
  const double rounded = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : round_to(dtype, value);
  return Imm{dtype, std::bit_cast<std::uint64_t>(rounded)};
}

Expr imm_pred(bool value) { return Imm{DType::Pred, value ? 1U : 0U}; }

bool is_int(const Expr& e, std::int64_t& value) {
  const auto* imm = std::get_if<Imm>(&e->kind);
  if (imm == nullptr || is_float(imm->dtype)) return false;
  value = std::bit_cast<std::int64_t>(imm->bits);
  return true;
}

double float_value(const Imm& imm) { return std::bit_cast<double>(imm.bits); }

}  // namespace seam::codegen
