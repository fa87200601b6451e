/// Integer arithmetic, bits, carry chains, at every width.
#include <algorithm>
#include <array>

#include "opcode.h"

namespace seam::sim::test {
namespace {

__extension__ typedef __int128 I128;
__extension__ typedef unsigned __int128 U128;

std::uint64_t low(std::uint64_t x, int bits) { return bits == 64 ? x : x & ((std::uint64_t{1} << bits) - 1); }
std::int64_t sign(std::uint64_t x, int bits) { return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits); }
/// The value as the type has it, in a type that holds all.
I128 value(std::uint64_t x, int bits, bool is_signed) {
  return is_signed ? static_cast<I128>(sign(x, bits)) : static_cast<I128>(low(x, bits));
}
std::uint64_t part(I128 x, int shift = 0) { return static_cast<std::uint64_t>(x >> shift); }

struct IntType {
  std::string name;
  int bits;
  bool is_signed;
  [[nodiscard]] std::string reg() const { return "b" + std::to_string(bits); }
};
const IntType kTypes[] = {{"u16", 16, false}, {"s16", 16, true}, {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

std::vector<Bits> pairs(int bits) { return mixed({integer_edges(bits), integer_edges(bits)}, 300); }
std::vector<Bits> triples(int bits) { return mixed({integer_edges(bits), integer_edges(bits), integer_edges(bits)}, 300); }

TEST(Integer, Arithmetic) {
  for (const IntType& t : kTypes) {
    const auto v = [&](std::uint64_t x) { return value(x, t.bits, t.is_signed); };
    const auto run2 = [&](const std::string& op, const std::function<I128(I128, I128)>& f) {
      check({op + "." + t.name + " %d, %a, %b;", t.reg(), {t.reg(), t.reg()}, ""}, pairs(t.bits),
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return part(f(v(a), v(b))); });
    };
    run2("add", [](I128 a, I128 b) { return a + b; });
    run2("sub", [](I128 a, I128 b) { return a - b; });
    run2("mul.lo", [](I128 a, I128 b) { return static_cast<I128>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); });
    run2("min", [](I128 a, I128 b) { return a < b ? a : b; });
    run2("max", [](I128 a, I128 b) { return a > b ? a : b; });
    run2("div", [](I128 a, I128 b) { return b == 0 ? I128{-1} : a / b; });
    run2("rem", [](I128 a, I128 b) { return b == 0 ? a : a % b; });
    check({"mul.hi." + t.name + " %d, %a, %b;", t.reg(), {t.reg(), t.reg()}, ""}, pairs(t.bits),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
            if (!t.is_signed && t.bits == 64) {
              return static_cast<std::uint64_t>((static_cast<U128>(a) * b) >> 64);
            }
            return part(v(a) * v(b), t.bits);
          });
    check({"mad.lo." + t.name + " %d, %a, %b, %c;", t.reg(), {t.reg(), t.reg(), t.reg()}, ""}, triples(t.bits),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return a * b + c; });
    check({"sad." + t.name + " %d, %a, %b, %c;", t.reg(), {t.reg(), t.reg(), t.reg()}, ""}, triples(t.bits),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return c + part(v(a) < v(b) ? v(b) - v(a) : v(a) - v(b)); });
    if (t.bits < 64) {
      const std::string twice = "b" + std::to_string(2 * t.bits);
      check({"mul.wide." + t.name + " %d, %a, %b;", twice, {t.reg(), t.reg()}, ""}, pairs(t.bits),
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return part(v(a) * v(b)); });
      check({"mad.wide." + t.name + " %d, %a, %b, %c;", twice, {t.reg(), t.reg(), twice}, ""},
            mixed({integer_edges(t.bits), integer_edges(t.bits), integer_edges(2 * t.bits)}, 300),
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return part(v(a) * v(b)) + c; });
      check({"mad.hi." + t.name + " %d, %a, %b, %c;", t.reg(), {t.reg(), t.reg(), t.reg()}, ""}, triples(t.bits),
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return part(v(a) * v(b), t.bits) + c; });
    }
    if (t.is_signed) {
      check({"neg." + t.name + " %d, %a;", t.reg(), {t.reg()}, ""}, {integer_edges(t.bits)},
            [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return 0 - a; });
      check({"abs." + t.name + " %d, %a;", t.reg(), {t.reg()}, ""}, {integer_edges(t.bits)},
            [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return part(v(a) < 0 ? -v(a) : v(a)); });
    }
  }
}

