/// What the decoder does not implement exactly it refuses, with file and line; damaged text never crashes it.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "opcode.h"

namespace seam::sim::test {
namespace {

constexpr const char* kHead = ".version 8.4\n.target sm_90\n.address_size 64\n";

std::string with(const std::string& statement) {
  return std::string(kHead) + ".visible .entry k(.param .u64 p) {\n.reg .pred %p, %q;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
         ".reg .f32 %f<8>;\n.reg .f64 %fd<4>;\n" + statement + "\nret;\n}\n";
}
constexpr int kLine = 11;

struct Refused {
  const char* statement;
  Error::Code code = Error::Code::Unsupported;
};

TEST(Refusal, UnknownFormsNameFileAndLine) {
  const Refused all[] = {
      // Not implemented.
      {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0,%fd1}, {%fd2}, {%fd3}, {%fd0,%fd1};"},
      {"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7};"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7};"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7};"},
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f4,%f5,%f6,%f7};"},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r4,%r5}, {%f4,%f5,%f6,%f7}, %r0, 0;"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r4,%r5}, {%f4,%f5,%f6,%f7};", Error::Code::BadInput},
      {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0,%r1}, [%r2];"},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1}, [%r2];", Error::Code::BadInput},
      {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%h0};", Error::Code::BadInput},
      {"wgmma.fence.sync.aligned;"},
      {"cp.async.bulk.commit_group;"},
      {"cp.async.mbarrier.arrive.b64 [%rd0];"},
      {"mbarrier.init.shared.b64 [%r0], 1;"},
      {"bar.sync 0, 64;"},
      {"bar.arrive 0, 64;"},
      {"bar.sync %r0;"},
      {"tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f4,%f5}];"},
      {"vadd.s32.s32.s32 %r0, %r1, %r2;"},
      {"shfl.up.b32 %r0, %r1, 1, 0;"},
      {"mov.u32 %r0, %clock;"},
      {"mov.u32 %r0, %smid;"},
      {"mov.u64 %rd0, %globaltimer;"},
      {"call (%r0), %rd0, (%r1), proto;"},
      {"atom.global.add.v2.f64 {%fd0, %fd1}, [%rd0], {%fd0, %fd1};"},
      {"atom.cluster.global.add.f16 %h0, [%rd0], %h1;"},
      {"redux.sync.add.f32 %f0, %f1, -1;"},
      // Known opcodes with modifiers that nobody implements: none may be ignored.
      {"add.rn.relu.f32 %f0, %f1, %f2;"},
      {"add.sat.f64 %fd0, %fd1, %fd2;"},
      {"add.ftz.f64 %fd0, %fd1, %fd2;"},
      {"add.ftz.s32 %r0, %r1, %r2;"},
      {"add.sat.u32 %r0, %r1, %r2;"},
      {"sub.rn.s32 %r0, %r1, %r2;"},
      {"mul.s32 %r0, %r1, %r2;"},
      {"mul.wide.u64 %rd0, %rd1, %rd2;"},
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;"},
      {"mad.f32 %f0, %f1, %f2, %f3;"},
      {"fma.f32 %f0, %f1, %f2, %f3;"},
      {"fma.rna.f32 %f0, %f1, %f2, %f3;"},
      {"div.f32 %f0, %f1, %f2;"},
      {"div.approx.f64 %fd0, %fd1, %fd2;"},
      {"div.full.rn.f32 %f0, %f1, %f2;"},
      {"sqrt.f32 %f0, %f1;"},
      {"ex2.approx.f64 %fd0, %fd1;"},
      {"sin.f32 %f0, %f1;"},
      {"rcp.approx.f64 %fd0, %fd1;"},
      {"min.relu.s32 %r0, %r1, %r2;"},
      {"max.NaN.f64 %fd0, %fd1, %fd2;"},
      {"fma.rz.f16 %h0, %h1, %h2, %h3;"},
      {"fma.rn.sat.bf16 %h0, %h1, %h2, %h3;"},
      {"add.rn.ftz.bf16 %h0, %h1, %h2;"},
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;"},
      {"cvt.rz.f16x2.f32 %r0, %f0, %f1;"},
      {"cvt.rn.tf32.f32 %r0, %f0;"},
      {"cvt.rn.sat.bf16.f32 %h0, %f0;"},
      {"ld.global.nc.L1::evict_odd.b32 %r0, [%rd0];"},
      {"ld.relaxed.global.b32 %r0, [%rd0];"},
      {"ld.shared::cluster.b32 %r0, [%rd0];"},
      {"st.async.shared.b32 [%rd0], %r0;"},
      {"prmt.b32.f5e %r0, %r1, %r2, %r3;"},
      {"shf.l.b32 %r0, %r1, %r2, %r3;"},
      {"setp.eq.ftz.u32 %p, %r0, %r1;"},
      {"bfe.u16 %h0, %h1, %r0, %r1;"},
      {"membar.proxy.alias;"},
      {"fence.proxy.async;"},
      {"isspacep.const %p, %rd0;"},
      {"griddepcontrol.start;"},
      {"unheard.of %r0;"},
      // Plainly wrong.
      {"add.s32 %r0, %r1;", Error::Code::BadInput},
      {"add.s32 %r0, %r1, %r2, %r3;", Error::Code::BadInput},
      {"add.s32 %r0, %rd1, %r2;", Error::Code::BadInput},
      {"add.s64 %rd0, %r1, %rd2;", Error::Code::BadInput},
      {"add.f32 %f0, %f1, 1;", Error::Code::BadInput},
      {"add.s32 %p, %r1, %r2;", Error::Code::BadInput},
      {"add.s32 5, %r1, %r2;", Error::Code::BadInput},
      {"and.pred %p, %q, %r0;", Error::Code::BadInput},
      {"mov.u32 %r0, %nobody;"},
      {"bra NOWHERE;", Error::Code::BadInput},
      {"@%r0 bra NOWHERE;", Error::Code::BadInput},
      {"ld.global.u32 %r0, %rd0;", Error::Code::BadInput},
      {"ld.global.v2.u32 %r0, [%rd0];", Error::Code::BadInput},
      {"ld.global.v4.u32 {%r0, %r1}, [%rd0];", Error::Code::BadInput},
      {"ld.global.u64 %r0, [%rd0];", Error::Code::BadInput},
      {"ld.global.u32 %r0, [nobody];", Error::Code::BadInput},
      {"ld.global.u32 %r0, [p];"},
      {"setp.lt.b32 %p, %r0, %r1;", Error::Code::BadInput},
      {"setp.num.s32 %p, %r0, %r1;", Error::Code::BadInput},
      {"cvt.s32.f32 %r0, %f0;", Error::Code::BadInput},
      {"cvt.f32.s32 %f0, %r0;", Error::Code::BadInput},
      {"cvt.f32.f64 %f0, %fd0;", Error::Code::BadInput},
      {"cvt.rn.f64.f32 %fd0, %f0;", Error::Code::BadInput},
      {"cvt.rni.u32.s32 %r0, %r1;", Error::Code::BadInput},
      {"cp.async.cg.shared.global [%r0], [%rd0], 8;", Error::Code::BadInput},
      {"bar.sync 16;", Error::Code::BadInput},
      {"lop3.b32 %r0, %r1, %r2, %r3, 300;", Error::Code::BadInput},
  };
  for (const Refused& one : all) {
    const auto module = load_ptx(with(one.statement), "some/where.ptx");
    ASSERT_FALSE(module) << one.statement;
    EXPECT_EQ(module.error().code, one.code) << one.statement << "\n" << describe(module.error());
    ASSERT_TRUE(module.error().at) << one.statement;
    EXPECT_EQ(module.error().at->file, "some/where.ptx");
    EXPECT_EQ(module.error().at->line, kLine) << one.statement;
    const std::string opcode = std::string(one.statement).substr(0, std::string(one.statement).find(' '));
    EXPECT_NE(module.error().message.find(opcode[0] == '@' ? "bra" : opcode.substr(0, opcode.find(';'))), std::string::npos) << describe(module.error());
  }
}

