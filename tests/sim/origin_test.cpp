/// What PTX of other compilers is dressed in: directives, hints, asserts, policies. Each is understood, or ignored where ignoring it is right.
#include <algorithm>

#include "opcode.h"

namespace seam::sim::test {
namespace {

/// As Triton writes it: an assert on the index, cache policies, a depot, launch bounds.
std::string kernel(const std::string& limit) {
  return R"(.version 9.4
.target sm_90a
.address_size 64
.extern .func __assertfail
(
	.param .b64 __assertfail_param_0,
	.param .b64 __assertfail_param_1,
	.param .b32 __assertfail_param_2,
	.param .b64 __assertfail_param_3,
	.param .b64 __assertfail_param_4
)
.noreturn;
.extern .shared .align 16 .b8 global_smem[];
.global .align 1 .b8 assertFunc_0[8] = {117, 110, 107, 110, 111, 119, 110, 0};
.global .align 1 .b8 assertMessage_0[7] = {98, 111, 117, 110, 100, 115, 0};
.visible .entry k(.param .u64 .ptr .global .align 16 pd, .param .u64 .ptr .global .align 16 po)
.maxntid 64, 1, 1
.minnctapersm 2
.reqntid 64
{
	.local .align 8 .b8 __local_depot0[8];
	.reg .b64 %SP, %SPL, %rd<12>;
	.reg .b32 %r<12>;
	.reg .f32 %f<4>;
	.reg .pred %p<4>;
	mov.u64 %SPL, __local_depot0;
	cvta.local.u64 %SP, %SPL;
	griddepcontrol.wait;
	ld.param.b64 %rd1, [pd];
	ld.param.b64 %rd2, [po];
	mov.u32 %r1, %tid.x;
	st.local.b32 [%SPL], %r1;
	setp.lt.u32 %p1, %r1, )" + limit + R"(;
	@%p1 bra $L_good;
	mov.b64 %rd3, assertMessage_0;
	cvta.global.u64 %rd4, %rd3;
	mov.b64 %rd5, assertFunc_0;
	cvta.global.u64 %rd6, %rd5;
	{
	.param .b64 param0;
	st.param.b64 [param0], %rd4;
	.param .b64 param1;
	st.param.b64 [param1], %rd6;
	.param .b32 param2;
	st.param.b32 [param2], 40;
	.param .b64 param3;
	st.param.b64 [param3], %rd6;
	.param .b64 param4;
	st.param.b64 [param4], 1;
	call.uni __assertfail, (param0, param1, param2, param3, param4);
	}
	trap;
$L_good:
	mov.b32 %r2, 0x0;
	createpolicy.fractional.L2::evict_first.b64 %rd7, 1.0;
	ld.local.b32 %r6, [%SPL];
	mul.wide.u32 %rd8, %r6, 4;
	add.s64 %rd9, %rd1, %rd8;
	ld.global.L1::evict_first.L2::cache_hint.b32 { %r2 }, [ %rd9 + 0 ], %rd7;
	mov.b32 %r3, global_smem;
	shl.b32 %r4, %r1, 2;
	add.s32 %r3, %r3, %r4;
	st.shared::cta.b32 [%r3], %r2;
	bar.sync 0;
	ld.shared::cta.b32 %r5, [%r3];
	fence.acq_rel.gpu;
	add.s64 %rd10, %rd2, %rd8;
	atom.relaxed.gpu.global.add.u32 %r7, [%rd10], %r5;
	griddepcontrol.launch_dependents;
	ret;
}
)";
}

TEST(Origin, TheDressOfTritonKernels) {
  for (const char* limit : {"64", "40"}) {
    const std::string ptx = kernel(limit);
    const auto module = load(ptx);
    ASSERT_TRUE(module);
    const KernelInfo info = kernels(*module).front();
    EXPECT_TRUE(info.dynamic_shared);
    EXPECT_EQ(info.required_threads[0], 64);
    EXPECT_EQ(info.max_threads, 64);
    Memory memory;
    std::vector<std::uint32_t> numbers(64);
    for (std::uint32_t i = 0; i < 64; ++i) numbers[i] = i * i;
    const auto out = input(memory, "out", std::vector<std::uint32_t>(64, 5), false);
    Launch launch;
    launch.kernel = "k";
    launch.block.x = 64;
    launch.dynamic_shared = 256;
    launch.parameters = Arguments(*module, "k").add(input(memory, "in", numbers)).add(out).bytes();
    const auto outcome = sim::launch(*module, memory, launch);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    if (limit == std::string("40")) {
      ASSERT_FALSE(outcome->clean()) << "the assert was executed";
      EXPECT_EQ(outcome->reports[0].kind, "trap");
      EXPECT_NE(outcome->reports[0].message.find("an assertion failed: bounds"), std::string::npos) << outcome->reports[0].message;
      EXPECT_GT(outcome->reports[0].ptx_line, 40);
      continue;
    }
    EXPECT_TRUE(outcome->clean()) << text(*outcome);
    const auto values_out = values<std::uint32_t>(memory, out);
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(values_out[i], 5 + i * i);
  }
}

TEST(Origin, DynamicSharedMemoryThatTheLaunchForgot) {
  const auto module = load(kernel("64"));
  ASSERT_TRUE(module);
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.block.x = 64;
  launch.parameters = Arguments(*module, "k").add(input(memory, "in", std::vector<std::uint32_t>(64))).add(output<std::uint32_t>(memory, "out", 64)).bytes();
  const auto outcome = sim::launch(*module, memory, launch);
  ASSERT_TRUE(outcome && !outcome->clean());
  EXPECT_EQ(outcome->reports[0].kind, "out-of-bounds");
  EXPECT_NE(outcome->reports[0].message.find("dynamic shared memory (0 bytes: the launch gives it none)"), std::string::npos) << outcome->reports[0].message;
}

}  // namespace
}  // namespace seam::sim::test
