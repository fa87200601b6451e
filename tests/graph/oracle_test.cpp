// The evaluator against what XLA:CPU computed, on all 30 modules with values, and on what XLA:GPU made of them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <sstream>

#include "graph/orders.h"
#include "graph/tolerance.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "support.h"

namespace seam::graph::test {
namespace {

struct Expected {
  double spread = 0;  ///< between two builds of the same module by XLA:CPU itself
};

std::map<std::size_t, Expected> expectations(const std::filesystem::path& folder) {
  std::map<std::size_t, Expected> rows;
  std::istringstream table(slurp(folder / "expected.tsv"));
  for (std::string line; std::getline(table, line);) {
    std::istringstream row(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(row, field, '\t');) fields.push_back(field);
    if (fields.at(0) == "out") rows[std::stoul(fields.at(1))] = {std::stod(fields.at(5))};
  }
  return rows;
}

Value read_value(const std::filesystem::path& file, const Shape& shape) {
  Result<Array> array = read_npy(file);
  if (array) array = reinterpreted(*std::move(array), shape.dtype);
  if (!array) throw std::runtime_error(describe(array.error()));
  const Result<Value> value = to_value(*array, shape);
  if (!value) throw std::runtime_error(file.string() + ": " + describe(value.error()));
  return *value;
}

/// Outputs of `graph` on the inputs of `folder`, by tuple element.
std::vector<Value> outputs(const Graph& graph, const std::filesystem::path& folder, Rounding rounding) {
  const Computation& entry = graph.entry_computation();
  std::vector<Value> inputs;
  for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
    inputs.push_back(read_value(folder / ("in" + std::to_string(k) + ".npy"), entry.ops[entry.parameters[k]].shape));
  }
  EvaluateOptions options;
  options.rounding = rounding;
  Result<Value> root = evaluate(graph, inputs, options);
  if (!root) throw std::runtime_error(describe(root.error()));
  return root->shape.is_tuple ? std::move(root->elements) : std::vector<Value>{*std::move(root)};
}

struct Deviation {
  double worst = 0;      ///< largest difference / allowed difference
  double difference = 0; ///< there
};

Deviation deviation(const Value& actual, const Value& expected, const Precision& precision) {
  const Tolerance table = tolerance(precision.dtype, precision.reduction_length);
  Deviation result;
  const auto note = [&](double difference, double ratio) {
    if (ratio <= result.worst) return;
    result = {ratio, difference};
  };
  double scale = 0;
  for (const double number : expected.numbers) {
    if (std::isfinite(number)) scale = std::max(scale, std::fabs(number));
  }
  for (std::size_t i = 0; i < expected.numbers.size(); ++i) {
    const double got = actual.numbers.at(i), want = expected.numbers[i];
    if (got == want || (std::isnan(got) && std::isnan(want))) continue;
    const double difference = std::fabs(got - want);
    note(difference, std::isfinite(difference) ? difference / (table.abs * scale + table.rel * std::fabs(want)) : HUGE_VAL);
  }
  for (std::size_t i = 0; i < expected.integers.size(); ++i) {
    if (actual.integers.at(i) != expected.integers[i]) note(HUGE_VAL, HUGE_VAL);
  }
  return result;
}

/// Every output within `factor` × the table; where only XLA's own spread saves it, says so.
void compare(const Graph& graph, const std::filesystem::path& folder, Rounding rounding, double factor) {
  const auto expected = expectations(folder);
  const std::vector<Precision> precisions = output_precisions(graph);
  const std::vector<Value> actual = outputs(graph, folder, rounding);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    const Value want = read_value(folder / ("out" + std::to_string(k) + ".npy"), actual[k].shape);
    const Deviation found = deviation(actual[k], want, precisions[k]);
    if (found.worst <= factor) continue;
    const double spread = expected.at(k).spread;
    if (found.difference <= spread) {
      std::printf("  %s output %zu: %g beyond the table, within XLA:CPU's own spread of %g\n", folder.filename().c_str(), k,
                  found.difference, spread);
      continue;
    }
    ADD_FAILURE() << folder.filename() << " output " << k << ": " << found.difference << " is " << found.worst
                  << " x what the table allows for " << name(precisions[k].dtype) << ", sums of "
                  << precisions[k].reduction_length;
  }
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& tested) {
  std::string name = tested.param.filename().string();
  std::ranges::replace(name, '.', '_');
  return name;
}

class Oracle : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Oracle, RoundedEqualsXlaWithinTheTable) {
  compare(module(slurp(GetParam() / "before.hlo")), GetParam(), Rounding::Rounded, 1);
}

