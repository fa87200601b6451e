/// Registers, spills and what fits on the machine, in every rendering; an assembler that is missing, refuses, or is not understood.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "modules.h"
#include "report/optimize_json.h"
#include "report/page.h"
#include "report/render.h"
#include "report/summary.h"
#include "support/schema.h"

namespace seam::report {
namespace {

using Json = nlohmann::json;

/// An assembler that says what a test wants.
struct Fixed final : codegen::Assembler {
  codegen::Resources answer;
  std::optional<Error> error;
  Result<codegen::Resources> resources(std::string_view, std::string_view, int architecture) const override {
    if (error) return tl::unexpected(*error);
    codegen::Resources out = answer;
    out.architecture = architecture;
    return out;
  }
  std::string version() const override { return "fixed 1"; }
};

Result<Optimized> assembled(const Fixed& fixed, const char* device = "h100", bool prove = false) {
  OptimizeRequest request = test::request(test::kSoftmax, prove);
  request.options.device = *device_named(device);
  request.find_assembler = [&]() -> Result<std::shared_ptr<const codegen::Assembler>> { return std::make_shared<const Fixed>(fixed); };
  return optimize(request);
}

class MachineCode : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto compiler = codegen::Compiler::find(); !compiler) GTEST_SKIP() << compiler.error().message;
  }
};

TEST_F(MachineCode, IsShownWithItsEvidence) {
  Fixed fixed;
  fixed.answer.registers = 40;
  const auto done = assembled(fixed, "h100", true);
  ASSERT_TRUE(done);
  EXPECT_NE(to_text(summary(*done)).find("at most 40 registers a thread, no kernel spills (modelled; ptxas for sm_90)"), std::string::npos) << to_text(summary(*done));
  EXPECT_NE(page(*done).find("40 registers a thread, nothing spilled, 6 blocks per multiprocessor (modelled; ptxas for sm_90)"), std::string::npos);
  const Json json = Json::parse(optimize_json(*done));
  for (const std::string& problem : seam::test::schema_problems(json, "seam.optimize.schema.json")) ADD_FAILURE() << problem;
  EXPECT_EQ(json["assembler"], "fixed 1");
  EXPECT_EQ(json["validate"]["kernels"][0]["resources"]["registers"], 40);
  EXPECT_EQ(json["validate"]["kernels"][0]["resources"]["evidence"], "modelled");
}

TEST_F(MachineCode, SpillsAndKernelsThatDoNotFitAreSaid) {
  Fixed fixed;
  fixed.answer.registers = 255;
  fixed.answer.spill_store_bytes = 48;
  fixed.answer.spill_load_bytes = 64;
  fixed.answer.static_shared_bytes = 400'000;
  const auto done = assembled(fixed);
  ASSERT_TRUE(done);
  const std::string text = to_text(summary(*done), 100'000);
  EXPECT_NE(text.find("2 of 2 kernels spill"), std::string::npos) << text;
  EXPECT_NE(text.find("CANNOT BE LAUNCHED on a h100: k0_"), std::string::npos) << text;
  EXPECT_NE(page(*done).find("48 B spilled and 64 B read back, does not fit on a h100"), std::string::npos);
}

TEST_F(MachineCode, IsOfTheArchitectureThatThePtxIsFor) {
  const auto done = assembled({}, "v100");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->verdicts[0].resources->architecture, done->ptx_target) << "CUDA 13 begins at 7.5";
}

TEST_F(MachineCode, IsUnknownWithoutAnAssembler) {
  OptimizeRequest request = test::request(test::kSoftmax, false);
  request.find_assembler = []() -> Result<std::shared_ptr<const codegen::Assembler>> { return fail(Error::Code::Environment, "nvJitLink was not found; scripts/setup fetches it"); };
  const auto done = optimize(request);
  ASSERT_TRUE(done);
  const Json json = Json::parse(optimize_json(*done));
  for (const std::string& problem : seam::test::schema_problems(json, "seam.optimize.schema.json")) ADD_FAILURE() << problem;
  EXPECT_TRUE(json["validate"]["kernels"][0]["resources"].is_null());
  EXPECT_EQ(json["warnings"][0]["code"], "no-assembler");
  EXPECT_NE(page(*done).find("registers and spills unknown"), std::string::npos);
  EXPECT_NE(to_text(summary(*done)).find("Registers and spills: unknown."), std::string::npos);
}

TEST_F(MachineCode, IsLeftOutWhereNobodyAsksForIt) {
  OptimizeRequest request = test::request(test::kSoftmax, false);
  request.find_assembler = {};
  const auto done = optimize(request);
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->warnings.empty());
  EXPECT_EQ(done->seconds.assemble, 0);
  EXPECT_NE(to_text(summary(*done)).find("Registers and spills: unknown."), std::string::npos);
}

TEST_F(MachineCode, PtxThatCannotBeAssembledIsNoKernel) {
  Fixed fixed;
  fixed.error = Error{Error::Code::BadInput, "line 7: no such instruction", std::nullopt, {}};
  const auto done = assembled(fixed);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->verdicts[0].outcome(), codegen::Outcome::Failed);
  EXPECT_NE(done->verdicts[0].sim.detail.find("no such instruction"), std::string::npos);
  fixed.error->code = Error::Code::Unsupported;
  const auto unread = assembled(fixed);
  ASSERT_TRUE(unread);
  EXPECT_NE(unread->verdicts[0].outcome(), codegen::Outcome::Failed) << "a log of another form says nothing about the kernel";
  EXPECT_FALSE(unread->verdicts[0].resources);
}

}  // namespace
}  // namespace seam::report
