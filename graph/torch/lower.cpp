#include "torch/lower.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "graph/torch_calls.h"
#include "graph/verify.h"
#include "torch/call.h"

namespace seam::graph::torch {
namespace {

/// An operator that computes with as many ops or more is a scope of its own.
constexpr std::size_t kCompositeFrom = 3;

struct OperatorName {
  std::string name, overload;
  bool in_place = false;
};
/// "aten.add_.Tensor" -> add, Tensor, in place; "prims.fma.default"; "relu".
OperatorName named(const std::string& target) {
  OperatorName out;
  const std::size_t space = target.find('.');
  if (space == std::string::npos) {
    out.name = target;
  } else {
    const std::size_t overload = target.find('.', space + 1);
    out.name = target.substr(space + 1, overload == std::string::npos ? std::string::npos : overload - space - 1);
    if (overload != std::string::npos) out.overload = target.substr(overload + 1);
  }
  // requires_grad_ changes nothing; __and__ and the like are names.
  if (out.name.ends_with('_') && !out.name.ends_with("__") && out.name != "requires_grad_") {
    out.name.pop_back();
    out.in_place = true;
  }
  return out;
}

bool moves_only(Opcode opcode) {
  switch (opcode) {
    case Opcode::Constant: case Opcode::Broadcast: case Opcode::Reshape: case Opcode::Transpose: case Opcode::Slice: case Opcode::Convert: case Opcode::Iota: return true;
    default: return false;
  }
}

class Lowerer {
 public:
  explicit Lowerer(const Program& program) : program_(program), b_(program.name) {}

  // --- call by call (RecordedCalls)
  void add_parameter(const Node& node) { define_parameter(node); }
  /// The results of a call, each under a name of its own; nullopt where it has no known meaning and `stated` gives no types for an opaque one.
  Result<std::optional<RecordedResults>> record(const Node& node, const std::vector<std::optional<TensorType>>& stated, bool may_be_opaque) {
    const OperatorName op = named(node.target);
    SEAM_TRY(Call call, call_of(node, op));
    RecordedResults out;
    std::optional<Value> result = known_meaning(call, node, out.opaque_because);
    if (result && !fits(*result, stated)) {
      out.opaque_because = "its results are not those that were recorded";
      result.reset();
    }
    if (!result) {
      if (!may_be_opaque || std::ranges::none_of(stated, [](const auto& type) { return type.has_value(); })) return std::optional<RecordedResults>();
      result = opaque(call, node, out.opaque_because, {stated, stated.size() == 1});
    } else {
      out.opaque_because.clear();
    }
    std::vector<Value> items;
    flatten(*result, items);
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (!items[k].is_tensor()) {
        out.names.emplace_back();
        continue;
      }
      const std::string name_of = items.size() == 1 ? node.name : fmt::format("{}.{}", node.name, k);
      name(items[k].tensor, name_of, node.name);
      out.names.push_back(name_of);
      values_[name_of] = std::move(items[k]);
    }
    return std::optional(std::move(out));
  }
  [[nodiscard]] std::optional<TensorType> type_of(const std::string& name_of) const {
    const auto found = values_.find(name_of);
    if (found == values_.end() || !found->second.is_tensor()) return std::nullopt;
    return TensorType{b_.dtype(found->second.tensor), b_.dims(found->second.tensor), found->second.tensor.view.strides};
  }
  [[nodiscard]] bool share_memory(const std::string& a, const std::string& b) const {
    const auto x = values_.find(a), y = values_.find(b);
    return x != values_.end() && y != values_.end() && x->second.is_tensor() && y->second.is_tensor() && x->second.tensor.base == y->second.tensor.base;
  }
  Graph finished(const std::vector<std::string>& outputs, const std::vector<std::pair<std::string, std::string>>& donated) {
    for (const std::string& output : outputs) outputs_.push_back(values_.at(output).tensor);
    for (const auto& [parameter, output] : donated) {
      b_.donate(static_cast<std::int64_t>(outputs_.size()), parameters_.at(parameter));
      outputs_.push_back(values_.at(output).tensor);
    }
    return b_.finish(outputs_);
  }

