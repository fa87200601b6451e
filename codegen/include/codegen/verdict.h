#pragma once
/// What each check of a kernel said, and on what evidence. A kernel without a pass cannot be exported or ranked.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/resources.h"
#include "sim/sim.h"

namespace seam::codegen {

enum class Outcome : std::uint8_t { Passed, Failed, Inconclusive, NotRun };
[[nodiscard]] constexpr std::string_view name(Outcome o) {
  switch (o) {
    case Outcome::Passed: return "passed";
    case Outcome::Failed: return "failed";
    case Outcome::Inconclusive: return "inconclusive";
    case Outcome::NotRun: break;
  }
  return "not run";
}

struct Tier {
  Outcome outcome = Outcome::NotRun;
  std::string detail;  ///< one line: what was checked, or what failed, or why it did not run
  friend bool operator==(const Tier&, const Tier&) = default;
};

/// First elements of an output as the simulator left them for the first input set, and how far a GPU's may lie from them (the tolerance that the
/// reference allowed).
struct Expected {
  std::size_t argument = 0;  ///< index into Source::arguments
  std::vector<double> values;
  double allowed = 0;
};

struct Verdict {
  std::string kernel;
  Tier ir, sim, values, host, gpu;
  std::vector<std::string> reports;       ///< simulator reports, rendered with source lines
  std::uint64_t bytes_read = 0, bytes_written = 0;  ///< simulated, distinct bytes (of the blocks that ran)
  std::uint64_t model_read = 0, model_written = 0;  ///< the planner's figures for the same
  bool bytes_compared = false;            ///< both speak of the whole grid
  std::uint64_t blocks_run = 0, blocks = 0;
  sim::Counters counters;
  double max_abs = 0, max_rel = 0, tolerance = 0;
  std::uint64_t values_compared = 0;
  std::vector<int> sets;                  ///< input sets that it ran on (codegen/inputs.h), in order
  std::vector<Expected> expected;         ///< per output whose first elements were among those that ran
  std::string cuda_sha256, ptx_sha256, ir_sha256;
  std::optional<Resources> resources;     ///< of the machine code; none: unknown
  [[nodiscard]] Outcome outcome() const {
    Outcome all = Outcome::Passed;
    for (const Tier* t : {&ir, &sim, &values}) {
      if (t->outcome == Outcome::Failed) return Outcome::Failed;
      if (t->outcome != Outcome::Passed) all = Outcome::Inconclusive;
    }
    if (host.outcome == Outcome::Failed || gpu.outcome == Outcome::Failed) return Outcome::Failed;
    return all;
  }
};

}  // namespace seam::codegen
