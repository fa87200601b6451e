#include "report/match.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analyzer/op_cost.h"
#include "analyzer/origin.h"
#include "planner/planner.h"

namespace seam::report {
namespace {

using graph::Opcode;

/// Computes nothing of its own, or nothing that tells one kernel from another.
bool tells_nothing(const graph::Op& op) {
  switch (op.opcode) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Bitcast:
    case Opcode::Reshape:
    case Opcode::Copy:
    case Opcode::Broadcast:
    case Opcode::Iota: return true;
    default: return false;
  }
}

/// Where an op comes from. `spot` is the primitive, function and line: "mul tf_softmax 72"; `directed` says forward or backward as well. The path before
/// the primitive is left out: calls and loop bodies that one side has inlined make it differ, and in a body that is not, the direction is not known
/// either. Empty where the op says nothing.
struct Place {
  std::string spot, directed;
};
Place place_of(const graph::Graph& graph, const graph::Op& op) {
  const analyzer::Origin origin = analyzer::origin_of(graph, op);
  if (origin.primitive.empty() || origin.function.empty()) return {};
  const std::string spot = origin.primitive + " " + origin.function + " " + std::to_string(origin.line);
  return {spot, spot + (origin.backward ? " backward" : " forward")};
}

/// One of our ops: which kernel has it. An op that several kernels recompute has several.
struct Owned {
  std::vector<std::size_t> kernels;
  Place place;
};

bool digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

/// Ends of the dotted parts of a name.
std::vector<std::size_t> dots(std::string_view name) {
  std::vector<std::size_t> ends;
  for (std::size_t at = name.find('.'); at != std::string_view::npos; at = name.find('.', at + 1)) ends.push_back(at);
  ends.push_back(name.size());
  return ends;
}

/// "tanh.30" of "closed_call.3.tanh.30": what an op was called before its callee was inlined.
std::string_view own_name(std::string_view name) {
  const std::vector<std::size_t> ends = dots(name);
  const std::size_t keep = digits(name.substr(ends.size() > 1 ? ends[ends.size() - 2] + 1 : 0)) ? 2 : 1;
  if (ends.size() <= keep) return name;
  return name.substr(ends[ends.size() - keep - 1] + 1);
}

class Matcher {
 public:
  Matcher(const graph::Graph& optimized, const graph::Graph& planned, const planner::Plan& plan)
      : optimized_(optimized), planned_(planned), plan_(plan) {}

  KernelMatches run() {
    ours();
    std::set<Id<graph::Computation>> seen;
    theirs(optimized_.entry, seen);
    pair_calls();
    for (const auto& [pair, shared] : shared_) out_.overlaps.push_back({pair.first, pair.second, shared.ops, shared.bytes});
    std::ranges::stable_sort(
        out_.overlaps, [](const KernelOverlap& a, const KernelOverlap& b) { return a.theirs != b.theirs ? a.theirs < b.theirs : a.ops > b.ops; });
    kept_bytes();
    for (std::size_t k = 0; k < out_.ours.size(); ++k) {
      for (const auto& [op, found] : found_[k]) out_.ours[k].found += std::min(found, 1.0);
    }
    return std::move(out_);
  }

 private:
  using Key = std::pair<Id<graph::Computation>, Id<graph::Op>>;
  struct Shared {
    double ops = 0, bytes = 0;
  };

  void own(std::size_t kernel, Id<graph::Computation> where, Id<graph::Op> id) {
    const graph::Op& op = planned_.computations[where].ops[id];
    if (tells_nothing(op)) return;
    ++out_.ours[kernel].ops;
    const auto key = std::make_pair(where, id);
    Owned& owned = owned_[key];
    if (owned.kernels.empty()) {
      owned.place = place_of(planned_, op);
      by_name_[op.name].push_back(key);
      if (const std::string_view name = own_name(op.name); name != op.name) by_name_[std::string(name)].push_back(key);
      if (!owned.place.spot.empty()) {
        by_place_[owned.place.directed].push_back(key);
        by_place_[owned.place.spot].push_back(key);
      }
    }
    owned.kernels.push_back(kernel);
  }

