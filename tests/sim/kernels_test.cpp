/// Ten kernels as a code generator would write them, compiled by NVRTC, against references in double: right values, no
/// report for any seed, ragged shape or compiler option, and the traffic they must have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>

#include "base/dtype.h"
#include "device.h"

namespace seam::sim {
namespace {

using Half = std::uint16_t;

std::vector<float> normal(std::size_t count, unsigned seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> out(count);
  for (float& x : out) x = distribution(random) * scale;
  return out;
}
std::vector<Half> to_bf16(const std::vector<float>& in) {
  std::vector<Half> out;
  for (const float x : in) out.push_back(f32_to_bf16(x));
  return out;
}

struct Case {
  const Module& module;
  std::size_t rows, columns;
  Checks checks;
  bool fast_math = false;
  Outcome outcome = {};

  void run(Memory& memory, std::string_view kernel, Dim3 grid, Dim3 block, std::int64_t shared,
           const std::vector<std::byte>& arguments, bool cooperative = false) {
    Launch launch;
    launch.kernel = std::string(kernel);
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared = shared;
    launch.parameters = arguments;
    launch.cooperative = cooperative;
    auto result = sim::launch(module, memory, launch, checks);
    ASSERT_TRUE(result) << describe(result.error());
    outcome = *std::move(result);
    EXPECT_TRUE(outcome.clean()) << test::text(outcome);
  }
};

double worst(const std::vector<double>& expected, const std::function<double(std::size_t)>& actual) {
  double out = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(actual(i) - expected[i]) / (1 + std::fabs(expected[i]));
    if (!(error <= out)) out = error;
  }
  return out;
}

void softmax(std::vector<double>& row) {
  const double most = *std::ranges::max_element(row);
  double sum = 0;
  for (double& x : row) sum += x = std::exp(x - most);
  for (double& x : row) x /= sum;
}
void normalize(std::vector<double>& row, const std::vector<float>& g, const std::vector<float>& b) {
  const auto n = static_cast<double>(row.size());
  double mean = 0;
  double square = 0;
  for (const double x : row) mean += x / n;
  for (const double x : row) square += (x - mean) * (x - mean) / n;
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = (row[j] - mean) / std::sqrt(square + 1e-5) * g[j] + b[j];
  }
}
/// Applies `change` to each row of a matrix of doubles.
template <class T>
std::vector<double> by_rows(const std::vector<T>& in, std::size_t columns,
                            const std::function<double(T)>& value,
                            const std::function<void(std::vector<double>&)>& change) {
  std::vector<double> out;
  for (std::size_t i = 0; i < in.size(); i += columns) {
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j) row.push_back(value(in[i + j]));
    change(row);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}
double same(float x) { return x; }
double from_bf16(Half x) { return bf16_to_f32(x); }
double from_f16(Half x) { return f16_to_f32(x); }

using test::Arguments;

std::uint32_t u32(std::size_t x) { return static_cast<std::uint32_t>(x); }
std::int64_t row_shared(const Case& c) { return static_cast<std::int64_t>((c.columns + 32) * 4); }

void run_softmax(Case& c) {
  const auto x = normal(c.rows * c.columns, 1, 2);
  Memory memory;
  const auto in = test::input(memory, "x", x);
  const auto out = test::output<float>(memory, "y", x.size());
  c.run(memory, "k_softmax", {u32(c.rows)}, {256}, row_shared(c),
        Arguments(c.module, "k_softmax").add(in).add(out).add(static_cast<int>(c.columns)).bytes());
  const auto y = test::values<float>(memory, out);
  EXPECT_LT(worst(by_rows<float>(x, c.columns, same, softmax), [&](std::size_t i) { return y[i]; }), 1e-6);
  EXPECT_EQ(memory.unwritten_bytes(out), 0);
  // One pass: every byte once in, once out.
  EXPECT_EQ(c.outcome.counters.bytes_read, x.size() * 4);
  EXPECT_EQ(c.outcome.counters.bytes_written, x.size() * 4);
  EXPECT_EQ(c.outcome.counters.distinct_bytes_read, x.size() * 4);
}

