// What lower() refuses, it refuses in words; what the verifier must see, it sees.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support.h"

namespace seam::test {
namespace {

std::string complaint(std::string_view body, std::string_view buffers = "in p f32[64] op 0\nout q f32[64] op 1\nshared s f32[64] at 0\n", int threads = 64) {
  const std::string text = fmt::format("kernel k grid 2 threads {} shared 256 index s32\n{}body\n{}\nend\n", threads, buffers, body);
  const auto kernel = codegen::parse_kernel(text, "k.kernel");
  if (!kernel) return "does not parse: " + describe(kernel.error(), text);
  const auto sound = codegen::verify(*kernel);
  return sound ? "" : sound.error().message;
}

TEST(Verifier, AcceptsAKernel) {
  EXPECT_EQ(complaint("let v (load p:f32 thread)\nstore s thread v:f32\nbarrier\nlet w (load s:f32 (sub 63:s32 thread))\nstore q thread w:f32"), "");
}

struct Bad {
  std::string_view body, says;
};

TEST(Verifier, SeesBrokenKernels) {
  const Bad cases[] = {
      {"store q thread v:f32", "v is used before it is defined"},
      {"let v (load p:f32 thread)\nlet v (load p:f32 thread)", "v is defined twice"},
      {"if (lt thread 3:s32)\nlet v (load p:f32 thread)\nend\nstore q thread v:f32", "v is used before it is defined"},
      {"store q thread thread", "q holds f32, s32 is stored"},
      {"let v (load p:f16 thread)", "p holds f32, loaded as f16"},
      {"let v (load q:f32 thread)", "output q is read"},
      {"store p thread 0:f32", "input p is written"},
      {"let v (load x:f32 thread)", "no buffer named x"},
      {"let v (add:f32 1:f32 thread)", "add of s32 as f32"},
      {"let v (add thread 1:f32)", "index arithmetic (add) on s32 and f32"},
      {"let v (div thread 0:s32)", "index div by something that is no positive constant"},
      {"let v (mod (sub thread 5:s32) 4:s32)", "index mod of (sub thread 5:s32), which can be negative"},
      {"store q (add thread 64:s32) 0:f32", "store of q[64] is out of bounds: (add thread 64:s32)"},
      {"if (lt thread 3:s32)\nbarrier\nend", "a barrier where threads of a block may go different ways in if (lt thread 3:s32)"},
      {"for i thread 100:s32 step 64\nbarrier\nend", "a barrier where threads of a block may go different ways in loop i"},
      {"if (lt thread 3:s32)\nshuffle o 1 0:f32\nend", "a shuffle where threads of a warp may go different ways in if (lt thread 3:s32)"},
      {"shuffle o 32 0:f32", "does not parse"},
      {"var a 0:f32\nset a 1:s32", "a is f32, set to s32"},
      {"let a 0:f32\nset a 1:f32", "a is set, but it is no variable"},
      {"atomic add q thread 1:f32", "an atomic on q, which is not updated in place"},
      {"if thread\nend", "a condition of type s32"},
      {"last l s s 2 0:s32", "s is no counter"},
  };
  for (const Bad& bad : cases) {
    const std::string said = complaint(bad.body);
    EXPECT_NE(said.find(bad.says), std::string::npos) << bad.body << "\nsays: " << said;
  }
  EXPECT_NE(complaint("", "shared s f32[65] at 0\n").find("shared buffer s ends at byte 260 of 256"), std::string::npos);
  EXPECT_NE(complaint("", "shared s f32[4] at 2\n").find("misaligned"), std::string::npos);
  EXPECT_NE(complaint("", "in p f32[4] op 0\n", 48).find("48 threads a block"), std::string::npos);
}

TEST(Verifier, WarpUniformIsEnoughForShuffles) {
  EXPECT_EQ(complaint("if (lt (div thread 32:s32) 1:s32)\nshuffle o 1 0:f32\nend"), "");
  EXPECT_EQ(complaint("if (lt block 1:s32)\nbarrier\nend"), "");
}

TEST(Verifier, GuardsNarrowBounds) {
  EXPECT_EQ(complaint("let i (add thread 60:s32)\nif (lt i 64:s32)\nstore q i 0:f32\nend"), "");
  const auto kernel = codegen::parse_kernel(
      "kernel k grid 1 threads 64 shared 0 index s32\nout q f32[64] op 1\nbody\nlet i (add thread 60:s32)\nif (lt i 64:s32)\nstore q i 0:f32\nend\nstore q (mul thread 2:s32) 0:f32\nend\n", "k");
  ASSERT_TRUE(kernel);
  const auto sound = codegen::verify(*kernel);
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->accesses, 2);
  EXPECT_EQ(sound->proven, 1);
}

TEST(KernelText, PointsAtWhatIsWrong) {
  const auto at = [](std::string_view text) {
    const auto kernel = codegen::parse_kernel(text, "k.kernel");
    EXPECT_FALSE(kernel) << text;
    return kernel ? "" : describe(kernel.error());
  };
  constexpr std::string_view kHead = "kernel k grid 2 threads 64 shared 0 index s32\n";
  EXPECT_NE(at("").find("ends too early"), std::string::npos);
  EXPECT_NE(at("kernel k grid x").find("k.kernel:1:15"), std::string::npos);
  EXPECT_NE(at(std::string(kHead) + "body\n  let a (add 1:s32\nend\n").find("k.kernel:3"), std::string::npos);
  EXPECT_NE(at(std::string(kHead) + "body\n  frob a\nend\n").find("'frob' is no statement"), std::string::npos);
  EXPECT_NE(at(std::string(kHead) + "body\nend\nmore\n").find("goes on after"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "(add ";
  EXPECT_NE(at(std::string(kHead) + "body\n  let a " + deep + "\nend\n").find("too deeply"), std::string::npos);
}

TEST(Lower, RefusesInWords) {
  const auto refusal = [](const graph::Graph& g, const planner::FusionGroup& group) {
    const auto kernel = codegen::lower(g, g.entry_computation(), group);
    return kernel ? "" : kernel.error().message;
  };
  const graph::Graph sort = graph_of_ops("x = c64[4] parameter(0)\n ROOT r = c64[4] negate(x)");
  EXPECT_NE(refusal(sort, GroupOf(sort).output("r").group()).find("element type c64"), std::string::npos);
  const graph::Graph odd = graph_of_ops("x = f32[4] parameter(0)\n ROOT r = f32[4] negate(x)");
  EXPECT_NE(refusal(odd, GroupOf(odd).threads(48).output("r").group()).find("a multiple of 32"), std::string::npos);
  const graph::Graph layout = graph_of_ops("x = f32[4,3]{0,1} parameter(0)\n ROOT r = f32[4,3] negate(x)");
  EXPECT_NE(refusal(layout, GroupOf(layout).output("r").group()).find("not row-major"), std::string::npos);
}

}  // namespace
}  // namespace seam::test
