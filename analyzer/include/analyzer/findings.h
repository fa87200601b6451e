#pragma once
/// What to do about a run: rules that look at its figures and advise, each with its numbers, the rows that it stands on, and what following it may gain.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/critical_path.h"
#include "analyzer/occupation.h"
#include "analyzer/sequences.h"
#include "analyzer/timeline.h"

namespace seam::analyzer {

/// How much work a fix is; cheaper ones are said first.
enum class Effort : std::uint8_t { Flag, Line, Rewrite };
[[nodiscard]] std::string_view name(Effort effort);

struct Finding {
  std::string_view id;
  std::string what;                        ///< with its figures
  std::string fix;
  Effort effort = Effort::Line;
  std::int64_t part_ns = 0, whole_ns = 0;  ///< the share that made the rule speak, and of what
  std::int64_t gain_low_ns = 0, gain_high_ns = 0;  ///< of the run's wall time; the low end is recorded, the high end modelled: it assumes that the critical path moves along
  std::string_view query = {};             ///< SQL for the rows behind it
};

/// What rules look at; the figures of a report.
struct RunFacts {
  const Timeline& timeline;
  const std::vector<ClassShare>& shares;
  const std::vector<KernelShare>& kernels;
  const std::vector<Occupation>& occupation;
  const std::vector<Overlap>& overlap;  ///< per device
  const LaunchStats& launches;
  const CriticalPath& path;
  const std::vector<Sequence>& sequences;
  const std::vector<std::int64_t>& step_ns;  ///< durations of marked steps
  std::int64_t lost = 0;                     ///< rows that the recording is known to lack
};

/// Those that apply: less effort first, then the larger gain.
[[nodiscard]] std::vector<Finding> findings(const RunFacts& facts);
struct RuleInfo {
  std::string_view id, sentence, query;
};
/// All rules there are; a sentence says what each looks at and its threshold.
[[nodiscard]] std::vector<RuleInfo> rules();

}  // namespace seam::analyzer
