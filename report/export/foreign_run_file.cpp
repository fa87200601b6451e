/// The run file of another compiler's program.
#include <algorithm>
#include <map>

#include "analyzer/time_model.h"
#include "base/sha256.h"
#include "codegen/meter.h"
#include "db/writer.h"
#include "export/modelled_clock.h"
#include "report/foreign.h"

namespace seam::report {
namespace {

using codegen::ForeignKind;

db::Grid grid_of(sim::Dim3 d) { return {static_cast<std::int64_t>(d.x), static_cast<std::int64_t>(d.y), static_cast<std::int64_t>(d.z)}; }

/// The op names that a kernel's instructions carry from the program they were compiled from: its fusion's ops, in order.
void add_ops(db::Writer& writer, db::KernelId id, const graph::Graph& graph, const graph::Computation& computation, const graph::Op& op) {
  int place = 0;
  const auto add = [&](const graph::Computation& where, const graph::Op& one) {
    writer.add_kernel_op(id, place++,
                         {writer.intern(where.name + "/" + one.name), writer.intern(graph::name(one.opcode)), writer.intern(one.metadata.op_name)});
  };
  if (op.opcode != graph::Opcode::Fusion) return add(computation, op);
  const graph::Computation& inside = graph.computations[op.attributes.calls[0]];
  for (const graph::Op& one : inside.ops) {
    if (one.opcode != graph::Opcode::Parameter && one.opcode != graph::Opcode::Constant) add(inside, one);
  }
}

double kernel_us(const codegen::ForeignStep& step, const Device& device) {
  const codegen::ForeignLaunch& of = *step.launch;
  codegen::LaunchProfile profile;
  profile.grid = of.grid;
  profile.block = of.block;
  profile.shared_bytes = of.dynamic_shared;
  profile.counters = step.counters;
  profile.blocks = step.counters.blocks;
  return analyzer::kernel_time_us(device, codegen::work_of(profile)).mid;
}

analyzer::LibraryWork work_of(const graph::Computation& computation, const std::string& instruction) {
  const auto op = std::ranges::find(computation.ops, instruction, &graph::Op::name);
  return op == computation.ops.end() ? analyzer::LibraryWork{} : analyzer::library_work(computation, *op);
}

}  // namespace

Result<void> write_foreign_run(const codegen::ForeignProgram& program, const codegen::ForeignRun& run, const ForeignReport& report,
                               const ForeignRunFile& how, const std::filesystem::path& file) {
  SEAM_TRY(db::Writer writer, db::Writer::create(file));
  writer.add_device(how.device, true);
  const db::StreamId stream = writer.add_stream({});

  std::map<std::string, db::KernelId> kernels;
  for (const ForeignKernelRow& row : report.kernels) {
    const codegen::ForeignKernel& kernel = program.kernels.find(row.kernel)->second;
    kernels[row.kernel] = writer.add_kernel({.name = writer.intern(row.kernel),
                                             .registers = {},
                                             .cuda_sha256 = {},
                                             .ptx_sha256 = sha256(*kernel.ptx),
                                             .ir_sha256 = {},
                                             .verdict = std::string(codegen::name(row.outcome()))});
  }
  for (const graph::Computation& computation : program.graph.computations) {
    for (const graph::Op& op : computation.ops) {
      const auto launch = program.launches.find(op.name);
      if (launch == program.launches.end() || launch->second.kind != ForeignKind::Kernel) continue;
      const auto row = std::ranges::find(report.kernels, launch->second.kernel, &ForeignKernelRow::kernel);
      if (row != report.kernels.end() && row->instructions.front() == op.name)
        add_ops(writer, kernels.at(row->kernel), program.graph, computation, op);
    }
  }

  ModelledClock clock;
  std::int64_t sequence = 0;
  for (const codegen::ForeignStep& step : run.steps) {
    const codegen::ForeignLaunch& of = *step.launch;
    const db::StringId computation = writer.intern(program.graph.computations[step.computation].name);
    if (of.kind == ForeignKind::Copy) {
      db::Copy row;
      row.sequence = sequence++;
      row.kind = db::CopyKind::DeviceToDevice;
      row.name = writer.intern(of.instruction);
      row.stream = stream;
      row.computation = computation;
      row.trip = step.trip;
      row.bytes = step.bytes_written;
      row.bytes_evidence = Evidence::Modelled;
      row.evidence = Evidence::Modelled;
      clock.put(row, analyzer::copy_time_us(how.device, static_cast<double>(step.bytes_read + step.bytes_written)).mid);
      writer.add(row);
      continue;
    }
    const bool is_kernel = of.kind == ForeignKind::Kernel;
    db::Launch row;
    row.sequence = sequence++;
    row.kind = is_kernel ? db::LaunchKind::Kernel : db::LaunchKind::Library;
    row.name = writer.intern(is_kernel ? of.kernel : of.instruction);
    row.stream = stream;
    row.computation = computation;
    row.trip = step.trip;
    if (is_kernel) {
      row.kernel = kernels.at(of.kernel);
      row.grid = grid_of(of.grid);
      row.block = grid_of(of.block);
      row.dynamic_shared = of.dynamic_shared;
    }
    row.bytes_read = step.bytes_read;
    row.bytes_written = step.bytes_written;
    row.bytes_evidence = is_kernel ? Evidence::Simulated : Evidence::Modelled;
    row.evidence = Evidence::Modelled;
    if (is_kernel) {
      clock.put(row, kernel_us(step, how.device));
    } else {
      const analyzer::LibraryWork work = work_of(program.graph.computations[step.computation], of.instruction);
      row.flops = work.flops;
      clock.put(row, analyzer::library_time_us(how.device, work).mid);
    }
    writer.add(row);
  }
  writer.set_run({.kind = db::RunKind::Simulated,
                  .name = program.graph.name,
                  .command = how.command,
                  .tool = how.tool,
                  .policy = {},
                  .compiler = {},
                  .start_ns = 0,
                  .end_ns = clock.now_ns()});
  for (const std::string& note : report.notes) writer.add_warning("foreign", note);
  return writer.finish();
}

}  // namespace seam::report
