#include "torch/builder.h"

#include "graph/torch_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace seam::graph::torch {

Dims counted(std::int64_t rank) {
  Dims out(static_cast<std::size_t>(rank));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

std::int64_t product(const Dims& dims) {
  std::int64_t out = 1;
  for (const std::int64_t dim : dims)
    if (__builtin_mul_overflow(out, dim, &out)) return std::numeric_limits<std::int64_t>::max();  // as many as nothing has
  return out;
}

namespace {

/// "aten.add" is no name of an op: letters, digits, '_', '.' and '-' are.
std::string cleaned(std::string_view name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0) out.insert(0, "_");
  return out;
}

}  // namespace

Builder::Builder(std::string name) {
  graph_.name = cleaned(name);
  entry_.name = "main";
}

void Builder::set_origin(std::string prefix, Metadata metadata) {
  prefix_ = cleaned(prefix);
  metadata_ = std::move(metadata);
}

void Builder::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
}

void Builder::rename(Id<Op> id, const std::string& wanted) {
  std::string name = cleaned(wanted);
  // Names of nodes are unique, so only a helper ("add.1") can stand in the way, and helpers are numbered past what is taken.
  if (suffixes_.contains(name)) return;
  suffixes_.emplace(name, 0);
  entry_.ops[id].name = std::move(name);
}

Id<Op> Builder::add(Opcode opcode, Shape shape, std::vector<Id<Op>> operands, Attributes attributes) {
  if (!can_be_held(shape.dims)) {
    refuse("more elements than any device can hold");
    std::ranges::fill(shape.dims, 0);
  }
  Op made;
  do {
    made.name = fmt::format("{}.{}", prefix_, ++suffixes_[prefix_ + "."]);
  } while (suffixes_.contains(made.name));
  suffixes_.emplace(made.name, 0);
  made.opcode = opcode;
  made.opcode_text = std::string(graph::name(opcode));
  made.shape = std::move(shape);
  made.operands = std::move(operands);
  made.attributes = std::move(attributes);
  made.metadata = metadata_;
  return entry_.ops.push_back(std::move(made));
}

Dims Builder::dims(const Tensor& tensor) const {
  const Dims& stored = op(tensor.value).shape.dims;
  Dims out(stored.size());
  for (std::size_t k = 0; k < stored.size(); ++k) out[static_cast<std::size_t>(tensor.order[k])] = stored[k];
  return out;
}

std::int64_t Builder::wrapped(std::int64_t dim, std::int64_t rank) {
  const std::int64_t limit = std::max<std::int64_t>(rank, 1);
  if (dim < -limit || dim >= limit) {
    refuse(fmt::format("it has no dimension {}", dim));
    return 0;
  }
  return dim < 0 ? dim + limit : dim;
}

Tensor Builder::dense(Id<Op> value) const { return ordered(value, counted(op(value).shape.rank())); }

Tensor Builder::ordered(Id<Op> value, Dims order) const {
  const Dims& stored = op(value).shape.dims;
  const StridedView memory = dense_view(stored);
  StridedView view{Dims(stored.size()), Dims(stored.size()), 0};
  for (std::size_t k = 0; k < stored.size(); ++k) {
    view.dims[static_cast<std::size_t>(order[k])] = stored[k];
    view.strides[static_cast<std::size_t>(order[k])] = memory.strides[k];
  }
  return {value, std::move(order), value, std::move(view)};
}

Tensor Builder::parameter(DType dtype, const Dims& dims, const std::optional<Dims>& strides, const std::string& name) {
  // Memory order: strides from large to small; dims of one element or of stride 0 say nothing about order and stay where they are.
  Dims order = counted(static_cast<std::int64_t>(dims.size()));
  Dims kept;
  if (strides) {
    for (const std::int64_t dim : order)
      if (dims[static_cast<std::size_t>(dim)] != 1 && (*strides)[static_cast<std::size_t>(dim)] != 0) kept.push_back(dim);
    Dims sorted = kept;
    std::ranges::stable_sort(sorted, [&](std::int64_t a, std::int64_t b) { return (*strides)[static_cast<std::size_t>(a)] > (*strides)[static_cast<std::size_t>(b)]; });
    for (std::size_t k = 0, next = 0; k < order.size(); ++k)
      if (next < kept.size() && order[k] == kept[next]) order[k] = sorted[next++];
  }
  Dims stored(dims.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto dim = static_cast<std::size_t>(order[k]);
    stored[k] = strides && (*strides)[dim] == 0 ? std::min<std::int64_t>(dims[dim], 1) : dims[dim];
  }
  Attributes attributes;
  attributes.index = static_cast<std::int64_t>(entry_.parameters.size());
  const std::int64_t index = attributes.index;
  const Id<Op> id = add(Opcode::Parameter, array_shape(dtype, stored), {}, std::move(attributes));
  rename(id, name);
  entry_.parameters.push_back(id);
  if (strides && !memory_order(dims, *strides)) packed_.insert(id);
  Tensor out = ordered(id, order);
  if (out.view.dims != dims) out = expanded(out, dims);  // stride 0: one element stands for all
  if (out.view != dense_view(dims)) set_view(graph_, Border::Input, index, out.view);
  return out;
}

