#include "torch/call.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace seam::graph::torch {

Value Value::of(std::int64_t i) {
  Value out;
  out.kind = Kind::Int;
  out.integer = i;
  return out;
}

Value Value::list(std::vector<Value> items) {
  Value out;
  out.kind = Kind::List;
  out.items = std::move(items);
  return out;
}

const Value& Call::value(std::size_t position, std::string_view keyword) const {
  static const Value none;
  if (position < arguments.size()) return arguments[position];
  for (const auto& [key, value] : keywords)
    if (key == keyword) return value;
  return none;
}

Tensor Call::tensor(std::size_t position, std::string_view keyword) {
  const Value& found = value(position, keyword);
  if (found.is_tensor()) return found.tensor;
  if (found.is_number()) return as(found, found.kind == Value::Kind::Float ? DType::F32 : found.kind == Value::Kind::Bool ? DType::Pred : DType::S64);
  b.refuse(fmt::format("argument {} is no tensor", position));
  return b.constant(DType::F32, 0);
}

std::vector<Tensor> Call::tensors(std::size_t position, std::string_view keyword) {
  const Value& found = value(position, keyword);
  std::vector<Tensor> out;
  for (const Value& item : found.items) {
    if (!item.is_tensor()) b.refuse(fmt::format("argument {} is no list of tensors", position));
    else out.push_back(item.tensor);
  }
  if (found.kind != Value::Kind::List) b.refuse(fmt::format("argument {} is no list of tensors", position));
  return out;
}

double Call::number(std::size_t position, std::string_view keyword, double otherwise) {
  const Value& found = value(position, keyword);
  if (found.kind == Value::Kind::None) return otherwise;
  if (!found.is_number()) b.refuse(fmt::format("argument {} is no number", position));
  return found.as_number();
}

std::int64_t Call::integer(std::size_t position, std::string_view keyword, std::int64_t otherwise) {
  const Value& found = value(position, keyword);
  if (found.kind == Value::Kind::None) return otherwise;
  if (found.kind != Value::Kind::Int && found.kind != Value::Kind::Bool) b.refuse(fmt::format("argument {} is no integer", position));
  return found.integer;
}

bool Call::flag(std::size_t position, std::string_view keyword, bool otherwise) { return integer(position, keyword, otherwise ? 1 : 0) != 0; }

std::string Call::text(std::size_t position, std::string_view keyword) { return value(position, keyword).text; }

Dims Call::ints(std::size_t position, std::string_view keyword, const Dims& otherwise) {
  const Value& found = value(position, keyword);
  if (found.kind == Value::Kind::None) return otherwise;
  Dims out;
  const auto take = [&](const Value& item) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (item.kind != Value::Kind::Int || item.integer > kMost || item.integer < -kMost) b.refuse(fmt::format("argument {} holds no sizes", position));
    out.push_back(item.integer);
  };
  if (found.kind == Value::Kind::List) {
    for (const Value& item : found.items) take(item);
  } else {
    for (std::size_t k = position; k < arguments.size() && arguments[k].kind == Value::Kind::Int; ++k) take(arguments[k]);
    if (position >= arguments.size()) take(found);
  }
  return out;
}

Dims Call::dims_or_all(std::size_t position, std::string_view keyword, std::int64_t rank) {
  const Value& found = value(position, keyword);
  Dims out;
  if (found.kind == Value::Kind::Int) {
    out = {found.integer};
  } else {
    out = ints(position, keyword);
  }
  if (out.empty()) return counted(rank);
  for (std::int64_t& dim : out) dim = b.wrapped(dim, rank);
  if (rank == 0) out.clear();
  return out;
}

DType Call::dtype(std::size_t position, std::string_view keyword, DType otherwise) {
  const Value& found = value(position, keyword);
  if (found.kind == Value::Kind::Int) {  // recorded calls have c10::ScalarType's number
    constexpr std::array kTypes = {DType::U8, DType::S8, DType::S16, DType::S32, DType::S64, DType::F16, DType::F32, DType::F64};
    if (found.integer >= 0 && found.integer < std::ssize(kTypes)) return kTypes[static_cast<std::size_t>(found.integer)];
    if (found.integer == 11) return DType::Pred;
    if (found.integer == 15) return DType::BF16;
    b.refuse(fmt::format("type number {}", found.integer));
    return otherwise;
  }
  if (found.kind == Value::Kind::Text) {
    if (const std::optional<DType> known = torch_dtype(found.text)) return *known;
    b.refuse(fmt::format("'{}' is no known type", found.text));
  }
  return otherwise;
}

