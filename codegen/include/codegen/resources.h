#pragma once
/// What a kernel takes of the machine once it is machine code: registers, spills, shared memory. NVIDIA's own assembler says it: nvJitLink, found
/// by name like NVRTC, assembles the PTX that would ship; neither GPU nor driver is needed. Without nvJitLink these figures are unknown, and
/// nothing else is missing. They are a compiler's statement about code, not a measurement: their evidence is "modelled".
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seam::codegen {

struct Resources {
  int registers = 0;                  ///< per thread
  std::int64_t stack_bytes = 0;       ///< local memory per thread
  std::int64_t spill_store_bytes = 0; ///< of the code, per thread: how much it stores into local memory for want of registers …
  std::int64_t spill_load_bytes = 0;  ///< … and loads again; loops are not multiplied
  std::int64_t static_shared_bytes = 0;  ///< declared in the code; what the launch asks for comes on top
  int architecture = 0;               ///< 90: machine code for sm_90
  friend bool operator==(const Resources&, const Resources&) = default;
};

/// Thread-safe.
class Assembler {
 public:
  /// Environment error says where it looked and that scripts/setup fetches it.
  [[nodiscard]] static Result<std::shared_ptr<const Assembler>> find();
  virtual ~Assembler() = default;
  /// Of the entry `kernel`, helpers that it calls included. `architecture` as Compiler::target() gives it. BadInput with the log if it is no valid PTX.
  [[nodiscard]] virtual Result<Resources> resources(std::string_view ptx, std::string_view kernel, int architecture) const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
};

/// What the assembler's log says of that kernel. Unsupported if the log has another form than we know: no figure is guessed.
[[nodiscard]] Result<Resources> parse_resources(std::string_view log, std::string_view kernel);

}  // namespace seam::codegen
