#include "base/check.h"

#include <fmt/core.h>

namespace seam {

void throw_bug(const std::string& what, const std::source_location& where) {
  throw Bug(fmt::format("{}:{}: {}", where.file_name(), where.line(), what));
}

}  // namespace seam
