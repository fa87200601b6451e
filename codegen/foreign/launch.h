#pragma once
/// One launch of a foreign kernel: buffers in, buffers out.
#include <span>

#include "codegen/foreign.h"

namespace seam::codegen {

/// Addresses of operands, then of results; `blocks` as in sim::Launch. Errors: a kernel that the simulator refuses or that takes another number of pointers.
[[nodiscard]] Result<sim::Outcome> launch_foreign(const ForeignProgram& program, const ForeignLaunch& launch,
                                                  std::span<const std::uint64_t> addresses, sim::Memory& memory, const sim::Checks& checks,
                                                  std::vector<std::uint64_t> blocks = {});
/// Buffers are this much at least and a multiple of it: three floats that lie aligned are loaded as four, which no machine faults on.
inline constexpr std::int64_t kGrain = 16;
[[nodiscard]] constexpr std::int64_t padded(std::int64_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }
/// What a launch left wrong in a buffer that holds a result of `bytes` bytes: bytes never written, or writes past its end. Empty if neither; then all of
/// it counts as initialised.
[[nodiscard]] std::string result_fault(sim::Memory& memory, std::uint64_t address, std::int64_t bytes);

/// "kernel fusion_3 (fusion.3): race-shared: … (PTX line 17)".
[[nodiscard]] std::string rendered(const ForeignLaunch& launch, const sim::Report& report);

}  // namespace seam::codegen
