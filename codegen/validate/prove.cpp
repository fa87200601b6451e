#include "codegen/prove.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "base/sha256.h"
#include "graph/tolerance.h"
#include "validate/choose.h"
#include "validate/collisions.h"
#include "validate/compare.h"
#include "validate/demand.h"
#include "validate/inputs.h"
#include "validate/operands.h"
#include "validate/sample.h"

namespace seam::codegen {
namespace {

class Proof {
 public:
  Proof(const Program& program, const Built& built, const ProveOptions& options)
      : program_(program),
        graph_(*program.graph),
        plan_(program.plan->computations[built.computation]),
        group_(plan_.groups[built.group]),
        computation_(graph_.computations[plan_.computation]),
        built_(built),
        options_(options) {}

  Result<Verdict> run() {
    verdict_.kernel = built_.source.name;
    verdict_.cuda_sha256 = sha256(built_.source.cuda);
    verdict_.ptx_sha256 = sha256(built_.ptx);
    verdict_.ir_sha256 = sha256(built_.ir);
    verdict_.resources = built_.resources;
    verdict_.blocks = static_cast<std::uint64_t>(group_.blocks());
    verdict_.model_read = static_cast<std::uint64_t>(group_.estimate.bytes_read);
    verdict_.model_written = static_cast<std::uint64_t>(group_.estimate.bytes_written);
    sets_ = input_sets(graph_, computation_, group_, options_.input_sets);
    if (!check_ir()) {
      describe();
      return std::move(verdict_);
    }
    verdict_.sim = {Outcome::Passed, ""};
    verdict_.values = {Outcome::Passed, ""};
    bool go_on = true;
    for (std::size_t i = 0; go_on && i < sets_.size(); ++i) {
      SEAM_TRY(go_on, input_set(sets_[i]));
      // Where every set gave nothing but NaN and infinities for some output (a loss, of labels out of range), nothing is known of it yet.
      if (i + 1 != sets_.size() || input_distribution(sets_[i]) == Distribution::Tame || untold().empty()) continue;
      for (int time = 0; time < 4; ++time) sets_.push_back(extra_set(Distribution::Tame, time));
    }
    if (go_on && !untold().empty()) verdict_.values = {Outcome::Inconclusive, "no input set gives finite values of output " + untold()};
    describe();
    return std::move(verdict_);
  }

 private:
  /// False: it cannot be launched as its plan says, so there is nothing to run.
  bool check_ir() {
    const auto failed = [&](std::string detail) { verdict_.ir = {Outcome::Failed, std::move(detail)}; };
    if (built_.source.grid != group_.blocks() || built_.source.block != group_.threads) {
      failed(fmt::format("{} blocks of {} threads, the plan says {} of {}", built_.source.grid, built_.source.block, group_.blocks(), group_.threads));
      return false;
    }
    const auto kernel = parse_kernel(built_.ir, built_.source.name + ".kernel");
    if (!kernel) {
      failed(kernel.error().message);
      return true;
    }
    const auto sound = verify(*kernel);
    if (!sound) {
      failed(sound.error().message);
    } else if (!sound->unproven.empty()) {
      // The simulator sees neither where one shared buffer ends and the next begins, nor blocks that a sample leaves out: bounds are shown here or not at all.
      failed(fmt::format("{} of {} accesses may be out of bounds; first: {}", sound->accesses - sound->proven, sound->accesses, sound->unproven.front()));
    } else {
      verdict_.ir = {Outcome::Passed, fmt::format("all {} accesses proven in bounds by intervals", sound->accesses)};
    }
    return true;
  }

  /// How many blocks the budget pays for, from a run of a few on the first input set.
  [[nodiscard]] Result<Sample> affordable(Operands& operands, std::uint64_t budget) {
    const auto total = static_cast<std::uint64_t>(group_.blocks());
    Sample probe = sample(computation_, group_, std::min<std::uint64_t>(total, 2 * group_.parts.size()), Updates::Skip);
    if (probe.whole || probe.blocks.empty()) return Sample{};
    if (per_block_ == 0) {
      sim::Checks checks;
      checks.races = checks.initialized = false;
      SEAM_TRY(const sim::Outcome outcome, sim::launch(*built_.module, operands.memory, launch_of(built_, operands, probe.blocks), checks));
      start_over(program_, built_, operands);
      per_block_ = std::max<std::uint64_t>(1, outcome.counters.instructions / std::max<std::uint64_t>(1, outcome.counters.blocks));
    }
    const std::uint64_t most = std::max<std::uint64_t>(budget / per_block_, probe.blocks.size());
    return sample(computation_, group_, most);
  }

