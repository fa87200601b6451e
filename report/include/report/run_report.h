#pragma once
/// What a recorded run says: findings, shares, idle time by cause, launches, kernels, runs of kernels, the critical path, slack. `seam analyze` of a run or a trace.
#include <string>
#include <vector>

#include "analyzer/critical_path.h"
#include "analyzer/findings.h"
#include "analyzer/launch_windows.h"
#include "analyzer/occupation.h"
#include "analyzer/operator_roofs.h"
#include "analyzer/sequences.h"
#include "analyzer/slack.h"
#include "analyzer/timeline.h"
#include "db/database.h"
#include "report/document.h"

namespace seam::report {

/// A step that the program marked.
struct StepRow {
  std::int64_t number = 0, start_ns = 0, end_ns = 0, launches = 0, busy_ns = 0;
};

/// What a run did, without times: kernels, library calls, copies.
struct WorkTotal {
  std::string kind;
  std::int64_t count = 0;
  std::optional<std::int64_t> bytes_read, bytes_written;
};

/// Ops of an execution trace with one name, those that call no other ops.
struct OpTotal {
  std::string name;
  std::int64_t count = 0;
  std::optional<double> bytes_in, bytes_out;  ///< of the tensors that they are given and give; nothing where none is known
};

/// What hardware counted of a kernel's launches, in a run without times; nothing where a launch was not counted so.
struct CountedKernel {
  std::string name;
  std::int64_t launches = 0;
  std::optional<double> ns, bytes_read, bytes_written;
};

struct RunReport {
  std::string name, kind, format;          ///< of the run: "imported", "simulated", "planned"; "kineto" for imported ones
  bool timed = true;                       ///< the run says when it began
  std::vector<WorkTotal> totals;
  std::vector<OpTotal> ops;                ///< runs without times that hold an execution trace; most calls first
  std::vector<CountedKernel> counted;      ///< runs without times that hold counters; longest first
  std::vector<std::string> devices;        ///< products, by ordinal, of those with work
  analyzer::Timeline timeline;
  std::vector<analyzer::ClassShare> shares;
  std::vector<analyzer::KernelShare> kernels;
  std::vector<analyzer::Occupation> occupation;
  std::vector<analyzer::Overlap> overlap;  ///< per device
  std::vector<analyzer::OperatorRoof> operators;  ///< timed runs; most device time first
  std::string roof_device;                 ///< whose roofs; empty: unknown
  analyzer::LaunchStats launches;
  std::vector<analyzer::LaunchWindow> windows;
  analyzer::CriticalPath path;
  analyzer::Slack slack;
  std::vector<analyzer::Sequence> sequences;
  std::vector<analyzer::Finding> findings;
  std::vector<StepRow> steps;
  std::vector<std::optional<std::int64_t>> bytes;  ///< per row of shares: of copies in a recording, of all in a run without a GPU; nothing where unknown
  Evidence bytes_evidence = Evidence::Recorded;
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> loss;
  std::vector<std::string> warnings;
  /// No row has a time: execution traces, reports of counters.
  [[nodiscard]] bool untimed() const { return timeline.work.empty() && (timeline.untimed_work > 0 || !timed); }
};
[[nodiscard]] Result<RunReport> run_report(const db::Database& run);

/// Operators beside what they need at least; `most` rows, 0: all. nullopt: none has shapes.
[[nodiscard]] std::optional<Table> operators_table(const RunReport& report, std::size_t most);
/// `most` kernels; 0: all.
[[nodiscard]] Document run_document(const RunReport& report, std::size_t most);
/// seam.analyze/1.
[[nodiscard]] std::string run_json(const RunReport& report);

}  // namespace seam::report
