#include "report/origin.h"

#include <gtest/gtest.h>

namespace seam::report {
namespace {

TEST(Origin, NamesTheModelsPartNotTheTracing) {
  EXPECT_EQ(origin_label("jit(step)/transpose(jvp(attention))/softmax/mul"), "attention/softmax, backward");
  EXPECT_EQ(origin_label("jit(step)/jvp(residual2)/layer_norm/reduce_sum"), "residual2/layer_norm");
  EXPECT_EQ(origin_label("jit(step)/jvp(ffn)/dropout/jit(_where)"), "ffn/dropout");
  EXPECT_EQ(origin_label("jit(step)/jvp(attention)/scores/bhlp,bhkp->bhlk/dot_general"), "attention/scores/bhlp,bhkp->bhlk");
  EXPECT_EQ(origin_label("jit(step)/adam/mul"), "adam");
  EXPECT_EQ(origin_label("gradients/dense/MatMul_grad/MatMul"), "gradients/dense/MatMul_grad");
}

TEST(Origin, UnknownStaysUnknown) {
  EXPECT_EQ(origin_label(""), "");
  EXPECT_EQ(origin_label("reduce_sum"), "");
  EXPECT_EQ(origin_label("jit(step)/mul"), "");
  EXPECT_EQ(origin_label("jit(a/b"), "") << "an open bracket does not split, nor crash";
  EXPECT_EQ(origin_label("///"), "");
}

}  // namespace
}  // namespace seam::report
