#include "recorded/memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace seam::analyzer::recorded {

using graph::torch::Argument;
using graph::torch::TensorType;

namespace {

std::int64_t elements(const TensorType& type) { return std::accumulate(type.dims.begin(), type.dims.end(), std::int64_t{1}, std::multiplies<>()); }

bool same_type(const TensorType& a, const TensorType& b) { return a.dtype == b.dtype && a.dims == b.dims; }

/// Strides say nothing of dims of one element.
bool same_strides(const TensorType& a, const TensorType& b) {
  if (!a.strides || !b.strides) return true;
  for (std::size_t k = 0; k < a.dims.size(); ++k)
    if (a.dims[k] != 1 && (*a.strides)[k] != (*b.strides)[k]) return false;
  return true;
}

/// A tensor that was recorded by its shape alone, and so often that it cannot be told from others, is no producer to guess.
constexpr std::size_t kMostLookedBack = 4096;

}  // namespace

std::string Memory::parameter(const TensorUse& use) {
  std::string name = fmt::format("in_{}", count_++);
  calls_.parameter(name, use.type);
  is_parameter_[name] = name;
  ++out_.from_outside;
  if (use.id) {
    tensors_[use.id->tensor] = {name, use.id->storage};
    seen_through_[use.id->storage].insert(use.id->tensor);
    if (use.id->offset == 0 && !storages_.contains(use.id->storage)) storages_[use.id->storage] = name;
  }
  return name;
}

std::string Memory::read(const TensorUse& use, bool may_be_weight) {
  std::string name = identified_ && use.id ? read_by_id(use) : read_by_shape(use, may_be_weight);
  if (!name.empty()) read_.insert(name);
  return name;
}

std::string Memory::read_by_id(const TensorUse& use) {
  if (use.id->storage == 0 && use.type.dims == std::vector<std::int64_t>{0}) return {};
  const auto found = tensors_.find(use.id->tensor);
  if (found != tensors_.end() && found->second.storage == use.id->storage) {
    const std::optional<TensorType> type = calls_.type(found->second.name);
    if (type && same_type(*type, use.type)) {
      ++out_.edges_recorded;
      return found->second.name;
    }
  }
  if (std::string view = view_of_storage(use); !view.empty()) {
    ++out_.edges_recorded;
    tensors_[use.id->tensor] = {view, use.id->storage};
    seen_through_[use.id->storage].insert(use.id->tensor);
    return view;
  }
  return parameter(use);
}

/// Another view of memory that a known value fills.
std::string Memory::view_of_storage(const TensorUse& use) {
  const auto base = storages_.find(use.id->storage);
  if (base == storages_.end()) return {};
  const std::optional<TensorType> type = calls_.type(base->second);
  if (!type || type->dtype != use.type.dtype) return {};
  read_.insert(base->second);
  if (use.id->offset == 0 && same_type(*type, use.type) && same_strides(*type, use.type)) return base->second;
  if (!use.type.strides || elements(use.type) > elements(*type)) return {};
  graph::torch::Node node;
  node.name = fmt::format("view_{}", count_++);
  node.target = "aten.as_strided.default";
  const auto list = [](const std::vector<std::int64_t>& numbers) {
    Argument out;
    out.kind = Argument::Kind::List;
    for (const std::int64_t number : numbers) {
      Argument one;
      one.kind = Argument::Kind::Int;
      one.integer = number;
      out.items.push_back(one);
    }
    return out;
  };
  Argument self;
  self.kind = Argument::Kind::Name;
  self.text = base->second;
  Argument offset;
  offset.kind = Argument::Kind::Int;
  offset.integer = use.id->offset;
  node.arguments = {self, list(use.type.dims), list(*use.type.strides), offset};
  const auto done = calls_.call(node, {use.type}, false);
  return done && *done && !(*done)->names.empty() ? (*done)->names.front() : std::string();
}

