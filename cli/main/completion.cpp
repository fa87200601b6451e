#include "completion.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <vector>

namespace seam::cli {
namespace {

struct Subcommand {
  std::string name, summary;
  std::vector<std::string> flags;
};

std::vector<Subcommand> subcommands(const CLI::App& app) {
  std::vector<Subcommand> out;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    Subcommand s{sub->get_name(), sub->get_description(), {}};
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) s.flags.push_back("--" + name);
    }
    out.push_back(std::move(s));
  }
  return out;
}

/// After a command its flags and file names, before it the commands.
std::string bash(const CLI::App& app) {
  std::string out = "_seam() {\n  local cur=${COMP_WORDS[COMP_CWORD]} flags=\n  case ${COMP_WORDS[1]} in\n";
  std::vector<std::string> names;
  for (const Subcommand& s : subcommands(app)) {
    names.push_back(s.name);
    out += fmt::format("    {}) flags='{}' ;;\n", s.name, fmt::join(s.flags, " "));
  }
  out += fmt::format(
      "  esac\n  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n"
      "  elif [[ $cur == -* ]]; then\n    COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$cur\"))\n  fi\n}}\ncomplete -o filenames -F _seam seam\n",
      fmt::join(names, " "));
  return out;
}

std::string fish(const CLI::App& app) {
  std::string out;
  for (const Subcommand& s : subcommands(app)) {
    std::string summary = s.summary;
    for (std::size_t at = 0; (at = summary.find('\'', at)) != std::string::npos; at += 2) summary.insert(at, "\\");
    out += fmt::format("complete -c seam -n __fish_use_subcommand -a {} -d '{}'\n", s.name, summary);
    for (const std::string& flag : s.flags) out += fmt::format("complete -c seam -n '__fish_seen_subcommand_from {}' -l {}\n", s.name, flag.substr(2));
  }
  return out;
}

}  // namespace

Result<std::string> completion(const CLI::App& app, std::string_view shell) {
  if (shell == "bash") return bash(app);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash(app);
  if (shell == "fish") return fish(app);
  return fail(Error::Code::BadInput, fmt::format("no completion for shell '{}'; there is one for bash, zsh and fish", shell));
}

}  // namespace seam::cli
