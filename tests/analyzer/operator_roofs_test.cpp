// Recorded operators against the roofs of their device.
#include "analyzer/operator_roofs.h"

#include "recorded.h"

namespace seam::analyzer::test {
namespace {

using Roofs = RunFolder;

Json op(const char* name, std::int64_t start, std::int64_t end, const Json& dims, const Json& types, const Json& values) {
  return event("cpu_op", name, 1, 2, start, end, {{"External id", 7}, {"Input Dims", dims}, {"Input type", types}, {"Concrete Inputs", values}});
}

Json trace() {
  return {{"schemaVersion", 1},
          {"deviceProperties", Json::array({{{"id", 0}, {"name", "NVIDIA H100 80GB HBM3"}}})},
          {"traceEvents", Json::array({op("aten::addmm", 0, 9, {{256}, {128, 512}, {512, 256}, Json::array(), Json::array()}, {"c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"}, {"", "", "", "1", "1"}),
                                       call("cudaLaunchKernel", 2, 4, 1), kernel("sm90_gemm", 7, 10, 20, 1),
                                       op("aten::mul", 30, 39, {{64, 1000}, {64, 1}}, {"float", "float"}, {"", ""}), call("cudaLaunchKernel", 32, 34, 2), kernel("elementwise", 7, 40, 42, 2),
                                       op("my::op", 50, 59, {{4}}, {"float"}, {""}), call("cudaLaunchKernel", 52, 54, 3), kernel("mine", 7, 60, 61, 3)})}};
}

TEST_F(Roofs, CallsNeedWhatTheirShapesSay) {
  const db::Database run = imported(trace());
  const auto device = device_called("NVIDIA H100 80GB HBM3");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name, "h100");
  const auto roofs = operator_roofs(run, device);
  ASSERT_TRUE(roofs) << describe(roofs.error());
  ASSERT_EQ(roofs->size(), 3U);
  const OperatorRoof& product = (*roofs)[0];
  EXPECT_EQ(product.op, "aten::addmm");
  EXPECT_EQ(product.shapes, "bf16[256] bf16[128,512] bf16[512,256]");
  EXPECT_EQ(product.calls, 1);
  EXPECT_EQ(product.device_ns, 10'000);
  EXPECT_EQ(product.flop, 2.0 * 128 * 256 * 512 + 128 * 256) << "the product, and the bias";
  EXPECT_EQ(product.bytes, 2.0 * (256 + 128 * 512 + 512 * 256 + 128 * 256));
  EXPECT_DOUBLE_EQ(*product.least_ns, std::max(*product.bytes / device->dram_bytes_per_s, *product.flop / device->tensor_flops_16) * 1e9);
  const OperatorRoof& scaled = (*roofs)[1];
  EXPECT_EQ(scaled.flop, 64'000.0);
  EXPECT_EQ(scaled.bytes, 4.0 * (64'000 + 64 + 64'000));
  EXPECT_TRUE(scaled.memory_bound);
  EXPECT_EQ((*roofs)[2].flop, std::nullopt) << "nobody knows what it computes";
}

TEST_F(Roofs, AnUnknownDeviceHasNone) {
  const auto roofs = operator_roofs(imported(trace()), device_called("NVIDIA H1000"));
  ASSERT_TRUE(roofs);
  EXPECT_EQ(roofs->front().least_ns, std::nullopt);
  EXPECT_TRUE(roofs->front().flop.has_value());
}

TEST(DeviceCalled, NamesAreWordsOfTheProduct) {
  EXPECT_EQ(device_called("NVIDIA A100-SXM4-80GB")->name, "a100");
  EXPECT_EQ(device_called("NVIDIA GeForce RTX 4090")->name, "rtx4090");
  EXPECT_EQ(device_called("Tesla V100-SXM2-16GB")->name, "v100");
  EXPECT_EQ(device_called("Tesla T4")->name, "t4");
  EXPECT_FALSE(device_called("NVIDIA T400"));
  EXPECT_FALSE(device_called("AMD Instinct MI300X"));
  EXPECT_FALSE(device_called(""));
}

}  // namespace
}  // namespace seam::analyzer::test
