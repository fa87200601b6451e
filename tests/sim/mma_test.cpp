/// mma.sync against the matrices that the ISA's tables say the lanes hold.
#include <algorithm>
#include <functional>

#include "base/dtype.h"
#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

/// Where lane (g, t) holds its i-th element: row and column.
using Place = std::function<std::pair<int, int>(int g, int t, int i)>;

struct Shape {
  std::string text;      ///< m16n8k16
  std::string a, b, d;   ///< element types
  int k = 0;
  int bits = 0;          ///< of an element of A and B
  Place place_a, place_b;
  std::string modifier;  ///< .satfinite
};

// The tables of the ISA, shape by shape.
std::vector<Shape> shapes() {
  const Place a16k16 = [](int g, int t, int i) { return std::pair((i < 2 || (i >= 4 && i < 6)) ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)); };
  const Place b16k16 = [](int g, int t, int i) { return std::pair(t * 2 + (i & 1) + (i < 2 ? 0 : 8), g); };
  const Place a16k8 = [](int g, int t, int i) { return std::pair(i < 2 ? g : g + 8, t * 2 + (i & 1)); };
  const Place b16k8 = [](int g, int t, int i) { return std::pair(t * 2 + i, g); };
  const Place a32k8 = [](int g, int t, int i) { return std::pair(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4); };
  const Place b32k8 = [](int g, int t, int i) { return std::pair(i == 0 ? t : t + 4, g); };
  const Place a32k4 = [](int g, int t, int i) { return std::pair(i == 0 ? g : g + 8, t); };
  const Place b32k4 = [](int g, int t, int) { return std::pair(t, g); };
  const Place a8k32 = [](int g, int t, int i) { return std::pair(i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)); };
  const Place b8k32 = [](int g, int t, int i) { return std::pair(t * 4 + (i & 3) + (i < 4 ? 0 : 16), g); };
  const Place a8k16 = [](int g, int t, int i) { return std::pair(i < 4 ? g : g + 8, t * 4 + (i & 3)); };
  const Place b8k16 = [](int g, int t, int i) { return std::pair(t * 4 + i, g); };
  return {
      {"m16n8k16", "f16", "f16", "f32", 16, 16, a16k16, b16k16, ""},   {"m16n8k16", "bf16", "bf16", "f32", 16, 16, a16k16, b16k16, ""},
      {"m16n8k16", "f16", "f16", "f16", 16, 16, a16k16, b16k16, ""},   {"m16n8k8", "f16", "f16", "f32", 8, 16, a16k8, b16k8, ""},
      {"m16n8k8", "bf16", "bf16", "f32", 8, 16, a16k8, b16k8, ""},     {"m16n8k8", "f16", "f16", "f16", 8, 16, a16k8, b16k8, ""},
      {"m16n8k8", "tf32", "tf32", "f32", 8, 32, a32k8, b32k8, ""},     {"m16n8k4", "tf32", "tf32", "f32", 4, 32, a32k4, b32k4, ""},
      {"m16n8k32", "s8", "s8", "s32", 32, 8, a8k32, b8k32, ""},        {"m16n8k32", "u8", "s8", "s32", 32, 8, a8k32, b8k32, ""},
      {"m16n8k16", "s8", "u8", "s32", 16, 8, a8k16, b8k16, ""},        {"m16n8k32", "u8", "u8", "s32", 32, 8, a8k32, b8k32, ".satfinite"},
  };
}

double value_of(const std::string& type, std::uint32_t bits) {
  if (type == "f16") return f16_to_f32(static_cast<std::uint16_t>(bits));
  if (type == "bf16") return bf16_to_f32(static_cast<std::uint16_t>(bits));
  if (type == "tf32") return std::bit_cast<float>(bits & 0xffffe000U);
  if (type == "s8") return static_cast<std::int8_t>(bits);
  if (type == "s32") return static_cast<std::int32_t>(bits);
  if (type == "f32") return std::bit_cast<float>(bits);
  return static_cast<std::uint8_t>(bits);
}

std::string list(char name, int count) {
  std::string out = "{";
  for (int i = 0; i < count; ++i) out += (i > 0 ? ", %" : "%") + std::string(1, name) + std::to_string(i);
  return out + "}";
}

int registers_of(const Shape& shape, int rows) { return rows * shape.k * shape.bits / 1024; }

