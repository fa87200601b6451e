#pragma once
/// A device for tests: buffers from vectors, arguments in order, one launch, vectors back.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sim.h"
#include "support/nvrtc.h"

namespace seam::sim::test {

inline std::shared_ptr<const Module> load(std::string_view ptx, std::string_view file = "test.ptx") {
  auto module = load_ptx(ptx, file);
  EXPECT_TRUE(module) << (module ? "" : describe(module.error(), ptx));
  return module ? *module : nullptr;
}

/// What the arguments of a launch are, in order.
class Arguments {
 public:
  explicit Arguments(const Module& module, std::string_view kernel) {
    for (KernelInfo& info : kernels(module)) {
      if (info.name == kernel) info_ = std::move(info);
    }
    if (!info_.parameters.empty()) {
      const auto& last = info_.parameters.back();
      bytes_.resize(static_cast<std::size_t>(last.offset + last.size));
    }
  }
  template <class T>
  Arguments& add(const T& value) {
    const auto& parameter = info_.parameters.at(next_++);
    EXPECT_EQ(static_cast<std::size_t>(parameter.size), sizeof(T)) << parameter.name;
    std::memcpy(bytes_.data() + parameter.offset, &value, sizeof(T));
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  KernelInfo info_;
  std::vector<std::byte> bytes_;
  std::size_t next_ = 0;
};

template <class T>
std::uint64_t input(Memory& memory, std::string_view name, const std::vector<T>& values,
                    bool read_only = true) {
  const std::uint64_t at = memory.allocate(static_cast<std::int64_t>(values.size() * sizeof(T)), name);
  std::memcpy(memory.bytes(at).data(), values.data(), values.size() * sizeof(T));
  memory.set_initialized(at, true);
  memory.set_read_only(at, read_only);
  return at;
}
template <class T>
std::uint64_t output(Memory& memory, std::string_view name, std::size_t count) {
  return memory.allocate(static_cast<std::int64_t>(count * sizeof(T)), name);
}
template <class T>
std::vector<T> values(Memory& memory, std::uint64_t at) {
  const auto bytes = memory.bytes(at);
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

inline std::string text(const Outcome& outcome) {
  std::string out;
  for (const Report& report : outcome.reports) {
    out += report.kind + " x" + std::to_string(report.count) + ": " + report.message + " (ptx line " +
           std::to_string(report.ptx_line) + ", " + report.file + ":" + std::to_string(report.line) +
           ")\n";
  }
  return out;
}

/// One NVRTC for all tests of a program.
inline seam::test::Nvrtc& nvrtc() {
  static seam::test::Nvrtc library;
  return library;
}

}  // namespace seam::sim::test