void run_layernorm(Case& c) {
  const auto x = normal(c.rows * c.columns, 1, 2);
  const auto g = normal(c.columns, 2);
  const auto b = normal(c.columns, 3);
  Memory memory;
  const auto in = test::input(memory, "x", x);
  const auto gain = test::input(memory, "g", g);
  const auto bias = test::input(memory, "b", b);
  const auto out = test::output<float>(memory, "y", x.size());
  const auto mean = test::output<float>(memory, "mean", c.rows);
  const auto rstd = test::output<float>(memory, "rstd", c.rows);
  c.run(memory, "k_layernorm", {u32(c.rows)}, {256}, row_shared(c),
        Arguments(c.module, "k_layernorm").add(in).add(gain).add(bias).add(out).add(mean).add(rstd)
            .add(static_cast<int>(c.columns)).add(1e-5F).bytes());
  const auto y = test::values<float>(memory, out);
  EXPECT_LT(worst(by_rows<float>(x, c.columns, same,
                                 [&](std::vector<double>& row) { normalize(row, g, b); }),
                  [&](std::size_t i) { return y[i]; }), 1e-5);
  // g and b are read again for each row, but their bytes are few.
  EXPECT_EQ(c.outcome.counters.bytes_read, 3 * x.size() * 4);
  EXPECT_EQ(c.outcome.counters.distinct_bytes_read, (x.size() + 2 * c.columns) * 4);
  EXPECT_EQ(memory.unwritten_bytes(mean) + memory.unwritten_bytes(rstd), 0);
}

void run_layernorm_backward(Case& c) {
  const auto x = normal(c.rows * c.columns, 1, 2);
  const auto g = normal(c.columns, 2);
  const auto dy = normal(x.size(), 7);
  std::vector<float> mean(c.rows);
  std::vector<float> rstd(c.rows);
  std::vector<double> dx(x.size());
  std::vector<double> dg(c.columns);
  std::vector<double> db(c.columns);
  const auto n = static_cast<double>(c.columns);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const float* row = &x[i * c.columns];
    double m = 0;
    double s = 0;
    for (std::size_t j = 0; j < c.columns; ++j) m += row[j] / n;
    for (std::size_t j = 0; j < c.columns; ++j) s += (row[j] - m) * (row[j] - m) / n;
    mean[i] = static_cast<float>(m);
    rstd[i] = static_cast<float>(1 / std::sqrt(s + 1e-5));
    double s1 = 0;
    double s2 = 0;
    for (std::size_t j = 0; j < c.columns; ++j) {
      const double xh = (double{row[j]} - mean[i]) * rstd[i];
      const double d = dy[i * c.columns + j];
      s1 += d * g[j] / n;
      s2 += d * g[j] * xh / n;
      dg[j] += d * xh;
      db[j] += d;
    }
    for (std::size_t j = 0; j < c.columns; ++j) {
      const double xh = (double{row[j]} - mean[i]) * rstd[i];
      dx[i * c.columns + j] = rstd[i] * (double{dy[i * c.columns + j]} * g[j] - s1 - xh * s2);
    }
  }
  Memory memory;
  const auto args = [&](std::uint64_t a, std::uint64_t b, std::uint64_t d) {
    return Arguments(c.module, "k_layernorm_bwd").add(test::input(memory, "x", x))
        .add(test::input(memory, "g", g)).add(test::input(memory, "dy", dy))
        .add(test::input(memory, "mean", mean)).add(test::input(memory, "rstd", rstd))
        .add(a).add(b).add(d).add(static_cast<int>(c.columns)).bytes();
  };
  const auto out = test::output<float>(memory, "dx", x.size());
  const auto gains = test::input(memory, "dg", std::vector<float>(c.columns), false);
  const auto biases = test::input(memory, "db", std::vector<float>(c.columns), false);
  c.run(memory, "k_layernorm_bwd", {u32(c.rows)}, {256}, 0, args(out, gains, biases));
  const auto a = test::values<float>(memory, out);
  const auto b = test::values<float>(memory, gains);
  const auto d = test::values<float>(memory, biases);
  EXPECT_LT(worst(dx, [&](std::size_t i) { return a[i]; }), 2e-5);
  EXPECT_LT(worst(dg, [&](std::size_t i) { return b[i]; }), 1e-4);
  EXPECT_LT(worst(db, [&](std::size_t i) { return d[i]; }), 1e-4);
  EXPECT_EQ(c.outcome.counters.atomics, 2 * x.size());
}

