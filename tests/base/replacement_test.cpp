#include "base/replacement.h"

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace seam {
namespace {

ReplacementSet example() {
  ReplacementSet set;
  set.module = "step";
  set.device = "h100";
  set.policy = "stitch";
  set.guards = {.module_sha256 = "ab", .compute_major = 9, .compute_minor = 0, .alignment = 256, .shared_bytes = 20480, .distinct_buffers = true};
  ReplacementKernel kernel;
  kernel.name = "softmax";
  kernel.ptx = ".version 8.0\n\"quoted\"";
  kernel.ptx_sha256 = sha256(kernel.ptx);
  kernel.computation = "main";
  kernel.ops = {"exp.1", "reduce.2"};
  kernel.launch = {512, 256, 20480, {{"p0", ArgumentRole::Input, "x", "", DType::BF16, {2, 3}, 12}, {"out", ArgumentRole::Updated, "y", "x", DType::S32, {}, 4}, {"scratch", ArgumentRole::Workspace, "", "", DType::U8, {}, 64}}};
  set.kernels.push_back(kernel);
  set.schedules.push_back({"main", {{"kernel", "softmax"}, {"library", "dot.3"}}});
  return set;
}

TEST(Replacement, ReadsBack) {
  const auto again = parse_replacement(print_replacement(example()), "x");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, example());
}

TEST(Replacement, ChangedPtxIsRefused) {
  ReplacementSet set = example();
  set.kernels[0].ptx += "\n// changed";
  const auto again = parse_replacement(print_replacement(set), "set.json");
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("softmax"), std::string::npos);
}

TEST(Replacement, OtherJsonIsRefused) {
  for (const char* text : {"", "{}", "[]", "{\"schema\":\"seam.replacement/2\"}", "{\"schema\":\"seam.replacement/1\",\"module\":3}", "nonsense"}) {
    EXPECT_FALSE(parse_replacement(text, "x")) << text;
  }
}

}  // namespace
}  // namespace seam