Tensor Builder::literal(Array value) {
  Attributes attributes;
  Shape shape = array_shape(value.dtype, value.dims);
  attributes.literal.value = std::move(value);
  return dense(add(Opcode::Constant, std::move(shape), {}, std::move(attributes)));
}

Tensor Builder::seed() {
  if (!seeds_.valid()) {
    Attributes attributes;
    attributes.index = static_cast<std::int64_t>(entry_.parameters.size());
    seeds_ = add(Opcode::Parameter, array_shape(DType::S64, {1}), {}, std::move(attributes));
    rename(seeds_, "random_seeds");
    entry_.parameters.push_back(seeds_);
  }
  Attributes attributes;
  attributes.starts = {seeds_taken_};
  attributes.limits = {++seeds_taken_};
  attributes.strides = {1};
  entry_.ops[seeds_].shape.dims = {seeds_taken_};  // grows with each
  return dense(add(Opcode::Reshape, array_shape(DType::S64, {}), {add(Opcode::Slice, array_shape(DType::S64, {1}), {seeds_}, std::move(attributes))}));
}

Tensor Builder::constant(DType type, double value) {
  Array out = make_array(type, {});
  store_from_double(type, out.data.data(), value);
  return literal(std::move(out));
}

Tensor Builder::integer(DType type, std::int64_t value) {
  if (!is_integer(type) || bits(type) < 8) return constant(type, static_cast<double>(value));
  Array out = make_array(type, {});
  std::copy_n(reinterpret_cast<const std::byte*>(&value), bytes(type), out.data.data());
  return literal(std::move(out));
}

Tensor Builder::filled(DType type, const Dims& dims, double value) { return aligned(constant(type, value), dims, counted(static_cast<std::int64_t>(dims.size()))); }

Tensor Builder::iota(DType type, const Dims& dims, std::int64_t dim) {
  Attributes attributes;
  attributes.dimensions = {dim};
  return dense(add(Opcode::Iota, array_shape(type, dims), {}, std::move(attributes)));
}

Tensor Builder::lowest(DType type) {
  if (type == DType::Pred) return constant(type, 0);
  if (!is_integer(type)) return constant(type, -std::numeric_limits<double>::infinity());
  return integer(type, is_unsigned(type) ? 0 : std::numeric_limits<std::int64_t>::min() >> (64 - bits(type)));
}

Tensor Builder::highest(DType type) {
  if (type == DType::Pred) return constant(type, 1);
  if (!is_integer(type)) return constant(type, std::numeric_limits<double>::infinity());
  return integer(type, is_unsigned(type) ? -1 : std::numeric_limits<std::int64_t>::max() >> (64 - bits(type)));
}

std::pair<Dims, Dims> Builder::common(std::span<const Tensor* const> tensors) {
  Dims out;
  for (const Tensor* tensor : tensors) {
    const Dims one = dims(*tensor);
    if (one.size() > out.size()) out.insert(out.begin(), one.size() - out.size(), 1);
    for (std::size_t i = 0; i < one.size(); ++i) {
      std::int64_t& extent = out[out.size() - one.size() + i];
      if (extent == 1) {
        extent = one[i];
      } else if (one[i] != 1 && one[i] != extent) {
        refuse(fmt::format("extents {} and {} do not broadcast", extent, one[i]));
      }
    }
  }
  // As PyTorch does it: the first operand of the full shape decides the order in memory.
  for (const Tensor* tensor : tensors)
    if (dims(*tensor) == out) return {out, tensor->order};
  return {out, counted(static_cast<std::int64_t>(out.size()))};
}

