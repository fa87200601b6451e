#include <algorithm>
#include <array>

#include "codegen/meter.h"

namespace seam::codegen {
namespace {

/// Trials in a row that may bring nothing.
constexpr std::size_t kMostInVain = 3;

/// Plans under stated orders, measured.
class Trials {
 public:
  Trials(const graph::Graph& ready, planner::PlanOptions options, const Meter& meter, SettledLayouts& out) : ready_(ready), options_(std::move(options)), meter_(meter), out_(out) {}

  struct Trial {
    planner::Planning planning;
    double us = 0;
  };
  Result<Trial> run(planner::LayoutOrders orders) {
    planner::PlanOptions options = options_;
    options.layouts = planner::Layouts::Chosen;
    options.orders = std::move(orders);
    Trial trial;
    SEAM_TRY(trial.planning, planner::plan_from_layouts(ready_, options));
    const std::array<const planner::Planning*, 1> one = {&trial.planning};
    SEAM_TRY(const std::vector<Meter::Measured> measured, meter_.measure(one));
    trial.us = time_us(trial.planning, measured[0], meter_.device());
    ++out_.tried;
    out_.kernels_looked_up += measured[0].looked_up;
    out_.kernels_run += measured[0].kernels.size() - measured[0].looked_up;
    return trial;
  }

 private:
  const graph::Graph& ready_;
  planner::PlanOptions options_;
  const Meter& meter_;
  SettledLayouts& out_;
};

}  // namespace

Result<SettledLayouts> settle_layouts(const graph::Graph& module, const planner::PlanOptions& options, const Meter& meter, const Progress& progress) {
  SettledLayouts out;
  SEAM_TRY(const graph::Graph ready, planner::before_layouts(module, options));
  Trials trials(ready, options, meter, out);
  SEAM_TRY(const auto costs, measured_layout_costs(ready, options, meter, progress));
  out.network = planner::choose_layouts(ready, options, *costs);
  SEAM_TRY(Trials::Trial row_major, trials.run({}));
  out.row_major_us = row_major.us;
  SEAM_TRY(Trials::Trial best, trials.run(out.network.orders));
  // One set of values after the other back to row-major, those first that hold most; from the last that helped on, until none does.
  std::size_t since = 0;  // trials since the last that helped
  std::vector<planner::LayoutOrders> less = planner::with_one_less(ready, *best.planning.options.orders);
  for (std::size_t next = 0;; ++next) {
    if (since >= std::min(less.size(), kMostInVain)) break;
    SEAM_TRY(Trials::Trial trial, trials.run(less[next % less.size()]));
    ++since;
    if (trial.us >= best.us) continue;
    best = std::move(trial);
    less = planner::with_one_less(ready, *best.planning.options.orders);
    since = 0;
  }
  if (row_major.us <= best.us) best = std::move(row_major);
  out.chosen_us = best.us;
  out.chosen = std::move(best.planning);
  return out;
}

}  // namespace seam::codegen
