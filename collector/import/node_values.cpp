#include "import/node_values.h"

#include <algorithm>

#include "base/json_out.h"

namespace seam::collector {
namespace {

using Json = nlohmann::json;

/// "Tensor(float)", "GenericList[Tensor(float),Tensor(float)]".
bool holds_tensors(const std::string& type) { return type.find("Tensor(") != std::string::npos; }

const Json* at(const Json& list, std::size_t place) { return list.is_array() && place < list.size() ? &list[place] : nullptr; }

std::string type_at(const NodeValues& values, std::size_t place) {
  const Json* type = at(values.types, place);
  return type != nullptr && type->is_string() ? type->get<std::string>() : std::string();
}

bool is_tensor(const Json& value) {
  return value.is_array() && value.size() == 6 && std::all_of(value.begin(), value.begin() + 5, [](const Json& part) { return part.is_number_integer(); }) && value[5].is_string();
}

void collect(const Json& value, std::int64_t place, std::int64_t& item, std::vector<TensorAt>& out, std::int64_t& strange) {
  if (is_tensor(value)) {
    TensorAt& tensor = out.emplace_back();
    tensor.place = place;
    tensor.item = item++;
    tensor.tensor = value[0].get<std::int64_t>();
    tensor.storage = value[1].get<std::int64_t>();
    tensor.offset = value[2].get<std::int64_t>();
    tensor.elements = value[3].get<std::int64_t>();
    tensor.item_bytes = value[4].get<std::int64_t>();
    tensor.device = value[5].get<std::string>();
  } else if (value.is_array() && std::ranges::any_of(value, [](const Json& part) { return part.is_array(); })) {
    for (const Json& part : value) collect(part, place, item, out, strange);
  } else {
    ++item;  // None, or a number of a mixed list
    if (value.is_array() && !value.empty()) ++strange;
  }
}

}  // namespace

std::vector<ValueText> texts_of(const NodeValues& values) {
  std::vector<ValueText> out(values.values.is_array() ? values.values.size() : 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ValueText& text = out[i];
    text.type = type_at(values, i);
    if (holds_tensors(text.type)) {
      if (const Json* dims = at(values.shapes, i)) text.dims = dumped(*dims, -1);
      if (const Json* strides = at(values.strides, i)) text.strides = dumped(*strides, -1);
    } else {
      const Json& value = values.values[i];
      text.value = value.is_string() ? value.get<std::string>() : dumped(value, -1);
    }
  }
  return out;
}

std::vector<TensorAt> tensors_of(const NodeValues& values, std::int64_t& strange) {
  std::vector<TensorAt> out;
  for (std::size_t i = 0; values.values.is_array() && i < values.values.size(); ++i) {
    if (!holds_tensors(type_at(values, i))) continue;
    std::int64_t item = 0;
    collect(values.values[i], static_cast<std::int64_t>(i), item, out, strange);
  }
  return out;
}

}  // namespace seam::collector
