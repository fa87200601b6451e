#pragma once
/// Which value a recorded tensor is: by its number and storage where an execution trace has them, otherwise by shape, type and order.
#include <map>
#include <set>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/recorded_graph.h"
#include "graph/torch_calls.h"
#include "graph/views.h"
#include "recorded/calls.h"

namespace seam::analyzer::recorded {

class Memory {
 public:
  Memory(graph::torch::RecordedCalls& calls, bool identified, RecordedGraph& out) : calls_(calls), identified_(identified), out_(out) {}

  /// The value to read; a new parameter where nothing makes it. Empty: an undefined tensor. `may_be_weight`: it stands where operators take their
  /// weights.
  std::string read(const TensorUse& use, bool may_be_weight);
  /// The operands that follow are those of one call: guesses take different values for them where there are several.
  void begin_call() { of_this_call_.clear(); }
  /// `name` is a result; `use`: as recorded, or null; `over`: what an in-place operator overwrites, or null. Returns the value of the whole memory
  /// where that is another: a part of it was written.
  std::string write(const std::string& name, const TensorUse* use, const TensorUse* over);
  /// Without numbers: a call whose results' shapes were not recorded and follow from nothing. Who reads a tensor that nothing else makes, reads its.
  void leave_open(graph::torch::Node call) { open_.push_back(std::move(call)); }
  [[nodiscard]] bool was_read(const std::string& name) const { return read_.contains(name); }
  /// (parameter, what its memory holds at the end).
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> written_parameters() const;

 private:
  struct Known {
    std::string name;
    std::int64_t storage = 0;
    std::optional<graph::StridedView> window;  ///< what it shows of its storage; nullopt: not recorded
  };
  /// The value that fills a storage from its start.
  struct Whole {
    std::string name;
    graph::torch::TensorType type;  ///< as recorded
  };
  struct Live {
    std::string name;
    graph::torch::TensorType type;
    bool read = false;
  };

  std::string read_by_id(const TensorUse& use);
  std::string read_by_shape(const TensorUse& use, bool may_be_weight);
  std::string view_of_storage(const TensorUse& use);
  std::string parameter(const TensorUse& use);
  /// Tensors of that storage are no longer what they were, but those that `window` lies apart from.
  void forget_storage(std::int64_t storage, const std::optional<graph::StridedView>& window);
  void know(const TensorUse& use, const std::string& name);
  [[nodiscard]] bool is_untouched_parameter(const std::string& name) const;
  [[nodiscard]] bool lies_as_recorded(const Whole& whole) const;
  void cut(std::int64_t storage);
  bool is_view_of_known(const std::string& name, std::int64_t storage);
  std::string overwrite(const std::string& name, const TensorUse& at);
  std::string merged_into(std::unordered_map<std::int64_t, Whole>::const_iterator whole, const std::string& name, const TensorUse& at);
  std::string derived(std::string_view prefix, const std::pair<std::string, std::vector<graph::torch::Argument>>& call, const graph::torch::TensorType& type);

  graph::torch::RecordedCalls& calls_;
  bool identified_;
  RecordedGraph& out_;
  std::unordered_map<std::int64_t, Known> tensors_;          ///< by number
  std::unordered_map<std::int64_t, Whole> storages_;
  std::set<std::int64_t> seen_;                              ///< numbers of tensors
  std::set<std::int64_t> written_;                           ///< storages that operators of the graph wrote
  std::set<std::int64_t> lost_;                              ///< … and of which the graph does not hold what they wrote
  std::unordered_map<std::int64_t, std::set<std::int64_t>> seen_through_;  ///< storage -> numbers of its tensors
  std::string from_open_call(const TensorUse& use);

  std::vector<graph::torch::Node> open_;                     ///< oldest first
  std::vector<Live> live_;                                   ///< without numbers: results, oldest first
  std::map<std::string, std::string> parameter_now_;         ///< parameters that were overwritten, and by what
  std::map<std::string, std::string> is_parameter_;          ///< value -> the parameter whose memory it is
  std::set<std::string> read_;
  std::set<std::string> of_this_call_;                       ///< guessed for the call at hand
  std::size_t count_ = 0;
};

}  // namespace seam::analyzer::recorded