  /// False: no need for further sets, the kernel has failed.
  Result<bool> input_set(int set) {
    verdict_.sets.push_back(set);
    Operands on_device = seeded_operands(program_, built_, set);
    // What the extra sets look for is in every row: an eighth of the budget finds it.
    const int share = set >= kFirstExtraSet ? 8 : 1;
    SEAM_TRY(const Sample chosen, affordable(on_device, options_.instruction_budget / static_cast<std::uint64_t>(share)));
    sim::Checks checks;
    checks.seed = static_cast<std::uint64_t>(set);
    checks.excuse_races = false;  // nothing that we write needs one
    SEAM_TRY(const sim::Outcome outcome, sim::launch(*built_.module, on_device.memory, launch_of(built_, on_device, chosen.blocks), checks));
    for (const sim::Report& report : outcome.reports) {
      verdict_.reports.push_back(report.line > 0 ? fmt::format("{}: {} ({}:{})", report.kind, report.message, report.file, report.line)
                                                 : fmt::format("{}: {} (PTX line {})", report.kind, report.message, report.ptx_line));
    }
    if (set == 0) {
      verdict_.counters = outcome.counters;
      verdict_.blocks_run = outcome.counters.blocks;
      compare_bytes(on_device, outcome, chosen.whole);
    }
    if (!outcome.reports.empty()) {
      verdict_.sim = {Outcome::Failed, verdict_.reports.front()};
      return false;
    }
    SEAM_TRY(const bool right, compare_values(on_device, chosen, set, options_.reference_budget / share));
    return right;
  }

  /// The planner's byte model against the machine: the same distinct bytes, workspace aside.
  void compare_bytes(const Operands& operands, const sim::Outcome& outcome, bool whole) {
    for (const sim::Outcome::Touched& touched : outcome.touched) {
      const auto at = std::ranges::find(operands.addresses, touched.address) - operands.addresses.begin();
      const Argument& argument = built_.source.arguments[static_cast<std::size_t>(at)];
      if (argument.workspace_bytes > 0) continue;
      // An atomic reads what it writes; the model counts the write.
      if (!argument.output) verdict_.bytes_read += touched.distinct_bytes_read;
      verdict_.bytes_written += touched.distinct_bytes_written;
    }
    verdict_.bytes_compared = whole;
    if (!whole) return;
    const bool equal = verdict_.bytes_read == verdict_.model_read && verdict_.bytes_written == verdict_.model_written;
    const bool below = verdict_.bytes_read <= verdict_.model_read && verdict_.bytes_written <= verdict_.model_written;
    if (group_.estimate.exact ? !equal : !below) {
      verdict_.sim = {Outcome::Failed, fmt::format("byte model: {} read, {} written; the simulator counted {} and {}", verdict_.model_read,
                                                   verdict_.model_written, verdict_.bytes_read, verdict_.bytes_written)};
    }
  }

  /// Longest reduction or contraction in the group: what the tolerance depends on.
  [[nodiscard]] std::int64_t reduction_length() const {
    std::int64_t longest = 1;
    for (const planner::Part& part : group_.parts) {
      for (const planner::PlannedOp& planned : part.ops) {
        const graph::Op& op = computation_.ops[planned.op];
        if (op.opcode == graph::Opcode::Reduce) longest = std::max(longest, reduced_count(op, computation_.ops[op.operands[0]].shape));
        if (op.opcode == graph::Opcode::Dot) longest = std::max(longest, contracted_count(op, computation_.ops[op.operands[0]].shape));
      }
    }
    return longest;
  }

  /// What an element of a scatter's result sums up: itself and the updates that land on it. 1 for other ops.
  [[nodiscard]] std::int64_t terms_of_scatter(const Demand& demand, Id<graph::Op> output) const {
    return computation_.ops[output].opcode == graph::Opcode::Scatter ? 1 + most_collisions(demand, computation_, output) : 1;
  }

