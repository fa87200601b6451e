#pragma once
/// Nsight Compute's tables (ncu --csv --page raw, --page details; also of a report: ncu --import): what hardware counted of each launch. Lines of the tool
/// before the table are skipped. Kernels are replayed to be counted: their order is the program's, their times are not.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "db/rows.h"

namespace seam::collector {

struct NcuValue {
  std::string counter, unit, text;
  std::optional<double> value;  ///< nothing: a text
};

/// One profiled launch.
struct NcuLaunch {
  std::string kernel, id, process, compute_capability;
  std::optional<std::int64_t> context, stream, device;
  std::optional<db::Grid> grid, block;
  std::vector<NcuValue> values;
};

struct NcuTable {
  std::string page;  ///< "raw" or "details"
  std::vector<NcuLaunch> launches;
  std::int64_t broken_rows = 0, advice_rows = 0;  ///< advice: rows of rules without a value
  std::optional<std::string> cut_off;
};

[[nodiscard]] bool is_ncu_table(std::string_view head);
/// BadInput for text without such a table.
[[nodiscard]] Result<NcuTable> read_ncu_table(ByteSource& source);

/// In bytes, nanoseconds or plain: of "Kbyte", "usecond", "us", "Mbyte". Nothing for other units and for texts.
[[nodiscard]] std::optional<double> ncu_plain_value(const NcuValue& value);

}  // namespace seam::collector
