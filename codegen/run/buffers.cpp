#include "run/buffers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace seam::codegen {

DeviceBuffer::~DeviceBuffer() { pool_->give_back(address_, bytes_); }

std::shared_ptr<DeviceBuffer> BufferPool::take(std::int64_t bytes, std::string_view name) {
  requested_ += bytes;
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
  std::uint64_t address = 0;
  if (const auto found = free_.find(bytes); found != free_.end()) {
    address = found->second;
    free_.erase(found);
    memory_.set_initialized(address, false);
  } else {
    address = memory_.allocate(bytes, name);
  }
  return std::make_shared<DeviceBuffer>(shared_from_this(), address, bytes);
}

void BufferPool::give_back(std::uint64_t address, std::int64_t bytes) {
  in_use_ -= bytes;
  memory_.set_read_only(address, false);
  free_.emplace(bytes, address);
}

Array to_host(BufferPool& pool, const DeviceValue& value) {
  Array array = make_array(value.shape.dtype, value.shape.dims);
  const auto bytes = pool.memory().bytes(value.buffer->address());
  SEAM_CHECK(bytes.size() >= array.data.size(), "a buffer is smaller than its value");
  if (!array.data.empty()) std::memcpy(array.data.data(), bytes.data(), array.data.size());
  return array;
}

DeviceValue to_device(BufferPool& pool, const Array& array, const graph::Shape& shape, std::string_view name) {
  DeviceValue value{shape, pool.take(static_cast<std::int64_t>(array.data.size()), name), {}};
  if (!array.data.empty()) std::memcpy(pool.memory().bytes(value.buffer->address()).data(), array.data.data(), array.data.size());
  pool.memory().set_initialized(value.buffer->address(), true);
  return value;
}

DeviceValue copied(BufferPool& pool, const DeviceValue& value, std::string_view name) {
  DeviceValue copy{value.shape, pool.take(value.buffer->bytes(), name), {}};
  const auto from = pool.memory().bytes(value.buffer->address());
  if (!from.empty()) std::memcpy(pool.memory().bytes(copy.buffer->address()).data(), from.data(), from.size());
  pool.memory().set_initialized(copy.buffer->address(), true);
  return copy;
}

std::size_t branch_taken(DType selector, std::int64_t number, std::size_t branches) {
  if (selector == DType::Pred) return number != 0 ? 0 : 1;
  const bool in_range = number >= 0 && std::cmp_less(number, branches);
  return in_range ? static_cast<std::size_t>(number) : branches - 1;
}

}  // namespace seam::codegen