  /// An output of which no finite value was ever compared; "" if there is none.
  [[nodiscard]] std::string untold() const {
    for (const auto& [op, telling] : told_) {
      if (telling == 0 && computation_.ops[op].shape.elements_count() > 0) return computation_.ops[op].name;
    }
    return "";
  }

  [[nodiscard]] RoundingCheck coarsest() const {
    RoundingCheck check;
    for (const planner::Part& part : group_.parts) {
      for (const planner::PlannedOp& planned : part.ops) {
        const DType dtype = computation_.ops[planned.op].shape.dtype;
        if (is_float(dtype) && bits(dtype) < 32) check.unit = std::max(check.unit, graph::unit_roundoff(dtype));
      }
    }
    return check;
  }

  /// How many elements of an output hold one rounded value: a broadcast spreads it.
  [[nodiscard]] std::int64_t copies_of_each(Id<graph::Op> output) const {
    Id<graph::Op> source = output;
    while (moves_only(computation_.ops[source])) source = computation_.ops[source].operands[0];
    const std::int64_t values = computation_.ops[source].shape.is_tuple ? 0 : computation_.ops[source].shape.elements_count();
    return values == 0 ? 1 : std::max<std::int64_t>(1, computation_.ops[output].shape.elements_count() / values);
  }
  [[nodiscard]] static bool moves_only(const graph::Op& op) {
    switch (op.opcode) {
      case graph::Opcode::Broadcast:
      case graph::Opcode::Reshape:
      case graph::Opcode::Transpose:
      case graph::Opcode::Bitcast:
      case graph::Opcode::Copy:
      case graph::Opcode::Slice:
      case graph::Opcode::Reverse: return op.operands.size() == 1;
      default: return false;
    }
  }

  /// Size of the partial sums of an output that is a reduction: sum of |terms| / sqrt(count), the largest of some. 0 for other outputs.
  [[nodiscard]] double summand_scale(const Demand& demand, Id<graph::Op> output, const Indices& at) const {
    constexpr std::int64_t kMostTerms = 1 << 20;
    // A sum that is only moved is as exact as the sum.
    Id<graph::Op> source = output;
    while (moves_only(computation_.ops[source])) source = computation_.ops[source].operands[0];
    const graph::Op& op = computation_.ops[source];
    if (op.opcode != graph::Opcode::Reduce || op.operands.size() != 2 || !is_float(op.shape.dtype) || at.empty()) return 0;
    const graph::Shape& operand = computation_.ops[op.operands[0]].shape;
    const std::int64_t terms = std::min(reduced_count(op, operand), kMostTerms);
    if (terms == 0) return 0;
    Indices rows = at;
    if (source != output) {
      rows.resize(static_cast<std::size_t>(op.shape.elements_count()));
      std::iota(rows.begin(), rows.end(), std::int64_t{0});
    }
    rows.resize(std::min(rows.size(), static_cast<std::size_t>(std::max<std::int64_t>(1, kMostTerms / terms))));
    const Indices elements = reduced_elements(op, operand, rows, 0, terms);
    const auto values = demand.values(op.operands[0], elements, graph::Rounding::Rounded);
    if (!values) return 0;
    double largest = 0;
    double sum = 0;
    for (std::size_t i = 0; i < values->numbers.size(); ++i) {
      if (std::isfinite(values->numbers[i])) sum += std::abs(values->numbers[i]);
      if ((i + 1) % static_cast<std::size_t>(terms) != 0) continue;
      largest = std::max(largest, sum);
      sum = 0;
    }
    return largest / std::sqrt(static_cast<double>(terms));
  }