/// Philox 4x32-10 with counter (c0, 0, 0, 0) and key (seed, 0).
void philox(std::uint32_t c0, std::uint32_t seed, std::uint32_t out[4]) {
  std::uint32_t c[4] = {c0, 0, 0, 0};
  std::uint32_t k0 = seed;
  std::uint32_t k1 = 0;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c[2];
    const std::uint32_t next[4] = {u32(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
                                   u32(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    std::copy(next, next + 4, c);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  std::copy(c, c + 4, out);
}

void run_gelu_dropout(Case& c) {
  const auto x = to_bf16(normal(c.rows * c.columns, 1, 2));
  const auto bias = to_bf16(normal(c.columns, 3));
  const float p = 0.1F;
  Memory memory;
  const auto out = test::output<Half>(memory, "y", x.size());
  const auto arguments = Arguments(c.module, "k_gelu_drop").add(test::input(memory, "x", x))
      .add(test::input(memory, "bias", bias)).add(out).add(static_cast<int>(x.size()))
      .add(static_cast<int>(c.columns)).add(p).add(1234U).bytes();
  c.run(memory, "k_gelu_drop", {u32((x.size() / 8 + 255) / 256)}, {256}, 0, arguments);
  std::vector<double> expected;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint32_t random[4];
    philox(u32(i / 4), 1234, random);
    const double v = from_bf16(x[i]) + from_bf16(bias[i % c.columns]);
    const double y = 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
    const bool kept = static_cast<float>(random[i % 4]) * 2.3283064365386963e-10F >= p;
    expected.push_back(kept ? y / (1 - p) : 0);
  }
  const auto y = test::values<Half>(memory, out);
  EXPECT_LT(worst(expected, [&](std::size_t i) { return from_bf16(y[i]); }), 5e-3);
}

void run_transpose(Case& c) {
  const auto x = normal(c.rows * c.columns, 1);
  Memory memory;
  const auto in = test::input(memory, "x", x);
  const auto out = test::output<float>(memory, "y", x.size());
  c.run(memory, "k_transpose", {u32((c.columns + 31) / 32), u32((c.rows + 31) / 32)}, {32, 8}, 0,
        Arguments(c.module, "k_transpose").add(in).add(out).add(static_cast<int>(c.rows))
            .add(static_cast<int>(c.columns)).bytes());
  const auto y = test::values<float>(memory, out);
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.columns; ++j) {
      ASSERT_EQ(y[j * c.rows + i], x[i * c.columns + j]);
    }
  }
  // The padded tile has no bank conflict: one wavefront a request.
  EXPECT_EQ(c.outcome.counters.shared_wavefronts, c.outcome.counters.shared_requests);
}

void run_column_sum(Case& c) {
  const auto x = normal(c.rows * c.columns, 1, 2);
  Memory memory;
  const auto in = test::input(memory, "x", x);
  const auto out = test::input(memory, "y", std::vector<float>(c.columns), false);
  c.run(memory, "k_colsum", {u32((c.columns + 31) / 32), u32(std::min<std::size_t>(8, (c.rows + 7) / 8))},
        {32, 8}, 0, Arguments(c.module, "k_colsum").add(in).add(out).add(static_cast<int>(c.rows))
            .add(static_cast<int>(c.columns)).bytes());
  std::vector<double> expected(c.columns);
  for (std::size_t i = 0; i < x.size(); ++i) expected[i % c.columns] += x[i];
  const auto y = test::values<float>(memory, out);
  EXPECT_LT(worst(expected, [&](std::size_t i) { return y[i]; }), 1e-5);
}

void run_warp_softmax(Case& c) {
  std::vector<Half> x;
  for (const float v : normal(c.rows * c.columns, 1, 2)) x.push_back(f32_to_f16(v));
  Memory memory;
  const auto in = test::input(memory, "x", x);
  const auto out = test::output<Half>(memory, "y", x.size());
  c.run(memory, "k_softmax_warp_h", {u32((c.rows + 3) / 4)}, {128}, 0,
        Arguments(c.module, "k_softmax_warp_h").add(in).add(out).add(static_cast<int>(c.rows))
            .add(static_cast<int>(c.columns)).bytes());
  const auto y = test::values<Half>(memory, out);
  EXPECT_LT(worst(by_rows<Half>(x, c.columns, from_f16, softmax),
                  [&](std::size_t i) { return from_f16(y[i]); }), 5e-4);
}

void run_norm_gelu_norm(Case& c) {
  const auto x = to_bf16(normal(c.rows * c.columns, 1, 2));
  const auto residual = to_bf16(normal(x.size(), 9));
  const std::vector<float> w[4] = {normal(c.columns, 2), normal(c.columns, 3), normal(c.columns, 4),
                                   normal(c.columns, 5)};
  Memory memory;
  Arguments arguments(c.module, "k_ln_ew_ln");
  arguments.add(test::input(memory, "x", x)).add(test::input(memory, "res", residual));
  for (const auto& one : w) arguments.add(test::input(memory, "w", one));
  const auto out = test::output<Half>(memory, "y", x.size());
  arguments.add(out).add(static_cast<int>(c.columns)).add(1e-5F);
  c.run(memory, "k_ln_ew_ln", {u32(c.rows)}, {256}, row_shared(c), arguments.bytes());
  std::size_t row_start = 0;
  const auto expected = by_rows<Half>(x, c.columns, from_bf16, [&](std::vector<double>& row) {
    normalize(row, w[0], w[1]);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = 0.5 * row[j] * (1 + std::erf(row[j] * 0.70710678118)) +
               from_bf16(residual[row_start + j]);
    }
    normalize(row, w[2], w[3]);
    row_start += row.size();
  });
  const auto y = test::values<Half>(memory, out);
  EXPECT_LT(worst(expected, [&](std::size_t i) { return from_bf16(y[i]); }), 5e-3);
}