// In double the f16 and bf16 intermediates keep what XLA rounds away. The GPT-2 block's backward pass multiplies that (its
// gradients reach 366); everything else stays within the table here too.
TEST_P(Oracle, WideIsCloseToXla) {
  const bool amplifies = GetParam().filename().string().starts_with("gpt2_block");
  compare(module(slurp(GetParam() / "before.hlo")), GetParam(), Rounding::Wide, amplifies ? 2 : 1);
}

/// Every value that may be is given dims in some order.
Graph with_random_orders(const Graph& graph, std::uint32_t seed) {
  std::mt19937 random(seed);
  Graph out = with_own_broadcasts(graph);
  for (std::size_t c = 0; c < out.computations.size(); ++c) {
    const Computation& computation = out.computations[Id<Computation>(c)];
    Orders orders(computation.ops.size());
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const Op& op = computation.ops[Id<Op>(i)];
      if (!may_reorder(op)) continue;
      Order order = row_major_order(op.shape.rank());
      std::ranges::shuffle(order, random);
      orders[Id<Op>(i)] = std::move(order);
    }
    out.computations[Id<Computation>(c)] = reordered(computation, orders);
  }
  return out;
}

// A layout is no part of a program's meaning.
TEST_P(Oracle, AnyOrderOfDimsComputesTheSame) {
  const bool amplifies = GetParam().filename().string().starts_with("gpt2_block");
  const Graph graph = inline_calls(module(slurp(GetParam() / "before.hlo")), true);
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const Graph other = with_random_orders(graph, seed);
    const Result<void> sound = verify(other);
    ASSERT_TRUE(sound) << describe(sound.error());
    EXPECT_NE(print_graph(other), print_graph(graph));
    compare(other, GetParam(), Rounding::Wide, amplifies ? 2 : 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Oracle, testing::ValuesIn(oracle_modules()), test_name);

TEST(OracleData, HasThirtyModules) { EXPECT_EQ(oracle_modules().size(), 30U); }

// The same values out of the GPU compiler's result: fusions, layouts, bitcasts, cuBLAS and cuDNN calls with their epilogues.
TEST(OracleData, OptimizedModulesComputeTheSame) {
  std::size_t evaluated = 0;
  for (const std::filesystem::path& folder : oracle_modules()) {
    for (const char* preset : {"h100.library", "h100.default"}) {
      const std::filesystem::path file = folder / preset / "optimized.hlo";
      if (!std::filesystem::exists(file)) continue;
      const Graph graph = module(slurp(file));
      bool elided = false;
      for (const Computation& computation : graph.computations) {
        for (const Op& op : computation.ops) elided = elided || (op.opcode == Opcode::Constant && !op.attributes.literal.known);
      }
      if (elided) {
        std::printf("  %s %s: the dump elides constants, nothing to compare\n", folder.filename().c_str(), preset);
        continue;
      }
      compare(graph, folder, Rounding::Wide, 2);
      ++evaluated;
    }
  }
  EXPECT_EQ(evaluated, 30U);
}

// The table must be able to fail: a result that is off by a typical mistake is far outside.
TEST(OracleData, TableCatchesWrongValues) {
  const std::filesystem::path folder = SEAM_UNPACKED "/oracle/lr.step";
  const Graph graph = module(slurp(folder / "before.hlo"));
  std::vector<Value> actual = outputs(graph, folder, Rounding::Rounded);
  actual[0].numbers[5] *= 1.0001;
  const Value want = read_value(folder / "out0.npy", actual[0].shape);
  EXPECT_GT(deviation(actual[0], want, output_precisions(graph)[0]).worst, 1);
}

// An f32 loss of an f16 model is as exact as f16.
TEST(Precision, FollowsTheNarrowestTypeOnThePath) {
  const Graph graph = module(R"(
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[8,16] parameter(0)
  h = f16[8,16] convert(x)
  w = f32[8,16] convert(h)
  z = f32[] constant(0)
  loss = f32[] reduce(w, z), dimensions={0,1}, to_apply=add
  direct = f32[8,16] negate(x)
  ROOT t = (f32[], f32[8,16]) tuple(loss, direct)
})");
  const std::vector<Precision> found = output_precisions(graph);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].dtype, DType::F16);
  EXPECT_EQ(found[0].reduction_length, 128);
  EXPECT_EQ(found[1].dtype, DType::F32);
  EXPECT_EQ(found[1].reduction_length, 1);
}

}  // namespace
}  // namespace seam::graph::test
