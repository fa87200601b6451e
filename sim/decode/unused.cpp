#include "decode/unused.h"

#include <algorithm>
#include <unordered_map>

namespace seam::sim {
namespace {

template <class F>
void for_each_row(const Instruction& i, F&& f) {
  for (const std::uint32_t row : {i.d, i.d2, i.a, i.b, i.c, i.e, i.guard}) {
    if (row != kNoRow) f(row);
  }
  for (const std::uint32_t row : i.elements) {
    if (row != kNoRow) f(row);
  }
}

}  // namespace

void drop_unused_elements(Program& program) {
  std::unordered_map<std::uint32_t, int> named;
  for (const Instruction& i : program.code) for_each_row(i, [&](std::uint32_t row) { ++named[row]; });
  for (Instruction& i : program.code) {
    if (!i.loads_vector) continue;
    while (i.used > 1) {
      std::uint32_t& row = i.elements[i.used - 1U];
      if (row != kNoRow && named[row] > 1) break;
      row = kNoRow;
      --i.used;
    }
    const bool shared = i.space == Space::Shared || i.space == Space::Generic;
    if (shared) program.smallest_shared = std::min(program.smallest_shared, i.bytes * i.used);
  }
}

}  // namespace seam::sim
