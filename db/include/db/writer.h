#pragma once
/// Writes one run file. Rows go into a temporary file beside the target, without a journal; finish() builds views and indexes and renames
/// it, so a reader never sees half a run and an abandoned writer leaves nothing behind. Same rows in, same bytes out. Readable by its owner only.
#include <filesystem>
#include <functional>
#include <memory>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/device.h"
#include "base/result.h"
#include "db/rows.h"

namespace seam::db {

class Writer {
 public:
  /// Makes missing parent folders.
  [[nodiscard]] static Result<Writer> create(const std::filesystem::path& file);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  /// The id of a text; the same text gets the same id. Empty text = no id (NULL).
  StringId intern(std::string_view text);
  [[nodiscard]] std::string text(StringId id) const;

  void set_run(const Run& run);
  void set_property(std::string_view name, std::string_view value);
  /// Ordinals count from 0 in the order of the calls.
  void add_device(const Device& device, bool is_virtual);
  /// One that a recording describes, under its own ordinal, which must be new.
  void add_device(const RecordedDevice& device);
  void set_clock(const Clock& clock);
  ProcessId add_process(const Process& process);
  ThreadId add_thread(const Thread& thread);
  StreamId add_stream(const Stream& stream);
  /// Names that came to be known later.
  void set_name(ProcessId process, StringId name);
  void set_name(ThreadId thread, StringId name);
  void set_name(StreamId stream, StringId name);
  KernelId add_kernel(const Kernel& kernel);
  void add_kernel_op(KernelId kernel, int place, const KernelOp& op);
  LaunchId add(const Launch& launch);
  CopyId add(const Copy& copy);
  void add(const ApiCall& call);
  RangeId add(const Range& range);
  SignatureId add_signature(std::span<const SignatureInput> inputs);
  void add(const Sync& sync);
  void add(const Collective& collective);
  void add(const Allocation& allocation);
  void add(const Instant& instant);
  void add(const Counter& counter);
  void add(const Flow& flow);
  void add(const LaunchCounter& counter);
  NodeId add(const Node& node);
  void add_node_edge(NodeId node, EdgeKind kind, std::int64_t place, std::int64_t source);
  void add(const NodeTensor& tensor);
  /// Counts under one reason add up; an unknown count makes the sum unknown.
  void add_loss(std::string_view reason, std::optional<std::int64_t> count, std::string_view detail);
  void add_warning(std::string_view code, std::string_view message);

  /// Builds what queries need (indexes); rows that come later are indexed one by one. finish() does it if nobody did.
  void build_indexes();
  /// A single integer that a query gives, for what an importer must know of the rows it wrote; nothing if it is NULL or fails (finish() then says why).
  [[nodiscard]] std::optional<std::int64_t> ask(std::string_view sql);
  /// Calls `row` for each row of integers (NULL: empty) that a query gives, until it returns false.
  void each(std::string_view sql, const std::function<bool(std::span<const std::optional<std::int64_t>>)>& row);
  /// A statement that changes rows.
  void change(std::string_view sql);

  /// Completes the file. The first thing that went wrong since create(), if anything did: the rows after it were not written and the
  /// target is as it was.
  [[nodiscard]] Result<void> finish();

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace seam::db