  /// Per element, how far the reference moves when the sums behind it are moved by their own rounding: a softmax of scores in the hundreds cannot
  /// be more exact than they are.
  static Result<std::vector<double>> conditioning(const Demand& demand, Id<graph::Op> output, const Indices& at, const graph::Value& reference) {
    constexpr std::uint64_t kPatterns = 4;
    std::vector<double> slack(at.size(), 0.0);
    for (std::uint64_t seed = 1; seed <= kPatterns; ++seed) {
      SEAM_TRY(const graph::Value moved, demand.shaken(seed).values(output, at, graph::Rounding::Rounded));
      for (std::size_t i = 0; i < moved.numbers.size(); ++i) {
        if (!same_class(moved.numbers[i], reference.numbers[i])) slack[i] = HUGE_VAL;  // which of the two it is, is nobody's to say
        const double by = std::abs(moved.numbers[i] - reference.numbers[i]);
        if (std::isfinite(by)) slack[i] = std::max(slack[i], by);
      }
    }
    // By chance an element's sums may all have moved the same way: each may move, relatively, as its neighbours usually do.
    double squares = 0;
    double counted = 0;
    const auto size_of = [&](std::size_t i) { return i < reference.numbers.size() && std::isfinite(reference.numbers[i]) ? std::abs(reference.numbers[i]) : 0.0; };
    for (std::size_t i = 0; i < slack.size(); ++i) {
      if (size_of(i) == 0 || std::isinf(slack[i])) continue;
      squares += (slack[i] / size_of(i)) * (slack[i] / size_of(i));
      ++counted;
    }
    const double usual = counted > 0 ? std::sqrt(squares / counted) : 0;
    for (std::size_t i = 0; i < slack.size(); ++i) slack[i] = std::max(slack[i], usual * size_of(i));
    return slack;
  }

  /// What a run on a GPU can be held against: the first elements, which the first block of a part writes.
  void note_expected(std::size_t argument, const Array& actual, const Indices* owned, double allowed) {
    constexpr std::int64_t kFirst = 4;
    const std::int64_t count = std::min(kFirst, actual.elements());
    if (owned != nullptr && (std::ssize(*owned) < count || (count > 0 && (*owned)[static_cast<std::size_t>(count) - 1] != count - 1))) return;
    Expected expected{argument, {}, allowed};
    for (std::int64_t e = 0; e < count; ++e) expected.values.push_back(load_as_double(actual.dtype, &actual.data[static_cast<std::size_t>(e * bytes(actual.dtype))]));
    verdict_.expected.push_back(std::move(expected));
  }

  Result<bool> compare_values(Operands& operands, const Sample& chosen, int set, std::int64_t reference_budget) {
    const Distribution distribution = input_distribution(set);
    std::map<Id<graph::Op>, const Array*> inputs;
    for (const auto& [op, array] : operands.host) inputs[op] = array.get();
    const Demand demand(graph_, computation_, inputs);
    for (std::size_t i = 0; i < built_.source.arguments.size(); ++i) {
      const Argument& argument = built_.source.arguments[i];
      if (!argument.output) continue;
      const graph::Op& op = computation_.ops[argument.op];
      Choice choice{.output = argument.op, .budget = reference_budget};
      if (chosen.whole || chosen.complete.contains(argument.op)) {
        if (const std::int64_t missing = operands.memory.unwritten_bytes(operands.addresses[i]); missing > 0) {
          return wrong(fmt::format("{} bytes of output {} were never written", missing, op.name));
        }
      } else {
        choice.owned = &chosen.owned.at(argument.op);
        const auto width = bytes(argument.dtype);
        const std::int64_t expected = std::ssize(*choice.owned) * width;
        const std::int64_t actual = argument.elements * width - operands.memory.unwritten_bytes(operands.addresses[i]);
        if (actual != expected) {
          return wrong(fmt::format("the sampled blocks wrote {} bytes of output {}, their share is {}", actual, op.name, expected));
        }
      }
      Array actual = make_array(op.shape.dtype, op.shape.dims);
      std::ranges::copy_n(operands.memory.bytes(operands.addresses[i]).begin(), static_cast<std::ptrdiff_t>(actual.data.size()), actual.data.begin());
      choice.after = &actual;
      if (argument.updated) choice.before = operands.host.at(planner::storage_of(computation_, argument.aliases)).get();
      const auto elements = elements_to_compare(demand, computation_, choice);
      if (!elements) return undecided(elements.error());
      const Indices& at = *elements;
      const auto wide = demand.values(argument.op, at, graph::Rounding::Wide);
      const auto rounded = demand.values(argument.op, at, graph::Rounding::Rounded);
      if (!wide || !rounded) return undecided((wide ? rounded : wide).error());
      const double scale = summand_scale(demand, argument.op, at);
      const std::int64_t copies = copies_of_each(argument.op);
      const RoundingCheck rounding = coarsest();
      const std::int64_t terms = std::max(reduction_length(), terms_of_scatter(demand, argument.op));
      Comparison result = compare(actual, at, *wide, *rounded, terms, rounding, scale, {}, copies);
      if (result.wrong > 0) {
        SEAM_TRY(const std::vector<double> slack, conditioning(demand, argument.op, at, *rounded));
        const Comparison again = compare(actual, at, *wide, *rounded, terms, rounding, scale, slack, copies);
        if (again.wrong == 0) ill_conditioned_ += result.wrong;
        result = again;
      }
      if (set == 0) note_expected(i, actual, choice.owned, result.worst_allowed);
      verdict_.values_compared += result.compared;
      if (distribution != Distribution::Large) told_[argument.op] += result.telling;  // those of large numbers tell little else
      verdict_.max_abs = std::max(verdict_.max_abs, result.max_abs);
      if (distribution != Distribution::Special) verdict_.max_rel = std::max(verdict_.max_rel, result.max_rel);
      verdict_.tolerance = std::max(verdict_.tolerance, result.worst_allowed);
      if (result.wrong > 0) {
        return wrong(fmt::format("output {}, {} inputs: {} of {} elements wrong; first: {}", op.name, name(distribution), result.wrong,
                                 result.compared, result.first_wrong));
      }
    }
    return true;
  }

