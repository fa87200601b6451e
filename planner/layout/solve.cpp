#include "layout/solve.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <set>

#include "base/check.h"

namespace seam::planner::layout {
namespace {

using Variables = std::vector<std::size_t>;

/// Counts through the combinations of some variables, the last fastest, and keeps the places in other tables over subsets of them.
class Walk {
 public:
  Walk(const Network& network, const Variables& over) : over_(over), at_(over.size(), 0) {
    for (const std::size_t v : over) choices_.push_back(network.choices[v]);
  }
  /// Registers a table over `variables`; place(result) is where the current combination stands in it.
  std::size_t table(const Network& network, const Variables& variables) {
    std::vector<std::size_t> stride(over_.size(), 0);
    std::size_t size = 1;
    for (std::size_t i = variables.size(); i-- > 0;) {
      stride[static_cast<std::size_t>(std::ranges::lower_bound(over_, variables[i]) - over_.begin())] = size;
      size *= network.choices[variables[i]];
    }
    strides_.push_back(std::move(stride));
    places_.push_back(0);
    return places_.size() - 1;
  }
  [[nodiscard]] std::size_t place(std::size_t table) const { return places_[table]; }
  bool next() {
    for (std::size_t i = over_.size(); i-- > 0;) {
      if (++at_[i] < choices_[i]) {
        for (std::size_t t = 0; t < places_.size(); ++t) places_[t] += strides_[t][i];
        return true;
      }
      for (std::size_t t = 0; t < places_.size(); ++t) places_[t] -= strides_[t][i] * (choices_[i] - 1);
      at_[i] = 0;
    }
    return false;
  }

 private:
  const Variables& over_;
  Variables at_, choices_;
  std::vector<Variables> strides_;
  Variables places_;
};

std::size_t place_of(const Network& network, const Variables& variables, const Variables& chosen) {
  std::size_t place = 0;
  for (const std::size_t v : variables) place = place * network.choices[v] + chosen[v];
  return place;
}

Variables united(const Variables& a, const Variables& b) {
  Variables out;
  std::ranges::set_union(a, b, std::back_inserter(out));
  return out;
}

class Eliminator {
 public:
  Eliminator(const Network& network, std::size_t most_entries) : network_(network), most_(most_entries) {}

  Solution run() {
    order();
    std::vector<std::vector<const Factor*>> bucket(network_.choices.size());
    std::vector<std::size_t> position(network_.choices.size());
    for (std::size_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    Solution out;
    const auto file = [&](const Factor& factor) {
      if (factor.variables.empty()) {
        out.lower_bound += factor.cost.at(0);
        return;
      }
      bucket[*std::ranges::min_element(factor.variables, {}, [&](std::size_t v) { return position[v]; })].push_back(&factor);
    };
    for (const Factor& factor : network_.factors) file(factor);
    std::vector<std::vector<const Factor*>> seen(network_.choices.size());
    for (const std::size_t v : order_) {
      seen[v] = bucket[v];
      for (const std::vector<const Factor*>& part : parts(bucket[v])) {
        made_.push_back(std::make_unique<Factor>(without(v, part)));
        file(*made_.back());
      }
      out.exact = out.exact && !split_;
    }
    out.chosen.assign(network_.choices.size(), 0);
    for (std::size_t i = order_.size(); i-- > 0;) {
      const std::size_t v = order_[i];
      double least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t c = 0; c < network_.choices[v]; ++c) {
        out.chosen[v] = c;
        double cost = 0;
        for (const Factor* factor : seen[v]) cost += factor->cost[place_of(network_, factor->variables, out.chosen)];
        if (cost < least) least = cost, best = c;
      }
      out.chosen[v] = best;
    }
    if (!out.exact) improve(out.chosen);
    out.cost = network_.cost(out.chosen);
    if (out.exact) out.lower_bound = out.cost;
    return out;
  }

 private:
  [[nodiscard]] double size_of(const std::set<std::size_t>& variables) const {
    double size = 1;
    for (const std::size_t v : variables) size *= static_cast<double>(network_.choices[v]);
    return size;
  }

