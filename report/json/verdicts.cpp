#include "json/verdicts.h"

#include <fmt/core.h>

#include <cmath>

#include "base/evidence.h"
#include "report/validate_json.h"

namespace seam::report {
namespace {

using codegen::Outcome;

/// JSON has no infinity: null, which the schema says means "not a finite number".
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// "inconclusive" covers what did not run: a consumer has three answers to handle.
std::string_view answer(Outcome outcome) { return codegen::name(outcome == Outcome::NotRun ? Outcome::Inconclusive : outcome); }

}  // namespace

Json json_of(const std::optional<codegen::Resources>& r) {
  if (!r) return {};
  return {{"registers", r->registers},
          {"stack_bytes", r->stack_bytes},
          {"spill_store_bytes", r->spill_store_bytes},
          {"spill_load_bytes", r->spill_load_bytes},
          {"static_shared_bytes", r->static_shared_bytes},
          {"architecture", fmt::format("sm_{}", r->architecture)},
          {"evidence", name(Evidence::Modelled)},
          {"by", "ptxas"}};
}

Json json_of(const codegen::Verdict& verdict) {
  Json tiers = Json::object();
  Json details = Json::object();
  for (const auto& [name, tier] : {std::pair<const char*, const codegen::Tier&>{"ir", verdict.ir}, {"sim", verdict.sim}, {"values", verdict.values},
                                   {"host", verdict.host}, {"gpu", verdict.gpu}}) {
    tiers[name] = codegen::name(tier.outcome);
    details[name] = tier.detail;
  }
  return {{"name", verdict.kernel},
          {"verdict", answer(verdict.outcome())},
          {"tiers", std::move(tiers)},
          {"details", std::move(details)},
          {"blocks", {{"run", verdict.blocks_run}, {"of", verdict.blocks}}},
          {"bytes", {{"modelled", {{"read", verdict.model_read}, {"written", verdict.model_written}}},
                     {"simulated", verdict.bytes_compared ? Json{{"read", verdict.bytes_read}, {"written", verdict.bytes_written}} : Json()}}},
          {"values", {{"compared", verdict.values_compared}, {"max_abs", finite(verdict.max_abs)}, {"max_rel", finite(verdict.max_rel)},
                      {"tolerance", finite(verdict.tolerance)}}},
          {"resources", json_of(verdict.resources)},
          {"reports", verdict.reports}};
}

Json json_of(const codegen::ProgramCheck& check) {
  Json outputs = Json::array();
  for (const codegen::OutputCheck& output : check.outputs) {
    Json json = {{"index", output.index}, {"max_abs", finite(output.max_abs)}, {"max_rel", finite(output.max_rel)}, {"tolerance", finite(output.tolerance)},
                 {"compared", output.compared}, {"wrong", output.wrong}};
    if (output.ill_conditioned > 0) json["ill_conditioned"] = output.ill_conditioned;
    if (output.used_spread) json["spread"] = finite(output.spread);
    if (!output.first_wrong.empty()) json["first_wrong"] = output.first_wrong;
    outputs.push_back(std::move(json));
  }
  return {{"verdict", answer(check.outcome)}, {"ran", check.outcome != Outcome::NotRun}, {"reason", check.reason}, {"outputs", std::move(outputs)}};
}

Json json_of(const std::vector<codegen::Verdict>& kernels, const codegen::ProgramCheck& program) {
  Json list = Json::array();
  for (const codegen::Verdict& verdict : kernels) list.push_back(json_of(verdict));
  return {{"schema", "seam.validate/1"}, {"verdict", answer(overall(kernels, program))}, {"kernels", std::move(list)}, {"program", json_of(program)}};
}


Outcome overall(const std::vector<codegen::Verdict>& kernels, const codegen::ProgramCheck& program) {
  bool any_failed = program.outcome == Outcome::Failed;
  bool all_passed = program.outcome == Outcome::Passed || program.outcome == Outcome::NotRun;
  for (const codegen::Verdict& verdict : kernels) {
    any_failed |= verdict.outcome() == Outcome::Failed;
    all_passed &= verdict.outcome() == Outcome::Passed;
  }
  if (any_failed) return Outcome::Failed;
  if (kernels.empty() && program.outcome == Outcome::NotRun) return Outcome::Inconclusive;
  return all_passed ? Outcome::Passed : Outcome::Inconclusive;
}

std::string validate_json(const std::vector<codegen::Verdict>& kernels, const codegen::ProgramCheck& program) { return dumped(json_of(kernels, program)); }

}  // namespace seam::report
