/// cvt between all number formats, in every direction, against conversions done exactly and rounded by definition.
#include <algorithm>

#include "base/dtype.h"
#include "opcode.h"

namespace seam::sim::test {
namespace {

__extension__ typedef __float128 Exact;
__extension__ typedef __int128 I128;

enum class Round { Nearest, Zero, Down, Up };
const std::pair<const char*, Round> kRoundings[] = {{"rn", Round::Nearest}, {"rz", Round::Zero}, {"rm", Round::Down}, {"rp", Round::Up}};

struct FloatType {
  std::string name;
  int bits, mantissa, least;  ///< stored mantissa bits; exponent of the last place of subnormals
  int most;                   ///< largest exponent
  [[nodiscard]] std::string reg() const { return "b" + std::to_string(bits); }
  [[nodiscard]] double value(std::uint64_t x) const {
    if (name == "f64") return f64(x);
    if (name == "f32") return f32(x);
    return name == "f16" ? f16_to_f32(static_cast<std::uint16_t>(x)) : bf16_to_f32(static_cast<std::uint16_t>(x));
  }
  [[nodiscard]] const Bits& edges() const { return bits == 64 ? edges64() : bits == 32 ? edges32() : edges16(); }
};
const FloatType kFloats[] = {{"f64", 64, 52, -1074, 1023}, {"f32", 32, 23, -149, 127}, {"f16", 16, 10, -24, 15}, {"bf16", 16, 7, -133, 127}};

/// 2^e
Exact power(int e) {
  static const std::vector<Exact> all = [] {
    std::vector<Exact> out(2400);
    out[1200] = 1;
    for (std::size_t k = 1; k < 1200; ++k) {
      out[1200 + k] = out[1200 + k - 1] * 2;
      out[1200 - k] = out[1200 - k + 1] / 2;
    }
    return out;
  }();
  return all[static_cast<std::size_t>(e + 1200)];
}

/// An exact integer-valued quotient, rounded.
std::uint64_t round_quotient(Exact x, Round round, bool negative) {
  auto whole = static_cast<std::uint64_t>(x);
  const Exact rest = x - static_cast<Exact>(whole);
  bool up = false;
  switch (round) {
    case Round::Nearest: up = rest > static_cast<Exact>(0.5) || (rest == static_cast<Exact>(0.5) && (whole & 1) != 0); break;
    case Round::Zero: break;
    case Round::Down: up = negative && rest > 0; break;
    case Round::Up: up = !negative && rest > 0; break;
  }
  return whole + (up ? 1 : 0);
}

/// The bits of x in the format, by definition: scaled to units of the last place, rounded as an integer, packed.
std::uint64_t pack(Exact x, bool negative, const FloatType& type, Round round) {
  const std::uint64_t sign = negative ? std::uint64_t{1} << (type.bits - 1) : 0;
  if (x < 0) x = -x;
  int exponent = type.least + type.mantissa;  // of the smallest normal number
  if (x > 0) exponent = std::clamp(std::ilogb(static_cast<double>(x)) - 1, exponent, type.most);  // a start: a little low
  while (exponent < type.most && x >= power(exponent + 1)) ++exponent;
  const std::uint64_t units = round_quotient(x / power(exponent - type.mantissa), round, negative);
  // A carry out of the mantissa lands in the exponent, which is what it should do.
  const auto biased = static_cast<std::uint64_t>(exponent - type.least - type.mantissa);
  std::uint64_t bits = (biased << type.mantissa) + units;
  const std::uint64_t infinity = static_cast<std::uint64_t>(type.most - type.least - type.mantissa + 2) << type.mantissa;
  const bool beyond = x >= power(type.most + 1);
  if (beyond || bits >= infinity) {
    const bool stays = round == Round::Zero || (round == Round::Down && !negative) || (round == Round::Up && negative);
    bits = stays ? infinity - 1 : infinity;
  }
  return bits | sign;
}
std::uint64_t nan_of(const FloatType& type) {
  return type.bits == 64 ? 0x7fffffffffffffff : type.bits == 32 ? 0x7fffffff : 0x7fff;
}
Same same_in(const FloatType& type) {
  return [&type](std::uint64_t e, std::uint64_t a) { return e == a || (std::isnan(type.value(e)) && std::isnan(type.value(a))); };
}

TEST(Convert, FloatToFloat) {
  for (const FloatType& from : kFloats) {
    for (const FloatType& to : kFloats) {
      if (from.name == to.name) continue;
      const bool widens = from.mantissa <= to.mantissa && from.least >= to.least;
      for (const auto& [name, round] : kRoundings) {
        if (widens && round != Round::Nearest) continue;
        const std::string mode = widens ? "" : std::string(".") + name;
        check({"cvt" + mode + "." + to.name + "." + from.name + " %d, %a;", to.reg(), {from.reg()}, ""}, mixed({from.edges()}, 3000),
              [&, round = round](std::uint64_t a, std::uint64_t, std::uint64_t) {
                const double x = from.value(a);
                if (std::isnan(x)) return nan_of(to);
                const std::uint64_t infinity = static_cast<std::uint64_t>(to.most - to.least - to.mantissa + 2) << to.mantissa;
                if (std::isinf(x)) return infinity | (x < 0 ? std::uint64_t{1} << (to.bits - 1) : 0);
                return pack(x, std::signbit(x), to, round);
              },
              same_in(to));
      }
    }
  }
}

struct IntType {
  std::string name;
  int bits;
  bool is_signed;
  [[nodiscard]] I128 value(std::uint64_t x) const {
    if (is_signed) return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits);
    return static_cast<I128>(x << (64 - bits) >> (64 - bits));
  }
  [[nodiscard]] I128 least() const { return is_signed ? -(I128{1} << (bits - 1)) : 0; }
  [[nodiscard]] I128 most() const { return (I128{1} << (is_signed ? bits - 1 : bits)) - 1; }
  /// The register: at least 16 bits.
  [[nodiscard]] std::string reg() const { return "b" + std::to_string(std::max(bits, 16)); }
};
const IntType kInts[] = {{"u8", 8, false}, {"s8", 8, true}, {"u16", 16, false}, {"s16", 16, true},
                         {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

TEST(Convert, IntegerToFloat) {
  for (const IntType& from : kInts) {
    Bits values = integer_edges(from.bits);
    for (int k = 0; k < from.bits; ++k) {
      for (const std::uint64_t near : {0ULL, 1ULL, ~0ULL}) values.push_back((1ULL << k) + near);
    }
    for (const FloatType& to : kFloats) {
      for (const auto& [name, round] : kRoundings) {
        check({std::string("cvt.") + name + "." + to.name + "." + from.name + " %d, %a;", to.reg(), {from.reg()}, ""}, mixed({values}, 500),
              [&, round = round](std::uint64_t a, std::uint64_t, std::uint64_t) {
                const I128 v = from.value(a);
                return pack(static_cast<Exact>(v), v < 0, to, round);
              });
      }
    }
  }
}

TEST(Convert, FloatToInteger) {
  for (const FloatType& from : kFloats) {
    Bits values = from.edges();
    for (double x : {0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, 128.5, 254.5, 255.5, -128.5, -129.0, 32767.5, 65535.5, 1e9, 2147483647.0, 4294967295.0, 3e9, 1e18, 9.3e18, 1.9e19, -1e18}) {
      values.push_back(pack(x < 0 ? -x : x, x < 0, from, Round::Nearest));
    }
    for (const IntType& to : kInts) {
      for (const auto& [name, round] : kRoundings) {
        const std::string ftz = from.name == "f32" && round == Round::Up ? ".ftz" : "";
        check({std::string("cvt.") + name + "i" + ftz + "." + to.name + "." + from.name + " %d, %a;", to.reg(), {from.reg()}, ""}, mixed({values}, 500),
              [&, round = round](std::uint64_t a, std::uint64_t, std::uint64_t) -> std::uint64_t {
                double x = from.value(a);
                if (!ftz.empty()) x = flushed(static_cast<float>(x));
                if (std::isnan(x)) return from.name != "f64" && to.bits != 64 ? 0 : static_cast<std::uint64_t>(to.is_signed ? static_cast<std::int64_t>(to.least()) : static_cast<std::int64_t>(1ULL << (to.bits - 1)));
                const double magnitude = std::fabs(x);
                I128 r = magnitude > 1e20 ? I128{1} << 100 : static_cast<I128>(round_quotient(magnitude, round, x < 0));
                if (magnitude > 1.8e19 && magnitude <= 1e20) r = static_cast<I128>(magnitude);
                if (x < 0) r = -r;
                return static_cast<std::uint64_t>(std::clamp(r, to.least(), to.most()));
              });
      }
    }
  }
}

TEST(Convert, IntegerToInteger) {
  for (const IntType& from : kInts) {
    for (const IntType& to : kInts) {
      const auto values = mixed({integer_edges(from.bits)}, 200);
      check({"cvt." + to.name + "." + from.name + " %d, %a;", to.reg(), {from.reg()}, ""}, values,
            [&](std::uint64_t a, std::uint64_t, std::uint64_t) {
              return static_cast<std::uint64_t>(to.value(static_cast<std::uint64_t>(from.value(a))));
            });
      check({"cvt.sat." + to.name + "." + from.name + " %d, %a;", to.reg(), {from.reg()}, ""}, values,
            [&](std::uint64_t a, std::uint64_t, std::uint64_t) {
              return static_cast<std::uint64_t>(std::clamp(from.value(a), to.least(), to.most()));
            });
    }
  }
  // Narrow types in wider registers.
  check({"cvt.s32.s8 %d, %a;", "b32", {"b32"}, ""}, mixed({integer_edges(32)}, 100),
        [](std::uint64_t a, std::uint64_t, std::uint64_t) { return static_cast<std::uint64_t>(static_cast<std::int8_t>(a)); });
  check({"cvt.u8.u32 %d, %a;", "b32", {"b32"}, ""}, mixed({integer_edges(32)}, 100), [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a & 0xff; });
}

TEST(Convert, RoundsToWholeNumbers) {
  const std::pair<const char*, double (*)(double)> modes[] = {
      {"rni", [](double x) { return std::nearbyint(x); }}, {"rzi", [](double x) { return std::trunc(x); }},
      {"rmi", [](double x) { return std::floor(x); }},     {"rpi", [](double x) { return std::ceil(x); }}};
  for (const auto& [name, f] : modes) {
    for (const FloatType& type : kFloats) {
      check({std::string("cvt.") + name + "." + type.name + "." + type.name + " %d, %a;", type.reg(), {type.reg()}, ""}, mixed({type.edges()}, 500),
            [&, f = f](std::uint64_t a, std::uint64_t, std::uint64_t) {
              const double x = type.value(a);
              if (std::isnan(x)) return nan_of(type);
              const double r = f(x);
              if (std::isinf(r)) return a;
              return pack(r, std::signbit(r), type, Round::Nearest);
            },
            same_in(type));
    }
    check({std::string("cvt.") + name + ".ftz.f32.f32 %d, %a;", "f32", {"f32"}, ""}, mixed({edges32()}, 500),
          [&, f = f](std::uint64_t a, std::uint64_t, std::uint64_t) { return one_nan(static_cast<float>(f(flushed(f32(a))))); });
  }
}

TEST(Convert, SaturatesAndFlushes) {
  const auto values = mixed({edges32()}, 500);
  const auto sat = [](double x) { return std::isnan(x) || x <= 0 ? 0.0 : std::min(x, 1.0); };
  check({"cvt.sat.f32.f32 %d, %a;", "f32", {"f32"}, ""}, values, [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(static_cast<float>(sat(f32(a)))); });
  check({"cvt.ftz.sat.f32.f32 %d, %a;", "f32", {"f32"}, ""}, values, [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(static_cast<float>(sat(flushed(f32(a))))); });
  check({"cvt.rn.sat.f16.f32 %d, %a;", "b16", {"f32"}, ""}, values, [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return std::uint64_t{f64_to_f16(sat(f32(a)))}; });
  check({"cvt.rn.ftz.f32.f64 %d, %a;", "f32", {"f64"}, ""}, mixed({edges64()}, 500),
        [](std::uint64_t a, std::uint64_t, std::uint64_t) { return one_nan(flushed(static_cast<float>(f64(a)))); });
  check({"cvt.ftz.f64.f32 %d, %a;", "f64", {"f32"}, ""}, values, [](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(double{flushed(f32(a))}); }, same_f64);
  check({"cvt.sat.f64.f64 %d, %a;", "f64", {"f64"}, ""}, mixed({edges64()}, 500), [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(sat(f64(a))); });
}

TEST(Convert, PairsAndTf32) {
  const auto values = mixed({edges32(), edges32()}, 1000);
  for (const bool bf16 : {false, true}) {
    for (const bool relu : {false, true}) {
      const auto half = [&](std::uint64_t x) -> std::uint64_t {
        float v = f32(x);
        if (std::isnan(v)) return 0x7fff;
        if (relu && !(v > 0)) v = 0;
        return bf16 ? f64_to_bf16(v) : f64_to_f16(v);
      };
      check({std::string("cvt.rn") + (relu ? ".relu" : "") + (bf16 ? ".bf16x2" : ".f16x2") + ".f32 %d, %a, %b;", "b32", {"f32", "f32"}, ""}, values,
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return half(a) << 16 | half(b); });
      check({std::string("cvt.rn") + (relu ? ".relu" : "") + (bf16 ? ".bf16" : ".f16") + ".f32 %d, %a;", "b16", {"f32"}, ""}, mixed({edges32()}, 1000),
            [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return half(a); });
    }
  }
  check({"cvt.rna.tf32.f32 %d, %a;", "b32", {"f32"}, ""}, mixed({edges32()}, 1000),
        [](std::uint64_t a, std::uint64_t, std::uint64_t) -> std::uint64_t {
          const float x = f32(a);
          if (std::isnan(x)) return 0x7fffffff;
          if (std::isinf(x)) return a & 0xffffffff;
          return (a + 0x1000) & 0xffffe000;
        });
}

}  // namespace
}  // namespace seam::sim::test
