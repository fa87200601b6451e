/// .plan text → Plan. Names of ops must exist in the graph; everything else is checked by verify().
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "planner/planner.h"
#include "text/lexer.h"
#include "text/words.h"

namespace seam::planner {

using graph::Computation;
using graph::Graph;
using graph::Op;
using text::Fields;
using text::Word;

namespace {

using Line = std::vector<Word>;

std::optional<VetoCode> veto_named(std::string_view text) {
#define SEAM_VETO(id, word, what) \
  if (text == (word)) return VetoCode::id;
#include "planner/veto.def"
#undef SEAM_VETO
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view source, std::string_view file, const Graph& graph) : lexer_(source, file), graph_(graph) {
    for (std::size_t i = 0; i < graph.computations.size(); ++i) computations_.emplace(graph.computations[Id<Computation>(i)].name, Id<Computation>(i));
  }

  Result<Plan> run() {
    SEAM_TRY(Line first, lexer_.line());
    if (first.size() != 2 || first[0].text != "seam.plan" || first[1].text != "1")
      return first.empty() ? lexer_.error_at_end("an empty plan") : lexer_.error(first[0], "a plan starts with: seam.plan 1");
    while (true) {
      SEAM_TRY(Line line, lexer_.line());
      if (line.empty()) break;
      SEAM_TRY(const bool ok, top(line).map([] { return true; }));
      (void)ok;
    }
    return std::move(plan_);
  }

 private:
  Result<void> top(const Line& line) {
    const std::string& what = line[0].text;
    if (what == "veto") return veto(line);
    if (what == "totals") return totals(line);
    if (line.size() < 2) return lexer_.error(line[0], fmt::format("{} says nothing", what));
    if (what == "module") return set(plan_.module, line);
    if (what == "policy") return set(plan_.policy, line);
    if (what == "device") return set(plan_.device, line);
    if (what == "option" && line.size() == 3) {
      plan_.options[line[1].text] = line[2].text;
      return {};
    }
    if (what == "layout") return layout(line);
    if (what == "computation") return computation(line);
    return lexer_.error(line[0], fmt::format("{} is not part of a plan", what));
  }

  Result<void> layout(const Line& line) {
    if (line.size() != 4) return lexer_.error(line[0], "a layout names a computation, an op and its order: layout \"main\" \"x\" \"{0,1}\"");
    const std::optional<graph::Order> order = graph::parse_order(line[3].text);
    if (!order) return lexer_.error(line[3], fmt::format("{} is no order of dims; {{0,1}} is one, the fastest first", line[3].text));
    if (!plan_.layouts[line[1].text].emplace(line[2].text, *order).second) return lexer_.error(line[0], fmt::format("the layout of {} stands here twice", line[2].text));
    return {};
  }

  static Result<void> set(std::string& to, const Line& line) {
    to = line[1].text;
    return {};
  }

  Result<void> enter(const Word& name) {
    const auto found = computations_.find(name.text);
    if (found == computations_.end()) return lexer_.error(name, fmt::format("the graph has no computation {}", name.text));
    inside_ = found->second;
    auto& names = names_[inside_.index()];
    if (names.empty()) {
      const Computation& c = graph_.computations[inside_];
      for (std::size_t i = 0; i < c.ops.size(); ++i) names.emplace(c.ops[Id<Op>(i)].name, Id<Op>(i));
    }
    return {};
  }

  Result<Id<Op>> op(const Word& word) const {
    const auto& names = names_.at(inside_.index());
    const auto found = names.find(word.text);
    if (found == names.end()) return lexer_.error(word, fmt::format("{} has no op {}", graph_.computations[inside_].name, word.text));
    return found->second;
  }

  static bool opens(const Line& line) { return line.back().text == "{" && !line.back().quoted; }
  static bool closes(const Line& line) { return line.size() == 1 && line[0].text == "}"; }

