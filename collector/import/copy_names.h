#pragma once
/// What profilers say of copies in their names: "Memcpy HtoD (Pinned -> Device)".
#include <string>
#include <string_view>
#include <utility>

#include "db/rows.h"

namespace seam::collector {

[[nodiscard]] db::CopyKind copy_kind(std::string_view name);
/// What stands in brackets: the kinds of memory on both sides, in small letters.
[[nodiscard]] std::pair<std::string, std::string> memories(std::string_view name);

}  // namespace seam::collector