  Result<Graph> run() {
    // What the graph holds as attributes is memory from outside as well: parameters, after those of forward().
    for (const std::string_view kind : {"placeholder", "get_attr"})
      for (const Node& node : program_.nodes)
        if (node.target == kind) define_parameter(node);
    for (const Node& node : program_.nodes) {
      if (node.target == "getitem") results_of_[node.arguments[0].text].push_back(&node);
      if (node.type && node.type->strides) strides_[node.name] = &*node.type;
    }
    for (const Node& node : program_.nodes) {
      if (node.target == "placeholder" || node.target == "get_attr") continue;
      if (node.target == "output") {
        SEAM_DO(finish(node));
        continue;
      }
      SEAM_DO(define(node));
    }
    return b_.finish(outputs_);
  }

 private:
  void define_parameter(const Node& node) {
    if (node.symbol) {
      values_[node.name] = Value::of(*node.symbol);
    } else if (node.type) {
      b_.set_origin(node.name, metadata_of(node, node.name));
      parameters_[node.name] = parameter_count_++;
      values_[node.name] = b_.parameter(node.type->dtype, node.type->dims, node.type->strides, node.name);
    }
  }

  static std::string scope_of(const Node& node) {
    if (node.file.empty()) return {};
    const std::string place = fmt::format("{}:{}", node.file.substr(node.file.rfind('/') + 1), node.line);
    return (node.backward ? fmt::format("transpose(jvp({}))", place) : place) + "/";
  }

  static Metadata metadata_of(const Node& node, const std::string& name) {
    Metadata out;
    out.op_name = scope_of(node) + name;
    out.op_type = node.target;
    out.source_file = node.file;
    out.source_line = node.line;
    return out;
  }

  Result<Value> resolved(const Argument& argument, const Node& node) {
    Value out;
    switch (argument.kind) {
      case Argument::Kind::None: return out;
      case Argument::Kind::Bool: out.kind = Value::Kind::Bool; break;
      case Argument::Kind::Int: out.kind = Value::Kind::Int; break;
      case Argument::Kind::Float: out.kind = Value::Kind::Float; break;
      case Argument::Kind::Text: out.kind = Value::Kind::Text; break;
      case Argument::Kind::Ellipsis: out.kind = Value::Kind::Ellipsis; break;
      case Argument::Kind::List: out.kind = Value::Kind::List; break;
      case Argument::Kind::Slice: out.kind = Value::Kind::Slice; break;
      case Argument::Kind::Name: {
        const auto found = values_.find(argument.text);
        if (found != values_.end()) return found->second;
        const bool declared = std::ranges::any_of(program_.nodes, [&](const Node& other) { return other.name == argument.text && (other.target == "placeholder" || other.target == "get_attr"); });
        if (declared) {
          return fail(Error::Code::BadInput, fmt::format("'{}' has no shape in this text; print the graph with shapes: TORCH_LOGS=aot_graphs, or gm.print_readable(include_stride=True, include_device=True)", argument.text), node.at);
        }
        return fail(Error::Code::BadInput, fmt::format("nothing defines '{}'", argument.text), node.at);
      }
    }
    out.integer = argument.integer;
    out.number = argument.number;
    out.text = argument.text;
    for (const Argument& item : argument.items) {
      SEAM_TRY(Value value, resolved(item, node));
      out.items.push_back(std::move(value));
    }
    return out;
  }

  static void flatten(const Value& value, std::vector<Value>& out) {
    if (value.kind != Value::Kind::List) return out.push_back(value);
    for (const Value& item : value.items) flatten(item, out);
  }

  /// Whether results are of the recorded shapes and types, as far as those are known.
  bool fits(const Value& result, const std::vector<std::optional<TensorType>>& stated) const {
    std::vector<Value> items;
    flatten(result, items);
    for (std::size_t k = 0; k < std::min(items.size(), stated.size()); ++k) {
      if (!stated[k] || !items[k].is_tensor()) continue;
      if (b_.dims(items[k].tensor) != stated[k]->dims || b_.dtype(items[k].tensor) != stated[k]->dtype) return false;
    }
    return items.size() >= stated.size();
  }

  Result<Call> call_of(const Node& node, const OperatorName& op) {
    Call call{b_, op.name, op.overload, {}, {}, node.type};
    for (const Argument& argument : node.arguments) {
      SEAM_TRY(Value value, resolved(argument, node));
      call.arguments.push_back(std::move(value));
    }
    for (const auto& [key, argument] : node.keywords) {
      SEAM_TRY(Value value, resolved(argument, node));
      call.keywords.emplace_back(key, std::move(value));
    }
    return call;
  }

