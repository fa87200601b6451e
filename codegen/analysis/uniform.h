#pragma once
/// How far threads agree on a value: the whole block, each warp, or nobody. What barriers and shuffles ask for.
#include <cstdint>
#include <string>
#include <unordered_map>

#include "codegen/kernel.h"

namespace seam::codegen {

/// Ordered: Block < Warp < Thread; the larger one wins when values meet.
enum class Uniform : std::uint8_t { Block, Warp, Thread };
[[nodiscard]] std::string_view name(Uniform u);

/// What is known of the names in scope. Loads agree as far as their index does, from memory that the kernel does not write.
class Uniformity {
 public:
  explicit Uniformity(const Kernel& kernel) : kernel_(&kernel) {}
  void set(const std::string& name, Uniform u) { names_[name] = u; }
  [[nodiscard]] Uniform of(const Expr& e) const;

 private:
  const Kernel* kernel_;
  std::unordered_map<std::string, Uniform> names_;
};

}  // namespace seam::codegen