/// Every lane loads its registers of A, B and C from memory, side by side, and stores those of D.
std::string ptx_of(const Shape& shape) {
  const int of_a = registers_of(shape, 16);
  const int of_b = registers_of(shape, 8);
  const int of_c = shape.d == "f16" ? 2 : 4;
  std::string out = std::string(kHead) + ".visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc) {\n"
                    ".reg .b32 %a<4>, %b<2>, %c<4>, %d<4>, %t; .reg .b64 %p, %o;\nmov.u32 %t, %tid.x;\n";
  const auto move = [&](char name, int count, bool load) {
    out += std::string("ld.param.u64 %p, [p") + name + "]; mul.wide.u32 %o, %t, " + std::to_string(4 * count) + "; add.u64 %p, %p, %o;\n";
    for (int i = 0; i < count; ++i) {
      const std::string reg = "%" + std::string(1, name) + std::to_string(i);
      const std::string at = "[%p+" + std::to_string(4 * i) + "]";
      out += load ? "ld.global.b32 " + reg + ", " + at + ";\n" : "st.global.b32 " + at + ", " + reg + ";\n";
    }
  };
  move('a', of_a, true);
  move('b', of_b, true);
  move('c', of_c, true);
  out += "mma.sync.aligned." + shape.text + ".row.col" + shape.modifier + "." + shape.d + "." + shape.a + "." + shape.b + "." + shape.d + " " + list('d', of_c) + ", " +
         list('a', of_a) + ", " + list('b', of_b) + ", " + list('c', of_c) + ";\n";
  move('d', of_c, false);
  return out + "ret;\n}\n";
}

std::vector<std::uint32_t> run_mma(const Shape& shape, const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                                   const std::vector<std::uint32_t>& c, std::uint32_t threads = 32, std::string* reports = nullptr) {
  const auto module = load(ptx_of(shape));
  if (!module) return {};
  Memory memory;
  const auto out = output<std::uint32_t>(memory, "d", c.size());
  Launch launch;
  launch.kernel = "k";
  launch.block.x = threads;
  launch.parameters = Arguments(*module, "k").add(out).add(input(memory, "a", a)).add(input(memory, "b", b)).add(input(memory, "c", c)).bytes();
  const auto outcome = sim::launch(*module, memory, launch);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  if (!outcome) return {};
  if (reports) {
    *reports = text(*outcome);
  } else {
    EXPECT_TRUE(outcome->clean()) << text(*outcome);
  }
  return values<std::uint32_t>(memory, out);
}

std::uint32_t element(const std::vector<std::uint32_t>& registers, int per_lane, int lane, int i, int bits) {
  const int per = 32 / bits;
  const std::uint32_t word = registers[static_cast<std::size_t>(lane * per_lane + i / per)];
  return bits == 32 ? word : word >> (i % per * bits) & ((1U << bits) - 1);
}

/// The documented model: c, then the products in order of k, in double, rounded once.
std::vector<std::uint32_t> expected(const Shape& shape, const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c) {
  std::vector<std::vector<double>> ma(16, std::vector<double>(32)), mb(32, std::vector<double>(8)), sum(16, std::vector<double>(8));
  const int of_a = registers_of(shape, 16);
  const int of_b = registers_of(shape, 8);
  const bool halves = shape.d == "f16";
  const int of_c = halves ? 2 : 4;
  const Place place_c = [](int g, int t, int i) { return std::pair(i < 2 ? g : g + 8, t * 2 + (i & 1)); };
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < of_a * 32 / shape.bits; ++i) {
      const auto [r, k] = shape.place_a(lane / 4, lane % 4, i);
      ma[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)] = value_of(shape.a, element(a, of_a, lane, i, shape.bits));
    }
    for (int i = 0; i < of_b * 32 / shape.bits; ++i) {
      const auto [k, n] = shape.place_b(lane / 4, lane % 4, i);
      mb[static_cast<std::size_t>(k)][static_cast<std::size_t>(n)] = value_of(shape.b, element(b, of_b, lane, i, shape.bits));
    }
    for (int i = 0; i < 4; ++i) {
      const auto [r, n] = place_c(lane / 4, lane % 4, i);
      sum[static_cast<std::size_t>(r)][static_cast<std::size_t>(n)] = value_of(shape.d, element(c, of_c, lane, i, halves ? 16 : 32));
    }
  }
  for (std::size_t r = 0; r < 16; ++r) {
    for (std::size_t n = 0; n < 8; ++n) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(shape.k); ++k) sum[r][n] += ma[r][k] * mb[k][n];
    }
  }
  std::vector<std::uint32_t> out(c.size());
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const auto [r, n] = place_c(lane / 4, lane % 4, i);
      const double value = sum[static_cast<std::size_t>(r)][static_cast<std::size_t>(n)];
      if (halves) {
        out[static_cast<std::size_t>(lane * 2 + i / 2)] |= std::uint32_t{std::isnan(value) ? std::uint16_t{0x7fff} : f64_to_f16(value)} << (i % 2 * 16);
      } else if (shape.d == "f32") {
        out[static_cast<std::size_t>(lane * 4 + i)] = static_cast<std::uint32_t>(one_nan(static_cast<float>(value)));
      } else {
        const auto whole = static_cast<std::int64_t>(value);
        const std::int64_t kept = shape.modifier.empty() ? whole : std::clamp<std::int64_t>(whole, INT32_MIN, INT32_MAX);
        out[static_cast<std::size_t>(lane * 4 + i)] = static_cast<std::uint32_t>(kept);
      }
    }
  }
  return out;
}

