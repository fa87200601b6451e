#include "prepare/epilogues.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/product_fit.h"
#include "facts/roles.h"
#include "graph/matmul.h"
#include "graph/orders.h"
#include "graph/transform.h"
#include "planner/plan.h"
#include "prepare/frontend.h"
#include "prepare/merges.h"
#include "stitch/problem.h"

namespace seam::planner {

using graph::Activation;
using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;

namespace {

constexpr std::string_view kKey = "epilogue_ops";

/// A product and what it takes over, in the library's order: scale, type, C, bias, activation.
struct Call {
  Id<Op> dot;
  Id<Op> last;              ///< the op whose value the call yields, views aside
  graph::Matmul matmul;
  DType dtype = DType::F32;
  Id<Op> c, bias;
  /// The type that C and bias have in memory, where it is narrower than the sum: the result must be rounded to it, as the library has one
  /// type for all three.
  std::optional<DType> narrow;
  std::vector<Id<Op>> taken;  ///< the ops it computes besides the product; views that lie between among them
};

/// The value of a constant of one element behind broadcasts and reshapes.
std::optional<double> splat(const Computation& computation, Id<Op> id) {
  const Op* op = &computation.ops[id];
  while (op->opcode == Opcode::Broadcast || op->opcode == Opcode::Reshape || op->opcode == Opcode::Bitcast)
    op = &computation.ops[op->operands[0]];
  if (op->opcode != Opcode::Constant || op->shape.is_tuple || !is_float(op->shape.dtype) || !op->attributes.literal.known) return std::nullopt;
  if (op->shape.elements_count() != 1) return std::nullopt;
  return load_as_double(op->shape.dtype, op->attributes.literal.value.data.data());
}

/// One computation's products and what each can take over.
class Finder {
 public:
  Finder(const Graph& graph, const Computation& computation, const PlanOptions& options)
      : computation_(computation), problem_(stitch::problem_of(graph, computation, options, false)), roles_(problem_.roles), yielded_by_(computation.ops.size()) {
    for (const Op& op : computation.ops) before_others_.insert(op.attributes.control_predecessors.begin(), op.attributes.control_predecessors.end());
  }

  /// Products that stand before it in the computation must have been asked about already.
  [[nodiscard]] std::optional<Call> call_at(Id<Op> dot) {
    if (op(dot).opcode != Opcode::Dot || roles_.role[dot] != Role::Library || !is_float(op(dot).shape.dtype)) return std::nullopt;
    if (is_ordered(dot) || !op(dot).shape.dynamic.empty() || op(dot).shape.elements_count() == 0) return std::nullopt;
    if (std::ranges::any_of(op(dot).attributes.others, [&](const auto& other) { return other.first != "operand_precision" && merged_products(op(dot)).empty(); })) return std::nullopt;
    Call call{dot, dot, {}, op(dot).shape.dtype, {}, {}, std::nullopt, {}};
    call.matmul.dims = op(dot).attributes.dot;
    Id<Op> value = dot;
    std::vector<Id<Op>> views;
    std::optional<Call> best;  // up to the last value that is needed in memory
    while (const std::optional<Id<Op>> user = only_user(value)) {
      if (value == dot && views.empty() && take_order(call, *user)) {
        call.taken.push_back(*user);
        call.last = value = *user;
        best = call;
        continue;
      }
      if (is_view(value, *user)) {
        views.push_back(*user);
        value = *user;
        continue;
      }
      if (!take(call, value, *user)) break;
      call.taken.insert(call.taken.end(), views.begin(), views.end());
      views.clear();
      call.taken.push_back(*user);
      call.last = value = *user;
      const bool typed = !call.narrow || call.narrow == call.dtype;
      // A narrower result is half the bytes whoever reads it.
      const bool narrower = bytes(call.dtype) < bytes(op(dot).shape.dtype);
      if (typed && (narrower || roles_.needed_in_memory[roles_.storage[value]] || (call.c.valid() && follows(call, call.c)))) best = call;
      if (call.matmul.activation != Activation::None) break;
    }
    if (best) yielded_by_[best->last] = dot;
    return best;
  }

 private:
  [[nodiscard]] const Op& op(Id<Op> id) const { return computation_.ops[id]; }

  /// Somebody asked for an order that data alone does not give.
  [[nodiscard]] bool is_ordered(Id<Op> id) const { return !op(id).attributes.control_predecessors.empty() || before_others_.contains(id); }

  /// Results of 16 bits are rounded once by the library, after everything: what the module rounds before is not the library's to compute.
  static bool is_narrow(const Call& call) { return call.dtype != DType::F32 && call.dtype != DType::F64; }

