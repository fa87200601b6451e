#include "db/database.h"

#include <fmt/core.h>

#include "connection.h"
#include "migrate.h"

namespace seam::db {

struct Database::State {
  Connection connection;
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<std::int64_t> version_of(sqlite3* connection, const std::filesystem::path& file) {
  const auto id = pragma(connection, "application_id");
  if (!id || *id != kApplicationId) return fail(Error::Code::BadInput, fmt::format("{} is not a Seam run file", file.string()));
  SEAM_TRY(const std::int64_t version, pragma(connection, "user_version"));
  if (version > kVersion) {
    return fail(Error::Code::BadInput, fmt::format("{} has format version {}; this Seam knows versions up to {}", file.string(), version, kVersion));
  }
  return version;
}

Result<Database> Database::open(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(Error::Code::NotFound, fmt::format("{} does not exist", file.string()));
  auto state = std::make_unique<State>();
  SEAM_TRY(state->connection, connect(file, SQLITE_OPEN_READONLY));
  SEAM_TRY(const std::int64_t version, version_of(state->connection.get(), file));
  if (version < kVersion) {
    return fail(Error::Code::BadInput, fmt::format("{} has the older format version {} and must be upgraded first", file.string(), version));
  }
  return Database(std::move(state));
}

Result<Database> Database::open_foreign(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(Error::Code::NotFound, fmt::format("{} does not exist", file.string()));
  auto state = std::make_unique<State>();
  SEAM_TRY(state->connection, connect(file, SQLITE_OPEN_READONLY));
  SEAM_TRY([[maybe_unused]] const std::int64_t version, during(fmt::format("reading {}", file.string()), pragma(state->connection.get(), "schema_version")));
  return Database(std::move(state));
}

Result<Rows> Database::query(std::string_view sql) const {
  sqlite3* connection = state_->connection.get();
  SEAM_TRY(const Statement statement, Statement::prepare(connection, sql));
  if (sqlite3_stmt_readonly(statement.get()) == 0) return fail(Error::Code::BadInput, "SQL: only statements that read");
  Rows result;
  const int columns = sqlite3_column_count(statement.get());
  for (int c = 0; c < columns; ++c) result.columns.emplace_back(sqlite3_column_name(statement.get(), c));
  for (;;) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return result;
    if (code != SQLITE_ROW) return failure(connection, "SQL");
    std::vector<Field>& row = result.rows.emplace_back();
    for (int c = 0; c < columns; ++c) {
      switch (sqlite3_column_type(statement.get(), c)) {
        case SQLITE_INTEGER: row.emplace_back(std::int64_t{sqlite3_column_int64(statement.get(), c)}); break;
        case SQLITE_FLOAT: row.emplace_back(sqlite3_column_double(statement.get(), c)); break;
        case SQLITE_NULL: row.emplace_back(Null{}); break;
        default: {
          const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement.get(), c));
          const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), c));
          row.emplace_back(size == 0 ? std::string() : std::string(bytes, size));
        }
      }
    }
  }
}

Result<void> Database::each(std::string_view sql, const std::function<void(std::span<const std::optional<std::int64_t>>)>& row) const {
  sqlite3* connection = state_->connection.get();
  SEAM_TRY(const Statement statement, Statement::prepare(connection, sql));
  std::vector<std::optional<std::int64_t>> values(static_cast<std::size_t>(sqlite3_column_count(statement.get())));
  for (;;) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return {};
    if (code != SQLITE_ROW) return failure(connection, "SQL");
    for (std::size_t c = 0; c < values.size(); ++c) {
      const int column = static_cast<int>(c);
      values[c] = sqlite3_column_type(statement.get(), column) == SQLITE_NULL ? std::nullopt : std::optional<std::int64_t>(sqlite3_column_int64(statement.get(), column));
    }
    row(values);
  }
}

Result<void> upgrade(const std::filesystem::path& file) { return migrate(file, migrations(), kVersion); }

}  // namespace seam::db