void run_async_row_sum(Case& c) {
  const auto x = normal(c.rows * c.columns, 1, 2);
  Memory memory;
  const auto in = test::input(memory, "x", x);
  const auto out = test::output<float>(memory, "y", c.rows);
  c.run(memory, "k_cpasync_rowsum", {u32(c.rows)}, {128}, 0,
        Arguments(c.module, "k_cpasync_rowsum").add(in).add(out).add(static_cast<int>(c.columns)).bytes());
  std::vector<double> expected(c.rows);
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.columns / 512 * 512; ++j) expected[i] += x[i * c.columns + j];
  }
  const auto y = test::values<float>(memory, out);
  EXPECT_LT(worst(expected, [&](std::size_t i) { return y[i]; }), 1e-4);
}

void run_grid_norm(Case& c) {
  const auto x = normal(c.rows * c.columns, 1, 2);
  Memory memory;
  const std::uint32_t blocks = 6;
  const auto in = test::input(memory, "x", x);
  const auto out = test::output<float>(memory, "y", x.size());
  const auto part = test::output<float>(memory, "part", blocks);
  const auto barrier = test::input(memory, "bar", std::vector<std::uint32_t>(1), false);
  c.run(memory, "k_grid_norm", {blocks}, {256}, 0,
        Arguments(c.module, "k_grid_norm").add(in).add(out).add(part).add(barrier)
            .add(static_cast<int>(x.size())).bytes(), true);
  double sum = 0;
  for (const float v : x) sum += double{v} * v;
  std::vector<double> expected;
  for (const float v : x) expected.push_back(v / std::sqrt(sum));
  const auto y = test::values<float>(memory, out);
  EXPECT_LT(worst(expected, [&](std::size_t i) { return y[i]; }), 1e-6);
}

struct Kernel {
  const char* name;
  void (*run)(Case&);
  std::vector<std::pair<std::size_t, std::size_t>> shapes;
};

/// Shapes: ragged ones, and loops of 0, 1, 2 and stages + 1 trips.
const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> all = {
      {"softmax", run_softmax, {{8, 1024}, {5, 1000}, {3, 4}}},
      {"layernorm", run_layernorm, {{8, 1024}, {5, 999}, {3, 7}}},
      {"layernorm_backward", run_layernorm_backward, {{8, 512}, {5, 333}}},
      {"gelu_dropout", run_gelu_dropout, {{8, 1024}, {3, 1000}}},
      {"transpose", run_transpose, {{64, 96}, {37, 100}, {1, 33}}},
      {"column_sum", run_column_sum, {{64, 96}, {37, 100}, {3, 33}}},
      {"warp_softmax", run_warp_softmax, {{8, 1024}, {5, 1000}, {7, 2}}},
      {"norm_gelu_norm", run_norm_gelu_norm, {{4, 1024}, {3, 1000}}},
      {"async_row_sum", run_async_row_sum, {{3, 512}, {3, 1024}, {3, 1536}, {3, 3072}}},
      {"grid_norm", run_grid_norm, {{8, 1024}, {5, 333}}},
  };
  return all;
}

class Kernels : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static std::shared_ptr<const Module> module(int compute, bool fast) {
    static std::map<std::pair<int, bool>, std::shared_ptr<const Module>> cache;
    auto& known = cache[{compute, fast}];
    if (known) return known;
    std::ifstream in(std::string(SEAM_TEST_DIR) + "/kernels/kernels.cuh");
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::vector<std::string> options{"--generate-line-info"};
    if (fast) options.emplace_back("--use_fast_math");
    const std::string ptx = test::nvrtc().ptx(text, "kernels.cu", compute, options);
    EXPECT_FALSE(ptx.empty()) << test::nvrtc().log;
    return known = ptx.empty() ? nullptr : test::load(ptx, "kernels.ptx");
  }
};

TEST_P(Kernels, ComputeWhatTheyShould) {
  if (!test::nvrtc().available()) GTEST_SKIP() << "SKIP: no NVRTC: the ten kernels are not run";
  const auto [compute, fast] = GetParam();
  const auto loaded = module(compute, fast);
  ASSERT_TRUE(loaded);
  for (const Kernel& kernel : all_kernels()) {
    for (const auto& [rows, columns] : kernel.shapes) {
      for (const std::uint64_t seed : {0U, 1U, 2U, 5U}) {
        SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(rows) + "x" +
                     std::to_string(columns) + " seed " + std::to_string(seed));
        Case one{*loaded, rows, columns, {}, fast};
        one.checks.seed = seed;
        kernel.run(one);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Kernels,
                         testing::Values(std::tuple(75, false), std::tuple(80, false),
                                         std::tuple(90, false), std::tuple(90, true)));

}  // namespace
}  // namespace seam::sim
