#include "batch/entries.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace seam::codegen {
namespace {

constexpr std::string_view kBlockLabel = "$L__BB";
constexpr std::string_view kNameLabel = "$L__info_string";
constexpr std::string_view kStack = "__local_depot";
constexpr std::string_view kLoc = "\t.loc\t";
constexpr std::string_view kInlinedAt = "inlined_at 1 ";

bool name_part(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }

/// Takes the next line, without its end, off `rest`.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// Takes a number off the front.
int take_number(std::string_view& text) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{}) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool is_variable(std::string_view line) {
  constexpr std::string_view kStarts[] = {".extern .shared ", ".global ", ".const ", ".shared ", ".visible .global ", ".visible .const "};
  return line.ends_with(";") && std::ranges::any_of(kStarts, [&](std::string_view start) { return line.starts_with(start); });
}

/// ".global .align 4 .b8 table[24] = {…};" → table
std::string_view variable_name(std::string_view line) {
  const std::string_view declared = line.substr(0, std::min(line.find_first_of("[=;"), line.size()));
  std::size_t end = declared.size();
  while (end > 0 && !name_part(declared[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && name_part(declared[begin - 1])) --begin;
  return declared.substr(begin, end - begin);
}

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !name_part(text[at - 1])) && (at + name.size() >= text.size() || !name_part(text[at + name.size()]))) return true;
  }
  return false;
}

/// Of those variables the ones that a text uses, itself or through what they are initialised with.
std::vector<std::string> used_by(std::string_view text, const std::vector<std::string_view>& variables) {
  std::vector<bool> used(variables.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (used[i]) continue;
      const std::string_view name = variable_name(variables[i]);
      used[i] = mentions(text, name);
      for (std::size_t k = 0; k < variables.size() && !used[i]; ++k) used[i] = used[k] && k != i && mentions(variables[k], name);
      more |= used[i];
    }
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (used[i]) out.emplace_back(variables[i]);
  }
  return out;
}

/// Replaces the number behind each `prefix` by what `number_of` makes of it.
template <class F>
std::string renumbered(std::string_view text, std::string_view prefix, F&& number_of) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t at = text.find(prefix);
    if (at == std::string_view::npos) break;
    out += text.substr(0, at + prefix.size());
    text.remove_prefix(at + prefix.size());
    if (const int number = take_number(text); number >= 0) fmt::format_to(std::back_inserter(out), "{}", number_of(number));
  }
  return out += text;
}

/// Everything at the top of a PTX text, as its compiler lays it out.
struct Parts {
  std::string_view header;
  std::vector<std::string_view> variables;
  std::vector<std::pair<std::string_view, std::string_view>> entries;  ///< name and text
  std::map<int, std::string_view> function_names;
};

/// "$L__info_string0:" and the line with its bytes, up to the closing brace.
bool take_function_names(std::string_view& rest, Parts& out) {
  if (take_line(rest) != "\t{") return false;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (line == "\t}") return true;
    if (line.empty()) continue;
    if (!line.starts_with(kNameLabel)) return false;
    line.remove_prefix(kNameLabel.size());
    const int number = take_number(line);
    if (number < 0 || line != ":") return false;
    out.function_names[number] = take_line(rest);
  }
  return false;
}

bool take_entry(std::string_view line, std::string_view& rest, Parts& out) {
  constexpr std::string_view kEntry = ".visible .entry ";
  const std::string_view name = line.substr(kEntry.size(), std::min(line.find('('), line.size()) - kEntry.size());
  const std::size_t end = rest.find("\n}\n");
  if (end == std::string_view::npos) return false;
  const auto length = static_cast<std::size_t>(rest.data() + end + 3 - line.data());
  out.entries.emplace_back(name, std::string_view(line.data(), length));
  rest.remove_prefix(end + 3);
  return true;
}

std::optional<Parts> parts_of(std::string_view ptx) {
  constexpr std::string_view kLastOfHeader = ".address_size 64\n";
  const std::size_t header = ptx.find(kLastOfHeader);
  if (header == std::string_view::npos) return std::nullopt;
  Parts out;
  out.header = ptx.substr(0, header + kLastOfHeader.size());
  std::string_view rest = ptx.substr(out.header.size());
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    bool known = line.empty() || line.starts_with("\t// .globl\t") || line.starts_with("\t.file\t1 ");
    if (is_variable(line)) {
      out.variables.push_back(line);
      known = true;
    } else if (line.starts_with(".visible .entry ")) {
      known = take_entry(line, rest, out);
    } else if (line == "\t.section\t.debug_str") {
      known = take_function_names(rest, out);
    }
    if (!known) return std::nullopt;
  }
  return out;
}

