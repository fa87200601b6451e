#pragma once
/// Events of a Chrome-format trace → rows of a run file. Every vintage of Kineto at once: categories and keys never mean two things.
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/import.h"
#include "db/writer.h"
#include "import/json_events.h"
#include "import/json_text.h"
#include "import/run_end.h"
#include "import/trace_keys.h"

namespace seam::collector {

/// The digits at the end of "stream 7" or "$$1".
[[nodiscard]] std::optional<std::int64_t> trailing_number(const Text& text);

class TraceRows {
 public:
  explicit TraceRows(db::Writer& writer) : writer_(writer) {}

  void add(const EventBatch& batch);
  /// What is known only at the end: devices, clock, links. Fills in all but the paths.
  void finish(const TextFaults& faults, Imported& into);

 private:
  /// The arguments of one event, converted.
  struct Arguments {
    std::optional<std::int64_t> device, context, stream, correlation, external, registers, static_shared, shared, graph, graph_node, bytes;
    std::optional<std::int64_t> number, sequence, forward_thread, python, python_parent;
    std::optional<std::int64_t> wait_stream, wait_correlation, wait_event;
    std::optional<std::int64_t> elements_in, elements_out, group_size, collective_sequence;
    Text grid, block, dims, types, strides, values, sync_kind, collective, element_type, group_name, ranks;
    std::optional<std::int64_t> address, device_type, device_id, allocated, reserved;
    Text kernel_details, copy_details;
    std::optional<std::int64_t> step;
    db::StringId extra;
  };
  struct Span {
    std::optional<std::int64_t> start_ns, end_ns;
  };
  struct ThreadInfo {
    db::ThreadId id;
    db::ProcessId process;
    bool has_rows = false;
  };
  struct OpenRange {
    db::StringId name;
    std::optional<std::int64_t> start_ns;
    db::StringId domain;
  };

  void add(const EventBatch& batch, const Event& event);
  void add_span(const EventBatch& batch, const Event& event);
  void add_kernel(const Event& event, const Arguments& with, const Span& span);
  void add_copy(const Event& event, const Arguments& with, const Span& span, bool fill);
  void add_sync(const Event& event, const Arguments& with, const Span& span);
  void add_call(const Event& event, const Arguments& with, const Span& span, bool driver);
  void add_collective(const Arguments& with, db::LaunchId launch, db::RangeId range);
  void add_range(const Event& event, const Arguments& with, const Span& span, Category category);
  /// Events without a category as TensorFlow and JAX write them; false: it is none of those.
  [[nodiscard]] bool add_tsl(const Event& event, Arguments& with, const Span& span);
  void note_tsl_names(const Event& event, std::string_view name);
  void add_instant(const EventBatch& batch, const Event& event);
  void add_counter(const EventBatch& batch, const Event& event);
  void add_flow(const Event& event);
  void add_name(const EventBatch& batch, const Event& event);
  void add_begin(const Event& event);
  void add_end(const Event& event);
  void add_pair(db::ThreadId thread, const OpenRange& begun, std::optional<std::int64_t> end_ns);
  void add_headers(const EventBatch& batch);
  void add_device_header(const std::string& text);
  void add_distributed_header(const std::string& text);

  [[nodiscard]] Arguments arguments(const EventBatch& batch, const Event& event);
  [[nodiscard]] Span span_of(const Event& event, bool on_device);
  [[nodiscard]] db::StringId intern(const Text& text);
  [[nodiscard]] db::StringId name_of(const Event& event);
  [[nodiscard]] ThreadInfo& thread_of(const Event& event);
  [[nodiscard]] db::ProcessId process_of(const Text& process);
  [[nodiscard]] db::StreamId stream_of(const Event& event, const Arguments& with);
  [[nodiscard]] db::SignatureId signature_of(const Arguments& with);
  [[nodiscard]] std::optional<std::int64_t> whole(const Text& text);
  void note_word(const Text& text);
  void lose(std::string_view reason, std::string_view detail);
  void warn(std::string_view code, const std::string& message);
  void name_things();
  void write_devices();
  void tell_processes_apart();
  void say_what_was_mended(const TextFaults& faults);

  db::Writer& writer_;
  TextMends mends_;
  std::map<std::string, std::int64_t, std::less<>> counts_;  ///< rows by kind of event
  std::unordered_map<std::string, db::ProcessId> processes_;
  std::unordered_map<std::string, ThreadInfo> threads_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, db::StreamId> streams_;
  std::map<std::pair<std::uint64_t, std::int64_t>, db::KernelId> kernels_;
  std::unordered_map<std::string, db::SignatureId> signatures_;
  std::map<std::pair<std::string, std::string>, db::StringId> thread_names_;  ///< by process and thread as the file writes them
  std::map<std::string, db::StringId> process_names_;
  std::unordered_map<std::string, std::int64_t> device_processes_;              ///< "/device:GPU:0"
  std::unordered_map<std::string, std::int64_t> device_streams_;               ///< "Stream #7(Compute)", by process and thread
  std::map<std::string, std::vector<OpenRange>> open_;                         ///< B without its E, by thread
  std::map<std::int64_t, db::RecordedDevice> devices_;
  std::set<db::ProcessId> calling_processes_;
  std::set<std::string> header_keys_;
  std::map<std::string, std::int64_t> words_;  ///< bare words that are no JSON
  Losses losses_;
  std::vector<ImportWarning> warnings_;
  std::optional<std::int64_t> first_ns_, last_ns_, base_ns_, rank_;
  std::int64_t sequence_ = 0, negative_open_ = 0, negative_corrupt_ = 0, without_duration_ = 0;
  std::uint64_t events_ = 0;
  bool kineto_ = false, tsl_ = false, fractions_ = false;
  std::string key_, extra_;  ///< scratch
};

}  // namespace seam::collector
