/// setp, set, selp, slct, and the logic of predicates.
#include "base/dtype.h"
#include "opcode.h"

namespace seam::sim::test {
namespace {

const char* kRelations[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

bool holds(const std::string& relation, double a, double b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  if (relation == "num") return !nan;
  if (relation == "nan") return nan;
  if (relation.size() == 3) return nan || holds(relation.substr(0, 2), a, b);
  if (nan) return false;
  if (relation == "eq") return a == b;
  if (relation == "ne") return a != b;
  if (relation == "lt") return a < b;
  if (relation == "le") return a <= b;
  if (relation == "gt") return a > b;
  return a >= b;
}
template <class T>
bool ordered(const std::string& relation, T a, T b) {
  if (relation == "eq") return a == b;
  if (relation == "ne") return a != b;
  if (relation == "lt" || relation == "lo") return a < b;
  if (relation == "le" || relation == "ls") return a <= b;
  if (relation == "gt" || relation == "hi") return a > b;
  return a >= b;
}

TEST(Compare, Floats) {
  for (const std::string relation : kRelations) {
    const auto p = [&](double a, double b) { return std::uint64_t{holds(relation, a, b)}; };
    check({"setp." + relation + ".f32 %d, %a, %b;", "pred", {"f32", "f32"}, ""}, mixed({edges32(), edges32()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return p(f32(a), f32(b)); });
    check({"setp." + relation + ".ftz.f32 %d, %a, %b;", "pred", {"f32", "f32"}, ""}, mixed({edges32(), edges32()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return p(flushed(f32(a)), flushed(f32(b))); });
    check({"setp." + relation + ".f64 %d, %a, %b;", "pred", {"f64", "f64"}, ""}, mixed({edges64(), edges64()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return p(f64(a), f64(b)); });
    check({"setp." + relation + ".f16 %d, %a, %b;", "pred", {"b16", "b16"}, ""}, mixed({edges16(), edges16()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return p(f16_to_f32(static_cast<std::uint16_t>(a)), f16_to_f32(static_cast<std::uint16_t>(b))); });
    check({"setp." + relation + ".bf16 %d, %a, %b;", "pred", {"b16", "b16"}, ""}, mixed({edges16(), edges16()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return p(bf16_to_f32(static_cast<std::uint16_t>(a)), bf16_to_f32(static_cast<std::uint16_t>(b))); });
    check({"set." + relation + ".u32.f32 %d, %a, %b;", "b32", {"f32", "f32"}, ""}, mixed({edges32(), edges32()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return p(f32(a), f32(b)) != 0 ? 0xffffffff : 0; });
    check({"set." + relation + ".f32.f32 %d, %a, %b;", "b32", {"f32", "f32"}, ""}, mixed({edges32(), edges32()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return p(f32(a), f32(b)) != 0 ? 0x3f800000 : 0; });
    const auto halves = [&](std::uint64_t a, std::uint64_t b, std::uint64_t one) {
      std::uint64_t r = 0;
      for (int k = 0; k < 32; k += 16) {
        if (p(f16_to_f32(static_cast<std::uint16_t>(a >> k)), f16_to_f32(static_cast<std::uint16_t>(b >> k))) != 0) r |= one << k;
      }
      return r;
    };
    check({"set." + relation + ".f16x2.f16x2 %d, %a, %b;", "b32", {"b32", "b32"}, ""}, mixed({edges32(), edges32()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return halves(a, b, 0x3c00); });
    check({"set." + relation + ".u32.f16x2 %d, %a, %b;", "b32", {"b32", "b32"}, ""}, mixed({edges32(), edges32()}, 100),
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return halves(a, b, 0xffff); });
  }
}

TEST(Compare, Integers) {
  for (const int bits : {16, 32, 64}) {
    const std::string width = std::to_string(bits);
    const std::string reg = "b" + width;
    const auto values = mixed({integer_edges(bits), integer_edges(bits)}, 100);
    const auto u = [bits](std::uint64_t x) { return bits == 64 ? x : x & ((1ULL << bits) - 1); };
    const auto s = [bits](std::uint64_t x) { return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits); };
    for (const std::string relation : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      check({"setp." + relation + ".s" + width + " %d, %a, %b;", "pred", {reg, reg}, ""}, values,
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return std::uint64_t{ordered(relation, s(a), s(b))}; });
      check({"setp." + relation + ".u" + width + " %d, %a, %b;", "pred", {reg, reg}, ""}, values,
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return std::uint64_t{ordered(relation, u(a), u(b))}; });
    }
    for (const std::string relation : {"lo", "ls", "hi", "hs"}) {
      check({"setp." + relation + ".u" + width + " %d, %a, %b;", "pred", {reg, reg}, ""}, values,
            [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return std::uint64_t{ordered(relation, u(a), u(b))}; });
    }
    check({"setp.ne.b" + width + " %d, %a, %b;", "pred", {reg, reg}, ""}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return std::uint64_t{u(a) != u(b)}; });
  }
}

TEST(Compare, CombinesWithAPredicate) {
  const auto values = mixed({integer_edges(32), integer_edges(32), {0, 1}}, 200);
  const std::pair<const char*, std::function<bool(bool, bool)>> ops[] = {
      {"and", [](bool x, bool y) { return x && y; }}, {"or", [](bool x, bool y) { return x || y; }}, {"xor", [](bool x, bool y) { return x != y; }}};
  for (const auto& [name, f] : ops) {
    for (const bool negated : {false, true}) {
      const auto c = [&](std::uint64_t x) { return ((x & 0xffffffff) != 0) != negated; };
      const std::string q = std::string(negated ? "!" : "") + "%q";
      check({"setp.ne.u32 %q, %c, 0; setp.lt." + std::string(name) + ".s32 %d, %a, %b, " + q + ";", "pred", {"b32", "b32", "b32"}, ".reg .pred %q;"}, values,
            [&, f = f](std::uint64_t a, std::uint64_t b, std::uint64_t x) {
              return std::uint64_t{f(static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b), c(x))};
            });
      // The second destination combines the opposite comparison.
      check({"setp.ne.u32 %q, %c, 0; setp.lt." + std::string(name) + ".s32 %p|%d, %a, %b, " + q + ";", "pred", {"b32", "b32", "b32"}, ".reg .pred %q, %p;"}, values,
            [&, f = f](std::uint64_t a, std::uint64_t b, std::uint64_t x) {
              return std::uint64_t{f(!(static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b)), c(x))};
            });
    }
  }
}

TEST(Compare, Selection) {
  for (const int bits : {16, 32, 64}) {
    const std::string t = "b" + std::to_string(bits);
    const auto values = mixed({integer_edges(bits), integer_edges(bits), {0, 1}}, 100);
    check({"setp.ne.u32 %q, %c, 0; selp." + t + " %d, %a, %b, %q;", t, {t, t, "b32"}, ".reg .pred %q;"}, values,
          [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return (c & 0xffffffff) != 0 ? a : b; });
    check({"slct." + t + ".s32 %d, %a, %b, %c;", t, {t, t, "b32"}, ""}, mixed({integer_edges(bits), integer_edges(bits), integer_edges(32)}, 100),
          [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return static_cast<std::int32_t>(c) >= 0 ? a : b; });
    check({"slct." + t + ".f32 %d, %a, %b, %c;", t, {t, t, "f32"}, ""}, mixed({integer_edges(bits), integer_edges(bits), edges32()}, 100),
          [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return f32(c) >= 0 ? a : b; });
  }
}

TEST(Compare, LogicOfPredicates) {
  const auto values = mixed({{0, 1}, {0, 1}}, 60);
  const std::string more = ".reg .pred %p, %q;";
  const auto run2 = [&](const std::string& op, const std::function<bool(bool, bool)>& f) {
    check({"setp.ne.u32 %p, %a, 0; setp.ne.u32 %q, %b, 0; " + op, "pred", {"b32", "b32"}, more}, values,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t) { return std::uint64_t{f((a & 0xffffffff) != 0, (b & 0xffffffff) != 0)}; });
  };
  run2("and.pred %d, %p, %q;", [](bool a, bool b) { return a && b; });
  run2("or.pred %d, %p, !%q;", [](bool a, bool b) { return a || !b; });
  run2("xor.pred %d, !%p, %q;", [](bool a, bool b) { return !a != b; });
  run2("not.pred %d, %p;", [](bool a, bool) { return !a; });
  run2("mov.pred %d, %q;", [](bool, bool b) { return b; });
}

}  // namespace
}  // namespace seam::sim::test
