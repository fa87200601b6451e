#include "graph/kernel_names.h"

#include <algorithm>
#include <array>
#include <string>

namespace seam::graph {
namespace {

struct Family {
  std::string_view pattern, family;
  WorkClass work;
};
struct Work {
  std::string_view family, pattern;
  WorkClass work;
};

constexpr Family kFamilies[] = {
#define FAMILY(pattern, family, work) {pattern, #family, WorkClass::work},
#define WORK(family, pattern, work)
#include "names/families.def"
#undef FAMILY
#undef WORK
};
constexpr Work kWork[] = {
#define FAMILY(pattern, family, work)
#define WORK(family, pattern, work) {#family, pattern, WorkClass::work},
#include "names/families.def"
#undef FAMILY
#undef WORK
};

bool fits(std::string_view name, std::string_view pattern) { return pattern.starts_with('^') ? name.starts_with(pattern.substr(1)) : name.find(pattern) != std::string_view::npos; }

}  // namespace

std::string_view name(WorkClass work) {
  constexpr std::array<std::string_view, 8> kNames = {"contraction", "normalization", "element-wise", "layout", "communication", "copy", "other", "unknown"};
  return kNames[static_cast<std::size_t>(work)];
}

KernelName classify_kernel(std::string_view name) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c); });
  // Return types of templates stand in front: "void at::native::…".
  std::string_view text = small;
  if (text.starts_with("void ")) text.remove_prefix(5);
  for (const Family& family : kFamilies) {
    if (!fits(text, family.pattern)) continue;
    KernelName out{family.family, family.work};
    for (const Work& work : kWork) {
      if (work.family != family.family || !fits(text, work.pattern)) continue;
      out.work = work.work;
      break;
    }
    return out;
  }
  return {};
}

}  // namespace seam::graph
