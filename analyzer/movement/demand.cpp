#include "movement/demand.h"

#include <algorithm>
#include <optional>

namespace seam::analyzer {

using graph::Op;
using graph::OpClass;
using graph::Opcode;
using Dims = std::vector<std::int64_t>;

namespace {

/// Beyond this many boxes only their sum is kept.
constexpr std::size_t kMostBoxes = 32;
/// Diamonds of ops add the same demand again and again; no value is this large.
constexpr std::int64_t kMostElements = std::int64_t{1} << 60;

std::int64_t product(const Dims& dims) {
  std::int64_t all = 1;
  for (const std::int64_t d : dims) all *= d;
  return all;
}

std::int64_t elements_of(const Box& box) {
  std::int64_t all = 1;
  for (const Span& span : box) all *= span.count;
  return all;
}

Box whole(const Dims& dims) {
  Box box;
  for (const std::int64_t d : dims) box.push_back({0, d});
  return box;
}

/// Spans of dimensions [begin, end) that are one run of memory, and where it lies: all but the first of them whole.
std::optional<Span> run_of(const Box& box, const Dims& dims, std::size_t begin, std::size_t end) {
  Span run{0, 1};
  std::int64_t below = 1;
  for (std::size_t d = end; d-- > begin;) {
    if (run != Span{0, below}) {
      // Something below is taken in part: here only one element may be.
      if (box[d].count != 1) return std::nullopt;
      run.start += box[d].start * below;
    } else {
      run = {box[d].start * below, box[d].count * below};
    }
    below *= dims[d];
  }
  return run;
}

/// The other way: spans of dimensions [begin, end) that hold that run.
bool put_run(Span run, const Dims& dims, std::size_t begin, std::size_t end, Box& box) {
  for (std::size_t d = begin; d < end; ++d) {
    const std::int64_t below = product({dims.begin() + static_cast<std::ptrdiff_t>(d) + 1, dims.begin() + static_cast<std::ptrdiff_t>(end)});
    if (run.start % below == 0 && run.count % below == 0) {
      box[d] = {run.start / below, run.count / below};
      return true;  // the rest whole
    }
    if (run.start / below != (run.start + run.count - 1) / below) return false;
    box[d] = {run.start / below, 1};
    run.start %= below;
  }
  return run == Span{0, 1};
}

/// Dimensions of both shapes in the shortest stretches of equal size, each translated by itself.
std::optional<Box> box_under(const Box& box, const Dims& from, const Dims& to) {
  Box out = whole(to);
  if (product(to) == 0) return out;
  for (std::size_t f = 0, t = 0; f < from.size() || t < to.size();) {
    const std::size_t first_from = f, first_to = t;
    std::int64_t size_from = f < from.size() ? from[f++] : 1, size_to = t < to.size() ? to[t++] : 1;
    while (size_from != size_to) {
      if (size_from < size_to && f < from.size())
        size_from *= from[f++];
      else if (size_to < size_from && t < to.size())
        size_to *= to[t++];
      else
        return std::nullopt;
    }
    const std::optional<Span> run = run_of(box, from, first_from, f);
    if (!run || !put_run(*run, to, first_to, t, out)) return std::nullopt;
  }
  return out;
}

/// Of operand `which`, for one box of the result; nullopt: cannot say which, see below.
std::optional<Box> operand_box(const graph::Computation& computation, const Op& op, std::size_t which, const Box& box) {
  const Dims& dims = computation.ops[op.operands[which]].shape.dims;
  Box out = whole(dims);
  switch (op.opcode) {
    case Opcode::Broadcast:
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (dims[d] != 1) out[d] = box[static_cast<std::size_t>(op.attributes.dimensions[d])];
      return out;
    case Opcode::Transpose:
      for (std::size_t d = 0; d < dims.size(); ++d) out[static_cast<std::size_t>(op.attributes.dimensions[d])] = box[d];
      return out;
    case Opcode::Slice:
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (!op.attributes.strides.empty() && op.attributes.strides[d] != 1) return std::nullopt;
        out[d] = {op.attributes.starts[d] + box[d].start, box[d].count};
      }
      return out;
    case Opcode::Concatenate: {
      const auto dim = static_cast<std::size_t>(op.attributes.dimensions[0]);
      std::int64_t begin = 0;
      for (std::size_t i = 0; i < which; ++i) begin += computation.ops[op.operands[i]].shape.dims[dim];
      out = box;
      const std::int64_t first = std::max(box[dim].start, begin), last = std::min(box[dim].start + box[dim].count, begin + dims[dim]);
      out[dim] = {first - begin, std::max<std::int64_t>(0, last - first)};
      return out;
    }
    case Opcode::Reduce: {
      if (op.shape.is_tuple) return out;
      std::size_t kept = 0;
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (std::ranges::find(op.attributes.dimensions, static_cast<std::int64_t>(d)) == op.attributes.dimensions.end()) out[d] = box[kept++];
      return out;
    }
    default: break;
  }
  return graph::op_class(op.opcode) == OpClass::Elementwise && dims == op.shape.dims ? box : out;
}

/// Takes as many elements of its first operand as it gives, at places that boxes do not say.
bool picks(const Op& op) {
  return op.opcode == Opcode::DynamicSlice || op.opcode == Opcode::Gather || op.opcode == Opcode::Slice || op.opcode == Opcode::Pad || op.opcode == Opcode::Reverse;
}

}  // namespace

