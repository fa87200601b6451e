#pragma once
/// All mutants of all source kernels, and which tier of the proof catches each.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules.h"
#include "sources.h"

namespace seam::codegen::test {

enum class Catch { Ir, Simulator, Values, Nobody, NotCompiled };
[[nodiscard]] constexpr std::string_view name(Catch by) {
  switch (by) {
    case Catch::Ir: return "1 ir";
    case Catch::Simulator: return "2 simulator";
    case Catch::Values: return "3 values";
    case Catch::NotCompiled: return "DOES NOT COMPILE";
    case Catch::Nobody: break;
  }
  return "SURVIVED";
}

struct Row {
  std::string rule, kernel, place;
  Catch by = Catch::Nobody;
  std::string kind;    ///< of the report, in a few words that do not change with the compiler
  std::string also;    ///< what a later tier says, where it was asked
  std::string detail;  ///< all of it
};

struct Campaign {
  std::vector<std::unique_ptr<Origin>> origins;
  std::vector<Row> rows;                       ///< by rule, then by kernel, then by place
  std::vector<std::size_t> places;             ///< per rule: places where it applies, over all kernels
};

/// What the campaign is made of, as text: lines `module NAME OUTPUT`, `group NAME`, and `each N`: at most N mutants per rule, taken from as many kernels
/// as there are, evenly spread over the places of each. `all`: every place instead.
[[nodiscard]] Campaign campaign(std::string_view text, const Compiler& compiler, bool all);
/// Which of the kernels does not pass as it is: "" or what was said.
[[nodiscard]] std::string complaint(const Origin& origin, const Compiler& compiler);

}  // namespace seam::codegen::test
