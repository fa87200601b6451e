#include "count/fusion.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analyzer/op_cost.h"

namespace seam::analyzer {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;
using graph::Shape;

namespace {

const Computation* called(const Graph& graph, const Op& fusion) {
  return fusion.attributes.calls.empty() ? nullptr : &graph.computations[fusion.attributes.calls[0]];
}

std::vector<std::int64_t> layout_of(const Shape& shape) {
  if (!shape.minor_to_major.empty()) return shape.minor_to_major;
  std::vector<std::int64_t> layout;
  for (std::int64_t d = shape.rank(); d-- > 0;) layout.push_back(d);
  return layout;
}

/// One run of memory: once a dimension gives more than one index, all that are more minor are taken whole.
bool contiguous(const Shape& source, const Op& slice) {
  bool several = false;
  const std::vector<std::int64_t> layout = layout_of(source);
  for (auto it = layout.rbegin(); it != layout.rend(); ++it) {
    const auto d = static_cast<std::size_t>(*it);
    const std::int64_t taken = slice.attributes.limits[d] - slice.attributes.starts[d];
    if (taken != 1 && !slice.attributes.strides.empty() && slice.attributes.strides[d] != 1) return false;
    if (several && taken != source.dims[d]) return false;
    several = several || taken > 1;
  }
  return true;
}

const Op& stripped(const Computation& f, const Op* op) {
  while ((op->opcode == Opcode::Bitcast || op->opcode == Opcode::Copy || op->opcode == Opcode::Convert) && !op->operands.empty())
    op = &f.ops[op->operands[0]];
  return *op;
}

/// Bytes read of a parameter that is only sliced, bitcasts looked through; nullopt if some reader wants it whole.
std::optional<std::int64_t> sliced(const Computation& f, const IdVector<Op, std::vector<Id<Op>>>& users, Id<Op> parameter) {
  std::int64_t sum = 0;
  std::vector<std::pair<Id<Op>, Id<Op>>> todo;
  for (const Id<Op> user : users[parameter]) todo.emplace_back(parameter, user);
  if (todo.empty()) return std::nullopt;
  while (!todo.empty()) {
    const auto [operand, user] = todo.back();
    todo.pop_back();
    const Op& op = f.ops[user];
    if (op.opcode == Opcode::Bitcast) {
      if (users[user].empty()) return std::nullopt;
      for (const Id<Op> next : users[user]) todo.emplace_back(user, next);
    } else if ((op.opcode == Opcode::Slice || op.opcode == Opcode::DynamicSlice || op.opcode == Opcode::Gather) && op.operands[0] == operand) {
      sum += op.shape.byte_size();
    } else {
      return std::nullopt;
    }
  }
  return sum;
}

}  // namespace

std::int64_t bytes_moved(const Computation& computation, const Op& op) {
  const std::set<Id<Op>> distinct(op.operands.begin(), op.operands.end());
  std::int64_t sum = 0;
  for (const Id<Op> operand : distinct) sum += computation.ops[operand].shape.byte_size();
  return sum + op.shape.byte_size() - scratch_bytes(op);
}

std::int64_t fusion_bytes(const Graph& graph, const Computation& computation, const Op& fusion) {
  const Computation* f = called(graph, fusion);
  if (f == nullptr) return bytes_moved(computation, fusion);
  const auto users = f->users();
  const Op& root = f->ops[f->root];
  std::vector<const Op*> outputs;
  if (root.opcode == Opcode::Tuple) {
    for (const Id<Op> operand : root.operands) outputs.push_back(&f->ops[operand]);
  } else {
    outputs.push_back(&root);
  }
  std::int64_t written = 0;
  std::set<const Op*> in_place;
  for (const Op* output : outputs) {
    const Op& s = stripped(*f, output);
    if (s.opcode != Opcode::DynamicUpdateSlice && (s.opcode != Opcode::Scatter || s.operands.size() < 3)) {
      written += output->shape.byte_size();
      continue;
    }
    const Op& base = stripped(*f, &f->ops[s.operands[0]]);
    written += s.opcode == Opcode::Scatter ? 2 * f->ops[s.operands.back()].shape.byte_size() : f->ops[s.operands[1]].shape.byte_size();
    if (base.opcode == Opcode::Parameter) in_place.insert(&base);
  }
  std::map<Id<Op>, std::int64_t> read;
  for (std::size_t k = 0; k < fusion.operands.size(); ++k) {
    std::int64_t bytes = computation.ops[fusion.operands[k]].shape.byte_size();
    if (k < f->parameters.size() && f->parameters[k].valid()) {
      const Id<Op> parameter = f->parameters[k];
      bytes = f->ops[parameter].shape.byte_size();
      if (in_place.contains(&f->ops[parameter]) && users[parameter].size() == 1) {
        bytes = 0;
      } else if (const auto part = sliced(*f, users, parameter)) {
        bytes = std::min(bytes, *part);
      }
    }
    std::int64_t& have = read[fusion.operands[k]];
    have = std::max(have, bytes);
  }
  for (const auto& [operand, bytes] : read) written += bytes;
  return written;
}

bool only_copies(const Graph& graph, const Op& fusion) {
  const Computation* f = called(graph, fusion);
  if (f == nullptr) return false;
  std::vector<const Op*> body;
  for (const Op& op : f->ops)
    if (op.opcode != Opcode::Parameter && op.opcode != Opcode::Tuple && op.opcode != Opcode::Bitcast) body.push_back(&op);
  if (body.empty()) return false;
  const bool copies = std::ranges::all_of(body, [&](const Op* op) {
    if (op->opcode != Opcode::Copy) return false;
    const Op& from = f->ops[op->operands[0]];
    return from.opcode == Opcode::Parameter && layout_of(from.shape) == layout_of(op->shape);
  });
  if (copies) return true;
  const Op& root = f->ops[f->root];
  if (body.size() != 1 || root.opcode != Opcode::Slice) return false;
  const Op& from = f->ops[root.operands[0]];
  return from.opcode == Opcode::Parameter && contiguous(from.shape, root);
}

std::int64_t sort_kernels(std::int64_t elements) {
  constexpr std::int64_t kTiledStages = 12;  // the first kernel sorts runs of 4096
  if (elements <= 1) return 1;
  const auto stages = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(elements - 1)));
  std::int64_t kernels = 1;
  for (std::int64_t s = kTiledStages + 1; s <= stages; ++s) kernels += s - kTiledStages + 1;
  return kernels;
}

std::int64_t inner_sort_length(const Op& sort) {
  const Shape& shape = sort.shape.is_tuple ? sort.shape.elements.at(0) : sort.shape;
  if (sort.attributes.dimensions.empty() || shape.dims.empty()) return 1;
  return shape.dims[static_cast<std::size_t>(sort.attributes.dimensions[0])];
}

}  // namespace seam::analyzer
