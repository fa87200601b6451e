#pragma once
/// Where the shared variables of a kernel lie: static ones of every function it can reach first, then the dynamic part.
/// Between arrays there are gaps that nobody may touch, so that an overrun is seen. A gap is a multiple of 128 bytes, so
/// that every array keeps the banks it has on the device.
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "text/syntax.h"

namespace seam::sim {

struct SharedLayout {
  /// Offsets of .shared variables declared in functions: by function and index in Function::variables.
  std::map<std::pair<const Function*, std::size_t>, std::int64_t> local;
  /// Offsets of those at module scope that the kernel uses, and of extern (dynamic) ones.
  std::map<std::string_view, std::int64_t> global;
  std::vector<std::pair<std::int64_t, std::int64_t>> arrays;  ///< [begin, end) of static arrays, ascending
  std::int64_t bytes = 0;          ///< static bytes, without the gaps: what the device reserves
  std::int64_t dynamic_start = 0;  ///< with the gaps
};

[[nodiscard]] const Function* function_named(const Syntax& syntax, std::string_view name);
/// The callee's name, or empty.
[[nodiscard]] std::string_view callee(const Statement& statement);
[[nodiscard]] SharedLayout shared_layout(const Syntax& syntax, const Function& entry);

}  // namespace seam::sim
