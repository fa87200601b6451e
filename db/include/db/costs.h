#pragma once
/// The table of costs (costs.sql): what kernels do, counted once and kept between runs.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/evidence.h"
#include "base/result.h"

namespace seam::db {

/// One launch; columns as in costs.sql.
struct Cost {
  Evidence evidence = Evidence::Unknown;
  std::string what;
  std::int64_t blocks = 0, blocks_run = 0, threads = 0, shared_bytes = 0;
  double dram_bytes = 0, l2_bytes = 0, sectors = 0, instructions = 0, wavefronts = 0, shared_conflicts = 0, barriers = 0, atomic_sectors = 0;
  std::optional<double> recorded_us;
  friend bool operator==(const Cost&, const Cost&) = default;
};

class CostTable {
 public:
  /// Opens the file, or makes it, folders included (mode 0600). BadInput for a file that is something else, or of another format; Io where it cannot be written.
  [[nodiscard]] static Result<CostTable> open(const std::filesystem::path& file);
  /// One that ends with the program.
  [[nodiscard]] static Result<CostTable> in_memory();
  /// $SEAM_COSTS, or seam/costs.db in $XDG_CACHE_HOME or ~/.cache; nothing if none of them is set.
  [[nodiscard]] static std::optional<std::filesystem::path> usual_file();
  CostTable(CostTable&&) noexcept;
  CostTable& operator=(CostTable&&) noexcept;
  ~CostTable();

  /// The row with the strongest evidence; nothing where its figures cannot be (negative, no threads, not a number).
  [[nodiscard]] std::optional<Cost> find(std::string_view key, std::string_view device, int version) const;
  /// Replaces a row of the same evidence.
  [[nodiscard]] Result<void> put(std::string_view key, std::string_view device, int version, const Cost& cost);
  /// Rows put between begin() and commit() become durable together.
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> commit();

 private:
  struct State;
  explicit CostTable(std::unique_ptr<State> state);
  [[nodiscard]] static Result<CostTable> opened(std::unique_ptr<State> state, const std::filesystem::path& file);
  std::unique_ptr<State> state_;
};

}  // namespace seam::db
