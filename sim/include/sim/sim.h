#pragma once
/// A virtual GPU: runs PTX of any origin, with checks and counters, no GPU needed. Load a module (strict
/// decoder: what is not implemented exactly is refused with file:line), give it buffers, launch. No globals;
/// several Memory/launch calls may run on several threads at once, each with its own Memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seam::sim {

/// Decoded PTX: immutable, shared by launches and threads.
class Module;
struct KernelInfo {
  std::string name;
  struct Parameter {
    std::string name;
    int offset = 0, size = 0, align = 0;
    bool pointer = false;  ///< .ptr or .u64/.b64: may be bound to a buffer
  };
  std::vector<Parameter> parameters;
  std::int64_t static_shared = 0;           ///< bytes
  bool dynamic_shared = false;              ///< uses an extern .shared array: the launch says how many bytes it has
  int required_threads[3] = {0, 0, 0};      ///< .reqntid; 0 = not stated
  int max_threads = 0;                      ///< .maxntid product; 0 = not stated
  std::int64_t static_instructions = 0;
};
/// Unsupported instructions are Error::Unsupported with file:line of the PTX; broken text is BadInput.
/// `only`: decode just this kernel, so that what others in the file use does not matter.
[[nodiscard]] Result<std::shared_ptr<const Module>> load_ptx(std::string_view ptx, std::string_view file,
                                                             std::string_view only = {});
[[nodiscard]] std::vector<KernelInfo> kernels(const Module& module);

/// Device memory. Every buffer has its own address window: an access outside its bytes is reported, never
/// performed. Pages are committed when touched.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;

  /// A buffer of `bytes` bytes; returns its device address (aligned to 256). `name` appears in reports.
  std::uint64_t allocate(std::int64_t bytes, std::string_view name);
  void free(std::uint64_t address);
  /// The host view of a buffer: read inputs into it, read outputs from it.
  [[nodiscard]] std::span<std::byte> bytes(std::uint64_t address);
  /// Marks all of a buffer as written (initialised), or as not written (poisoned with 0xff).
  void set_initialized(std::uint64_t address, bool initialized);
  /// A write to it is a report.
  void set_read_only(std::uint64_t address, bool read_only);
  /// Bytes of the buffer that no launch and no set_initialized has written.
  [[nodiscard]] std::int64_t unwritten_bytes(std::uint64_t address) const;
  /// True where byte i was written; what validate uses to know which outputs sampled blocks produced.
  [[nodiscard]] std::vector<bool> written(std::uint64_t address) const;

  struct Impl;
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

struct Launch {
  std::string kernel;
  Dim3 grid, block;
  std::int64_t dynamic_shared = 0;  ///< bytes
  bool cooperative = false;         ///< all blocks resident, interleaved (grid barriers work)
  /// The parameter block, laid out as KernelInfo::parameters say.
  std::vector<std::byte> parameters;
  /// Only these linear block indices are run; empty = all. Counters then speak of the sample (see Counters::blocks).
  std::vector<std::uint64_t> blocks;
};

/// Checks::ulp: each approximate instruction errs as far as the PTX ISA allows it.
constexpr int kDocumentedUlp = -1;

struct Checks {
  bool memory = true;          ///< bounds, alignment, read-only
  bool initialized = true;     ///< reads of bytes nobody wrote (global, shared)
  bool races = true;           ///< shared and global, between barriers and between blocks
  bool excuse_races = true;    ///< races that cannot matter are notes (run/suspects.h); false: reports, for code that needs no excuse
  bool barriers = true;        ///< divergent barriers, shuffles with absent lanes
  bool counters = true;
  std::uint64_t seed = 0;      ///< shuffles warp order between barriers, starves one block of a cooperative launch
  int max_reports = 20;        ///< further ones are counted, not kept
  bool profile = false;        ///< instructions by class; costs a little time
  int ulp = 0;                 ///< results of approximate instructions are off by up to this many units in the last place (run/approximate.h)
  std::uint64_t max_instructions = 0;  ///< warp instructions; 0 = no limit; beyond it the launch ends with a "timeout" report
};

