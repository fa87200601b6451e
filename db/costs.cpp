#include "db/costs.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "connection.h"
#include "sql.h"

namespace seam::db {
namespace {

constexpr std::int64_t kCostsId = 0x5345434f;  ///< "SECO"
constexpr std::int64_t kCostsVersion = 1;
constexpr std::array kEvidence = {Evidence::Recorded, Evidence::Simulated, Evidence::Modelled};  ///< strongest first

}  // namespace

struct CostTable::State {
  Connection connection;
  Statement find, put;
};

CostTable::CostTable(std::unique_ptr<State> state) : state_(std::move(state)) {}
CostTable::CostTable(CostTable&&) noexcept = default;
CostTable& CostTable::operator=(CostTable&&) noexcept = default;
CostTable::~CostTable() = default;

Result<CostTable> CostTable::opened(std::unique_ptr<State> state, const std::filesystem::path& file) {
  sqlite3* connection = state->connection.get();
  sqlite3_busy_timeout(connection, 10'000);
  SEAM_TRY(const std::int64_t id, pragma(connection, "application_id"));
  SEAM_TRY(const std::int64_t tables, pragma(connection, "schema_version"));
  if (id == 0 && tables == 0) {
    // Two programs that begin at once: one of them makes the table.
    SEAM_DO(execute(connection, "BEGIN EXCLUSIVE"));
    SEAM_TRY(const std::int64_t since, pragma(connection, "schema_version"));
    if (since == 0) SEAM_DO(execute(connection, sql::costs));
    SEAM_DO(execute(connection, "COMMIT"));
  }
  SEAM_TRY(const std::int64_t now, pragma(connection, "application_id"));
  if (now != kCostsId) return fail(Error::Code::BadInput, fmt::format("{} is not a table of costs", file.string()));
  SEAM_TRY(const std::int64_t version, pragma(connection, "user_version"));
  if (version != kCostsVersion) {
    return fail(Error::Code::BadInput, fmt::format("{} has format version {}; this Seam writes version {}: remove it, or name another file", file.string(), version, kCostsVersion));
  }
  SEAM_TRY(state->find, Statement::prepare(connection, "SELECT evidence, what, blocks, blocks_run, threads, shared_bytes, dram_bytes, l2_bytes, sectors, instructions, wavefronts, shared_conflicts, barriers, "
                                                       "atomic_sectors, recorded_us FROM cost "
                                                       "WHERE key = ? AND device = ? AND version = ? "
                                                       "ORDER BY CASE evidence WHEN 'recorded' THEN 0 WHEN 'simulated' THEN 1 ELSE 2 END LIMIT 1"));
  SEAM_TRY(state->put, Statement::prepare(connection, "INSERT OR REPLACE INTO cost VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  return CostTable(std::move(state));
}

Result<CostTable> CostTable::open(const std::filesystem::path& file) {
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  auto state = std::make_unique<State>();
  const mode_t before = ::umask(0077);
  Result<Connection> connection = connect(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ::umask(before);
  if (!connection) return tl::unexpected(std::move(connection).error());
  state->connection = *std::move(connection);
  return during(fmt::format("opening the table of costs {}", file.string()), opened(std::move(state), file));
}

Result<CostTable> CostTable::in_memory() {
  auto state = std::make_unique<State>();
  SEAM_TRY(state->connection, connect(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  return opened(std::move(state), ":memory:");
}

std::optional<std::filesystem::path> CostTable::usual_file() {
  const auto set = [](const char* name) -> std::optional<std::filesystem::path> {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? std::optional<std::filesystem::path>(value) : std::nullopt;
  };
  if (const auto file = set("SEAM_COSTS")) return file;
  if (const auto cache = set("XDG_CACHE_HOME")) return *cache / "seam" / "costs.db";
  if (const auto home = set("HOME")) return *home / ".cache" / "seam" / "costs.db";
  return std::nullopt;
}

namespace {

/// What counting can give: anything else was written by somebody else, and is counted again.
bool plausible(const Cost& cost) {
  const auto count = [](double value) { return std::isfinite(value) && value >= 0 && value < 1e18; };
  for (const double value : {cost.dram_bytes, cost.l2_bytes, cost.sectors, cost.instructions, cost.wavefronts, cost.shared_conflicts, cost.barriers, cost.atomic_sectors, cost.recorded_us.value_or(0)})
    if (!count(value)) return false;
  return cost.blocks > 0 && cost.blocks_run > 0 && cost.blocks_run <= cost.blocks && cost.threads > 0 && cost.threads <= 1024 && cost.shared_bytes >= 0;
}

}  // namespace

std::optional<Cost> CostTable::find(std::string_view key, std::string_view device, int version) const {
  sqlite3_stmt* statement = state_->find.get();
  sqlite3_reset(statement);
  sqlite3_bind_text(statement, 1, key.data(), static_cast<int>(key.size()), SQLITE_TRANSIENT);
  sqlite3_bind_text(statement, 2, device.data(), static_cast<int>(device.size()), SQLITE_TRANSIENT);
  sqlite3_bind_int(statement, 3, version);
  std::optional<Cost> out;
  if (sqlite3_step(statement) == SQLITE_ROW) {
    const auto text = [&](int column) {
      return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)), static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    };
    const auto real = [&](int column) { return sqlite3_column_double(statement, column); };
    out.emplace();
    const std::string evidence = text(0);
    for (const Evidence e : kEvidence)
      if (evidence == name(e)) out->evidence = e;
    out->what = text(1);
    out->blocks = sqlite3_column_int64(statement, 2);
    out->blocks_run = sqlite3_column_int64(statement, 3);
    out->threads = sqlite3_column_int64(statement, 4);
    out->shared_bytes = sqlite3_column_int64(statement, 5);
    out->dram_bytes = real(6), out->l2_bytes = real(7), out->sectors = real(8), out->instructions = real(9);
    out->wavefronts = real(10), out->shared_conflicts = real(11), out->barriers = real(12), out->atomic_sectors = real(13);
    if (sqlite3_column_type(statement, 14) != SQLITE_NULL) out->recorded_us = real(14);
  }
  sqlite3_reset(statement);
  if (out && !plausible(*out)) out.reset();
  return out;
}

Result<void> CostTable::put(std::string_view key, std::string_view device, int version, const Cost& cost) {
  Statement& statement = state_->put;
  statement.bind(key);
  statement.bind(device);
  statement.bind(std::int64_t{version});
  statement.bind(name(cost.evidence));
  statement.bind(std::string_view(cost.what));
  statement.bind(cost.blocks);
  statement.bind(cost.blocks_run);
  statement.bind(cost.threads);
  statement.bind(cost.shared_bytes);
  for (const double value : {cost.dram_bytes, cost.l2_bytes, cost.sectors, cost.instructions, cost.wavefronts, cost.shared_conflicts, cost.barriers, cost.atomic_sectors}) statement.bind(value);
  statement.bind(cost.recorded_us);
  if (statement.run() != SQLITE_DONE) return failure(state_->connection.get(), "writing a cost");
  return {};
}

Result<void> CostTable::begin() { return execute(state_->connection.get(), "BEGIN IMMEDIATE"); }
Result<void> CostTable::commit() { return execute(state_->connection.get(), "COMMIT"); }

}  // namespace seam::db
