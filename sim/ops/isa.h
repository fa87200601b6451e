#pragma once
/// Two versions of every hot loop: for any machine, and for AVX2 + FMA + F16C. One body, compiled into two functions; which
/// one a program uses is decided once, when it is loaded. Only functions marked here use the wide instructions, so the
/// library starts on any machine. Results are equal bit for bit (no contraction is allowed anywhere in sim/).

#define SEAM_SIM_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define SEAM_SIM_WIDE __attribute__((target("avx2,fma,f16c,bmi,bmi2,popcnt")))
#else
#define SEAM_SIM_WIDE
#endif

namespace seam::sim {

[[nodiscard]] inline bool machine_is_wide() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

}  // namespace seam::sim