  [[nodiscard]] std::optional<Id<Op>> only_user(Id<Op> value) const {
    const std::vector<Id<Op>>& users = roles_.users[value];
    if (value == computation_.root || users.size() != 1) return std::nullopt;
    if (is_ordered(users[0]) || op(users[0]).shape.is_tuple || !op(users[0]).shape.dynamic.empty()) return std::nullopt;
    return users[0];
  }

  /// Another shape with the same last dimension: what is added per column stays per column.
  [[nodiscard]] bool is_view(Id<Op> value, Id<Op> user) const {
    const graph::Shape &before = op(value).shape, &after = op(user).shape;
    return op(user).opcode == Opcode::Reshape && !before.dims.empty() && !after.dims.empty() && before.dims.back() == after.dims.back();
  }

  /// In memory before the call's level, whether or not the call reads it.
  [[nodiscard]] bool at_hand(const Call& call, Id<Op> operand) const {
    const Id<Op> storage = roles_.storage[operand];
    const Role role = roles_.role[storage];
    if (role == Role::Folded || role == Role::Plumbing || op(storage).shape.is_tuple) return false;
    const Id<Op> producer = role == Role::Result ? roles_.producer[storage] : yielded_by_[storage].valid() ? yielded_by_[storage] : storage;
    const bool there = role == Role::Memory || roles_.is_call(producer) || roles_.needed_in_memory[storage];
    return there && problem_.asap[producer] + (roles_.is_call(producer) ? 1 : 0) <= problem_.asap[call.dot];
  }

  /// The result of another product of the same level that stands before it and that nobody else reads: the two run one after the other, and whoever reads
  /// their sum reads one matrix, not two.
  [[nodiscard]] bool follows(const Call& call, Id<Op> operand) const {
    const Id<Op> storage = roles_.storage[operand];
    return roles_.role[storage] == Role::Library && op(storage).opcode == Opcode::Dot && storage.index() < call.dot.index() && roles_.users[operand].size() == 1 && storage == operand &&
           problem_.asap[storage] == problem_.asap[call.dot];
  }

  [[nodiscard]] bool take(Call& call, Id<Op> value, Id<Op> user) const {
    const Op& next = op(user);
    if (next.opcode == Opcode::Convert) return take_type(call, next);
    if (next.operands.size() != 2 || next.operands[0] == next.operands[1] || next.shape.dtype != call.dtype) return false;
    const Id<Op> other = next.operands[next.operands[0] == value ? 1 : 0];
    const bool value_first = next.operands[0] == value;
    switch (next.opcode) {
      case Opcode::Multiply: {
        // One factor: two might leave f32's range together. Not finite: backend_config is JSON.
        if (call.c.valid() || call.bias.valid() || call.matmul.alpha != 1 || is_narrow(call)) return false;
        const std::optional<double> factor = splat(computation_, other);
        if (!factor || !std::isfinite(*factor)) return false;
        call.matmul.alpha = *factor;
        return true;
      }
      case Opcode::Add: return take_bias(call, other) || take_matrix(call, value, other, 1, 1);
      case Opcode::Subtract: return value_first ? take_matrix(call, value, other, 1, -1) : take_matrix(call, value, other, -1, 1);
      case Opcode::Maximum: {
        const std::optional<double> bound = splat(computation_, other);
        if (!bound || *bound != 0) return false;
        call.matmul.activation = Activation::Relu;
        return true;
      }
      default: return false;
    }
  }

  /// Written in another order of its dims, where that is one stride per role.
  [[nodiscard]] bool take_order(Call& call, Id<Op> user) const {
    const Op& transpose = op(user);
    if (transpose.opcode != Opcode::Transpose || transpose.shape.dtype != call.dtype) return false;
    const Op& product = op(call.dot);
    const Op &lhs = op(product.operands[0]), &rhs = op(product.operands[1]);
    const analyzer::ProductOrders orders{graph::row_major_order(lhs.shape.rank()), graph::row_major_order(rhs.shape.rank()), transpose.attributes.dimensions};
    if (!analyzer::product_fit(analyzer::product_dims(computation_, product), orders, bytes(lhs.shape.dtype), bytes(product.shape.dtype)).free()) return false;
    call.matmul.result_dimensions = transpose.attributes.dimensions;
    return true;
  }

  /// A product of 16-bit operands, summed in f32, is rounded to their type by the library itself.
  [[nodiscard]] bool take_type(Call& call, const Op& convert) const {
    const DType narrow = convert.shape.dtype;
    const bool adds = call.c.valid() || call.bias.valid();
    if (call.dtype != DType::F32 || (narrow != DType::F16 && narrow != DType::BF16) || (adds && call.narrow != narrow)) return false;
    for (const Id<Op> operand : op(call.dot).operands)
      if (op(operand).shape.dtype != narrow) return false;
    call.dtype = narrow;
    return true;
  }