TEST(Integer, SaturatedSums) {
  for (const bool sub : {false, true}) {
    check({std::string(sub ? "sub" : "add") + ".sat.s32 %d, %a, %b;", "b32", {"b32", "b32"}, ""}, pairs(32),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
            const std::int64_t r = sub ? sign(a, 32) - sign(b, 32) : sign(a, 32) + sign(b, 32);
            return static_cast<std::uint64_t>(std::clamp<std::int64_t>(r, INT32_MIN, INT32_MAX));
          });
  }
}

TEST(Integer, Halves) {
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? "s16x2" : "u16x2";
    const std::pair<const char*, std::function<I128(I128, I128)>> ops[] = {{"add", [](I128 a, I128 b) { return a + b; }},
                                                                         {"min", [](I128 a, I128 b) { return std::min(a, b); }},
                                                                         {"max", [](I128 a, I128 b) { return std::max(a, b); }}};
    for (const auto& [name, f] : ops) {
      check({std::string(name) + "." + type + " %d, %a, %b;", "b32", {"b32", "b32"}, ""}, pairs(32),
            [&, f = f](std::uint64_t a, std::uint64_t b, std::uint64_t) {
              const auto half = [&](int k) { return low(part(f(value(a >> k, 16, is_signed), value(b >> k, 16, is_signed))), 16) << k; };
              return half(0) | half(16);
            });
    }
  }
}

TEST(Integer, TwentyFourBitsAndDots) {
  for (const bool is_signed : {false, true}) {
    const std::string t = is_signed ? "s32" : "u32";
    const auto v = [&](std::uint64_t x) { return value(x, 24, is_signed); };
    check({"mul24.lo." + t + " %d, %a, %b;", "b32", {"b32", "b32"}, ""}, pairs(32),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return part(v(a) * v(b)); });
    check({"mul24.hi." + t + " %d, %a, %b;", "b32", {"b32", "b32"}, ""}, pairs(32),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return part(v(a) * v(b), 16); });
    check({"mad24.lo." + t + " %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ""}, triples(32),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return part(v(a) * v(b)) + c; });
    for (const bool other : {false, true}) {
      const std::string u = other ? "s32" : "u32";
      check({"dp4a." + t + "." + u + " %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ""}, triples(32),
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
              for (int k = 0; k < 32; k += 8) c += part(value(a >> k, 8, is_signed) * value(b >> k, 8, other));
              return c;
            });
      check({"dp2a.hi." + t + "." + u + " %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ""}, triples(32),
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
              for (int k = 0; k < 2; ++k) c += part(value(a >> (16 * k), 16, is_signed) * value(b >> (16 + 8 * k), 8, other));
              return c;
            });
    }
  }
}

/// A chain of two instructions adds numbers twice as wide.
TEST(Integer, CarryChains) {
  for (const int bits : {32, 64}) {
    const std::string t = "u" + std::to_string(bits);
    const std::string reg = "b" + std::to_string(bits);
    const std::string more = ".reg ." + reg + " %low;";
    const auto top = [bits](std::uint64_t x) { return low(x, bits); };
    check({"add.cc." + t + " %low, %a, %b; addc." + t + " %d, %a, %c;", reg, {reg, reg, reg}, more}, triples(bits),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return a + c + (top(a + b) < top(a) ? 1 : 0); });
    check({"sub.cc." + t + " %low, %a, %b; subc." + t + " %d, %a, %c;", reg, {reg, reg, reg}, more}, triples(bits),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return a - c - (top(a) < top(b) ? 1 : 0); });
  }
  check({"mad.lo.cc.u32 %low, %a, %b, %c; madc.hi.u32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ".reg .b32 %low;"}, triples(32),
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          a = low(a, 32), b = low(b, 32), c = low(c, 32);
          const std::uint64_t p = a * b;
          return (p >> 32) + c + ((low(p, 32) + c) >> 32);
        });
  check({"add.cc.u32 %low, %a, %b; addc.cc.u32 %low, %a, %a; addc.u32 %d, %c, 0;", "b32", {"b32", "b32", "b32"}, ".reg .b32 %low;"}, triples(32),
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          a = low(a, 32), b = low(b, 32);
          const std::uint64_t first = (a + b) >> 32;
          return c + ((a + a + first) >> 32);
        });
}

