#pragma once
/// Recorded operators against the roofs of their device (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009): what each call needs at least, from the shapes that
/// were recorded, beside the time that its kernels took.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/device.h"
#include "db/database.h"

namespace seam::analyzer {

/// All calls of one operator with one set of shapes, whose kernels it launched itself.
struct OperatorRoof {
  std::string op;      ///< "aten::addmm"
  std::string shapes;  ///< of its tensors: "f32[768] f32[128,3072] f32[3072,768]"
  std::int64_t calls = 0, launches = 0;
  std::int64_t device_ns = 0;          ///< recorded, of all calls
  std::optional<double> flop, bytes;   ///< modelled, of one call; nothing where the operator has no known meaning or no shapes
  std::optional<double> least_ns;      ///< modelled, of all calls: the longer of bytes at the memory's peak and flop at the arithmetic's; nothing on an unknown device
  bool memory_bound = true;            ///< which of the two it is
};
/// Most device time first. Operators without device time are not among them. `device`: whose roofs, if known.
[[nodiscard]] Result<std::vector<OperatorRoof>> operator_roofs(const db::Database& run, const std::optional<Device>& device);

/// The device that a recorded name ("NVIDIA A100-SXM4-80GB") is one of.
[[nodiscard]] std::optional<Device> device_called(const std::string& product);

}  // namespace seam::analyzer