std::uint32_t random_bits(const Shape& shape, std::mt19937_64& random, bool any) {
  if (any || shape.bits == 8) return static_cast<std::uint32_t>(random());
  std::normal_distribution<float> normal;
  const auto half = [&](float x) { return std::uint32_t{shape.a == "f16" ? f32_to_f16(x) : f32_to_bf16(x)}; };
  if (shape.bits == 32) return std::bit_cast<std::uint32_t>(normal(random));
  const std::uint32_t low = half(normal(random));
  return low | half(normal(random)) << 16;
}

TEST(Mma, EveryShapeHoldsTheMatricesOfTheTables) {
  std::mt19937_64 random(5);
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.text + "." + shape.d + "." + shape.a + "." + shape.b);
    for (int round = 0; round < 40; ++round) {
      // The second half: any bits, so NaN, infinities and subnormals of all kinds.
      const bool any = round >= 20;
      std::vector<std::uint32_t> a(static_cast<std::size_t>(32 * registers_of(shape, 16)));
      std::vector<std::uint32_t> b(static_cast<std::size_t>(32 * registers_of(shape, 8)));
      std::vector<std::uint32_t> c(shape.d == "f16" ? 64 : 128);
      for (auto& one : a) one = random_bits(shape, random, any);
      for (auto& one : b) one = random_bits(shape, random, any);
      std::normal_distribution<float> normal;
      for (auto& one : c) {
        const auto whole = static_cast<std::uint32_t>(random());
        one = any || shape.d == "s32" ? whole : shape.d == "f16" ? f32_to_f16(normal(random)) | std::uint32_t{f32_to_f16(normal(random))} << 16 : std::bit_cast<std::uint32_t>(normal(random));
      }
      if (shape.d == "s32" && round % 2 == 0) std::ranges::fill(c, 0x7fffff00U);
      const auto actual = run_mma(shape, a, b, c);
      const auto want = expected(shape, a, b, c);
      ASSERT_EQ(actual.size(), want.size());
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(actual[i], want[i]) << "lane " << i * 32 / want.size() << " register " << i % (want.size() / 32);
    }
  }
}

TEST(Mma, NanAndInfinityAndSubnormals) {
  const Shape shape = shapes()[0];
  const auto ones = [](std::size_t n, std::uint32_t bits) { return std::vector<std::uint32_t>(n, bits); };
  const std::uint32_t infinity = 0x7c007c00, zero = 0, one = 0x3c003c00, tiny = 0x00010001;
  EXPECT_EQ(run_mma(shape, ones(128, infinity), ones(64, zero), ones(128, 0))[0], 0x7fffffffU);
  EXPECT_EQ(run_mma(shape, ones(128, one), ones(64, one), ones(128, 0xffc12345))[5], 0x7fffffffU);
  EXPECT_EQ(run_mma(shape, ones(128, infinity), ones(64, one), ones(128, 0xff800000))[7], 0x7fffffffU);
  EXPECT_EQ(run_mma(shape, ones(128, infinity), ones(64, one), ones(128, 0))[7], 0x7f800000U);
  // 16 · 2^-24 · 1
  EXPECT_EQ(std::bit_cast<float>(run_mma(shape, ones(128, tiny), ones(64, one), ones(128, 0))[9]), 0x1p-20F);
  // c that is subnormal stays
  EXPECT_EQ(run_mma(shape, ones(128, zero), ones(64, one), ones(128, 3))[9], 3U);
  // One rounding: 2^24 + 16 · 2^-24 + ... stays 2^24; in floats added one by one 1 + 2^-24 would be lost 16 times
  EXPECT_EQ(std::bit_cast<float>(run_mma(shape, ones(128, tiny), ones(64, one), ones(128, 0x3f800000))[9]), 1.0F + 0x1p-20F);
}

TEST(Mma, WantsTheWholeWarp) {
  const Shape shape = shapes()[0];
  std::string reports;
  (void)run_mma(shape, std::vector<std::uint32_t>(128), std::vector<std::uint32_t>(64), std::vector<std::uint32_t>(128), 20, &reports);
  EXPECT_NE(reports.find("absent-lanes"), std::string::npos) << reports;
}

}  // namespace
}  // namespace seam::sim::test