  void ours() {
    for (const planner::ComputationPlan& computation : plan_.computations) {
      for (const planner::Step& step : computation.steps) {
        if (step.kind == planner::StepKind::Kernel) {
          const planner::FusionGroup& group = computation.groups[step.group];
          out_.ours.push_back({group.name, false, 0, 0, 0});
          std::set<Id<graph::Op>> once;
          for (const planner::Part& part : group.parts) {
            for (const planner::PlannedOp& op : part.ops) {
              once.insert(op.op);
              if (op.output) in_memory(computation.computation, op.op);
            }
          }
          for (const Id<graph::Op> op : once) own(out_.ours.size() - 1, computation.computation, op);
        } else if (step.kind == planner::StepKind::Library) {
          const graph::Op& op = planned_.computations[computation.computation].ops[step.op];
          out_.ours.push_back({op.name, true, 0, 0, 0});
          own(out_.ours.size() - 1, computation.computation, step.op);
          calls_.emplace(out_.ours.size() - 1, Key{computation.computation, step.op});
          in_memory(computation.computation, step.op);
          for (const std::string& name : planner::epilogue_ops(op)) taken_over_.emplace(name, std::vector<Key>{{computation.computation, step.op}});
        }
      }
    }
    found_.resize(out_.ours.size());
  }

  /// A value of ours lies in memory, and so does what it is a view or a copy of.
  void in_memory(Id<graph::Computation> where, Id<graph::Op> id) {
    while (in_memory_.insert({where, id}).second) {
      const graph::Op& op = planned_.computations[where].ops[id];
      if (!tells_nothing(op) || op.operands.size() != 1) return;
      id = op.operands[0];
    }
  }

  /// Launches of a computation and of what it runs, in order.
  void theirs(Id<graph::Computation> id, std::set<Id<graph::Computation>>& seen) {
    if (!seen.insert(id).second) return;
    const graph::Computation& computation = optimized_.computations[id];
    for (std::size_t i = 0; i < computation.ops.size(); ++i) {
      const graph::Op& op = computation.ops[Id<graph::Op>(i)];
      switch (op.opcode) {
        case Opcode::While:
        case Opcode::Conditional:
        case Opcode::Call:
          for (const Id<graph::Computation> callee : op.attributes.calls) theirs(callee, seen);
          break;
        case Opcode::Fusion: launched({id, Id<graph::Op>(i)}, false); break;
        case Opcode::CustomCall: launched({id, Id<graph::Op>(i)}, true); break;
        default:
          if (!tells_nothing(op)) launched({id, Id<graph::Op>(i)}, false);
      }
    }
  }

  void launched(const Key& key, bool library) {
    const graph::Op& op = optimized_.computations[key.first].ops[key.second];
    out_.theirs.push_back({op.name, library, 0, 0, 0});
    launches_.push_back(key);
    inside(op);
  }

  using CallSize = std::tuple<double, std::int64_t, std::int64_t>;  ///< flops, bytes in and out
  static CallSize size_of_call(const graph::Graph& graph, const Key& key) {
    const graph::Computation& computation = graph.computations[key.first];
    const analyzer::OpCost cost = analyzer::cost_of(computation, computation.ops[key.second]);
    return {cost.flops, cost.bytes_in, cost.bytes_out};
  }

