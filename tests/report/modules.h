#pragma once
/// Small modules that the report tests optimize: no compiler needed for most of what they look at.
#include <gtest/gtest.h>

#include <string>

#include "report/optimize.h"

namespace seam::report::test {

/// Softmax of a matrix product, with a scale: a library call between two levels.
inline constexpr const char* kSoftmax = R"(HloModule softmax, entry_computation_layout={(f32[32,48]{1,0}, f32[48,64]{1,0}, f32[64]{0})->f32[32,64]{1,0}}

max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[32,48]{1,0} parameter(0)
  w = f32[48,64]{1,0} parameter(1)
  g = f32[64]{0} parameter(2)
  two = f32[] constant(2)
  twos = f32[32,48]{1,0} broadcast(two), dimensions={}
  scaled = f32[32,48]{1,0} multiply(x, twos), metadata={op_name="jit(f)/scale/mul"}
  scores = f32[32,64]{1,0} dot(scaled, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/scores/dot_general"}
  low = f32[] constant(-inf)
  top = f32[32]{0} reduce(scores, low), dimensions={1}, to_apply=max, metadata={op_name="jit(f)/softmax/reduce_max"}
  tops = f32[32,64]{1,0} broadcast(top), dimensions={0}, metadata={op_name="jit(f)/softmax/sub"}
  shifted = f32[32,64]{1,0} subtract(scores, tops), metadata={op_name="jit(f)/softmax/sub"}
  e = f32[32,64]{1,0} exponential(shifted), metadata={op_name="jit(f)/softmax/exp"}
  zero = f32[] constant(0)
  total = f32[32]{0} reduce(e, zero), dimensions={1}, to_apply=sum, metadata={op_name="jit(f)/softmax/reduce_sum"}
  totals = f32[32,64]{1,0} broadcast(total), dimensions={0}, metadata={op_name="jit(f)/softmax/div"}
  p = f32[32,64]{1,0} divide(e, totals), metadata={op_name="jit(f)/softmax/div"}
  gs = f32[32,64]{1,0} broadcast(g), dimensions={1}
  ROOT out = f32[32,64]{1,0} multiply(p, gs), metadata={op_name="jit(f)/gain/mul"}
}
)";

inline OptimizeRequest request(const std::string& text, bool prove) {
  OptimizeRequest request;
  request.text = text;
  request.file = "dir/softmax.hlo";
  request.command = "seam optimize softmax.hlo --device h100 -o DIR";
  request.tool = "seam test";
  request.options.device = *device_named("h100");
  request.prove = prove;
  request.threads = 2;
  return request;
}

inline Optimized optimized(const std::string& text, bool prove) {
  auto result = optimize(request(text, prove));
  EXPECT_TRUE(result) << (result ? "" : describe(result.error()));
  return result ? *std::move(result) : Optimized{};
}

}  // namespace seam::report::test
