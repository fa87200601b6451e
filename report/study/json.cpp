#include <map>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/study.h"
#include "study/published.h"

namespace seam::report {
namespace {

using analyzer::Movement;
using Json = nlohmann::ordered_json;

Json json_of(const Movement& moved) {
  return {{"words_in", moved.words_in}, {"words_out", moved.words_out}, {"statistic_words", moved.statistic_words}, {"bytes_in", moved.bytes_in}, {"bytes_out", moved.bytes_out}, {"flops", moved.flops}, {"evidence", name(Evidence::Modelled)}};
}

double less(std::int64_t words, std::int64_t all) { return all > 0 ? 100 * static_cast<double>(all - words) / static_cast<double>(all) : 0; }

/// null at other sizes, and for what is not in the table.
template <class Row, class Make>
Json said(const BertStudy& study, const Row* row, Make make) {
  return study.at_published_size() && row != nullptr ? Json(make(*row)) : Json();
}

Json total_json(const BertStudy& study, SavedTensors saved) {
  const StudyTotal& total = study.published[static_cast<std::size_t>(saved)];
  Json out = {{"saved_tensors", name(saved)},
              {"meaning", meaning(saved)},
              {"launches", total.forward + total.backward},
              {"forward_launches", total.forward},
              {"backward_launches", total.backward},
              {"gemms", json_of(total.gemms)},
              {"forward_kernels", json_of(total.forward_kernels)},
              {"backward_kernels", json_of(total.backward_kernels)},
              {"all", json_of(total.sum())}};
  out["published_megawords"] = study.at_published_size() ? Json(saved == SavedTensors::AsPublished ? published::kAllWords : published::kMaskOnlyWords) : Json();
  return out;
}

}  // namespace

std::string study_json(const BertStudy& study) {
  Json operators = Json::array(), kernels = Json::array(), baselines = Json::array(), launches = Json::array(), classes = Json::array(), totals = Json::array();
  std::map<analyzer::Class, Movement> by_class;
  Movement all;
  for (const StudyOperator& one : study.operators) {
    const auto* paper = published::find(published::operators(), &published::OperatorWords::label, std::string_view(one.op.label));
    operators.push_back({{"operator", one.op.label},
                         {"kernel", one.kernel},
                         {"class", analyzer::name(one.op.op_class)},
                         {"pass", one.backward ? "backward" : "forward"},
                         {"moved", json_of(one.op.movement())},
                         {"floor_us", one.floor_us},
                         {"published", said(study, paper, [](const auto& row) { return Json{{"megawords_in", row.in}, {"megawords_out", row.out}}; })}});
    by_class[one.op.op_class] += one.op.movement();
    all += one.op.movement();
  }
  for (const auto& [op_class, moved] : by_class) {
    const auto* paper = published::find(published::classes(), &published::ClassShares::op_class, op_class);
    classes.push_back({{"class", analyzer::name(op_class)},
                       {"moved", json_of(moved)},
                       {"percent_of_words", 100 * static_cast<double>(moved.words()) / static_cast<double>(all.words())},
                       {"percent_of_flop", 100 * moved.flops / all.flops},
                       {"published", said(study, paper, [](const auto& row) { return Json{{"percent_of_words", row.of_words}, {"percent_of_flop", row.of_flop}}; })}});
  }
  for (const StudyKernel& kernel : study.kernels) {
    const auto* paper = published::find(published::kernels(), &published::KernelWords::name, std::string_view(kernel.name));
    kernels.push_back({{"kernel", kernel.name},
                       {"pass", kernel.backward ? "backward" : "forward"},
                       {"gemm", kernel.gemm},
                       {"operators", kernel.operators},
                       {"as_published", json_of(kernel.moved[0])},
                       {"mask_only", json_of(kernel.moved[1])},
                       {"published", said(study, paper, [](const auto& row) { return Json{{"megawords_in", row.in}, {"megawords_out", row.out}}; })}});
  }
  for (const StudyBaseline& one : study.baselines) {
    const auto* paper = published::find(published::baselines(), &published::Baseline::granularity, one.granularity);
    baselines.push_back({{"granularity", analyzer::name(one.granularity)},
                         {"meaning", analyzer::meaning(one.granularity)},
                         {"operators", one.operators},
                         {"moved", json_of(one.moved)},
                         {"percent_less_as_published", less(study.published[0].sum().words(), one.moved.words())},
                         {"percent_less_mask_only", less(study.published[1].sum().words(), one.moved.words())},
                         {"percent_less_seam", less(study.seam.sum.words(), one.moved.words())},
                         {"published", said(study, paper, [](const auto& row) {
                            return Json{{"megawords", row.words}, {"percent_less_as_published", row.less_as_published}, {"percent_less_mask_only", row.less_mask_only}};
                          })}});
  }
  for (const SavedTensors saved : kSavedTensors) totals.push_back(total_json(study, saved));
  for (const StudyLaunch& launch : study.seam_launches)
    launches.push_back({{"name", launch.name}, {"kind", launch.library ? "library" : "kernel"}, {"runs_ops_of", launch.published}, {"moved", json_of(launch.moved)}});
  const Json out = {{"schema", "seam.study/1"},
                    {"study", "bert-layer"},
                    {"source", "Data Movement Is All You Need, arXiv 2007.00072"},
                    {"batch", study.batch},
                    {"sequence", study.sequence},
                    {"device", study.device},
                    {"granularity", analyzer::name(analyzer::Granularity::Paper46)},
                    {"operators", std::move(operators)},
                    {"classes", std::move(classes)},
                    {"kernels", std::move(kernels)},
                    {"implementations", std::move(totals)},
                    {"baselines", std::move(baselines)},
                    {"published_headline_percent", study.at_published_size() ? Json(published::kHeadline) : Json()},
                    {"seam",
                     {{"policy", study.seam.policy},
                      {"layouts", study.layouts},
                      {"kernels", study.seam.kernels},
                      {"library_calls", study.seam.library_calls},
                      {"copies", study.seam.copies},
                      {"all", json_of(study.seam.sum)},
                      {"bytes_reread", study.seam.bytes_reread()},
                      {"launches", std::move(launches)}}}};
  return dumped(out);
}

}  // namespace seam::report
