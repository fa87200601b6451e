/// Programs put together by hand: what does not fit is refused, layouts are followed, updates in place do not reach who still reads.
#include <gtest/gtest.h>

#include <cstring>

#include "support.h"

namespace seam::codegen::test {
namespace {

const std::string kHead = "id\tdepth\tkind\tinstruction\tkernel\tgrid\tblock\tshared\n";

/// A kernel that adds 1 to four floats, from its first pointer to its second; with `in_place` it only looks at the first.
std::string plus_one(const std::string& name, bool in_place) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry " + name + "(.param .u64 a, .param .u64 b)\n{\n.reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .b32 %r<4>;\n" +
         "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [" + (in_place ? "a" : "b") + "];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n" +
         "add.s64 %rd5, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\nadd.rn.f32 %f2, %f1, 0f3F800000;\nst.global.f32 [%rd5], %f2;\nret;\n}\n";
}

std::string fusion(const std::string& name, const std::string& operand, const std::string& layout = "{0}", const std::string& dims = "4") {
  return "  " + name + " = f32[" + dims + "]" + layout + " fusion(" + operand + "), kind=kLoop, calls=plus\n";
}

std::string module_text(const std::string& body) {
  return "HloModule m, is_scheduled=true\n\nplus {\n  p = f32[4]{0} parameter(0)\n  one = f32[] constant(1)\n  ones = f32[4]{0} broadcast(one), dimensions={}\n  ROOT s = f32[4]{0} add(p, ones)\n}\n\n" +
         std::string("ENTRY e {\n  x = f32[4]{0} parameter(0)\n") + body + "}\n";
}

Result<ForeignProgram> put_together(const std::string& module, const std::string& rows, const std::vector<PtxText>& ptx) {
  SEAM_TRY(graph::Graph graph, graph::read_graph(module, "m.hlo"));
  SEAM_TRY(std::vector<ForeignLaunch> launches, read_launches(kHead + rows, "l.tsv"));
  return foreign_program(std::move(graph), std::move(launches), ptx);
}

std::string row(const std::string& instruction, const std::string& kernel) { return "1\t0\tkCustomKernel\t" + instruction + "\t" + kernel + "\t1,1,1\t4,1,1\t0\n"; }

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
  const auto program = put_together(module_text(fusion("a", "x") + fusion("ROOT b", "a")), row("a", "k") + row("b", "in_place"), {{"k.ptx", plus_one("k", false)}, {"i.ptx", plus_one("in_place", true)}});
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
  const auto program = put_together(module_text(fusion("a", "x") + fusion("b", "a") + fusion("c", "a") + "  ROOT t = (f32[4]{0}, f32[4]{0}, f32[4]{0}) tuple(b, c, x)\n"),
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
      "HloModule m, is_scheduled=true\n\nplus {\n  p = f32[2,2]{0,1} parameter(0)\n  one = f32[] constant(1)\n  ones = f32[2,2]{0,1} broadcast(one), dimensions={}\n"
      "  ROOT s = f32[2,2]{0,1} add(p, ones)\n}\n\nENTRY e {\n  x = f32[2,2]{0,1} parameter(0)\n  a = f32[2,2]{0,1} fusion(x), kind=kLoop, calls=plus\n  b = f32[4]{0} bitcast(a)\n"
      "  ROOT t = (f32[2,2]{0,1}, f32[4]{0}) tuple(a, b)\n}\n";
  const auto program = put_together(text, row("a", "k"), {{"k.ptx", plus_one("k", false)}});
  ASSERT_TRUE(program) << describe(program.error());
  const ForeignRun ran = need(run(*program, std::vector<Array>{floats({1, 2, 3, 4}, {2, 2})}));
  ASSERT_TRUE(ran.reports.empty()) << ran.reports.front();
  EXPECT_EQ(values(ran.outputs.at(0)), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(values(ran.outputs.at(1)), (std::vector<float>{2, 4, 3, 5}));
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
  EXPECT_NE(error(put_together(module, row("a", "k"), {ptx[0], {"again.ptx", ptx[0].text}})).find("stands in two PTX files, k.ptx and again.ptx"), std::string::npos);
  std::string loose = module;
  loose.replace(loose.find(", is_scheduled=true"), 19, "");
  EXPECT_NE(error(put_together(loose, row("a", "k"), ptx)).find("is_scheduled"), std::string::npos);
}

TEST(Program, AKernelThatTheSimulatorRefusesIsAnErrorWhenItRuns) {
  const auto program = put_together(module_text(fusion("a", "x") + fusion("ROOT b", "a")), row("a", "k") + row("b", "odd"),
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
