#pragma once
/// What a Writer holds: the open file, its statements, and the first thing that went wrong.
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "connection.h"
#include "db/writer.h"

namespace seam::db {

/// Lets a map of texts be asked without making a string.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// Tables that rows are inserted into, in the order of kTables.
enum class Table : std::uint8_t {
  String, Run, Property, Device, Clock, Process, Thread, Stream, Kernel, KernelOp, Launch, Copy, ApiCall, Range, Signature, SignatureInput, Sync, Collective,
  Allocation, Instant, Counter, Flow, LaunchCounter, Node, NodeEdge, NodeTensor, Loss, Warning
};
struct TableColumns {
  std::string_view name;
  int columns;
};
inline constexpr std::array<TableColumns, 28> kTables = {{{"string", 2}, {"run", 10}, {"property", 2}, {"device", 11}, {"clock", 4}, {"process", 4}, {"thread", 5}, {"stream", 5},
                                                          {"kernel", 7}, {"kernel_op", 5}, {"launch", 30}, {"copy", 20}, {"api_call", 10}, {"range", 16}, {"signature", 2},
                                                          {"signature_input", 6}, {"sync", 12}, {"collective", 12}, {"allocation", 9}, {"instant", 6}, {"counter", 6}, {"flow", 6}, {"launch_counter", 5}, {"node", 19}, {"node_edge", 4},
                                                          {"node_tensor", 10}, {"loss", 3}, {"warning", 3}}};

template <class Tag>
std::optional<std::int64_t> nullable(Id<Tag> id) {
  return id.valid() ? std::optional(static_cast<std::int64_t>(id.value)) : std::nullopt;
}
inline std::optional<std::string_view> nullable(const std::string& text) { return text.empty() ? std::nullopt : std::optional<std::string_view>(text); }

struct Writer::State {
  std::filesystem::path target, temporary;
  Connection connection;
  std::array<Statement, kTables.size()> statements;
  std::array<std::int64_t, kTables.size()> counts{};  ///< rows so far: the next id
  std::unordered_map<std::string, StringId, TextHash, std::equal_to<>> strings;
  struct Loss {
    std::optional<std::int64_t> count;
    std::string detail;
  };
  std::map<std::string, Loss, std::less<>> losses;
  std::optional<Run> described;
  bool indexed = false;
  std::optional<Error> error;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove(temporary, ignored);
  }

  [[nodiscard]] std::int64_t next(Table table) { return counts[static_cast<std::size_t>(table)]++; }

  /// Binds all values and writes the row, unless something failed before.
  template <class... Values>
  void insert(Table table, const Values&... values) {
    if (error) return;
    Statement& statement = statements[static_cast<std::size_t>(table)];
    (statement.bind(values), ...);
    if (statement.run() != SQLITE_DONE) keep(failure(connection.get(), "writing the run file").value());
  }
  void keep(Error failed) {
    if (!error) error = std::move(failed);
  }
};

}  // namespace seam::db
