/// Through which pointers a kernel stores.
#include <gtest/gtest.h>

#include "foreign/parts.h"
#include "foreign/pointers.h"

namespace seam::codegen::test {
namespace {

const std::string kText = R"(
.visible .entry other(.param .u64 other_param_0)
{
	ld.param.u64 	%rd1, [other_param_0];
	st.global.u32 	[%rd1], 1;
	ret;
}
.visible .entry f(
	.param .u64 .ptr .align 16 f_param_0, // st.global.u32 [%rd9], 0;
	.param .u64 f_param_1,
	.param .u64 f_param_2,
	.param .u64 f_param_3,
	.param .u64 f_param_4
)
.reqntid 32, 1, 1
{
	.reg .b64 	%rd<22>;
	ld.param.b64 	%rd5, [f_param_0];
	cvta.to.global.u64 	%rd6, %rd5;
	ld.param.b64 	%rd7, [f_param_1+0];
	ld.param.b64 	%rd8, [f_param_2];
	ld.param.b64 	%rd15, [f_param_4];
	/* st.global.u32 [%rd6], 0; */
$L__BB0_1:
	// begin inline asm
	mov.u32 %r1, 0x0; @%p1 ld.global.b32 { %r1 }, [ %rd6 + 0 ];
	// end inline asm
	add.s64 	%rd9, %rd11, %rd8;
	mov.b64 	%rd11, %rd7;
	ld.global.u64 	%rd12, [%rd6];
	@%p2 atom.global.add.u32 	%r3, [%rd15+4], %r1;
	{ @%p3 st.global.v2.b32 [ %rd9 + 8 ], { %r1, %r2 }; }
	@%p3 bra 	$L__BB0_1;
	st.shared.u32 	[%r4], %r1;
	ret;
}
)";

TEST(Pointers, StoresAndAtomics) {
  // 0 is only read; 1 reaches the store around the loop; 2 directly; 3 is not even loaded; 4 by an atomic.
  EXPECT_EQ(written_pointers(kText, "f").value(), (std::vector<bool>{false, true, true, false, true}));
  EXPECT_EQ(written_pointers(kText, "other").value(), (std::vector<bool>{true}));
  EXPECT_FALSE(written_pointers(kText, "g"));
  EXPECT_FALSE(written_pointers("", "f"));
  EXPECT_FALSE(written_pointers(".entry f(.param .u64 a)", "f"));
}

TEST(Pointers, InstructionsAreFoundWhole) {
  EXPECT_TRUE(has_instruction("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {", "mma", "tf32"));
  EXPECT_TRUE(has_instruction("\tadd.rn.f16 \t%rs1, %rs2, %rs3;", "add", "f16"));
  EXPECT_FALSE(has_instruction("add.rn.f16x2 %r1, %r2, %r3;", "add", "f16"));
  EXPECT_FALSE(has_instruction("cvt.f32.f16 %r1, %rs2;", "add", "f16"));
  EXPECT_FALSE(has_instruction("fadd.f16", "add", "f16"));
  EXPECT_FALSE(has_instruction("", "add", "f16"));
}

}  // namespace
}  // namespace seam::codegen::test
