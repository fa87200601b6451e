// Every kernel of every real module can be lowered and verified, with all index bounds proven; by three policies.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/device.h"
#include "base/files.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "support.h"

namespace seam::test {
namespace {

std::vector<std::filesystem::path> modules() {
  std::vector<std::filesystem::path> out;
  const char* only = std::getenv("SEAM_ONLY");
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SEAM_TEST_DATA) + "/xla")) {
    if (entry.path().extension() == ".hlo" && (only == nullptr || entry.path().stem() == only)) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

void lower_all(const std::filesystem::path& file, const std::string& policy) {
  SCOPED_TRACE(fmt::format("{} {}", file.stem().string(), policy));
  const auto text = read_file(file);
  ASSERT_TRUE(text);
  const auto graph = graph::read_graph(*text, file.string());
  ASSERT_TRUE(graph) << describe(graph.error(), *text);
  planner::PlanOptions options;
  options.policy = policy;
  options.device = *device_named("h100");
  const auto prepared = planner::prepared(*graph, options);
  ASSERT_TRUE(prepared) << describe(prepared.error());
  const auto plan = planner::make_plan(*prepared, options);
  ASSERT_TRUE(plan) << describe(plan.error());
  std::int64_t kernels = 0;
  std::int64_t accesses = 0;
  std::int64_t proven = 0;
  std::map<std::string, int> problems;
  for (const planner::ComputationPlan& one : plan->computations) {
    for (const planner::FusionGroup& group : one.groups) {
      ++kernels;
      const auto kernel = codegen::lower(*prepared, prepared->computations[one.computation], group);
      if (!kernel) {
        ++problems[describe(kernel.error())];
        continue;
      }
      const auto sound = codegen::verify(*kernel);
      ASSERT_TRUE(sound);
      accesses += sound->accesses;
      proven += sound->proven;
      for (const std::string& unproven : sound->unproven) ++problems["unproven: " + group.name + " " + unproven];
      const std::string printed = codegen::print(*kernel);
      const auto back = codegen::parse_kernel(printed, "printed");
      ASSERT_TRUE(back) << describe(back.error(), printed);
      EXPECT_TRUE(*back == *kernel) << group.name;
      EXPECT_FALSE(codegen::emit(*kernel).cuda.empty());
    }
  }
  int shown = 0;
  for (const auto& [what, n] : problems) {
    if (shown++ < 12) ADD_FAILURE() << n << " x " << what;
  }
  fmt::print("{} {}: {} kernels, {} of {} accesses proven in bounds\n", file.stem().string(), policy, kernels, proven, accesses);
}

TEST(Modules, Stitch) {
  for (const auto& file : modules()) lower_all(file, "stitch");
}
TEST(Modules, None) {
  for (const auto& file : modules()) lower_all(file, "none");
}
TEST(Modules, Xla2018) {
  for (const auto& file : modules()) lower_all(file, "xla2018");
}

}  // namespace
}  // namespace seam::test
