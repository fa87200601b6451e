#pragma once
/// How much longer each piece of work could take before the run does: what is worth making faster, and what is not. Modelled: everything else keeps its length.
/// Never too much: host threads count as one chain, waiting calls as if they waited for the whole device, and queued work as if it began as soon as it could.
#include <cstdint>
#include <vector>

#include "analyzer/critical_path.h"
#include "analyzer/timeline.h"

namespace seam::analyzer {

/// All launches of one name.
struct NameSlack {
  std::uint32_t name = 0;
  Work::Kind kind = Work::Kind::Kernel;
  std::int64_t launches = 0;
  std::int64_t critical = 0;      ///< launches without slack
  std::int64_t path_ns = 0;       ///< of its time, what is on the critical path: making it faster gains at most this
  std::int64_t least_ns = 0;      ///< of one launch; each alone may grow by this
  std::int64_t median_ns = 0;
};

struct Slack {
  std::vector<std::int64_t> work_ns;  ///< of each of Timeline::work
  std::vector<NameSlack> names;       ///< the most time on the path first; equal ones by name
};
[[nodiscard]] Slack slack(const Timeline& timeline, const CriticalPath& path);

}  // namespace seam::analyzer
