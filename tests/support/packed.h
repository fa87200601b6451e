#pragma once
// Tensors inside of JSON test data.
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.h"

namespace seam::test {

inline std::vector<std::byte> decoded(std::string_view text) {
  std::vector<std::byte> out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    held += 6;
    if (held >= 8) out.push_back(static_cast<std::byte>(bits >> (held -= 8) & 0xff));
  }
  return out;
}

/// [dtype, shape, base64 of row-major bytes], as scripts/torch-operators and scripts/torch-writes write tensors.
inline Array array_of(const nlohmann::json& packed) {
  static const std::map<std::string, DType> types = {{"float32", DType::F32}, {"float16", DType::F16}, {"bfloat16", DType::BF16}, {"float64", DType::F64},
                                                     {"int64", DType::S64}, {"int32", DType::S32}, {"bool", DType::Pred}};
  Array out = make_array(types.at(packed[0]), packed[1].get<std::vector<std::int64_t>>());
  out.data = decoded(packed[2].get<std::string>());
  return out;
}

}  // namespace seam::test
