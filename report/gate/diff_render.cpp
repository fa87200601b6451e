#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "base/units.h"
#include "report/run_diff.h"

namespace seam::report {
namespace {

std::string shown(const KernelChange& one) {
  if (one.renamed()) return graph::short_kernel_name(one.before) + " → " + graph::short_kernel_name(one.after);
  return graph::short_kernel_name(one.before.empty() ? one.after : one.before);
}
std::string what(const KernelChange& one) {
  if (one.renamed()) return "renamed";
  if (one.before.empty() || one.after.empty()) return one.before.empty() ? "new" : "gone";
  return one.launches_before != one.launches_after ? "changed" : one.ns_after > one.ns_before ? "slower" : "faster";
}

std::string listed(const std::vector<ChangePlace>& places) {
  constexpr std::size_t kShown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, places.size()); ++i) out += fmt::format("{}{}: {} to {}", i == 0 ? "" : ", ", places[i].place, human_count(places[i].launches_before), human_count(places[i].launches_after));
  return places.size() > kShown ? out + fmt::format(", {} more", places.size() - kShown) : out;
}

/// One paragraph per changed kernel: where its launches came or went, and how to see them.
void add_reasons(const RunDiff& diff, Document& out) {
  if (diff.reasons.empty()) return;
  out.emplace_back(Heading{"Why"});
  for (std::size_t i = 0; i < diff.reasons.size(); ++i) {
    const ChangeReason& one = diff.reasons[i];
    std::string places;
    for (const auto* list : {&one.ops, &one.annotations, &one.steps})
      if (!list->empty()) places += (places.empty() ? "" : "; ") + listed(*list);
    if (places.empty()) places = "as often under every op, annotation and step that the runs mark";
    out.emplace_back(Paragraph{fmt::format("{}: {}.", shown(diff.kernels[i]), places)});
    if (!one.sql_before.empty()) out.emplace_back(Verbatim{"before: " + one.sql_before + "\n"});
    if (!one.sql_after.empty()) out.emplace_back(Verbatim{"after: " + one.sql_after + "\n"});
  }
}

}  // namespace

Document diff_document(const RunDiff& diff, std::size_t most) {
  Table contracts;
  contracts.title = fmt::format("{} → {}: {}", diff.before, diff.after, name(diff.verdict));
  contracts.columns = {{"name", "figure", Unit::Text, {}}, {"expected", "before", Unit::Text, {}}, {"actual", "after", Unit::Text, {}}, {"verdict", "verdict", Unit::Text, {}}, {"reason", "because", Unit::Text, {}}};
  for (const DiffContract& one : diff.contracts) {
    const bool known = one.verdict != DiffVerdict::Inconclusive;
    contracts.rows.push_back({one.name, known ? human_count(static_cast<std::int64_t>(one.expected)) : std::string("unknown"), known ? human_count(static_cast<std::int64_t>(one.actual)) : std::string("unknown"), std::string(name(one.verdict)), one.reason});
  }
  contracts.notes = {"counts are exact and worse if they grow; a time is worse if the medians of marked steps differ by more than the steps spread (three times the median absolute deviation)"};
  Table kernels;
  kernels.title = "Kernels and copies that differ";
  kernels.columns = {{"what", "what", Unit::Text, {}}, {"name", "name", Unit::Text, {}}, {"class", "class", Unit::Text, {}}, {"launches_before", "launches", Unit::Count, diff.times}, {"launches_after", "after", Unit::Count, diff.times},
                     {"us_before", "time", Unit::Microseconds, diff.times}, {"us_after", "after", Unit::Microseconds, diff.times}};
  const std::size_t rows = most == 0 ? diff.kernels.size() : std::min(most, diff.kernels.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const KernelChange& one = diff.kernels[i];
    kernels.rows.push_back({what(one), shown(one), std::string(graph::name(one.work)), one.launches_before, one.launches_after, static_cast<double>(one.ns_before) / 1e3, static_cast<double>(one.ns_after) / 1e3});
  }
  kernels.notes = {fmt::format("{} with equally many launches on both sides, and times within {} of each other, are not here{}; renamed: as often, the same kind of work, between the same neighbours", counted(diff.same_kernels, "name"), human_percent(kSameTime, 1),
                               rows < diff.kernels.size() ? fmt::format(", nor are {} that change less (-v shows all)", diff.kernels.size() - rows) : std::string())};
  Table classes;
  classes.title = "Device time by class of work";
  classes.columns = {{"class", "class", Unit::Text, {}}, {"launches_before", "launches", Unit::Count, diff.times}, {"launches_after", "after", Unit::Count, diff.times}, {"us_before", "time", Unit::Microseconds, diff.times}, {"us_after", "after", Unit::Microseconds, diff.times}};
  for (const ClassChange& one : diff.classes) classes.rows.push_back({std::string(graph::name(one.work)), one.launches_before, one.launches_after, static_cast<double>(one.ns_before) / 1e3, static_cast<double>(one.ns_after) / 1e3});
  Document out{std::move(contracts), std::move(classes)};
  if (!diff.kernels.empty()) out.emplace_back(std::move(kernels));
  add_reasons(diff, out);
  return out;
}

std::string diff_json(const RunDiff& diff) {
  using Json = nlohmann::ordered_json;
  Json contracts = Json::array(), kernels = Json::array(), classes = Json::array();
  for (const ClassChange& one : diff.classes) classes.push_back({{"class", graph::name(one.work)}, {"launches_before", one.launches_before}, {"launches_after", one.launches_after}, {"ns_before", one.ns_before}, {"ns_after", one.ns_after}});
  for (const DiffContract& one : diff.contracts) {
    const bool known = one.verdict != DiffVerdict::Inconclusive;
    contracts.push_back({{"name", one.name}, {"expected", known ? Json(one.expected) : Json()}, {"actual", known ? Json(one.actual) : Json()}, {"verdict", name(one.verdict)}, {"reason", one.reason}});
  }
  for (const KernelChange& one : diff.kernels)
    kernels.push_back({{"what", what(one)}, {"before", one.before.empty() ? Json() : Json(one.before)}, {"after", one.after.empty() ? Json() : Json(one.after)}, {"class", graph::name(one.work)}, {"launches_before", one.launches_before}, {"launches_after", one.launches_after}, {"ns_before", one.ns_before}, {"ns_after", one.ns_after}});
  Json reasons = Json::array();
  const auto places = [](const std::vector<ChangePlace>& list) {
    Json out = Json::array();
    for (const ChangePlace& one : list) out.push_back({{"place", one.place}, {"launches_before", one.launches_before}, {"launches_after", one.launches_after}});
    return out;
  };
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  for (const ChangeReason& one : diff.reasons)
    reasons.push_back({{"before", text(one.before)}, {"after", text(one.after)}, {"ops", places(one.ops)}, {"annotations", places(one.annotations)}, {"steps", places(one.steps)}, {"sql_before", text(one.sql_before)}, {"sql_after", text(one.sql_after)}});
  Json out{{"schema", "seam.diff/1"}, {"verdict", name(diff.verdict)}, {"before", diff.before}, {"after", diff.after}, {"contracts", contracts}, {"classes", classes}, {"same_kernels", diff.same_kernels}, {"kernels", kernels}};
  if (!diff.reasons.empty()) out["why"] = std::move(reasons);
  return dumped(out);
}

}  // namespace seam::report
