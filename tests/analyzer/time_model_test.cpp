// The time model ranks: these are the rankings that decisions rest on.
#include "analyzer/time_model.h"

#include <gtest/gtest.h>

#include <string>
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

TEST(TimeModel, MoreOfAnythingIsNeverFaster) {
  KernelWork work = streaming(1e6, 512);
  work.instructions = 1e7;
  work.wavefronts = 1e5;
  const double before = kernel_time_us(kH100, work).mid;
  for (double KernelWork::* term : {&KernelWork::dram_bytes, &KernelWork::reread_bytes, &KernelWork::instructions, &KernelWork::wavefronts, &KernelWork::barriers, &KernelWork::atomic_sectors}) {
    KernelWork more = work;
    more.*term = more.*term * 100 + 1e6;
    EXPECT_GT(kernel_time_us(kH100, more).mid, before);
  }
}

/// What was counted is known better than what was estimated; mid is the same.
TEST(TimeModel, CountedWorkHasANarrowerBand) {
  KernelWork estimated = streaming(1e5, 2048);
  estimated.instructions = 1e9;
  KernelWork counted = estimated;
  counted.counted = true;
  const Band a = kernel_time_us(kH100, estimated), b = kernel_time_us(kH100, counted);
  EXPECT_DOUBLE_EQ(a.mid, b.mid);
  EXPECT_LT(a.low, b.low);
  EXPECT_GT(a.high, b.high);
}

TEST(TimeModel, LibraryProductsRunOnTheUnitsOfTheirFactors) {
  LibraryWork work{.flops = 2.0 * 4096 * 4096 * 4096, .bytes_read = 2 * 4096 * 4096 * 2, .bytes_written = 4096 * 4096 * 2, .results = 4096 * 4096, .factors = DType::F16};
  const Band half = library_time_us(kH100, work);
  const double ideal = work.flops / kH100.tensor_flops_16 * 1e6;
  EXPECT_GT(half.low, ideal);
  EXPECT_LT(half.mid, 2 * ideal);
  work.factors = DType::F32;
  EXPECT_GT(library_time_us(kH100, work).mid, 1.5 * half.mid) << "tf32 has half the rate";
  const Device v100 = device_named("v100").value();
  EXPECT_GT(library_time_us(v100, work).mid, 5 * library_time_us(kH100, work).mid) << "without tf32 they are plain multiply-adds";
  // One tile and a short contraction: most SMs have nothing to do.
  const LibraryWork tile{.flops = 2.0 * 64 * 64 * 65536, .bytes_read = 1e5, .bytes_written = 1e4, .results = 64 * 64, .factors = DType::F16};
  LibraryWork tiles = tile;
  tiles.flops *= 64;
  tiles.results *= 64;
  EXPECT_LT(library_time_us(kH100, tiles).mid, 64 * library_time_us(kH100, tile).mid);
}

TEST(TimeModel, TheFormulaNamesItsConstants) {
  std::string all;
  for (const std::string& line : time_formula(kH100)) all += line + "\n";
  for (const char* part : {"2 / 4 / 10 us", "0.55 / 0.9 / 1.3 us", "3352 GB/s", "989 TFLOP/s", "1.98 GHz", "0.7 / 1.2 / 2 us"}) EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
}

}  // namespace
}  // namespace seam::analyzer::test
