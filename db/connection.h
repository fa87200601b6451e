#pragma once
/// SQLite's C API, owned. The only file that knows its error codes.
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seam::db {

struct CloseConnection {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

/// `flags` as of sqlite3_open_v2.
[[nodiscard]] Result<Connection> connect(const std::filesystem::path& file, int flags);
/// All statements of a script.
[[nodiscard]] Result<void> execute(sqlite3* connection, std::string_view script);
/// An integer PRAGMA.
[[nodiscard]] Result<std::int64_t> pragma(sqlite3* connection, const char* name);
[[nodiscard]] tl::unexpected<Error> failure(sqlite3* connection, std::string_view doing);

class Statement {
 public:
  Statement() = default;
  [[nodiscard]] static Result<Statement> prepare(sqlite3* connection, std::string_view sql);
  [[nodiscard]] sqlite3_stmt* get() const { return handle_.get(); }

  /// Binds the next parameters, from 1 up after each run().
  void bind(std::int64_t value) { sqlite3_bind_int64(get(), ++next_, value); }
  void bind(double value) { sqlite3_bind_double(get(), ++next_, value); }
  /// Bytes that are not UTF-8, which SQLite's text has to be, become U+FFFD.
  void bind(std::string_view text);
  void bind_null() { sqlite3_bind_null(get(), ++next_); }
  template <class T>
  void bind(const std::optional<T>& value) {
    if (value) {
      bind(*value);
    } else {
      bind_null();
    }
  }
  /// Steps a statement that returns no rows, then makes it ready for the next one. SQLITE_DONE or an error code.
  int run();

 private:
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> handle_;
  int next_ = 0;
};

}  // namespace seam::db
