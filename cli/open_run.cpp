#include "open_run.h"

#include <fmt/core.h>

#include <array>
#include <fstream>

#include "base/units.h"
#include "collector/import.h"
#include "import_traces.h"
#include "interrupt.h"

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
  SEAM_TRY(TemporaryFolder folder, TemporaryFolder::make());
  collector::ImportOptions options;
  options.output = folder.path() / "run.seam";
  options.tool = "seam " SEAM_VERSION;
  const Interrupt interrupt;
  Progress bar(common.quiet || common.format == Format::Json);
  options.progress = import_progress(bar, input);
  SEAM_TRY(const collector::Imported imported, collector::import_trace(input, options));
  bar.done();
  SEAM_TRY(db::Database database, db::Database::open(options.output));
  OpenRun run(std::move(database));
  run.temporary_ = std::move(folder);
  for (const collector::ImportLoss& loss : imported.loss) run.remarks_.push_back(fmt::format("lost: {} x {} ({})", human_count(loss.count), loss.reason, loss.detail));
  for (const collector::ImportWarning& warning : imported.warnings) run.remarks_.push_back(fmt::format("{}: {}", warning.code, warning.message));
  return run;
}

}  // namespace seam::cli
