#include "import/ncu_rows.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "graph/kernel_names.h"
#include "import/csv.h"
#include "import/run_end.h"

namespace seam::collector {
namespace {

/// Counters that columns of a launch hold, by their names in both pages.
constexpr std::string_view kDramRead = "dram__bytes_read.sum", kDramWritten = "dram__bytes_write.sum";
constexpr std::pair<std::string_view, std::string_view> kRegisters = {"launch__registers_per_thread", "Launch Statistics/Registers Per Thread"};
constexpr std::pair<std::string_view, std::string_view> kStaticShared = {"launch__shared_mem_per_block_static", "Launch Statistics/Static Shared Memory Per Block"};
constexpr std::pair<std::string_view, std::string_view> kDynamicShared = {"launch__shared_mem_per_block_dynamic", "Launch Statistics/Dynamic Shared Memory Per Block"};

std::optional<std::int64_t> counted(const NcuLaunch& launch, std::string_view name, std::string_view other = {}) {
  for (const NcuValue& value : launch.values) {
    if (value.counter != name && (other.empty() || value.counter != other)) continue;
    const std::optional<double> plain = ncu_plain_value(value);
    return plain && std::abs(*plain) < 9e18 ? std::optional<std::int64_t>(std::llround(*plain)) : std::nullopt;
  }
  return std::nullopt;
}

/// Times in nanoseconds and sizes in bytes, so that rows can be added up; everything else as it stands.
db::LaunchCounter row_of(const NcuValue& value, db::LaunchId launch, db::Writer& writer) {
  const bool time = value.unit.ends_with("second") && value.unit.find('/') == std::string::npos;
  const bool short_time = value.unit == "ns" || value.unit == "us" || value.unit == "ms" || value.unit == "s";
  const bool size = value.unit.ends_with("byte");
  const std::optional<double> plain = time || short_time || size ? ncu_plain_value(value) : std::nullopt;
  return {.launch = launch, .counter = writer.intern(value.counter.empty() ? "(no name)" : value.counter), .unit = writer.intern(!plain ? value.unit : size ? "byte" : "nsecond"), .value = plain ? plain : value.value,
          .text = writer.intern(value.text)};
}

class Import {
 public:
  Import(const NcuTable& table, db::Writer& writer, Imported& into) : table_(table), writer_(writer), into_(into) {}

  void run() {
    std::map<std::pair<std::int64_t, std::int64_t>, db::StreamId> streams;
    std::map<std::int64_t, std::string> devices;
    std::map<std::pair<std::uint64_t, std::int64_t>, db::KernelId> kernels;
    std::map<std::string, db::ProcessId> processes;
    std::int64_t sequence = 0;
    for (const NcuLaunch& launch : table_.launches) {
      db::Launch row;
      row.sequence = sequence++;
      row.name = writer_.intern(launch.kernel.empty() ? "(no name)" : launch.kernel);
      const std::optional<std::int64_t> registers = counted(launch, kRegisters.first, kRegisters.second);
      db::KernelId& kernel = kernels[{row.name.value, registers.value_or(-1)}];
      if (!kernel.valid()) kernel = writer_.add_kernel({.name = row.name, .registers = registers ? std::optional(static_cast<int>(*registers)) : std::nullopt, .cuda_sha256 = {}, .ptx_sha256 = {}, .ir_sha256 = {}, .verdict = {}});
      row.kernel = kernel;
      const std::int64_t device = launch.device.value_or(0);
      devices.try_emplace(device, launch.compute_capability);
      db::StreamId& stream = streams[{device, launch.stream.value_or(0)}];
      if (!stream.valid()) stream = writer_.add_stream({.device = device, .number = launch.stream.value_or(0), .name = {}, .context = launch.context});
      row.stream = stream;
      row.grid = launch.grid;
      row.block = launch.block;
      row.static_shared = counted(launch, kStaticShared.first, kStaticShared.second);
      row.dynamic_shared = counted(launch, kDynamicShared.first, kDynamicShared.second);
      row.bytes_read = counted(launch, kDramRead);
      row.bytes_written = counted(launch, kDramWritten);
      row.bytes_evidence = row.bytes_read || row.bytes_written ? Evidence::Counter : Evidence::Unknown;
      row.evidence = Evidence::Counter;
      if (!launch.process.empty()) {
        const auto [at, fresh] = processes.try_emplace(launch.process);
        if (fresh) at->second = writer_.add_process({.number = csv_whole(launch.process), .label = launch.process, .name = {}});
        row.process = at->second;
      }
      add_counters(launch, writer_.add(row));
    }
    for (const auto& [ordinal, capability] : devices) writer_.add_device(device_of(ordinal, capability));
    writer_.set_clock({.unix_ns = {}, .resolution_ns = {}});
    writer_.build_indexes();
    into_.format = "ncu";
    into_.rows = in_order({{"kernel", std::ssize(table_.launches)}, {"launch_counter", counters_}});
    warn("no-times", "kernels are run again and again to be counted: durations are counters of each launch, and there are no times of the program in this run");
    finish();
  }

