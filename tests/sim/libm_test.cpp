/// CUDA's own math functions, as NVRTC compiles them, against the host's in double: hundreds of instructions each, with directed
/// rounding, bit tricks, tables in local memory and calls. A wrong opcode shows here even if nobody thought of it.
#include <algorithm>
#include <functional>

#include "base/dtype.h"
#include "opcode.h"

namespace seam::sim::test {
namespace {

struct Function {
  const char* name;
  const char* cuda;              ///< expression in float v (and w)
  std::function<double(double, double)> host;
  double ulps;                   ///< CUDA's documented bound, or a little more
  double least, most;            ///< range of v
};

const std::vector<Function>& functions() {
  using std::fabs;
  static const std::vector<Function> all = {
      {"expf", "expf(v)", [](double v, double) { return std::exp(v); }, 2, -87, 88},
      {"exp2f", "exp2f(v)", [](double v, double) { return std::exp2(v); }, 2, -125, 127},
      {"exp10f", "exp10f(v)", [](double v, double) { return std::pow(10, v); }, 2, -37, 38},
      {"expm1f", "expm1f(v)", [](double v, double) { return std::expm1(v); }, 2, -20, 80},
      {"logf", "logf(fabsf(v))", [](double v, double) { return std::log(std::fabs(v)); }, 2, -1e30, 1e30},
      {"log2f", "log2f(fabsf(v))", [](double v, double) { return std::log2(std::fabs(v)); }, 2, -1e30, 1e30},
      {"log10f", "log10f(fabsf(v))", [](double v, double) { return std::log10(std::fabs(v)); }, 3, -1e30, 1e30},
      {"log1pf", "log1pf(fabsf(v))", [](double v, double) { return std::log1p(std::fabs(v)); }, 2, -100, 100},
      {"powf", "powf(fabsf(v), w)", [](double v, double w) { return std::pow(std::fabs(v), w); }, 8, -20, 20},
      {"sinf", "sinf(v)", [](double v, double) { return std::sin(v); }, 3, -1e6, 1e6},
      {"cosf", "cosf(v)", [](double v, double) { return std::cos(v); }, 3, -1e6, 1e6},
      {"tanf", "tanf(v)", [](double v, double) { return std::tan(v); }, 5, -1e5, 1e5},
      {"sinhf", "sinhf(v)", [](double v, double) { return std::sinh(v); }, 4, -80, 80},
      {"coshf", "coshf(v)", [](double v, double) { return std::cosh(v); }, 3, -80, 80},
      {"tanhf", "tanhf(v)", [](double v, double) { return std::tanh(v); }, 3, -20, 20},
      {"asinf", "asinf(v)", [](double v, double) { return std::asin(v); }, 3, -1, 1},
      {"acosf", "acosf(v)", [](double v, double) { return std::acos(v); }, 3, -1, 1},
      {"atanf", "atanf(v)", [](double v, double) { return std::atan(v); }, 3, -1e3, 1e3},
      {"atan2f", "atan2f(v, w)", [](double v, double w) { return std::atan2(v, w); }, 4, -1e3, 1e3},
      {"asinhf", "asinhf(v)", [](double v, double) { return std::asinh(v); }, 4, -1e3, 1e3},
      {"acoshf", "acoshf(fabsf(v) + 1.f)", [](double v, double) { return std::acosh(static_cast<double>(std::fabs(static_cast<float>(v)) + 1.0F)); }, 5, -1e3, 1e3},
      {"atanhf", "atanhf(v)", [](double v, double) { return std::atanh(v); }, 4, -0.99, 0.99},
      {"erff", "erff(v)", [](double v, double) { return std::erf(v); }, 3, -6, 6},
      {"erfcf", "erfcf(v)", [](double v, double) { return std::erfc(v); }, 8, -4, 8},
      {"lgammaf", "lgammaf(fabsf(v) + 3.f)", [](double v, double) { return std::lgamma(static_cast<double>(std::fabs(static_cast<float>(v)) + 3.0F)); }, 8, -50, 50},
      {"cbrtf", "cbrtf(v)", [](double v, double) { return std::cbrt(v); }, 2, -1e6, 1e6},
      {"rsqrtf", "rsqrtf(fabsf(v))", [](double v, double) { return 1 / std::sqrt(std::fabs(v)); }, 3, -1e6, 1e6},
      {"sqrtf", "sqrtf(fabsf(v))", [](double v, double) { return std::sqrt(std::fabs(v)); }, 0.51, -1e6, 1e6},
      {"hypotf", "hypotf(v, w)", [](double v, double w) { return std::hypot(v, w); }, 4, -1e6, 1e6},
      {"fmodf", "fmodf(v, w)", [](double v, double w) { return std::fmod(v, w); }, 0, -1e4, 1e4},
      {"remainderf", "remainderf(v, w)", [](double v, double w) { return std::remainder(v, w); }, 0, -1e4, 1e4},
      {"division", "v / w", [](double v, double w) { return v / w; }, 0.51, -1e6, 1e6},
      {"reciprocal", "1.f / v", [](double v, double) { return 1 / v; }, 0.51, -1e6, 1e6},
      {"roundf", "roundf(v)", [](double v, double) { return std::round(v); }, 0, -1e3, 1e3},
      {"rintf", "rintf(v)", [](double v, double) { return std::nearbyint(v); }, 0, -1e3, 1e3},
      {"floorf", "floorf(v)", [](double v, double) { return std::floor(v); }, 0, -1e3, 1e3},
      {"ceilf", "ceilf(v)", [](double v, double) { return std::ceil(v); }, 0, -1e3, 1e3},
      {"truncf", "truncf(v)", [](double v, double) { return std::trunc(v); }, 0, -1e3, 1e3},
      {"ldexpf", "ldexpf(v, 5)", [](double v, double) { return std::ldexp(v, 5); }, 0, -1e3, 1e3},
      {"exp, double", "(float)exp((double)v)", [](double v, double) { return std::exp(v); }, 0.51, -80, 80},
      {"log, double", "(float)log(fabs((double)v))", [](double v, double) { return std::log(std::fabs(v)); }, 0.51, -1e6, 1e6},
      {"pow, double", "(float)pow(fabs((double)v), (double)w)", [](double v, double w) { return std::pow(std::fabs(v), w); }, 0.51, -20, 20},
      {"sin, double", "(float)sin((double)v)", [](double v, double) { return std::sin(v); }, 0.51, -1e6, 1e6},
      {"tanh, double", "(float)tanh((double)v)", [](double v, double) { return std::tanh(v); }, 0.51, -20, 20},
      {"erf, double", "(float)erf((double)v)", [](double v, double) { return std::erf(v); }, 0.51, -6, 6},
      {"sqrt and division, double", "(float)(sqrt(fabs((double)v)) / (double)w)", [](double v, double w) { return std::sqrt(std::fabs(v)) / w; }, 0.51, -1e6, 1e6},
      {"rsqrt, double", "(float)rsqrt(fabs((double)v))", [](double v, double) { return 1 / std::sqrt(std::fabs(v)); }, 0.51, -1e6, 1e6},
      {"fmod, double", "(float)fmod((double)v, (double)w)", [](double v, double w) { return std::fmod(v, w); }, 0.51, -1e4, 1e4},
      {"cbrt, double", "(float)cbrt((double)v)", [](double v, double) { return std::cbrt(v); }, 0.51, -1e6, 1e6},
  };
  return all;
}

class Libm : public testing::TestWithParam<int> {};

TEST_P(Libm, FunctionsAreRightToTheirBound) {
  if (!nvrtc().available()) GTEST_SKIP() << "SKIP: no NVRTC: CUDA's math functions are not checked";
  std::string cuda;
  for (std::size_t k = 0; k < functions().size(); ++k) {
    cuda += "extern \"C\" __global__ void f" + std::to_string(k) + "(const float* x, const float* z, float* y, int n) {\n"
            "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float v = x[i], w = z[i]; y[i] = " + functions()[k].cuda + "; } }\n";
  }
  const std::string ptx = nvrtc().ptx(cuda, "libm.cu", GetParam());
  ASSERT_FALSE(ptx.empty()) << nvrtc().log;
  const auto module = load(ptx);
  ASSERT_TRUE(module);
  std::mt19937 random(5);
  for (std::size_t k = 0; k < functions().size(); ++k) {
    const Function& f = functions()[k];
    SCOPED_TRACE(f.name);
    const int count = 2000;
    std::vector<float> x;
    std::vector<float> z;
    for (int i = 0; i < count; ++i) {
      const double u = std::uniform_real_distribution<double>(-1, 1)(random);
      // Half of them spread evenly over the range, half near zero.
      const double edge = u < 0 ? -f.least : f.most;
      x.push_back(static_cast<float>(i % 2 == 0 ? u * edge : u * u * u * u * u * std::min(1.0, edge)));
      z.push_back(static_cast<float>(std::uniform_real_distribution<double>(0.3, 5)(random)));
    }
    Memory memory;
    const auto out = output<float>(memory, "y", x.size());
    Launch launch;
    launch.kernel = "f" + std::to_string(k);
    launch.grid.x = (count + 127) / 128;
    launch.block.x = 128;
    launch.parameters = Arguments(*module, launch.kernel).add(input(memory, "x", x)).add(input(memory, "z", z)).add(out).add(count).bytes();
    const auto outcome = sim::launch(*module, memory, launch);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_TRUE(outcome->clean()) << text(*outcome);
    const auto y = values<float>(memory, out);
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double expected = f.host(x[i], z[i]);
      const float near = static_cast<float>(expected);
      const double ulp = static_cast<double>(std::nextafter(std::fabs(near), HUGE_VALF)) - std::fabs(near);
      const double error = std::fabs(y[i] - expected) / ulp;
      if (!(error <= worst)) {
        worst = error;
        where = i;
      }
    }
    EXPECT_LE(worst, f.ulps) << "at " << x[where] << ", " << z[where] << ": " << y[where] << ", expected " << f.host(x[where], z[where]);
  }
}

INSTANTIATE_TEST_SUITE_P(Compute, Libm, testing::Values(80, 90));

}  // namespace
}  // namespace seam::sim::test
