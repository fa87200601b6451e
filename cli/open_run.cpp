#include "open_run.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "base/units.h"
#include "collector/import.h"
#include "interrupt.h"
#include "progress.h"

namespace seam::cli {

namespace fs = std::filesystem;

bool is_run_file(const std::string& input) {
  std::ifstream in(input, std::ios::binary);
  // SQLite's header holds the application id at byte 68 (sqlite.org/fileformat2.html, 1.3).
  std::array<char, 72> head{};
  in.read(head.data(), head.size());
  return in.gcount() == std::ssize(head) && std::string_view(head.data(), 15) == "SQLite format 3" && std::string_view(head.data() + 68, 4) == "SEAM";
}

Result<OpenRun> OpenRun::open(const std::string& input, const Common& common) {
  std::error_code ignored;
  if (!fs::exists(input, ignored) && input != "-") return fail(Error::Code::NotFound, fmt::format("{}: no such file", input));
  if (is_run_file(input)) {
    SEAM_DO(db::upgrade(input));
    SEAM_TRY(db::Database database, db::Database::open(input));
    return OpenRun(std::move(database));
  }
  std::string pattern = (fs::temp_directory_path(ignored) / "seam.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return fail(Error::Code::Environment, fmt::format("cannot make a folder in {}", fs::temp_directory_path(ignored).string()));
  struct Cleaner {
    fs::path folder;
    ~Cleaner() {
      std::error_code quiet;
      if (!folder.empty()) fs::remove_all(folder, quiet);
    }
  } cleaner{pattern};
  collector::ImportOptions options;
  options.output = fs::path(pattern) / "run.seam";
  options.tool = "seam " SEAM_VERSION;
  const Interrupt interrupt;
  Progress bar(common.quiet || common.format == Format::Json);
  const auto progress = bar.stage("reading " + fs::path(input).filename().string());
  options.progress = [&](std::uint64_t taken, std::optional<std::uint64_t> all) {
    if (progress && all && *all > 0) progress(static_cast<std::size_t>(taken >> 10), static_cast<std::size_t>(*all >> 10) + 1);
    return !Interrupt::asked();
  };
  SEAM_TRY(const collector::Imported imported, collector::import_trace(input, options));
  bar.done();
  SEAM_TRY(db::Database database, db::Database::open(options.output));
  OpenRun run(std::move(database));
  run.temporary_ = std::exchange(cleaner.folder, {});
  for (const collector::ImportLoss& loss : imported.loss) run.remarks_.push_back(fmt::format("lost: {} x {} ({})", human_count(loss.count), loss.reason, loss.detail));
  for (const collector::ImportWarning& warning : imported.warnings) run.remarks_.push_back(fmt::format("{}: {}", warning.code, warning.message));
  return run;
}

OpenRun::~OpenRun() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

}  // namespace seam::cli