  /// What a sum's term is before it was widened to f32 for the sum, if the product's operands are of that type.
  [[nodiscard]] std::optional<Id<Op>> unwidened(const Call& call, Id<Op> term) const {
    const Op& convert = op(term);
    if (convert.opcode != Opcode::Convert || convert.shape.dtype != DType::F32 || call.dtype != DType::F32) return std::nullopt;
    const DType narrow = op(convert.operands[0]).shape.dtype;
    if (narrow != DType::F16 && narrow != DType::BF16) return std::nullopt;
    for (const Id<Op> operand : op(call.dot).operands)
      if (op(operand).shape.dtype != narrow) return std::nullopt;
    return convert.operands[0];
  }

  [[nodiscard]] bool take_bias(Call& call, Id<Op> other) const {
    if (call.bias.valid() || is_narrow(call) || !call.matmul.dims.lhs_batch.empty() || !call.matmul.result_dimensions.empty()) return false;
    // convert(broadcast(v)) and broadcast(convert(v)) are the same bias.
    if (const std::optional<Id<Op>> narrow = unwidened(call, other); narrow && op(*narrow).opcode == Opcode::Broadcast) {
      if (!take_vector(call, *narrow, op(*narrow).operands[0])) return false;
      call.narrow = op(*narrow).shape.dtype;
      return true;
    }
    if (op(other).opcode != Opcode::Broadcast) return false;
    const Id<Op> vector = op(other).operands[0];
    const std::optional<Id<Op>> narrow = unwidened(call, vector);
    if (!take_vector(call, other, narrow.value_or(vector))) return false;
    if (narrow) call.narrow = op(*narrow).shape.dtype;
    return true;
  }

  /// `wide` is the broadcast, `vector` what it spreads (before it was widened).
  [[nodiscard]] bool take_vector(Call& call, Id<Op> spread, Id<Op> vector) const {
    const Op& wide = op(spread);
    const graph::Shape& product = op(call.dot).shape;
    if (wide.opcode != Opcode::Broadcast || wide.attributes.dimensions != std::vector<std::int64_t>{wide.shape.rank() - 1} || product.dims.empty()) return false;
    const graph::Shape& rhs = op(op(call.dot).operands[1]).shape;
    const bool one_column_dim = rhs.rank() - static_cast<std::int64_t>(call.matmul.dims.rhs_contract.size()) == 1;
    if (!one_column_dim || op(vector).shape.dims != std::vector<std::int64_t>{product.dims.back()} || !at_hand(call, vector)) return false;
    call.bias = vector;
    return true;
  }

  [[nodiscard]] bool take_matrix(Call& call, Id<Op> value, Id<Op> other, double sign, double beta) const {
    if (const std::optional<Id<Op>> narrow = unwidened(call, other); narrow && at_hand(call, *narrow)) {
      other = *narrow;
      if (call.c.valid() || call.bias.valid() || !call.matmul.result_dimensions.empty() || op(other).shape.dims != op(value).shape.dims) return false;
      call.c = other;
      call.narrow = op(other).shape.dtype;
      call.matmul.alpha *= sign;
      call.matmul.beta = beta;
      return true;
    }
    if (call.c.valid() || call.bias.valid() || is_narrow(call) || !call.matmul.result_dimensions.empty() || op(other).shape.dims != op(value).shape.dims || (!at_hand(call, other) && !follows(call, other))) return false;
    call.c = other;
    call.matmul.alpha *= sign;
    call.matmul.beta = beta;
    return true;
  }

  const Computation& computation_;
  stitch::Problem problem_;
  const Roles& roles_;
  std::set<Id<Op>> before_others_;   ///< control predecessors
  IdVector<Op, Id<Op>> yielded_by_;  ///< the product whose call yields the value, where it took over what made it
};

/// Writes the computation anew, calls in the place of the last op they took over.
class Writer {
 public:
  Writer(const Computation& from, std::vector<Call> calls) : from_(from), calls_(std::move(calls)), now_(from.ops.size()) {
    for (const Op& op : from.ops) names_.insert(op.name);
  }

