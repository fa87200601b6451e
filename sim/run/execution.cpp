#include <fmt/format.h>

#include "run/warp.h"

namespace seam::sim {
namespace {

std::string place_of(const Warp& warp, std::uint32_t lane) {
  const Dim3& shape = warp.execution->launch.block;
  const std::uint32_t thread = warp.thread(lane);
  const auto& cta = warp.block->ctaid;
  return fmt::format("block ({}, {}, {}), thread ({}, {}, {})", cta[0], cta[1], cta[2],
                     thread % shape.x, thread / shape.x % shape.y, thread / (shape.x * shape.y));
}

}  // namespace

void Execution::report(Warp& warp, std::string_view kind, std::uint32_t lane,
                       std::string_view what) {
  const std::uint32_t pc = warp.pc - 1;
  if (reports.again(kind, pc, 0)) return;
  reports.add(kind, pc, 0, fmt::format("{}, {}", what, place_of(warp, lane)));
}

void Execution::fault(Warp& warp, std::string_view kind, std::uint32_t lane,
                      std::string_view what) {
  report(warp, kind, lane, what);
  faulted = true;
  warp.stop = Stop::Fault;
}

}  // namespace seam::sim