struct Report {
  std::string kind;     ///< "out-of-bounds", "race-shared", "uninitialized", "misaligned", "divergent-barrier", "read-only", "deadlock", "timeout", "trap" …
  std::string message;  ///< in a user's words: buffer name, offset, thread, block
  int ptx_line = 0;     ///< line of the PTX text
  std::string file;     ///< .loc source, empty if the PTX has none
  int line = 0;         ///< .loc line, 0 if none
  std::uint64_t count = 1;
};

/// Counted while the real PTX ran: evidence `simulated`.
struct Counters {
  std::uint64_t blocks = 0;               ///< blocks run
  std::uint64_t warp_instructions = 0;
  std::uint64_t instructions = 0;         ///< thread instructions (active lanes)
  std::uint64_t bytes_read = 0;           ///< global bytes requested by loads
  std::uint64_t bytes_written = 0;        ///< global bytes requested by stores
  std::uint64_t sectors_read = 0;         ///< 32-byte sectors requested, per warp access
  std::uint64_t sectors_written = 0;
  std::uint64_t footprint_read = 0;       ///< distinct 32-byte sectors read in the launch (DRAM, cache without limit)
  std::uint64_t footprint_written = 0;
  std::uint64_t distinct_bytes_read = 0;  ///< distinct global bytes read in the launch
  std::uint64_t distinct_bytes_written = 0;
  std::uint64_t global_requests = 0;      ///< warp instructions that load or store global memory
  std::uint64_t global_wavefronts = 0;    ///< passes through L1: distinct 128-byte lines of a request, per warp access
  std::uint64_t shared_wavefronts = 0;
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_conflicts = 0;     ///< wavefronts above the least that the requests' lanes and bytes need
  std::uint64_t barriers = 0;             ///< per block
  std::uint64_t atomics = 0;
  std::uint64_t atomic_sectors = 0;       ///< 32-byte sectors that atomic accesses to global memory touch, per warp access
  /// Of the sectors read, those that a first-level cache of 32 KiB per block (direct-mapped, empty at its start) does not hold; only with
  /// Checks::profile. What is asked of the L2.
  std::uint64_t l2_sectors_read = 0;
};

/// What kind of work an instruction is. A conversion, comparison or move counts as that, whatever its type.
// X(enumerator, name)
#define SEAM_SIM_CLASSES(X)                                                                                                     \
  X(Integer, "integer") X(Float, "float") X(Double, "double") X(Half, "half") X(Conversion, "conversion") X(Compare, "compare") \
  X(Special, "special") X(Tensor, "tensor") X(Move, "move") X(Parameter, "parameter") X(Global, "global") X(Shared, "shared")   \
  X(Local, "local") X(AsyncCopy, "async_copy") X(Atomic, "atomic") X(Barrier, "barrier") X(Shuffle, "shuffle") X(Control, "control")

enum class InstructionClass : std::uint8_t {
#define X(name, text) name,
  SEAM_SIM_CLASSES(X)
#undef X
};
constexpr std::size_t kInstructionClasses = 0
#define X(name, text) +1
    SEAM_SIM_CLASSES(X)
#undef X
    ;
[[nodiscard]] std::string_view name(InstructionClass one);

/// Instructions by class; only with Checks::profile. The sums are those of the counters.
struct Profile {
  std::array<std::uint64_t, kInstructionClasses> warp_instructions{};
  std::array<std::uint64_t, kInstructionClasses> instructions{};  ///< of threads: active lanes
};

struct Outcome {
  std::vector<Report> reports;
  /// What looks like a fault and was found to be none (kinds "race-unused", "race-ordered", "race-rounding"). Not a reason to fail.
  std::vector<Report> notes;
  Profile profile;
  std::uint64_t dropped_reports = 0;
  Counters counters;
  /// Per buffer address: distinct bytes read and written in this launch.
  struct Touched { std::uint64_t address = 0, distinct_bytes_read = 0, distinct_bytes_written = 0; };
  std::vector<Touched> touched;
  [[nodiscard]] bool clean() const { return reports.empty(); }
};

/// Errors: kernel not in module, parameter block of the wrong size, launch limits exceeded. What the running program
/// does wrong is a report, not an error.
[[nodiscard]] Result<Outcome> launch(const Module& module, Memory& memory, const Launch& launch, const Checks& checks = {});

}  // namespace seam::sim