  Result<void> define(const Node& node) {
    if (node.symbol) {  // arithmetic on sizes: the text says what comes out
      values_[node.name] = Value::of(*node.symbol);
      return {};
    }
    if (node.target == "alias" && node.arguments.size() == 1) {
      SEAM_TRY(Value same, resolved(node.arguments[0], node));
      values_[node.name] = std::move(same);
      return {};
    }
    const OperatorName op = named(node.target);
    SEAM_TRY(Call call, call_of(node, op));
    if (node.target == "getitem" && call.arguments[0].kind == Value::Kind::List) {
      Value item = lowering_of("getitem")(call);
      if (b_.refused()) return refused_at(node);
      if (item.is_tensor()) name(item.tensor, node.name, node.arguments[0].text);
      values_[node.name] = std::move(item);
      return {};
    }
    SEAM_TRY(Value result, meaning(call, node));
    if (result.is_tensor()) name(result.tensor, node.name, node.name);
    if (op.in_place) SEAM_DO(write_back(node, op, result));
    values_[node.name] = std::move(result);
    return {};
  }

  tl::unexpected<Error> refused_at(const Node& node) {
    return fail(Error::Code::BadInput, fmt::format("{} ({}): {}", node.name, node.target, b_.refusal()), node.at);
  }

  /// The op that computes a node's tensor bears the node's name, if it was made for the node.
  void name(const Tensor& tensor, const std::string& wanted, const std::string& made_as) {
    if (b_.op(tensor.value).name.starts_with(made_as + ".")) b_.rename(tensor.value, wanted);
  }

  /// What the text says of the result, against what the operands give.
  void check(const Value& result, const Node& node) {
    if (!node.type || !result.is_tensor()) return;
    const Dims dims = b_.dims(result.tensor);
    if (dims == node.type->dims && b_.dtype(result.tensor) == node.type->dtype) return;
    Shape stated, made;
    stated.dtype = node.type->dtype;
    stated.dims = node.type->dims;
    made.dtype = b_.dtype(result.tensor);
    made.dims = dims;
    b_.refuse(fmt::format("the text says {}, its operands give {}", print(stated), print(made)));
  }

  Result<Value> meaning(Call& call, const Node& node) {
    std::string why;
    if (std::optional<Value> known = known_meaning(call, node, why)) return *std::move(known);
    SEAM_TRY(const Stated stated, stated_of(node, why));
    return opaque(call, node, why, stated);
  }

  /// nullopt, and why: it has none that fits.
  std::optional<Value> known_meaning(Call& call, const Node& node, std::string& why) {
    const std::size_t first = b_.ops();
    // Without a line of source the operator itself is the scope.
    b_.set_origin(node.name, metadata_of(node, node.file.empty() ? fmt::format("{0}/{0}", call.name) : call.name));
    const Lowering lowering = lowering_of(call.name);
    why = "no known meaning";
    if (lowering != nullptr) {
      Value result = lowering(call);
      if (!b_.refused()) check(result, node);
      if (!b_.refused()) {
        std::size_t computing = 0;
        for (std::size_t k = first; k < b_.ops(); ++k) computing += moves_only(b_.op(Id<Op>(k)).opcode) ? 0U : 1U;
        if (computing >= kCompositeFrom) b_.group(first, fmt::format("{}{}/{}", scope_of(node), call.name, call.name));
        return result;
      }
      why = b_.refusal();
      b_.forget_refusal();
    }
    return std::nullopt;
  }

  static void tensors_in(const Value& value, std::vector<Tensor>& out) {
    if (value.is_tensor()) out.push_back(value.tensor);
    for (const Value& item : value.items) tensors_in(item, out);
  }

  static Shape stored_shape(const TensorType& type, Dims& order) {
    order = counted(static_cast<std::int64_t>(type.dims.size()));
    if (type.strides)
      if (const std::optional<Dims> memory = memory_order(type.dims, *type.strides)) order = *memory;
    Shape shape;
    shape.dtype = type.dtype;
    for (const std::int64_t dim : order) shape.dims.push_back(type.dims[static_cast<std::size_t>(dim)]);
    return shape;
  }

