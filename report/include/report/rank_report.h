#pragma once
/// The ranks of one job beside each other: `seam analyze` of a folder of ranks, or of several runs. The same bytes in whatever order the ranks are given.
#include <span>
#include <string>
#include <vector>

#include "analyzer/ranks.h"
#include "report/document.h"

namespace seam::report {

struct RankReport {
  std::vector<std::string> names;     ///< of the runs, by rank
  std::vector<std::string> devices;   ///< products, per row of RankSet::shares
  analyzer::RankSet set;
  std::vector<std::string> remarks;   ///< what was left out or mended on the way in
};
/// `runs` by rank, no number twice.
[[nodiscard]] RankReport rank_report(std::span<const analyzer::RankRun> runs, std::vector<std::string> remarks);

/// `most` collectives, those with the largest skew; 0: all.
[[nodiscard]] Document rank_document(const RankReport& report, std::size_t most);
/// seam.ranks/1.
[[nodiscard]] std::string rank_json(const RankReport& report);

}  // namespace seam::report
