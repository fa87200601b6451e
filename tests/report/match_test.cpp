/// Which kernels of a real compiler compute what ours compute.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <filesystem>

#include "base/files.h"
#include "graph/text.h"
#include "planner/planner.h"
#include "report/match.h"

namespace seam::report {
namespace {

graph::Graph read(const std::string& text) { return graph::read_graph(text, "m.hlo").value(); }

struct Planned {
  graph::Graph graph;
  planner::Plan plan;
};

Planned planned(const graph::Graph& module, const std::string& policy) {
  planner::PlanOptions options;
  options.policy = policy;
  options.device = device_named("h100").value();
  options.library_epilogues = false;  // kernels are matched: what a library call took over would be in none of ours
  Planned out{planner::prepared(module, options).value(), {}};
  out.plan = planner::make_plan(out.graph, options).value();
  return out;
}

constexpr const char* kTables =
    "FileNames\n1 \"m.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 "
    "end_column=2}\n"
    "2 {file_name_id=1 function_name_id=1 line=4 end_line=4 column=1 end_column=2}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 "
    "{file_location_id=2 parent_frame_id=1}\n\n";

// Four ops in a row; the compiler makes two kernels of them, ours is one. One op kept its name, one lost it, one the compiler made up.
TEST(Match, ByNameThenByPositionThenNotAtAll) {
  const graph::Graph before =
      read(std::string("HloModule m\n\n") + kTables +
           "ENTRY e {\n  x = f32[64]{0} parameter(0)\n  tanh.3 = f32[64]{0} tanh(x), metadata={op_name=\"jit(f)/tanh\" stack_frame_id=1}\n"
           "  mul.4 = f32[64]{0} multiply(tanh.3, x), metadata={op_name=\"jit(f)/mul\" stack_frame_id=1}\n"
           "  exp.5 = f32[64]{0} exponential(mul.4), metadata={op_name=\"jit(f)/exp\" stack_frame_id=2}\n"
           "  ROOT sub.6 = f32[64]{0} subtract(exp.5, x), metadata={op_name=\"jit(f)/sub\" stack_frame_id=2}\n}\n");
  const graph::Graph after =
      read(std::string("HloModule m, is_scheduled=true\n\n") + kTables +
           "one {\n  p = f32[64]{0} parameter(0)\n  tanh.3.1 = f32[64]{0} tanh(p), metadata={op_name=\"jit(f)/tanh\" stack_frame_id=1}\n"
           "  ROOT product = f32[64]{0} multiply(tanh.3.1, p), metadata={op_name=\"jit(f)/mul\" stack_frame_id=1}\n}\n\n"
           "two {\n  q = f32[64]{0} parameter(0)\n  r = f32[64]{0} parameter(1)\n  exp.5.clone.1 = f32[64]{0} exponential(q), "
           "metadata={op_name=\"jit(f)/exp\" stack_frame_id=2}\n"
           "  made.1 = f32[64]{0} negate(r)\n  ROOT sub.6 = f32[64]{0} add(exp.5.clone.1, made.1), metadata={op_name=\"jit(f)/sub\" "
           "stack_frame_id=2}\n}\n\n"
           "ENTRY e {\n  x = f32[64]{0} parameter(0)\n  a = f32[64]{0} fusion(x), kind=kLoop, calls=one\n  ROOT b = f32[64]{0} fusion(a, x), "
           "kind=kLoop, calls=two\n}\n");
  const Planned ours = planned(before, "stitch");
  const KernelMatches matches = match_kernels(after, ours.graph, ours.plan);
  ASSERT_EQ(matches.ours.size(), 1U);
  EXPECT_EQ(matches.ours[0].ops, 4U);
  EXPECT_EQ(matches.ours[0].found, 4);
  ASSERT_EQ(matches.theirs.size(), 2U);
  EXPECT_EQ(matches.theirs[0], (MatchedKernel{"a", false, 2, 2, 256}));
  EXPECT_EQ(matches.theirs[1], (MatchedKernel{"b", false, 3, 2, 256}));
  EXPECT_EQ(matches.overlaps, (std::vector<KernelOverlap>{{0, 0, 2, 512}, {1, 0, 2, 512}}));
  EXPECT_EQ(matches.by_name, 3U);
  EXPECT_EQ(matches.by_position, 1U);
  EXPECT_EQ(matches.unknown, 1U);
}

// What a name says counts only where the place agrees: another op of that name is no match.
TEST(Match, ANameFromAnotherPlaceIsNoMatch) {
  const graph::Graph before =
      read(std::string("HloModule m\n\n") + kTables +
           "ENTRY e {\n  x = f32[64]{0} parameter(0)\n  ROOT tanh.3 = f32[64]{0} tanh(x), metadata={op_name=\"jit(f)/tanh\" stack_frame_id=1}\n}\n");
  const graph::Graph after =
      read(std::string("HloModule m, is_scheduled=true\n\n") + kTables +
           "one {\n  p = f32[64]{0} parameter(0)\n  ROOT tanh.3 = f32[64]{0} tanh(p), metadata={op_name=\"jit(f)/tanh\" stack_frame_id=2}\n}\n\n"
           "ENTRY e {\n  x = f32[64]{0} parameter(0)\n  ROOT a = f32[64]{0} fusion(x), kind=kLoop, calls=one\n}\n");
  const Planned ours = planned(before, "stitch");
  const KernelMatches matches = match_kernels(after, ours.graph, ours.plan);
  EXPECT_TRUE(matches.overlaps.empty());
  EXPECT_EQ(matches.unknown, 1U);
}

// What real XLA made of our models at real shapes, beside the modules they were made of: nearly every op of its kernels is found.
TEST(Match, RealModules) {
  struct Expected {
    const char* model;
    double least_found;  ///< of their ops
  };
  for (const auto& [model, least_found] : {Expected{"lr.step", 0.85},
                                           {"w2v.step", 0.95},
                                           {"bert_layer.step", 0.9},
                                           {"gpt2_block.step", 0.9},
                                           {"rnn.step", 0.95},
                                           {"birnn.step", 0.95},
                                           {"dlrm.infer", 0.95},
                                           {"nmt.step", 0.9},
                                           {"nmt.unrolled", 0.9},
                                           {"speech.step", 0.8},
                                           {"speech.chunk", 0.95}}) {
    const std::string optimized = std::string(SEAM_UNPACKED) + "/real/optimized/" + model + ".h100.library.hlo";
    const Planned ours = planned(read(read_file(std::string(SEAM_TEST_DATA) + "/xla/" + model + ".hlo").value()), "stitch");
    const KernelMatches matches = match_kernels(read(read_file(optimized).value()), ours.graph, ours.plan);
    double ops = 0, found = 0, ours_ops = 0, ours_found = 0;
    for (const MatchedKernel& kernel : matches.theirs) {
      ops += static_cast<double>(kernel.ops);
      found += kernel.found;
      EXPECT_LE(kernel.found, static_cast<double>(kernel.ops)) << kernel.name;
    }
    for (const MatchedKernel& kernel : matches.ours) {
      ours_ops += static_cast<double>(kernel.ops);
      ours_found += kernel.found;
      EXPECT_LE(kernel.found, static_cast<double>(kernel.ops) + 1e-9) << kernel.name;
    }
    EXPECT_EQ(matches.by_name + matches.by_position + matches.by_size + matches.unknown, static_cast<std::size_t>(ops)) << model;
    EXPECT_GE(found, least_found * ops) << model;
    EXPECT_GE(ours_found, 0.6 * ours_ops) << model;
    RecordProperty(std::string(model), fmt::format("theirs {} of {} by name {} by position {} ours {} of {}", found, ops, matches.by_name,
                                                   matches.by_position, ours_found, ours_ops));
  }
}

}  // namespace
}  // namespace seam::report
