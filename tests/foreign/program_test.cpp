/// Programs put together by hand: what does not fit is refused, layouts are followed, updates in place do not reach who still reads.
#include <gtest/gtest.h>

#include <cstring>

#include "support.h"

namespace seam::codegen::test {
namespace {

const std::string kHead = "id\tdepth\tkind\tinstruction\tkernel\tgrid\tblock\tshared\n";

/// A kernel that adds 1 to four floats, from its first pointer to its second; with `in_place` it only looks at the first.
std::string plus_one(const std::string& name, bool in_place) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry " + name +
         "(.param .u64 a, .param .u64 b)\n{\n.reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .b32 %r<4>;\n" +
         "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [" + (in_place ? "a" : "b") +
         "];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n" +
         "add.s64 %rd5, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\nadd.rn.f32 %f2, %f1, 0f3F800000;\nst.global.f32 [%rd5], %f2;\nret;\n}\n";
}

std::string fusion(const std::string& name, const std::string& operand, const std::string& layout = "{0}", const std::string& dims = "4") {
  return "  " + name + " = f32[" + dims + "]" + layout + " fusion(" + operand + "), kind=kLoop, calls=plus\n";
}

std::string module_text(const std::string& body) {
  return "HloModule m, is_scheduled=true\n\nplus {\n  p = f32[4]{0} parameter(0)\n  one = f32[] constant(1)\n  ones = f32[4]{0} broadcast(one), "
         "dimensions={}\n  ROOT s = f32[4]{0} add(p, ones)\n}\n\n" +
         std::string("ENTRY e {\n  x = f32[4]{0} parameter(0)\n") + body + "}\n";
}

Result<ForeignProgram> put_together(const std::string& module, const std::string& rows, const std::vector<PtxText>& ptx) {
  SEAM_TRY(graph::Graph graph, graph::read_graph(module, "m.hlo"));
  SEAM_TRY(std::vector<ForeignLaunch> launches, read_launches(kHead + rows, "l.tsv"));
  return foreign_program(std::move(graph), std::move(launches), ptx);
}

std::string row(const std::string& instruction, const std::string& kernel) {
  return "1\t0\tkCustomKernel\t" + instruction + "\t" + kernel + "\t1,1,1\t4,1,1\t0\n";
}

Array floats(std::vector<float> values, std::vector<std::int64_t> dims) {
  Array array = make_array(DType::F32, std::move(dims));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

std::vector<float> values(const Array& array) {
  std::vector<float> out(array.data.size() / sizeof(float));
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}

TEST(Program, RunsAndIsChecked) {
  const auto program = put_together(module_text(fusion("a", "x") + fusion("ROOT b", "a")), row("a", "k") + row("b", "in_place"),
                                    {{"k.ptx", plus_one("k", false)}, {"i.ptx", plus_one("in_place", true)}});
  ASSERT_TRUE(program) << describe(program.error());
  EXPECT_EQ(program->launches.at("a").shared, (std::vector<std::optional<std::size_t>>{std::nullopt}));
  EXPECT_EQ(program->launches.at("b").shared, (std::vector<std::optional<std::size_t>>{0}));
  for (const ForeignCheck& check : check_kernels(*program)) EXPECT_EQ(check.outcome, Outcome::Passed) << check.kernel << check.reason;
  const ForeignRun ran = need(run(*program, std::vector<Array>{floats({1, 2, 3, 4}, {4})}));
  ASSERT_TRUE(ran.reports.empty()) << ran.reports.front();
  EXPECT_EQ(values(ran.outputs.at(0)), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(ran.rescued, 0U);
  EXPECT_EQ(ran.bytes_read, 32U);
  EXPECT_EQ(ran.bytes_written, 32U);
}

// The kernel overwrites the input, which its caller keeps, and `a`, which is read afterwards: both get copies.
TEST(Program, AnUpdateInPlaceDoesNotReachWhoStillReads) {
  const auto program = put_together(
      module_text(fusion("a", "x") + fusion("b", "a") + fusion("c", "a") + "  ROOT t = (f32[4]{0}, f32[4]{0}, f32[4]{0}) tuple(b, c, x)\n"),
      row("a", "in_place") + row("b", "in_place") + row("c", "in_place"), {{"i.ptx", plus_one("in_place", true)}});
  ASSERT_TRUE(program) << describe(program.error());
  const ForeignRun ran = need(run(*program, std::vector<Array>{floats({1, 2, 3, 4}, {4})}));
  ASSERT_TRUE(ran.reports.empty()) << ran.reports.front();
  EXPECT_EQ(ran.rescued, 2U);
  EXPECT_EQ(values(ran.outputs.at(0)), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(values(ran.outputs.at(1)), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(values(ran.outputs.at(2)), (std::vector<float>{1, 2, 3, 4}));
}

// Column-major in memory: the kernel sees 1 3 2 4, and the bitcast reads memory, not rows.
TEST(Program, LayoutsSayHowValuesLie) {
  const std::string text =
      "HloModule m, is_scheduled=true\n\nplus {\n  p = f32[2,2]{0,1} parameter(0)\n  one = f32[] constant(1)\n  ones = f32[2,2]{0,1} broadcast(one), "
      "dimensions={}\n"
      "  ROOT s = f32[2,2]{0,1} add(p, ones)\n}\n\nENTRY e {\n  x = f32[2,2]{0,1} parameter(0)\n  a = f32[2,2]{0,1} fusion(x), kind=kLoop, "
      "calls=plus\n  b = f32[4]{0} bitcast(a)\n"
      "  ROOT t = (f32[2,2]{0,1}, f32[4]{0}) tuple(a, b)\n}\n";
  const auto program = put_together(text, row("a", "k"), {{"k.ptx", plus_one("k", false)}});
  ASSERT_TRUE(program) << describe(program.error());
  const ForeignRun ran = need(run(*program, std::vector<Array>{floats({1, 2, 3, 4}, {2, 2})}));
  ASSERT_TRUE(ran.reports.empty()) << ran.reports.front();
  EXPECT_EQ(values(ran.outputs.at(0)), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(values(ran.outputs.at(1)), (std::vector<float>{2, 4, 3, 5}));
}

const std::string kHeadPtx = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// i < n, and i + 1 in place of i.
const std::string kCounting = kHeadPtx +
                              ".visible .entry less(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred "
                              "%p<2>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
                              "ld.param.u64 %rd3, [c];\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\nsetp.lt.s32 %p1, %r1, %r2;\nselp.u32 "
                              "%r3, 1, 0, %p1;\nst.global.u8 [%rd3], %r3;\nret;\n}\n"
                              ".visible .entry next(.param .u64 a, .param .u64 b)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nld.param.u64 %rd1, "
                              "[a];\nld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\n"
                              "st.global.u32 [%rd1], %r2;\nret;\n}\n";

Array number(std::int32_t value) {
  Array array = make_array(DType::S32, {});
  std::memcpy(array.data.data(), &value, sizeof(value));
  return array;
}

std::string single(const std::string& instruction, const std::string& kernel) {
  return "1\t0\tkCustomKernel\t" + instruction + "\t" + kernel + "\t1,1,1\t1,1,1\t0\n";
}

// How often the loop runs is an input: its condition runs before each trip.
TEST(Program, ALoopRunsUntilItsConditionSaysSo) {
  const std::string state = "(s32[], s32[], f32[4]{0})";
  const std::string text =
      "HloModule m, is_scheduled=true\n\nplus {\n  p = f32[4]{0} parameter(0)\n  one = f32[] constant(1)\n  ones = f32[4]{0} broadcast(one), "
      "dimensions={}\n  ROOT s = f32[4]{0} add(p, ones)\n}\n\n"
      "lt {\n  p = s32[] parameter(0)\n  q = s32[] parameter(1)\n  ROOT c = pred[] compare(p, q), direction=LT\n}\n\n"
      "inc {\n  p = s32[] parameter(0)\n  one = s32[] constant(1)\n  ROOT s = s32[] add(p, one)\n}\n\n"
      "cond {\n  s = " +
      state +
      " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n = s32[] get-tuple-element(s), index=1\n  ROOT less.1 = pred[] fusion(i, n), "
      "kind=kLoop, calls=lt\n}\n\n"
      "body {\n  s2 = " +
      state +
      " parameter(0)\n  i2 = s32[] get-tuple-element(s2), index=0\n  n2 = s32[] get-tuple-element(s2), index=1\n  x2 = f32[4]{0} "
      "get-tuple-element(s2), index=2\n"
      "  next.1 = s32[] fusion(i2), kind=kLoop, calls=inc\n  y = f32[4]{0} fusion(x2), kind=kLoop, calls=plus\n  ROOT t = " +
      state +
      " tuple(next.1, n2, y)\n}\n\n"
      "ENTRY e {\n  n3 = s32[] parameter(0)\n  x = f32[4]{0} parameter(1)\n  zero = s32[] constant(0)\n  start = s32[] copy(zero)\n  fresh = "
      "f32[4]{0} copy(x)\n  all = " +
      state +
      " tuple(start, n3, fresh)\n"
      "  loop = " +
      state + " while(all), condition=cond, body=body\n  ROOT r = f32[4]{0} get-tuple-element(loop), index=2\n}\n";
  const auto program = put_together(text,
                                    single("less.1", "less") + single("next.1", "next") + row("y", "in_place") +
                                        "1\t0\tkCopy\tstart\t\t\t\t\n1\t0\tkCopy\tfresh\t\t\t\t\n1\t0\tkWhile\tloop\t\t\t\t\n",
                                    {{"c.ptx", kCounting}, {"i.ptx", plus_one("in_place", true)}});
  ASSERT_TRUE(program) << describe(program.error());
  const auto times = launch_times(*program);
  EXPECT_EQ(times.at("start"), 1);
  EXPECT_EQ(times.at("y"), std::nullopt);
  EXPECT_EQ(times.at("less.1"), std::nullopt);
  for (const std::int32_t trips : {0, 1, 3}) {
    const ForeignRun ran = need(run(*program, std::vector<Array>{number(trips), floats({1, 2, 3, 4}, {4})}));
    ASSERT_TRUE(ran.reports.empty()) << ran.reports.front();
    const auto n = static_cast<float>(trips);
    EXPECT_EQ(values(ran.outputs.at(0)), (std::vector<float>{1 + n, 2 + n, 3 + n, 4 + n}));
    EXPECT_EQ(ran.kernels, 3U * static_cast<unsigned>(trips) + 1);
    EXPECT_EQ(ran.copies, 2U);
    EXPECT_EQ(ran.rescued, 0U) << "the loop owns its state";
  }
}

TEST(Program, OneBranchRuns) {
  const std::string text = module_text("").substr(0, module_text("").find("ENTRY")) +
                           "yes {\n  a1 = f32[4]{0} parameter(0)\n  b1 = f32[4]{0} fusion(a1), kind=kLoop, calls=plus\n  ROOT c1 = f32[4]{0} "
                           "fusion(b1), kind=kLoop, calls=plus\n}\n\n"
                           "no {\n  a2 = f32[4]{0} parameter(0)\n  ROOT b2 = f32[4]{0} fusion(a2), kind=kLoop, calls=plus\n}\n\n"
                           "ENTRY e {\n  which = s32[] parameter(0)\n  x = f32[4]{0} parameter(1)\n  ROOT r = f32[4]{0} conditional(which, x, x), "
                           "branch_computations={yes, no}\n}\n";
  const auto program =
      put_together(text, row("b1", "k") + row("c1", "k") + row("b2", "k") + "1\t0\tkConditional\tr\t\t\t\t\n", {{"k.ptx", plus_one("k", false)}});
  ASSERT_TRUE(program) << describe(program.error());
  // Out of range means the last branch.
  for (const auto& [which, more] : {std::pair{0, 2.0F}, {1, 1.0F}, {7, 1.0F}, {-1, 1.0F}}) {
    const ForeignRun ran = need(run(*program, std::vector<Array>{number(which), floats({1, 2, 3, 4}, {4})}));
    ASSERT_TRUE(ran.reports.empty()) << ran.reports.front();
    EXPECT_EQ(values(ran.outputs.at(0)), (std::vector<float>{1 + more, 2 + more, 3 + more, 4 + more})) << which;
  }
}

TEST(Program, WhatDoesNotFitIsRefused) {
  const std::string module = module_text(fusion("ROOT a", "x"));
  const std::vector<PtxText> ptx = {{"k.ptx", plus_one("k", false)}};
  const auto error = [](const Result<ForeignProgram>& program) { return program ? std::string("taken") : describe(program.error()); };
  EXPECT_NE(error(put_together(module, row("a", "missing"), ptx)).find("no PTX file has kernel missing, which a launches"), std::string::npos);
  EXPECT_NE(error(put_together(module, row("other", "k"), ptx)).find("no instruction other"), std::string::npos);
  EXPECT_NE(error(put_together(module, "1\t0\tkCopy\tx\t\t\t\t\n", ptx)).find("says nothing about a (fusion)"), std::string::npos);
  EXPECT_NE(error(put_together(module, "1\t0\tkGemm\ta\t\t\t\t\n", ptx)).find("a is a fusion, the launch list has it as kGemm"), std::string::npos);
  EXPECT_NE(error(put_together(module, row("a", "k") + row("a", "k"), ptx)).find("several launches"), std::string::npos);
  EXPECT_NE(error(put_together(module, row("a", "k"), {ptx[0], {"again.ptx", ptx[0].text}})).find("stands in two PTX files, k.ptx and again.ptx"),
            std::string::npos);
  std::string loose = module;
  loose.replace(loose.find(", is_scheduled=true"), 19, "");
  EXPECT_NE(error(put_together(loose, row("a", "k"), ptx)).find("is_scheduled"), std::string::npos);
}

TEST(Program, AKernelThatTheSimulatorRefusesIsAnErrorWhenItRuns) {
  const auto program =
      put_together(module_text(fusion("a", "x") + fusion("ROOT b", "a")), row("a", "k") + row("b", "odd"),
                   {{"both.ptx", plus_one("k", false) + ".visible .entry odd(.param .u64 a, .param .u64 b)\n{\n no.such.instruction;\n ret;\n}\n"}});
  ASSERT_TRUE(program) << describe(program.error());
  EXPECT_NE(program->kernels.at("k").module, nullptr);
  EXPECT_EQ(program->kernels.at("odd").module, nullptr);
  const auto ran = run(*program, std::vector<Array>{floats({1, 2, 3, 4}, {4})});
  ASSERT_FALSE(ran);
  EXPECT_NE(describe(ran.error()).find("both.ptx"), std::string::npos) << describe(ran.error());
  const auto checks = check_kernels(*program);
  EXPECT_EQ(checks.at(0).outcome, Outcome::Passed);
  EXPECT_EQ(checks.at(1).outcome, Outcome::Inconclusive);
}

TEST(Program, InputsMustFit) {
  const auto program = need(put_together(module_text(fusion("ROOT a", "x")), row("a", "k"), {{"k.ptx", plus_one("k", false)}}));
  EXPECT_FALSE(run(program, {}));
  EXPECT_FALSE(run(program, std::vector<Array>{floats({1, 2, 3}, {3})}));
  EXPECT_FALSE(run(program, std::vector<Array>{floats({1, 2, 3, 4}, {4}), floats({1}, {1})}));
}

TEST(Program, ConstantsThatTheTextLeavesOutComeFromTheModuleBefore) {
  const std::string text = module_text("  constant_9_0 = f32[4]{0} constant({...})\n" + fusion("ROOT a", "constant_9_0"));
  auto program = need(put_together(text, row("a", "k"), {{"k.ptx", plus_one("k", false)}}));
  const std::vector<Array> inputs{floats({1, 2, 3, 4}, {4})};
  EXPECT_FALSE(run(program, inputs));
  const auto before = [](const std::string& name, const std::string& type) {
    return need(graph::read_graph("HloModule b\n\nENTRY e {\n  ROOT " + name + " = " + type + " constant({5, 6, 7, 8})\n}\n", "b.hlo"));
  };
  EXPECT_EQ(take_constants(program, before("constant.8", "f32[4]")), 0U);
  EXPECT_EQ(take_constants(program, before("constant.9", "s32[4]")), 0U);
  EXPECT_EQ(take_constants(program, before("constant.9", "f32[4]")), 1U);
  EXPECT_EQ(values(need(run(program, inputs)).outputs.at(0)), (std::vector<float>{6, 7, 8, 9}));
}

}  // namespace
}  // namespace seam::codegen::test
