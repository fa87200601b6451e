#include <algorithm>

#include "analyzer/time_model.h"
#include "planner/layouts.h"

namespace seam::planner {

Crossing crossing(DType dtype, const std::vector<std::int64_t>& dims, const graph::Order& walked, const graph::Order& lies) {
  std::vector<std::int64_t> walk;
  for (const std::int64_t dim : walked)
    if (dims[static_cast<std::size_t>(dim)] != 1) walk.push_back(dim);
  std::vector<std::int64_t> places;  // in memory, by place in the walk
  for (const std::int64_t dim : lies)
    if (dims[static_cast<std::size_t>(dim)] != 1) places.push_back(std::ranges::find(walk, dim) - walk.begin());
  Crossing out;
  out.dtype = dtype;
  // A dim of the walk starts a group unless its neighbour in the walk stands right before it in memory as well.
  std::vector<std::int64_t> group(walk.size(), 0);
  for (std::size_t k = 0; k < walk.size(); ++k) {
    const auto at = std::ranges::find(places, static_cast<std::int64_t>(k));
    const bool joins = k > 0 && at != places.begin() && *(at - 1) == static_cast<std::int64_t>(k) - 1;
    const std::int64_t extent = dims[static_cast<std::size_t>(walk[k])];
    if (joins) {
      out.extents.back() *= extent;
    } else {
      out.extents.push_back(extent);
    }
    group[k] = static_cast<std::int64_t>(out.extents.size()) - 1;
  }
  for (const std::int64_t place : places)
    if (out.lies.empty() || out.lies.back() != group[static_cast<std::size_t>(place)]) out.lies.push_back(group[static_cast<std::size_t>(place)]);
  return out;
}

namespace {

constexpr double kSector = 32;  ///< bytes

class Modelled : public LayoutCosts {
 public:
  explicit Modelled(const Device& device) : device_(device) {}

  [[nodiscard]] double walk_us(const Crossing& crossing) const override {
    if (crossing.straight()) return 0;
    return time(crossing, true) - time(crossing, false);
  }

  [[nodiscard]] double copy_us(const Crossing& crossing) const override {
    return time(crossing, true) + analyzer::launch_gap_us(analyzer::Launching::GraphReplay).mid;
  }

 private:
  /// A kernel that reads and writes the value; `across`: one of the two against its walk.
  [[nodiscard]] double time(const Crossing& crossing, bool across) const {
    double elements = 1;
    for (const std::int64_t extent : crossing.extents) elements *= static_cast<double>(extent);
    const auto size = static_cast<double>(bytes(crossing.dtype));
    analyzer::KernelWork work;
    work.blocks = std::max<std::int64_t>(1, static_cast<std::int64_t>(elements) / 1024);
    work.dram_bytes = 2 * elements * size;
    // Each element asks for a sector of its own, unless runs of the innermost dim lie together on both sides.
    const bool runs = !across || crossing.straight() || crossing.lies.back() == static_cast<std::int64_t>(crossing.extents.size()) - 1;
    const double run = runs && !crossing.extents.empty() ? static_cast<double>(crossing.extents.back()) * size : size;
    work.reread_bytes = across ? elements * size * (std::max(kSector, run) / run - 1) : 0;
    work.instructions = analyzer::estimated_instructions(elements, 0) * (across && !crossing.straight() ? 1.2 : 1);
    return analyzer::kernel_time_us(device_, work).mid;
  }

  Device device_;
};

}  // namespace

std::unique_ptr<LayoutCosts> modelled_layout_costs(const Device& device) { return std::make_unique<Modelled>(device); }

}  // namespace seam::planner