Tensor Builder::in_order(const Tensor& a, const Dims& order) {
  if (a.order == order || refused()) return a;
  const Dims& stored = op(a.value).shape.dims;
  Attributes attributes;
  Dims target;
  for (const std::int64_t dim : order) {
    const auto from = std::ranges::find(a.order, dim) - a.order.begin();
    attributes.dimensions.push_back(from);
    target.push_back(stored[static_cast<std::size_t>(from)]);
  }
  // Only dims of one element move: nothing does.
  Dims moved;
  for (const std::int64_t from : attributes.dimensions)
    if (stored[static_cast<std::size_t>(from)] != 1) moved.push_back(from);
  const DType type = dtype(a);
  const Opcode opcode = std::ranges::is_sorted(moved) ? Opcode::Reshape : Opcode::Transpose;
  if (opcode == Opcode::Reshape) attributes.dimensions.clear();
  const Id<Op> value = add(opcode, array_shape(type, target), {a.value}, std::move(attributes));
  Tensor out = ordered(value, order);
  if (opcode == Opcode::Reshape) {
    out.base = a.base;
    out.view = a.view;
  }
  return out;
}

Id<Op> Builder::row_major(const Tensor& a) { return in_order(a, counted(rank(a))).value; }

Tensor Builder::aligned(const Tensor& a, const Dims& target, const Dims& order) {
  if (refused()) return a;
  const Dims own = dims(a);
  if (own == target) return in_order(a, order);
  const std::int64_t shift = static_cast<std::int64_t>(target.size()) - rank(a);
  const Dims& stored = op(a.value).shape.dims;
  // Dims that are really there, in memory order, and where each stands in the result's memory.
  struct Kept {
    std::int64_t from, to;
  };
  std::vector<Kept> kept;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const std::int64_t dim = a.order[k] + shift;
    const std::int64_t wanted = target[static_cast<std::size_t>(dim)];
    if (stored[k] == 1 && wanted != 1) continue;
    if (stored[k] == 1) continue;
    if (stored[k] != wanted) {
      refuse(fmt::format("extent {} does not broadcast to {}", stored[k], wanted));
      return a;
    }
    kept.push_back({static_cast<std::int64_t>(k), std::ranges::find(order, dim) - order.begin()});
  }
  const DType type = dtype(a);
  Id<Op> value = a.value;
  if (kept.size() != stored.size()) {
    Dims left;
    for (const Kept& one : kept) left.push_back(stored[static_cast<std::size_t>(one.from)]);
    value = add(Opcode::Reshape, array_shape(type, left), {value});
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i].from = static_cast<std::int64_t>(i);
  }
  if (!std::ranges::is_sorted(kept, {}, &Kept::to)) {
    Attributes attributes;
    std::ranges::sort(kept, {}, &Kept::to);
    Dims turned;
    for (const Kept& one : kept) {
      attributes.dimensions.push_back(one.from);
      turned.push_back(op(value).shape.dims[static_cast<std::size_t>(one.from)]);
    }
    value = add(Opcode::Transpose, array_shape(type, turned), {value}, std::move(attributes));
  }
  Dims memory;
  for (const std::int64_t dim : order) memory.push_back(target[static_cast<std::size_t>(dim)]);
  if (product(memory) == op(value).shape.elements_count()) {
    if (op(value).shape.dims != memory) value = add(Opcode::Reshape, array_shape(type, memory), {value});
  } else {
    Attributes attributes;
    for (const Kept& one : kept) attributes.dimensions.push_back(one.to);
    value = add(Opcode::Broadcast, array_shape(type, memory), {value}, std::move(attributes));
  }
  return ordered(value, order);
}

Tensor Builder::elementwise(Opcode opcode, DType type, std::vector<Tensor> operands, Attributes attributes) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& operand : operands) pointers.push_back(&operand);
  const auto [target, order] = common(pointers);
  for (const Tensor& operand : operands)
    if (dtype(operand) != dtype(operands.front())) refuse(fmt::format("operands of two types, {} and {}", graph::print(array_shape(dtype(operands.front()), {})), graph::print(array_shape(dtype(operand), {}))));
  std::vector<Id<Op>> values;
  for (const Tensor& operand : operands) values.push_back(aligned(operand, target, order).value);
  if (refused()) return operands.front();
  return ordered(add(opcode, array_shape(type, op(values.front()).shape.dims), values, std::move(attributes)), order);
}

Tensor Builder::unary(Opcode opcode, const Tensor& a) { return elementwise(opcode, opcode == Opcode::IsFinite ? DType::Pred : dtype(a), {a}); }
Tensor Builder::binary(Opcode opcode, const Tensor& a, const Tensor& b) { return elementwise(opcode, dtype(a), {a, b}); }

