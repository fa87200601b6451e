#pragma once
/// Which elements of a value somebody needs: boxes, and elements at places that are known only at run time or that no box describes. Small on purpose:
/// nearly every demand is the whole value or one slice of it.
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace seam::analyzer {

struct Span {
  std::int64_t start = 0, count = 0;
  friend bool operator==(const Span&, const Span&) = default;
};
using Box = std::vector<Span>;

class Demand {
 public:
  Demand() = default;
  [[nodiscard]] static Demand all(const graph::Shape& shape);
  [[nodiscard]] static Demand somewhere(std::int64_t elements);

  [[nodiscard]] bool empty() const { return boxes_.empty() && elsewhere_ == 0; }
  void add(const Demand& other);
  /// Of a value with that many elements: at most all of them.
  [[nodiscard]] std::int64_t elements(std::int64_t of) const;

  /// The same elements of a value of the same size under another shape.
  [[nodiscard]] Demand reshaped(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) const;
  /// What `op` needs of operand `which` for this much of its result.
  [[nodiscard]] Demand of_operand(const graph::Computation& computation, const graph::Op& op, std::size_t which) const;

 private:
  std::vector<Box> boxes_;      ///< distinct
  std::int64_t elsewhere_ = 0;
};

}  // namespace seam::analyzer
