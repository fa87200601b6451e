#pragma once
/// Old files forward, never back. A migration takes a file from version `from` to `from` + 1; add one here, and the changed tables to
/// schema.sql, whenever kVersion grows.
#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.h"

struct sqlite3;

namespace seam::db {

struct Migration {
  int from = 0;
  std::string_view sql;
};
[[nodiscard]] std::span<const Migration> migrations();
/// Applies those that are needed, in one transaction: the file is at `to` afterwards, or as it was. Views and indexes are made anew: they hold no data.
[[nodiscard]] Result<void> migrate(const std::filesystem::path& file, std::span<const Migration> steps, int to);
/// user_version, once application_id says that it is ours; an error for a version from the future.
[[nodiscard]] Result<std::int64_t> version_of(sqlite3* connection, const std::filesystem::path& file);

}  // namespace seam::db
