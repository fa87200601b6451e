#pragma once
/// The chain of events that the end of a run waited for, walked back from its last instant: what ran on the device while nothing else held it up, and what
/// the host did when the device had nothing queued. The pieces touch: together they are the wall time, exactly.
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "analyzer/timeline.h"

namespace seam::analyzer {

enum class PathKind : std::uint8_t {
  Kernel,      ///< a kernel runs (`work`)
  Copy,        ///< a copy or fill runs (`work`)
  DeviceGap,   ///< queued work has not begun, although what was before it on its stream is over
  Latency,     ///< from the end of a launch call to the start of its work
  Launch,      ///< in the call that launches work
  Return,      ///< from the end of the work that a waiting call waited for to the end of that call
  HostWait,    ///< in a waiting call that waited for nothing that the trace shows
  HostMemory,  ///< the host allocates or frees
  HostCall,    ///< the host is in another API call
  HostOp,      ///< the host runs a framework op
  HostPython,  ///< the host is in Python or annotated code
  Unrecorded,  ///< nothing that the trace shows
};
inline constexpr std::size_t kPathKinds = 12;
[[nodiscard]] std::string_view name(PathKind kind);
[[nodiscard]] std::string_view sentence(PathKind kind);

struct PathPiece {
  std::int64_t start_ns = 0, end_ns = 0;
  PathKind kind = PathKind::Unrecorded;
  std::uint32_t work = kNone;    ///< Kernel, Copy; for DeviceGap, Latency and Launch what comes next
  std::uint32_t thread = kNone;  ///< of host pieces
  bool inferred = false;         ///< the step before it (to earlier work of another stream) is not recorded but follows from the times
  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};

/// In order of time.
struct CriticalPath {
  std::deque<PathPiece> pieces;  ///< millions: no second copy while it grows
  [[nodiscard]] std::int64_t ns() const;
};
[[nodiscard]] CriticalPath critical_path(const Timeline& timeline);

}  // namespace seam::analyzer
