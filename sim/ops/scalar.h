#pragma once
/// Scalar pieces that several families need: flushing, NaN, saturation, rounding direction.
#include <bit>
#include <cfenv>
#include <cstdint>

#include "ops/isa.h"

namespace seam::sim {

/// Rounding directions as PTX names them.
enum class Round : std::uint8_t { Nearest, Zero, Down, Up };

/// The one NaN that single-precision instructions produce.
constexpr std::uint32_t kNan32 = 0x7fffffff;

SEAM_SIM_INLINE float canonical(float x) {
  return x == x ? x : std::bit_cast<float>(kNan32);
}
/// Double-precision NaNs pass through with their payload.
SEAM_SIM_INLINE double canonical(double x) { return x; }

/// Subnormal → zero of the same sign.
SEAM_SIM_INLINE float flush(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7f800000U) == 0 ? std::bit_cast<float>(bits & 0x80000000U) : x;
}

template <bool kFtz>
SEAM_SIM_INLINE float flush_if(float x) {
  if constexpr (kFtz) return flush(x);
  return x;
}

/// .sat: into [0, 1], NaN and -0 to +0.
SEAM_SIM_INLINE float saturate(float x) { return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F; }
SEAM_SIM_INLINE double saturate(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

/// Sets the thread's rounding direction for as long as it lives. Values computed under it must be stored to memory that
/// `fence` names before it ends: the compiler does not know that arithmetic depends on the direction.
class RoundingScope {
 public:
  explicit RoundingScope(Round round) : before_(std::fegetround()) {
    std::fesetround(round == Round::Zero   ? FE_TOWARDZERO
                    : round == Round::Down ? FE_DOWNWARD
                    : round == Round::Up   ? FE_UPWARD
                                           : FE_TONEAREST);
    fence(nullptr);
  }
  ~RoundingScope() {
    fence(nullptr);
    std::fesetround(before_);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

  /// What was computed into `memory` is really there now.
  static void fence(void* memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }

 private:
  int before_;
};

}  // namespace seam::sim