  Result<Line> inner(std::string_view of) {
    SEAM_TRY(Line line, lexer_.line());
    if (line.empty()) return lexer_.error_at_end(fmt::format("{} is not closed", of));
    return line;
  }

  Result<void> computation(const Line& head) {
    if (!opens(head)) return lexer_.error(head.back(), "a computation opens with {");
    SEAM_TRY(const bool ok, enter(head[1]).map([] { return true; }));
    (void)ok;
    const Fields fields(lexer_, head, 2);
    ComputationPlan one;
    one.computation = inside_;
    SEAM_TRY(one.trips, fields.integer("trips"));
    SEAM_TRY(one.roof_floor, fields.integer("roof-floor"));
    SEAM_TRY(one.byte_floor, fields.integer("byte-floor"));
    while (true) {
      SEAM_TRY(Line line, inner("the computation"));
      if (closes(line)) break;
      if (line[0].text == "group") {
        SEAM_TRY(FusionGroup parsed, group(line));
        one.groups.push_back(std::move(parsed));
      } else if (line[0].text == "step") {
        SEAM_TRY(const Step parsed, step(line, one));
        one.steps.push_back(parsed);
      } else {
        return lexer_.error(line[0], fmt::format("{} does not belong into a computation", line[0].text));
      }
    }
    plan_.computations.push_back(std::move(one));
    return {};
  }

  Result<Step> step(const Line& line, const ComputationPlan& one) const {
    if (line.size() < 3) return lexer_.error(line[0], "a step has a kind and a name");
    const auto kind = std::ranges::find(text::kKinds, line[1].text);
    if (kind == text::kKinds.end()) return lexer_.error(line[1], fmt::format("{} is not a kind of step", line[1].text));
    Step out;
    out.kind = static_cast<StepKind>(kind - text::kKinds.begin());
    SEAM_TRY(const std::int64_t level, Fields(lexer_, line, 3).integer("level"));
    out.level = static_cast<int>(level);
    if (out.kind == StepKind::Kernel) {
      const auto found = std::ranges::find(one.groups, line[2].text, &FusionGroup::name);
      if (found == one.groups.end()) return lexer_.error(line[2], fmt::format("no group named {}", line[2].text));
      out.group = static_cast<std::size_t>(found - one.groups.begin());
    } else {
      SEAM_TRY(out.op, op(line[2]));
    }
    return out;
  }

  Result<FusionGroup> group(const Line& head) {
    if (head.size() < 2 || !opens(head)) return lexer_.error(head[0], "a group has a name and opens with {");
    FusionGroup out;
    out.name = head[1].text;
    const Fields fields(lexer_, head, 2);
    SEAM_TRY(const std::int64_t level, fields.integer("level"));
    SEAM_TRY(const std::int64_t threads, fields.integer("threads"));
    if (threads < 1 || threads > 1024) return lexer_.error(head[0], "a block has 1 to 1024 threads");
    out.level = static_cast<int>(level);
    out.threads = static_cast<int>(threads);
    while (true) {
      SEAM_TRY(Line line, inner("the group"));
      if (closes(line)) return out;
      if (line[0].text == "part") {
        SEAM_TRY(Part parsed, part(line));
        out.parts.push_back(std::move(parsed));
      } else if (line[0].text == "in-place" && line.size() == 4) {
        SEAM_TRY(const Id<Op> root, op(line[1]));
        SEAM_TRY(const Id<Op> input, op(line[3]));
        out.in_place.emplace_back(root, input);
      } else if (line[0].text == "estimate") {
        SEAM_TRY(out.estimate, estimate(line));
      } else {
        return lexer_.error(line[0], fmt::format("{} does not belong into a group", line[0].text));
      }
    }
  }

