#pragma once
/// A recorded trace in, a run file (.seam) out. The format is found by the content, never by the name. Reads in windows: memory does not grow with the file.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace seam::collector {

struct ImportOptions {
  std::filesystem::path execution_trace;  ///< PyTorch's, of the same process: its tensors are given to the ops; empty = none
  std::filesystem::path counters;  ///< Nsight Compute's table of the same program: its counters are given to the launches; empty = none
  std::filesystem::path output;  ///< the run file; an existing one is replaced once the new one is whole
  std::string command;           ///< as typed, for the run's record
  std::string tool;              ///< who writes: "seam 0.1.0"
  std::size_t window = std::size_t{4} << 20;  ///< bytes of text that are looked at together
  /// Bytes of the file taken so far, and its size where it has one; false stops (Error::Cancelled).
  std::function<bool(std::uint64_t taken, std::optional<std::uint64_t> all)> progress;
};

struct ImportLoss {
  std::string reason;
  std::int64_t count = 0;
  std::string detail;
};
struct ImportWarning {
  std::string code, message;
};

/// What an import read. Rows are counted as the source counts its events: `runtime` holds driver calls too, `instant` also those that became allocations.
struct Imported {
  std::filesystem::path file, output;
  std::string format;                                      ///< "kineto", "tsl", "xplane", "chrome", "nsys", "et", "et+", "chakra", "rocprofv3", "rocpd", "ncu"
  std::vector<std::pair<std::string, std::int64_t>> rows;  ///< by kind, in a fixed order
  std::int64_t busy_ns = 0;                                ///< union of kernels, copies and fills per device, summed over devices
  std::optional<std::int64_t> start_ns, end_ns, rank;
  std::vector<ImportLoss> loss;
  std::vector<ImportWarning> warnings;
};

/// Whether the first bytes of a file (unpacked) are a trace's, or of something else that import_trace() has an answer to, rather than a module's or other text.
[[nodiscard]] Result<bool> is_trace(const std::filesystem::path& file);

/// What a folder holds: traces, each a run. PyTorch's execution trace of the same process is joined with its trace where only one pair can be meant.
struct Source {
  std::filesystem::path trace, execution_trace;
};
[[nodiscard]] Result<std::vector<Source>> sources_in(const std::filesystem::path& folder);

/// Errors: NotFound; BadInput for what is no trace, or one without any event, with its place where it has one; Unsupported for known formats that are not
/// read, with what converts them; Environment if the run file cannot be written. On an error no file is left.
[[nodiscard]] Result<Imported> import_trace(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace seam::collector
