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
struct Process;
struct Thread;
struct Launch;
struct Range;
struct Signature;
struct Copy;
struct Node;
using StringId = Id<String>;
using KernelId = Id<Kernel>;
using StreamId = Id<Stream>;
using ProcessId = Id<Process>;
using ThreadId = Id<Thread>;
using LaunchId = Id<Launch>;
using RangeId = Id<Range>;
using SignatureId = Id<Signature>;
using CopyId = Id<Copy>;
using NodeId = Id<Node>;

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

/// How the clock of all times in the file lies to the Unix epoch.
struct Clock {
  std::optional<std::int64_t> unix_ns, resolution_ns;
};

/// A GPU as a recording describes it.
struct RecordedDevice {
  std::int64_t ordinal = 0;
  std::string name;     ///< as typed on the command line, if it is one of base/device.h; else as product
  std::string product;  ///< empty = unknown
  std::optional<std::int64_t> compute_major, compute_minor, sms, shared_per_block, l2_bytes;
  std::optional<double> dram_bytes_per_s, clock_hz;
};

struct Process {
  std::optional<std::int64_t> number;
  std::string label;
  StringId name;
};

struct Thread {
  ProcessId process;
  std::optional<std::int64_t> number;
  std::string label;
  StringId name;
};

struct Stream {
  std::int64_t device = 0;  ///< ordinal
  std::int64_t number = 0;
  StringId name;
  std::optional<std::int64_t> context;
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
  ProcessId process;
  std::optional<std::int64_t> external;
  StringId extra;
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
  ProcessId process;
  std::optional<std::int64_t> external;
  StringId source, destination;
  StringId extra;
};

enum class ApiKind : std::uint8_t { Runtime, Driver };

struct ApiCall {
  ThreadId thread;
  StringId name;
  std::optional<std::int64_t> start_ns, end_ns, correlation, result;
  ApiKind kind = ApiKind::Runtime;
  std::optional<std::int64_t> external;
  StringId extra;
};

enum class RangeKind : std::uint8_t { Op, Annotation, GpuAnnotation, Python, Overhead, Profiler, Other };

struct Range {
  RangeId parent;
  ThreadId thread;
  StringId domain, name;
  std::optional<std::int64_t> start_ns, end_ns;
  RangeKind kind = RangeKind::Other;
  StreamId stream;
  std::optional<std::int64_t> external, number, parent_number, sequence, forward_thread;
  SignatureId signature;
  StringId extra;
};

struct SignatureInput {
  StringId type;
  std::string dims, strides;  ///< JSON; empty = NULL
  StringId value;
};

enum class SyncKind : std::uint8_t { Stream, Context, Event, StreamWaitEvent, Unknown };

struct Sync {
  SyncKind kind = SyncKind::Unknown;
  StreamId stream;
  std::optional<std::int64_t> start_ns, end_ns, correlation, wait_stream, wait_correlation, wait_event;
  ProcessId process;
  std::optional<std::int64_t> external;
  StringId extra;
};

struct Collective {
  LaunchId launch;
  RangeId range;
  StringId name, dtype;
  std::optional<std::int64_t> elements_in, elements_out;
  StringId group_name;
  std::optional<std::int64_t> group_size;
  StringId ranks;
  std::optional<std::int64_t> sequence;
  NodeId node;
};

struct Allocation {
  std::optional<std::int64_t> time_ns;
  ThreadId thread;
  std::optional<std::int64_t> device, address, bytes, allocated, reserved;
  StringId extra;
};

struct Instant {
  ThreadId thread;
  StringId category, name;
  std::optional<std::int64_t> time_ns;
  StringId extra;
};

struct Counter {
  ProcessId process;
  StringId name, series;
  std::optional<std::int64_t> time_ns;
  std::optional<double> value;
};

enum class FlowPlace : std::uint8_t { Start, Step, End };

struct Flow {
  StringId category;
  std::optional<std::int64_t> number;
  FlowPlace place = FlowPlace::Start;
  ThreadId thread;
  std::optional<std::int64_t> time_ns;
};

/// One counter of one launch: a number or a text.
struct LaunchCounter {
  LaunchId launch;
  StringId counter, unit;
  std::optional<double> value;
  StringId text;
};

enum class NodeKind : std::uint8_t { Host, Root, Device, Communication, Memory, Metadata };

/// A node of an execution trace.
struct Node {
  std::int64_t number = 0;
  NodeKind kind = NodeKind::Host;
  StringId name;
  ThreadId thread;
  RangeId range;
  LaunchId launch;
  CopyId copy;
  std::optional<std::int64_t> parent, record, forward_parent, scope, duration_ns;
  StringId op_schema, backend, kernel_file;
  SignatureId inputs, outputs;
  StringId extra;
};

enum class EdgeKind : std::uint8_t { Control, Data };
enum class TensorSide : std::uint8_t { Input, Output };

struct NodeTensor {
  NodeId node;
  TensorSide side = TensorSide::Input;
  std::int64_t place = 0, item = 0, tensor = 0;
  std::optional<std::int64_t> storage, offset, elements, item_bytes;
  StringId device;
};

}  // namespace seam::db
