#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "graph/transform.h"
#include "graph/verify.h"

namespace seam::graph {
namespace {

/// More than any machine holds; keeps every product of extents countable.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

class Resize {
 public:
  explicit Resize(const std::vector<NewExtent>& changes) : changes_(changes) {}

  /// What an extent becomes; itself if nobody asked.
  [[nodiscard]] std::int64_t of(std::int64_t extent) const {
    const auto found = std::ranges::find(changes_, extent, &NewExtent::from);
    return found == changes_.end() ? extent : found->to;
  }
  [[nodiscard]] bool touches(const Shape& shape) const {
    if (shape.is_tuple) return std::ranges::any_of(shape.elements, [&](const Shape& element) { return touches(element); });
    return std::ranges::any_of(shape.dims, [&](std::int64_t extent) { return is_named(extent); });
  }
  [[nodiscard]] bool is_named(std::int64_t extent) const { return std::ranges::find(changes_, extent, &NewExtent::from) != changes_.end(); }

  /// False if the result would be larger than any machine.
  [[nodiscard]] bool apply(Shape& shape) {
    if (shape.is_tuple) return std::ranges::all_of(shape.elements, [&](Shape& element) { return apply(element); });
    std::int64_t all = std::max<std::int64_t>(1, bytes(shape.dtype));
    for (std::int64_t& extent : shape.dims) {
      if (is_named(extent)) seen_.insert(extent);
      extent = of(extent);
      if (extent > 0 && all > kMostBytes / extent) return false;
      if (extent > 0) all *= extent;
    }
    return true;
  }
  [[nodiscard]] bool saw(std::int64_t extent) const { return seen_.contains(extent); }

 private:
  const std::vector<NewExtent>& changes_;
  std::set<std::int64_t> seen_;
};

/// Nothing but shapes says how large these are.
bool shapes_say_all(const Op& op) {
  switch (op_class(op.opcode)) {
    case OpClass::Elementwise:
    case OpClass::Broadcast:
    case OpClass::Free: return true;
    default: break;
  }
  switch (op.opcode) {
    case Opcode::Iota:
    case Opcode::Reduce:
    case Opcode::Dot:
    case Opcode::Transpose:
    case Opcode::Reverse:
    case Opcode::Concatenate:
    case Opcode::Copy:
    case Opcode::Slice: return true;
    default: return false;
  }
}

Error refused(const Op& op, std::string why) { return {Error::Code::Unsupported, fmt::format("{} '{}' {}", name(op.opcode), op.name, why), op.at, {}}; }

/// A dim that changes must be taken whole: a part of it means something that only its author knows.
Result<void> resize_slice(const Resize& resize, const Shape& operand, Op& op) {
  for (std::size_t d = 0; d < operand.dims.size(); ++d) {
    Attributes& at = op.attributes;
    const bool whole = at.starts[d] == 0 && at.limits[d] == operand.dims[d] && (at.strides.empty() || at.strides[d] == 1);
    if (whole) {
      at.limits[d] = resize.of(operand.dims[d]);
    } else if (resize.is_named(operand.dims[d])) {
      return tl::unexpected(refused(op, fmt::format("takes a part of a dimension of {}, which is to change", operand.dims[d])));
    } else if (resize.is_named(op.shape.dims[d])) {
      return tl::unexpected(refused(op, fmt::format("takes {} of {}: that {} is not the one that is to change", op.shape.dims[d], operand.dims[d], op.shape.dims[d])));
    }
  }
  return {};
}

Result<void> resize(Resize& resize, const Computation& before, Op& op) {
  const bool concerned = resize.touches(op.shape) || std::ranges::any_of(op.operands, [&](Id<Op> operand) { return resize.touches(before.ops[operand].shape); });
  if (!concerned) return {};
  if (op.opcode == Opcode::Constant) return tl::unexpected(refused(op, "holds values of an extent that is to change"));
  if (!shapes_say_all(op)) return tl::unexpected(refused(op, "cannot be given other extents"));
  if (op.opcode == Opcode::Slice) SEAM_DO(resize_slice(resize, before.ops[op.operands[0]].shape, op));
  if (!resize.apply(op.shape)) return tl::unexpected(refused(op, "would be larger than any machine's memory"));
  return {};
}

}  // namespace

Result<Graph> with_extents(const Graph& graph, const std::vector<NewExtent>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const NewExtent& change = changes[i];
    if (change.to < 1) return fail(Error::Code::BadInput, fmt::format("an extent of {} is none: at least 1", change.to));
    for (std::size_t j = 0; j < i; ++j) {
      if (changes[j].from == change.from) return fail(Error::Code::BadInput, fmt::format("extent {} is to become {} and {}", change.from, changes[j].to, change.to));
    }
  }
  Resize resizing(changes);
  Graph result = graph;
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    const Id<Computation> id(c);
    for (Op& op : result.computations[id].ops) SEAM_DO(resize(resizing, graph.computations[id], op));
  }
  for (const NewExtent& change : changes) {
    if (!resizing.saw(change.from)) return fail(Error::Code::BadInput, fmt::format("no dimension of '{}' has {} elements", graph.name, change.from));
  }
  SEAM_DO(during("checking the module with other extents", verify(result)));
  return result;
}

}  // namespace seam::graph