namespace {

int category(DType dtype) { return dtype == DType::Pred ? 0 : is_integer(dtype) ? 1 : is_float(dtype) ? 2 : 3; }

DType wider(DType a, DType b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (category(a) == 2 && bits(a) == bits(b)) return DType::F32;  // f16 with bf16
  if (category(a) == 1 && is_unsigned(a) != is_unsigned(b)) {
    const int unsigned_bits = is_unsigned(a) ? bits(a) : bits(b), signed_bits = is_unsigned(a) ? bits(b) : bits(a);
    if (signed_bits > unsigned_bits) return is_unsigned(a) ? b : a;
    return unsigned_bits == 8 ? DType::S16 : unsigned_bits == 16 ? DType::S32 : DType::S64;
  }
  return bits(a) > bits(b) ? a : b;
}

}  // namespace

DType Call::promoted(std::span<const Value* const> values) {
  // Tensors with dims come first; scalars, then numbers, count only where they are of a higher kind.
  std::optional<DType> ranked, scalar, number;
  for (const Value* value : values) {
    if (value->is_tensor()) {
      std::optional<DType>& slot = b.rank(value->tensor) > 0 ? ranked : scalar;
      slot = slot ? wider(*slot, b.dtype(value->tensor)) : b.dtype(value->tensor);
    } else if (value->is_number()) {
      const DType kind = value->kind == Value::Kind::Bool ? DType::Pred : value->kind == Value::Kind::Int ? DType::S64 : DType::F32;
      number = number ? wider(*number, kind) : kind;
    }
  }
  std::optional<DType> out = ranked;
  if (scalar && (!out || category(*scalar) > category(*out))) out = scalar;
  if (number && (!out || category(*number) > category(*out))) out = number;
  return out.value_or(DType::F32);
}

Tensor Call::as(const Value& value, DType dtype) {
  if (value.is_tensor()) return b.converted(value.tensor, dtype);
  if (!value.is_number()) b.refuse("an argument is neither tensor nor number");
  if (value.kind == Value::Kind::Int) return b.integer(dtype, value.integer);
  return b.constant(dtype, value.as_number());
}

DType Call::fractional(DType dtype) { return is_integer(dtype) || dtype == DType::Pred ? DType::F32 : dtype; }
DType Call::computing(DType dtype) { return is_float(dtype) && bits(dtype) <= 16 ? DType::F32 : dtype; }

Lowering lowering_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Lowering> table = [] {
    std::unordered_map<std::string_view, Lowering> out;
    for (const auto family : {pointwise_operators, activation_operators, reduction_operators, view_operators, strided_operators, creation_operators, movement_operators, matmul_operators,
                              normalization_operators, random_operators, loss_operators, indexing_operators, window_operators, list_operators})
      for (const Operator& one : family()) out.emplace(one.name, one.lowering);
    return out;
  }();
  const auto found = table.find(name.starts_with("_foreach_") ? std::string_view("_foreach") : name);
  return found == table.end() ? nullptr : found->second;
}

std::int64_t elements_over(Builder& b, const Tensor& a, const Dims& dims) {
  std::int64_t count = 1;
  const Dims extents = b.dims(a);
  for (const std::int64_t dim : dims)
    if (static_cast<std::size_t>(dim) < extents.size()) count *= extents[static_cast<std::size_t>(dim)];
  return count;
}

Tensor sum_of(Builder& b, const Tensor& a, const Dims& dims, bool keep) {
  const DType own = b.dtype(a);
  return b.converted(b.sum(b.converted(a, Call::computing(own)), dims, keep), own);
}

Tensor mean_of(Builder& b, const Tensor& a, const Dims& dims, bool keep) {
  const DType own = b.dtype(a);
  const DType wide = Call::computing(own);
  const Tensor total = b.sum(b.converted(a, wide), dims, keep);
  return b.converted(b.binary(Opcode::Divide, total, b.constant(wide, static_cast<double>(elements_over(b, a, dims)))), own);
}

Tensor max_of(Builder& b, const Tensor& a, const Dims& dims, bool keep) { return b.reduced(Opcode::Maximum, a, dims, b.lowest(b.dtype(a)), keep); }

Tensor scaled(Builder& b, const Tensor& a, double factor) { return b.binary(Opcode::Multiply, a, b.constant(b.dtype(a), factor)); }
Tensor shifted(Builder& b, const Tensor& a, double summand) { return b.binary(Opcode::Add, a, b.constant(b.dtype(a), summand)); }
Tensor logistic(Builder& b, const Tensor& a) { return b.unary(Opcode::Logistic, a); }

}  // namespace seam::graph::torch
