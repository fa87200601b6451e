/// seam doctor: what of Seam works on this machine, and what to install for the rest.
#include <dlfcn.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/device.h"
#include "base/json_out.h"
#include "cli/command.h"
#include "codegen/codegen.h"
#include "codegen/resources.h"

namespace seam::cli {
namespace {

struct Finding {
  std::string name;
  bool works = false;
  std::string detail;       ///< version or place; what is missing
  std::string without_it;   ///< what stops working
};

Finding nvrtc() {
  const auto compiler = codegen::Compiler::find();
  Finding f{"NVRTC", compiler.has_value(), "", "kernels are planned and written but neither compiled nor proven"};
  f.detail = compiler ? (*compiler)->version() : compiler.error().message;
  return f;
}

Finding nvjitlink() {
  const auto assembler = codegen::Assembler::find();
  Finding f{"nvJitLink", assembler.has_value(), "", "registers and spills of kernels are unknown; everything else works without it"};
  f.detail = assembler ? (*assembler)->version() : assembler.error().message;
  return f;
}

Finding driver() {
  Finding f{"CUDA driver", false, "libcuda.so.1 not found", "tier 5 (the GPU itself) is not run; everything else works without it"};
  if (void* handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    using Version = int (*)(int*);
    int version = 0;
    if (auto get = reinterpret_cast<Version>(dlsym(handle, "cuDriverGetVersion")); get != nullptr && get(&version) == 0) {
      f.works = true;
      f.detail = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
    } else {
      f.detail = "libcuda.so.1 is there but does not answer";
    }
    dlclose(handle);
  }
  return f;
}

Finding reader() { return {"graph modules", true, "HLO text and .graph", ""}; }
Finding simulator() { return {"simulator", true, fmt::format("{} devices known", devices().size()), ""}; }

Result<int> run(const Common& common) {
  const std::vector<Finding> findings = {reader(), simulator(), nvrtc(), nvjitlink(), driver()};
  if (common.format == Format::Json) {
    nlohmann::ordered_json out = {{"schema", "seam.doctor/1"}, {"checks", nlohmann::ordered_json::array()}};
    for (const Finding& f : findings) {
      out["checks"].push_back({{"name", f.name}, {"works", f.works}, {"detail", f.detail}, {"without_it", f.without_it}});
    }
    fmt::print("{}\n", dumped(out, 2));
    return kPass;
  }
  for (const Finding& f : findings) {
    fmt::print("{:<14} {}  {}\n", f.name, f.works ? "works  " : "missing", f.detail);
    if (!f.works) fmt::print("{:<14}          without it: {}\n", "", f.without_it);
  }
  return kPass;
}

}  // namespace

Run define_doctor(CLI::App& /*app*/) {
  return [](const Common& common) { return run(common); };
}

}  // namespace seam::cli
