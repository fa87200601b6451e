#include <fmt/core.h>

#include <cstring>

#include "base/check.h"
#include "evaluate/kernel.h"

namespace seam::graph {

Result<Value> to_value(const Array& array, const Shape& shape) {
  if (shape.is_tuple) return fail(Error::Code::BadInput, "a tuple cannot be made of one array");
  if (array.dtype != shape.dtype || array.dims != shape.dims) {
    Shape given;
    given.dtype = array.dtype;
    given.dims = array.dims;
    return fail(Error::Code::BadInput, fmt::format("expected {}, got {}", print(shape), print(given)));
  }
  Value value = zeros(shape);
  const std::byte* const data = array.data.data();
  const auto width = static_cast<std::size_t>(bytes(shape.dtype));
  const auto count = static_cast<std::size_t>(shape.elements_count());
  if (width == 0) return value;
  switch (storage_of(shape.dtype)) {
    case Storage::Real:
      for (std::size_t i = 0; i < count; ++i) value.numbers[i] = load_as_double(shape.dtype, data + i * width);
      break;
    case Storage::Integer:
      if (width == 8) {
        if (count > 0) std::memcpy(value.integers.data(), data, count * width);
        break;
      }
      for (std::size_t i = 0; i < count; ++i) {
        value.integers[i] = wrapped(shape.dtype, static_cast<std::int64_t>(load_as_double(shape.dtype, data + i * width)));
      }
      break;
    case Storage::Complex: {
      const DType part = shape.dtype == DType::C64 ? DType::F32 : DType::F64;
      for (std::size_t i = 0; i < count; ++i) {
        value.numbers[i] = load_as_double(part, data + i * width);
        value.imaginary[i] = load_as_double(part, data + i * width + width / 2);
      }
    }
  }
  return value;
}

Array to_array(const Value& value) {
  const Shape& shape = value.shape;
  SEAM_CHECK(!shape.is_tuple, "to_array takes arrays");
  Array array = make_array(shape.dtype, shape.dims);
  std::byte* const data = array.data.data();
  const auto width = static_cast<std::size_t>(bytes(shape.dtype));
  const auto count = static_cast<std::size_t>(shape.elements_count());
  if (width == 0) return array;
  switch (storage_of(shape.dtype)) {
    case Storage::Real:
      for (std::size_t i = 0; i < count; ++i) store_from_double(shape.dtype, data + i * width, value.numbers[i]);
      break;
    case Storage::Integer:
      for (std::size_t i = 0; i < count; ++i) {  // little-endian: the low bytes come first
        const std::int64_t number = wrapped(shape.dtype, value.integers[i]);
        std::memcpy(data + i * width, &number, width);
      }
      break;
    case Storage::Complex: {
      const DType part = shape.dtype == DType::C64 ? DType::F32 : DType::F64;
      for (std::size_t i = 0; i < count; ++i) {
        store_from_double(part, data + i * width, value.numbers[i]);
        store_from_double(part, data + i * width + width / 2, value.imaginary[i]);
      }
    }
  }
  return array;
}

}  // namespace seam::graph
