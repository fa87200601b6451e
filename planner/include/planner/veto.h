#pragma once
/// Why two ops are not one kernel: a code, the ops, and the numbers that decided. Text, tooltips and "why not?" are
/// renderings of this.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "graph/graph.h"

namespace seam::planner {

enum class VetoCode : std::uint8_t {
#define SEAM_VETO(id, ...) id,
#include "planner/veto.def"
#undef SEAM_VETO
};
[[nodiscard]] std::string_view name(VetoCode code);
[[nodiscard]] std::string_view sentence(VetoCode code);  ///< what it means and what would lift it

struct Veto {
  VetoCode code{};
  Id<graph::Computation> computation;
  std::vector<Id<graph::Op>> ops;               ///< who could not join whom
  std::map<std::string, double> numbers;        ///< "needs" = 71680, "has" = 49152
  friend bool operator==(const Veto&, const Veto&) = default;
};

/// A refusal by a pass that still changes the graph: ids change from pass to pass, names stay.
struct EarlyVeto {
  VetoCode code{};
  std::string computation;
  std::vector<std::string> ops;
  std::map<std::string, double> numbers;
  friend bool operator==(const EarlyVeto&, const EarlyVeto&) = default;
};

}  // namespace seam::planner
