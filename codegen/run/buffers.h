#pragma once
/// Device buffers of a program run: counted owners, reuse by size. A buffer goes back to the pool with its last owner and is
/// poisoned before it is handed out again, so that a read of a stale value is reported.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/npy.h"
#include "graph/graph.h"
#include "sim/sim.h"

namespace seam::codegen {

class BufferPool;

class DeviceBuffer {
 public:
  DeviceBuffer(std::shared_ptr<BufferPool> pool, std::uint64_t address, std::int64_t bytes) : pool_(std::move(pool)), address_(address), bytes_(bytes) {}
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<BufferPool> pool_;
  std::uint64_t address_;
  std::int64_t bytes_;
};

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  explicit BufferPool(sim::Memory& memory) : memory_(memory) {}
  /// Contents: poisoned, not initialised.
  std::shared_ptr<DeviceBuffer> take(std::int64_t bytes, std::string_view name);
  [[nodiscard]] sim::Memory& memory() { return memory_; }
  [[nodiscard]] std::int64_t peak() const { return peak_; }
  [[nodiscard]] std::int64_t requested() const { return requested_; }

 private:
  friend class DeviceBuffer;
  void give_back(std::uint64_t address, std::int64_t bytes);

  sim::Memory& memory_;
  std::multimap<std::int64_t, std::uint64_t> free_;
  std::int64_t in_use_ = 0, peak_ = 0, requested_ = 0;
};

/// A value during the run: one buffer, or a tuple of values.
struct DeviceValue {
  graph::Shape shape;
  std::shared_ptr<DeviceBuffer> buffer;
  std::vector<DeviceValue> elements;
};

[[nodiscard]] Array to_host(BufferPool& pool, const DeviceValue& value);
[[nodiscard]] DeviceValue to_device(BufferPool& pool, const Array& array, const graph::Shape& shape, std::string_view name);
/// A new buffer with the same bytes.
[[nodiscard]] DeviceValue copied(BufferPool& pool, const DeviceValue& value, std::string_view name);

/// Which branch of a conditional runs: true is the first; an index out of range means the last (HLO semantics).
[[nodiscard]] std::size_t branch_taken(DType selector, std::int64_t number, std::size_t branches);

/// A value of tuple shape whose readers only take elements out of it is theirs element by element, so that who owns one may overwrite it: `give(reader,
/// element)` for each get-tuple-element; true if nobody needs the tuple itself.
template <class Give>
bool taken_apart(const graph::Computation& computation, Id<graph::Op> id, const DeviceValue& value, Give&& give) {
  if (!value.shape.is_tuple) return false;
  bool only_elements = computation.root != id;
  for (std::size_t i = id.index() + 1; i < computation.ops.size(); ++i) {
    const graph::Op& user = computation.ops[Id<graph::Op>(i)];
    if (std::ranges::find(user.operands, id) == user.operands.end()) continue;
    if (user.opcode == graph::Opcode::GetTupleElement) {
      give(Id<graph::Op>(i), value.elements[static_cast<std::size_t>(user.attributes.index)]);
    } else {
      only_elements = false;
    }
  }
  return only_elements;
}

}  // namespace seam::codegen
