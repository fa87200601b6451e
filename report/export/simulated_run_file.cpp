#include <cmath>
#include <map>

#include "base/sha256.h"
#include "beside/launch_cost.h"
#include "db/writer.h"
#include "export/modelled_clock.h"
#include "report/simulated_run.h"

namespace seam::report {
namespace {

db::Grid grid_of(sim::Dim3 d) { return {static_cast<std::int64_t>(d.x), static_cast<std::int64_t>(d.y), static_cast<std::int64_t>(d.z)}; }
std::int64_t whole(double bytes) { return std::llround(bytes); }

class SimulatedFile {
 public:
  SimulatedFile(const SimulatedRun& run, db::Writer& writer) : run_(run), writer_(writer) {
    writer_.add_device(run.device, true);
    stream_ = writer_.add_stream({});
  }

  void kernel(const std::string& name, const codegen::LaunchProfile& profile, std::string ptx_sha256) {
    const auto [at, fresh] = kernels_.try_emplace(name);
    if (fresh) at->second = writer_.add_kernel({.name = writer_.intern(name), .registers = {}, .cuda_sha256 = {}, .ptx_sha256 = std::move(ptx_sha256), .ir_sha256 = {}, .verdict = {}});
    LaunchCost cost;
    take_profile(cost, profile, run_.device);
    db::Launch row;
    row.kernel = at->second;
    row.grid = grid_of(profile.grid);
    row.block = grid_of(profile.block);
    row.dynamic_shared = profile.shared_bytes;  // the sum with what is static
    if (cost.evidence == Evidence::Unknown) ++unknown_[cost.why_unknown];
    put(row, name, cost);
  }

  void library(const codegen::TritonStep& step) {
    db::Launch row;
    row.kind = db::LaunchKind::Library;
    LaunchCost cost;
    cost.evidence = Evidence::Unknown;
    if (const auto work = codegen::triton_library_work(step)) {
      cost = library_cost(step.name, *work, run_.device);
      row.flops = work->flops;
    } else {
      ++unknown_["a library call without shapes"];
    }
    put(row, step.name, cost);
  }

  void finish() {
    for (const auto& [why, count] : unknown_) writer_.add_loss("not-simulated", count, "launches without bytes and times: " + why);
    writer_.set_run({.kind = db::RunKind::Simulated, .name = run_.name, .command = run_.command, .tool = run_.tool, .policy = {}, .compiler = {}, .start_ns = 0, .end_ns = clock_.now_ns()});
  }

 private:
  void put(db::Launch& row, const std::string& name, const LaunchCost& cost) {
    row.sequence = sequence_++;
    row.name = writer_.intern(name);
    row.stream = stream_;
    row.bytes_evidence = cost.evidence;
    row.evidence = cost.evidence == Evidence::Unknown ? Evidence::Unknown : Evidence::Modelled;
    if (cost.evidence != Evidence::Unknown) {
      row.bytes_read = whole(cost.bytes_read);
      row.bytes_written = whole(cost.bytes_written);
      clock_.put(row, cost.time_us.mid);
    }
    writer_.add(row);
  }

  const SimulatedRun& run_;
  db::Writer& writer_;
  ModelledClock clock_;
  db::StreamId stream_;
  std::map<std::string, db::KernelId> kernels_;
  std::map<std::string, std::int64_t> unknown_;
  std::int64_t sequence_ = 0;
};

}  // namespace

Result<void> write_kernel_run(const SimulatedRun& run, const std::string& kernel, const std::string& ptx, const codegen::LaunchProfile& profile, const std::filesystem::path& file) {
  SEAM_TRY(db::Writer writer, db::Writer::create(file));
  SimulatedFile out(run, writer);
  out.kernel(kernel, profile, sha256(ptx));
  out.finish();
  return writer.finish();
}

Result<void> write_triton_run(const SimulatedRun& run, const codegen::TritonGraph& graph, const std::vector<codegen::TritonProfile>& profiles, const std::filesystem::path& file) {
  SEAM_TRY(db::Writer writer, db::Writer::create(file));
  SimulatedFile out(run, writer);
  std::map<const codegen::TritonStep*, const codegen::TritonProfile*> of;
  for (const codegen::TritonProfile& one : profiles)
    for (const codegen::TritonStep* step : one.steps) of[step] = &one;
  for (const codegen::TritonStep& step : graph.steps) {
    if (step.kind == codegen::TritonKind::Library) {
      out.library(step);
    } else {
      out.kernel(step.name, *of.at(&step), {});
    }
  }
  out.finish();
  return writer.finish();
}

}  // namespace seam::report
