#include "prepare/merges.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "graph/transform.h"
#include "policy/policy.h"
#include "prepare/epilogues.h"
#include "prepare/frontend.h"
#include "prepare/merge_candidates.h"
#include "prepare/merge_price.h"
#include "prepare/merge_rewrite.h"

namespace seam::planner {

using graph::Computation;
using graph::Graph;
using graph::Op;
using graph::Opcode;

namespace {

/// Whole plans made for one computation at most: planning must not take many times as long for being told what to merge.
constexpr int kMostTrials = 24;
/// Ops planned for them in all; with few trials many merges stand and fall together.
constexpr std::size_t kMostOpsTried = 100'000;
/// Merges of merged products, sums of stacked ones: rounds until none pays, within reason.
constexpr int kMostRounds = 4;

/// One computation's merges, chosen together: all that look good at first, halves of them where all together do not pay.
class Selection {
 public:
  Selection(const Graph& graph, Id<Computation> id, const PlanOptions& options, const Policy& policy)
      : id_(id), options_(options), policy_(policy), now_(graph), trials_left_(std::clamp(static_cast<int>(kMostOpsTried / std::max<std::size_t>(1, graph.computations[id].ops.size())), 3, kMostTrials)) {
    options_.emit_small_dots = options.emit_small_dots && policy.small_dots;
  }

  void run() {
    for (int round = 0; round < kMostRounds; ++round) {
      refused_.clear();
      if (!best_of_round()) break;
    }
  }

  [[nodiscard]] Graph graph() && { return std::move(now_); }
  [[nodiscard]] const std::vector<EarlyVeto>& refused() const { return refused_; }

 private:
  struct Trial {
    Graph graph;
    Price price;
    [[nodiscard]] bool beats(const Price& other) const { return price.launches <= other.launches && price.us < other.us * (1 - 1e-9); }
  };

  [[nodiscard]] Price priced(const Graph& graph) const {
    return price_of(options_.library_epilogues && policy_.epilogues ? graph::without_dead_code(with_library_epilogues(graph, options_)) : graph, id_, options_, policy_);
  }

  std::optional<Trial> trial(std::span<const Merge> merges) {
    if (trials_left_ == 0) return std::nullopt;
    std::optional<Computation> written = merged(now_.computations[id_], merges);
    if (!written) return std::nullopt;
    --trials_left_;
    Trial out{now_, {}};
    out.graph.computations[id_] = *std::move(written);
    out.graph = graph::without_dead_code(out.graph);
    out.price = priced(out.graph);
    return out;
  }

  /// Each way of merging starts from the same program; the best one is taken.
  bool best_of_round() {
    const stitch::Problem problem = stitch::problem_of(now_, now_.computations[id_], options_, false);
    std::vector<std::vector<Merge>> ways;
    for (MergeCandidates found : {stacks(problem, Reach::Any), stacks(problem, Reach::Level), sums(problem)}) {
      std::ranges::move(found.refused, std::back_inserter(refused_));
      std::vector<Merge> worth = worth_trying(problem, std::move(found.merges));
      if (!worth.empty() && std::ranges::find(ways, worth) == ways.end()) ways.push_back(std::move(worth));
    }
    if (ways.empty()) return false;
    if (!price_) price_ = priced(now_);
    std::optional<Trial> best;
    for (const std::vector<Merge>& way : ways)
      if (std::optional<Trial> one = best_part(way); one && (!best || one->beats(best->price))) best = std::move(one);
    if (!best) return false;
    price_ = best->price;
    now_ = std::move(best->graph);
    return true;
  }

  std::vector<Merge> worth_trying(const stitch::Problem& problem, std::vector<Merge> merges) {
    std::vector<Merge> out;
    const std::vector<Guess> expected = guesses(problem, merges);
    for (std::size_t i = 0; i < merges.size(); ++i) {
      if (expected[i].pays()) {
        out.push_back(std::move(merges[i]));
      } else {
        refuse(merges[i], {{"apart_us", expected[i].apart_us}, {"merged_us", expected[i].merged_us}});
      }
    }
    return out;
  }

  /// All of them, or the better half, or a half of that …; what fails alone is refused with the figures of its program.
  std::optional<Trial> best_part(std::span<const Merge> merges) {
    std::optional<Trial> all = trial(merges);
    if (all && all->beats(*price_)) return all;
    if (merges.size() == 1) {
      std::map<std::string, double> numbers;
      if (all) numbers = {{"apart_us", price_->us}, {"merged_us", all->price.us}, {"apart_launches", static_cast<double>(price_->launches)}, {"merged_launches", static_cast<double>(all->price.launches)}};
      refuse(merges.front(), std::move(numbers));
      return std::nullopt;
    }
    std::optional<Trial> best;
    for (const std::span<const Merge> half : {merges.first(merges.size() / 2), merges.subspan(merges.size() / 2)})
      if (std::optional<Trial> one = best_part(half); one && (!best || one->beats(best->price))) best = std::move(one);
    return best;
  }

  void refuse(const Merge& merge, std::map<std::string, double> numbers) {
    EarlyVeto refused{VetoCode::MergeCostsMore, now_.computations[id_].name, {}, std::move(numbers)};
    for (const Id<Op> dot : merge.dots) refused.ops.push_back(now_.computations[id_].ops[dot].name);
    refused_.push_back(std::move(refused));
  }

  Id<Computation> id_;
  PlanOptions options_;
  const Policy& policy_;
  Graph now_;
  std::optional<Price> price_;  ///< of now_, once anybody asks
  int trials_left_;
  std::vector<EarlyVeto> refused_;
};

}  // namespace

MergedProducts with_merged_products(const Graph& graph, const PlanOptions& options) {
  MergedProducts out{graph::without_dead_code(graph), {}};
  const Policy* policy = policy_named(options.policy);
  for (std::size_t c = 0; c < out.graph.computations.size(); ++c) {
    const Id<Computation> id(c);
    if (std::ranges::count(out.graph.computations[id].ops, Opcode::Dot, &Op::opcode) < 2) continue;
    Selection selection(out.graph, id, options, *policy);
    selection.run();
    std::ranges::copy(selection.refused(), std::back_inserter(out.refused));
    out.graph = std::move(selection).graph();
  }
  return out;
}

std::vector<std::string> merged_products(const Op& product) { return frontend_words(product, kMergedProducts); }

}  // namespace seam::planner
