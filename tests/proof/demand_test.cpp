/// Demand (values of chosen elements) must agree with the evaluator of whole graphs: the same meaning, computed another way.
#include "validate/demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "graph/hlo.h"
#include "validate/inputs.h"

namespace seam::codegen {
namespace {

struct Case {
  const char* name;
  const char* text;
};

const Case kCases[] = {
    {"elementwise", R"(ENTRY e { a = f32[3,5] parameter(0)
 b = f32[3,5] parameter(1)
 c = f32[3,5] multiply(a, b)
 d = f32[3,5] tanh(c)
 ROOT r = f32[3,5] subtract(d, a) })"},
    {"half", R"(ENTRY e { a = f16[40] parameter(0)
 b = f16[40] exponential(a)
 c = f32[40] convert(b)
 d = f32[40] multiply(c, c)
 ROOT r = f16[40] convert(d) })"},
    {"scalars", R"(ENTRY e { a = f32[4,6] parameter(0)
 z = f32[] constant(0)
 o = f32[] constant(1)
 ROOT r = f32[4,6] clamp(z, a, o) })"},
    {"broadcast", R"(ENTRY e { a = f32[4] parameter(0)
 b = f32[2,4,3] broadcast(a), dimensions={1}
 c = f32[4,2,3] transpose(b), dimensions={1,0,2}
 ROOT r = f32[24] reshape(c) })"},
    {"layout", R"(ENTRY e { a = s32[6,7] parameter(0)
 s = s32[3,3] slice(a), slice={[0:6:2], [1:7:2]}
 v = s32[3,3] reverse(s), dimensions={1}
 z = s32[] constant(-5)
 p = s32[7,4] pad(v, z), padding=1_1_1x2_-1
 b = s32[1,4] slice(p), slice={[2:3], [0:4]}
 ROOT r = s32[9,4] concatenate(b, p, b), dimensions={0} })"},
    {"iota", R"(ENTRY e { a = f32[3,4] parameter(0)
 i = s32[3,4] iota(), iota_dimension=1
 f = f32[3,4] convert(i)
 ROOT r = f32[3,4] add(a, f) })"},
    {"dynamic", R"(ENTRY e { a = f32[5,6] parameter(0)
 i = s32[] parameter(1)
 j = s32[] constant(1)
 s = f32[2,3] dynamic-slice(a, i, j), dynamic_slice_sizes={2,3}
 t = f32[2,3] negate(s)
 ROOT r = f32[5,6] dynamic-update-slice(a, t, j, i) })"},
    {"gather", R"(ENTRY e { a = f32[7,4] parameter(0)
 i = s32[3,2] parameter(1)
 ROOT r = f32[3,2,4] gather(a, i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,4} })"},
    {"reduce", R"(add { x = f32[] parameter(0)
 y = f32[] parameter(1)
 ROOT s = f32[] add(x, y) }
ENTRY e { a = f32[4,5,6] parameter(0)
 z = f32[] constant(0.5)
 m = f32[5] reduce(a, z), dimensions={0,2}, to_apply=add
 b = f32[4,5,6] broadcast(m), dimensions={1}
 c = f32[4,5,6] subtract(a, b)
 d = f32[4,5,6] multiply(c, c)
 ROOT r = f32[4,6] reduce(d, z), dimensions={1}, to_apply=add })"},
    {"dot", R"(ENTRY e { a = f32[2,3,5] parameter(0)
 b = f32[2,5,4] parameter(1)
 d = f32[2,3,4] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}
 ROOT r = f32[2,3,4] negate(d) })"},
    {"scatter", R"(add { x = f32[] parameter(0)
 y = f32[] parameter(1)
 ROOT s = f32[] add(x, y) }
ENTRY e { a = f32[6,3] parameter(0)
 i = s32[4,1] parameter(1)
 u = f32[4,3] parameter(2)
 s = f32[6,3] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
 ROOT r = f32[6,3] negate(s) })"},
    {"scatter_windows", R"(max { x = f32[] parameter(0)
 y = f32[] parameter(1)
 ROOT s = f32[] maximum(x, y) }
ENTRY e { a = f32[7,3,5] parameter(0)
 i = s32[2,6] parameter(1)
 u = f32[6,2,3] parameter(2)
 ROOT r = f32[7,3,5] scatter(a, i, u), update_window_dims={1,2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={2,0}, index_vector_dim=0, to_apply=max })"},
    {"scatter_batched", R"(add { x = f32[] parameter(0)
 y = f32[] parameter(1)
 ROOT s = f32[] add(x, y) }
ENTRY e { a = f32[4,9,2] parameter(0)
 i = s32[4,5,1] parameter(1)
 u = f32[4,5,2] parameter(2)
 ROOT r = f32[4,9,2] scatter(a, i, u), update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add })"},
};

class DemandCase : public testing::TestWithParam<Case> {};

TEST_P(DemandCase, AgreesWithTheWholeGraph) {
  const Result<graph::Graph> module = graph::parse_hlo(GetParam().text, GetParam().name);
  ASSERT_TRUE(module) << module.error().message;
  const graph::Computation& entry = module->entry_computation();
  std::vector<Array> arrays;
  std::vector<graph::Value> values;
  std::map<Id<graph::Op>, const Array*> inputs;
  for (const Id<graph::Op> p : entry.parameters) {
    const graph::Shape& shape = entry.ops[p].shape;
    arrays.push_back(random_array(shape.dtype, shape.dims, Distribution::Normal, 7 + arrays.size(), -2, 8));
    values.push_back(*graph::to_value(arrays.back(), shape));
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) inputs[entry.parameters[i]] = &arrays[i];
  const Demand demand(*module, entry, inputs);
  std::mt19937 random(3);
  for (const graph::Rounding rounding : {graph::Rounding::Wide, graph::Rounding::Rounded}) {
    const auto whole = graph::evaluate(*module, values, {.rounding = rounding, .progress = {}});
    ASSERT_TRUE(whole) << whole.error().message;
    const std::int64_t n = entry.ops[entry.root].shape.elements_count();
    Indices all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    std::ranges::shuffle(all, random);
    for (const std::size_t count : {all.size(), all.size() / 3, std::size_t{1}}) {
      const Indices some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      const auto got = demand.values(entry.root, some, rounding);
      ASSERT_TRUE(got) << got.error().message;
      const graph::Value want = picked(*whole, some);
      ASSERT_EQ(got->numbers.size(), want.numbers.size());
      ASSERT_EQ(got->integers, want.integers);
      for (std::size_t i = 0; i < want.numbers.size(); ++i) {
        EXPECT_NEAR(got->numbers[i], want.numbers[i], 1e-6 * std::abs(want.numbers[i])) << GetParam().name << " element " << some[i];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, DemandCase, testing::ValuesIn(kCases), [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace seam::codegen
