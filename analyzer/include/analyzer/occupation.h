#pragma once
/// What devices do over the time of a run: shares of classes and kernels, how much of it is busy, and why not the rest.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/timeline.h"

namespace seam::analyzer {

/// Device time of one class of work: durations summed (numerator), beside the sum over all classes (denominator).
struct ClassShare {
  graph::WorkClass work = graph::WorkClass::Unknown;
  std::int64_t ns = 0, of_ns = 0, launches = 0;
};
/// Classes that occur, the largest first.
[[nodiscard]] std::vector<ClassShare> class_shares(const Timeline& timeline);

/// All launches of one name.
struct KernelShare {
  std::uint32_t name = 0;
  Work::Kind kind = Work::Kind::Kernel;
  std::int64_t launches = 0, ns = 0, least_ns = 0, most_ns = 0;
};
/// The most time first; equal times by name.
[[nodiscard]] std::vector<KernelShare> kernel_shares(const Timeline& timeline);

/// Why a device does nothing. Order: as they are reported.
enum class IdleCause : std::uint8_t {
  HostWaits,       ///< the host is in a call that waits for the device, and launches nothing meanwhile
  HostMemory,      ///< … allocates or frees
  HostCalls,       ///< … is in other API calls
  HostOps,         ///< … runs framework ops
  HostPython,      ///< … is in annotated code or Python
  HostUnrecorded,  ///< … does something that is not in the trace
  LaunchCall,      ///< inside the call that launches the next work
  LaunchLatency,   ///< from the end of that call to the start of the work
  BetweenQueued,   ///< the next work was queued in time: the device's own gap, up to kQueuedGap
  QueuedWait,      ///< … and started only later: it waited for another stream, device or the host
  NoLaunch,        ///< the call that launched the next work is not in the trace
  AfterLast,       ///< nothing comes any more
  ModelledGap,     ///< in a run whose times are modelled: the gap that the time model puts before each launch
};
inline constexpr std::size_t kIdleCauses = 13;
inline constexpr std::int64_t kQueuedGap = 30'000;  ///< ns; HTA's consecutive_kernel_delay
[[nodiscard]] std::string_view name(IdleCause cause);
[[nodiscard]] std::string_view sentence(IdleCause cause);

/// One device: busy_ns + Σ idle = wall, exactly.
struct Occupation {
  std::int64_t device = 0, wall_ns = 0, busy_ns = 0, launches = 0;
  std::array<std::int64_t, kIdleCauses> idle{};
};
[[nodiscard]] std::vector<Occupation> occupation(const Timeline& timeline);

/// Communication beside computation on one device.
struct Overlap {
  std::int64_t device = 0;
  std::int64_t communication_ns = 0;  ///< union of communication kernels
  std::int64_t computation_ns = 0;    ///< union of all other kernels
  std::int64_t hidden_ns = 0;         ///< what both have in common
  [[nodiscard]] std::int64_t exposed_ns() const { return communication_ns - hidden_ns; }
};
/// Devices with kernels, ascending.
[[nodiscard]] std::vector<Overlap> communication_overlap(const Timeline& timeline);
/// Of all devices together.
[[nodiscard]] Overlap total(const std::vector<Overlap>& devices);

/// How work gets to the device.
struct LaunchStats {
  std::int64_t linked = 0, unlinked = 0;        ///< work with and without its call in the trace
  std::int64_t calls = 0;                       ///< that started work
  std::int64_t short_kernels = 0;               ///< kernels shorter than the call that launched them
  std::int64_t in_graphs = 0;                   ///< work of calls that started more than one piece
  std::int64_t call_ns = 0, delay_ns = 0;       ///< summed: in those calls; from a call's end to its work's start, if later
  double depth = 0;                             ///< pieces of work queued or running, averaged over the time in which any was
};
[[nodiscard]] LaunchStats launch_stats(const Timeline& timeline);

}  // namespace seam::analyzer
