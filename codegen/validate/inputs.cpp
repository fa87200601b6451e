#include "validate/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/mix.h"
#include "planner/planner.h"

namespace seam::codegen {
namespace {

constexpr std::int64_t kPeriod = 65'537;
constexpr std::int64_t kFewOutputs = 1024;  ///< elements

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

/// Element i of rows of `columns`: see Distribution::Large.
double large(std::uint64_t at, std::int64_t i, std::int64_t columns, std::uint64_t seed) {
  const std::int64_t column = i % columns;
  switch ((static_cast<std::uint64_t>(i / columns) + seed) % 3) {
    case 0: return column == columns - 1 ? -2000 : -4000 - 12'000 * unit(mix(at));
    case 1: return column == 0 ? -2000 : -4000 - 12'000 * unit(mix(at));
    default: return -3000;
  }
}

/// Element i of an integer tensor with values in [low, high].
std::int64_t integer(Distribution distribution, std::int64_t i, std::uint64_t at, std::uint64_t seed, std::int64_t low, std::int64_t high) {
  const auto span = static_cast<std::uint64_t>(high - low + 1);
  const std::uint64_t bits = mix(at);
  const auto near = static_cast<std::int64_t>(bits % std::min<std::uint64_t>(span, 2));
  const bool even = i % 2 == 0;
  const auto outside = [&](bool above) {
    if (above) return high + 1 + near;
    // So far below that adding the length once does not bring it back, or just below: in turn, and in turn from one time that a set comes to the next (ten sets on).
    const bool far = (static_cast<std::uint64_t>(i / 2) + seed / 10'000) % 2 == 0;
    return low - 1 - near - (far ? static_cast<std::int64_t>(span) : 0);
  };
  switch (distribution) {
    case Distribution::Positive: return even ? high - near : low + near;
    case Distribution::Special: return even ? low + near : high - near;
    case Distribution::Above: return outside(even);
    case Distribution::Below: return outside(!even);
    case Distribution::Coarse:
    case Distribution::Tame: return static_cast<std::int64_t>(bits % 3) - 1;
    case Distribution::Large: return low < 0 ? low + static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(-low)) : static_cast<std::int64_t>(bits % 3) - 1;
    case Distribution::Normal:
    case Distribution::Usual: break;
  }
  return low + static_cast<std::int64_t>(bits % span);
}

}  // namespace

std::string_view name(Distribution d) {
  static constexpr std::array<std::string_view, 9> kNames = {"normal", "positive", "special", "large", "coarse", "above", "below", "tame", "usual"};
  return kNames.at(static_cast<std::size_t>(d));
}

Array random_array(DType dtype, const std::vector<std::int64_t>& dims, Distribution distribution, std::uint64_t seed,
                   std::int64_t integer_low, std::int64_t integer_high) {
  Array array = make_array(dtype, dims);
  const auto width = static_cast<std::size_t>(bytes(dtype));
  const std::int64_t count = array.elements();
  const std::int64_t head = std::min(count, kPeriod);
  const std::uint64_t base = mix(seed) << 20;
  for (std::int64_t i = 0; i < head; ++i) {
    const std::uint64_t at = base + static_cast<std::uint64_t>(i);
    double value = 0;
    if (dtype == DType::Pred) {
      value = static_cast<double>(mix(at) >> 63);
    } else if (is_integer(dtype)) {
      value = static_cast<double>(integer(distribution, i, at, seed, integer_low, integer_high));
    } else {
      switch (distribution) {
        case Distribution::Normal:
        case Distribution::Above:
        case Distribution::Below: value = about_normal(at); break;
        case Distribution::Positive:
        case Distribution::Usual:
        case Distribution::Tame: value = 0.1 + 1.9 * unit(mix(at)); break;
        case Distribution::Special: value = special(at); break;
        case Distribution::Large: value = count == 1 ? 1 + unit(mix(at)) : large(at, i, dims.back(), seed); break;
        case Distribution::Coarse: value = (static_cast<double>(mix(at) % 3) - 1) * 0x1p-9; break;
      }
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

namespace {

bool indexes(const graph::Op& op) {
  using graph::Opcode;
  return op.opcode == Opcode::Gather || op.opcode == Opcode::Scatter || op.opcode == Opcode::DynamicSlice || op.opcode == Opcode::DynamicUpdateSlice;
}

template <class F>
void for_each_op(const graph::Computation& computation, const planner::FusionGroup& group, F&& f) {
  for (const planner::Part& part : group.parts) {
    for (const planner::PlannedOp& planned : part.ops) f(computation.ops[planned.op]);
  }
}

}  // namespace

std::vector<int> input_sets(const graph::Graph& graph, const graph::Computation& computation, const planner::FusionGroup& group, int base) {
  using graph::Opcode;
  std::vector<int> out(static_cast<std::size_t>(base));
  std::iota(out.begin(), out.end(), 0);
  bool compares = false;
  bool exponentials = false;
  bool roots = false;
  bool ties = false;
  bool indexed = false;
  bool ordered = false;
  for_each_op(computation, group, [&](const graph::Op& op) {
    roots = roots || op.opcode == Opcode::Sqrt || op.opcode == Opcode::Rsqrt;
    indexed = indexed || indexes(op);
    ties = ties || (op.opcode == Opcode::Compare && is_float(computation.ops[op.operands[0]].shape.dtype));
    exponentials = exponentials || op.opcode == Opcode::Exp;
    if (op.opcode != Opcode::Reduce) return;
    const graph::Computation& combiner = graph.computations[op.attributes.calls[0]];
    compares = compares || combiner.ops[combiner.root].opcode != Opcode::Add;
    ordered = ordered || op.shape.is_tuple || combiner.ops[combiner.root].opcode == Opcode::Multiply;
  });
  // The order of a reduce is nobody's promise. Of several NaNs in a row any one's index is right, and a product of infinities and tiny numbers is
  // infinite or not a number by whether a partial product became 0 first.
  if (ordered) std::erase_if(out, [](int set) { return input_distribution(set) == Distribution::Special; });
  // A kernel with few outputs shows little of each set.
  std::int64_t outputs = 0;
  for (const Id<graph::Op> output : planner::boundary(computation, group).outputs) outputs += computation.ops[output].shape.elements_count();
  for (int time = 0; time < (outputs < kFewOutputs ? 3 : 1); ++time) {
    if (compares || exponentials) out.push_back(extra_set(Distribution::Large, time));
    if (ties || roots) out.push_back(extra_set(Distribution::Coarse, time));
    if (indexed) {
      out.push_back(extra_set(Distribution::Above, time));
      out.push_back(extra_set(Distribution::Below, time));
    }
  }
  return out;
}

std::pair<std::int64_t, std::int64_t> integer_range(const graph::Computation& computation, const planner::FusionGroup& group) {
  using graph::Opcode;
  std::int64_t largest = 0;
  for_each_op(computation, group, [&](const graph::Op& op) {
    if (!indexes(op)) return;
    const std::vector<std::int64_t>& dims = computation.ops[op.operands[0]].shape.dims;
    if (op.opcode == Opcode::Gather || op.opcode == Opcode::Scatter) {
      for (const std::int64_t d : op.attributes.gather.start_index_map) largest = std::max(largest, dims[static_cast<std::size_t>(d)]);
    } else {
      for (const std::int64_t d : dims) largest = std::max(largest, d);
    }
  });
  return largest > 0 ? std::pair<std::int64_t, std::int64_t>{0, largest - 1} : std::pair<std::int64_t, std::int64_t>{-9, 9};
}

}  // namespace seam::codegen