  /// A library call is one call of the other side's. Products of one source line, forward and turned, are told apart by their size; those whose names both
  /// sides have lost are paired by it, in order.
  void pair_calls() {
    std::map<std::size_t, CallSize> theirs, ours;
    for (std::size_t k = 0; k < launches_.size(); ++k)
      if (out_.theirs[k].library) theirs.emplace(k, size_of_call(optimized_, launches_[k]));
    for (const auto& [k, key] : calls_) ours.emplace(k, size_of_call(planned_, key));
    std::set<std::size_t> alike;  // theirs that have a pair of their size
    for (const auto& [pair, shared] : shared_)
      if (theirs.contains(pair.first) && ours.contains(pair.second) && theirs.at(pair.first) == ours.at(pair.second)) alike.insert(pair.first);
    std::erase_if(shared_, [&](const auto& entry) {
      const auto& [k, own] = entry.first;
      return alike.contains(k) && ours.contains(own) && theirs.at(k) != ours.at(own);
    });
    std::map<std::size_t, std::size_t> paired;  // of several alike the first that is free; then those that differ by what their epilogues read
    std::set<std::size_t> taken;
    for (const bool exactly : {true, false}) {
      for (const auto& [pair, shared] : shared_) {
        const auto& [k, own] = pair;
        if (!theirs.contains(k) || !ours.contains(own) || paired.contains(k) || taken.contains(own)) continue;
        if (exactly ? theirs.at(k) != ours.at(own) : std::get<0>(theirs.at(k)) != std::get<0>(ours.at(own))) continue;
        taken.insert(own);
        paired.emplace(k, own);
      }
    }
    std::erase_if(shared_, [&](const auto& entry) {
      const auto& [k, own] = entry.first;
      return theirs.contains(k) && ours.contains(own) && paired.contains(k) && paired.at(k) != own;
    });
    for (const auto& [k, own] : paired) {
      theirs.erase(k);
      ours.erase(own);
    }
    for (const auto& [k, size] : theirs) {
      const auto same = std::ranges::find_if(ours, [&, size = size](const auto& one) { return one.second == size; });
      if (same == ours.end()) continue;
      shared_[{k, same->first}] = {1, static_cast<double>(planned_.computations[calls_.at(same->first).first].ops[calls_.at(same->first).second].shape.byte_size())};
      ours.erase(same);
      out_.theirs[k].found = 1;
      ++out_.by_size;
      if (out_.unknown > 0) --out_.unknown;
    }
  }

  /// What a result of an instruction is inside it, views and copies taken off.
  const graph::Op& computed(const graph::Op& op, std::size_t leaf) const {
    if (op.opcode != Opcode::Fusion) return op;
    const graph::Computation& body = optimized_.computations[op.attributes.calls[0]];
    const graph::Op* at = &body.ops[body.root];
    if (at->opcode == Opcode::Tuple && leaf < at->operands.size()) at = &body.ops[at->operands[leaf]];
    while (tells_nothing(*at) && at->operands.size() == 1) at = &body.ops[at->operands[0]];
    return *at;
  }

  /// Whether we compute that value and keep it out of memory.
  bool kept(const graph::Op& op, std::size_t leaf) const {
    const graph::Op& value = computed(op, leaf);
    if (tells_nothing(value)) return false;
    const Place place = place_of(optimized_, value);
    const std::vector<Key>* keys = by_name(value, place);
    if (keys == nullptr) keys = by_place(place);
    return keys != nullptr && std::ranges::none_of(*keys, [&](const Key& key) { return in_memory_.contains(key); });
  }

  void kept_bytes() {
    std::set<std::tuple<Id<graph::Computation>, Id<graph::Op>, std::size_t>> away;
    for (std::size_t k = 0; k < launches_.size(); ++k) {
      const auto [where, id] = launches_[k];
      const graph::Op& op = optimized_.computations[where].ops[id];
      const std::size_t leaves = op.shape.is_tuple ? op.shape.elements.size() : 1;
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        if (!kept(op, leaf)) continue;
        away.insert({where, id, leaf});
        out_.theirs[k].kept_bytes += (op.shape.is_tuple ? op.shape.elements[leaf] : op.shape).byte_size();
      }
    }
    for (std::size_t k = 0; k < launches_.size(); ++k) {
      const auto [where, id] = launches_[k];
      const graph::Computation& computation = optimized_.computations[where];
      const std::vector<Id<graph::Op>>& operands = computation.ops[id].operands;
      for (const Id<graph::Op> operand : std::set<Id<graph::Op>>(operands.begin(), operands.end())) {
        Id<graph::Op> at = operand;
        std::size_t leaf = 0;
        while (computation.ops[at].opcode == Opcode::Bitcast || computation.ops[at].opcode == Opcode::GetTupleElement) {
          if (computation.ops[at].opcode == Opcode::GetTupleElement) leaf = static_cast<std::size_t>(computation.ops[at].attributes.index);
          at = computation.ops[at].operands[0];
        }
        if (away.contains({where, at, leaf})) out_.theirs[k].kept_bytes += computation.ops[operand].shape.byte_size();
      }
    }
  }

