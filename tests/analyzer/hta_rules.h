#pragma once
/// What HolisticTraceAnalysis 0.5.0 would make of an imported run: its definitions, one by one, over the rows of the run file. Without any of them the figures are Seam's.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "db/database.h"

namespace seam::analyzer::test {

enum HtaRule : unsigned {
  kRounding = 1,   ///< starts are rounded up and ends down to whole microseconds, by way of doubles
  kLastStep = 2,   ///< with two steps or more what starts in the last one, and what it launched, is dropped
  kSyncRows = 4,   ///< rows of waiting for a stream count as work on the device
  kLaunchers = 8,  ///< ops that launch Triton's kernels carry a stream, and count as work on the device
  kNames = 16,     ///< what kernels are is told by three patterns
  kLaunchNames = 32,  ///< launches are calls of four names
  kContextRows = 64,  ///< rows of waiting for a context count too, in traces that give them stream 4294967295
};
inline constexpr unsigned kHtaRules = 127;
[[nodiscard]] std::string_view name(HtaRule rule);

/// Figures by name, in nanoseconds or counts; of one rank.
using Figures = std::map<std::string, std::int64_t>;
/// Kernel sums stand under "kernel:NAME", names of more than 120 characters shortened as the figures on file are.
[[nodiscard]] Figures hta_figures(const db::Database& run, unsigned rules);

}  // namespace seam::analyzer::test
