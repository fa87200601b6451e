#include "report/run_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "db/writer.h"
#include "graph/transform.h"

namespace seam::report {
namespace {

using planner::StepKind;

class RunFile {
 public:
  RunFile(const Optimized& optimized, db::Writer& writer, std::int64_t most_rows) : optimized_(optimized), writer_(writer), most_rows_(most_rows) {
    for (std::size_t c = 0; c < optimized.plan->computations.size(); ++c) plan_of_[optimized.plan->computations[c].computation] = c;
  }

  void write() {
    describe();
    kernels();
    invoke(optimized_.graph->entry, 0);
    if (left_out_ > 0) {
      writer_.add_loss("loop-not-expanded", left_out_, fmt::format("launches and copies of later trips of loops: the file stops at {} rows", most_rows_));
    }
    if (unknown_trips_) writer_.add_loss("unknown-trips", std::nullopt, "how often a loop runs depends on data: one trip is in this file");
    if (branches_) writer_.add_warning("branches", "a conditional's branches are all in this file, although at most one runs");
    for (const Notice& notice : optimized_.warnings) writer_.add_warning(notice.code, notice.message);
    if (optimized_.cancelled) writer_.add_warning("cancelled", "stopped by the user before everything was proven");
  }

 private:
  void describe() {
    writer_.set_run({.kind = optimized_.run.ran ? db::RunKind::Simulated : db::RunKind::Planned,
                     .name = optimized_.graph->name,
                     .command = optimized_.command,
                     .tool = optimized_.tool,
                     .policy = optimized_.plan->policy,
                     .compiler = optimized_.compiler,
                     .start_ns = {},
                     .end_ns = {}});
    writer_.set_property("module.sha256", optimized_.module_sha256);
    for (const auto& [name, value] : optimized_.plan->options) writer_.set_property("option." + name, value);
    writer_.add_device(optimized_.options.device, true);
    stream_ = writer_.add_stream({});
  }

  void kernels() {
    for_each_kernel(optimized_, [&](const KernelView& view) {
      const codegen::Verdict& v = view.verdict;
      const db::KernelId id = writer_.add_kernel({.name = writer_.intern(v.kernel),
                                                  .registers = {},
                                                  .cuda_sha256 = v.cuda_sha256,
                                                  .ptx_sha256 = v.ptx_sha256,
                                                  .ir_sha256 = v.ir_sha256,
                                                  .verdict = std::string(codegen::name(v.outcome()))});
      int place = 0;
      for (const planner::Part& part : view.group.parts) {
        for (const planner::PlannedOp& planned : part.ops) {
          const graph::Op& op = view.computation.ops[planned.op];
          writer_.add_kernel_op(id, place++, {writer_.intern(view.computation.name + "/" + op.name), writer_.intern(graph::name(op.opcode)), writer_.intern(op.metadata.op_name)});
        }
      }
      db::Launch launch;
      launch.name = writer_.intern(v.kernel);
      launch.kernel = id;
      launch.stream = stream_;
      launch.grid = db::Grid{view.group.blocks(), 1, 1};
      launch.block = db::Grid{view.group.threads, 1, 1};
      launch.dynamic_shared = view.built.ir.empty() ? view.group.shared_bytes() : view.built.source.shared_bytes;
      launch.static_shared = 0;
      launch.level = view.group.level;
      launch.flops = view.group.estimate.flops;
      launch.bytes_read = v.bytes_compared ? static_cast<std::int64_t>(v.bytes_read) : view.group.estimate.bytes_read;
      launch.bytes_written = v.bytes_compared ? static_cast<std::int64_t>(v.bytes_written) : view.group.estimate.bytes_written;
      launch.bytes_evidence = v.bytes_compared ? Evidence::Simulated : Evidence::Modelled;
      launch.evidence = Evidence::Modelled;
      launches_[{view.built.computation, view.built.group}] = launch;
    });
  }

  void invoke(Id<graph::Computation> id, std::int64_t trip) {
    const auto found = plan_of_.find(id);
    if (found == plan_of_.end()) return;
    const planner::ComputationPlan& plan = optimized_.plan->computations[found->second];
    const graph::Computation& computation = optimized_.graph->computations[id];
    const db::StringId name = writer_.intern(computation.name);
    for (const planner::Step& step : plan.steps) {
      switch (step.kind) {
        case StepKind::Kernel: {
          db::Launch launch = launches_.at({found->second, step.group});
          launch.computation = name;
          launch.trip = trip;
          put(launch);
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
    put(launch);
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
    put(row);
  }

  void loop(const graph::Computation& computation, const graph::Op& op) {
    const auto trips = graph::trip_count(*optimized_.graph, computation, op);
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
  void put(Row row) {
    if (rows_ >= most_rows_) {
      ++left_out_;
      return;
    }
    row.sequence = rows_++;
    writer_.add(row);
  }

  const Optimized& optimized_;
  db::Writer& writer_;
  std::int64_t most_rows_;
  std::map<Id<graph::Computation>, std::size_t> plan_of_;
  std::map<std::pair<std::size_t, std::size_t>, db::Launch> launches_;
  db::StreamId stream_;
  std::int64_t rows_ = 0, left_out_ = 0;
  bool unknown_trips_ = false, branches_ = false;
};

}  // namespace

Result<void> write_run_file(const Optimized& optimized, const std::filesystem::path& file, std::int64_t most_rows) {
  SEAM_TRY(db::Writer writer, db::Writer::create(file));
  RunFile(optimized, writer, most_rows).write();
  return writer.finish();
}

}  // namespace seam::report
