#pragma once
/// What the framework called an op: "jit(step)/transpose(jvp(attention))/softmax/mul" is the multiply of attention/softmax, backward. For people;
/// the op's own name stays beside it.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/optimized.h"

namespace seam::report {

/// The op's origin without the primitive at its end and without tracing wrappers: "attention/softmax, backward"; empty if unknown.
[[nodiscard]] std::string origin_label(std::string_view op_name);

struct OriginCount {
  std::string label;  ///< "" = unknown
  std::size_t ops = 0;
};
/// Origins of a kernel's ops, most ops first.
[[nodiscard]] std::vector<OriginCount> origins_of(const KernelView& kernel);
/// One line: "attention/softmax · attention/scores and 2 more"; empty if nothing is known.
[[nodiscard]] std::string title_of(const KernelView& kernel);

}  // namespace seam::report
