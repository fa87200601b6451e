#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analyzer/recorded_graph.h"
#include "graph/cuts.h"
#include "graph/torch_calls.h"
#include "recorded/calls.h"
#include "recorded/memory.h"

namespace seam::analyzer {

using graph::torch::Argument;
using graph::torch::TensorType;

namespace recorded {
namespace {

/// "aten::add_.Tensor(Tensor(a!) self, …)" or "aten::add_" -> "aten.add_.Tensor", "aten.add_"; empty: no operator ("ProfilerStep#1", "autograd::engine::…").
std::string target_of(const RecordedCall& call) {
  const std::string name = call.schema.empty() ? call.name : call.schema.substr(0, call.schema.find('('));
  const std::size_t colon = name.find("::");
  if (colon == std::string::npos || colon == 0 || name.find("::", colon + 2) != std::string::npos || name.find_first_of(" #<[(") != std::string::npos) return {};
  return name.substr(0, colon) + "." + name.substr(colon + 2);
}

/// Operators that hand the host a number, or only shape and place memory.
bool gives_no_tensor(std::string_view name) {
  static constexpr std::string_view kNames[] = {"aten::_local_scalar_dense", "aten::item", "aten::is_nonzero", "aten::is_pinned", "aten::resize_", "aten::set_", "aten::record_stream", "aten::_has_same_storage_numel"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Operators that only get memory or look at it in another way.
bool is_bookkeeping(std::string_view name) {
  static constexpr std::string_view kNames[] = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_", "set_", "view", "as_strided", "transpose", "t", "permute",
                                                "slice", "select", "narrow", "unsqueeze", "squeeze", "expand", "expand_as", "alias", "detach", "reshape", "_reshape_alias", "_unsafe_view", "flatten", "unflatten",
                                                "resolve_conj", "resolve_neg", "view_as", "swapaxes", "movedim", "record_stream", "is_pinned"};
  return name.starts_with("aten::") && std::ranges::find(kNames, name.substr(6)) != std::end(kNames);
}

bool is_in_place(const RecordedCall& call) { return call.name.ends_with('_') && !call.name.ends_with("__"); }

std::vector<TensorUse> tensors_of(const std::vector<Slot>& slots) {
  std::vector<TensorUse> out;
  for (const Slot& slot : slots) out.insert(out.end(), slot.tensors.begin(), slot.tensors.end());
  return out;
}

class Build {
 public:
  Build(const CallForest& forest, std::size_t first, std::size_t last, RecordedGraph& out)
      : forest_(forest), first_(first), last_(last), out_(out), calls_("recorded"), memory_(calls_, forest.identified, out) {
    note_uses();
  }

  Result<void> run() {
    std::vector<bool> covered(forest_.calls.size(), false);
    for (std::size_t k = first_; k < last_; ++k) {
      const RecordedCall& call = forest_.calls[k];
      covered[k] = call.parent && covered[*call.parent];
      if (covered[k]) continue;
      SEAM_TRY(covered[k], emit(k));
    }
    return {};
  }

  Result<graph::Graph> finish() {
    std::vector<std::string> outputs;
    for (const std::string& name : results_)
      if (!memory_.was_read(name)) outputs.push_back(name);
    const auto donated = memory_.written_parameters();
    std::erase_if(outputs, [&](const std::string& name) { return std::ranges::any_of(donated, [&](const auto& pair) { return pair.second == name; }); });
    if (outputs.empty() && donated.empty()) return fail(Error::Code::BadInput, "no operator of this run could be understood: none left a result");
    return calls_.finish(outputs, donated);
  }

 private:
  /// Where each tensor number is written and read, to know what leaves a call.
  void note_uses() {
    if (!forest_.identified) return;
    for (std::size_t k = first_; k < last_; ++k) {
      for (const TensorUse& use : tensors_of(forest_.calls[k].inputs))
        if (use.id) uses_[use.id->tensor].push_back({k, false});
      for (const TensorUse& use : tensors_of(forest_.calls[k].outputs))
        if (use.id) uses_[use.id->tensor].push_back({k, true});
    }
  }

  [[nodiscard]] bool inside(std::size_t call, std::size_t around) const {
    std::optional<std::size_t> at = call;
    while (at && *at > around) at = forest_.calls[*at].parent;
    return at == around;
  }

  /// What it computes, no call inside it does: those only get memory for it.
  [[nodiscard]] bool computes_itself(std::size_t around) const {
    return std::ranges::all_of(forest_.calls[around].children, [&](std::size_t child) { return is_bookkeeping(forest_.calls[child].name) && computes_itself(child); });
  }

  /// Something made within the call, and not handed out by it, is read after it: then its parts stand in the graph, not the whole.
  [[nodiscard]] bool leaks(std::size_t around) const {
    std::set<std::int64_t> handed;
    for (const TensorUse& use : tensors_of(forest_.calls[around].outputs))
      if (use.id) handed.insert(use.id->tensor);
    std::vector<std::size_t> stack(forest_.calls[around].children);
    std::set<std::int64_t> made;
    while (!stack.empty()) {
      const RecordedCall& call = forest_.calls[stack.back()];
      stack.pop_back();
      stack.insert(stack.end(), call.children.begin(), call.children.end());
      for (const TensorUse& use : tensors_of(call.outputs))
        if (use.id && !handed.contains(use.id->tensor)) made.insert(use.id->tensor);
    }
    for (const TensorUse& use : tensors_of(forest_.calls[around].inputs))
      if (use.id) made.erase(use.id->tensor);
    for (const std::int64_t tensor : made) {
      const auto found = uses_.find(tensor);
      if (found == uses_.end()) continue;
      for (const Use& use : found->second) {
        if (use.call <= around || inside(use.call, around)) continue;
        if (!use.written) return true;
        break;  // the number is used again
      }
    }
    return false;
  }

  /// Where operators take weights: what nothing makes there comes from outside.
  static bool is_weight(std::string_view target, std::size_t place) {
    struct Weights {
      std::string_view name;
      std::size_t first, last;
    };
    static constexpr Weights kWeights[] = {{"linear", 1, 2}, {"addmm", 0, 0}, {"t", 0, 0}, {"transpose", 0, 0}, {"convolution", 1, 2}, {"_convolution", 1, 2}, {"conv1d", 1, 2}, {"conv2d", 1, 2},
                                           {"cudnn_convolution", 1, 1}, {"layer_norm", 2, 3}, {"native_layer_norm", 2, 3}, {"batch_norm", 1, 4}, {"native_batch_norm", 1, 4},
                                           {"cudnn_batch_norm", 1, 4}, {"group_norm", 2, 3}, {"native_group_norm", 1, 2}, {"embedding", 0, 0}, {"embedding_bag", 0, 0}, {"rms_norm", 2, 2}};
    const std::string_view bare = target.substr(target.find('.') + 1);
    return std::ranges::any_of(kWeights, [&](const Weights& one) { return one.name == bare.substr(0, bare.find('.')) && place >= one.first && place <= one.last; });
  }

  Argument argument(const Slot& slot, bool may_be_weight) {
    if (slot.kind == Slot::Kind::Value) return slot.value;
    const auto one = [&](const TensorUse& use) {
      Argument name;
      name.text = memory_.read(use, may_be_weight);
      if (!name.text.empty()) name.kind = Argument::Kind::Name;
      return name;
    };
    if (slot.kind == Slot::Kind::Tensor) return one(slot.tensors.front());
    Argument list;
    list.kind = Argument::Kind::List;
    for (const TensorUse& use : slot.tensors) list.items.push_back(one(use));
    return list;
  }

  /// Whether the call stands in the graph (then nothing inside it does).
  Result<bool> emit(std::size_t k) {
    const RecordedCall& call = forest_.calls[k];
    const std::string target = target_of(call);
    if (target.empty() || !call.has_inputs) return false;
    const bool leaf = computes_itself(k);
    const bool known = graph::torch::has_meaning(target);
    if (!known && !leaf) return false;
    if (!leaf && leaks(k)) return false;
    const std::vector<TensorUse> outputs = tensors_of(call.outputs);
    if (call.outputs_known && outputs.empty()) return leaf;  // reads a number, asserts, waits: nothing for a graph
    memory_.begin_call();
    graph::torch::Node node;
    node.name = fmt::format("{}_{}", target.substr(target.find('.') + 1, target.find('.', target.find('.') + 1) - target.find('.') - 1), count_++);
    node.target = target;
    const auto keywords = keyword_places(call.name, call.schema);
    for (std::size_t place = 0; place < call.inputs.size(); ++place) {
      const auto keyword = std::ranges::find(keywords, place, &std::pair<std::size_t, std::string>::first);
      if (keyword != keywords.end())
        node.keywords.emplace_back(keyword->second, argument(call.inputs[place], is_weight(target, place)));
      else
        node.arguments.push_back(argument(call.inputs[place], is_weight(target, place)));
    }
    std::vector<std::optional<TensorType>> stated;
    if (call.outputs_known)
      for (const TensorUse& use : outputs) stated.emplace_back(use.type);
    SEAM_TRY(const std::optional<graph::torch::RecordedResults> done, calls_.call(node, stated, leaf && call.outputs_known));
    if (!done) {
      if (!leaf) return false;
      // Numbers for the host and bookkeeping leave nothing behind; others have results of shapes that nobody recorded.
      if (call.outputs_known || tensors_of(call.inputs).empty() || gives_no_tensor(call.name))
        ++out_.left_out[call.name];
      else
        memory_.leave_open(std::move(node));
      return true;
    }
    ++out_.operators;
    if (!done->opaque_because.empty()) ++out_.opaque;
    for (std::size_t r = 0; r < done->names.size(); ++r) {
      const std::string& name = done->names[r];
      if (name.empty()) continue;
      results_.push_back(name);
      const TensorUse* use = r < outputs.size() ? &outputs[r] : nullptr;
      const TensorUse* over = nullptr;  // what an in-place operator writes
      const std::vector<TensorUse> inputs = tensors_of(call.inputs);
      if (is_in_place(call) && r < inputs.size()) over = &inputs[r];
      if (std::string whole = memory_.write(name, use, over); !whole.empty()) results_.push_back(std::move(whole));
    }
    return true;
  }

  struct Use {
    std::size_t call;
    bool written;
  };

  const CallForest& forest_;
  std::size_t first_, last_;
  RecordedGraph& out_;
  graph::torch::RecordedCalls calls_;
  Memory memory_;
  std::unordered_map<std::int64_t, std::vector<Use>> uses_;
  std::vector<std::string> results_;
  std::size_t count_ = 0;
};

/// Calls [first, last) of the chosen step.
Result<std::pair<std::size_t, std::size_t>> scope_of(const CallForest& forest, std::int64_t step, std::string& said) {
  std::vector<std::size_t> starts;
  for (std::size_t k = 0; k < forest.calls.size(); ++k)
    if (forest.calls[k].name.starts_with("ProfilerStep")) starts.push_back(k);
  if (starts.empty()) {
    if (step >= 0) return fail(Error::Code::BadInput, fmt::format("step {}: this run has no marked steps (ProfilerStep#…)", step));
    said = "the whole run";
    return std::pair<std::size_t, std::size_t>{0, forest.calls.size()};
  }
  const auto count = static_cast<std::int64_t>(starts.size());
  if (step >= count) return fail(Error::Code::BadInput, fmt::format("step {}: this run has {} marked steps, counted from 0", step, count));
  const auto which = static_cast<std::size_t>(step < 0 ? count - 1 : step);
  said = "step " + forest.calls[starts[which]].name;
  return std::pair{starts[which], which + 1 < starts.size() ? starts[which + 1] : forest.calls.size()};
}

}  // namespace
}  // namespace recorded

Result<RecordedGraph> graph_of_run(const db::Database& run, const RecordedGraphOptions& options) {
  SEAM_TRY(const recorded::CallForest forest, recorded::calls_of(run));
  RecordedGraph out;
  if (forest.calls.empty()) return fail(Error::Code::BadInput, "this run has no operators of PyTorch to make a graph of; record with torch.profiler, record_shapes=True, or give a graph (docs/inputs.md)");
  if (std::ranges::none_of(forest.calls, [](const recorded::RecordedCall& call) { return std::ranges::any_of(call.inputs, [](const recorded::Slot& slot) { return !slot.tensors.empty(); }); })) {
    return fail(Error::Code::BadInput, "this run has operators, but not their shapes; record with profile(record_shapes=True), or with an ExecutionTraceObserver beside it");
  }
  SEAM_TRY(const auto scope, recorded::scope_of(forest, options.step, out.scope));
  recorded::Build build(forest, scope.first, scope.second, out);
  SEAM_DO(build.run());
  SEAM_TRY(out.graph, build.finish());
  graph::set_cuts(out.graph, out.cuts);
  return out;
}

}  // namespace seam::analyzer
