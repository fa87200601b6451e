#pragma once
/// A replacement set: stitched kernels as other programs take them: PTX, how to launch it, what each argument must be, and the guards under
/// which it may stand in for the original ops. Written by `seam export --as replacement`; read by whatever installs kernels. JSON,
/// "schema": "seam.replacement/1"; parse_replacement(print_replacement(r)) == r.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace seam {

enum class ArgumentRole : std::uint8_t {
  Input,      ///< read only
  Output,     ///< written in whole
  Updated,    ///< holds `aliases` at the start and is written in part, in place
  Workspace,  ///< scratch of `bytes` bytes that holds zeros at the start, and again at the end
};
[[nodiscard]] std::string_view name(ArgumentRole role);

struct LaunchArgument {
  std::string name;                 ///< as in the kernel's text
  ArgumentRole role = ArgumentRole::Input;
  std::string value;                ///< the op of the module whose value it holds; empty for workspace
  std::string aliases;              ///< Updated: the value whose buffer it takes over
  DType dtype = DType::F32;
  std::vector<std::int64_t> dims;   ///< dense, row-major
  std::int64_t bytes = 0;
  friend bool operator==(const LaunchArgument&, const LaunchArgument&) = default;
};

/// How to launch one kernel: all its arguments are pointers, in this order.
struct LaunchShape {
  std::int64_t grid = 1;            ///< blocks, x only
  std::int64_t block = 1;           ///< threads, x only
  std::int64_t shared_bytes = 0;    ///< dynamic shared memory; above 48 KiB the function attribute must be raised first
  std::vector<LaunchArgument> arguments;
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

struct ReplacementKernel {
  std::string name;                 ///< entry point
  std::string ptx;
  std::string ptx_sha256;
  LaunchShape launch;
  std::string computation;          ///< where it stands in the module …
  std::vector<std::string> ops;     ///< … and which ops it stands in for
  friend bool operator==(const ReplacementKernel&, const ReplacementKernel&) = default;
};

/// When the set may be used. If one does not hold, the original runs.
struct ReplacementGuards {
  std::string module_sha256;        ///< of the module's .graph text: exactly this program
  int compute_major = 0;            ///< the PTX's target: devices of this capability and later
  int compute_minor = 0;
  std::int64_t alignment = 256;     ///< of each pointer, bytes
  std::int64_t shared_bytes = 0;    ///< dynamic shared memory a block must be able to get
  bool distinct_buffers = true;     ///< no two arguments overlap, Updated ones aside
  friend bool operator==(const ReplacementGuards&, const ReplacementGuards&) = default;
};

/// One thing the program does, in order, for one computation.
struct ReplacementStep {
  std::string kind;                 ///< kernel | library | copy | while | conditional
  std::string name;                 ///< kernel: its name; otherwise the op
  friend bool operator==(const ReplacementStep&, const ReplacementStep&) = default;
};
struct ReplacementSchedule {
  std::string computation;
  std::vector<ReplacementStep> steps;
  friend bool operator==(const ReplacementSchedule&, const ReplacementSchedule&) = default;
};

struct ReplacementSet {
  std::string module, device, policy, compiler;
  ReplacementGuards guards;
  std::vector<ReplacementKernel> kernels;
  std::vector<ReplacementSchedule> schedules;
  friend bool operator==(const ReplacementSet&, const ReplacementSet&) = default;
};

/// {"grid", "block", "shared_bytes", "arguments": [{name, role, value, aliases, dtype, dims, bytes}]}: the same in every file that speaks of a launch.
[[nodiscard]] std::string print_launch(const LaunchShape& launch);
[[nodiscard]] std::string print_replacement(const ReplacementSet& set);
/// BadInput for what is not a replacement set, or whose PTX is not what its hash says.
[[nodiscard]] Result<ReplacementSet> parse_replacement(std::string_view json, std::string_view file);

}  // namespace seam
