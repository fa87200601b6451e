#include "foreign/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace seam::codegen {

Result<sim::Outcome> launch_foreign(const ForeignProgram& program, const ForeignLaunch& launch, std::span<const std::uint64_t> addresses,
                                    sim::Memory& memory, const sim::Checks& checks, std::vector<std::uint64_t> blocks) {
  const auto found = program.kernels.find(launch.kernel);
  SEAM_CHECK(found != program.kernels.end(), "a launch without its kernel");
  const ForeignKernel& kernel = found->second;
  if (kernel.module == nullptr) {
    Error error = kernel.refusal.value_or(Error{Error::Code::Unsupported, "its PTX was not read", {}, {}});
    error.context.push_back(fmt::format("reading the PTX of kernel {}", launch.kernel));
    return tl::unexpected(std::move(error));
  }
  const std::vector<sim::KernelInfo> infos = sim::kernels(*kernel.module);
  const auto info = std::ranges::find(infos, launch.kernel, &sim::KernelInfo::name);
  SEAM_CHECK(info != infos.end(), "a module without the kernel it was read for");
  if (info->parameters.size() != addresses.size()) {
    return fail(Error::Code::BadInput, fmt::format("kernel {} takes {} pointers, instruction {} has {} operands and results", launch.kernel,
                                                   info->parameters.size(), launch.instruction, addresses.size()));
  }
  std::vector<std::byte> block;
  for (std::size_t p = 0; p < addresses.size(); ++p) {
    const sim::KernelInfo::Parameter& parameter = info->parameters[p];
    if (parameter.size != 8) {
      return fail(Error::Code::Unsupported, fmt::format("parameter {} of kernel {} is {} bytes and no pointer: what it holds is not known",
                                                        parameter.name, launch.kernel, parameter.size));
    }
    block.resize(std::max<std::size_t>(block.size(), static_cast<std::size_t>(parameter.offset) + 8));
    std::memcpy(&block[static_cast<std::size_t>(parameter.offset)], &addresses[p], 8);
  }
  return during(fmt::format("running kernel {}", launch.kernel),
                sim::launch(*kernel.module, memory,
                            {launch.kernel, launch.grid, launch.block, launch.dynamic_shared, false, std::move(block), std::move(blocks)}, checks));
}

std::string result_fault(sim::Memory& memory, std::uint64_t address, std::int64_t bytes) {
  const std::int64_t padding = padded(bytes) - bytes;
  const std::int64_t unwritten = memory.unwritten_bytes(address);
  if (unwritten == 0 && padding == 0) return {};
  if (unwritten > 0) {
    const std::vector<bool> written = memory.written(address);
    const auto end = written.begin() + bytes;
    if (const auto missing = std::count(written.begin(), end, false); missing > 0)
      return fmt::format("{} of {} bytes were never written", missing, bytes);
    if (const auto past = std::count(end, written.end(), true); past > 0) return fmt::format("{} bytes were written past its end", past);
    memory.set_initialized(address, true);
  }
  return {};
}

std::string rendered(const ForeignLaunch& launch, const sim::Report& report) {
  return fmt::format("kernel {} ({}): {}: {} (PTX line {})", launch.kernel, launch.instruction, report.kind, report.message, report.ptx_line);
}

}  // namespace seam::codegen
