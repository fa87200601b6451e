#include "recorded/memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "graph/views.h"

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

Argument integer(std::int64_t number) {
  Argument out;
  out.kind = Argument::Kind::Int;
  out.integer = number;
  return out;
}
Argument list(const std::vector<std::int64_t>& numbers) {
  Argument out;
  out.kind = Argument::Kind::List;
  for (const std::int64_t number : numbers) out.items.push_back(integer(number));
  return out;
}
Argument named(const std::string& name) {
  Argument out;
  out.kind = Argument::Kind::Name;
  out.text = name;
  return out;
}

/// What a tensor shows of its storage; nullopt: its strides were not recorded.
std::optional<graph::StridedView> window_of(const TensorUse& use) {
  if (!use.id || !use.type.strides) return std::nullopt;
  return graph::StridedView{use.type.dims, *use.type.strides, use.id->offset};
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
    // What was computed into this memory, this reader does not get. A scalar never seen before is a number of the host in memory used again.
    if (written_.contains(use.id->storage) && (seen_.contains(use.id->tensor) || !use.type.dims.empty())) cut(use.id->storage);
    know(use, name);
    const auto whole = storages_.find(use.id->storage);
    if (use.id->offset == 0 && (whole == storages_.end() || (whole->second.name != name && is_untouched_parameter(whole->second.name) && elements(use.type) > elements(whole->second.type))))
      storages_[use.id->storage] = {name, use.type};
  }
  return name;
}

std::string Memory::read(const TensorUse& use, bool may_be_weight) {
  std::string name = identified_ && use.id ? read_by_id(use) : read_by_shape(use, may_be_weight);
  if (name.empty()) return name;
  read_.insert(name);
  if (use.id)
    if (const auto whole = storages_.find(use.id->storage); whole != storages_.end()) read_.insert(whole->second.name);
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
    know(use, view);
    return view;
  }
  return parameter(use);
}

void Memory::know(const TensorUse& use, const std::string& name) {
  tensors_[use.id->tensor] = {name, use.id->storage, window_of(use)};
  seen_.insert(use.id->tensor);
  seen_through_[use.id->storage].insert(use.id->tensor);
}

bool Memory::is_untouched_parameter(const std::string& name) const {
  const auto found = is_parameter_.find(name);
  return found != is_parameter_.end() && found->second == name;
}

/// Whether windows into a storage, as recorded, are windows into the value that fills it.
bool Memory::lies_as_recorded(const Whole& whole) const {
  const std::optional<TensorType> type = calls_.type(whole.name);
  return type && whole.type.strides && type->strides && same_strides(*type, whole.type);
}

/// Another view of memory that a known value fills.
std::string Memory::view_of_storage(const TensorUse& use) {
  const auto whole = storages_.find(use.id->storage);
  if (whole == storages_.end()) return {};
  const auto& [name, recorded] = whole->second;
  const std::optional<TensorType> type = calls_.type(name);
  if (!type || type->dtype != use.type.dtype) return {};
  if (use.id->offset == 0 && same_type(*type, use.type) && same_strides(recorded, use.type)) return name;
  if (!use.type.strides || elements(use.type) > elements(*type) || !lies_as_recorded(whole->second)) return {};
  return derived("view", {"aten.as_strided.default", {named(name), list(use.type.dims), list(*use.type.strides), integer(use.id->offset)}}, use.type);
}

/// The result of a call that was not recorded as such; empty: it has no meaning.
std::string Memory::derived(std::string_view prefix, const std::pair<std::string, std::vector<Argument>>& call, const TensorType& type) {
  graph::torch::Node node;
  node.name = fmt::format("{}_{}", prefix, count_++);
  node.target = call.first;
  node.arguments = call.second;
  const auto done = calls_.call(node, {type}, false);
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

/// What a storage holds is not in the graph: once, until it is filled anew.
void Memory::cut(std::int64_t storage) { out_.cuts += lost_.insert(storage).second ? 1 : 0; }

void Memory::forget_storage(std::int64_t storage, const std::optional<graph::StridedView>& window) {
  std::set<std::int64_t>& tensors = seen_through_[storage];
  std::erase_if(tensors, [&](std::int64_t tensor) {
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end() || found->second.storage != storage) return true;
    if (window && found->second.window && graph::apart(*window, *found->second.window)) return false;
    tensors_.erase(found);
    return true;
  });
}

