/// Values whose own sums decide how exact they can be: a right kernel must pass, a wrong one must not.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "codegen/program_check.h"
#include "codegen/prove.h"
#include "graph/hlo.h"
#include "programs.h"
#include "validate/demand.h"
#include "validate/inputs.h"

namespace seam::codegen::test {
namespace {

/// One kernel holds scores over 512 positive terms and their softmax: the last bits of a sum in the hundreds move the softmax by more than a handful of
/// roundings.
TEST(Conditioning, SoftmaxOfLargeScoresPasses) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  const auto it = planned(std::filesystem::path(SEAM_TEST_DIR) / "large_scores.hlo", "stitch", *nvrtc);
  const auto verdicts = prove_all(it->program);
  ASSERT_TRUE(verdicts) << describe(verdicts.error());
  int conditioned = 0;
  for (const Verdict& v : *verdicts) {
    EXPECT_EQ(v.outcome(), Outcome::Passed) << v.values.detail;
    conditioned += v.values.detail.find("conditioning") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(conditioned, 1) << "the test's case is not the one it is about";
}

/// What only the order of a reduce decides is no kernel's fault.
TEST(Conditioning, ArgmaxAndProductPass) {
  const auto nvrtc = compiler();
  if (!nvrtc) GTEST_SKIP() << "no NVRTC: kernels are neither compiled nor proven";
  const auto it = planned(std::filesystem::path(SEAM_TEST_DIR) / "order_of_reduces.hlo", "none", *nvrtc);
  const auto verdicts = prove_all(it->program);
  ASSERT_TRUE(verdicts) << describe(verdicts.error());
  EXPECT_EQ(verdicts->size(), 2U);
  for (const Verdict& v : *verdicts) EXPECT_EQ(v.outcome(), Outcome::Passed) << v.kernel << ": " << v.values.detail;
}

/// What `shaken` allows: the sum itself by its own rounding and no more, nothing where nothing is summed.
TEST(Conditioning, ShakesOnlySums) {
  const Result<graph::Graph> module = graph::parse_hlo(R"(
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
max { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT m = f32[] maximum(x, y) }
ENTRY main { a = f32[16,1024] parameter(0)
  z = f32[] constant(0)
  e = f32[16,1024] exponential(a)
  m = f32[16] reduce(e, z), dimensions={1}, to_apply=max
  s = f32[16] reduce(e, z), dimensions={1}, to_apply=add
  ROOT r = (f32[16,1024], f32[16], f32[16]) tuple(e, m, s) })", "shaken");
  ASSERT_TRUE(module) << module.error().message;
  const graph::Computation& entry = module->entry_computation();
  const Array a = random_array(DType::F32, {16, 1024}, Distribution::Normal, 1, 0, 0);
  const Demand demand(*module, entry, {{entry.parameters[0], &a}});
  const auto moved = [&](const char* name, std::size_t count) {
    Indices at(count);
    for (std::size_t i = 0; i < count; ++i) at[i] = static_cast<std::int64_t>(i);
    const graph::Value want = *demand.values(*entry.find(name), at, graph::Rounding::Rounded);
    const graph::Value got = *demand.shaken(1).values(*entry.find(name), at, graph::Rounding::Rounded);
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(got.numbers[i] - want.numbers[i]) / std::abs(want.numbers[i]));
    return most;
  };
  EXPECT_EQ(moved("e", 100), 0);
  EXPECT_EQ(moved("m", 16), 0);
  EXPECT_GT(moved("s", 16), 0x1p-24);
  EXPECT_LT(moved("s", 16), 0x1p-24 * 32 * 1.5);  // sqrt(1024) unit roundoffs, of a row a little smaller than the others
}

/// Outputs of a program that cancel are as exact as what cancelled, and no more.
TEST(Conditioning, OutputsThatCancelAreHeldToWhatRoundingAllows) {
  const Result<graph::Graph> module = graph::parse_hlo("ENTRY main { x = f32[64] parameter(0)\n t = f32[64] tanh(x)\n ROOT d = f32[64] subtract(x, t) }", "cancels");
  ASSERT_TRUE(module) << module.error().message;
  Array x = make_array(DType::F32, {64});
  for (int i = 0; i < 64; ++i) {
    const float value = 0.001F + 0.0001F * static_cast<float>(i);
    std::memcpy(&x.data[static_cast<std::size_t>(i) * 4], &value, 4);
  }
  const std::vector<Array> inputs = {x};
  const std::vector<Array> expected = *reference_outputs(*module, inputs);
  const auto with_tanh_off_by = [&](int ulps) {
    std::vector<Array> actual = expected;
    for (std::size_t i = 0; i < 64; ++i) {
      float value = 0;
      std::memcpy(&value, &x.data[i * 4], 4);
      float t = std::tanh(value);
      for (int u = 0; u < ulps; ++u) t = std::nextafter(t, 1.0F);
      const float difference = value - t;
      std::memcpy(&actual[0].data[i * 4], &difference, 4);
    }
    return actual;
  };
  EXPECT_EQ(check_outputs(*module, with_tanh_off_by(2), expected, {}).outcome, Outcome::Failed) << "the test's case is not the one it is about";
  const ProgramCheck near = check_outputs_at(*module, inputs, *module, with_tanh_off_by(2), expected, {});
  EXPECT_EQ(near.outcome, Outcome::Passed) << near.reason;
  EXPECT_GT(near.outputs[0].ill_conditioned, 0U);
  EXPECT_EQ(check_outputs_at(*module, inputs, *module, with_tanh_off_by(32), expected, {}).outcome, Outcome::Failed);
}

/// The root of a sum that cancels to rounding noise is NaN or not by chance; that of a number below 0 is always NaN.
TEST(Conditioning, NanByRoundingIsNobodysFault) {
  const Array x = random_array(DType::F32, {64}, Distribution::Normal, 1, 0, 0), y = random_array(DType::F32, {64}, Distribution::Normal, 2, 0, 0);
  const std::vector<Array> inputs = {x, y};
  const auto with_classes_changed = [&](const std::string& of) {
    const Result<graph::Graph> module = graph::parse_hlo("ENTRY main { x = f32[64] parameter(0)\n y = f32[64] parameter(1)\n s = f32[64] add(x, y)\n d = f32[64] subtract(s, x)\n "
                                                         "noise = f32[64] subtract(d, y)\n square = f32[64] multiply(x, x)\n below = f32[64] negate(square)\n ROOT r = f32[64] sqrt(" + of + ") }", "cancels");
    if (!module) ADD_FAILURE() << module.error().message;
    const std::vector<Array> expected = *reference_outputs(*module, inputs);
    std::vector<Array> actual = expected;
    for (std::size_t i = 0; i < 64; ++i) {
      float value = 0;
      std::memcpy(&value, &expected[0].data[i * 4], 4);
      value = std::isnan(value) ? 0.0F : std::nanf("");
      std::memcpy(&actual[0].data[i * 4], &value, 4);
    }
    return check_outputs_at(*module, inputs, *module, actual, expected, {});
  };
  const ProgramCheck noise = with_classes_changed("noise");
  EXPECT_EQ(noise.outcome, Outcome::Passed) << noise.reason;
  EXPECT_EQ(noise.outputs[0].ill_conditioned, 64U);
  EXPECT_EQ(with_classes_changed("below").outcome, Outcome::Failed);
}

}  // namespace
}  // namespace seam::codegen::test