TEST(Bits_, Logic) {
  for (const int bits : {16, 32, 64}) {
    const std::string t = "b" + std::to_string(bits);
    check({"and." + t + " %d, %a, %b;", t, {t, t}, ""}, pairs(bits), [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a & b; });
    check({"or." + t + " %d, %a, %b;", t, {t, t}, ""}, pairs(bits), [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a | b; });
    check({"xor." + t + " %d, %a, %b;", t, {t, t}, ""}, pairs(bits), [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a ^ b; });
    check({"not." + t + " %d, %a;", t, {t}, ""}, {integer_edges(bits)}, [](std::uint64_t a, std::uint64_t, std::uint64_t) { return ~a; });
    check({"cnot." + t + " %d, %a;", t, {t}, ""}, {integer_edges(bits)},
          [bits](std::uint64_t a, std::uint64_t, std::uint64_t) { return std::uint64_t{low(a, bits) == 0}; });
  }
}

TEST(Bits_, Shifts) {
  const Bits amounts = {0, 1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 0xffffffff};
  for (const int bits : {16, 32, 64}) {
    const std::string width = std::to_string(bits);
    const auto values = mixed({integer_edges(bits), amounts}, 100);
    const auto by = [](std::uint64_t b) { return low(b, 32); };
    check({"shl.b" + width + " %d, %a, %b;", "b" + width, {"b" + width, "b32"}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return by(b) >= 64 ? 0 : by(b) >= static_cast<std::uint64_t>(bits) ? 0 : a << by(b); });
    check({"shr.u" + width + " %d, %a, %b;", "b" + width, {"b" + width, "b32"}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return by(b) >= static_cast<std::uint64_t>(bits) ? 0 : low(a, bits) >> by(b); });
    check({"shr.s" + width + " %d, %a, %b;", "b" + width, {"b" + width, "b32"}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
            return static_cast<std::uint64_t>(sign(a, bits) >> std::min<std::uint64_t>(by(b), 63));
          });
    check({"shr.b" + width + " %d, %a, %b;", "b" + width, {"b" + width, "b32"}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return by(b) >= static_cast<std::uint64_t>(bits) ? 0 : low(a, bits) >> by(b); });
  }
  for (const std::string mode : {"wrap", "clamp"}) {
    const auto values = mixed({integer_edges(32), integer_edges(32), amounts}, 300);
    const auto by = [&](std::uint64_t c) { return mode == "wrap" ? low(c, 5) : std::min<std::uint64_t>(low(c, 32), 32); };
    check({"shf.l." + mode + ".b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            return by(c) == 0 ? b : by(c) == 32 ? a : low(b, 32) << by(c) | low(a, 32) >> (32 - by(c));
          });
    check({"shf.r." + mode + ".b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            return by(c) == 0 ? a : by(c) == 32 ? b : low(a, 32) >> by(c) | low(b, 32) << (32 - by(c));
          });
  }
}

/// As the ISA writes it down: bit by bit.
TEST(Bits_, FieldExtract) {
  const Bits small = {0, 1, 2, 5, 8, 15, 31, 32, 33, 63, 64, 65, 200, 255, 256, 300};
  for (const IntType& t : kTypes) {
    if (t.bits < 32) continue;
    check({"bfe." + t.name + " %d, %a, %b, %c;", t.reg(), {t.reg(), "b32", "b32"}, ""}, mixed({integer_edges(t.bits), small, small}, 300),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            const auto pos = static_cast<int>(b & 0xff);
            const auto len = static_cast<int>(c & 0xff);
            const int msb = t.bits - 1;
            const auto bit = [&](int k) { return a >> k & 1; };
            const std::uint64_t fill = !t.is_signed || len == 0 ? 0 : bit(std::min(pos + len - 1, msb));
            std::uint64_t d = 0;
            for (int i = 0; i <= msb; ++i) d |= (i < len && pos + i <= msb ? bit(pos + i) : fill) << i;
            return d;
          });
  }
}

