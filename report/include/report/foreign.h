#pragma once
/// What running another compiler's program on the simulator said, in the forms that our own programs have: text, JSON ("seam.validate/1"), a run file.
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/device.h"
#include "base/evidence.h"
#include "codegen/foreign.h"

namespace seam::report {

/// One kernel: what it was launched as, what its launches did, what the checks said.
struct ForeignKernelRow {
  std::string kernel;
  std::vector<std::string> instructions;  ///< that launch it, in order of the module
  sim::Dim3 grid, block;                  ///< of the first
  std::int64_t dynamic_shared = 0;        ///< bytes
  std::uint64_t launches = 0;             ///< that the figures speak of
  std::optional<std::int64_t> times;      ///< launches in a run of the program, loops times their trips; nullopt: depends on data
  sim::Counters counters;                 ///< of all of them together
  std::uint64_t blocks = 0;               ///< of all of them; counters.blocks of these ran
  codegen::Outcome sim = codegen::Outcome::NotRun, values = codegen::Outcome::NotRun;
  std::string reason;  ///< of the first check that did not pass
  double max_abs = 0, max_rel = 0, tolerance = 0;
  std::uint64_t compared = 0;
  [[nodiscard]] codegen::Outcome outcome() const;
};

/// What one run of the program moves, from one launch of each kernel times how often it is launched.
struct ForeignTotals {
  std::int64_t kernels = 0;
  double instructions = 0, bytes_read = 0, bytes_written = 0, dram_bytes_read = 0, dram_bytes_written = 0;
  Evidence evidence = Evidence::Simulated;  ///< modelled where a kernel ran on a sample of its blocks
  std::size_t unknown = 0;                  ///< kernels left out: launched as often as data says, or refused
};

struct ForeignReport {
  std::string name;                                                        ///< of the module
  std::vector<ForeignKernelRow> kernels;                                   ///< in order of names
  codegen::ProgramCheck program;                                           ///< NotRun: only kernels were looked at
  std::uint64_t launches = 0, library_calls = 0, copies = 0, rescued = 0;  ///< of the run, as often as they ran
  std::uint64_t instructions = 0, bytes_read = 0, bytes_written = 0;       ///< of the run's kernels
  std::int64_t peak_bytes = 0;
  std::optional<ForeignTotals> totals;  ///< of profiles
  std::vector<std::string> notes;       ///< what a reader must know, one sentence each
  [[nodiscard]] codegen::Outcome outcome() const;
};

/// Any of the three may be empty or null. Figures come from the run if there is one, else from the profiles, else from the checks' last launches.
[[nodiscard]] ForeignReport foreign_report(const codegen::ForeignProgram& program, std::span<const codegen::ForeignCheck> alone,
                                           std::span<const codegen::ForeignProfile> profiles, const codegen::ForeignRun* run,
                                           const codegen::ProgramCheck& check);

[[nodiscard]] std::string foreign_text(const ForeignReport& report, bool markdown);
[[nodiscard]] std::string foreign_json(const ForeignReport& report);

/// How the run file calls itself.
struct ForeignRunFile {
  std::string command, tool;
  Device device;
};
/// One row per launch, library call and copy, in the order they ran. Bytes of kernels are simulated, times modelled as in run_file.h.
[[nodiscard]] Result<void> write_foreign_run(const codegen::ForeignProgram& program, const codegen::ForeignRun& run, const ForeignReport& report,
                                             const ForeignRunFile& how, const std::filesystem::path& file);

}  // namespace seam::report
