/// f32 and f64 arithmetic: every rounding mode, flushing, saturation, NaN and signed zero.
#include <cfenv>

#include "opcode.h"

namespace seam::sim::test {
namespace {

const std::pair<const char*, int> kRoundings[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/// One scalar operation under a rounding direction.
template <class T, class F>
T rounded(int mode, F f) {
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile T result = f();
  std::fesetround(before);
  return result;
}

float apply(const std::string& op, int mode, float x, float y, float z) {
  volatile float a = x;
  volatile float b = y;
  volatile float c = z;
  return rounded<float>(mode, [&]() -> float {
    if (op == "add") return a + b;
    if (op == "sub") return a - b;
    if (op == "mul") return a * b;
    if (op == "div") return a / b;
    if (op == "sqrt") return std::sqrt(a);
    if (op == "rcp") return 1.0F / a;
    return std::fma(a, b, c);
  });
}
double apply(const std::string& op, int mode, double x, double y, double z) {
  volatile double a = x;
  volatile double b = y;
  volatile double c = z;
  return rounded<double>(mode, [&]() -> double {
    if (op == "add") return a + b;
    if (op == "sub") return a - b;
    if (op == "mul") return a * b;
    if (op == "div") return a / b;
    if (op == "sqrt") return std::sqrt(a);
    if (op == "rcp") return 1.0 / a;
    return std::fma(a, b, c);
  });
}

std::size_t arity(const std::string& op) { return op == "fma" ? 3 : op == "sqrt" || op == "rcp" ? 1 : 2; }

std::string operands(std::size_t count) {
  return std::string("%d, %a") + (count > 1 ? ", %b" : "") + (count > 2 ? ", %c" : "") + ";";
}

TEST(Float, SingleArithmeticInEveryDirection) {
  for (const std::string op : {"add", "sub", "mul", "div", "fma", "sqrt", "rcp"}) {
    const std::size_t n = arity(op);
    const auto values = mixed(std::vector<Bits>(n, edges32()), 1000);
    for (const auto& [name, mode] : kRoundings) {
      for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
          if (sat && (op == "div" || op == "sqrt" || op == "rcp")) continue;
          const std::string opcode = op + "." + name + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32 ";
          check({opcode + operands(n), "f32", std::vector<std::string>(n, "f32"), ""}, values,
                [&, mode = mode](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
                  const auto in = [&](std::uint64_t x) { return ftz ? flushed(f32(x)) : f32(x); };
                  float r = apply(op, mode, in(a), in(b), in(c));
                  if (ftz) r = flushed(r);
                  if (sat) r = std::isnan(r) || r <= 0 ? 0.0F : std::min(r, 1.0F);
                  return one_nan(r);
                });
        }
      }
    }
  }
}

TEST(Float, DoubleArithmeticInEveryDirection) {
  for (const std::string op : {"add", "sub", "mul", "div", "fma", "sqrt", "rcp"}) {
    const std::size_t n = arity(op);
    for (const auto& [name, mode] : kRoundings) {
      check({op + "." + name + ".f64 " + operands(n), "f64", std::vector<std::string>(n, "f64"), ""},
            mixed(std::vector<Bits>(n, edges64()), 1000),
            [&, mode = mode](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return bits(apply(op, mode, f64(a), f64(b), f64(c))); },
            same_f64);
    }
  }
}

TEST(Float, NoModifierMeansNearest) {
  const auto values = mixed({edges32(), edges32()}, 500);
  check({"add.f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""}, values,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return one_nan(f32(a) + f32(b)); });
  check({"mul.ftz.f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""}, values,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return one_nan(flushed(flushed(f32(a)) * flushed(f32(b)))); });
  check({"mad.rn.f32 %d, %a, %b, %c;", "f32", {"f32", "f32", "f32"}, ""}, mixed({edges32(), edges32(), edges32()}, 500),
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return one_nan(std::fma(f32(a), f32(b), f32(c))); });
}

template <class T>
T extremum(bool max, T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == max ? b : a;  // -0 < +0
  return (a < b) == max ? b : a;
}

TEST(Float, MinAndMax) {
  const auto values = mixed({edges32(), edges32()}, 500);
  for (const bool max : {false, true}) {
    const std::string op = max ? "max" : "min";
    for (const bool ftz : {false, true}) {
      const std::string f = ftz ? ".ftz" : "";
      const auto in = [ftz](std::uint64_t x) { return ftz ? flushed(f32(x)) : f32(x); };
      check({op + f + ".f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""}, values,
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
              const bool both = std::isnan(f32(a)) && std::isnan(f32(b));
              return both ? 0x7fffffff : bits(extremum(max, in(a), in(b)));
            },
            [](std::uint64_t e, std::uint64_t a) { return e == a || (std::isnan(f32(e)) && std::isnan(f32(a))); });
      check({op + f + ".NaN.f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""}, values,
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
              const bool any = std::isnan(f32(a)) || std::isnan(f32(b));
              return any ? 0x7fffffff : bits(extremum(max, in(a), in(b)));
            });
    }
    check({op + ".xorsign.abs.f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
            const float r = extremum(max, std::fabs(f32(a)), std::fabs(f32(b)));
            return std::isnan(r) ? 0x7fffffff : bits(std::copysign(r, std::signbit(f32(a)) != std::signbit(f32(b)) ? -1.0F : 1.0F));
          },
          [](std::uint64_t e, std::uint64_t a) { return e == a || (std::isnan(f32(e)) && std::isnan(f32(a))); });
    check({op + ".f64 %d, %a, %b;", "f64", {"f64", "f64"}, ""}, mixed({edges64(), edges64()}, 500),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return bits(extremum(max, f64(a), f64(b))); }, same_f64);
  }
}

TEST(Float, SignsAndProperties) {
  const auto one = mixed({edges32()}, 300);
  const auto two = mixed({edges32(), edges32()}, 300);
  check({"neg.f32 %d, %a;", "f32", {"f32"}, ""}, one, [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a ^ 0x80000000; });
  check({"abs.f32 %d, %a;", "f32", {"f32"}, ""}, one, [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a & 0x7fffffff; });
  check({"neg.ftz.f32 %d, %a;", "f32", {"f32"}, ""}, one, [](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(-flushed(f32(a))); });
  check({"abs.ftz.f32 %d, %a;", "f32", {"f32"}, ""}, one, [](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(std::fabs(flushed(f32(a)))); });
  check({"neg.f64 %d, %a;", "f64", {"f64"}, ""}, mixed({edges64()}, 300), [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a ^ (1ULL << 63); });
  check({"abs.f64 %d, %a;", "f64", {"f64"}, ""}, mixed({edges64()}, 300), [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a & ~(1ULL << 63); });
  check({"copysign.f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""}, two,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return (a & 0x80000000) | (b & 0x7fffffff); });
  check({"copysign.f64 %d, %a, %b;", "f64", {"f64", "f64"}, ""}, mixed({edges64(), edges64()}, 300),
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return (a & (1ULL << 63)) | (b & ~(1ULL << 63)); });
  const std::pair<const char*, std::function<bool(float)>> properties[] = {
      {"finite", [](float x) { return std::isfinite(x); }},   {"infinite", [](float x) { return std::isinf(x); }},
      {"number", [](float x) { return !std::isnan(x); }},     {"notanumber", [](float x) { return std::isnan(x); }},
      {"normal", [](float x) { return std::isnormal(x); }},   {"subnormal", [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }}};
  for (const auto& [name, holds] : properties) {
    check({std::string("testp.") + name + ".f32 %d, %a;", "pred", {"f32"}, ""}, one,
          [&, holds = holds](std::uint64_t a, std::uint64_t, std::uint64_t) { return std::uint64_t{holds(f32(a))}; });
  }
}

TEST(Float, ApproximateDivisionHasItsHoles) {
  // |b| in (2^126, 2^128): 0, or NaN if a is infinite.
  const float huge = std::ldexp(1.5F, 126);
  check({"div.approx.f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""},
        {{bits(1.0F), bits(-3.0F), bits(HUGE_VALF), bits(6.0F)}, {bits(huge), bits(huge), bits(huge), bits(3.0F)}},
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          if (f32(b) != huge) return bits(2.0F);
          return std::isinf(f32(a)) ? 0x7fffffff : bits(std::copysign(0.0F, f32(a)));
        });
  check({"div.full.f32 %d, %a, %b;", "f32", {"f32", "f32"}, ""}, mixed({edges32(), edges32()}, 300),
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return one_nan(f32(a) / f32(b)); });
}

/// Relative error within `bound`, or both special in the same way.
Same near(double bound) {
  return [bound](std::uint64_t e, std::uint64_t a) {
    const double x = f32(e);
    const double y = f32(a);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (x == y) return true;
    if (std::isinf(x) || std::isinf(y)) return false;
    return std::fabs(x - y) <= bound * std::fabs(x) + 1e-45;
  };
}

TEST(Float, SpecialFunctions) {
  const auto values = mixed({edges32()}, 3000);
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"ex2.approx", [](double x) { return std::exp2(x); }},   {"lg2.approx", [](double x) { return std::log2(x); }},
      {"rcp.approx", [](double x) { return 1 / x; }},          {"rsqrt.approx", [](double x) { return 1 / std::sqrt(x); }},
      {"sqrt.approx", [](double x) { return std::sqrt(x); }},  {"sin.approx", [](double x) { return std::sin(x); }},
      {"cos.approx", [](double x) { return std::cos(x); }},    {"tanh.approx", [](double x) { return std::tanh(x); }}};
  for (const auto& [name, f] : functions) {
    for (const bool ftz : {false, true}) {
      check({std::string(name) + (ftz ? ".ftz" : "") + ".f32 %d, %a;", "f32", {"f32"}, ""}, values,
            [&, f = f](std::uint64_t a, std::uint64_t, std::uint64_t) {
              const float x = ftz ? flushed(f32(a)) : f32(a);
              const auto r = static_cast<float>(f(x));
              return bits(ftz ? flushed(r) : r);
            },
            near(2e-7));
    }
  }
}

TEST(Float, PowersOfTwoAreExact) {
  Bits whole;
  for (int e = -140; e <= 128; ++e) whole.push_back(bits(static_cast<float>(e)));
  check({"ex2.approx.f32 %d, %a;", "f32", {"f32"}, ""}, {whole},
        [](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(std::exp2(f32(a))); });
}

TEST(Float, DoubleApproximations) {
  const auto close = [](std::uint64_t e, std::uint64_t a) {
    if (same_f64(e, a)) return true;
    return std::fabs(f64(e) - f64(a)) <= 2e-6 * std::fabs(f64(e)) && (a & 0xffffffff) == 0;
  };
  check({"rcp.approx.ftz.f64 %d, %a;", "f64", {"f64"}, ""}, {{bits(3.0), bits(-0.1), bits(1e300), bits(HUGE_VAL), bits(0.0), 1}},
        [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a == 1 ? bits(HUGE_VAL) : bits(1 / f64(a)); }, close);
  const std::vector<Bits> values = {{bits(3.0), bits(0.1), bits(1e300), bits(HUGE_VAL), bits(0.0), bits(-1.0)}};
  const Definition root = [](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits(1 / std::sqrt(f64(a))); };
  check({"rsqrt.approx.ftz.f64 %d, %a;", "f64", {"f64"}, ""}, values, root, close);
  // Without .ftz it is what rsqrt(double) compiles to, so it must be good to the last bits.
  check({"rsqrt.approx.f64 %d, %a;", "f64", {"f64"}, ""}, values, root,
        [](std::uint64_t e, std::uint64_t a) { return same_f64(e, a) || std::fabs(f64(e) - f64(a)) <= 3e-16 * std::fabs(f64(e)); });
}

}  // namespace
}  // namespace seam::sim::test
