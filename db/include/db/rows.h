#pragma once
/// Rows of a run file, as C++ values: what schema.sql says in SQL. An empty optional is NULL: unknown.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/device.h"
#include "base/evidence.h"
#include "base/id.h"

namespace seam::db {

struct String;
struct Kernel;
struct Stream;
using StringId = Id<String>;
using KernelId = Id<Kernel>;
using StreamId = Id<Stream>;

enum class RunKind : std::uint8_t { Recorded, Imported, Simulated, Planned };

/// The run itself: one row per file.
struct Run {
  RunKind kind = RunKind::Simulated;
  std::string name;      ///< program or module
  std::string command;   ///< what was run; empty = unknown
  std::string tool;      ///< who wrote the file: "seam 0.1.0"
  std::string policy;    ///< planned and simulated runs
  std::string compiler;  ///< planned and simulated runs; empty = none was there
  std::optional<std::int64_t> start_ns, end_ns;
};

struct Kernel {
  StringId name;
  std::optional<int> registers;
  std::string cuda_sha256, ptx_sha256, ir_sha256;  ///< empty = unknown
  std::string verdict;                             ///< passed | failed | inconclusive | not run; empty = nobody checked it
};

struct KernelOp {
  StringId op, opcode;
  StringId origin;  ///< invalid = unknown
};

struct Grid {
  std::int64_t x = 1, y = 1, z = 1;
};

enum class LaunchKind : std::uint8_t { Kernel, Library };

/// One execution on the device.
struct Launch {
  std::int64_t sequence = 0;  ///< place in program order, shared with Copy
  LaunchKind kind = LaunchKind::Kernel;
  StringId name;
  KernelId kernel;            ///< invalid for library calls
  StreamId stream;
  std::optional<std::int64_t> start_ns, end_ns;
  std::optional<Grid> grid, block;
  std::optional<std::int64_t> static_shared, dynamic_shared;  ///< bytes per block
  std::optional<std::int64_t> correlation, graph, graph_node;
  StringId computation;
  std::optional<std::int64_t> trip, level;
  std::optional<std::int64_t> bytes_read, bytes_written;
  std::optional<double> flops;
  Evidence bytes_evidence = Evidence::Unknown;
  Evidence evidence = Evidence::Unknown;
};

enum class CopyKind : std::uint8_t { DeviceToDevice, HostToDevice, DeviceToHost, HostToHost, PeerToPeer, Memset, Unknown };

struct Copy {
  std::int64_t sequence = 0;
  CopyKind kind = CopyKind::Unknown;
  StringId name;
  StreamId stream;
  std::optional<std::int64_t> start_ns, end_ns, bytes;
  std::optional<std::int64_t> correlation, graph, graph_node;
  StringId computation;
  std::optional<std::int64_t> trip;
  Evidence bytes_evidence = Evidence::Unknown;
  Evidence evidence = Evidence::Unknown;
};

}  // namespace seam::db
