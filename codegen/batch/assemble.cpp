// Every kernel's PTX to machine code, for its resources; what is equal up to the entry's name and line info once.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "codegen/program.h"

namespace seam::codegen {
namespace {

constexpr std::string_view kEntry = "kernel";

/// The PTX without what the machine code does not depend on. Lines stay where they are, so that the assembler's messages fit the kernel's own PTX.
std::string anonymous(std::string_view ptx, std::string_view name) {
  std::string out;
  out.reserve(ptx.size());
  const auto part = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '$'; };
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    if (line.starts_with("\t.file\t") || line.starts_with("\t.section\t.debug_str")) break;  // line info ends the text
    if (!line.starts_with("\t.loc\t")) {
      for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name)) {
        const bool whole = (at == 0 || (!part(line[at - 1]) && line[at - 1] != '_')) && (at + name.size() >= line.size() || !part(line[at + name.size()]));
        out += line.substr(0, at);
        out += whole ? kEntry : name;
        line.remove_prefix(at + name.size());
      }
      out += line;
    }
    out += '\n';
  }
  return out;
}

/// For what is said of one that cannot be assembled.
Result<void> assemble_alone(Built& built, const Assembler& assembler, int architecture) {
  SEAM_TRY(built.resources, during(fmt::format("assembling kernel {}", built.source.name), assembler.resources(built.ptx, built.source.name, architecture)));
  return {};
}

}  // namespace

std::vector<Result<void>> assemble(std::span<Built* const> kernels, const Device& device, const Compiler& compiler, const Assembler& assembler, const Jobs& jobs) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> equal;
  std::unordered_map<std::string, std::size_t> by_text;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::string text = anonymous(kernels[i]->ptx, kernels[i]->source.name);
    const auto [at, first] = by_text.try_emplace(text, equal.size());
    if (first) equal.emplace_back(std::move(text), std::vector<std::size_t>());
    equal[at->second].second.push_back(i);
  }
  const int architecture = compiler.target(device.compute_major, device.compute_minor);
  std::vector<Result<void>> results(kernels.size());
  std::atomic<std::size_t> done{0};
  parallel_for(equal.size(), jobs.threads, [&](std::size_t e) {
    const auto& [text, members] = equal[e];
    const bool cancelled = jobs.cancelled && jobs.cancelled();
    Result<Resources> resources = fail(Error::Code::Cancelled, "stopped before it was assembled");
    if (!cancelled) resources = assembler.resources(text, kEntry, architecture);
    for (const std::size_t i : members) {
      if (resources) {
        kernels[i]->resources = *resources;
      } else {
        results[i] = cancelled ? tl::unexpected(resources.error()) : assemble_alone(*kernels[i], assembler, architecture);
      }
      if (jobs.progress) jobs.progress(++done, kernels.size());
    }
  });
  return results;
}

}  // namespace seam::codegen