Demand Demand::all(const graph::Shape& shape) {
  Demand demand;
  if (!shape.is_tuple) demand.boxes_.push_back(whole(shape.dims));
  return demand;
}

Demand Demand::somewhere(std::int64_t elements) {
  Demand demand;
  demand.elsewhere_ = elements;
  return demand;
}

void Demand::add(const Demand& other) {
  elsewhere_ = std::min(kMostElements, elsewhere_ + other.elsewhere_);
  for (const Box& box : other.boxes_) {
    if (std::ranges::find(boxes_, box) != boxes_.end()) continue;
    if (boxes_.size() < kMostBoxes)
      boxes_.push_back(box);
    else
      elsewhere_ = std::min(kMostElements, elsewhere_ + elements_of(box));
  }
}

std::int64_t Demand::elements(std::int64_t of) const {
  std::int64_t sum = elsewhere_;
  for (const Box& box : boxes_) sum = std::min(of, sum) + elements_of(box);
  return std::min(of, sum);
}

Demand Demand::reshaped(const Dims& from, const Dims& to) const {
  Demand out = somewhere(elsewhere_);
  for (const Box& box : boxes_) {
    Demand one;
    if (const std::optional<Box> under = box_under(box, from, to))
      one.boxes_.push_back(*under);
    else
      one.elsewhere_ = elements_of(box);
    out.add(one);
  }
  return out;
}

Demand Demand::of_operand(const graph::Computation& computation, const Op& op, std::size_t which) const {
  const graph::Shape& operand = computation.ops[op.operands[which]].shape;
  if (empty()) return {};
  if (operand.is_tuple || op.shape.is_tuple) return all(operand);
  if (op.opcode == Opcode::Reshape || op.opcode == Opcode::Bitcast) return reshaped(op.shape.dims, operand.dims);
  const std::int64_t result = product(op.shape.dims);
  if (op.opcode == Opcode::DynamicUpdateSlice && which == 0) {
    const std::int64_t updated = product(computation.ops[op.operands[1]].shape.dims);
    return somewhere(std::min(elements(result), result - updated));
  }
  Demand out;
  if (elsewhere_ > 0) {
    const bool same = operand.dims == op.shape.dims && graph::op_class(op.opcode) == OpClass::Elementwise;
    out.add(same || op.opcode == Opcode::Transpose || (picks(op) && which == 0) ? somewhere(elsewhere_) : all(operand));
  }
  for (const Box& box : boxes_) {
    Demand one;
    std::optional<Box> there;
    if (!picks(op) || op.opcode == Opcode::Slice || which > 0) there = operand_box(computation, op, which, box);
    if (there && elements_of(*there) > 0)
      one.boxes_.push_back(*there);
    else if (!there)
      one.elsewhere_ = std::min(elements_of(box), product(operand.dims));
    out.add(one);
  }
  return out;
}

}  // namespace seam::analyzer