  Computation run() {
    std::map<Id<Op>, const Call*> ends;
    std::set<Id<Op>> gone;
    for (const Call& call : calls_) {
      ends[call.last] = &call;
      gone.insert(call.dot);
      gone.insert(call.taken.begin(), call.taken.end());
    }
    out_.name = from_.name;
    out_.execution_thread = from_.execution_thread;
    for (std::size_t i = 0; i < from_.ops.size(); ++i) {
      const Id<Op> id(i);
      if (const auto end = ends.find(id); end != ends.end()) {
        now_[id] = write(*end->second);
        continue;
      }
      if (gone.contains(id)) continue;
      Op op = from_.ops[id];
      for (Id<Op>& operand : op.operands) operand = now_[operand];
      for (Id<Op>& before : op.attributes.control_predecessors) before = now_[before];
      now_[id] = out_.ops.push_back(std::move(op));
    }
    out_.root = now_[from_.root];
    for (const Id<Op> parameter : from_.parameters) out_.parameters.push_back(now_[parameter]);
    return std::move(out_);
  }

 private:
  Id<Op> reshaped(Id<Op> value, const std::vector<std::int64_t>& dims, const std::string& wanted, const Op& like) {
    if (out_.ops[value].shape.dims == dims) return value;
    Op view;
    view.name = graph::free_name(names_, wanted);
    view.opcode = Opcode::Reshape;
    view.opcode_text = std::string(graph::name(Opcode::Reshape));
    view.shape.dtype = out_.ops[value].shape.dtype;
    view.shape.dims = dims;
    view.operands = {value};
    view.metadata = like.metadata;
    view.at = like.at;
    return out_.ops.push_back(std::move(view));
  }

  Id<Op> write(const Call& call) {
    const Op& dot = from_.ops[call.dot];
    const Op& last = from_.ops[call.last];
    graph::Matmul matmul = call.matmul;
    matmul.bias = call.bias.valid();
    for (const auto& [key, value] : dot.attributes.others)
      if (key == "operand_precision") matmul.precision = words(value);
    Op op;
    op.name = dot.name;
    op.opcode = Opcode::CustomCall;
    op.opcode_text = std::string(graph::name(Opcode::CustomCall));
    op.shape.dtype = call.dtype;
    op.shape.dims = dot.shape.dims;
    for (std::size_t k = 0; k < matmul.result_dimensions.size(); ++k) op.shape.dims[k] = dot.shape.dims[static_cast<std::size_t>(matmul.result_dimensions[k])];
    op.operands = {now_[dot.operands[0]], now_[dot.operands[1]]};
    if (call.c.valid()) op.operands.push_back(reshaped(now_[call.c], dot.shape.dims, fmt::format("{}.as_rows", from_.ops[call.c].name), last));
    if (call.bias.valid()) op.operands.push_back(now_[call.bias]);
    op.attributes.custom_call_target = std::string(graph::kMatmulTarget);
    op.attributes.backend_config = graph::print_backend_config(matmul);
    std::vector<std::string> names;
    for (const Id<Op> taken : call.taken)
      if (from_.ops[taken].opcode != Opcode::Reshape) names.push_back(from_.ops[taken].name);
    keep_frontend_words(op, kMergedProducts, merged_products(dot));
    keep_frontend_words(op, kKey, names);
    op.metadata = dot.metadata;
    op.at = dot.at;
    const Id<Op> product = out_.ops.push_back(std::move(op));
    return reshaped(product, last.shape.dims, fmt::format("{}.out", dot.name), last);
  }

  /// "{highest,default}" as XLA's backend_config spells it.
  static std::vector<std::string> words(std::string_view braces) {
    std::vector<std::string> out;
    std::string word;
    for (const char c : braces) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      } else if (!word.empty()) {
        out.push_back(std::move(word));
        word.clear();
      }
    }
    return out;
  }

  const Computation& from_;
  std::vector<Call> calls_;
  IdVector<Op, Id<Op>> now_;
  std::set<std::string> names_;
  Computation out_;
};

}  // namespace

Graph with_library_epilogues(const Graph& graph, const PlanOptions& options) {
  Graph out = graph;
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    const Computation& computation = graph.computations[Id<Computation>(c)];
    if (std::ranges::none_of(computation.ops, [](const Op& op) { return op.opcode == Opcode::Dot; })) continue;
    Finder finder(graph, computation, options);
    std::vector<Call> calls;
    for (std::size_t i = 0; i < computation.ops.size(); ++i)
      if (std::optional<Call> call = finder.call_at(Id<Op>(i))) calls.push_back(*std::move(call));
    if (!calls.empty()) out.computations[Id<Computation>(c)] = Writer(computation, std::move(calls)).run();
  }
  return out;
}

std::vector<std::string> epilogue_ops(const Op& call) { return frontend_words(call, kKey); }

}  // namespace seam::planner
