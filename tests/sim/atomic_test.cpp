/// atom, red and cp.async by value.
#include "base/dtype.h"
#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

struct Atom {
  std::string op, type;  ///< "add", "u32"
  int bytes;
  bool swap = false;     ///< takes two operands
};

/// One thread at a time on one place, in global and in shared memory: all old values and the last new one.
std::vector<std::uint64_t> run_atom(const Atom& atom, std::uint64_t initial, const Bits& operands, const Bits& more, bool shared) {
  const std::string width = std::to_string(atom.bytes * 8);
  const std::string at = shared ? "[place]" : "[%m]";
  const std::string noftz = atom.type.find("f16") != std::string::npos ? ".noftz" : "";
  const std::string ptx = std::string(kHead) + ".visible .entry k(.param .u64 po, .param .u64 pa, .param .u64 pb, .param .u64 pm) {\n"
                          ".reg .u64 %o, %a, %b, %m, %off; .reg .u32 %t; .reg .b" + width + " %x, %y, %r; .reg .pred %p;\n.shared .align 8 .b8 place[8];\n"
                          "ld.param.u64 %o, [po]; ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %m, [pm]; mov.u32 %t, %tid.x; mul.wide.u32 %off, %t, 8;\n"
                          "add.u64 %o, %o, %off; add.u64 %a, %a, %off; add.u64 %b, %b, %off; ld.global.b" + width + " %x, [%a]; ld.global.b" + width + " %y, [%b];\n"
                          "setp.eq.u32 %p, %t, 0; @%p ld.global.b" + width + " %r, [%m]; @%p st.shared.b" + width + " [place], %r; bar.warp.sync -1;\n"
                          "atom" + (shared ? ".shared." : ".global.") + atom.op + noftz + "." + atom.type + " %r, " + at + ", %x" + (atom.swap ? ", %y" : "") + ";\n"
                          "st.global.b" + width + " [%o], %r; bar.sync 0; @!%p bra E; ld" + (shared ? ".shared.b" : ".global.b") + width + " %r, " + at + "; st.global.b" + width + " [%o+256], %r; E: ret;\n}\n";
  const auto module = load(ptx);
  if (!module) return {};
  Memory memory;
  const auto out = input(memory, "out", Bits(33), false);
  Launch launch;
  launch.kernel = "k";
  launch.block.x = 32;
  launch.parameters = Arguments(*module, "k").add(out).add(input(memory, "a", operands)).add(input(memory, "b", more)).add(input(memory, "m", Bits{initial}, false)).bytes();
  const auto outcome = sim::launch(*module, memory, launch);
  EXPECT_TRUE(outcome);
  if (!outcome) return {};
  EXPECT_TRUE(outcome->clean()) << text(*outcome);
  EXPECT_EQ(outcome->counters.atomics, 32U);
  return values<std::uint64_t>(memory, out);
}

void check_atom(const Atom& atom, const Bits& values, const std::function<std::uint64_t(std::uint64_t old, std::uint64_t b, std::uint64_t c, bool global)>& f) {
  SCOPED_TRACE(atom.op + "." + atom.type);
  const std::uint64_t mask = atom.bytes == 8 ? ~0ULL : (1ULL << (8 * atom.bytes)) - 1;
  std::mt19937_64 random(3);
  for (const bool shared : {false, true}) {
    Bits a(32);
    Bits b(32);
    for (auto& x : a) x = values[random() % values.size()] & mask;
    for (auto& x : b) x = values[random() % values.size()] & mask;
    std::uint64_t state = values[1] & mask;
    const auto result = run_atom(atom, state, a, b, shared);
    ASSERT_EQ(result.size(), 33U);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(result[i], state) << "lane " << i << (shared ? " shared" : " global");
      state = f(state, a[i], b[i], !shared) & mask;
    }
    EXPECT_EQ(result[32], state);
  }
}

TEST(Atomic, Integers) {
  for (const int bits : {32, 64}) {
    const std::string w = std::to_string(bits);
    const int bytes = bits / 8;
    const Bits values = integer_edges(bits);
    const auto s = [bits](std::uint64_t x) { return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits); };
    check_atom({"add", "u" + w, bytes}, values, [](auto o, auto b, auto, bool) { return o + b; });
    check_atom({"min", "u" + w, bytes}, values, [](auto o, auto b, auto, bool) { return std::min(o, b); });
    check_atom({"max", "u" + w, bytes}, values, [](auto o, auto b, auto, bool) { return std::max(o, b); });
    check_atom({"min", "s" + w, bytes}, values, [&](auto o, auto b, auto, bool) { return s(o) < s(b) ? o : b; });
    check_atom({"max", "s" + w, bytes}, values, [&](auto o, auto b, auto, bool) { return s(o) > s(b) ? o : b; });
    check_atom({"and", "b" + w, bytes}, values, [](auto o, auto b, auto, bool) { return o & b; });
    check_atom({"or", "b" + w, bytes}, values, [](auto o, auto b, auto, bool) { return o | b; });
    check_atom({"xor", "b" + w, bytes}, values, [](auto o, auto b, auto, bool) { return o ^ b; });
    check_atom({"exch", "b" + w, bytes}, values, [](auto, auto b, auto, bool) { return b; });
    check_atom({"cas", "b" + w, bytes, true}, {5, 5, 5, 6}, [](auto o, auto b, auto c, bool) { return o == b ? c : o; });
  }
  check_atom({"cas", "b16", 2, true}, {5, 5, 5, 6}, [](auto o, auto b, auto c, bool) { return o == b ? c : o; });
  const Bits small = {0, 1, 2, 3, 4, 5};
  check_atom({"inc", "u32", 4}, small, [](auto o, auto b, auto, bool) { return o >= b ? 0 : o + 1; });
  check_atom({"dec", "u32", 4}, small, [](auto o, auto b, auto, bool) { return o == 0 || o > b ? b : o - 1; });
}