TEST(Refusal, BrokenTextsAreBadInput) {
  const std::pair<const char*, int> texts[] = {
      {"", 1}, {"hello", 1}, {".version 8.4\n/* never closed", 2}, {".version 8.4\n.entry k(", 2}, {".version 8.4\n.entry k() {\n  add.s32 %r0", 3},
      {".version 8.4\n.entry k() {\n  .reg .b32 %r<99999999999>;\n}", 3}, {".version 8.4\n.address_size 32\n", 2}, {".version 8.4\n.entry k() {\n mov.u32 %r0, 0x;\n}", 3},
      {".version 8.4\n.entry k(\n.param .align 8 .b8 p[4294967304]\n) {\n ret;\n}", 3}, {".version 8.4\n.global .align 3 .b8 x[4];", 2}, {".version 8.4\n.global .u32 x[2] = {1, 2, 3};", 2}, {".version 8.4\n\x01", 2}};
  for (const auto& [text, line] : texts) {
    const auto module = load_ptx(text, "x.ptx");
    ASSERT_FALSE(module) << text;
    ASSERT_TRUE(module.error().at) << text;
    EXPECT_EQ(module.error().at->line, line) << text << "\n" << describe(module.error());
  }
}

TEST(Refusal, OneKernelOfAFileCanBeLoadedAlone) {
  const std::string text = std::string(kHead) + ".entry good() { ret; }\n.entry bad() { unheard.of; ret; }\n";
  EXPECT_FALSE(load_ptx(text, "x.ptx"));
  ASSERT_TRUE(load_ptx(text, "x.ptx", "good"));
  EXPECT_FALSE(load_ptx(text, "x.ptx", "bad"));
}

