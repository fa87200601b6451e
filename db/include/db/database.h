#pragma once
/// Reads a run file: checks that it is one, and of a version that is known, and runs queries on it.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace seam::db {

inline constexpr int kVersion = 3;                         ///< user_version that this program writes
inline constexpr std::int32_t kApplicationId = 0x5345414d;  ///< "SEAM"

struct Null {
  friend bool operator==(const Null&, const Null&) = default;
};
/// One field of a result. Blobs come as text.
using Field = std::variant<Null, std::int64_t, double, std::string>;

struct Rows {
  std::vector<std::string> columns;
  std::vector<std::vector<Field>> rows;
};

class Database {
 public:
  /// Read-only. NotFound; BadInput for what is not a run file, is damaged, or was written by a newer Seam; an older file says that it needs
  /// upgrade().
  [[nodiscard]] static Result<Database> open(const std::filesystem::path& file);
  /// Read-only, any SQLite file: those of other profilers. NotFound, BadInput.
  [[nodiscard]] static Result<Database> open_foreign(const std::filesystem::path& file);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// One statement that only reads. BadInput with SQLite's message.
  [[nodiscard]] Result<Rows> query(std::string_view sql) const;
  /// Calls `row` for each row of a statement that only reads, without keeping them. Columns must be integers or NULL (empty).
  [[nodiscard]] Result<void> each(std::string_view sql, const std::function<void(std::span<const std::optional<std::int64_t>>)>& row) const;

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Takes a file of an older version forward, in one transaction; a file of this version is left alone.
[[nodiscard]] Result<void> upgrade(const std::filesystem::path& file);

}  // namespace seam::db
