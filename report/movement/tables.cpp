#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "movement/columns.h"
#include "report/movement.h"

namespace seam::report {

using analyzer::Movement;
using analyzer::Operator;

namespace {

/// An average a reader can check: 0.33, 153.4; unknown where nothing moves.
Cell flop_per_word(const Movement& moved) { return ratio(moved.flops, static_cast<double>(moved.words())); }

template <class List, class F>
Movement sum_of(const List& list, F moved) {
  Movement sum;
  for (const auto& one : list) sum += moved(one);
  return sum;
}

Table operator_table(const MovementReport& report, std::size_t most) {
  Table table;
  table.title = fmt::format("{}: movement per operator, granularity {}", report.module, analyzer::name(report.granularity));
  table.columns = {{"operator", "operator", Unit::Text, {}},
                   {"class", "class", Unit::Text, {}},
                   {"runs", "runs", Unit::Count, {}},
                   {"words_in", "Mwords in", Unit::Millions, Evidence::Modelled},
                   {"words_out", "out", Unit::Millions, Evidence::Modelled},
                   {"flops", "Mflop", Unit::Millions, Evidence::Modelled},
                   {"flop_per_word", "flop/word", Unit::Ratio, Evidence::Modelled},
                   {"bytes_in", "bytes in", Unit::Bytes, Evidence::Modelled},
                   {"bytes_out", "out", Unit::Bytes, Evidence::Modelled},
                   {"q_over_d", "Q/D", Unit::Percent, Evidence::Unknown},
                   {"b_over_peak", "B/B_peak", Unit::Percent, Evidence::Unknown}};
  std::vector<const Operator*> order;
  for (const Operator& one : report.operators) order.push_back(&one);
  std::ranges::stable_sort(order, std::greater<>{}, [](const Operator* one) { return one->movement().words(); });
  for (std::size_t i = 0; i < order.size() && (most == 0 || i < most); ++i) {
    const Movement moved = order[i]->movement();
    table.rows.push_back({order[i]->label, std::string(analyzer::name(order[i]->op_class)), order[i]->runs, moved.words_in, moved.words_out, moved.flops,
                          flop_per_word(moved), moved.bytes_in, moved.bytes_out, Unknown{}, Unknown{}});
  }
  const Movement all = sum_of(report.operators, [](const Operator& one) { return one.movement(); });
  table.rows.push_back({fmt::format("all {} operators", report.operators.size()), Blank{}, Blank{}, all.words_in, all.words_out, all.flops, flop_per_word(all),
                        all.bytes_in, all.bytes_out, Unknown{}, Unknown{}});
  if (order.size() > table.rows.size() - 1) table.notes.push_back(fmt::format("{} more operators, of fewer words (--origins, -v)", order.size() - (table.rows.size() - 1)));
  table.notes.push_back(fmt::format("granularity {}: {}. Saved tensors: {}, an operator writes what another reads in this module and what it returns.", analyzer::name(report.granularity),
                                    analyzer::meaning(report.granularity), kSavedAsWritten));
  table.notes.emplace_back(kModelledOnly);
  table.notes.emplace_back(kMue);
  table.notes.emplace_back("Of an operator D is unknown: no launch does it and nothing else.");
  return table;
}

Table class_table(const MovementReport& report) {
  Table table;
  table.title = fmt::format("movement per class of operators, granularity {}", analyzer::name(report.granularity));
  table.columns = {{"class", "class", Unit::Text, {}},
                   {"operators", "operators", Unit::Count, {}},
                   {"words_in", "Mwords in", Unit::Millions, Evidence::Modelled},
                   {"words_out", "out", Unit::Millions, Evidence::Modelled},
                   {"word_share", "of words", Unit::Percent, Evidence::Modelled},
                   {"flops", "Mflop", Unit::Millions, Evidence::Modelled},
                   {"flop_share", "of flop", Unit::Percent, Evidence::Modelled},
                   {"flop_per_word", "flop/word", Unit::Ratio, Evidence::Modelled},
                   {"bytes", "bytes", Unit::Bytes, Evidence::Modelled}};
  std::map<analyzer::Class, std::pair<std::int64_t, Movement>> classes;
  for (const Operator& one : report.operators) {
    ++classes[one.op_class].first;
    classes[one.op_class].second += one.movement();
  }
  const Movement all = sum_of(report.operators, [](const Operator& one) { return one.movement(); });
  for (const auto& [op_class, entry] : classes) {
    const auto& [count, moved] = entry;
    table.rows.push_back({std::string(analyzer::name(op_class)), count, moved.words_in, moved.words_out,
                          percent(static_cast<double>(moved.words()), static_cast<double>(all.words())), moved.flops, percent(moved.flops, all.flops), flop_per_word(moved), moved.bytes()});
  }
  table.notes.push_back(fmt::format("of words: words in and out of the class over the {:.1f} Mwords of all operators at granularity {}; of flop: over all {:.3f} Gflop of the module.",
                                    static_cast<double>(all.words()) / 1e6, analyzer::name(report.granularity), all.flops / 1e9));
  return table;
}

const char* kind_of(planner::StepKind kind) {
  switch (kind) {
    case planner::StepKind::Kernel: return "kernel";
    case planner::StepKind::Library: return "library call";
    default: return "copy";
  }
}

Table launch_table(const MovementReport& report) {
  Table table;
  table.title = fmt::format("movement per launch, policy {} on {}", report.plan.policy, report.device);
  table.columns = {{"launch", "launch", Unit::Text, {}},
                   {"kind", "kind", Unit::Text, {}},
                   {"runs", "runs", Unit::Count, {}},
                   {"words_in", "Mwords in", Unit::Millions, Evidence::Modelled},
                   {"words_out", "out", Unit::Millions, Evidence::Modelled},
                   {"flop_per_word", "flop/word", Unit::Ratio, Evidence::Modelled},
                   {"bytes_needed", "Q", Unit::Bytes, Evidence::Modelled},
                   {"bytes_planned", "D", Unit::Bytes, Evidence::Modelled},
                   {"q_over_d", "Q/D", Unit::Percent, Evidence::Modelled},
                   {"b_over_peak", "B/B_peak", Unit::Percent, Evidence::Unknown}};
  for (const PlanLaunch& one : report.plan.launches) {
    const Movement moved = one.movement();
    const Cell planned = one.planned_bytes ? Cell(*one.planned_bytes * one.launch.runs) : Cell(Unknown{});
    table.rows.push_back({one.launch.name, std::string(kind_of(one.kind)), one.launch.runs, moved.words_in, moved.words_out, flop_per_word(moved), moved.bytes(), planned,
                          one.planned_bytes ? percent(static_cast<double>(moved.bytes()), static_cast<double>(*one.planned_bytes * one.launch.runs)) : Cell(Unknown{}), Unknown{}});
  }
  table.rows.push_back({fmt::format("all {} launches", report.plan.kernels + report.plan.library_calls + report.plan.copies), Blank{}, Blank{}, report.plan.sum.words_in,
                        report.plan.sum.words_out, flop_per_word(report.plan.sum), report.plan.sum.bytes(), Unknown{}, Unknown{}, Unknown{}});
  table.notes.push_back(fmt::format("Q: distinct inputs and outputs of the launch, what its outputs need of each; D: bytes that the plan says it moves, unknown for library calls. Policy {}, device {}, layouts {}; runs are trips of loops.",
                                    report.plan.policy, report.device, report.layouts));
  return table;
}

Table policy_table(const MovementReport& report) {
  Table table;
  table.title = "what launches read again of what others wrote";
  table.columns = {{"policy", "policy", Unit::Text, {}},
                   {"kernels", "kernels", Unit::Count, {}},
                   {"library_calls", "library calls", Unit::Count, {}},
                   {"copies", "copies", Unit::Count, {}},
                   {"words", "Mwords", Unit::Millions, Evidence::Modelled},
                   {"bytes", "bytes", Unit::Bytes, Evidence::Modelled},
                   {"values_reread", "values", Unit::Count, Evidence::Modelled},
                   {"bytes_reread", "read again", Unit::Bytes, Evidence::Modelled},
                   {"reread_share", "of bytes", Unit::Percent, Evidence::Modelled}};
  for (const PlanMovement* plan : {&report.none, &report.plan}) {
    if (plan == &report.plan && report.plan.policy == report.none.policy) continue;
    table.rows.push_back({plan->policy, plan->kernels, plan->library_calls, plan->copies, plan->sum.words(), plan->sum.bytes(), static_cast<std::int64_t>(plan->rereads.size()),
                          plan->bytes_reread(), percent(static_cast<double>(plan->bytes_reread()), static_cast<double>(plan->sum.bytes()))});
  }
  table.notes.emplace_back("read again: bytes of values that one launch writes and later ones of the same computation read, once per reader; of bytes: over all bytes in and out of that policy's launches, library calls and copies included. What loops carry from trip to trip is not among them.");
  return table;
}

Table reread_table(const PlanMovement& plan, std::size_t most) {
  Table table;
  table.title = fmt::format("values read again, policy {}", plan.policy);
  table.columns = {{"value", "value", Unit::Text, {}},
                   {"writer", "written by", Unit::Text, {}},
                   {"readers", "readers", Unit::Count, {}},
                   {"bytes_written", "written", Unit::Bytes, Evidence::Modelled},
                   {"bytes_reread", "read again", Unit::Bytes, Evidence::Modelled}};
  for (std::size_t i = 0; i < plan.rereads.size() && (most == 0 || i < most); ++i) {
    const analyzer::Reread& one = plan.rereads[i];
    table.rows.push_back({one.value, one.writer, one.readers, one.bytes_written, one.bytes_reread});
  }
  if (plan.rereads.size() > table.rows.size()) table.notes.push_back(fmt::format("{} more values, of fewer bytes (--origins, -v)", plan.rereads.size() - table.rows.size()));
  return table;
}

}  // namespace

Document movement_document(const MovementReport& report, std::size_t most) {
  Document out{operator_table(report, most), class_table(report), launch_table(report), policy_table(report)};
  if (!report.plan.rereads.empty()) out.emplace_back(reread_table(report.plan, most));
  if (report.plan.policy != report.none.policy && !report.none.rereads.empty()) out.emplace_back(reread_table(report.none, most));
  return out;
}

}  // namespace seam::report