std::string Memory::write(const std::string& name, const TensorUse* use, const TensorUse* over) {
  if (!identified_) {
    const std::optional<TensorType> type = calls_.type(name);
    if (type) live_.push_back({name, *type, false});
    return {};
  }
  const TensorUse* at = use != nullptr && use->id ? use : over;
  if (at == nullptr || !at->id) return {};
  if (over != nullptr) return overwrite(name, *at);
  const TensorId& id = *at->id;
  const auto before = storages_.find(id.storage);
  const auto known = tensors_.find(id.tensor);
  // A result in memory that is known already is a view of it, unless the number of that memory is used again.
  const bool view = (known == tensors_.end() || known->second.storage != id.storage) && ((before != storages_.end() && calls_.shares_memory(name, before->second.name)) || is_view_of_known(name, id.storage));
  if (!view) {
    forget_storage(id.storage, std::nullopt);
    storages_.erase(id.storage);
    if (id.offset == 0) storages_[id.storage] = {name, at->type};
    written_.insert(id.storage);
    lost_.erase(id.storage);
  }
  know(*at, name);
  return {};
}

bool Memory::is_view_of_known(const std::string& name, std::int64_t storage) {
  return std::ranges::any_of(seen_through_[storage], [&](std::int64_t tensor) {
    const auto found = tensors_.find(tensor);
    return found != tensors_.end() && found->second.storage == storage && calls_.shares_memory(name, found->second.name);
  });
}

/// Whoever else shows the memory that was written shows what was written from now on.
std::string Memory::overwrite(const std::string& name, const TensorUse& at) {
  const TensorId& id = *at.id;
  const auto whole = storages_.find(id.storage);
  const auto known = tensors_.find(id.tensor);
  const auto parameter_of = [&](const std::string& value) {
    const auto found = is_parameter_.find(value);
    return found == is_parameter_.end() ? std::string() : found->second;
  };
  std::string parameter = known != tensors_.end() && known->second.storage == id.storage ? parameter_of(known->second.name) : std::string();
  std::string now = name;  // what the parameter holds from now on
  const bool fills = id.offset == 0 && (whole == storages_.end() || (whole->second.type.dims == at.type.dims && same_strides(whole->second.type, at.type)));
  bool kept = true;
  if (fills) {
    if (whole != storages_.end()) parameter = parameter_of(whole->second.name);
    storages_[id.storage] = {name, at.type};
  } else if (const std::string merged = merged_into(whole, name, at); !merged.empty()) {
    parameter = parameter_of(whole->second.name);
    now = merged;
    read_.insert(name);
    whole->second.name = merged;
  } else {
    kept = !parameter.empty();
    if (!kept) cut(id.storage);
    const std::optional<graph::StridedView> window = window_of(at);
    if (whole != storages_.end() && !(window && whole->second.type.strides && graph::apart(*window, {whole->second.type.dims, *whole->second.type.strides, 0}))) storages_.erase(whole);
  }
  forget_storage(id.storage, kept ? window_of(at) : std::nullopt);
  written_.insert(id.storage);
  if (!parameter.empty() && kept) {
    parameter_now_[parameter] = now;
    is_parameter_[now] = parameter;
  }
  know(at, name);
  return now == name ? std::string() : now;
}

/// The value that fills a storage, with `name` written into the part of it that `at` shows; empty: nobody can say.
std::string Memory::merged_into(std::unordered_map<std::int64_t, Whole>::const_iterator whole, const std::string& name, const TensorUse& at) {
  if (whole == storages_.end() || !at.type.strides || !lies_as_recorded(whole->second)) return {};
  const std::optional<TensorType> type = calls_.type(whole->second.name);
  if (!type) return {};
  read_.insert(whole->second.name);
  return derived("written", {"aten.as_strided_scatter.default", {named(whole->second.name), named(name), list(at.type.dims), list(*at.type.strides), integer(at.id->offset)}}, *type);
}

std::vector<std::pair<std::string, std::string>> Memory::written_parameters() const { return {parameter_now_.begin(), parameter_now_.end()}; }

}  // namespace seam::analyzer::recorded
