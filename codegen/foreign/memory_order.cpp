#include "foreign/memory_order.h"

#include <cstring>

#include "base/check.h"

namespace seam::codegen {
namespace {

/// Calls `move(at, position)` with each row-major index and where the layout puts it, both in elements.
template <class Move>
void each_element(const graph::Shape& shape, Move&& move) {
  const auto rank = static_cast<std::size_t>(shape.rank());
  std::vector<std::int64_t> strides(rank, 1);
  std::int64_t stride = 1;
  for (const std::int64_t dim : shape.minor_to_major) {
    strides[static_cast<std::size_t>(dim)] = stride;
    stride *= shape.dims[static_cast<std::size_t>(dim)];
  }
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t position = 0;
  const std::int64_t count = shape.elements_count();
  for (std::int64_t at = 0; at < count; ++at) {
    move(static_cast<std::size_t>(at), static_cast<std::size_t>(position));
    for (std::size_t d = rank; d-- > 0;) {
      position += strides[d];
      if (++index[d] < shape.dims[d]) break;
      position -= strides[d] * shape.dims[d];
      index[d] = 0;
    }
  }
}

bool as_it_is(const graph::Shape& shape) { return shape.minor_to_major.empty() || graph::is_row_major(shape); }

}  // namespace

std::vector<std::byte> in_memory_order(const Array& row_major, const graph::Shape& shape) {
  if (as_it_is(shape)) return row_major.data;
  std::vector<std::byte> memory(row_major.data.size());
  const auto width = static_cast<std::size_t>(bytes(shape.dtype));
  each_element(shape, [&](std::size_t at, std::size_t position) { std::memcpy(&memory[position * width], &row_major.data[at * width], width); });
  return memory;
}

Array from_memory_order(std::span<const std::byte> memory, const graph::Shape& shape) {
  Array array = make_array(shape.dtype, shape.dims);
  SEAM_CHECK(memory.size() >= array.data.size(), "a buffer is smaller than its value");
  if (as_it_is(shape)) {
    if (!array.data.empty()) std::memcpy(array.data.data(), memory.data(), array.data.size());
    return array;
  }
  const auto width = static_cast<std::size_t>(bytes(shape.dtype));
  each_element(shape, [&](std::size_t at, std::size_t position) { std::memcpy(&array.data[at * width], &memory[position * width], width); });
  return array;
}

}  // namespace seam::codegen
