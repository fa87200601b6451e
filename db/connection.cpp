#include "connection.h"

#include <fmt/core.h>

#include "base/utf8.h"

namespace seam::db {

tl::unexpected<Error> failure(sqlite3* connection, std::string_view doing) {
  const int code = sqlite3_errcode(connection);
  const bool environment = code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
  return fail(environment ? Error::Code::Environment : Error::Code::BadInput, fmt::format("{}: {}", doing, sqlite3_errmsg(connection)));
}

Result<Connection> connect(const std::filesystem::path& file, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Connection connection(raw);
  if (code != SQLITE_OK) {
    return fail(Error::Code::Environment, fmt::format("cannot open {}: {}", file.string(), raw == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(raw)));
  }
  sqlite3_extended_result_codes(raw, 0);
  return connection;
}

Result<void> execute(sqlite3* connection, std::string_view script) {
  const std::string text(script);
  if (sqlite3_exec(connection, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure(connection, "writing the run file");
  return {};
}

Result<std::int64_t> pragma(sqlite3* connection, const char* name) {
  SEAM_TRY(const Statement statement, Statement::prepare(connection, fmt::format("PRAGMA {}", name)));
  if (sqlite3_step(statement.get()) != SQLITE_ROW) return failure(connection, fmt::format("reading {}", name));
  return sqlite3_column_int64(statement.get(), 0);
}

Result<Statement> Statement::prepare(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  if (sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &raw, &tail) != SQLITE_OK) return failure(connection, "SQL");
  Statement statement(raw);
  if (raw == nullptr) return fail(Error::Code::BadInput, "SQL: no statement");
  const std::string_view rest(tail, static_cast<std::size_t>(sql.data() + sql.size() - tail));
  if (rest.find_first_not_of(" \t\r\n;") != std::string_view::npos) return fail(Error::Code::BadInput, "SQL: one statement at a time");
  return statement;
}

void Statement::bind(std::string_view text) {
  if (!is_utf8(text)) return bind(std::string_view(to_utf8(text)));
  sqlite3_bind_text(get(), ++next_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

int Statement::run() {
  const int code = sqlite3_step(get());
  sqlite3_reset(get());
  next_ = 0;
  return code;
}

}  // namespace seam::db