TEST(Bits_, FieldInsert) {
  for (const int bits : {32, 64}) {
    const std::string t = "b" + std::to_string(bits);
    for (const int pos : {0, 3, 16, 31, 32, 63, 64, 255}) {
      for (const int len : {0, 1, 8, 31, 32, 64, 255}) {
        check({"bfi." + t + " %d, %a, %b, " + std::to_string(pos) + ", " + std::to_string(len) + ";", t, {t, t}, ""},
              mixed({integer_edges(bits), integer_edges(bits)}, 20), [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
                std::uint64_t d = b;
                for (int i = 0; i < len && pos + i < bits; ++i) {
                  d = (d & ~(1ULL << (pos + i))) | (a >> i & 1) << (pos + i);
                }
                return d;
              });
      }
    }
  }
}

TEST(Bits_, Permute) {
  const Bits selectors = {0x3210, 0x7654, 0x0123, 0x8888, 0xfedc, 0x9876, 0x0000, 0x5555};
  const auto pick = [](std::uint64_t a, std::uint64_t b, std::uint64_t s) {
    std::uint64_t d = 0;
    for (int k = 0; k < 4; ++k) {
      const std::uint64_t n = s >> (4 * k) & 15;
      std::uint64_t byte = ((n & 4) != 0 ? b : a) >> (8 * (n & 3)) & 0xff;
      if (n > 7) byte = byte > 127 ? 255 : 0;
      d |= byte << (8 * k);
    }
    return d;
  };
  check({"prmt.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ""}, mixed({integer_edges(32), integer_edges(32), selectors}, 500), pick);
  const std::pair<const char*, std::array<std::uint64_t, 4>> modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}}, {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}},
      {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}}, {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const auto& [name, table] : modes) {
    check({std::string("prmt.b32.") + name + " %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, ""},
          mixed({integer_edges(32), integer_edges(32), {0, 1, 2, 3, 4, 7}}, 100),
          [&, table = table](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return pick(a, b, table[c & 3]); });
  }
}

TEST(Bits_, Counting) {
  for (const int bits : {32, 64}) {
    const std::string t = "b" + std::to_string(bits);
    const auto values = mixed({integer_edges(bits)}, 300);
    check({"popc." + t + " %d, %a;", "b32", {t}, ""}, values, [bits](std::uint64_t a, std::uint64_t, std::uint64_t) {
      return static_cast<std::uint64_t>(std::popcount(low(a, bits)));
    });
    check({"clz." + t + " %d, %a;", "b32", {t}, ""}, values, [bits](std::uint64_t a, std::uint64_t, std::uint64_t) {
      return static_cast<std::uint64_t>(std::countl_zero(low(a, bits)) - (64 - bits));
    });
    check({"brev." + t + " %d, %a;", t, {t}, ""}, values, [bits](std::uint64_t a, std::uint64_t, std::uint64_t) {
      std::uint64_t r = 0;
      for (int k = 0; k < bits; ++k) r |= (a >> k & 1) << (bits - 1 - k);
      return r;
    });
    for (const bool is_signed : {false, true}) {
      const std::string name = (is_signed ? "s" : "u") + std::to_string(bits);
      const auto find = [=](std::uint64_t a) -> int {
        if (is_signed && sign(a, bits) < 0) a = ~a;
        for (int k = bits - 1; k >= 0; --k) {
          if ((a >> k & 1) != 0) return k;
        }
        return -1;
      };
      check({"bfind." + name + " %d, %a;", "b32", {t}, ""}, values,
            [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(find(a))); });
      check({"bfind.shiftamt." + name + " %d, %a;", "b32", {t}, ""}, values, [&](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return find(a) < 0 ? 0xffffffff : static_cast<std::uint64_t>(bits - 1 - find(a));
      });
    }
  }
}

TEST(Bits_, AnyFunctionOfThree) {
  for (const int table : {0x80, 0xfe, 0x96, 0xca, 0xe8, 0x00, 0xff, 0x1e}) {
    check({"lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", "b32", {"b32", "b32", "b32"}, ""}, triples(32),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            std::uint64_t d = 0;
            for (int k = 0; k < 32; ++k) {
              const auto index = (a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1);
              d |= (static_cast<std::uint64_t>(table) >> index & 1) << k;
            }
            return d;
          });
  }
}

}  // namespace
}  // namespace seam::sim::test
