/// `seam simulate` from outside: what it prints about a launch, and its options.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kPtx = R"(.version 8.4
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 buffer[];
.visible .entry k(.param .u64 .ptr px, .param .u64 .ptr py) {
.reg .b32 %t, %b, %n, %s; .reg .b64 %p, %o; .reg .f32 %f;
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %s, buffer; mad.lo.u32 %s, %t, 4, %s; mad.lo.u32 %t, %b, %n, %t; mul.wide.u32 %o, %t, 4;
ld.param.u64 %p, [px]; add.u64 %p, %p, %o; ld.global.f32 %f, [%p];
ex2.approx.f32 %f, %f;
st.shared.f32 [%s], %f; bar.sync 0; ld.shared.f32 %f, [%s];
ld.param.u64 %p, [py]; add.u64 %p, %p, %o; st.global.f32 [%p], %f;
ret;
}
)";

class Simulate : public testing::Test {
 protected:
  void SetUp() override {
    file_ = (std::filesystem::temp_directory_path() / "seam_cli_simulate.ptx").string();
    std::ofstream(file_) << kPtx;
  }
  void TearDown() override { std::filesystem::remove(file_); }

  Ran run(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"simulate", file_, "--grid", "300", "--block", "128", "--arg", "rand:f32[38400]", "--arg", "out:f32[38400]"};
    all.insert(all.end(), more.begin(), more.end());
    return seam(all);
  }
  Json json(std::vector<std::string> more) const {
    more.insert(more.end(), {"--format", "json"});
    const Ran ran = run(more);
    const Json out = Json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(out.is_discarded()) << ran.out << ran.err;
    if (out.is_discarded()) return {};
    for (const std::string& problem : seam::test::schema_problems(out, "seam.simulate.schema.json")) ADD_FAILURE() << problem;
    return out;
  }

  std::string file_;
};

TEST_F(Simulate, NumbersOutOfRangeAreRefused) {
  for (const char* argument : {"s32:4294967300", "s32:-4294967292", "u32:4294967296", "u8:-1", "s8:128", "u64:18446744073709551616"}) {
    const Ran ran = seam({"simulate", file_, "--grid", "1", "--block", "1", "--arg", argument, "--arg", "null"});
    EXPECT_EQ(ran.exit, 2) << argument << ran.out;
    EXPECT_TRUE(ran.err.find("out of the range") != std::string::npos || ran.err.find("not an integer") != std::string::npos) << argument << ": " << ran.err;
  }
}

TEST_F(Simulate, CountsByClassAndSaysHowItFillsADevice) {
  const Json out = json({"--shared", "512", "--device", "h100"});
  EXPECT_EQ(out["verdict"], "passed");
  std::uint64_t warps = 0;
  std::uint64_t special = 0;
  for (const Json& row : out["profile"]) {
    warps += row["warp_instructions"].get<std::uint64_t>();
    if (row["class"] == "special") special = row["warp_instructions"];
  }
  EXPECT_EQ(warps, out["counters"]["warp_instructions"]);
  EXPECT_EQ(special, 300U * 4);
  EXPECT_EQ(out["counters"]["global_wavefronts"], 300 * 4 * 2);
  EXPECT_EQ(out["counters"]["shared_conflicts"], 0);
  EXPECT_EQ(out["occupancy"]["blocks_per_sm"], 16);
  EXPECT_EQ(out["occupancy"]["occupancy"], 1.0);
  EXPECT_TRUE(out["occupancy"]["registers"].is_null());
  EXPECT_NEAR(out["occupancy"]["waves"].get<double>(), 300.0 / (16 * 132), 1e-9);
  const Ran text = run({"--shared", "512", "--device", "h100"});
  EXPECT_NE(text.out.find("registers unknown"), std::string::npos) << text.out;
  EXPECT_EQ(run({"--shared", "512", "--device", "h1000"}).exit, 2);
}

TEST_F(Simulate, ForgottenSharedMemoryIsHintedAt) {
  const Ran ran = run({});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_NE(ran.out.find("hint: k uses dynamic shared memory; --shared says how many bytes"), std::string::npos) << ran.out;
  EXPECT_EQ(run({"--shared", "512"}).out.find("hint"), std::string::npos);
}

TEST_F(Simulate, ApproximateInstructionsErrIfAsked) {
  EXPECT_EQ(json({"--shared", "512", "--ulp", "3"})["ulp"], 3);
  EXPECT_EQ(json({"--shared", "512", "--ulp", "isa"})["ulp"], "isa");
  EXPECT_EQ(json({"--shared", "512"})["ulp"], 0);
  EXPECT_EQ(run({"--shared", "512", "--ulp", "-1"}).exit, 2);
  EXPECT_EQ(run({"--shared", "512", "--ulp", "some"}).exit, 2);
}

}  // namespace
}  // namespace seam::cli::test