  /// Always the variable whose neighbours have the fewest combinations.
  void order() {
    std::vector<std::set<std::size_t>> near(network_.choices.size());
    for (const Factor& factor : network_.factors)
      for (const std::size_t a : factor.variables)
        for (const std::size_t b : factor.variables)
          if (a != b) near[a].insert(b);
    std::set<std::pair<double, std::size_t>> waiting;
    std::vector<double> size(near.size());
    for (std::size_t v = 0; v < near.size(); ++v) waiting.emplace(size[v] = size_of(near[v]), v);
    while (!waiting.empty()) {
      const std::size_t v = waiting.begin()->second;
      waiting.erase(waiting.begin());
      order_.push_back(v);
      for (const std::size_t a : near[v]) {
        near[a].erase(v);
        // Beyond what a table may hold buckets are split anyway: joining all neighbours would only cost time.
        if (size[v] <= static_cast<double>(most_))
          for (const std::size_t b : near[v])
            if (a != b) near[a].insert(b);
        waiting.erase({size[a], a});
        waiting.emplace(size[a] = size_of(near[a]), a);
      }
    }
  }

  /// Factors that are added up together; more than one part if a table would be too large.
  std::vector<std::vector<const Factor*>> parts(const std::vector<const Factor*>& bucket) {
    split_ = false;
    std::vector<std::vector<const Factor*>> out;
    std::vector<Variables> scopes;
    for (const Factor* factor : bucket) {
      bool placed = false;
      for (std::size_t i = 0; i < out.size() && !placed; ++i) {
        Variables both = united(scopes[i], factor->variables);
        double size = 1;
        for (const std::size_t v : both) size *= static_cast<double>(network_.choices[v]);
        if (size > static_cast<double>(most_) && both.size() > std::max(scopes[i].size(), factor->variables.size())) continue;
        out[i].push_back(factor);
        scopes[i] = std::move(both);
        placed = true;
      }
      if (placed) continue;
      split_ = split_ || !out.empty();
      out.push_back({factor});
      scopes.push_back(factor->variables);
    }
    return out;
  }

  /// The least over v of the sum, per combination of the other variables.
  Factor without(std::size_t v, const std::vector<const Factor*>& factors) {
    Variables scope;
    for (const Factor* factor : factors) scope = united(scope, factor->variables);
    Factor out;
    std::ranges::copy_if(scope, std::back_inserter(out.variables), [&](std::size_t u) { return u != v; });
    std::size_t size = 1;
    for (const std::size_t u : out.variables) size *= network_.choices[u];
    out.cost.assign(size, std::numeric_limits<double>::infinity());
    Walk walk(network_, scope);
    const std::size_t target = walk.table(network_, out.variables);
    std::vector<std::size_t> tables;
    for (const Factor* factor : factors) tables.push_back(walk.table(network_, factor->variables));
    do {
      double cost = 0;
      for (std::size_t i = 0; i < factors.size(); ++i) cost += factors[i]->cost[walk.place(tables[i])];
      double& least = out.cost[walk.place(target)];
      least = std::min(least, cost);
    } while (walk.next());
    return out;
  }

  /// One variable at a time, while that helps.
  void improve(Variables& chosen) const {
    std::vector<std::vector<const Factor*>> of(network_.choices.size());
    for (const Factor& factor : network_.factors)
      for (const std::size_t v : factor.variables) of[v].push_back(&factor);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t v = 0; v < chosen.size(); ++v) {
        const auto here = [&] {
          double cost = 0;
          for (const Factor* factor : of[v]) cost += factor->cost[place_of(network_, factor->variables, chosen)];
          return cost;
        };
        const std::size_t before = chosen[v];
        std::size_t best = before;
        double least = here();
        for (std::size_t c = 0; c < network_.choices[v]; ++c) {
          chosen[v] = c;
          if (const double cost = here(); cost < least) least = cost, best = c;
        }
        chosen[v] = best;
        better = better || best != before;
      }
    }
  }

  const Network& network_;
  std::size_t most_;
  Variables order_;
  std::vector<std::unique_ptr<Factor>> made_;
  bool split_ = false;
};

}  // namespace

double Network::cost(const std::vector<std::size_t>& chosen) const {
  double sum = 0;
  for (const Factor& factor : factors) sum += factor.cost[place_of(*this, factor.variables, chosen)];
  return sum;
}

Solution solve(const Network& network, std::size_t most_entries) {
  for (const Factor& factor : network.factors) {
    std::size_t size = 1;
    for (const std::size_t v : factor.variables) size *= network.choices.at(v);
    SEAM_CHECK(std::ranges::is_sorted(factor.variables) && factor.cost.size() == size, "one cost per combination of a factor's variables");
  }
  return Eliminator(network, most_entries).run();
}

}  // namespace seam::planner::layout