  void inside(const graph::Op& op) {
    if (op.opcode == Opcode::Fusion) {
      for (const graph::Op& one : optimized_.computations[op.attributes.calls[0]].ops) inside(one);
      return;
    }
    if (tells_nothing(op)) return;
    MatchedKernel& kernel = out_.theirs.back();
    ++kernel.ops;
    const Place place = place_of(optimized_, op);
    if (const std::vector<Key>* named = by_name(op, place)) {
      ++out_.by_name;
      credit(*named);
    } else if (const std::vector<Key>* placed = by_place(place)) {
      ++out_.by_position;
      credit(*placed);
    } else {
      ++out_.unknown;
      return;
    }
    kernel.found += 1;
  }

  const std::vector<Key>* by_place(const Place& place) const {
    for (const std::string& key : {place.directed, place.spot}) {
      if (const auto found = by_place_.find(key); !key.empty() && found != by_place_.end()) return &found->second;
    }
    return nullptr;
  }

  /// The longest part of its name that one of ours has, from the same spot; or that one of our library calls took over.
  const std::vector<Key>* by_name(const graph::Op& op, const Place& place) const {
    const std::vector<std::size_t> ends = dots(op.name);
    for (std::size_t i = ends.size(); i-- > 0;) {
      const auto found = by_name_.find(op.name.substr(0, ends[i]));
      if (found == by_name_.end() || found->second.size() != 1) continue;
      if (owned_.at(found->second.front()).place.spot == place.spot) return &found->second;
    }
    for (std::size_t i = ends.size(); i-- > 0;) {
      if (const auto found = taken_over_.find(op.name.substr(0, ends[i])); found != taken_over_.end()) return &found->second;
    }
    return nullptr;
  }

  /// This instruction computes one of `keys`: each counts for its share, and no op counts more than once for one pair.
  void credit(const std::vector<Key>& keys) {
    const std::size_t theirs = out_.theirs.size() - 1;
    const double share = 1.0 / static_cast<double>(keys.size());
    for (const Key& key : keys) {
      for (const std::size_t ours : owned_.at(key).kernels) {
        double& counted = counted_[{theirs, ours, key}];
        const double more = std::min(share, 1.0 - counted);
        counted += more;
        Shared& shared = shared_[{theirs, ours}];
        shared.ops += more;
        shared.bytes += more * static_cast<double>(planned_.computations[key.first].ops[key.second].shape.byte_size());
        found_[ours][key] += more;
      }
    }
  }

  const graph::Graph &optimized_, &planned_;
  const planner::Plan& plan_;
  KernelMatches out_;
  std::map<Key, Owned> owned_;
  std::map<std::string, std::vector<Key>, std::less<>> by_name_, by_place_;
  std::map<std::string, std::vector<Key>, std::less<>> taken_over_;  ///< by name: the library call that computes it in its epilogue
  std::map<std::pair<std::size_t, std::size_t>, Shared> shared_;
  std::set<Key> in_memory_;     ///< of ours
  std::vector<Key> launches_;   ///< of theirs
  std::map<std::size_t, Key> calls_;  ///< library calls of ours, by their places in out_.ours
  std::map<std::tuple<std::size_t, std::size_t, Key>, double> counted_;
  std::vector<std::map<Key, double>> found_;  ///< by our kernel: how much of each op somebody computes
};

}  // namespace

KernelMatches match_kernels(const graph::Graph& optimized, const graph::Graph& planned, const planner::Plan& plan) {
  return Matcher(optimized, planned, plan).run();
}

}  // namespace seam::report
