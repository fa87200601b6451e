#include "facts/small_dot.h"

#include <algorithm>

#include "analyzer/time_model.h"

namespace seam::planner {

namespace {
/// One product of the batch: 64 x 64 x 16 multiply-adds at most ...
constexpr std::int64_t kMostPerProduct = 64 * 1024;
/// ... and all of them together less than what the library does in a few microseconds.
constexpr std::int64_t kMostInAll = std::int64_t{1} << 27;
constexpr std::int64_t kLeastBatch = 8;
}  // namespace

DotExtents dot_extents(const graph::Computation& computation, const graph::Op& dot) {
  const graph::Shape& lhs = computation.ops[dot.operands[0]].shape;
  const graph::Shape& rhs = computation.ops[dot.operands[1]].shape;
  const graph::DotDims& dims = dot.attributes.dot;
  DotExtents extents;
  const auto at = [](const graph::Shape& shape, std::int64_t dim) {
    return shape.dims[static_cast<std::size_t>(dim)];
  };
  for (const std::int64_t dim : dims.lhs_batch) extents.batch *= at(lhs, dim);
  for (const std::int64_t dim : dims.lhs_contract) extents.contracted *= at(lhs, dim);
  const std::int64_t shared = std::max<std::int64_t>(1, extents.batch * extents.contracted);
  extents.rows = lhs.elements_count() / shared;
  extents.columns = rhs.elements_count() / shared;
  return extents;
}

bool is_small_dot(const graph::Computation& computation, const graph::Op& dot) {
  const DotExtents e = dot_extents(computation, dot);
  const std::int64_t product = e.rows * e.columns * e.contracted;
  return is_float(dot.shape.dtype) && e.batch >= kLeastBatch && product <= kMostPerProduct &&
         product * e.batch <= kMostInAll;
}

DotPrice price_of_dot(const graph::Computation& computation, const graph::Op& dot, const OnChip& factors, const Device& device) {
  // Two loads, a multiply-add and the way to the next: kernels of ours run 7 to 9 of the PTX, of which the assembler folds some into addresses.
  constexpr double kPerMultiplyAdd = 6;
  // Results that a block computes where nothing ties them together.
  constexpr std::int64_t kPerBlock = 1024;
  const DotExtents e = dot_extents(computation, dot);
  const std::int64_t results = e.batch * e.rows * e.columns;
  const analyzer::LibraryWork call = analyzer::library_work(computation, dot);
  const double gap = analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid;
  analyzer::KernelWork work;
  work.blocks = factors.any ? e.batch : std::max(e.batch, results / kPerBlock);
  work.dram_bytes = call.bytes_read + call.bytes_written;
  work.instructions = static_cast<double>(results * e.contracted) * kPerMultiplyAdd;
  DotPrice price{analyzer::kernel_time_us(device, work).mid, analyzer::library_time_us(device, call).mid + gap};
  if (factors.any) {
    analyzer::KernelWork apart;  // writes the factor; reading it is in the call's own bytes
    apart.blocks = device.sms;
    apart.dram_bytes = static_cast<double>(factors.bytes);
    price.library_us += gap + analyzer::kernel_time_us(device, apart).mid;
  }
  return price;
}

}  // namespace seam::planner
