#pragma once
/// Element types of tensors, named as in HLO text, with exact conversions from and to their bits.
#include <cstdint>
#include <optional>
#include <string_view>

namespace seam {

// X(enumerator, HLO name, bits)
#define SEAM_DTYPES(X)                                                                          \
  X(Pred, "pred", 8) X(S1, "s1", 1) X(S2, "s2", 2) X(S4, "s4", 4) X(S8, "s8", 8)                \
  X(S16, "s16", 16) X(S32, "s32", 32) X(S64, "s64", 64) X(U1, "u1", 1) X(U2, "u2", 2)           \
  X(U4, "u4", 4) X(U8, "u8", 8) X(U16, "u16", 16) X(U32, "u32", 32) X(U64, "u64", 64)           \
  X(F16, "f16", 16) X(BF16, "bf16", 16) X(F32, "f32", 32) X(F64, "f64", 64)                     \
  X(F8E5M2, "f8e5m2", 8) X(F8E4M3, "f8e4m3", 8) X(F8E4M3FN, "f8e4m3fn", 8)                      \
  X(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8) X(F8E3M4, "f8e3m4", 8) X(F8E5M2FNUZ, "f8e5m2fnuz", 8)    \
  X(F8E4M3FNUZ, "f8e4m3fnuz", 8) X(F8E8M0FNU, "f8e8m0fnu", 8) X(F4E2M1FN, "f4e2m1fn", 4)        \
  X(F6E3M2FN, "f6e3m2fn", 6) X(F6E2M3FN, "f6e2m3fn", 6) X(C64, "c64", 64) X(C128, "c128", 128)  \
  X(Token, "token", 0) X(Opaque, "opaque", 0)

enum class DType : std::uint8_t {
#define X(name, text, bits) name,
  SEAM_DTYPES(X)
#undef X
};

[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::optional<DType> dtype_named(std::string_view text);
/// Bits of one element; 0 for token and opaque. pred is stored as one byte.
[[nodiscard]] int bits(DType dtype);
/// Bytes of one element in memory (sub-byte types unpacked: 1).
[[nodiscard]] int bytes(DType dtype);
[[nodiscard]] bool is_float(DType dtype);    ///< f64 … f4, not complex
[[nodiscard]] bool is_signed(DType dtype);   ///< s1 … s64
[[nodiscard]] bool is_unsigned(DType dtype); ///< u1 … u64
[[nodiscard]] bool is_integer(DType dtype);  ///< signed or unsigned, not pred
[[nodiscard]] bool is_complex(DType dtype);

/// IEEE half and bfloat16: round to nearest even, overflow to infinity, NaN stays NaN.
[[nodiscard]] std::uint16_t f32_to_f16(float value);
[[nodiscard]] float f16_to_f32(std::uint16_t bits);
[[nodiscard]] std::uint16_t f32_to_bf16(float value);
[[nodiscard]] float bf16_to_f32(std::uint16_t bits);
/// Correct single rounding from double (no double rounding through float).
[[nodiscard]] std::uint16_t f64_to_f16(double value);
[[nodiscard]] std::uint16_t f64_to_bf16(double value);

/// The value nearest to `value` that `dtype` can hold (ties to even; integers as they are, saturated
/// by the caller if wanted). Supports every float type; others return `value`.
[[nodiscard]] double round_to(DType dtype, double value);

/// One element in memory, as double. Not for complex.
[[nodiscard]] double load_as_double(DType dtype, const void* at);
/// Writes `value` as one element: floats rounded to nearest, integers truncated modulo 2^bits, pred != 0.
void store_from_double(DType dtype, void* at, double value);

}  // namespace seam
