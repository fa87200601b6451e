#include "report/rank_report.h"

namespace seam::report {

RankReport rank_report(std::span<const analyzer::RankRun> runs, std::vector<std::string> remarks) {
  RankReport out;
  for (const analyzer::RankRun& run : runs) {
    out.names.push_back(run.name);
    out.devices.insert(out.devices.end(), run.devices.begin(), run.devices.end());
  }
  out.set = analyzer::rank_set(runs);
  out.remarks = std::move(remarks);
  return out;
}

}  // namespace seam::report
