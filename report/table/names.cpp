#include "table/names.h"

#include <fmt/core.h>

namespace seam::report {

std::string first_of(const std::vector<std::string>& names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) out += (i > 0 ? ", " : "") + names[i];
  return names.size() > most ? fmt::format("{} and {} more", out, names.size() - most) : out;
}

}  // namespace seam::report