/// A .loc line with its places replaced: "\t.loc\t1 20 3, function_name $L__info_string0, inlined_at 1 62 7". Line 0 is code of no place; it comes
/// with the column of the line info before it, which `last_column` keeps.
void add_loc(std::string& out, std::string_view line, const std::function<Place(Place)>& own, int& last_column) {
  const auto place = [&](std::string_view& text) {
    Place at;
    at.line = take_number(text);
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
    at.column = take_number(text);
    const Place mine = at.line > 0 ? own(at) : Place{0, at.column > 0 ? last_column : 0};
    fmt::format_to(std::back_inserter(out), "{} {}", mine.line, mine.column);
    return mine.column;
  };
  constexpr std::size_t kFile = 2;  // "1 "
  out += line.substr(0, kLoc.size() + kFile);
  line.remove_prefix(kLoc.size() + kFile);
  last_column = place(line);
  if (const std::size_t at = line.find(kInlinedAt); at != std::string_view::npos) {
    out += line.substr(0, at + kInlinedAt.size());
    line.remove_prefix(at + kInlinedAt.size());
    place(line);
  }
  out += line;
  out += '\n';
}

}  // namespace

std::optional<PtxEntries> ptx_entries(std::string_view ptx) {
  const std::optional<Parts> parts = parts_of(ptx);
  if (!parts) return std::nullopt;
  PtxEntries out;
  out.header = parts->header;
  for (const auto& [name, text] : parts->entries) {
    if (mentions(text, "call")) return std::nullopt;
    PtxEntry& entry = out.entries.emplace_back();
    entry.name = name;
    entry.variables = used_by(text, parts->variables);
    const auto zero = [](int) { return 0; };
    entry.text = renumbered(renumbered(text, kBlockLabel, zero), kStack, zero);
    std::map<int, int> numbers;
    bool known = true;
    entry.text = renumbered(entry.text, kNameLabel, [&](int number) {
      const auto [at, first] = numbers.try_emplace(number, static_cast<int>(numbers.size()));
      if (first) {
        const auto found = parts->function_names.find(number);
        known = known && found != parts->function_names.end();
        if (known) entry.function_names.emplace_back(found->second);
      }
      return at->second;
    });
    if (!known) return std::nullopt;
  }
  return out;
}

std::string ptx_module(const std::string& header, const PtxEntry& entry, std::string_view name, std::string_view file,
                       const std::function<Place(Place)>& own) {
  std::string out = fmt::format("{}\n\t// .globl\t{}\n", header, name);
  const auto add_renamed = [&](std::string_view line) {
    for (std::size_t at = line.find(entry.name); at != std::string_view::npos; at = line.find(entry.name)) {
      out += line.substr(0, at);
      out += name;
      line.remove_prefix(at + entry.name.size());
    }
    out += line;
    out += '\n';
  };
  for (const std::string& variable : entry.variables) add_renamed(variable);
  out += '\n';
  int column = 0;
  for (std::string_view rest = entry.text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (line.starts_with(kLoc)) {
      add_loc(out, line, own, column);
    } else {
      add_renamed(line);
    }
  }
  fmt::format_to(std::back_inserter(out), "{}\t.file\t1 \"{}\"\n", entry.function_names.empty() ? "\n" : "", file);
  if (!entry.function_names.empty()) {
    out += "\t.section\t.debug_str\n\t{\n";
    for (std::size_t i = 0; i < entry.function_names.size(); ++i) fmt::format_to(std::back_inserter(out), "{}{}:\n{}\n", kNameLabel, i, entry.function_names[i]);
    out += "\n\t}\n";
  }
  return out;
}

std::string without_unused_variables(std::string ptx) {
  const std::optional<Parts> parts = parts_of(ptx);
  if (!parts) return ptx;
  std::string entries;
  for (const auto& entry : parts->entries) entries += entry.second;
  const std::vector<std::string> used = used_by(entries, parts->variables);
  std::vector<std::string> unused;
  for (const std::string_view variable : parts->variables) {
    if (std::ranges::find(used, variable) == used.end()) unused.emplace_back(variable);
  }
  for (const std::string& variable : unused) ptx.erase(ptx.find(variable + "\n"), variable.size() + 1);
  return ptx;
}

}  // namespace seam::codegen
