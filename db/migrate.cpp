#include "migrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "connection.h"
#include "db/database.h"
#include "sql.h"

namespace seam::db {

std::span<const Migration> migrations() {
  static const std::array<Migration, 2> kSteps = {Migration{1, sql::migration_001}, Migration{2, sql::migration_002}};
  return kSteps;
}

namespace {

/// Views first: one that names a dropped column would forbid everything else.
Result<void> drop_derived(sqlite3* connection) {
  for (const char* type : {"view", "index"}) {
    SEAM_TRY(Statement names, Statement::prepare(connection, fmt::format("SELECT name FROM sqlite_schema WHERE type = '{}' AND sql IS NOT NULL", type)));
    std::vector<std::string> all;
    while (sqlite3_step(names.get()) == SQLITE_ROW) all.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(names.get(), 0)));
    names = Statement();
    for (const std::string& name : all) SEAM_DO(execute(connection, fmt::format("DROP {} \"{}\"", type, name)));
  }
  return {};
}

}  // namespace

Result<void> migrate(const std::filesystem::path& file, std::span<const Migration> steps, int to) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(Error::Code::NotFound, fmt::format("{} does not exist", file.string()));
  SEAM_TRY(const Connection connection, connect(file, SQLITE_OPEN_READWRITE));
  SEAM_TRY(std::int64_t version, version_of(connection.get(), file));
  if (version >= to) return {};
  SEAM_DO(execute(connection.get(), "BEGIN IMMEDIATE"));
  SEAM_DO(drop_derived(connection.get()));
  for (; version < to; ++version) {
    const auto step = std::ranges::find(steps, version, [](const Migration& m) { return std::int64_t{m.from}; });
    if (step == steps.end()) {
      return fail(Error::Code::Unsupported, fmt::format("{}: no way from format version {} to {}", file.string(), version, version + 1));
    }
    // An unfinished transaction ends with the connection: rolled back.
    SEAM_DO(during(fmt::format("upgrading {} from version {}", file.string(), version), execute(connection.get(), step->sql)));
  }
  return execute(connection.get(), fmt::format("{}{}PRAGMA user_version = {}; COMMIT", sql::views, sql::indexes, to));
}

}  // namespace seam::db