Tensor Builder::compare(Direction direction, const Tensor& a, const Tensor& b) {
  Attributes attributes;
  attributes.direction = direction;
  return elementwise(Opcode::Compare, DType::Pred, {a, b}, std::move(attributes));
}

Tensor Builder::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  if (dtype(yes) != dtype(no) || dtype(condition) != DType::Pred) refuse("a selection between two types, or by no truth value");
  // The values decide the order in memory, the condition follows.
  const Tensor* const all[] = {&yes, &no, &condition};
  const auto [target, order] = common(all);
  const Tensor parts[] = {aligned(condition, target, order), aligned(yes, target, order), aligned(no, target, order)};
  if (refused()) return yes;
  return ordered(add(Opcode::Select, array_shape(dtype(yes), op(parts[1].value).shape.dims), {parts[0].value, parts[1].value, parts[2].value}), order);
}

Tensor Builder::converted(const Tensor& a, DType type) {
  const DType from = dtype(a);
  if (from == type) return a;
  if (type == DType::Pred) return compare(Direction::NE, a, constant(from, 0));
  return elementwise(Opcode::Convert, type, {a});
}

Id<Computation> Builder::function(const std::string& name, const std::function<Computation(const std::string&)>& make) {
  const auto found = functions_.find(name);
  if (found != functions_.end()) return found->second;
  const Id<Computation> id = graph_.computations.push_back(make(name));
  functions_.emplace(name, id);
  return id;
}

Computation of_two_scalars(const std::string& name, DType dtype, const char* first, const char* second) {
  Computation body;
  body.name = name;
  for (const char* side : {first, second}) {
    Op one;
    one.name = side;
    one.opcode = Opcode::Parameter;
    one.opcode_text = std::string(graph::name(Opcode::Parameter));
    one.shape = array_shape(dtype, {});
    one.attributes.index = static_cast<std::int64_t>(body.parameters.size());
    body.parameters.push_back(body.ops.push_back(std::move(one)));
  }
  return body;
}

Id<Computation> Builder::reducer(Opcode opcode, DType type) {
  return function(fmt::format("{}_{}", graph::name(opcode), graph::print(array_shape(type, {})).substr(0, graph::print(array_shape(type, {})).find('['))), [&](const std::string& name) {
    Computation body = of_two_scalars(name, type, "a", "b");
    Op root;
    root.name = "both";
    root.opcode = opcode;
    root.opcode_text = std::string(graph::name(opcode));
    root.shape = array_shape(type, {});
    root.operands = body.parameters;
    body.root = body.ops.push_back(std::move(root));
    return body;
  });
}

Tensor Builder::opaque(const std::string& target, const std::string& reason, const std::vector<Tensor>& operands, const Shape& result) {
  std::vector<Id<Op>> values;
  for (const Tensor& operand : operands) values.push_back(operand.base);
  Attributes attributes;
  attributes.custom_call_target = target;
  attributes.backend_config = fmt::format("\"{}\"", reason);
  std::erase_if(attributes.backend_config, [at = std::size_t{0}, end = attributes.backend_config.size() - 1](char c) mutable {
    const bool inside = at > 0 && at < end;
    ++at;
    return inside && (c == '"' || c == '\\');
  });
  const Id<Op> id = add(Opcode::CustomCall, result, values, std::move(attributes));
  return result.is_tuple ? Tensor{id, {}, id, {}} : dense(id);
}

Id<Op> Builder::element(Id<Op> tuple, std::int64_t index) {
  Attributes attributes;
  attributes.index = index;
  return add(Opcode::GetTupleElement, op(tuple).shape.elements[static_cast<std::size_t>(index)], {tuple}, std::move(attributes));
}

void Builder::group(std::size_t first, const std::string& op_name) {
  for (std::size_t k = first; k < entry_.ops.size(); ++k) entry_.ops[Id<Op>(k)].metadata.op_name = op_name;
}

Graph Builder::finish(const std::vector<Tensor>& outputs) {
  prefix_ = "results";
  metadata_ = {};
  std::vector<Id<Op>> values;
  Shape shape;
  shape.is_tuple = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = outputs[i];
    const Id<Op> memory = tensor.base;
    values.push_back(memory);
    shape.elements.push_back(op(memory).shape);
    if (tensor.view != dense_view(op(memory).shape.dims)) set_view(graph_, Border::Output, static_cast<std::int64_t>(i), tensor.view);
  }
  entry_.root = add(Opcode::Tuple, std::move(shape), std::move(values));
  rename(entry_.root, "results");
  graph_.entry = graph_.computations.push_back(std::move(entry_));
  return std::move(graph_);
}

}  // namespace seam::graph::torch
