#pragma once
/// Programs that another compiler wrote: an optimized XLA:GPU module, the launches it becomes and the PTX of its kernels. Read, run from end to end on
/// the simulator, and each kernel held against the evaluator of its fusion: so a real compiler's result is measured by the same counters as ours, and
/// our simulator and evaluator are tried on code that nobody here wrote.
///
/// What is taken as given (XLA's conventions, notes in README): the module is scheduled; a kernel's parameters are one pointer per operand of its
/// instruction in order, then one per result in order; values lie in memory as their layouts say; a result that the kernel writes through the pointer of
/// an operand, or that is an update of one, lies where that operand lies.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.h"
#include "codegen/profile.h"
#include "codegen/program_check.h"
#include "codegen/verdict.h"
#include "graph/graph.h"
#include "sim/sim.h"

namespace seam::codegen {

/// What an instruction of the module becomes at run time.
enum class ForeignKind : std::uint8_t {
  Kernel,   ///< one launch of a kernel whose PTX is there
  Library,  ///< a call of cuBLAS or cuDNN
  Copy,     ///< device to device, slices of buffers included
  Control,  ///< while or conditional: what it launches stands in rows of its own
};

struct ForeignLaunch {
  ForeignKind kind{};
  std::string instruction;  ///< name in the module
  std::string thunk;        ///< as the compiler calls the kind ("kCustomKernel")
  std::string kernel;       ///< entry point; several instructions may share one
  sim::Dim3 grid, block;
  std::int64_t dynamic_shared = 0;  ///< bytes
  Position at;
  /// Kernels, by leaf of the result: the operand in whose buffer it lies. Filled in when the program is put together.
  std::vector<std::optional<std::size_t>> shared;
};

struct ForeignKernel {
  std::string file;                           ///< of its PTX
  std::shared_ptr<const std::string> ptx;     ///< the file's text; may hold other kernels as well
  std::shared_ptr<const sim::Module> module;  ///< null where the simulator refuses it
  std::optional<Error> refusal;               ///< why
  std::vector<bool> written;                  ///< by parameter: the kernel may store through it
};

struct ForeignProgram {
  graph::Graph graph;                                          ///< the optimized module
  std::map<std::string, ForeignLaunch, std::less<>> launches;  ///< by instruction
  std::map<std::string, ForeignKernel, std::less<>> kernels;   ///< by entry point, those that are launched
};

/// The launch list of data/xla: tab-separated, columns id depth kind instruction kernel grid block shared.
[[nodiscard]] Result<std::vector<ForeignLaunch>> read_launches(std::string_view text, std::string_view file);
/// The same from what XLA writes itself: …thunk_sequence.txt, and …thunk_metadata.txt, which says whose instruction each thunk is.
[[nodiscard]] Result<std::vector<ForeignLaunch>> read_thunks(std::string_view sequence, std::string_view metadata, std::string_view file);

struct PtxText {
  std::string file, text;
};
/// Joins the three. Errors: a module that is not scheduled, an instruction or a kernel that a launch names and that is not there, an instruction that
/// computes something and has no launch. A kernel that the simulator refuses is no error here: it is one when it should run.
[[nodiscard]] Result<ForeignProgram> foreign_program(graph::Graph module, std::vector<ForeignLaunch> launches, std::vector<PtxText> ptx);
/// From files: a module, a folder of *.ptx (or one file), a launch list in either form.
[[nodiscard]] Result<ForeignProgram> read_foreign(const std::filesystem::path& module, const std::filesystem::path& ptx,
                                                  const std::filesystem::path& launches);
/// From a folder as --xla_dump_to leaves it; `module` picks one ("module_0001.jit_step") where it holds several.
[[nodiscard]] Result<ForeignProgram> read_dump(const std::filesystem::path& folder, std::string_view module = {});

/// Constants that the module's text leaves out ("{...}"), taken from the module before optimization: those of the same type whose name is the same but for
/// what the compiler adds to names ("constant.9" is "constant_9_0"). Returns how many were found; one that is needed and was not found stops the run.
std::size_t take_constants(ForeignProgram& program, const graph::Graph& before);

/// What its outputs may be off by more than the table of tolerances grants, as its kernels' text says.
[[nodiscard]] Arithmetic arithmetic(const ForeignProgram& program);

/// How often each launch happens in a run of the program, by instruction: loops times their trips. nullopt: it depends on data.
[[nodiscard]] std::map<std::string, std::optional<std::int64_t>> launch_times(const ForeignProgram& program);

struct ForeignOptions {
  sim::Checks checks;
  /// Hold each instruction's first launch against the evaluator of its fusion, on the values it has in the program.
  bool check_kernels = false;
  /// Stop with Error::Cancelled when it returns false; called after each step with the number of launches so far.
  std::function<bool(std::uint64_t launches)> progress;
  std::uint64_t instruction_budget = 0;  ///< thread instructions of all kernels; 0 = no limit
};

/// One kernel held against its fusion.
struct ForeignCheck {
  std::string instruction, kernel;
  Outcome outcome = Outcome::NotRun;
  Outcome simulated = Outcome::NotRun;  ///< failed: the simulator had something to report; inconclusive: it refuses the kernel
  std::string reason;                   ///< why it did not pass
  double max_abs = 0, max_rel = 0, tolerance = 0;
  std::uint64_t compared = 0;
  bool ill_conditioned = false;  ///< passed only because operands that move by a few roundings move the result as far as it is off
  sim::Counters counters;        ///< of its last launch
};

/// One thing that ran, in order.
struct ForeignStep {
  const ForeignLaunch* launch = nullptr;  ///< of the program
  Id<graph::Computation> computation;
  std::int64_t trip = 0;                           ///< of the innermost loop
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< kernels: distinct bytes, simulated; others: operands once, and the result
  sim::Counters counters;                          ///< kernels only
};

struct ForeignRun {
  std::vector<Array> outputs;        ///< the root's leaves; empty if stopped by a report or over budget
  std::vector<std::string> reports;  ///< of the simulator; empty = clean
  std::vector<ForeignStep> steps;
  std::vector<ForeignCheck> checks;  ///< one per instruction, if asked for, in the order they ran
  std::uint64_t kernels = 0, library_calls = 0, copies = 0;
  /// Operands that had to be copied because something reads them after the kernel that updates them in place: 0 if the compiler's own copies suffice.
  std::uint64_t rescued = 0;
  std::uint64_t instructions = 0, bytes_read = 0, bytes_written = 0;  ///< of kernels
  std::int64_t peak_bytes = 0;
  bool over_budget = false;
};

/// `inputs` by entry parameter, leaves of tuples in order. Errors: an input does not fit; a kernel that the simulator refuses; a library call that the
/// evaluator does not know; a loop that does not end.
[[nodiscard]] Result<ForeignRun> run(const ForeignProgram& program, std::span<const Array> inputs, const ForeignOptions& options = {});

/// Runs kernels alone on seeded inputs, one instruction per kernel, and holds each against the evaluator of its fusion.
/// `threads` 0 = all cores. In order of kernel names.
[[nodiscard]] std::vector<ForeignCheck> check_kernels(const ForeignProgram& program, const sim::Checks& checks = {}, std::size_t threads = 0);

/// What one launch of a kernel does, at its own shape.
struct ForeignProfile : LaunchProfile {
  const ForeignLaunch* launch = nullptr;  ///< of the program: the first instruction that launches it
};

/// One per kernel, in order of names.
[[nodiscard]] std::vector<ForeignProfile> profile_kernels(const ForeignProgram& program, const ProfileOptions& options = {}, const Progress& progress = {});

}  // namespace seam::codegen
