#include "read/scope.h"

#include <fmt/core.h>

namespace seam::graph {

std::optional<Id<Computation>> ModuleScope::find(std::string_view computation) const {
  const auto found = computations.find(std::string(computation));
  if (found == computations.end()) return std::nullopt;
  return found->second;
}

Result<Id<Computation>> ModuleScope::add(Computation computation, Cursor& cursor, std::size_t at) {
  if (unnamed_.erase(computation.name) > 0) {
    const Id<Computation> earlier = computations.at(computation.name);
    std::string other = free_name(computation.name);
    computations.erase(computation.name);
    computations.emplace(other, earlier);
    unnamed_.insert(other);
    graph.computations[earlier].name = std::move(other);
  }
  const auto [slot, fresh] =
      computations.try_emplace(computation.name, Id<Computation>(graph.computations.size()));
  if (!fresh) {
    return cursor.error_at(at, fmt::format("computation '{}' is defined twice", computation.name));
  }
  return graph.computations.push_back(std::move(computation));
}

Id<Computation> ModuleScope::add_unnamed(Computation computation, std::string_view stem) {
  computation.name = free_name(stem);
  computations.emplace(computation.name, Id<Computation>(graph.computations.size()));
  unnamed_.insert(computation.name);
  return graph.computations.push_back(std::move(computation));
}

std::string ModuleScope::free_name(std::string_view stem) const {
  std::string candidate(stem);
  for (int i = 1; computations.contains(candidate); ++i) candidate = fmt::format("{}.{}", stem, i);
  return candidate;
}

std::optional<Id<Op>> ComputationScope::find(std::string_view op_name) const {
  const auto found = ops_.find(std::string(op_name));
  if (found == ops_.end()) return std::nullopt;
  return found->second;
}

Result<Id<Op>> ComputationScope::resolve(std::string_view op_name, Cursor& cursor,
                                         std::size_t at) const {
  if (const auto id = find(op_name)) return *id;
  return cursor.error_at(at, fmt::format("no op named '{}' stands before this one in computation '{}'",
                                         op_name, computation.name));
}

Result<Id<Op>> ComputationScope::add(Op op, Cursor& cursor, std::size_t at) {
  if (unnamed_.erase(op.name) > 0) {
    const Id<Op> earlier = ops_.at(op.name);
    std::string other = free_name(op.name);
    ops_.erase(op.name);
    ops_.emplace(other, earlier);
    unnamed_.insert(other);
    computation.ops[earlier].name = std::move(other);
  }
  const auto [slot, fresh] = ops_.try_emplace(op.name, Id<Op>(computation.ops.size()));
  if (!fresh) {
    return cursor.error_at(at, fmt::format("op '{}' is defined twice in computation '{}'", op.name,
                                           computation.name));
  }
  return computation.ops.push_back(std::move(op));
}

Id<Op> ComputationScope::add_unnamed(Op op, std::string_view stem) {
  op.name = free_name(stem);
  ops_.emplace(op.name, Id<Op>(computation.ops.size()));
  unnamed_.insert(op.name);
  return computation.ops.push_back(std::move(op));
}

std::string ComputationScope::free_name(std::string_view stem) {
  int& suffix = next_suffix_[std::string(stem)];
  std::string candidate = suffix == 0 ? std::string(stem) : fmt::format("{}.{}", stem, suffix);
  while (ops_.contains(candidate)) candidate = fmt::format("{}.{}", stem, ++suffix);
  return candidate;
}

Result<void> ComputationScope::finish(std::optional<Id<Op>> root, Cursor& cursor, std::size_t at) {
  if (computation.ops.empty()) {
    return cursor.error_at(at, fmt::format("computation '{}' has no ops", computation.name));
  }
  computation.root = root.value_or(Id<Op>(computation.ops.size() - 1));
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Op& op = computation.ops[Id<Op>(i)];
    if (op.opcode != Opcode::Parameter) continue;
    const auto number = static_cast<std::size_t>(op.attributes.index);
    // A number beyond the op count cannot be one of a gapless sequence: refuse it before making room for it.
    if (number >= computation.ops.size()) {
      return fail(Error::Code::BadInput,
                  fmt::format("parameter({}) in a computation with fewer parameters", number), op.at);
    }
    if (number >= computation.parameters.size()) computation.parameters.resize(number + 1);
    if (computation.parameters[number].valid()) {
      return fail(Error::Code::BadInput, fmt::format("parameter({}) is defined twice", number), op.at);
    }
    computation.parameters[number] = Id<Op>(i);
  }
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    if (!computation.parameters[i].valid()) {
      return cursor.error_at(at, fmt::format("computation '{}' has no parameter({}) but higher ones",
                                             computation.name, i));
    }
  }
  return {};
}

}  // namespace seam::graph