  Result<Estimate> estimate(const Line& line) const {
    const Fields fields(lexer_, line, 1);
    Estimate out;
    SEAM_TRY(out.bytes_read, fields.integer("read"));
    SEAM_TRY(out.bytes_written, fields.integer("written"));
    SEAM_TRY(const std::int64_t exact, fields.integer("exact"));
    out.exact = exact != 0;
    SEAM_TRY(out.flops, fields.number("flops"));
    SEAM_TRY(out.time_low_us, fields.number("low"));
    SEAM_TRY(out.time_mid_us, fields.number("mid"));
    SEAM_TRY(out.time_high_us, fields.number("high"));
    return out;
  }

  Result<ScheduleKind> kind(const Word& word) const {
    for (const ScheduleKind k : {ScheduleKind::Flat, ScheduleKind::Row, ScheduleKind::Column})
      if (word.text == name(k)) return k;
    return lexer_.error(word, fmt::format("{} is not a schedule: flat, row or column", word.text));
  }

  Result<Part> part(const Line& head) {
    if (head.size() < 3 || !opens(head)) return lexer_.error(head[0], "a part has a schedule and opens with {");
    Part out;
    SEAM_TRY(out.kind, kind(head[1]));
    const Fields fields(lexer_, head, 2);
    SEAM_TRY(out.blocks, fields.integer("blocks"));
    SEAM_TRY(out.splits, fields.integer("splits"));
    SEAM_TRY(const std::int64_t lanes, fields.integer("lanes"));
    SEAM_TRY(out.shared_bytes, fields.integer("shared"));
    if (out.blocks < 1 || out.splits < 1 || lanes < 1 || lanes > 1024) return lexer_.error(head[0], "blocks, splits and lanes are at least 1");
    out.lanes = static_cast<int>(lanes);
    while (true) {
      SEAM_TRY(Line line, inner("the part"));
      if (closes(line)) return out;
      SEAM_TRY(const PlannedOp parsed, planned(line));
      out.ops.push_back(parsed);
    }
  }

  Result<PlannedOp> planned(const Line& line) const {
    if (line.size() < 2) return lexer_.error(line[0], "an op has a placement");
    PlannedOp out;
    SEAM_TRY(out.op, op(line[0]));
    bool found = false;
    for (const Placement p : {Placement::Inline, Placement::Warp, Placement::Shared, Placement::Output})
      if (line[1].text == name(p)) {
        out.placement = p;
        found = true;
      }
    if (!found) return lexer_.error(line[1], fmt::format("{} is not a placement: inline, warp, shared or output", line[1].text));
    out.output = out.placement == Placement::Output;
    std::size_t at = 2;
    if (at < line.size() && line[at].text == "written") {
      out.output = true;
      ++at;
    }
    if (at == line.size()) {
      if (out.placement != Placement::Inline) return lexer_.error(line[1], "a looped-over op has a schedule");
      return out;
    }
    SEAM_TRY(out.schedule.kind, kind(line[at]));
    const Fields fields(lexer_, line, at + 1);
    if (out.schedule.kind == ScheduleKind::Flat) {
      SEAM_TRY(out.schedule.sword, fields.integer("blocks"));
    } else {
      SEAM_TRY(out.schedule.split_dim, fields.integer("split"));
      SEAM_TRY(out.schedule.sword, fields.integer("sword"));
    }
    if (out.placement == Placement::Shared) {
      SEAM_TRY(out.shared_bytes, fields.integer("bytes"));
      SEAM_TRY(out.shared_offset, fields.integer("at"));
    }
    return out;
  }

