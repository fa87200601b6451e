#pragma once
/// Python's way to print lists, texts and numbers ("[[4, 5, 0, 64, 4, 'cuda:0'], '<None>', True, inf]") as JSON: Chakra's files hold op arguments so.
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace seam::collector {

/// Nothing for what is no literal. Tuples are lists, None is null; inf and nan, which JSON lacks, are texts.
[[nodiscard]] std::optional<nlohmann::json> python_literal(std::string_view text);

}  // namespace seam::collector
