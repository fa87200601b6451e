#include "report/run_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "analyzer/time_model.h"
#include "base/sha256.h"
#include "db/writer.h"
#include "export/modelled_clock.h"
#include "graph/transform.h"

namespace seam::report {
namespace {

using planner::StepKind;

class RunFile {
 public:
  RunFile(const PlannedRun& run, db::Writer& writer, std::int64_t most_rows) : run_(run), writer_(writer), most_rows_(most_rows) {
    for (std::size_t c = 0; c < run.plan.computations.size(); ++c) plan_of_[run.plan.computations[c].computation] = c;
  }

  void write() {
    writer_.add_device(run_.device, true);
    stream_ = writer_.add_stream({});
    kernels();
    invoke(run_.graph.entry, 0);
    describe();
    if (left_out_ > 0) {
      writer_.add_loss("loop-not-expanded", left_out_, fmt::format("launches and copies of later trips of loops: the file stops at {} rows", most_rows_));
    }
    if (unknown_trips_) writer_.add_loss("unknown-trips", std::nullopt, "how often a loop runs depends on data: one trip is in this file");
    if (branches_) writer_.add_warning("branches", "a conditional's branches are all in this file, although at most one runs");
    for (const Notice& notice : run_.warnings) writer_.add_warning(notice.code, notice.message);
  }

 private:
  void describe() {
    writer_.set_run({.kind = run_.ran ? db::RunKind::Simulated : db::RunKind::Planned,
                     .name = run_.graph.name,
                     .command = run_.command,
                     .tool = run_.tool,
                     .policy = run_.plan.policy,
                     .compiler = run_.compiler,
                     .start_ns = 0,
                     .end_ns = clock_.now_ns()});
    writer_.set_property("module.sha256", run_.module_sha256);
    for (const auto& [name, value] : run_.plan.options) writer_.set_property("option." + name, value);
  }

  void kernels() {
    std::size_t next = 0;
    for (std::size_t c = 0; c < run_.program.kernels.size(); ++c) {
      const planner::ComputationPlan& where = run_.plan.computations[c];
      for (std::size_t g = 0; g < run_.program.kernels[c].size(); ++g, ++next)
        kernel(run_.graph.computations[where.computation], where.groups[g], run_.program.kernels[c][g], run_.verdicts.empty() ? nullptr : &run_.verdicts[next]);
    }
  }

  void kernel(const graph::Computation& computation, const planner::FusionGroup& group, const codegen::Built& built, const codegen::Verdict* verdict) {
    const db::KernelId id = writer_.add_kernel({.name = writer_.intern(group.name),
                                                .registers = {},
                                                .cuda_sha256 = verdict != nullptr ? verdict->cuda_sha256 : std::string(),
                                                .ptx_sha256 = verdict != nullptr ? verdict->ptx_sha256 : built.ptx.empty() ? std::string() : sha256(built.ptx),
                                                .ir_sha256 = verdict != nullptr ? verdict->ir_sha256 : std::string(),
                                                .verdict = std::string(codegen::name(verdict != nullptr ? verdict->outcome() : codegen::Outcome::NotRun))});
    int place = 0;
    for (const planner::Part& part : group.parts) {
      for (const planner::PlannedOp& planned : part.ops) {
        const graph::Op& op = computation.ops[planned.op];
        writer_.add_kernel_op(id, place++, {writer_.intern(computation.name + "/" + op.name), writer_.intern(graph::name(op.opcode)), writer_.intern(op.metadata.op_name)});
      }
    }
    const bool counted = verdict != nullptr && verdict->bytes_compared;
    db::Launch launch;
    launch.name = writer_.intern(group.name);
    launch.kernel = id;
    launch.stream = stream_;
    launch.grid = db::Grid{group.blocks(), 1, 1};
    launch.block = db::Grid{group.threads, 1, 1};
    launch.dynamic_shared = built.ir.empty() ? group.shared_bytes() : built.source.shared_bytes;
    launch.static_shared = 0;
    launch.level = group.level;
    launch.flops = group.estimate.flops;
    launch.bytes_read = counted ? static_cast<std::int64_t>(verdict->bytes_read) : group.estimate.bytes_read;
    launch.bytes_written = counted ? static_cast<std::int64_t>(verdict->bytes_written) : group.estimate.bytes_written;
    launch.bytes_evidence = counted ? Evidence::Simulated : Evidence::Modelled;
    launch.evidence = Evidence::Modelled;
    launches_[{built.computation, built.group}] = {launch, group.estimate.time_mid_us};
  }

