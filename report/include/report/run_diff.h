#pragma once
/// Two runs beside each other: what launches came, went or were renamed, and whether time really changed. `seam diff A B`.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/run_report.h"

namespace seam::report {

/// Inconclusive never passes: the data cannot tell.
enum class DiffVerdict : std::uint8_t { Pass, Regression, Inconclusive };
[[nodiscard]] std::string_view name(DiffVerdict verdict);

/// All launches of one kernel on both sides.
struct KernelChange {
  std::string before, after;  ///< names; empty: it does not occur there. Both and different: taken for the same kernel under another name
  std::int64_t launches_before = 0, launches_after = 0, ns_before = 0, ns_after = 0;
  graph::WorkClass work = graph::WorkClass::Unknown;
  [[nodiscard]] bool renamed() const { return !before.empty() && !after.empty() && before != after; }
};

/// Where launches of a changed kernel came from, and how many on each side.
struct ChangePlace {
  std::string place;  ///< "op aten::linear", "annotation forward", "step 3"
  std::int64_t launches_before = 0, launches_after = 0;
};
/// Why a kernel's count or time changed: the places under which it did.
struct ChangeReason {
  std::string before, after;             ///< as in KernelChange
  std::vector<ChangePlace> ops, annotations, steps;  ///< those whose counts differ, the largest difference first
  std::string sql_before, sql_after;     ///< the rows, on each run; empty where it does not occur there
};

/// One figure that is held against the run before.
struct DiffContract {
  std::string name;
  double expected = 0, actual = 0;
  DiffVerdict verdict = DiffVerdict::Pass;
  std::string reason;
};

/// Device time of one class on both sides.
struct ClassChange {
  graph::WorkClass work = graph::WorkClass::Unknown;
  std::int64_t launches_before = 0, launches_after = 0, ns_before = 0, ns_after = 0;
};

/// Of recorded times, a kernel with as many launches is changed if its time differs by more than this share of it, and by more than kNoTime of all.
inline constexpr double kSameTime = 0.05, kNoTime = 0.001;

struct RunDiff {
  std::string before, after;
  std::vector<ClassChange> classes;       ///< the most time before first
  std::vector<KernelChange> kernels;      ///< the largest change of time first; those of `same_kernels` are left out
  std::int64_t same_kernels = 0;          ///< names with equally many launches on both sides, that take as long but for kSameTime
  Evidence times = Evidence::Recorded;    ///< the weaker of both runs'
  std::vector<ChangeReason> reasons;      ///< of `kernels`, in their order; where they were asked for
  std::vector<DiffContract> contracts;    ///< launches of kernels, copies, API calls; device and step time
  DiffVerdict verdict = DiffVerdict::Pass;
};
/// Counts are exact and worse if they grow. Times are judged only where both runs have three marked steps or more: the medians differ by more than the
/// steps of each run spread (three times the median absolute deviation), or nothing is said. Of two runs without a GPU, modelled time and bytes are exact as
/// well; between one and a recording, times are not judged.
[[nodiscard]] RunDiff run_diff(const RunReport& before, const RunReport& after);

/// Fills in `reasons` of the first `most` changed kernels (0: all). The runs are those that the diff was made of.
[[nodiscard]] Result<void> explain(RunDiff& diff, const db::Database& before, const db::Database& after, std::size_t most);

/// `most` kernels; 0: all.
[[nodiscard]] Document diff_document(const RunDiff& diff, std::size_t most);
/// seam.diff/1.
[[nodiscard]] std::string diff_json(const RunDiff& diff);

}  // namespace seam::report
