#pragma once
/// What execution traces write of an op's inputs and outputs: parallel lists of values, shapes, types and strides, where a tensor is
/// [tensor, storage, offset, elements, bytes of one, device] and a list of tensors a list of those.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/node_rows.h"

namespace seam::collector {

struct ValueText {
  std::string type, dims, strides, value;  ///< empty = none: a tensor has no value, others no dims
};
[[nodiscard]] std::vector<ValueText> texts_of(const NodeValues& values);

struct TensorAt {
  std::int64_t place = 0, item = 0, tensor = 0;
  std::optional<std::int64_t> storage, offset, elements, item_bytes;
  std::string device;
};
/// `strange`: values of a tensor's type that are written in another way, added to what it holds.
[[nodiscard]] std::vector<TensorAt> tensors_of(const NodeValues& values, std::int64_t& strange);

}  // namespace seam::collector
