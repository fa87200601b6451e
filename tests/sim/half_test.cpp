/// f16, bf16 and pairs: each result is the half nearest to the exact one.
#include "base/dtype.h"
#include "opcode.h"

namespace seam::sim::test {
namespace {

/// 113 bits hold any sum or product of halves exactly, but for bf16 sums of very different size; those are checked in double.
__extension__ typedef __float128 Exact;

float value(std::uint64_t h, bool bf16) {
  return bf16 ? bf16_to_f32(static_cast<std::uint16_t>(h)) : f16_to_f32(static_cast<std::uint16_t>(h));
}
bool is_nan(std::uint64_t h, bool bf16) { return std::isnan(value(h, bf16)); }

/// By definition: the candidate with the least distance, ties to an even last bit.
std::uint64_t nearest(Exact x, bool bf16) {
  const auto approximate = static_cast<double>(x);
  const std::uint16_t guess = bf16 ? f64_to_bf16(approximate) : f64_to_f16(approximate);
  const std::uint16_t infinity = bf16 ? 0x7f80 : 0x7c00;
  if ((guess & 0x7fff) == infinity) {
    // Halfway between the largest finite number and the next one is the limit.
    const Exact largest = value(infinity - 1, bf16);
    const Exact limit = largest + (largest - static_cast<Exact>(value(infinity - 2, bf16))) / 2;
    const Exact magnitude = x < 0 ? -x : x;
    return magnitude >= limit ? guess : static_cast<std::uint64_t>(guess - 1);
  }
  std::uint64_t best = guess;
  for (const int step : {-1, 1}) {
    const auto other = static_cast<std::uint16_t>(guess + step);
    if ((other ^ guess) & 0x8000 || (other & 0x7fff) >= infinity) continue;
    const auto distance = [&](std::uint64_t h) {
      const Exact d = static_cast<Exact>(value(h, bf16)) - x;
      return d < 0 ? -d : d;
    };
    if (distance(other) < distance(best) || (distance(other) == distance(best) && (other & 1) == 0)) best = other;
  }
  return best;
}

std::uint64_t flush16(std::uint64_t h, bool on) { return on && (h & 0x7c00) == 0 ? h & 0x8000 : h; }

struct Mods {
  std::string text;
  bool ftz = false, sat = false, relu = false;
};

std::uint64_t finish(std::uint64_t r, const Mods& mods, bool bf16) {
  r = flush16(r, mods.ftz);
  if (is_nan(r, bf16)) return mods.sat ? 0 : 0x7fff;
  const std::uint64_t one = bf16 ? 0x3f80 : 0x3c00;
  if (mods.sat) return value(r, bf16) <= 0 ? 0 : value(r, bf16) >= 1 ? one : r;
  if (mods.relu && (r & 0x8000) != 0) return 0;
  return r;
}

std::uint64_t expected(const std::string& op, const Mods& mods, bool bf16, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const float x = value(flush16(a & 0xffff, mods.ftz), bf16);
  const float y = value(flush16(b & 0xffff, mods.ftz), bf16);
  const float z = value(flush16(c & 0xffff, mods.ftz), bf16);
  const bool finite = std::isfinite(x) && std::isfinite(y) && (op != "fma" || std::isfinite(z));
  if (!finite) {
    const double special = op == "add" ? double{x} + y : op == "sub" ? double{x} - y : op == "mul" ? double{x} * y : std::fma(double{x}, double{y}, double{z});
    if (std::isnan(special)) return finish(0x7fff, mods, bf16);
    return finish(bf16 ? f64_to_bf16(special) : f64_to_f16(special), mods, bf16);
  }
  Exact r = 0;
  double sign = 0;  // of a zero result
  if (op == "add") r = static_cast<Exact>(x) + y, sign = double{x} + y;
  if (op == "sub") r = static_cast<Exact>(x) - y, sign = double{x} - y;
  if (op == "mul") r = static_cast<Exact>(x) * y, sign = double{x} * y;
  if (op == "fma") r = static_cast<Exact>(x) * y + z, sign = std::fma(double{x}, double{y}, double{z});
  std::uint64_t bits = nearest(r, bf16);
  if ((bits & 0x7fff) == 0) bits = std::signbit(sign) ? 0x8000 : 0;
  return finish(bits, mods, bf16);
}

TEST(Half, Arithmetic) {
  for (const bool bf16 : {false, true}) {
    const std::string type = bf16 ? "bf16" : "f16";
    for (const std::string op : {"add", "sub", "mul", "fma"}) {
      const std::size_t n = op == "fma" ? 3 : 2;
      std::vector<Mods> all = {{".rn", false, false, false}};
      if (!bf16) {
        all.push_back({".rn.ftz", true, false, false});
        all.push_back({".rn.sat", false, true, false});
        all.push_back({".rn.ftz.sat", true, true, false});
      }
      if (op == "fma") all.push_back({".rn.relu", false, false, true});
      // 113 bits are too few for bf16 sums of numbers further apart: keep the exponents near each other there.
      auto values = mixed(std::vector<Bits>(n, edges16()), 6000);
      if (bf16) {
        for (Bits& one : values) {
          for (std::uint64_t& h : one) {
            if ((h & 0x7f80) != 0x7f80 && (h & 0x7fff) != 0) h = (h & 0x80ff) | (0x2000 + (h & 0x1f00)) ;
          }
        }
      }
      for (const Mods& mods : all) {
        const std::string operands = std::string(" %d, %a, %b") + (n == 3 ? ", %c;" : ";");
        check({op + mods.text + "." + type + operands, "b16", std::vector<std::string>(n, "b16"), ""}, values,
              [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return expected(op, mods, bf16, a, b, c); });
        check({op + mods.text + "." + type + "x2" + operands, "b32", std::vector<std::string>(n, "b32"), ""}, values,
              [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                return expected(op, mods, bf16, a, b, c) | expected(op, mods, bf16, a >> 16, b >> 16, c >> 16) << 16;
              });
      }
    }
  }
}

TEST(Half, TinyProductsRoundOnce) {
  // bf16 products that fall below float's normal range.
  Bits small;
  for (std::uint64_t h = 0x0080; h < 0x2100; h += 37) small.push_back(h);
  check({"mul.rn.bf16 %d, %a, %b;", "b16", {"b16", "b16"}, ""}, mixed({small, {0x2001, 0x1f83, 0x2055, 0x3f80, 0x9fff}}, 0),
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          const double r = double{value(a, true)} * value(b, true);
          return std::uint64_t{f64_to_bf16(r)};
        });
}

TEST(Half, MinMaxNegAbs) {
  for (const bool bf16 : {false, true}) {
    const std::string type = bf16 ? "bf16" : "f16";
    const auto values = mixed({edges16(), edges16()}, 500);
    for (const bool max : {false, true}) {
      for (const bool nan : {false, true}) {
        check({std::string(max ? "max" : "min") + (nan ? ".NaN." : ".") + type + " %d, %a, %b;", "b16", {"b16", "b16"}, ""}, values,
              [&](std::uint64_t a, std::uint64_t b, std::uint64_t) -> std::uint64_t {
                a &= 0xffff, b &= 0xffff;
                const bool x = is_nan(a, bf16);
                const bool y = is_nan(b, bf16);
                if ((x && y) || (nan && (x || y))) return 0x7fff;
                if (x || y) return x ? b : a;
                const auto order = [&](std::uint64_t h) { return std::pair(value(h, bf16), (h & 0x8000) == 0); };
                return (order(a) < order(b)) == max ? b : a;
              });
      }
    }
    check({"neg." + type + " %d, %a;", "b16", {"b16"}, ""}, {edges16()}, [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a ^ 0x8000; });
    check({"abs." + type + "x2 %d, %a;", "b32", {"b32"}, ""}, mixed({edges32()}, 100),
          [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a & 0x7fff7fff; });
  }
}

TEST(Half, FunctionsOfHalves) {
  for (const bool bf16 : {false, true}) {
    const std::string type = bf16 ? "bf16" : "f16";
    for (const std::string op : {"ex2.approx", "tanh.approx"}) {
      const std::string f = op == "ex2.approx" && bf16 ? ".ftz." : ".";
      check({op + f + type + " %d, %a;", "b16", {"b16"}, ""}, {edges16()},
            [&](std::uint64_t a, std::uint64_t, std::uint64_t) {
              const double x = value(a, bf16);
              const double r = op == "ex2.approx" ? std::exp2(x) : std::tanh(x);
              return std::isnan(r) ? std::uint64_t{0x7fff} : std::uint64_t{bf16 ? f64_to_bf16(r) : f64_to_f16(r)};
            },
            [&](std::uint64_t e, std::uint64_t a) {
              if (is_nan(e, bf16) || is_nan(a, bf16)) return is_nan(e, bf16) && is_nan(a, bf16);
              return e == a || std::llabs(static_cast<long long>(e) - static_cast<long long>(a)) <= 1;
            });
    }
  }
}

}  // namespace
}  // namespace seam::sim::test
