#include "validate/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/mix.h"

namespace seam::codegen {
namespace {

constexpr std::int64_t kPeriod = 65'537;

/// Uniform in (0, 1).
double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

/// Sum of four uniforms, scaled to variance 1: close to normal, no libm whose last bit differs between machines.
double about_normal(std::uint64_t at) {
  double sum = 0;
  for (std::uint64_t k = 0; k < 4; ++k) sum += unit(mix(at * 4 + k));
  return (sum - 2.0) * 1.7320508075688772;
}

double special(std::uint64_t at) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr std::array kValues = {0.0, -0.0, kInf, -kInf, std::numeric_limits<double>::quiet_NaN(), 1e-40, -1e-40, 6e-8, 1.0, -1.0, 88.8, -88.8};
  const std::uint64_t roll = mix(at ^ 0x5ea3);
  return roll % 8 == 0 ? kValues[roll / 8 % kValues.size()] : about_normal(at);
}

double number(Distribution distribution, std::uint64_t at) {
  switch (distribution) {
    case Distribution::Normal: return about_normal(at);
    case Distribution::Positive: return 0.1 + 1.9 * unit(mix(at));
    case Distribution::Special: return special(at);
  }
  return 0;
}

}  // namespace

Array random_array(DType dtype, const std::vector<std::int64_t>& dims, Distribution distribution, std::uint64_t seed,
                   std::int64_t integer_low, std::int64_t integer_high) {
  Array array = make_array(dtype, dims);
  const auto width = static_cast<std::size_t>(bytes(dtype));
  const std::int64_t count = array.elements();
  const std::int64_t head = std::min(count, kPeriod);
  const auto span = static_cast<std::uint64_t>(integer_high - integer_low + 1);
  const std::uint64_t base = mix(seed) << 20;
  for (std::int64_t i = 0; i < head; ++i) {
    const std::uint64_t at = base + static_cast<std::uint64_t>(i);
    double value = 0;
    if (dtype == DType::Pred) {
      value = static_cast<double>(mix(at) >> 63);
    } else if (is_integer(dtype)) {
      value = static_cast<double>(integer_low) + static_cast<double>(mix(at) % span);
    } else {
      value = number(distribution, at);
    }
    store_from_double(dtype, &array.data[static_cast<std::size_t>(i) * width], value);
  }
  for (std::size_t done = static_cast<std::size_t>(head) * width; done < array.data.size();) {
    const std::size_t more = std::min(done, array.data.size() - done) / width * width;
    const std::size_t period = static_cast<std::size_t>(kPeriod) * width;
    const std::size_t chunk = std::min(more, done / period * period);
    std::memcpy(&array.data[done], array.data.data(), chunk);
    done += chunk;
  }
  return array;
}

std::pair<std::int64_t, std::int64_t> integer_range(const graph::Computation& computation, const planner::FusionGroup& group) {
  using graph::Opcode;
  std::int64_t largest = 0;
  for (const planner::Part& part : group.parts) {
    for (const planner::PlannedOp& planned : part.ops) {
      const graph::Op& op = computation.ops[planned.op];
      const bool indexed = op.opcode == Opcode::Gather || op.opcode == Opcode::Scatter || op.opcode == Opcode::DynamicSlice ||
                           op.opcode == Opcode::DynamicUpdateSlice;
      if (!indexed) continue;
      const std::vector<std::int64_t>& dims = computation.ops[op.operands[0]].shape.dims;
      if (op.opcode == Opcode::Gather || op.opcode == Opcode::Scatter) {
        for (const std::int64_t d : op.attributes.gather.start_index_map) largest = std::max(largest, dims[static_cast<std::size_t>(d)]);
      } else {
        for (const std::int64_t d : dims) largest = std::max(largest, d);
      }
    }
  }
  return largest > 0 ? std::pair<std::int64_t, std::int64_t>{-2, largest + 1} : std::pair<std::int64_t, std::int64_t>{0, 9};
}

}  // namespace seam::codegen
