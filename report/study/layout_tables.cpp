#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/layout_study.h"

namespace seam::report {
namespace {

std::string border(const LayoutConfiguration& one) { return fmt::format("{} → {}", fmt::join(one.operands, ", "), one.results); }

std::vector<const LayoutConfiguration*> by_sectors(const LayoutGroup& group) {
  std::vector<const LayoutConfiguration*> out;
  for (const LayoutConfiguration& one : group.configurations) out.push_back(&one);
  std::ranges::stable_sort(out, {}, [](const LayoutConfiguration* one) { return one->sectors; });
  return out;
}

std::int64_t proven(const LayoutGroup& group) {
  return std::ranges::count(group.configurations, codegen::Outcome::Passed, &LayoutConfiguration::proof);
}

Table group_table(const LayoutStudy& study) {
  Table table;
  table.title = fmt::format("Orders of operands and results, batch {}, sequence {}, {}", study.batch, study.sequence, study.device);
  table.columns = {{"group", "group"},
                   {"configurations", "tried", Unit::Count},
                   {"proven", "proven", Unit::Count},
                   {"fastest", "fastest, operands → results"},
                  {"fastest_us", "time", Unit::Microseconds, Evidence::Modelled},
                  {"best", "fewest sectors"},
                   {"best_sectors", "sectors", Unit::Count, Evidence::Simulated},
                   {"worst", "most sectors"},
                   {"worst_sectors", "sectors", Unit::Count, Evidence::Simulated},
                   {"spread", "worst / best", Unit::Ratio, Evidence::Simulated},
                   {"time_spread", "in time", Unit::Ratio, Evidence::Modelled},
                   {"published_spread", "published, in time", Unit::Ratio, Evidence::Recorded},
                   {"published_choice", "published choice"}};
  for (const LayoutGroup& group : study.groups) {
    const std::vector<const LayoutConfiguration*> sorted = by_sectors(group);
    const LayoutConfiguration& fast = *std::ranges::min_element(group.configurations, {}, &LayoutConfiguration::us);
    const LayoutConfiguration& slow = *std::ranges::max_element(group.configurations, {}, &LayoutConfiguration::us);
    table.rows.push_back({group.name, std::ssize(group.configurations), proven(group), border(fast), fast.us, border(*sorted.front()), static_cast<std::int64_t>(sorted.front()->sectors), border(*sorted.back()), static_cast<std::int64_t>(sorted.back()->sectors),
                          sorted.back()->sectors / sorted.front()->sectors, slow.us / fast.us, group.published_spread, group.published_choice});
  }
  table.notes = {"an order names the dims, major first; all wide results of a group have the same; each kernel walks in the order of its border that the time model likes best",
                 "sectors: 32 bytes each, asked for by warps, on the simulator, from blocks spread over the grid; times: the model, no GPU ran",
                 "published: slowest over fastest kernel of the paper's authors on a V100, over their own configurations (576, 36 and 216), and the order that their selection took at batch 8, sequence 512"};
  return table;
}

Table configuration_table(const LayoutGroup& group, std::size_t most) {
  Table table;
  table.title = fmt::format("{}: configurations by sectors", group.name);
  table.columns = {{"border", "operands → results"}, {"walked", "walked"}, {"kernels", "kernels", Unit::Count}, {"sectors", "sectors", Unit::Count, Evidence::Simulated},
                   {"dram", "DRAM", Unit::Bytes, Evidence::Simulated}, {"us", "time", Unit::Microseconds, Evidence::Modelled}, {"proof", "proof"}};
  const std::vector<const LayoutConfiguration*> sorted = by_sectors(group);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i >= most && i + most < sorted.size()) continue;
    const LayoutConfiguration& one = *sorted[i];
    table.rows.push_back({border(one), one.walked, one.kernels, static_cast<std::int64_t>(one.sectors), one.dram_bytes, one.us,
                          one.why_not_proven.empty() ? std::string(name(one.proof)) : fmt::format("{}: {}", name(one.proof), one.why_not_proven)});
  }
  table.notes.push_back(fmt::format("operands: {}; dims {}", fmt::join(group.operands, ", "), group.letters));
  if (sorted.size() > 2 * most) table.notes.push_back(fmt::format("the {} with the fewest and the {} with the most; all {} are in the JSON", most, most, sorted.size()));
  return table;
}

}  // namespace

Document layout_study_document(const LayoutStudy& study) {
  constexpr std::size_t kShown = 6;
  Document out{group_table(study)};
  for (const LayoutGroup& group : study.groups) out.emplace_back(configuration_table(group, kShown));
  return out;
}

std::string layout_study_json(const LayoutStudy& study) {
  using Json = nlohmann::ordered_json;
  Json groups = Json::array();
  for (const LayoutGroup& group : study.groups) {
    Json list = Json::array();
    for (const LayoutConfiguration& one : group.configurations)
      list.push_back({{"operands", one.operands},
                      {"results", one.results},
                      {"walked", one.walked},
                      {"kernels", one.kernels},
                      {"sectors", one.sectors},
                      {"dram_bytes", one.dram_bytes},
                      {"us", one.us},
                      {"proof", name(one.proof)},
                      {"why_not_proven", one.why_not_proven}});
    groups.push_back({{"name", group.name},
                      {"kernel", group.kernel},
                      {"dims", group.letters},
                      {"operands", group.operands},
                      {"published", {{"configurations", group.published_configurations}, {"spread", group.published_spread}, {"choice", group.published_choice}}},
                      {"configurations", std::move(list)}});
  }
  const Json out = {{"schema", "seam.study-layouts/1"}, {"batch", study.batch}, {"sequence", study.sequence}, {"device", study.device}, {"evidence", "simulated"}, {"groups", std::move(groups)}};
  return dumped(out, 2);
}

}  // namespace seam::report