  bool undecided(const Error& error) {
    verdict_.values = {Outcome::Inconclusive, error.message};
    return false;
  }

  bool wrong(std::string detail) {
    verdict_.values = {Outcome::Failed, std::move(detail)};
    return false;
  }

  void describe() {
    const std::string scope = verdict_.blocks_run == verdict_.blocks
                                  ? fmt::format("all {} blocks", verdict_.blocks)
                                  : fmt::format("{} of {} blocks, sampled", verdict_.blocks_run, verdict_.blocks);
    if (verdict_.sim.outcome == Outcome::Passed) verdict_.sim.detail = fmt::format("no report, {}", scope);
    if (verdict_.values.outcome == Outcome::Passed) {
      if (verdict_.sim.outcome == Outcome::Passed || verdict_.values_compared > 0) {
        verdict_.values.detail = fmt::format("{} elements of {} input sets, largest difference {:.3g}", verdict_.values_compared, verdict_.sets.size(), verdict_.max_abs);
        if (ill_conditioned_ > 0) verdict_.values.detail += fmt::format("; {} of them judged by the conditioning of their sums", ill_conditioned_);
      } else {
        verdict_.values = {Outcome::NotRun, "the simulator reported first"};
      }
    }
    verdict_.host = {Outcome::NotRun, "host build is not part of this version"};
    verdict_.gpu = {Outcome::NotRun, "no GPU was used"};
  }

  const Program& program_;
  const graph::Graph& graph_;
  const planner::ComputationPlan& plan_;
  const planner::FusionGroup& group_;
  const graph::Computation& computation_;
  const Built& built_;
  const ProveOptions& options_;
  Verdict verdict_;
  std::uint64_t per_block_ = 0;  ///< thread instructions; 0: not known yet
  std::vector<int> sets_;  ///< input sets this kernel is proven on
  std::map<Id<graph::Op>, std::uint64_t> told_;  ///< per output: integers and finite numbers that were compared
  std::uint64_t ill_conditioned_ = 0;  ///< elements outside the plain tolerance that rounding inside their sums explains
};

}  // namespace

Result<Verdict> prove(const Program& program, const Built& built, const ProveOptions& options) {
  return during(fmt::format("proving kernel {}", built.source.name), Proof(program, built, options).run());
}

Result<std::vector<Verdict>> prove_all(const Program& program, const ProveOptions& options, const Progress& progress, std::size_t threads) {
  std::vector<const Built*> all;
  for (const auto& computation : program.kernels) {
    for (const Built& built : computation) all.push_back(&built);
  }
  std::vector<std::optional<Result<Verdict>>> results(all.size());
  std::atomic<std::size_t> done{0};
  parallel_for(all.size(), threads, [&](std::size_t i) {
    results[i].emplace(prove(program, *all[i], options));
    if (progress) progress(++done, all.size());
  });
  std::vector<Verdict> verdicts;
  for (auto& result : results) {
    if (!*result) return tl::unexpected(std::move(*result).error());
    verdicts.push_back(**std::move(result));
  }
  return verdicts;
}

}  // namespace seam::codegen