  void invoke(Id<graph::Computation> id, std::int64_t trip) {
    const auto found = plan_of_.find(id);
    if (found == plan_of_.end()) return;
    const planner::ComputationPlan& plan = run_.plan.computations[found->second];
    const graph::Computation& computation = run_.graph.computations[id];
    const db::StringId name = writer_.intern(computation.name);
    for (const planner::Step& step : plan.steps) {
      switch (step.kind) {
        case StepKind::Kernel: {
          auto [launch, time_us] = launches_.at({found->second, step.group});
          launch.computation = name;
          launch.trip = trip;
          put(launch, time_us);
          break;
        }
        case StepKind::Library: library(computation, step, name, trip); break;
        case StepKind::Copy: copy(computation, step, name, trip); break;
        case StepKind::While: loop(computation, computation.ops[step.op]); break;
        case StepKind::Conditional:
          branches_ = true;
          for (const Id<graph::Computation> branch : computation.ops[step.op].attributes.calls) invoke(branch, 0);
          break;
      }
    }
  }

  /// Operands once and the result: what any implementation must move at least.
  void library(const graph::Computation& computation, const planner::Step& step, db::StringId name, std::int64_t trip) {
    const graph::Op& op = computation.ops[step.op];
    db::Launch launch;
    launch.kind = db::LaunchKind::Library;
    launch.name = writer_.intern(op.name);
    launch.stream = stream_;
    launch.computation = name;
    launch.trip = trip;
    launch.level = step.level;
    std::int64_t read = 0;
    std::vector<Id<graph::Op>> operands = op.operands;
    std::ranges::sort(operands);
    operands.erase(std::ranges::unique(operands).begin(), operands.end());
    for (const Id<graph::Op> operand : operands) read += computation.ops[operand].shape.byte_size();
    launch.bytes_read = read;
    launch.bytes_written = op.shape.byte_size();
    launch.bytes_evidence = Evidence::Modelled;
    launch.evidence = Evidence::Modelled;
    const analyzer::LibraryWork work = analyzer::library_work(computation, op);
    launch.flops = work.flops;
    put(launch, analyzer::library_time_us(run_.device, work).mid);
  }

  void copy(const graph::Computation& computation, const planner::Step& step, db::StringId name, std::int64_t trip) {
    const graph::Op& op = computation.ops[step.op];
    db::Copy row;
    const bool update = op.opcode == graph::Opcode::DynamicUpdateSlice || op.opcode == graph::Opcode::Scatter;
    const Id<graph::Op> from = update ? op.operands[0] : op.opcode == graph::Opcode::Copy ? op.operands[0] : step.op;
    row.kind = planner::folded(computation, from) ? db::CopyKind::Memset : db::CopyKind::DeviceToDevice;
    row.name = writer_.intern(op.name);
    row.stream = stream_;
    row.computation = name;
    row.trip = trip;
    row.bytes = computation.ops[from].shape.byte_size();
    row.bytes_evidence = Evidence::Modelled;
    row.evidence = Evidence::Modelled;
    const planner::CopiedBytes moved = planner::copied_bytes(op);
    put(row, analyzer::copy_time_us(run_.device, static_cast<double>(moved.read + moved.written)).mid);
  }

  void loop(const graph::Computation& computation, const graph::Op& op) {
    const auto trips = graph::trip_count(run_.graph, computation, op);
    unknown_trips_ |= !trips;
    const std::int64_t before = rows_ + left_out_;
    for (std::int64_t trip = 0; trip < trips.value_or(1); ++trip) {
      invoke(op.attributes.calls.at(1), trip);
      if (rows_ >= most_rows_ && trip + 1 < *trips) {
        // All trips are alike: count the rest.
        left_out_ += (rows_ + left_out_ - before) / (trip + 1) * (*trips - trip - 1);
        break;
      }
    }
  }

  template <class Row>
  void put(Row row, double time_us) {
    if (rows_ >= most_rows_) {
      ++left_out_;
      return;
    }
    row.sequence = rows_++;
    clock_.put(row, time_us);
    writer_.add(row);
  }

  const PlannedRun& run_;
  db::Writer& writer_;
  std::int64_t most_rows_;
  std::map<Id<graph::Computation>, std::size_t> plan_of_;
  std::map<std::pair<std::size_t, std::size_t>, std::pair<db::Launch, double>> launches_;  ///< and how long one takes, microseconds
  ModelledClock clock_;
  db::StreamId stream_;
  std::int64_t rows_ = 0, left_out_ = 0;
  bool unknown_trips_ = false, branches_ = false;
};

}  // namespace

Result<void> write_run_file(const PlannedRun& run, const std::filesystem::path& file, std::int64_t most_rows) {
  SEAM_TRY(db::Writer writer, db::Writer::create(file));
  RunFile(run, writer, most_rows).write();
  return writer.finish();
}

Result<void> write_run_file(const Optimized& optimized, const std::filesystem::path& file, std::int64_t most_rows) {
  PlannedRun run{*optimized.graph, *optimized.plan, optimized.program, optimized.verdicts, optimized.options.device, optimized.run.ran, optimized.command, optimized.tool, optimized.compiler, optimized.module_sha256, optimized.warnings};
  if (optimized.cancelled) run.warnings.push_back({"cancelled", "stopped by the user before everything was proven"});
  return write_run_file(run, file, most_rows);
}

}  // namespace seam::report
