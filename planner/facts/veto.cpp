#include "planner/veto.h"

namespace seam::planner {

namespace {
struct Words {
  std::string_view name, sentence;
};
constexpr Words kWords[] = {
#define SEAM_VETO(id, text, what) {text, what},
#include "planner/veto.def"
#undef SEAM_VETO
};
}  // namespace

std::string_view name(VetoCode code) { return kWords[static_cast<std::size_t>(code)].name; }
std::string_view sentence(VetoCode code) { return kWords[static_cast<std::size_t>(code)].sentence; }

}  // namespace seam::planner
