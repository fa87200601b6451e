#include "campaign.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/parallel.h"

namespace seam::codegen::test {
namespace {

/// What a tier said, without names, numbers and places: "read of p_x[7] is out of bounds: …" -> "out of bounds".
std::string kind_of_refusal(const std::string& message) {
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"is out of bounds", "out of bounds"},
      {"may be out of bounds", "bounds not shown"},
      {"the plan says", "launch shape"},
      {"a barrier where", "barrier in a branch"},
      {"a shuffle where", "shuffle in a branch"},
      {"used before it is defined", "not defined"},
      {"is written", "input written"},
      {"ends at byte", "past shared memory"},
      {"misaligned", "misaligned"},
      {"can be negative", "negative dividend"},
  };
  for (const auto& [part, kind] : kKinds) {
    if (message.find(part) != std::string::npos) return std::string(kind);
  }
  return "types";
}

struct Job {
  std::size_t rule, origin;
  Mutant mutant;
};

/// Which tier after the first objects to it, and how: none, if no tier does.
Row later_tiers(const Verdict& verdict) {
  if (verdict.sim.outcome == Outcome::Failed) {
    const std::string kind = verdict.reports.empty() ? "byte model" : verdict.sim.detail.substr(0, verdict.sim.detail.find(':'));
    return {{}, {}, {}, Catch::Simulator, kind, {}, verdict.sim.detail};
  }
  if (verdict.values.outcome == Outcome::Failed) {
    const std::string& said = verdict.values.detail;
    const bool missing = said.find("never written") != std::string::npos;
    const bool rounding = said.find("rounding op by op") != std::string::npos;
    return {{}, {}, {}, Catch::Values, missing ? "unwritten" : rounding ? "rounding" : "wrong values", {}, said};
  }
  return {};
}

Row judged(const Rule& rule, const Origin& origin, const Mutant& mutant, const Compiler& compiler) {
  Row row;
  if (const auto sound = verify(mutant.kernel); !sound) {
    row = {{}, {}, {}, Catch::Ir, kind_of_refusal(sound.error().message), {}, sound.error().message};
  } else if (const Result<Verdict> verdict = proven(origin, mutant.kernel, compiler); !verdict) {
    row = {{}, {}, {}, Catch::NotCompiled, {}, {}, describe(verdict.error())};
  } else {
    row = later_tiers(*verdict);
    if (verdict->ir.outcome != Outcome::Passed) {
      const std::string also = row.by == Catch::Nobody ? "" : fmt::format("{}: {}", name(row.by), row.kind);
      row = {{}, {}, {}, Catch::Ir, kind_of_refusal(verdict->ir.detail), also, verdict->ir.detail};
    }
  }
  row.rule = rule.name;
  row.kernel = origin.name;
  row.place = mutant.place;
  return row;
}

/// `wanted` of `count` places, evenly spread, ascending.
std::vector<std::size_t> spread(std::size_t count, std::size_t wanted) {
  std::vector<std::size_t> out;
  wanted = std::min(wanted, count);
  for (std::size_t k = 0; k < wanted; ++k) out.push_back((2 * k + 1) * count / (2 * wanted));
  return out;
}

/// How many mutants each kernel gives: one by one from those that have places left, each rule beginning at another kernel.
std::vector<std::size_t> shares(const std::vector<std::size_t>& have, std::size_t wanted, std::size_t first) {
  std::vector<std::size_t> out(have.size());
  for (bool any = true; any && wanted > 0;) {
    any = false;
    for (std::size_t i = 0; i < have.size() && wanted > 0; ++i) {
      const std::size_t k = (first + i) % have.size();
      if (out[k] == have[k]) continue;
      ++out[k];
      --wanted;
      any = true;
    }
  }
  return out;
}

}  // namespace

Campaign campaign(std::string_view text, const Compiler& compiler, bool all) {
  Campaign out;
  std::size_t each = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, name, output;
    words >> what >> name >> output;
    if (what == "module") {
      out.origins.push_back(origin_of_module(name, output));
    } else if (what == "group") {
      out.origins.push_back(origin_of_group(name));
    } else if (what == "each") {
      each = std::stoul(name);
    } else if (!what.empty() && what != "#") {
      throw std::runtime_error("no such line in a campaign: " + line);
    }
  }

  std::vector<Facts> facts;
  for (const auto& origin : out.origins) facts.emplace_back(origin->kernel);
  std::vector<Job> jobs;
  for (std::size_t r = 0; r < rules().size(); ++r) {
    std::vector<Mutants> mutants;
    std::vector<std::size_t> have;
    for (std::size_t o = 0; o < out.origins.size(); ++o) {
      mutants.push_back(rules()[r].apply(out.origins[o]->kernel, facts[o]));
      have.push_back(mutants.back().size());
    }
    std::size_t places = 0;
    for (const std::size_t n : have) places += n;
    out.places.push_back(places);
    const std::vector<std::size_t> take = all ? have : shares(have, each, r);
    for (std::size_t o = 0; o < out.origins.size(); ++o) {
      for (const std::size_t k : spread(have[o], take[o])) jobs.push_back({r, o, std::move(mutants[o][k])});
    }
  }
  out.rows.resize(jobs.size());
  parallel_for(jobs.size(), 2, [&](std::size_t i) {
    out.rows[i] = judged(rules()[jobs[i].rule], *out.origins[jobs[i].origin], jobs[i].mutant, compiler);
  });
  return out;
}

std::string complaint(const Origin& origin, const Compiler& compiler) {
  const Result<Verdict> verdict = proven(origin, origin.kernel, compiler);
  if (!verdict) return describe(verdict.error());
  if (!verdict->reports.empty()) return verdict->reports.front();
  for (const Tier* tier : {&verdict->ir, &verdict->sim, &verdict->values}) {
    if (tier->outcome != Outcome::Passed) return tier->detail;
  }
  if (!verdict->bytes_compared) return "ran only in part";
  return "";
}

}  // namespace seam::codegen::test
