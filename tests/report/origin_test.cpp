#include "report/origin.h"

#include <gtest/gtest.h>

#include "modules.h"

namespace seam::report {
namespace {

TEST(Origin, AKernelIsNamedAfterWhatTheFrameworkCalledItsOps) {
  const Optimized o = test::optimized(test::kSoftmax, false);
  ASSERT_NE(o.plan, nullptr);
  std::string titles;
  for_each_kernel(o, [&](const KernelView& kernel) { titles += title_of(kernel) + "\n"; });
  EXPECT_NE(titles.find("scale"), std::string::npos) << titles;
  EXPECT_NE(titles.find("softmax"), std::string::npos) << titles;
}

TEST(Origin, UnknownStaysUnknown) {
  const graph::Graph graph;
  graph::Op op;
  EXPECT_EQ(origin_label(graph, op), "");
  op.metadata.op_name = "jit(step)/transpose(jvp(attention))/softmax/mul";
  EXPECT_EQ(origin_label(graph, op), "attention/softmax, backward");
}

}  // namespace
}  // namespace seam::report
