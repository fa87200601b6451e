#include "db/writer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <map>
#include <string>
#include <unordered_map>

#include "connection.h"
#include "sql.h"

namespace seam::db {
namespace {

constexpr std::string_view text_of(RunKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"recorded", "imported", "simulated", "planned"};
  return kNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view text_of(CopyKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"dtod", "htod", "dtoh", "htoh", "ptop", "memset", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

template <class Tag>
std::optional<std::int64_t> nullable(Id<Tag> id) {
  return id.valid() ? std::optional(static_cast<std::int64_t>(id.value)) : std::nullopt;
}
std::optional<std::string_view> nullable(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

std::string insert_sql(std::string_view table, int columns) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (", table);
  for (int c = 0; c < columns; ++c) sql += c == 0 ? "?" : ",?";
  return sql + ")";
}

}  // namespace

struct Writer::State {
  std::filesystem::path target, temporary;
  Connection connection;
  Statement string, run, property, device, stream, kernel, kernel_op, launch, copy, loss, warning;
  std::unordered_map<std::string, StringId> strings;
  struct Loss {
    std::optional<std::int64_t> count;
    std::string detail;
  };
  std::map<std::string, Loss, std::less<>> losses;
  std::optional<Run> described;
  std::int64_t devices = 0, streams = 0, kernels = 0, launches = 0, copies = 0, warnings = 0;
  std::optional<Error> error;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove(temporary, ignored);
  }

  /// Binds all values and writes the row, unless something failed before.
  template <class... Values>
  void insert(Statement& statement, const Values&... values) {
    if (error) return;
    (statement.bind(values), ...);
    if (statement.run() != SQLITE_DONE) keep(failure(connection.get(), "writing the run file").value());
  }
  void keep(Error failed) {
    if (!error) error = std::move(failed);
  }
};

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
  const std::string setup = fmt::format("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN; {}",
                                        sql::schema);
  SEAM_DO(execute(connection, setup));
  const auto prepare = [&](Statement& into, std::string_view table, int columns) -> Result<void> {
    SEAM_TRY(into, Statement::prepare(connection, insert_sql(table, columns)));
    return {};
  };
  for (const auto& [into, table, columns] : std::initializer_list<std::tuple<Statement*, std::string_view, int>>{
           {&state->string, "string", 2}, {&state->run, "run", 10}, {&state->property, "property", 2}, {&state->device, "device", 11},
           {&state->stream, "stream", 4}, {&state->kernel, "kernel", 7}, {&state->kernel_op, "kernel_op", 5}, {&state->launch, "launch", 27},
           {&state->copy, "copy", 15}, {&state->loss, "loss", 3}, {&state->warning, "warning", 3}}) {
    SEAM_DO(prepare(*into, table, columns));
  }
  return Writer(std::move(state));
}

StringId Writer::intern(std::string_view text) {
  if (text.empty()) return {};
  const auto [at, fresh] = state_->strings.try_emplace(std::string(text), StringId(state_->strings.size()));
  if (fresh) state_->insert(state_->string, static_cast<std::int64_t>(at->second.value), text);
  return at->second;
}

void Writer::set_run(const Run& run) { state_->described = run; }

void Writer::set_property(std::string_view name, std::string_view value) { state_->insert(state_->property, name, value); }

void Writer::add_device(const Device& device, bool is_virtual) {
  state_->insert(state_->device, state_->devices++, device.name, device.product, std::int64_t{device.compute_major},
                 std::int64_t{device.compute_minor}, std::int64_t{device.sms}, device.shared_per_block, device.dram_bytes_per_s,
                 device.l2_bytes, device.clock_ghz * 1e9, std::int64_t{is_virtual ? 1 : 0});
}

StreamId Writer::add_stream(int device, std::int64_t number, StringId name) {
  const StreamId id(static_cast<std::size_t>(state_->streams++));
  state_->insert(state_->stream, static_cast<std::int64_t>(id.value), std::int64_t{device}, number, nullable(name));
  return id;
}

KernelId Writer::add_kernel(const Kernel& kernel) {
  const KernelId id(static_cast<std::size_t>(state_->kernels++));
  const std::optional<std::int64_t> registers = kernel.registers;
  state_->insert(state_->kernel, static_cast<std::int64_t>(id.value), nullable(kernel.name), registers, nullable(kernel.cuda_sha256),
                 nullable(kernel.ptx_sha256), nullable(kernel.ir_sha256), nullable(kernel.verdict));
  return id;
}

void Writer::add_kernel_op(KernelId kernel, int place, const KernelOp& op) {
  state_->insert(state_->kernel_op, static_cast<std::int64_t>(kernel.value), std::int64_t{place}, nullable(op.op), nullable(op.opcode), nullable(op.origin));
}

void Writer::add(const Launch& launch) {
  const auto part = [](const std::optional<Grid>& grid, std::int64_t Grid::* of) { return grid ? std::optional(*grid.*of) : std::nullopt; };
  state_->insert(state_->launch, state_->launches++, launch.sequence, launch.kind == LaunchKind::Kernel ? std::string_view("kernel") : std::string_view("library"),
                 nullable(launch.name), nullable(launch.kernel), nullable(launch.stream), launch.start_ns, launch.end_ns,
                 part(launch.grid, &Grid::x), part(launch.grid, &Grid::y), part(launch.grid, &Grid::z), part(launch.block, &Grid::x),
                 part(launch.block, &Grid::y), part(launch.block, &Grid::z), launch.static_shared, launch.dynamic_shared, launch.correlation,
                 launch.graph, launch.graph_node, nullable(launch.computation), launch.trip, launch.level, launch.bytes_read,
                 launch.bytes_written, launch.flops, static_cast<std::int64_t>(launch.bytes_evidence), static_cast<std::int64_t>(launch.evidence));
}

void Writer::add(const Copy& copy) {
  state_->insert(state_->copy, state_->copies++, copy.sequence, text_of(copy.kind), nullable(copy.name), nullable(copy.stream), copy.start_ns,
                 copy.end_ns, copy.bytes, copy.correlation, copy.graph, copy.graph_node, nullable(copy.computation), copy.trip,
                 static_cast<std::int64_t>(copy.bytes_evidence), static_cast<std::int64_t>(copy.evidence));
}

void Writer::add_loss(std::string_view reason, std::optional<std::int64_t> count, std::string_view detail) {
  const auto [at, fresh] = state_->losses.try_emplace(std::string(reason), State::Loss{count, std::string(detail)});
  if (fresh) return;
  std::optional<std::int64_t>& sum = at->second.count;
  sum = sum && count ? std::optional(*sum + *count) : std::nullopt;
}

void Writer::add_warning(std::string_view code, std::string_view message) { state_->insert(state_->warning, state_->warnings++, code, message); }

Result<void> Writer::finish() {
  State& state = *state_;
  if (state.described) {
    const Run& run = *state.described;
    state.insert(state.run, std::int64_t{1}, text_of(run.kind), std::string_view(run.name), nullable(run.command), std::string_view(run.tool),
                 nullable(run.policy), nullable(run.compiler), state.devices, run.start_ns, run.end_ns);
  } else {
    state.keep(Error{Error::Code::BadInput, "the run was never described", std::nullopt, {}});
  }
  for (const auto& [reason, loss] : state.losses) state.insert(state.loss, std::string_view(reason), loss.count, std::string_view(loss.detail));
  if (state.error) return tl::unexpected(*state.error);
  SEAM_DO(execute(state.connection.get(), fmt::format("{}{}COMMIT", sql::views, sql::indexes)));
  for (Statement* statement : {&state.string, &state.run, &state.property, &state.device, &state.stream, &state.kernel, &state.kernel_op,
                               &state.launch, &state.copy, &state.loss, &state.warning}) {
    *statement = Statement();
  }
  state.connection.reset();
  std::error_code renamed;
  std::filesystem::rename(state.temporary, state.target, renamed);
  if (renamed) return fail(Error::Code::Environment, fmt::format("cannot write {}: {}", state.target.string(), renamed.message()));
  state.temporary.clear();
  return {};
}

}  // namespace seam::db
