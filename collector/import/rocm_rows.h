#pragma once
/// What AMD's profilers record → rows of a run file: kernels, copies, API calls, markers, counters. Readers of their formats (rocprof_csv.h, rocprof_json.h,
/// rocpd.h) fill these in; times are nanoseconds of one clock.
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collector/import.h"
#include "db/writer.h"
#include "import/run_end.h"

namespace seam::collector {

using Number = std::optional<std::int64_t>;

struct RocKernel {
  std::string name;
  Number process, agent, queue, dispatch, correlation, start_ns, end_ns, registers, shared;
  std::optional<db::Grid> workgroup, work_items;  ///< AMD counts a grid in work items, not in blocks
  nlohmann::json extra = nlohmann::json::object();
};
struct RocCopy {
  db::CopyKind kind = db::CopyKind::Unknown;
  std::string name;
  Number process, agent, queue, correlation, start_ns, end_ns, bytes;
  nlohmann::json extra = nlohmann::json::object();
};
struct RocCall {
  std::string domain, name;
  Number process, thread, correlation, start_ns, end_ns;
  bool driver = false;
  nlohmann::json extra = nlohmann::json::object();
};
/// A span that the program marked, or an op of a framework.
struct RocRange {
  std::string domain, name;
  Number process, thread, start_ns, end_ns, sequence;
  bool op = false;
  db::SignatureId signature;
  nlohmann::json extra = nlohmann::json::object();
};

class RocmRows {
 public:
  explicit RocmRows(db::Writer& writer) : writer_(writer) {}

  db::LaunchId add(const RocKernel& kernel);
  void add(const RocCopy& copy);
  void add(const RocCall& call);
  void add(const RocRange& range);
  /// Of a kernel's dispatch; one that no trace tells of becomes a launch of its own.
  void add_counter(const RocKernel& of, std::string_view counter, std::optional<double> value);
  void describe_device(std::int64_t agent, db::RecordedDevice device);

  void count(std::string_view kind, std::int64_t by = 1) { counts_[std::string(kind)] += by; }
  void lose(std::string_view reason, std::int64_t count, std::string_view detail);
  void warn(std::string_view code, const std::string& message);
  void set_property(const std::string& name, const std::string& value);
  [[nodiscard]] db::Writer& writer() { return writer_; }

  /// All of `into` but the paths and the format.
  void finish(Imported& into);

 private:
  struct Span {
    Number start_ns, end_ns;
  };
  [[nodiscard]] Span span_of(const Number& start, const Number& end);
  [[nodiscard]] db::ProcessId process_of(const Number& process);
  [[nodiscard]] db::ThreadId thread_of(const Number& process, const Number& thread);
  [[nodiscard]] db::StreamId stream_of(const Number& agent, const Number& queue);
  [[nodiscard]] db::StringId name_of(const std::string& name);
  [[nodiscard]] db::StringId extra_of(const nlohmann::json& extra);

  db::Writer& writer_;
  std::map<std::int64_t, db::ProcessId> processes_;
  std::map<std::pair<std::int64_t, std::int64_t>, db::ThreadId> threads_;
  std::map<std::pair<std::int64_t, std::int64_t>, db::StreamId> streams_;
  std::map<std::int64_t, db::RecordedDevice> devices_;
  std::set<std::int64_t> used_devices_, calling_;
  std::map<std::pair<std::uint64_t, std::int64_t>, db::KernelId> kernels_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, db::LaunchId> dispatches_;  ///< by process (−1: not said), dispatch and name
  std::set<std::pair<std::uint64_t, std::string>> counted_;
  std::set<std::string> properties_;
  std::map<std::string, std::int64_t, std::less<>> counts_;
  Losses losses_;
  std::vector<ImportWarning> warnings_;
  Number first_ns_, last_ns_;
  std::int64_t sequence_ = 0;
};

}  // namespace seam::collector
