#include "migrate.h"

#include <fmt/core.h>

#include <algorithm>

#include "connection.h"
#include "db/database.h"

namespace seam::db {

// Version 1 is the first: nothing to take forward yet.
std::span<const Migration> migrations() { return {}; }

Result<void> migrate(const std::filesystem::path& file, std::span<const Migration> steps, int to) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(Error::Code::NotFound, fmt::format("{} does not exist", file.string()));
  SEAM_TRY(const Connection connection, connect(file, SQLITE_OPEN_READWRITE));
  SEAM_TRY(std::int64_t version, version_of(connection.get(), file));
  if (version >= to) return {};
  SEAM_DO(execute(connection.get(), "BEGIN IMMEDIATE"));
  for (; version < to; ++version) {
    const auto step = std::ranges::find(steps, version, [](const Migration& m) { return std::int64_t{m.from}; });
    if (step == steps.end()) {
      return fail(Error::Code::Unsupported, fmt::format("{}: no way from format version {} to {}", file.string(), version, version + 1));
    }
    // An unfinished transaction ends with the connection: rolled back.
    SEAM_DO(during(fmt::format("upgrading {} from version {}", file.string(), version), execute(connection.get(), step->sql)));
  }
  return execute(connection.get(), fmt::format("PRAGMA user_version = {}; COMMIT", to));
}

}  // namespace seam::db
