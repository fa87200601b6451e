#include "report/optimize_json.h"

#include <fmt/core.h>

#include "json/verdicts.h"
#include "report/comparison.h"
#include "report/plan_json.h"
#include "report/render.h"

namespace seam::report {

std::string optimize_json(const Optimized& optimized) {
  const Device& device = optimized.options.device;
  const Seconds& s = optimized.seconds;
  Json warnings = Json::array();
  for (const Notice& notice : optimized.warnings) warnings.push_back({{"code", notice.code}, {"message", notice.message}});
  const ProgramRun& run = optimized.run;
  const Json json = {
      {"schema", "seam.optimize/1"},
      {"input", optimized.input},
      {"module", {{"name", optimized.graph->name}, {"sha256", optimized.module_sha256}}},
      {"device", {{"name", device.name}, {"compute", fmt::format("{}.{}", device.compute_major, device.compute_minor)}}},
      {"tool", optimized.tool},
      {"compiler", optimized.compiler.empty() ? Json() : Json(optimized.compiler)},
      {"assembler", optimized.assembler.empty() ? Json() : Json(optimized.assembler)},
      {"complete", !optimized.cancelled},
      {"comparison", Json::parse(to_json(comparison(optimized)))},
      {"plan", Json::parse(plan_json(*optimized.plan, *optimized.graph, optimized.compilers, optimized.beside))},
      {"validate", json_of(optimized.verdicts, run.check)},
      {"run", run.ran ? Json{{"kernels", run.kernels}, {"library_calls", run.library_calls}, {"copies", run.copies}, {"bytes_read", run.bytes_read},
                             {"bytes_written", run.bytes_written}, {"evidence", name(Evidence::Simulated)}, {"instructions", run.instructions},
                             {"peak_bytes", run.peak_bytes}, {"bytes_without_reuse", run.allocated_bytes}}
                      : Json()},
      {"warnings", std::move(warnings)},
      {"seconds", {{"read", s.read}, {"plan", s.plan}, {"emit", s.emit}, {"compile", s.compile}, {"assemble", s.assemble}, {"prove", s.prove}, {"run", s.run}, {"count", s.count}}},
  };
  return dumped(json);
}

}  // namespace seam::report
