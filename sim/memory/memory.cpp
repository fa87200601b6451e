#include "memory/memory.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "memory/bits.h"

namespace seam::sim {

std::uint64_t Memory::Impl::allocate(std::int64_t bytes, std::string_view name) {
  SEAM_CHECK(bytes >= 0 && static_cast<std::uint64_t>(bytes) <= kOffsetMask,
             "a buffer is larger than its address window");
  // A window is not given again as long as there are fresh ones: use after free stays visible.
  std::size_t window = windows.size();
  if (window == kWindows) {
    const auto free = std::find(windows.begin() + 1, windows.end(), nullptr);
    SEAM_CHECK(free != windows.end(), "too many buffers");
    window = static_cast<std::size_t>(free - windows.begin());
  } else {
    windows.emplace_back();
  }
  const std::uint64_t address = static_cast<std::uint64_t>(window) << kWindowBits;
  windows[window] = std::make_unique<Buffer>(std::string(name), address, bytes);
  return address;
}

const std::vector<std::uint64_t>& Memory::Impl::globals_of(const Module& module) {
  for (const Instance& known : modules) {
    if (known.identity == module.identity) return known.globals;
  }
  Instance fresh{module.identity, {}};
  for (const GlobalVariable& variable : module.globals) {
    const std::uint64_t address = allocate(variable.bytes, variable.name);
    fresh.globals.push_back(address);
    Buffer& buffer = *find(address);
    buffer.all_written = true;
    buffer.read_only = variable.constant;
    if (!variable.initial.empty()) {
      std::memcpy(buffer.data(), variable.initial.data(), variable.initial.size());
    }
  }
  for (std::size_t i = 0; i < module.globals.size(); ++i) {
    for (const GlobalVariable::Link& link : module.globals[i].links) {
      const std::uint64_t value = fresh.globals[static_cast<std::size_t>(link.global)] +
                                  static_cast<std::uint64_t>(link.offset);
      std::memcpy(find(fresh.globals[i])->data() + link.at, &value, sizeof value);
    }
  }
  modules.push_back(std::move(fresh));
  return modules.back().globals;
}

Memory::Memory() : impl_(std::make_unique<Impl>()) { impl_->windows.emplace_back(); }
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

namespace {
Buffer& existing(Memory::Impl& impl, std::uint64_t address) {
  Buffer* buffer = impl.find(address);
  SEAM_CHECK(buffer != nullptr, "no buffer has this device address");
  return *buffer;
}
}  // namespace

std::uint64_t Memory::allocate(std::int64_t bytes, std::string_view name) {
  return impl_->allocate(bytes, name);
}

void Memory::free(std::uint64_t address) {
  existing(*impl_, address);
  impl_->windows[address >> kWindowBits] = nullptr;
}

std::span<std::byte> Memory::bytes(std::uint64_t address) {
  const Buffer& buffer = existing(*impl_, address);
  const std::uint64_t offset = address & kOffsetMask;
  SEAM_CHECK(offset <= buffer.bytes, "the address lies behind its buffer");
  return {buffer.data() + offset, buffer.bytes - offset};
}

void Memory::set_initialized(std::uint64_t address, bool initialized) {
  existing(*impl_, address).set_initialized(initialized);
}

void Memory::set_read_only(std::uint64_t address, bool read_only) {
  existing(*impl_, address).read_only = read_only;
}

std::int64_t Memory::unwritten_bytes(std::uint64_t address) const {
  return existing(*impl_, address).unwritten_bytes();
}

std::vector<bool> Memory::written(std::uint64_t address) const {
  const Buffer& buffer = existing(*impl_, address);
  std::vector<bool> out(buffer.bytes, buffer.all_written);
  if (buffer.all_written) return out;
  for (std::size_t i = 0; i < buffer.bytes; ++i) out[i] = get_bit(buffer.written(), i);
  return out;
}

}  // namespace seam::sim
