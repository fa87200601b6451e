#pragma once
/// The scalar types of PTX.
#include <cstdint>
#include <optional>
#include <string_view>

namespace seam::sim {

// X(enumerator, text, bytes)
#define SEAM_SIM_TYPES(X)                                                                       \
  X(B8, "b8", 1) X(U8, "u8", 1) X(S8, "s8", 1) X(B16, "b16", 2) X(U16, "u16", 2)                \
  X(S16, "s16", 2) X(F16, "f16", 2) X(BF16, "bf16", 2) X(B32, "b32", 4) X(U32, "u32", 4)        \
  X(S32, "s32", 4) X(F32, "f32", 4) X(TF32, "tf32", 4) X(F16x2, "f16x2", 4)                     \
  X(BF16x2, "bf16x2", 4) X(B64, "b64", 8) X(U64, "u64", 8) X(S64, "s64", 8) X(F64, "f64", 8)    \
  X(Pred, "pred", 4)

enum class Type : std::uint8_t {
#define X(name, text, bytes) name,
  SEAM_SIM_TYPES(X)
#undef X
};

[[nodiscard]] constexpr int size(Type type) {
  switch (type) {
#define X(name, text, bytes) \
  case Type::name: return bytes;
    SEAM_SIM_TYPES(X)
#undef X
  }
  return 0;
}

[[nodiscard]] constexpr std::string_view name(Type type) {
  switch (type) {
#define X(name, text, bytes) \
  case Type::name: return text;
    SEAM_SIM_TYPES(X)
#undef X
  }
  return "?";
}

/// "f32", without a dot.
[[nodiscard]] constexpr std::optional<Type> type_named(std::string_view text) {
#define X(name, word, bytes) \
  if (text == word) return Type::name;
  SEAM_SIM_TYPES(X)
#undef X
  return std::nullopt;
}

[[nodiscard]] constexpr bool is_signed(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}

}  // namespace seam::sim
