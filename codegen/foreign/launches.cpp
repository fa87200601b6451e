/// Launch lists: the table of data/xla, and what XLA prints about its thunks.
#include <fmt/core.h>

#include <charconv>
#include <map>

#include "codegen/foreign.h"

namespace seam::codegen {
namespace {

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<std::int64_t> number(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

/// "4,1,1": three positive numbers that CUDA could launch.
std::optional<sim::Dim3> dimensions(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() != 3) return std::nullopt;
  std::uint32_t sizes[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto size = number(parts[i]);
    if (!size || *size < 1 || *size > INT32_MAX) return std::nullopt;
    sizes[i] = static_cast<std::uint32_t>(*size);
  }
  return sim::Dim3{sizes[0], sizes[1], sizes[2]};
}

/// The kinds that can be run; others are refused by name.
std::optional<ForeignKind> kind_of(std::string_view thunk) {
  if (thunk == "kCustomKernel" || thunk == "kKernel") return ForeignKind::Kernel;
  if (thunk == "kCopy" || thunk == "kDynamicSliceFusion") return ForeignKind::Copy;
  if (thunk == "kCublasLtMatmul" || thunk == "kConvolution" || thunk == "kGemm") return ForeignKind::Library;
  if (thunk == "kWhile" || thunk == "kConditional") return ForeignKind::Control;
  return std::nullopt;
}

Error bad(std::string message, const Position& at) { return Error{Error::Code::BadInput, std::move(message), at, {}}; }

Result<void> complete(ForeignLaunch& launch, std::string_view grid, std::string_view block, std::string_view shared) {
  const auto kind = kind_of(launch.thunk);
  if (!kind) return fail(Error::Code::Unsupported, fmt::format("launches of kind {} cannot be run", launch.thunk), launch.at);
  launch.kind = *kind;
  if (launch.kind != ForeignKind::Kernel) return {};
  const auto blocks = dimensions(grid);
  const auto threads = dimensions(block);
  const auto bytes = shared.empty() ? std::optional<std::int64_t>(0) : number(shared);
  if (launch.kernel.empty() || !blocks || !threads || !bytes) {
    return tl::unexpected(bad(
        fmt::format("a kernel launch names its kernel, grid, block and shared bytes; this one has kernel '{}', grid '{}', block '{}', shared '{}'",
                    launch.kernel, grid, block, shared),
        launch.at));
  }
  launch.grid = *blocks;
  launch.block = *threads;
  launch.dynamic_shared = *bytes;
  return {};
}

/// "[4, 1, 1]" after `key` in a line, without the brackets.
std::string bracketed(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t open = line.find('[', at), close = line.find(']', at);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return std::string(line.substr(open + 1, close - open - 1));
}

/// thunk_id → profile_annotation of …thunk_metadata.txt (a text proto).
std::map<std::int64_t, std::string> instructions_by_thunk(std::string_view metadata) {
  constexpr std::string_view kBlock = "thunk_metadata {", kName = "profile_annotation: \"", kId = "thunk_id: ";
  std::map<std::int64_t, std::string> names;
  for (std::size_t at = metadata.find(kBlock); at != std::string_view::npos;) {
    const std::size_t next = metadata.find(kBlock, at + kBlock.size());
    const std::string_view block = metadata.substr(at, next == std::string_view::npos ? next : next - at);
    const std::size_t id = block.find(kId), name = block.find(kName);
    if (id != std::string_view::npos && name != std::string_view::npos) {
      const std::string_view digits = block.substr(id + kId.size());
      const auto value = number(digits.substr(0, digits.find_first_not_of("0123456789")));
      const std::string_view text = block.substr(name + kName.size());
      if (value) names[*value] = std::string(text.substr(0, text.find('"')));
    }
    at = next;
  }
  return names;
}

}  // namespace

Result<std::vector<ForeignLaunch>> read_launches(std::string_view text, std::string_view file) {
  constexpr std::string_view kColumns = "id\tdepth\tkind\tinstruction\tkernel\tgrid\tblock\tshared";
  std::vector<ForeignLaunch> out;
  int line_number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const Position at{std::string(file), line_number, 1};
    if (line_number == 1) {
      if (line != kColumns)
        return tl::unexpected(
            bad("this is no launch list: its first line is not 'id depth kind instruction kernel grid block shared', separated by tabs", at));
      continue;
    }
    if (trimmed(line).empty()) continue;
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() != 8) return tl::unexpected(bad(fmt::format("a row has 8 cells, this one {}", cells.size()), at));
    if (cells[2] == "condition" || cells[2] == "body") continue;  // headings: instruction names are unique in a module
    ForeignLaunch launch{.kind = {},
                         .instruction = std::string(cells[3]),
                         .thunk = std::string(cells[2]),
                         .kernel = std::string(cells[4]),
                         .grid = {},
                         .block = {},
                         .at = at,
                         .shared = {}};
    if (launch.instruction.empty()) return tl::unexpected(bad("this row does not say which instruction it belongs to", at));
    SEAM_DO(complete(launch, cells[5], cells[6], cells[7]));
    out.push_back(std::move(launch));
  }
  if (out.empty()) return tl::unexpected(bad("this launch list is empty", Position{std::string(file), 1, 1}));
  return out;
}

Result<std::vector<ForeignLaunch>> read_thunks(std::string_view sequence, std::string_view metadata, std::string_view file) {
  const std::map<std::int64_t, std::string> names = instructions_by_thunk(metadata);
  std::vector<ForeignLaunch> out;
  int line_number = 0;
  for (const std::string_view line : split(sequence, '\n')) {
    ++line_number;
    const Position at{std::string(file), line_number, 1};
    const std::string_view rest = trimmed(line);
    const std::size_t colon = rest.find(':');
    if (rest.starts_with("kCommandBuffer")) {
      return fail(Error::Code::Unsupported,
                  "these launches are hidden in a command buffer; dump with --xla_gpu_enable_command_buffer= (nothing after the =)", at);
    }
    const auto id = colon == std::string_view::npos ? std::nullopt : number(rest.substr(0, colon));
    if (!id) continue;  // "condition:", "body:", blank lines
    const std::string_view after = trimmed(rest.substr(colon + 1));
    ForeignLaunch launch;
    launch.at = at;
    launch.thunk = std::string(after.substr(0, after.find_first_of(" \t[")));
    if (const auto found = names.find(*id); found != names.end()) launch.instruction = found->second;
    const std::string grid = bracketed(after, "grid: ");
    if (!grid.empty()) {
      // "kKernel [profile] name grid: …": the word before "grid:".
      const std::string_view head = trimmed(after.substr(0, after.find("grid: ")));
      launch.kernel = std::string(head.substr(head.find_last_of(" \t]") + 1));
    }
    if (launch.instruction.empty()) launch.instruction = launch.kernel;
    constexpr std::string_view kShared = "shared_memory: ";
    const std::size_t shared = after.find(kShared);
    const std::string_view digits = shared == std::string_view::npos ? std::string_view{} : after.substr(shared + kShared.size());
    SEAM_DO(complete(launch, grid, bracketed(after, "threads: "), digits.substr(0, digits.find_first_not_of("0123456789"))));
    if (launch.instruction.empty()) {
      return tl::unexpected(
          bad(fmt::format("nothing says which instruction this {} belongs to: …thunk_metadata.txt of the same dump does", launch.thunk), at));
    }
    out.push_back(std::move(launch));
  }
  if (out.empty()) return tl::unexpected(bad("no thunk is listed here", Position{std::string(file), 1, 1}));
  return out;
}

}  // namespace seam::codegen