  /// Types of the results as the text or the recording states them; `single`: one tensor, no list.
  struct Stated {
    std::vector<std::optional<TensorType>> types;
    bool single = false;
  };
  Result<Stated> stated_of(const Node& node, const std::string& why) const {
    Stated out;
    if (node.type) {
      out.types = {node.type};
      out.single = true;
      return out;
    }
    const auto users = results_of_.find(node.name);
    if (users != results_of_.end()) {
      for (const Node* user : users->second) {
        if (user->arguments.size() != 2 || user->arguments[1].items.size() != 1) continue;
        const std::int64_t index = user->arguments[1].items[0].integer;
        if (index < 0 || index > 1000) return fail(Error::Code::BadInput, fmt::format("'{}' reads result {}", user->name, index), user->at);
        if (out.types.size() <= static_cast<std::size_t>(index)) out.types.resize(static_cast<std::size_t>(index) + 1);
        out.types[static_cast<std::size_t>(index)] = user->type;
      }
    }
    if (std::ranges::none_of(out.types, [](const auto& type) { return type.has_value(); })) {
      return fail(Error::Code::Unsupported, fmt::format("{}: {} ({}), and the text states no shape of its result", node.name, node.target, why), node.at);
    }
    return out;
  }

  Value opaque(const Call& call, const Node& node, const std::string& why, const Stated& stated) {
    std::vector<Tensor> operands;
    for (const Value& value : call.arguments) tensors_in(value, operands);
    for (const auto& [key, value] : call.keywords) tensors_in(value, operands);
    if (stated.single) {
      Dims order;
      const Shape shape = stored_shape(*stated.types.front(), order);
      return Value(b_.ordered(b_.opaque(node.target, why, operands, shape).value, order));
    }
    Shape tuple, nothing;
    tuple.is_tuple = true;
    nothing.dims = {0};
    std::vector<Dims> orders(stated.types.size());
    for (std::size_t k = 0; k < stated.types.size(); ++k) tuple.elements.push_back(stated.types[k] ? stored_shape(*stated.types[k], orders[k]) : nothing);
    const Id<Op> made = b_.opaque(node.target, why, operands, tuple).value;
    b_.rename(made, node.name);
    std::vector<Value> results(stated.types.size());
    for (std::size_t k = 0; k < results.size(); ++k)
      if (stated.types[k]) results[k] = b_.ordered(b_.element(made, static_cast<std::int64_t>(k)), orders[k]);
    return Value::list(std::move(results));
  }

  /// After `x.add_(y)` the name x stands for the sum; whoever else sees x's memory would have to see it too.
  Result<void> write_back(const Node& node, const OperatorName& op, const Value& result) {
    if (node.arguments.empty()) return {};
    if (op.name.starts_with("_fused_") && result.kind == Value::Kind::List) {
      for (std::size_t k = 0; k < std::min(result.items.size(), node.arguments.size()); ++k) SEAM_DO(rebind(node, node.arguments[k], result.items[k]));
      return {};
    }
    return rebind(node, node.arguments[0], result);
  }

  Result<void> rebind(const Node& node, const Argument& argument, const Value& result) {
    if (argument.kind == Argument::Kind::List) {
      if (result.items.size() != argument.items.size()) return fail(Error::Code::Unsupported, fmt::format("{} writes a list of another length", node.target), node.at);
      for (std::size_t k = 0; k < argument.items.size(); ++k) SEAM_DO(rebind(node, argument.items[k], result.items[k]));
      return {};
    }
    if (argument.kind != Argument::Kind::Name || !result.is_tensor()) return {};
    Value& old = values_[argument.text];
    if (!old.is_tensor()) return {};
    for (const auto& [other, value] : values_) {
      if (other == argument.text || !value.is_tensor() || value.tensor.base != old.tensor.base || !read_later(other, node)) continue;
      return fail(Error::Code::Unsupported, fmt::format("{} ({}) writes memory that '{}' shows as well; functionalize the graph first (aot_graphs are)", node.name, node.target, other), node.at);
    }
    if (parameters_.contains(argument.text)) written_.insert(argument.text);
    old = result;
    return {};
  }

