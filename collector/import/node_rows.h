#pragma once
/// Nodes of an execution trace → rows of a run file: a node each, what it reads and writes, and the op or kernel that it is. Alone they make a run without
/// times; beside a trace of the same process they give its ops the tensors that they work on (join_nodes.h).
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/import.h"
#include "db/writer.h"
#include "import/run_end.h"

namespace seam::collector {

/// The inputs or the outputs of a node: lists of equal length.
struct NodeValues {
  nlohmann::json values, shapes, types, strides;
};

/// A collective, as far as a node tells.
struct NodeCollective {
  std::string name, dtype, group;
  std::optional<std::int64_t> elements_in, elements_out, group_size;
};

/// A node as its reader understood it.
struct TraceNode {
  std::int64_t number = 0;
  db::NodeKind kind = db::NodeKind::Host;
  bool device = false;  ///< it runs there: a kernel, a copy or a fill
  std::string name;
  std::optional<std::int64_t> parent, record, forward_parent, sequence, scope, thread, forward_thread, start_ns, duration_ns;
  std::string op_schema, backend, kernel_file;
  NodeValues inputs, outputs;
  std::vector<std::int64_t> control, data;  ///< numbers of the nodes that come first, beside the parent
  std::optional<NodeCollective> collective;
  /// Of device work, where the trace has its profiler's event.
  std::optional<std::int64_t> gpu, context, stream, correlation, external, registers, shared, bytes;
  std::optional<db::Grid> grid, block;
  nlohmann::json extra = nlohmann::json::object();
};

class NodeRows {
 public:
  /// `joined`: ops and device work are in the file already, of another trace.
  NodeRows(db::Writer& writer, bool joined) : writer_(writer), joined_(joined) {}

  void set_process(std::optional<std::int64_t> process) { process_number_ = process; }
  /// Of the run; the first value of a name is kept.
  void set_property(const std::string& name, const std::string& value);
  void add(const TraceNode& node);
  void lose(std::string_view reason, std::int64_t count, std::string_view detail);
  void warn(std::string_view code, const std::string& message) { warnings_.push_back({std::string(code), message}); }
  /// Alone: completes the run, all of `into` but the paths. Joined: adds its counts, losses and warnings to `into`.
  void finish(Imported& into);
  [[nodiscard]] std::int64_t nodes() const { return counts_.contains("node") ? counts_.at("node") : 0; }

 private:
  [[nodiscard]] db::ThreadId thread_of(const TraceNode& node);
  [[nodiscard]] db::ProcessId process();
  [[nodiscard]] db::StreamId stream_of(const TraceNode& node);
  [[nodiscard]] db::SignatureId signature_of(const NodeValues& values);
  [[nodiscard]] db::RangeId add_range(const TraceNode& node, db::ThreadId thread, db::SignatureId signature);
  void add_device_work(const TraceNode& node, db::Node& row);
  void add_tensors(db::NodeId node, db::TensorSide side, const NodeValues& values);
  void widen(const TraceNode& node);

  db::Writer& writer_;
  bool joined_;
  std::optional<std::int64_t> process_number_;
  std::optional<db::ProcessId> process_;
  std::set<std::string> properties_;
  std::map<std::int64_t, db::ThreadId> threads_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, db::StreamId> streams_;
  std::map<std::pair<std::uint64_t, std::int64_t>, db::KernelId> kernels_;
  std::map<std::int64_t, db::RecordedDevice> devices_;
  std::unordered_map<std::string, db::SignatureId> signatures_;
  std::map<std::string, std::int64_t, std::less<>> counts_;
  Losses losses_;
  std::vector<ImportWarning> warnings_;
  std::optional<std::int64_t> first_ns_, last_ns_;
  std::int64_t sequence_ = 0;
};

}  // namespace seam::collector
