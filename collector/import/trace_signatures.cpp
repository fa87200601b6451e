// What ops were called with: Kineto's parallel lists of types, shapes, strides and values. Ops repeat a few of them all the time.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "import/trace_rows.h"

namespace seam::collector {
namespace {

using Json = nlohmann::json;

Json list_of(const Text& text) {
  if (text.kind != Text::Kind::Array) return Json::array();
  Json list = Json::parse(text.view(), nullptr, false);
  return list.is_array() ? list : Json::array();
}

/// What is no tensor has no shape, although Kineto writes [] there as it does for a tensor without dims.
bool is_tensor(const std::string& type) {
  static constexpr std::array<std::string_view, 10> kOthers = {"", "Scalar", "ScalarList", "Int", "Bool", "Double", "String", "Device", "None", "GenericList"};
  return std::ranges::find(kOthers, type) == kOthers.end();
}

}  // namespace

db::SignatureId TraceRows::signature_of(const Arguments& with) {
  std::string& key = key_;
  key.clear();
  for (const Text* part : {&with.types, &with.dims, &with.strides, &with.values}) {
    key += part->view();
    key += '\n';
  }
  const auto [at, fresh] = signatures_.try_emplace(key);
  if (!fresh) return at->second;
  const Json types = list_of(with.types), dims = list_of(with.dims), strides = list_of(with.strides), values = list_of(with.values);
  std::vector<db::SignatureInput> inputs(std::max({types.size(), dims.size(), strides.size(), values.size()}));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto text = [&](const Json& list) { return i < list.size() && list[i].is_string() ? list[i].get<std::string>() : std::string(); };
    const std::string type = text(types);
    inputs[i].type = writer_.intern(type);
    inputs[i].value = writer_.intern(text(values));
    // Files of 2020 fill in the shapes and leave the types out.
    const bool shaped = types.empty() ? i < dims.size() && !dims[i].empty() : is_tensor(type);
    if (shaped && i < dims.size()) inputs[i].dims = dims[i].dump();
    if (shaped && i < strides.size()) inputs[i].strides = strides[i].dump();
  }
  at->second = writer_.add_signature(inputs);
  return at->second;
}

}  // namespace seam::collector
