#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/device.h"
#include "graph/hlo.h"
#include "planner/planner.h"

namespace {

using namespace seam;

/// A softmax beside a product, a loop and a branch: something for every line of a plan to speak of.
constexpr std::string_view kModule = R"(HloModule fuzz

max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }

body {
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[64] get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[64] cosine(x)
  ROOT r = (s32[], f32[64]) tuple(next, y)
}

more {
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY main {
  p = f32[32,64] parameter(0)
  w = f32[64,64] parameter(1)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  top = f32[32] reduce(p, low), dimensions={1}, to_apply=max
  wide = f32[32,64] broadcast(top), dimensions={0}
  d = f32[32,64] subtract(p, wide)
  e = f32[32,64] exponential(d)
  n = f32[32] reduce(e, zero), dimensions={1}, to_apply=sum
  m = f32[32,64] broadcast(n), dimensions={0}
  q = f32[32,64] divide(e, m)
  product = f32[32,64] dot(q, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  column = f32[64] reduce(product, zero), dimensions={0}, to_apply=sum
  start = s32[] constant(0)
  state = (s32[], f32[64]) tuple(start, column)
  ran = (s32[], f32[64]) while(state), condition=more, body=body
  out = f32[64] get-tuple-element(ran), index=1
  ROOT result = (f32[64], f32[32,64]) tuple(out, product)
}
)";

const graph::Graph& subject() {
  static const graph::Graph graph = [] {
    const auto module = graph::parse_hlo(kModule, "fuzz.hlo");
    if (!module) __builtin_trap();
    auto ready = planner::prepared(*module, {.device = *device_named("h100")});
    if (!ready) __builtin_trap();
    return *std::move(ready);
  }();
  return graph;
}

}  // namespace

/// .plan text of any bytes for one module: read or refused. What reads prints to text that reads back equal, and the verifier survives it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = planner::parse_plan(text, "fuzz.plan", subject());
  if (!plan) return 0;
  const auto again = planner::parse_plan(planner::print_plan(*plan, subject()), "printed.plan", subject());
  if (!again || !(*again == *plan)) __builtin_trap();
  (void)planner::verify(*plan, subject(), *device_named("h100"));
  return 0;
}
