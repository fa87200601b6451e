#pragma once
/// The inside of Memory: buffers by address window, and the variables of modules that were launched in it.
///
/// Device addresses: bits 40 and up number the window of a buffer (from 1), the rest is the offset. Shared, local and
/// parameter memory have windows of their own, far above, for generic addresses.
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/program.h"
#include "memory/buffer.h"
#include "sim/sim.h"

namespace seam::sim {

constexpr int kWindowBits = 40;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kWindowBits) - 1;
constexpr std::uint64_t kParameterWindow = std::uint64_t{1} << 59;
constexpr std::size_t kWindows = std::size_t{1} << (59 - kWindowBits);
constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 60;
constexpr std::uint64_t kLocalWindow = std::uint64_t{1} << 61;

struct Memory::Impl {
  std::vector<std::unique_ptr<Buffer>> windows;  ///< [0] is never used; null after free
  std::uint32_t launches = 0;                    ///< stamp of the last launch
  struct Instance {
    std::shared_ptr<const int> identity;
    std::vector<std::uint64_t> globals;          ///< addresses by Module::globals
  };
  std::vector<Instance> modules;

  [[nodiscard]] Buffer* find(std::uint64_t address) const {
    const std::uint64_t window = address >> kWindowBits;
    return window < windows.size() ? windows[window].get() : nullptr;
  }
  std::uint64_t allocate(std::int64_t bytes, std::string_view name);
  /// Addresses of a module's variables here; made and initialised by the first launch.
  const std::vector<std::uint64_t>& globals_of(const Module& module);
};

}  // namespace seam::sim
