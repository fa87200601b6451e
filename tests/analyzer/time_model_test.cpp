// The time model ranks: these are the rankings that decisions rest on.
#include "analyzer/time_model.h"

#include <gtest/gtest.h>

#include <vector>

namespace seam::analyzer::test {
namespace {

const Device kH100 = device_named("h100").value();

KernelWork streaming(double bytes, std::int64_t blocks) {
  KernelWork work;
  work.blocks = blocks;
  work.dram_bytes = bytes;
  return work;
}

TEST(TimeModel, BandsAreOrdered) {
  for (const KernelWork& work : {streaming(1e3, 1), streaming(1e6, 128), streaming(1e9, 100'000)}) {
    const Band band = kernel_time_us(kH100, work);
    EXPECT_LT(band.low, band.mid);
    EXPECT_LT(band.mid, band.high);
  }
  EXPECT_LT(launch_gap_us(Launching::GraphReplay).high, launch_gap_us(Launching::Eager).low);
}

TEST(TimeModel, LargeStreamsRunNearThePeakAndNeverAboveIt) {
  const double bytes = 4e9;
  const double ideal = bytes / kH100.dram_bytes_per_s * 1e6;
  const Band band = kernel_time_us(kH100, streaming(bytes, 200'000));
  EXPECT_GT(band.low, ideal);
  EXPECT_LT(band.low, ideal / 0.9);
  EXPECT_LT(band.high, ideal / 0.5);
}

TEST(TimeModel, OneBlockIsSlowForMuchDataAndFineForLittle) {
  EXPECT_GT(kernel_time_us(kH100, streaming(16e6, 1)).mid, 20 * kernel_time_us(kH100, streaming(16e6, 1024)).mid);
  EXPECT_LT(kernel_time_us(kH100, streaming(4e3, 1)).mid, kernel_time_us(kH100, streaming(4e3, 1)).mid + launch_gap_us(Launching::GraphReplay).mid);
  EXPECT_LT(kernel_time_us(kH100, streaming(4e3, 1)).mid, 2 * kernel_time_us(kH100, streaming(4e3, 4)).mid);
}

TEST(TimeModel, PackedPartsShareTheMachine) {
  const std::vector<KernelWork> parts(2, streaming(64e6, 4096));
  const double alone = kernel_time_us(kH100, parts[0]).mid;
  const double packed = packed_time_us(kH100, parts.data(), parts.size()).mid;
  EXPECT_GT(packed, alone);
  EXPECT_LT(packed, 2 * alone);  // one start instead of two
}

}  // namespace
}  // namespace seam::analyzer::test
