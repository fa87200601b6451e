#pragma once
/// The ranks of a job from whatever the user has: folders of .seam files or traces, or several of them one by one.
#include <string>
#include <vector>

#include "analyzer/rank_run.h"
#include "cli/command.h"

namespace seam::cli {

/// Files that may be runs, in the order of their names: folders are looked into. One file: not a set.
[[nodiscard]] Result<std::vector<std::string>> rank_files(const std::vector<std::string>& inputs);

struct OpenRanks {
  std::vector<analyzer::RankRun> runs;  ///< by rank
  std::vector<std::string> remarks;
};
/// BadInput where two say the same rank, some say one and others do not, or fewer than two hold work. In folders, what is no recorded run is left out with a remark.
[[nodiscard]] Result<OpenRanks> open_ranks(const std::vector<std::string>& inputs, const Common& common);

}  // namespace seam::cli
