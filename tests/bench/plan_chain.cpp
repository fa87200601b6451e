// What a longer program costs the planner: chains of element-wise ops that become one kernel, of diamonds, and of products with an op after each.
// CPU seconds of seam::planner::plan_module (all three policies) for n ops over those for n / 2, the best of several runs each; 4 would be quadratic.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "base/device.h"
#include "graph/torch.h"
#include "planner/pipeline.h"

namespace {

std::string chain(const std::string& kind, int ops) {
  std::string out = "class <lambda>(torch.nn.Module):\n    def forward(self, x: \"f32[64, 64][64, 1]cpu\", w: \"f32[64, 64][64, 1]cpu\"):\n", last = "x";
  int count = 0;
  const auto op = [&](const std::string& name, const std::string& operands) {
    const std::string result = fmt::format("v{}", count++);
    out += fmt::format("        {}: \"f32[64, 64][64, 1]cpu\" = torch.ops.aten.{}({})\n", result, name, operands);
    return result;
  };
  while (count < ops) {
    if (kind == "element-wise") last = op("sin.default", last);
    if (kind == "diamonds") {
      const std::string a = op("sin.default", last), b = op("cos.default", last);
      last = op("add.Tensor", a + ", " + b);
    }
    if (kind == "products") last = op("relu.default", op("mm.default", last + ", w"));
  }
  return out + "        return (" + last + ",)\n";
}

double seconds(const std::string& kind, int ops) {
  const auto module = seam::graph::parse_torch(chain(kind, ops), "chain");
  if (!module) {
    fmt::print(stderr, "{}\n", seam::describe(module.error()));
    return 0;
  }
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    for (const char* policy : {"none", "xla2018", "stitch"}) {
      seam::planner::PlanOptions options;
      options.policy = policy;
      if (auto device = seam::device_named("h100")) options.device = *device;
      if (const auto plan = seam::planner::plan_module(*module, options); !plan) fmt::print(stderr, "{}\n", seam::describe(plan.error()));
    }
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

}  // namespace

int main() {
  for (const char* kind : {"element-wise", "diamonds", "products"}) {
    double before = seconds(kind, 1000);
    for (const int ops : {2000, 4000, 8000, 16000}) {
      const double now = seconds(kind, ops);
      fmt::print("{:>12}, {:>5} ops: {:7.0f} ms, {:.2f} times the half\n", kind, ops, 1e3 * now, now / before);
      before = now;
    }
  }
}
