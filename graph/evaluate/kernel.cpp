#include "evaluate/kernel.h"

#include <fmt/core.h>

#include <algorithm>

namespace seam::graph {

tl::unexpected<Error> OpCall::error(std::string message) const {
  return fail(Error::Code::BadInput, fmt::format("{} '{}': {}", op.opcode_text, op.name, message), op.at);
}

tl::unexpected<Error> OpCall::unsupported(std::string why) const {
  return fail(Error::Code::Unsupported, fmt::format("cannot evaluate {} '{}': {}", op.opcode_text, op.name, why), op.at);
}

Storage storage_of(DType dtype) {
  if (is_integer(dtype)) return Storage::Integer;
  return is_complex(dtype) ? Storage::Complex : Storage::Real;
}

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

Value zeros(const Shape& shape) {
  Value value;
  value.shape = shape;
  if (bytes(shape.dtype) == 0) return value;
  const auto count = static_cast<std::size_t>(shape.elements_count());
  const Storage storage = storage_of(shape.dtype);
  if (storage == Storage::Integer) {
    value.integers.resize(count);
  } else {
    value.numbers.resize(count);
  }
  if (storage == Storage::Complex) value.imaginary.resize(count);
  return value;
}

void round_all(Value& value, Rounding rounding) {
  if (rounding == Rounding::Wide) return;
  const DType dtype = value.shape.dtype;
  switch (dtype) {
    case DType::Pred:
    case DType::F64:
    case DType::C128: return;
    case DType::F32:
    case DType::C64:
      for (double& number : value.numbers) number = static_cast<double>(static_cast<float>(number));
      for (double& number : value.imaginary) number = static_cast<double>(static_cast<float>(number));
      return;
    default:
      for (double& number : value.numbers) number = round_to(dtype, number);
  }
}

std::int64_t wrapped(DType dtype, std::int64_t value) {
  const int width = bits(dtype);
  if (width >= 64) return value;
  const auto raw = static_cast<std::uint64_t>(value) << (64 - width);
  if (is_signed(dtype)) return static_cast<std::int64_t>(raw) >> (64 - width);
  return static_cast<std::int64_t>(raw >> (64 - width));
}

std::vector<double> as_numbers(const Value& value) {
  if (storage_of(value.shape.dtype) != Storage::Integer) return value.numbers;
  return {value.integers.begin(), value.integers.end()};
}

Walk::Walk(const Dims& dims, Dims strides, std::int64_t base)
    : dims_(dims), strides_(std::move(strides)), index_(dims.size(), 0), position_(base) {
  done_ = std::ranges::find(dims, 0) != dims.end();
}

void Walk::next() {
  for (std::size_t d = dims_.size(); d-- > 0;) {
    position_ += strides_[d];
    if (++index_[d] < dims_[d]) return;
    position_ -= strides_[d] * dims_[d];
    index_[d] = 0;
  }
  done_ = true;
}

}  // namespace seam::graph
