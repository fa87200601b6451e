#pragma once
/// What every importer does with the rows it wrote: links, busy time, counts in their order.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/import.h"
#include "db/writer.h"

namespace seam::collector {

/// Walks over the devices' work in order of time and adds up their busy time (a union per device). Says which rows run far over later work of their own
/// stream, if any do: a fault of the recording, no overlap of programmatic launches or graph branches.
[[nodiscard]] std::optional<std::string> sweep(db::Writer& writer, std::int64_t& busy_ns);
/// Gives launches and copies their places in order of time; what has no time comes first, in the order in which it was added.
void order_by_time(db::Writer& writer);
/// Kernels, copies and fills whose API call is in the file.
[[nodiscard]] std::int64_t linked_work(db::Writer& writer);
/// Counts by kind in the order in which reports show them; kinds that do not occur are 0.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> in_order(const std::map<std::string, std::int64_t, std::less<>>& counts);
/// What was not kept, by reason: how much, and what it was.
using Losses = std::map<std::string, std::pair<std::int64_t, std::string>, std::less<>>;
/// Into the run as rows, and into what the caller is told.
void say_faults(db::Writer& writer, const Losses& losses, const std::vector<ImportWarning>& warnings, Imported& into);
/// "NVIDIA H100 80GB HBM3" → "h100", where base/device.h knows it; else the product itself; "unknown" without one.
[[nodiscard]] std::string device_name(std::string_view product);

}  // namespace seam::collector