  Result<void> veto(const Line& line) {
    if (line.size() < 5 || line[2].text != "in" || line[4].text != "{") return lexer_.error(line[0], "a veto reads: veto CODE in COMPUTATION { ops } numbers");
    Veto out;
    const std::optional<VetoCode> code = veto_named(line[1].text);
    if (!code) return lexer_.error(line[1], fmt::format("{} is not a reason code", line[1].text));
    out.code = *code;
    SEAM_TRY(const bool ok, enter(line[3]).map([] { return true; }));
    (void)ok;
    out.computation = inside_;
    std::size_t at = 5;
    while (at < line.size() && line[at].text != "}") {
      SEAM_TRY(const Id<Op> id, op(line[at]));
      out.ops.push_back(id);
      ++at;
    }
    if (at == line.size()) return lexer_.error(line[4], "the list of ops is not closed");
    for (++at; at < line.size(); ++at) {
      const std::string& word = line[at].text;
      const std::size_t equals = word.find('=');
      const std::optional<double> value = equals == std::string::npos ? std::nullopt : text::to_number(std::string_view(word).substr(equals + 1));
      if (!value) return lexer_.error(line[at], fmt::format("{} is not key=number", word));
      out.numbers[word.substr(0, equals)] = *value;
    }
    plan_.vetoes.push_back(std::move(out));
    return {};
  }

  Result<void> totals(const Line& line) {
    const Fields fields(lexer_, line, 1);
    Totals& t = plan_.totals;
    SEAM_TRY(t.kernels, fields.integer("kernels"));
    SEAM_TRY(t.library_calls, fields.integer("library-calls"));
    SEAM_TRY(t.copies, fields.integer("copies"));
    SEAM_TRY(t.bytes_read, fields.integer("read"));
    SEAM_TRY(t.bytes_written, fields.integer("written"));
    SEAM_TRY(t.library_bytes, fields.integer("library-bytes"));
    SEAM_TRY(t.copy_bytes, fields.integer("copy-bytes"));
    SEAM_TRY(t.floor_kernels, fields.integer("floor-kernels"));
    SEAM_TRY(t.floor_bytes, fields.integer("floor-bytes"));
    SEAM_TRY(t.ops, fields.integer("ops"));
    SEAM_TRY(t.fusable_ops, fields.integer("fusable"));
    SEAM_TRY(t.fused_ops, fields.integer("fused"));
    return {};
  }

  text::Lexer lexer_;
  const Graph& graph_;
  std::unordered_map<std::string, Id<Computation>> computations_;
  std::unordered_map<std::size_t, std::unordered_map<std::string, Id<Op>>> names_;
  Id<Computation> inside_;
  Plan plan_;
};

}  // namespace

PlanOptions stated_options(std::string_view plan, PlanOptions otherwise) {
  otherwise.unroll_loops = false;
  otherwise.merge_products = otherwise.library_epilogues = true;
  otherwise.layouts = Layouts::AsWritten;
  otherwise.orders.reset();
  text::Lexer lexer(plan, "");
  while (true) {
    const Result<Line> line = lexer.line();
    if (!line || line->empty() || (*line)[0].text == "computation") break;
    const Line& words = *line;
    if (words.size() == 2 && words[0].text == "policy") otherwise.policy = words[1].text;
    if (words.size() == 2 && words[0].text == "device")
      if (const Result<Device> device = device_named(words[1].text)) otherwise.device = *device;
    if (words.size() == 4 && words[0].text == "layout")
      if (const std::optional<graph::Order> order = graph::parse_order(words[3].text); order && otherwise.orders) (*otherwise.orders)[words[1].text][words[2].text] = *order;
    if (words.size() != 3 || words[0].text != "option") continue;
    if (words[1].text == "layouts") {
      otherwise.layouts = layouts_named(words[2].text).value_or(Layouts::AsWritten);
      otherwise.orders.emplace();
    }
    if (words[1].text == "unroll") otherwise.unroll_loops = words[2].text == "1";
    if (words[1].text == "merges") otherwise.merge_products = words[2].text != "0";
    if (words[1].text == "epilogues") otherwise.library_epilogues = words[2].text != "0";
  }
  return otherwise;
}

Result<Plan> parse_plan(std::string_view source, std::string_view file, const Graph& graph) {
  return Parser(source, file, graph).run();
}

}  // namespace seam::planner