  void join() {
    writer_.build_indexes();
    load_launches();
    std::int64_t without = 0;
    for (const NcuLaunch& launch : table_.launches) {
      const std::optional<std::int64_t> partner = partner_of(launch);
      if (!partner) {
        ++without;
        continue;
      }
      const db::LaunchId id(static_cast<std::size_t>(*partner));
      add_counters(launch, id);
      const std::optional<std::int64_t> read = counted(launch, kDramRead), written = counted(launch, kDramWritten);
      const auto text = [](const std::optional<std::int64_t>& bytes) { return bytes ? std::to_string(*bytes) : std::string("NULL"); };
      if (read || written) writer_.change(fmt::format("UPDATE launch SET bytes_read = {}, bytes_written = {}, bytes_evidence = {} WHERE id = {}", text(read), text(written), static_cast<int>(Evidence::Counter), *partner));
    }
    if (without > 0) lose("counters-not-joined", without, "launches that Nsight Compute counted and the trace does not have (by kernel, grid, block and order)");
    for (auto& [kind, count] : into_.rows)
      if (kind == "launch_counter") count += counters_;
    finish();
  }

 private:
  struct Known {
    std::int64_t id = 0;
    bool taken = false;
  };

  void load_launches() {
    std::map<std::int64_t, std::string> names;
    writer_.each("SELECT id, name, grid_x, grid_y, grid_z, block_x, block_y, block_z FROM launch WHERE kind = 'kernel' ORDER BY sequence", [&](std::span<const std::optional<std::int64_t>> row) {
      const auto [name, fresh] = names.try_emplace(*row[1]);
      if (fresh) name->second = writer_.text(db::StringId(static_cast<std::size_t>(*row[1])));
      const auto grid = [&](std::size_t at) { return row[at] && row[at + 1] && row[at + 2] ? std::optional(db::Grid{*row[at], *row[at + 1], *row[at + 2]}) : std::nullopt; };
      const std::size_t place = launches_.size();
      launches_.push_back({*row[0], false});
      const std::string shape = shape_of(grid(2), grid(5));
      by_key_[name->second + shape].push_back(place);
      by_key_["\n" + std::string(graph::kernel_function(name->second)) + shape].push_back(place);
      return true;
    });
  }
  static std::string shape_of(const std::optional<db::Grid>& grid, const std::optional<db::Grid>& block) {
    const auto text = [](const std::optional<db::Grid>& one) { return one ? fmt::format("{},{},{}", one->x, one->y, one->z) : std::string("?"); };
    return fmt::format("\n{}\n{}", text(grid), text(block));
  }

  /// By the whole name where the trace has it; else by the function's own name, since both tools write template arguments their own way.
  std::optional<std::int64_t> partner_of(const NcuLaunch& launch) {
    const std::string shape = shape_of(launch.grid, launch.block), function(graph::kernel_function(launch.kernel));
    for (const std::string& key : {launch.kernel + shape, "\n" + function + shape, "\n" + function + shape_of({}, {})}) {
      const auto at = by_key_.find(key);
      if (at == by_key_.end()) continue;
      std::size_t& next = next_[key];
      while (next < at->second.size() && launches_[at->second[next]].taken) ++next;
      if (next == at->second.size()) continue;
      Known& known = launches_[at->second[next++]];
      known.taken = true;
      return known.id;
    }
    return std::nullopt;
  }

  void add_counters(const NcuLaunch& launch, db::LaunchId id) {
    std::set<std::string_view> seen;
    for (const NcuValue& value : launch.values) {
      if (!seen.insert(value.counter).second) {
        lose("repeated-counter", 1, "values of counters that the same launch has already: the first one is kept");
        continue;
      }
      ++counters_;
      writer_.add(row_of(value, id, writer_));
    }
  }

  static db::RecordedDevice device_of(std::int64_t ordinal, const std::string& capability) {
    db::RecordedDevice device;
    device.ordinal = ordinal;
    device.name = device_name({});
    if (const std::size_t dot = capability.find('.'); dot != std::string::npos) {
      device.compute_major = csv_whole(std::string_view(capability).substr(0, dot));
      device.compute_minor = csv_whole(std::string_view(capability).substr(dot + 1));
    }
    return device;
  }

  void lose(std::string_view reason, std::int64_t count, std::string_view detail) {
    for (ImportLoss& loss : into_.loss)
      if (loss.reason == reason) {
        loss.count += count;
        writer_.add_loss(reason, count, detail);
        return;
      }
    into_.loss.push_back({std::string(reason), count, std::string(detail)});
    writer_.add_loss(reason, count, detail);
  }
  void warn(std::string_view code, const std::string& message) {
    into_.warnings.push_back({std::string(code), message});
    writer_.add_warning(code, message);
  }

  void finish() {
    if (table_.broken_rows > 0) lose("broken-row", table_.broken_rows, "rows of Nsight Compute's table with another number of fields than it has columns");
    if (table_.cut_off) {
      warn("cut-off", "Nsight Compute's table ends early: " + *table_.cut_off);
      lose("cut-off", 1, "the rest of Nsight Compute's table, of unknown length");
    }
    writer_.set_property("ncu.page", table_.page);
    if (table_.advice_rows > 0) writer_.set_property("ncu.advice_rows", std::to_string(table_.advice_rows));
  }

  const NcuTable& table_;
  db::Writer& writer_;
  Imported& into_;
  std::vector<Known> launches_;
  std::map<std::string, std::vector<std::size_t>> by_key_;
  std::map<std::string, std::size_t> next_;
  std::int64_t counters_ = 0;
};

}  // namespace

void add_ncu_run(const NcuTable& table, db::Writer& writer, Imported& into) { Import(table, writer, into).run(); }
void join_ncu(const NcuTable& table, db::Writer& writer, Imported& into) { Import(table, writer, into).join(); }

}  // namespace seam::collector
