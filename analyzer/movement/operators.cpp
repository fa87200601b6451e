/// A module cut into operators (analyzer/movement.h has the rules).
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "analyzer/shares.h"
#include "movement/softmax.h"

namespace seam::analyzer {

using graph::Graph;
using graph::Op;

namespace {

struct Named {
  Granularity granularity;
  std::string_view name, meaning;
};
constexpr Named kNames[] = {
    {Granularity::Plain, "plain", "an operator is an origin scope; scale, softmax and dropout are one each, forward and backward (PyTorch of 2020)"},
    {Granularity::ScaleSplit, "scale-split", "an operator is an origin scope; forward scale, softmax and dropout are one each, the backward scale belongs to its softmax"},
    {Granularity::SoftmaxDropoutSplit, "softmax-dropout-split", "an operator is an origin scope; softmax and dropout are one each, forward and backward, scales belong to their softmax"},
    {Granularity::Paper46, "paper46", "an operator is an origin scope; scale, softmax and dropout are one where they share a scope, as in the 46 operators of \"Data Movement Is All You Need\""},
};
const Named& named(Granularity granularity) { return *std::ranges::find(kNames, granularity, &Named::granularity); }

/// Of the operator as a whole: what computes decides, then what moves most.
Class class_of_operator(const graph::Computation& computation, const std::vector<Id<Op>>& ops, const std::map<Id<Op>, Class>& classes) {
  std::map<Class, std::int64_t> words;
  for (const Id<Op> id : ops) {
    const auto found = classes.find(id);
    const OpCost cost = cost_of(computation, computation.ops[id]);
    words[found == classes.end() ? class_of(computation.ops[id]) : found->second] += cost.words_in + cost.words_out;
  }
  for (const Class c : {Class::Contraction, Class::Normalization, Class::Elementwise})
    if (words.contains(c)) return c;
  const auto most = std::ranges::max_element(words, {}, [](const auto& entry) { return entry.second; });
  return most == words.end() ? Class::Other : most->first;
}

using Parts = std::vector<std::pair<std::string, std::vector<Id<Op>>>>;

/// A softmax scope in the parts that `granularity` knows, in the order they run. `own` is the scope without what any softmax claims.
Parts cut(const std::string& label, const std::vector<Id<Op>>& own, const SoftmaxScope& softmax, Granularity granularity) {
  const bool scale_apart = granularity == Granularity::Plain || (granularity == Granularity::ScaleSplit && !softmax.backward);
  const bool dropout_apart = granularity != Granularity::Paper46;
  std::set<Id<Op>> core(own.begin(), own.end());
  if (!scale_apart) core.insert(softmax.scale.begin(), softmax.scale.end());
  if (!dropout_apart) core.insert(softmax.dropout.begin(), softmax.dropout.end());
  const bool whole = (!scale_apart || softmax.scale.empty()) && (!dropout_apart || softmax.dropout.empty());
  Parts parts;
  const auto put = [&](const char* what, const std::set<Id<Op>>& ops) {
    if (!ops.empty()) parts.emplace_back(whole ? label : fmt::format("{}: {}", label, what), std::vector<Id<Op>>(ops.begin(), ops.end()));
  };
  const auto put_scale = [&] { if (scale_apart) put("scale", softmax.scale); };
  const auto put_dropout = [&] { if (dropout_apart) put("dropout", softmax.dropout); };
  softmax.backward ? put_dropout() : put_scale();
  put("softmax", core);
  softmax.backward ? put_scale() : put_dropout();
  return parts;
}

}  // namespace

std::string_view name(Granularity granularity) { return named(granularity).name; }
std::string_view meaning(Granularity granularity) { return named(granularity).meaning; }

Result<Granularity> granularity_named(std::string_view text) {
  std::string names;
  for (const Named& one : kNames) {
    if (one.name == text) return one.granularity;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  }
  return fail(Error::Code::BadInput, fmt::format("there is no granularity '{}'; there are {}", text, names));
}

std::vector<Operator> operators_of(const Graph& graph, Granularity granularity) {
  std::vector<Operator> out;
  const std::vector<std::int64_t> runs = runs_of(graph);
  const std::vector<OriginGroup> groups = origin_groups(graph);
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    if (runs[c] < 0) continue;
    const Id<graph::Computation> id(c);
    const graph::Computation& computation = graph.computations[id];
    const Values values = values_of(computation);
    const std::map<Id<Op>, Class> classes = classes_of(graph, id, groups);
    const std::vector<SoftmaxScope> softmaxes = softmax_scopes(graph, values, groups);
    std::set<Id<Op>> claimed;
    for (const SoftmaxScope& one : softmaxes) {
      claimed.insert(one.scale.begin(), one.scale.end());
      claimed.insert(one.dropout.begin(), one.dropout.end());
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].computation != id) continue;
      std::vector<Id<Op>> own;
      std::ranges::copy_if(groups[g].ops, std::back_inserter(own), [&](Id<Op> op) { return !claimed.contains(op); });
      const auto softmax = std::ranges::find(softmaxes, g, &SoftmaxScope::group);
      Parts parts;
      if (softmax != softmaxes.end())
        parts = cut(groups[g].label(), own, *softmax, granularity);
      else if (!own.empty())
        parts = {{groups[g].label(), own}};
      for (auto& [label, ops] : parts) {
        Operator one{std::move(label), id, std::move(ops), Class::Elementwise, std::max<std::int64_t>(1, runs[c]), {}};
        const bool beside_softmax = softmax != softmaxes.end() && (one.label.ends_with(": scale") || one.label.ends_with(": dropout"));
        if (!beside_softmax) one.op_class = class_of_operator(computation, one.ops, classes);
        one.traffic = traffic_of(values, one.ops);
        out.push_back(std::move(one));
      }
    }
  }
  return out;
}

}  // namespace seam::analyzer
