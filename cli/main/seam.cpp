/// The program `seam`: reads the command line, runs one command, turns its Result into an exit code.
#include <fmt/core.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/files.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "completion.h"

namespace {

using namespace seam;

/// Proofs take and give back arrays of many megabytes. Left to itself, malloc maps and unmaps each of them, and the kernel's clearing of fresh
/// pages is half of a proof's time.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

int report(const Error& error) {
  std::string source;
  if (error.at) {
    if (auto text = read_file(error.at->file)) source = *std::move(text);
  }
  fmt::print(stderr, "seam: {}\n", describe(error, source));
  return error.code == Error::Code::Cancelled ? 130 : cli::kBadInput;
}

void add_common(CLI::App& app, cli::Common& common) {
  static const std::map<std::string, cli::Format> kFormats = {
      {"text", cli::Format::Text}, {"json", cli::Format::Json}, {"md", cli::Format::Markdown}};
  app.add_option("--format", common.format, "how to print the result: text, json or md")
      ->transform(CLI::CheckedTransformer(kFormats, CLI::ignore_case).description(""))
      ->option_text("text|json|md");
  app.add_flag("-q,--quiet", common.quiet, "print only the result, no progress");
  app.add_flag("-v,--verbose", common.verbose, "say more; twice: even more");
}

/// What was printed must have arrived: a full disk or a closed pipe is an error, not a short file.
int delivered(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "seam: cannot write to standard output: {}\n", std::strerror(errno));
  return cli::kBadInput;
}

/// A first word that is no command gets an answer of its own: CLI11 would only say that a command is missing. Empty: nothing to say.
std::string not_a_command(const CLI::App& app, std::string_view word) {
  // DESIGN section 12 promises these; a later version has them.
  static constexpr std::array<std::string_view, 11> kToCome = {"attach", "baseline", "diff", "gate", "gui", "merge", "report", "run", "sql", "status", "stop"};
  if (word.empty() || word.front() == '-') return {};
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == word) return {};
  if (std::ranges::find(kToCome, word) != kToCome.end()) return fmt::format("'{}' is not built yet in this version; seam --help lists what is", word);
  return fmt::format("there is no command '{}'; seam --help lists them{}", word,
                     std::filesystem::exists(word) ? fmt::format(" (to optimize a file: seam optimize {})", word) : "");
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  CLI::App app{"Seam: finds GPU time lost to data movement and small kernels, stitches kernels, proves them right", "seam"};
  app.set_version_flag("--version", std::string("seam ") + SEAM_VERSION);
  app.require_subcommand(1);
  cli::Common common;
  std::vector<std::pair<CLI::App*, cli::Run>> runs;
  for (const cli::Command& command : cli::commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    add_common(*sub, common);
    runs.emplace_back(sub, command.define(*sub));
  }
  std::string shell;
  CLI::App* completions = app.add_subcommand("completion", "a completion script for bash, zsh or fish");
  completions->add_option("shell", shell, "bash, zsh or fish")->required();
  runs.emplace_back(completions, [&app, &shell](const cli::Common&) -> Result<int> {
    SEAM_TRY(const std::string script, cli::completion(app, shell));
    fmt::print("{}", script);
    return cli::kPass;
  });
  if (const std::string why = argc > 1 ? not_a_command(app, argv[1]) : ""; !why.empty()) {
    fmt::print(stderr, "seam: {}\n", why);
    return cli::kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? cli::kPass : cli::kBadInput;
  }
  try {
    for (const auto& [sub, run] : runs) {
      if (!sub->parsed()) continue;
      const Result<int> code = run(common);
      return code ? delivered(*code) : report(code.error());
    }
  } catch (const Bug& bug) {
    fmt::print(stderr, "seam: this is a fault in Seam, not in your input: {}\n", bug.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "seam: out of memory\n");
  } catch (const std::system_error& e) {
    // fmt says so when standard output takes no more.
    const bool full = e.code() == std::errc::no_space_on_device || e.code() == std::errc::broken_pipe || e.code() == std::errc::io_error;
    fmt::print(stderr, "seam: {}: {}\n", full ? "cannot write to standard output" : "this is a fault in Seam, not in your input", full ? e.code().message() : e.what());
  } catch (const std::exception& e) {
    fmt::print(stderr, "seam: this is a fault in Seam, not in your input: {}\n", e.what());
  }
  return cli::kBadInput;
}
