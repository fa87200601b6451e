#pragma once
/// One file per command: options → one call → one report. A command registers itself in cli/commands.cpp.
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace CLI {
class App;
}

namespace seam::cli {

enum class Format : std::uint8_t { Text, Json, Markdown };

/// Flags that every command takes.
struct Common {
  Format format = Format::Text;
  bool quiet = false;
  int verbose = 0;
};

/// Exit codes of the whole program (DESIGN section 11).
enum Exit : int { kPass = 0, kFailed = 1, kBadInput = 2, kCollectionFailed = 3, kInconclusive = 4 };

/// What a command does once its options are read; prints to stdout, returns an Exit. An Error it returns is printed by main, exit 2.
using Run = std::function<Result<int>(const Common&)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Adds options to `app` and returns what to run.
  Run (*define)(CLI::App& app);
};

// The commands, one per file.
Run define_simulate(CLI::App& app);
Run define_eval(CLI::App& app);
Run define_import(CLI::App& app);
Run define_export(CLI::App& app);
Run define_analyze(CLI::App& app);
Run define_study(CLI::App& app);
Run define_plan(CLI::App& app);
Run define_codegen(CLI::App& app);
Run define_validate(CLI::App& app);
Run define_optimize(CLI::App& app);
Run define_demo(CLI::App& app);
Run define_diff(CLI::App& app);
Run define_sql(CLI::App& app);
Run define_passes(CLI::App& app);
Run define_doctor(CLI::App& app);

}  // namespace seam::cli
