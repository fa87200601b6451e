#include "open_ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "collector/import.h"
#include "open_run.h"

namespace seam::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& input) {
  std::error_code ignored;
  return fs::is_directory(input, ignored);
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_regular_file()) continue;
    SEAM_TRY(const bool trace, collector::is_trace(entry.path()));
    if (trace || is_run_file(entry.path().string())) out.push_back(entry.path().string());
  }
  if (error) return fail(Error::Code::BadInput, fmt::format("{}: {}", folder, error.message()));
  return out;
}

/// Another kind of file that lies beside the traces of a job: execution traces, tables of communicators.
bool is_beside(const Error& error) { return error.code == Error::Code::Unsupported; }

struct Found {
  std::string file;
  analyzer::LoadedRank loaded;
};

/// Every rank its number: as recorded, or by the order of names where none says one.
Result<void> number(std::vector<Found>& found) {
  const auto said = std::ranges::count_if(found, [](const Found& one) { return one.loaded.rank.has_value(); });
  if (said != 0 && said != std::ssize(found)) {
    const auto silent = std::ranges::find_if(found, [](const Found& one) { return !one.loaded.rank; });
    return fail(Error::Code::BadInput, fmt::format("{} does not say which rank it is, others do", silent->file));
  }
  for (std::size_t i = 0; i < found.size(); ++i) found[i].loaded.run.rank = said == 0 ? static_cast<std::int64_t>(i) : *found[i].loaded.rank;
  std::ranges::stable_sort(found, std::ranges::less{}, [](const Found& one) { return one.loaded.run.rank; });
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].loaded.run.rank == found[i - 1].loaded.run.rank) return fail(Error::Code::BadInput, fmt::format("{} and {} both say that they are rank {}", found[i - 1].file, found[i].file, found[i].loaded.run.rank));
  return {};
}

}  // namespace

Result<std::vector<std::string>> rank_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> out;
  for (const std::string& input : inputs) {
    if (!is_folder(input)) {
      out.push_back(input);
      continue;
    }
    SEAM_TRY(const std::vector<std::string> inside, files_in(input));
    out.insert(out.end(), inside.begin(), inside.end());
  }
  std::ranges::sort(out, std::ranges::less{}, [](const std::string& file) { return std::pair(fs::path(file).filename().string(), file); });
  return out;
}

Result<OpenRanks> open_ranks(const std::vector<std::string>& inputs, const Common& common) {
  SEAM_TRY(const std::vector<std::string> files, rank_files(inputs));
  const bool folders = std::ranges::any_of(inputs, is_folder);
  OpenRanks out;
  std::vector<Found> found;
  for (const std::string& file : files) {
    const std::string shown = fs::path(file).filename().string();
    const auto run = OpenRun::open(file, common);
    if (!run && folders && is_beside(run.error())) {
      const std::string& why = run.error().message;
      out.remarks.push_back(fmt::format("{} is left out: {}", shown, why.starts_with(file + ": ") ? why.substr(file.size() + 2) : why));
      continue;
    }
    if (!run) return tl::unexpected(run.error());
    for (const std::string& remark : run->remarks()) out.remarks.push_back(fmt::format("{}: {}", shown, remark));
    SEAM_TRY(analyzer::LoadedRank loaded, during("reading " + file, analyzer::load_rank(run->database())));
    if (loaded.run.timeline.work.empty()) return fail(Error::Code::BadInput, fmt::format("{}: no recorded work on a device, so nothing to hold beside other ranks", file));
    found.push_back({file, std::move(loaded)});
  }
  if (found.size() < 2) return fail(Error::Code::BadInput, fmt::format("{} recorded {} here; a job has two ranks or more", found.size(), found.size() == 1 ? "run is" : "runs are"));
  SEAM_DO(number(found));
  for (Found& one : found) out.runs.push_back(std::move(one.loaded.run));
  return out;
}

}  // namespace seam::cli
