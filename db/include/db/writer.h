#pragma once
/// Writes one run file. Rows go into a temporary file beside the target, without a journal; finish() builds views and indexes and renames
/// it, so a reader never sees half a run and an abandoned writer leaves nothing behind. Same rows in, same bytes out. Readable by its owner only.
#include <filesystem>
#include <memory>
#include <optional>
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

  void set_run(const Run& run);
  void set_property(std::string_view name, std::string_view value);
  /// Ordinals count from 0 in the order of the calls.
  void add_device(const Device& device, bool is_virtual);
  StreamId add_stream(int device, std::int64_t number, StringId name);
  KernelId add_kernel(const Kernel& kernel);
  void add_kernel_op(KernelId kernel, int place, const KernelOp& op);
  void add(const Launch& launch);
  void add(const Copy& copy);
  /// Counts under one reason add up; an unknown count makes the sum unknown.
  void add_loss(std::string_view reason, std::optional<std::int64_t> count, std::string_view detail);
  void add_warning(std::string_view code, std::string_view message);

  /// Completes the file. The first thing that went wrong since create(), if anything did: the rows after it were not written and the
  /// target is as it was.
  [[nodiscard]] Result<void> finish();

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace seam::db
