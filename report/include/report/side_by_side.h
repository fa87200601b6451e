#pragma once
/// A real compiler's kernels and ours for the same program, on the same simulated device: in total, and kernel by kernel, matched by the ops they compute.
/// Answers "which of its kernels moves bytes that a better plan would not?".
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/compiler_result.h"
#include "report/launch_cost.h"
#include "report/match.h"
#include "report/table.h"

namespace seam::report {

/// One of our launches that computes ops of one of theirs.
struct Counterpart {
  std::size_t ours = 0;  ///< index into SideBySide::ours.launches
  double share = 0;      ///< of what that launch computes and they have somewhere, by the sizes of the results
};

/// One of their launches, and what stands for it on our side.
struct MatchedLaunch {
  std::size_t theirs = 0;         ///< index into SideBySide::theirs.launches
  std::vector<Counterpart> ours;  ///< largest share first; empty: none of ours computes what it does
  double kept_bytes = 0;          ///< of a run: what it reads and writes of values that ours keep on chip (match.h)
  double bytes = 0, our_bytes = 0;        ///< of a run; ours: by share
  analyzer::Band time_us, our_time_us;    ///< of a run, execution only
  /// Bytes that go if our plan is taken; negative where ours move more.
  [[nodiscard]] double saved() const { return bytes - our_bytes; }
};

struct SideBySide {
  ProgramCost theirs, ours;
  std::int64_t floor_kernels = 0, floor_bytes = 0;  ///< of our plan
  std::vector<MatchedLaunch> launches;              ///< most bytes saved first
  /// Ours that compute nothing that was found in theirs: indices into ours.launches.
  std::vector<std::size_t> unmatched;
  std::size_t by_name = 0, by_position = 0, by_size = 0, unknown = 0;  ///< their ops, by how they were found (match.h)
  std::vector<std::string> formula;                       ///< of the time model, for the device
};

/// `profiles` of our kernels as profile_kernels() gives them for `program`.
[[nodiscard]] SideBySide side_by_side(const codegen::ForeignProgram& theirs, const std::vector<codegen::ForeignProfile>& their_profiles, const codegen::Program& program,
                                      const std::vector<codegen::LaunchProfile>& profiles, const Device& device, std::string name);

/// A compiler's program, and what tables call it.
struct NamedProgram {
  std::string name;
  std::shared_ptr<const codegen::ForeignProgram> program;
};
/// Those of `modules` whose kernels are at hand; `results` are theirs, in the same order.
[[nodiscard]] std::vector<NamedProgram> with_kernels(std::span<const CompilerModule> modules, std::span<const CompilerResult> results);
/// Runs each kernel of both sides once and puts them side by side, one result per program. `stage` is asked before kernels run and told of each
/// (as Observer::stage); it may be empty.
[[nodiscard]] std::vector<SideBySide> side_by_side(std::span<const NamedProgram> theirs, const codegen::Program& program, const Device& device, const codegen::ProfileOptions& options,
                                                   const std::function<codegen::Progress(std::string_view stage)>& stage = {});

/// Both in total, the floors of our plan, and ours over theirs.
[[nodiscard]] Table totals_table(const SideBySide& sides);
/// The first `most` of their launches; 0 = all.
[[nodiscard]] Table launches_table(const SideBySide& sides, std::size_t most);
/// Ours, the `most` that take longest (0 = all): what was counted of each.
[[nodiscard]] Table our_launches_table(const SideBySide& sides, std::size_t most);
/// Whether more of their ops were found in the plan than not.
[[nodiscard]] bool matches_well(const SideBySide& sides);
/// How times come about.
[[nodiscard]] Table formula_table(const SideBySide& sides);

}  // namespace seam::report
