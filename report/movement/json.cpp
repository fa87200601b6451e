#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "report/movement.h"

namespace seam::report {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& json, const analyzer::Movement& moved) {
  json["words_in"] = moved.words_in;
  json["words_out"] = moved.words_out;
  json["statistic_words"] = moved.statistic_words;
  json["bytes_in"] = moved.bytes_in;
  json["bytes_out"] = moved.bytes_out;
  json["flops"] = moved.flops;
  json["flop_per_word"] = moved.words() > 0 ? Json(moved.flops / static_cast<double>(moved.words())) : Json();
  json["evidence"] = name(Evidence::Modelled);
}

Json mue(std::int64_t needed, std::optional<std::int64_t> moved) {
  return {{"q_bytes", needed},
          {"d_bytes", moved ? Json(*moved) : Json()},
          {"q_over_d", moved && *moved > 0 ? Json(static_cast<double>(needed) / static_cast<double>(*moved)) : Json()},
          {"b_over_peak", nullptr}};
}

const char* kind_of(planner::StepKind kind) { return kind == planner::StepKind::Kernel ? "kernel" : kind == planner::StepKind::Library ? "library" : "copy"; }

Json policy_json(const PlanMovement& plan) {
  Json launches = Json::array(), rereads = Json::array();
  for (const PlanLaunch& one : plan.launches) {
    Json launch = {{"name", one.launch.name}, {"kind", kind_of(one.kind)}, {"runs", one.launch.runs}};
    const analyzer::Movement moved = one.movement();
    put(launch, moved);
    launch["mue"] = mue(moved.bytes(), one.planned_bytes ? std::optional(*one.planned_bytes * one.launch.runs) : std::nullopt);
    launches.push_back(std::move(launch));
  }
  for (const analyzer::Reread& one : plan.rereads)
    rereads.push_back({{"value", one.value}, {"writer", one.writer}, {"readers", one.readers}, {"bytes_written", one.bytes_written}, {"bytes_reread", one.bytes_reread}});
  Json out = {{"policy", plan.policy}, {"kernels", plan.kernels}, {"library_calls", plan.library_calls}, {"copies", plan.copies}};
  put(out, plan.sum);
  out["bytes_reread"] = plan.bytes_reread();
  out["launches"] = std::move(launches);
  out["rereads"] = std::move(rereads);
  return out;
}

}  // namespace

std::string movement_json(const MovementReport& report) {
  Json operators = Json::array();
  analyzer::Movement all;
  for (const analyzer::Operator& one : report.operators) {
    const analyzer::Movement moved = one.movement();
    Json json = {{"operator", one.label}, {"class", analyzer::name(one.op_class)}, {"ops", one.ops.size()}, {"runs", one.runs}};
    put(json, moved);
    json["mue"] = mue(moved.bytes(), std::nullopt);
    operators.push_back(std::move(json));
    all += moved;
  }
  std::map<analyzer::Class, analyzer::Movement> by_class;
  for (const analyzer::Operator& one : report.operators) by_class[one.op_class] += one.movement();
  Json classes = Json::array();
  for (const auto& [op_class, moved] : by_class) {
    Json json = {{"class", analyzer::name(op_class)}};
    put(json, moved);
    classes.push_back(std::move(json));
  }
  Json out = {{"granularity", analyzer::name(report.granularity)}, {"meaning", analyzer::meaning(report.granularity)}, {"saved_tensors", kSavedAsWritten}, {"device", report.device}, {"layouts", report.layouts}};
  put(out, all);
  out["operators"] = std::move(operators);
  out["classes"] = std::move(classes);
  out["policies"] = Json::array({policy_json(report.none)});
  if (report.plan.policy != report.none.policy) out["policies"].push_back(policy_json(report.plan));
  return dumped(out);
}

}  // namespace seam::report
