#pragma once
/// A run from whatever the user has: a .seam file, or a trace, which is imported into a temporary one.
#include <optional>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "cli/command.h"
#include "db/database.h"

namespace seam::cli {

class OpenRun {
 public:
  /// A .seam file of an older version is upgraded in place. `common` decides about a progress bar. Errors as of Database::open and import_trace.
  [[nodiscard]] static Result<OpenRun> open(const std::string& input, const Common& common);
  [[nodiscard]] const db::Database& database() const { return database_; }
  /// What an import had to mend or lost, a line each; empty for a .seam file, whose tables say it.
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  explicit OpenRun(db::Database database) : database_(std::move(database)) {}
  std::optional<TemporaryFolder> temporary_;  ///< outlives the open database in it
  db::Database database_;
  std::vector<std::string> remarks_;
};

/// Whether the file is a run file, whatever its name.
[[nodiscard]] bool is_run_file(const std::string& input);

}  // namespace seam::cli
