#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace seam::report {

/// "a, b, c and 2 more".
[[nodiscard]] std::string first_of(const std::vector<std::string>& names, std::size_t most = 4);

}  // namespace seam::report
