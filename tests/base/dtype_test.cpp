#include "base/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace seam {
namespace {

TEST(DType, NamesRoundTrip) {
#define X(id, text, width)                        \
  EXPECT_EQ(name(DType::id), text);               \
  EXPECT_EQ(dtype_named(text), DType::id);        \
  EXPECT_EQ(bits(DType::id), width);
  SEAM_DTYPES(X)
#undef X
  EXPECT_FALSE(dtype_named("f31"));
}

/// g++'s own _Float16 is a second opinion on IEEE half.
TEST(DType, HalfAgreesWithTheCompilersOwn) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const float ours = f16_to_f32(half);
    const auto theirs = static_cast<float>(std::bit_cast<_Float16>(half));
    if (std::isnan(theirs)) {
      EXPECT_TRUE(std::isnan(ours));
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(ours))));
    } else {
      EXPECT_EQ(ours, theirs);
      EXPECT_EQ(f32_to_f16(ours), half);
    }
  }
  std::uint32_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 1664525U + 1013904223U;
    const float value = std::bit_cast<float>(state);
    if (std::isnan(value)) continue;
    EXPECT_EQ(f32_to_f16(value), std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))) << value;
  }
}

TEST(DType, Bfloat16RoundsToNearestEven) {
  EXPECT_EQ(f32_to_bf16(1.0F), 0x3f80);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f808000U)), 0x3f80);  // tie to even
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f818000U)), 0x3f82);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::nanf("")))));
  std::uint32_t state = 7;
  for (int i = 0; i < 100000; ++i) {
    state = state * 1664525U + 1013904223U;
    const float value = std::bit_cast<float>(state);
    if (!std::isnan(value)) {
      EXPECT_EQ(f64_to_bf16(static_cast<double>(value)), f32_to_bf16(value)) << value;
    }
  }
}

TEST(DType, EveryF8ValueSurvivesARoundTrip) {
  for (const DType dtype : {DType::F8E5M2, DType::F8E4M3, DType::F8E4M3FN, DType::F8E4M3B11FNUZ, DType::F8E3M4,
                            DType::F8E5M2FNUZ, DType::F8E4M3FNUZ}) {
    for (int i = 0; i < 256; ++i) {
      const auto in = static_cast<std::uint8_t>(i);
      const double value = load_as_double(dtype, &in);
      std::uint8_t out = 0;
      store_from_double(dtype, &out, value);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(load_as_double(dtype, &out))) << name(dtype) << ' ' << i;
      } else {
        EXPECT_EQ(out, in) << name(dtype) << ' ' << value;
        EXPECT_EQ(round_to(dtype, value), value);
      }
    }
  }
}

TEST(DType, TinyFloatsHoldTheirTables) {
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};  // OCP microscaling formats, table 5
  for (std::uint8_t i = 0; i < 16; ++i) {
    const double value = load_as_double(DType::F4E2M1FN, &i);
    EXPECT_EQ(value, i < 8 ? e2m1[i] : -e2m1[i - 8]);
    std::uint8_t back = 0xff;
    store_from_double(DType::F4E2M1FN, &back, value);
    EXPECT_EQ(back, i);
  }
  EXPECT_EQ(round_to(DType::F4E2M1FN, 100), 6);
  EXPECT_EQ(round_to(DType::F4E2M1FN, 2.5), 2);  // ties to even
  for (const DType dtype : {DType::F6E2M3FN, DType::F6E3M2FN}) {
    for (std::uint8_t i = 0; i < 64; ++i) {
      std::uint8_t back = 0xff;
      store_from_double(dtype, &back, load_as_double(dtype, &i));
      EXPECT_EQ(back, i) << name(dtype);
    }
  }
  EXPECT_EQ(round_to(DType::F6E2M3FN, 8), 7.5);
  EXPECT_EQ(round_to(DType::F6E3M2FN, -29), -28);
  for (int i = 0; i < 255; ++i) {
    const auto scale = static_cast<std::uint8_t>(i);
    EXPECT_EQ(load_as_double(DType::F8E8M0FNU, &scale), std::ldexp(1.0, i - 127));
    std::uint8_t back = 0;
    store_from_double(DType::F8E8M0FNU, &back, std::ldexp(1.0, i - 127));
    EXPECT_EQ(back, scale);
  }
}

TEST(DType, DoubleToHalfRoundsOnce) {
  // Just above a tie of half precision: rounding through float would land on the tie and go to even.
  const double value = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(f64_to_f16(value), 0x3c01);
  EXPECT_EQ(f32_to_f16(static_cast<float>(value)), 0x3c00);
}

}  // namespace
}  // namespace seam
