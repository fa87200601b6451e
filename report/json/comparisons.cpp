#include "json/comparisons.h"

#include <filesystem>

#include "base/evidence.h"

namespace seam::report {

Json json_of(const planner::Totals& t) {
  return {{"kernels", t.kernels},
          {"library_calls", t.library_calls},
          {"copies", t.copies},
          {"bytes_read", t.bytes_read},
          {"bytes_written", t.bytes_written},
          {"library_bytes", t.library_bytes},
          {"copy_bytes", t.copy_bytes},
          {"floor_kernels", t.floor_kernels},
          {"floor_bytes", t.floor_bytes},
          {"ops", t.ops},
          {"fusable_ops", t.fusable_ops},
          {"fused_ops", t.fused_ops}};
}

Json json_of(const CompilerResult& result) {
  const analyzer::LaunchCounts& c = result.counts;
  return {{"name", result.name},
          {"file", std::filesystem::path(result.file).filename().string()},
          {"kernels", c.kernels},
          {"copies", c.copies},
          {"library_calls", c.library_calls},
          {"kernels_and_copies", c.kernels + c.copies},
          {"launches", c.kernels + c.copies + c.library_calls},
          {"bytes", {{"kernels", c.kernel_bytes}, {"copies", c.copy_bytes}, {"library_calls", c.library_bytes}, {"evidence", name(Evidence::Modelled)}}},
          {"floor_kernels", result.roof_floor},
          {"loops_of_unknown_length", c.loops_of_unknown_length},
          {"notes", result.notes}};
}

Json json_of(const std::vector<OutsideKernels>& outside) {
  Json list = Json::array();
  for (const OutsideKernels& one : outside) list.push_back({{"op", one.op}, {"opcode", one.opcode}, {"computation", one.computation}, {"reason", one.reason}});
  return list;
}

}  // namespace seam::report
