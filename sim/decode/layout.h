#pragma once
/// Where the shared variables of a kernel lie: static ones of every function it can reach first, then the dynamic part.
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
  std::int64_t bytes = 0;  ///< where the dynamic part starts
};

[[nodiscard]] const Function* function_named(const Syntax& syntax, std::string_view name);
/// The callee's name, or empty.
[[nodiscard]] std::string_view callee(const Statement& statement);
[[nodiscard]] SharedLayout shared_layout(const Syntax& syntax, const Function& entry);

}  // namespace seam::sim
