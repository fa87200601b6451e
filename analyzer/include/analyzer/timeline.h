#pragma once
/// A run's recorded rows in memory, in order of time: what all analyses of time walk over. Rows without a recorded start or end are counted, not guessed.
#include <cstdint>
#include <string>
#include <vector>

#include "base/evidence.h"
#include "base/result.h"
#include "db/database.h"
#include "graph/kernel_names.h"

namespace seam::analyzer {

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// A kernel, copy or fill on a device. Times in nanoseconds on the run's clock.
struct Work {
  enum class Kind : std::uint8_t { Kernel, Copy, Fill };
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t stream = kNone;  ///< in Timeline::streams
  std::uint32_t name = 0;        ///< in Timeline::names
  std::uint32_t call = kNone;    ///< the API call that started it, in Timeline::calls
  Kind kind = Kind::Kernel;
  bool in_graph = false;         ///< its call started more than this
  std::int64_t row = 0;          ///< id in launch or copy

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};

/// What an API call does to the host.
enum class CallKind : std::uint8_t { Launch, Wait, Memory, Other };
[[nodiscard]] CallKind call_kind(std::string_view name);

inline constexpr std::int64_t kNoCorrelation = INT64_MIN;

struct Call {
  std::int64_t start_ns = 0, end_ns = 0, correlation = kNoCorrelation;
  std::uint32_t thread = kNone;  ///< id in the run
  std::uint32_t name = 0;
  CallKind kind = CallKind::Other;
  std::uint32_t work = kNone;    ///< the first piece of work it started
  std::uint32_t works = 0;       ///< how many
};

/// A span of the framework on a host thread.
struct HostSpan {
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t thread = kNone, name = 0;
  bool op = false;  ///< a framework op; otherwise an annotation or a Python frame
};

struct StreamInfo {
  std::int64_t device = 0, number = 0;
};

struct NameInfo {
  std::string text;
  graph::KernelName kernel;  ///< what it tells if it is a kernel's
};

struct Timeline {
  std::int64_t start_ns = 0, end_ns = 0;  ///< first and last instant of the run
  std::vector<Work> work;                 ///< by start, then in the order of the file
  std::vector<Call> calls;                ///< by start
  std::vector<HostSpan> spans;            ///< by start
  std::vector<StreamInfo> streams;
  std::vector<NameInfo> names;
  Evidence evidence = Evidence::Recorded; ///< of the times; modelled: a program that the simulator ran or that is only planned
  std::int64_t untimed_work = 0;          ///< rows of the device without a start or an end

  [[nodiscard]] std::int64_t wall_ns() const { return end_ns - start_ns; }
  /// Ordinals of devices with work, ascending.
  [[nodiscard]] std::vector<std::int64_t> devices() const;
  [[nodiscard]] std::int64_t device_of(const Work& one) const { return streams[one.stream].device; }
  [[nodiscard]] graph::WorkClass class_of(const Work& one) const;
};

[[nodiscard]] Result<Timeline> timeline_of(const db::Database& run);

}  // namespace seam::analyzer
