#include "report/output_dir.h"

#include "base/files.h"
#include "graph/text.h"
#include "report/launch.h"
#include "report/optimize_json.h"
#include "report/page.h"
#include "report/reproducer.h"
#include "report/run_file.h"

namespace seam::report {

Files output_files(const Optimized& optimized) {
  Files files;
  files["module.graph"] = graph::print_graph(*optimized.graph);
  files["plan.plan"] = planner::print_plan(*optimized.plan, *optimized.graph);
  for_each_kernel(optimized, [&](const KernelView& kernel) {
    if (kernel.built.ir.empty()) return;
    const std::string stem = "kernels/" + kernel.built.source.name;
    files[stem + ".cu"] = kernel.built.source.cuda;
    files[stem + ".kernel"] = kernel.built.ir;
    files[stem + ".json"] = kernel_json(optimized, kernel);
    if (kernel.built.ptx.empty()) return;
    files[stem + ".ptx"] = kernel.built.ptx;
    files[stem + ".repro.cpp"] = reproducer(optimized, kernel);
  });
  files["report.html"] = page(optimized);
  files["certificate.json"] = certificate_json(optimized, files);
  return files;
}

Result<void> write_output(const Optimized& optimized, const std::filesystem::path& folder) {
  Files files = output_files(optimized);
  const auto certificate = files.extract("certificate.json");
  // Kernels of an earlier plan in the same folder would look like part of this one.
  std::error_code ignored;
  std::filesystem::remove(folder / "certificate.json", ignored);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "kernels", ignored)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.ends_with(".cu") || name.ends_with(".ptx") || name.ends_with(".json") || name.ends_with(".kernel") || name.ends_with(".repro.cpp");
    if (ours && !files.contains("kernels/" + name)) std::filesystem::remove(entry.path(), ignored);
  }
  for (const auto& [name, bytes] : files) SEAM_DO(write_file(folder / name, bytes));
  SEAM_DO(write_file(folder / "report.json", optimize_json(optimized) + "\n"));
  SEAM_DO(write_run_file(optimized, folder / "run.seam"));
  return write_file(folder / "certificate.json", certificate.mapped());
}

}  // namespace seam::report
