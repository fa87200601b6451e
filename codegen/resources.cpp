#include "codegen/resources.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

namespace seam::codegen {
namespace {

/// The number that stands before `what` in a line like "ptxas info : Used 32 registers, used 1 barriers, 4096 bytes smem".
std::optional<std::int64_t> number_before(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(line.data() + begin, line.data() + at, number);
  if (code != std::errc{} || end != line.data() + at) return std::nullopt;
  return number;
}

/// "…Compiling entry function 'k' for 'sm_90'" → k, sm_90.
std::optional<std::pair<std::string_view, std::string_view>> entry_of(std::string_view line) {
  constexpr std::string_view kStart = "Compiling entry function '";
  const std::size_t at = line.find(kStart);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + kStart.size());
  const std::size_t end = rest.find("' for '");
  if (end == std::string_view::npos || !rest.ends_with("'")) return std::nullopt;
  return std::pair{rest.substr(0, end), rest.substr(end + 7, rest.size() - end - 8)};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Result<int> architecture_of(std::string_view name) {
  int number = 0;
  if (name.starts_with("sm_")) name.remove_prefix(3);
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code != std::errc{}) return fail(Error::Code::Unsupported, fmt::format("the assembler names an architecture that we do not know: {}", name));
  return number;
}

}  // namespace

Result<Resources> parse_resources(std::string_view log, std::string_view kernel) {
  const auto unknown = [&](std::string_view what) { return fail(Error::Code::Unsupported, fmt::format("the assembler's log does not say {} of kernel {}:\n{}", what, kernel, log)); };
  Resources out;
  // An entry is announced; properties of it and of helpers follow, each under its name; registers are of the entry announced last.
  std::set<std::string_view> entries;
  std::string_view entry, function;
  bool spills = false, usage = false;
  for (const std::string_view line : lines_of(log)) {
    if (line.starts_with("info")) continue;  // the linker repeats it in its own words
    constexpr std::string_view kProperties = "Function properties for ";
    if (const auto found = entry_of(line)) {
      entry = function = found->first;
      entries.insert(entry);
      if (entry == kernel) {
        SEAM_TRY(out.architecture, architecture_of(found->second));
      }
    } else if (const std::size_t at = line.find(kProperties); at != std::string_view::npos) {
      function = line.substr(at + kProperties.size());
    } else if (const auto stores = number_before(line, " bytes spill stores")) {
      const auto stack = number_before(line, " bytes stack frame");
      const auto loads = number_before(line, " bytes spill loads");
      if (!stack || !loads) return unknown("stack and spills");
      const bool of_kernel = function == kernel;
      if (!of_kernel && entries.contains(function)) continue;  // another kernel of the same module
      out.spill_store_bytes += *stores;
      out.spill_load_bytes += *loads;
      if (of_kernel) out.stack_bytes = *stack;
      spills = spills || of_kernel;
    } else if (const auto registers = number_before(line, " registers"); registers && entry == kernel) {
      out.registers = static_cast<int>(*registers);
      out.static_shared_bytes = number_before(line, " bytes smem").value_or(0);
      usage = true;
    }
  }
  if (!spills) return unknown("stack and spills");
  if (!usage) return unknown("registers");
  return out;
}

}  // namespace seam::codegen