/// The latest result of that shape and type that nobody has read yet; else the latest that this call does not read already; else the latest.
std::string Memory::read_by_shape(const TensorUse& use, bool may_be_weight) {
  Live *again = nullptr, *other = nullptr;
  std::size_t looked = 0;
  const auto take = [&](Live& live) {
    live.read = true;
    of_this_call_.insert(live.name);
    ++out_.edges_inferred;
    return live.name;
  };
  for (auto at = live_.rbegin(); at != live_.rend() && looked < kMostLookedBack; ++at, ++looked) {
    if (use.type_known ? !same_type(at->type, use.type) : at->type.dims != use.type.dims) continue;
    if (!same_strides(at->type, use.type)) continue;
    if (!at->read) return take(*at);
    if (again == nullptr) again = &*at;
    if (other == nullptr && !of_this_call_.contains(at->name)) other = &*at;
  }
  if (other != nullptr) return take(*other);
  if (again != nullptr) return take(*again);
  if (!may_be_weight)
    if (std::string made = from_open_call(use); !made.empty()) {
      ++out_.edges_inferred;
      return made;
    }
  if (!use.type_known) return {};
  return parameter(use);
}

/// The latest call that left its results open gives one of that shape.
std::string Memory::from_open_call(const TensorUse& use) {
  if (open_.empty() || !use.type_known) return {};
  graph::torch::Node call = std::move(open_.back());
  open_.pop_back();
  call.name += fmt::format("_{}", count_++);
  const auto done = calls_.call(call, {use.type}, true);
  if (!done || !*done || (*done)->names.empty() || (*done)->names.front().empty()) return {};
  ++out_.operators;
  if (!(*done)->opaque_because.empty()) ++out_.opaque;
  const std::string name = (*done)->names.front();
  live_.push_back({name, use.type, true});
  return name;
}

void Memory::forget_storage(std::int64_t storage) {
  for (const std::int64_t tensor : seen_through_[storage]) {
    const auto found = tensors_.find(tensor);
    if (found != tensors_.end() && found->second.storage == storage) tensors_.erase(found);
  }
  seen_through_[storage].clear();
  storages_.erase(storage);
}

void Memory::write(const std::string& name, const TensorUse* use, const TensorUse* over) {
  if (!identified_) {
    const std::optional<TensorType> type = calls_.type(name);
    if (type) live_.push_back({name, *type, false});
    return;
  }
  const TensorUse* at = use != nullptr && use->id ? use : over;
  if (at == nullptr || !at->id) return;
  const TensorId& id = *at->id;
  const auto before = storages_.find(id.storage);
  const bool fills = id.offset == 0 && (before == storages_.end() || [&] {
    const std::optional<TensorType> type = calls_.type(before->second);
    return !type || elements(*type) <= elements(at->type);
  }());
  if (over != nullptr) {
    // Whoever else shows this memory shows what was written from now on, or, of a part that was written, nobody can say.
    std::string parameter;
    if (before != storages_.end())
      if (const auto found = is_parameter_.find(before->second); found != is_parameter_.end()) parameter = found->second;
    if (!fills) ++out_.cut_writes;
    forget_storage(id.storage);
    if (fills && !parameter.empty()) {
      parameter_now_[parameter] = name;
      is_parameter_[name] = parameter;
    }
  } else {
    const auto known = tensors_.find(id.tensor);
    const bool view = before != storages_.end() && use != nullptr && [&] {
      // A result in memory that is known already is a view of it, unless the number of that memory is used again.
      const std::optional<TensorType> base = calls_.type(before->second);
      return base && (known == tensors_.end() || known->second.storage != id.storage) && calls_.shares_memory(name, before->second);
    }();
    if (!view) forget_storage(id.storage);
  }
  tensors_[id.tensor] = {name, id.storage};
  seen_through_[id.storage].insert(id.tensor);
  if (fills && !storages_.contains(id.storage)) storages_[id.storage] = name;
}

std::vector<std::pair<std::string, std::string>> Memory::written_parameters() const { return {parameter_now_.begin(), parameter_now_.end()}; }

}  // namespace seam::analyzer::recorded
