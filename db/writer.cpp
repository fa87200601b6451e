#include "db/writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "sql.h"
#include "writer_state.h"

namespace seam::db {
namespace {

constexpr std::string_view text_of(RunKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"recorded", "imported", "simulated", "planned"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string insert_sql(const TableColumns& table) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (", table.name);
  for (int c = 0; c < table.columns; ++c) sql += c == 0 ? "?" : ",?";
  return sql + ")";
}

}  // namespace

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::create(const std::filesystem::path& file) {
  auto state = std::make_unique<State>();
  state->target = file;
  std::error_code made;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), made);
  const std::filesystem::path temporary = file.string() + fmt::format(".{}.part", ::getpid());
  // SQLite would create it with the umask's mode; the first opener decides who may read.
  const int descriptor = ::open(temporary.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (descriptor < 0) return fail(Error::Code::Environment, fmt::format("cannot write {}", file.string()));
  ::close(descriptor);
  state->temporary = temporary;
  SEAM_TRY(state->connection, connect(temporary, SQLITE_OPEN_READWRITE));
  sqlite3* connection = state->connection.get();
  const std::string setup = fmt::format("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN; {}{}",
                                        sql::schema, sql::views);
  SEAM_DO(execute(connection, setup));
  for (std::size_t t = 0; t < kTables.size(); ++t) {
    SEAM_TRY(state->statements[t], Statement::prepare(connection, insert_sql(kTables[t])));
  }
  return Writer(std::move(state));
}

void Writer::set_run(const Run& run) { state_->described = run; }

void Writer::add_loss(std::string_view reason, std::optional<std::int64_t> count, std::string_view detail) {
  const auto [at, fresh] = state_->losses.try_emplace(std::string(reason), State::Loss{count, std::string(detail)});
  if (fresh) return;
  std::optional<std::int64_t>& sum = at->second.count;
  sum = sum && count ? std::optional(*sum + *count) : std::nullopt;
}

void Writer::build_indexes() {
  if (state_->indexed || state_->error) return;
  state_->indexed = true;
  if (auto built = execute(state_->connection.get(), sql::indexes); !built) state_->keep(std::move(built).error());
}

std::optional<std::int64_t> Writer::ask(std::string_view sql) {
  std::optional<std::int64_t> answer;
  each(sql, [&](std::span<const std::optional<std::int64_t>> row) {
    answer = row.front();
    return false;
  });
  return answer;
}

void Writer::each(std::string_view sql, const std::function<bool(std::span<const std::optional<std::int64_t>>)>& row) {
  if (state_->error) return;
  auto statement = Statement::prepare(state_->connection.get(), sql);
  if (!statement) return state_->keep(std::move(statement).error());
  std::vector<std::optional<std::int64_t>> values(static_cast<std::size_t>(sqlite3_column_count(statement->get())));
  for (;;) {
    const int code = sqlite3_step(statement->get());
    if (code == SQLITE_DONE) return;
    if (code != SQLITE_ROW) return state_->keep(failure(state_->connection.get(), "reading the run file").value());
    for (std::size_t c = 0; c < values.size(); ++c) {
      const int column = static_cast<int>(c);
      values[c] = sqlite3_column_type(statement->get(), column) == SQLITE_NULL ? std::nullopt : std::optional<std::int64_t>(sqlite3_column_int64(statement->get(), column));
    }
    if (!row(values)) return;
  }
}

void Writer::change(std::string_view sql) {
  if (state_->error) return;
  if (auto done = execute(state_->connection.get(), sql); !done) state_->keep(std::move(done).error());
}

Result<void> Writer::finish() {
  State& state = *state_;
  if (state.described) {
    const Run& run = *state.described;
    state.insert(Table::Run, std::int64_t{1}, text_of(run.kind), std::string_view(run.name), nullable(run.command), std::string_view(run.tool),
                 nullable(run.policy), nullable(run.compiler), state.counts[static_cast<std::size_t>(Table::Device)], run.start_ns, run.end_ns);
  } else {
    state.keep(Error{Error::Code::BadInput, "the run was never described", std::nullopt, {}});
  }
  for (const auto& [reason, loss] : state.losses) state.insert(Table::Loss, std::string_view(reason), loss.count, std::string_view(loss.detail));
  build_indexes();
  if (state.error) return tl::unexpected(*state.error);
  SEAM_DO(execute(state.connection.get(), "COMMIT"));
  for (Statement& statement : state.statements) statement = Statement();
  state.connection.reset();
  std::error_code renamed;
  std::filesystem::rename(state.temporary, state.target, renamed);
  if (renamed) return fail(Error::Code::Environment, fmt::format("cannot write {}: {}", state.target.string(), renamed.message()));
  state.temporary.clear();
  return {};
}

}  // namespace seam::db