  static bool names(const Argument& argument, const std::string& wanted) {
    return (argument.kind == Argument::Kind::Name && argument.text == wanted) || std::ranges::any_of(argument.items, [&](const Argument& item) { return names(item, wanted); });
  }
  [[nodiscard]] bool read_later(const std::string& wanted, const Node& after) const {
    bool past = false;
    for (const Node& node : program_.nodes) {
      if (past && (std::ranges::any_of(node.arguments, [&](const Argument& a) { return names(a, wanted); }) || std::ranges::any_of(node.keywords, [&](const auto& k) { return names(k.second, wanted); }))) return true;
      if (&node == &after) past = true;
    }
    return false;
  }

  /// An output lies as its annotation says; where it does already, it may be a view.
  Tensor laid_out(const Tensor& tensor, const std::string& name) {
    const auto stated = strides_.find(name);
    if (stated == strides_.end() || stated->second->dims != b_.dims(tensor)) return tensor;
    const TensorType& type = *stated->second;
    const auto same = [&](const StridedView& view) {
      for (std::size_t k = 0; k < type.dims.size(); ++k)
        if (type.dims[k] != 1 && view.strides[k] != (*type.strides)[k]) return false;
      return true;
    };
    if (same(tensor.view)) return tensor;
    const std::optional<Dims> order = memory_order(type.dims, *type.strides);
    if (!order) return tensor;
    b_.set_origin(name, {});
    const Tensor turned = b_.in_order(tensor, *order);
    return b_.ordered(turned.value, turned.order);
  }

  Result<void> add_outputs(const Argument& argument, const Node& node) {
    if (argument.kind == Argument::Kind::List) {
      for (const Argument& item : argument.items) SEAM_DO(add_outputs(item, node));
      return {};
    }
    SEAM_TRY(const Value value, resolved(argument, node));
    std::vector<Tensor> tensors;
    tensors_in(value, tensors);
    for (const Tensor& tensor : tensors) outputs_.push_back(laid_out(tensor, argument.text));
    return {};
  }

  Result<void> finish(const Node& node) {
    for (const Argument& argument : node.arguments) SEAM_DO(add_outputs(argument, node));
    for (const std::string& name : written_) {
      b_.donate(static_cast<std::int64_t>(outputs_.size()), parameters_.at(name));
      outputs_.push_back(laid_out(values_.at(name).tensor, name));
    }
    if (outputs_.empty()) return fail(Error::Code::BadInput, "the graph returns no tensor", node.at);
    return {};
  }

  const Program& program_;
  Builder b_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_map<std::string, std::int64_t> parameters_;
  std::unordered_map<std::string, std::vector<const Node*>> results_of_;
  std::unordered_map<std::string, const TensorType*> strides_;
  std::set<std::string> written_;
  std::vector<Tensor> outputs_;
  std::int64_t parameter_count_ = 0;
};

}  // namespace

Result<Graph> lowered(const Program& program) { return Lowerer(program).run(); }

struct RecordedCalls::State {
  explicit State(std::string name) : program{std::move(name), {}}, lowerer(program) {}
  Program program;  ///< no nodes: calls come one by one
  Lowerer lowerer;
};

RecordedCalls::RecordedCalls(std::string name) : state_(std::make_unique<State>(std::move(name))) {}
RecordedCalls::~RecordedCalls() = default;

void RecordedCalls::parameter(const std::string& name, const TensorType& type) {
  Node node;
  node.name = name;
  node.target = "placeholder";
  node.type = type;
  state_->lowerer.add_parameter(node);
}

Result<std::optional<RecordedResults>> RecordedCalls::call(const Node& node, const std::vector<std::optional<TensorType>>& results, bool may_be_opaque) {
  return state_->lowerer.record(node, results, may_be_opaque);
}

std::optional<TensorType> RecordedCalls::type(const std::string& name) const { return state_->lowerer.type_of(name); }

bool RecordedCalls::shares_memory(const std::string& a, const std::string& b) const { return state_->lowerer.share_memory(a, b); }

Result<Graph> RecordedCalls::finish(const std::vector<std::string>& outputs, const std::vector<std::pair<std::string, std::string>>& donated) {
  Graph graph = state_->lowerer.finished(outputs, donated);
  SEAM_DO(verify(graph));
  return graph;
}

bool has_meaning(std::string_view target) { return lowering_of(named(std::string(target)).name) != nullptr; }

}  // namespace seam::graph::torch