TEST(Atomic, Floats) {
  const Bits singles = {bits(1.5F), bits(-0.25F), bits(3e8F), bits(1e-40F), bits(-1e-40F), bits(7.0F)};
  // Global memory flushes subnormals, shared memory does not.
  check_atom({"add", "f32", 4}, singles, [](auto o, auto b, auto, bool global) {
    return global ? bits(flushed(flushed(f32(o)) + flushed(f32(b)))) : bits(f32(o) + f32(b));
  });
  check_atom({"add", "f64", 8}, {bits(1.5), bits(-0.25), bits(1e-310), bits(3e8)}, [](auto o, auto b, auto, bool) { return bits(f64(o) + f64(b)); });
  const auto half = [](std::uint64_t x) { return f16_to_f32(static_cast<std::uint16_t>(x)); };
  const auto brain = [](std::uint64_t x) { return bf16_to_f32(static_cast<std::uint16_t>(x)); };
  check_atom({"add", "f16", 2}, {0x3c00, 0x4000, 0xb555, 0x0001}, [&](auto o, auto b, auto, bool) { return std::uint64_t{f32_to_f16(half(o) + half(b))}; });
  check_atom({"add", "bf16", 2}, {0x3f80, 0x4000, 0xbe55}, [&](auto o, auto b, auto, bool) { return std::uint64_t{f32_to_bf16(brain(o) + brain(b))}; });
  check_atom({"add", "f16x2", 4}, {0x3c004000, 0x40003c00, 0xb5550001}, [&](auto o, auto b, auto, bool) {
    return std::uint64_t{f32_to_f16(half(o) + half(b))} | std::uint64_t{f32_to_f16(half(o >> 16) + half(b >> 16))} << 16;
  });
}

TEST(Atomic, VectorsAndReductions) {
  const std::string ptx = std::string(kHead) + ".visible .entry k(.param .u64 po) {\n.reg .u64 %o; .reg .f32 %a, %b, %c, %d;\nld.param.u64 %o, [po]; mov.f32 %a, 0f3F800000; mov.f32 %b, 0f40000000;\n"
                          "red.global.add.v2.f32 [%o], {%a, %b}; atom.global.v4.f32.add {%c, %d, %c, %d}, [%o+16], {%a, %b, %a, %b}; red.global.add.f32 [%o+8], %b; ret; }\n";
  const auto module = load(ptx);
  ASSERT_TRUE(module);
  Memory memory;
  const auto out = input(memory, "out", std::vector<float>(8), false);
  Launch launch;
  launch.kernel = "k";
  launch.block.x = 32;
  launch.parameters = Arguments(*module, "k").add(out).bytes();
  const auto outcome = sim::launch(*module, memory, launch);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->clean()) << text(*outcome);
  EXPECT_EQ(values<float>(memory, out), (std::vector<float>{32, 64, 64, 0, 32, 64, 32, 64}));
}

TEST(AsyncCopy, FillsWithZerosWhatTheSourceDoesNotHave) {
  const std::string ptx = std::string(kHead) + ".visible .entry k(.param .u64 po, .param .u64 pi) {\n.reg .u64 %o, %i, %off; .reg .u32 %t, %s, %n, %x, %y, %z, %w; .reg .pred %p;\n.shared .align 16 .b8 tile[512];\n"
                          "ld.param.u64 %o, [po]; ld.param.u64 %i, [pi]; mov.u32 %t, %tid.x; mul.wide.u32 %off, %t, 16; add.u64 %i, %i, %off; add.u64 %o, %o, %off; mov.u32 %s, tile; shl.b32 %x, %t, 4; add.u32 %s, %s, %x;\n"
                          "min.u32 %n, %t, 16; setp.gt.u32 %p, %t, 20; @!%p bra A; cp.async.cg.shared.global [%s], [%i+0], 16, %p; bra B; A: cp.async.ca.shared.global.L2::128B [%s], [%i], 16, %n; B: cp.async.wait_all;\n"
                          "ld.shared.v4.u32 {%x, %y, %z, %w}, [%s]; st.global.v4.u32 [%o], {%x, %y, %z, %w}; ret; }\n";
  const auto module = load(ptx);
  ASSERT_TRUE(module);
  Memory memory;
  std::vector<std::uint8_t> in(512);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(1 + i % 251);
  const auto out = output<std::uint8_t>(memory, "out", 512);
  Launch launch;
  launch.kernel = "k";
  launch.block.x = 32;
  launch.parameters = Arguments(*module, "k").add(out).add(input(memory, "in", in)).bytes();
  const auto outcome = sim::launch(*module, memory, launch);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->clean()) << text(*outcome);
  const auto result = values<std::uint8_t>(memory, out);
  for (std::size_t i = 0; i < 512; ++i) {
    const std::size_t t = i / 16;
    const std::size_t wanted = t > 20 ? 0 : std::min<std::size_t>(t, 16);
    EXPECT_EQ(result[i], i % 16 < wanted ? in[i] : 0) << i;
  }
  EXPECT_EQ(outcome->counters.bytes_read, 120U + 5 * 16);
}

}  // namespace
}  // namespace seam::sim::test