TEST(Refusal, CallsThatGrowWithoutEnd) {
  // Each function calls the next one twice; and one that calls itself.
  std::string text = kHead;
  text += ".func f0() { ret; }\n";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "f" + std::to_string(i - 1);
    text += ".func f" + std::to_string(i) + "() { call " + below + "; call " + below + "; ret; }\n";
  }
  EXPECT_EQ(load_ptx(text + ".entry k() { call f39; ret; }\n", "x.ptx").error().code, Error::Code::Unsupported);
  EXPECT_EQ(load_ptx(std::string(kHead) + ".func f() { call f; ret; }\n.entry k() { call f; ret; }\n", "x.ptx").error().code, Error::Code::Unsupported);
  EXPECT_FALSE(load_ptx(std::string(kHead) + ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.entry k() { call vprintf; ret; }\n", "x.ptx"));
}

/// A PTX text that uses much of the grammar, from the planted bugs if there is a compiler, else from here.
std::string sample() {
  if (nvrtc().available()) {
    std::ifstream in(std::string(SEAM_TEST_DIR) + "/kernels/kernels.cuh");
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (std::string ptx = nvrtc().ptx(text, "kernels.cu", 90, {"--generate-line-info"}); !ptx.empty()) return ptx;
  }
  return with("mad.lo.s32 %r0, %r1, %r2, 0x10;\n.loc 1 2 3\nL: @%p bra L;\n{ .reg .pred %p; setp.eq.f32 %p|%q, %f0, 0f3F800000; }");
}

/// Runs what still loads, shortly: it may report anything, but not crash.
void try_to_run(const std::string& text) {
  const auto module = load_ptx(text, "damaged.ptx");
  if (!module) {
    EXPECT_TRUE(module.error().at);
    return;
  }
  for (const KernelInfo& kernel : kernels(**module)) {
    Memory memory;
    const auto buffer = input(memory, "x", std::vector<float>(4096), false);
    Launch launch;
    launch.kernel = kernel.name;
    launch.block.x = 64;
    launch.dynamic_shared = 4096;
    std::int64_t bytes = 0;
    for (const auto& p : kernel.parameters) bytes = std::max<std::int64_t>(bytes, p.offset + p.size);
    if (bytes > 4096) continue;
    launch.parameters.resize(static_cast<std::size_t>(bytes));
    for (const auto& p : kernel.parameters) {
      const std::uint64_t value = p.size == 8 ? buffer : 512;
      if (p.size <= 8) std::memcpy(launch.parameters.data() + p.offset, &value, static_cast<std::size_t>(p.size));
    }
    Checks checks;
    checks.max_instructions = 20000;
    (void)sim::launch(**module, memory, launch, checks);
  }
}

TEST(Damage, MutatedTextsAreRefusedOrRunButNeverCrash) {
  const std::string whole = sample();
  // One kernel at a time keeps each attempt short.
  std::vector<std::string> texts;
  const std::string head = whole.substr(0, whole.find(".visible"));
  for (std::size_t at = whole.find(".visible .entry"); at != std::string::npos;) {
    const std::size_t next = whole.find(".visible .entry", at + 1);
    texts.push_back(head + whole.substr(at, next == std::string::npos ? next : next - at));
    at = next;
  }
  std::mt19937 random(11);
  const std::string_view words[] = {";", "{", "}", ",", ".f64", "%r1", "%p1", "0", "-1", "ret;", ".v4", "[", "]", "@", ".reg .b32 %r<2>;", "0x7fffffff", "bar.sync 0;", "\n", "\"", ":", "_"};
  for (int round = 0; round < 1500; ++round) {
    std::string text = texts[random() % texts.size()];
    for (auto k = random() % 3 + 1; k > 0; --k) {
      const std::size_t at = random() % text.size();
      switch (random() % 5) {
        case 0: text.erase(at, random() % 8 + 1); break;
        case 1: text.insert(at, words[random() % std::size(words)]); break;
        case 2: text[at] = static_cast<char>(random()); break;
        case 3: text.resize(at + 1); break;
        default: {  // two lines change places
          const std::size_t a = text.find('\n', at);
          const std::size_t b = a == std::string::npos ? a : text.find('\n', a + 1);
          if (b != std::string::npos) std::rotate(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(a), text.begin() + static_cast<std::ptrdiff_t>(b));
        }
      }
      if (text.empty()) break;
    }
    try_to_run(text);
  }
}

}  // namespace
}  // namespace seam::sim::test
