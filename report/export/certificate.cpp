#include "report/certificate.h"

#include <fmt/core.h>

#include <set>

#include "base/files.h"
#include "base/sha256.h"
#include "codegen/inputs.h"
#include "graph/tolerance.h"
#include "json/verdicts.h"
#include "report/validate_json.h"

namespace seam::report {
namespace {

Json hashed(const Files& files, const std::string& name) { return {{"file", name}, {"sha256", sha256(files.at(name))}}; }

/// Dtypes of everything the kernels write, with the tolerance each was held to at the lengths of reductions that occur.
Json tolerances(const Optimized& optimized) {
  std::set<DType> dtypes;
  for_each_kernel(optimized, [&](const KernelView& kernel) {
    for (const codegen::Argument& argument : kernel.built.source.arguments) {
      if (argument.output && is_float(argument.dtype)) dtypes.insert(argument.dtype);
    }
  });
  const std::int64_t longest = codegen::longest_reduction(*optimized.graph);
  Json out = Json::array();
  for (const DType dtype : dtypes) {
    for (const std::int64_t length : {std::int64_t{1}, longest}) {
      const graph::Tolerance t = graph::tolerance(dtype, length);
      out.push_back({{"dtype", name(dtype)}, {"reduction_length", length}, {"abs", t.abs}, {"rel", t.rel}});
      if (longest == 1) break;
    }
  }
  return out;
}

/// Those that some kernel ran on; each kernel says which were its own.
Json input_sets(const std::vector<codegen::Verdict>& verdicts) {
  std::set<int> used;
  for (const codegen::Verdict& verdict : verdicts) used.insert(verdict.sets.begin(), verdict.sets.end());
  Json sets = Json::array();
  for (const int set : used) {
    sets.push_back({{"set", set}, {"distribution", codegen::name(codegen::input_distribution(set))}, {"first_seed", codegen::input_seed(set, 1)}, {"order_seed", set}});
  }
  return sets;
}

Json kernels(const Optimized& optimized, const Files& files) {
  Json out = Json::array();
  for_each_kernel(optimized, [&](const KernelView& kernel) {
    Json json = json_of(kernel.verdict);
    json.erase("resources");  // no proof hangs on them, and another assembler says another number of the same kernel
    Json list = Json::array();
    for (const char* ending : {".cu", ".ptx", ".kernel", ".json", ".repro.cpp"}) {
      const std::string file = "kernels/" + kernel.verdict.kernel + ending;
      if (files.contains(file)) list.push_back(hashed(files, file));
    }
    json["input_sets"] = kernel.verdict.sets;
    json["files"] = std::move(list);
    out.push_back(std::move(json));
  });
  return out;
}

/// Hashes one {file, sha256} again.
void check_file(const Json& entry, const std::filesystem::path& folder, std::vector<std::string>& problems, std::set<std::string>& named) {
  const std::string file = entry.at("file");
  named.insert(file);
  const std::filesystem::path relative(file);
  if (relative.is_absolute() || std::ranges::find(relative, "..") != relative.end()) {
    problems.push_back(fmt::format("{}: leads out of the certificate's folder", file));
    return;
  }
  const auto bytes = read_file(folder / relative);
  if (!bytes) {
    problems.push_back(fmt::format("{}: {}", file, bytes.error().code == Error::Code::NotFound ? "is missing" : "cannot be read"));
  } else if (sha256(*bytes) != entry.at("sha256").get<std::string>()) {
    problems.push_back(fmt::format("{}: its bytes are not those that were proven", file));
  }
}

}  // namespace

std::string certificate_json(const Optimized& optimized, const Files& files) {
  const Device& device = optimized.options.device;
  const codegen::ProveOptions& proving = optimized.proving;
  const Json json = {
      {"schema", "seam.certificate/1"},
      {"tool", optimized.tool},
      {"verdict", json_of(optimized.verdicts, optimized.run.check)["verdict"]},
      {"complete", !optimized.cancelled},
      {"module", hashed(files, "module.graph")},
      {"plan", hashed(files, "plan.plan")},
      {"policy", optimized.plan->policy},
      {"device", {{"name", device.name}, {"product", device.product}, {"compute", fmt::format("{}.{}", device.compute_major, device.compute_minor)}, {"hardware", false}}},
      {"compiler", optimized.compiler},
      {"method", {{"tiers", {{"ir", "kernel IR: types, scopes, barriers in uniform flow, index bounds by intervals"},
                             {"sim", "the PTX on the simulator: bounds, alignment, uninitialised reads, races, divergent barriers, unwritten outputs, byte model"},
                             {"values", "outputs against the reference evaluator"},
                             {"host", "not part of this version"},
                             {"gpu", "not run: no GPU was used"}}},
                  {"input_sets", input_sets(optimized.verdicts)},
                  {"instruction_budget", proving.instruction_budget},
                  {"reference_budget", proving.reference_budget},
                  {"tolerances", tolerances(optimized)}}},
      {"kernels", kernels(optimized, files)},
      {"program", json_of(optimized.run.check)},
  };
  return dumped(json) + "\n";
}

Result<std::vector<std::string>> check_certificate(const std::filesystem::path& certificate) {
  SEAM_TRY(const std::string text, read_file(certificate));
  const std::filesystem::path folder = certificate.parent_path();
  std::vector<std::string> problems;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != "seam.certificate/1") throw std::invalid_argument("its schema is not seam.certificate/1");
    std::set<std::string> named;
    check_file(json.at("module"), folder, problems, named);
    check_file(json.at("plan"), folder, problems, named);
    for (const Json& kernel : json.at("kernels")) {
      const std::string kernel_name = kernel.at("name");
      for (const Json& file : kernel.at("files")) check_file(file, folder, problems, named);
      const Json& tiers = kernel.at("tiers");
      const bool all = tiers.at("ir") == "passed" && tiers.at("sim") == "passed" && tiers.at("values") == "passed";
      if (kernel.at("verdict") == "passed" && !all) problems.push_back(fmt::format("kernel {}: said to have passed, but a tier did not", kernel_name));
      if (kernel.at("verdict") != "passed") problems.push_back(fmt::format("kernel {}: is not proven ({})", kernel_name, kernel.at("verdict").get<std::string>()));
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "kernels", error)) {
      const std::string file = "kernels/" + entry.path().filename().string();
      if (!named.contains(file)) problems.push_back(fmt::format("{}: the certificate does not speak of it", file));
    }
  } catch (const std::exception& e) {
    return fail(Error::Code::BadInput, fmt::format("{}: not a certificate: {}", certificate.string(), e.what()));
  }
  std::ranges::sort(problems);
  return problems;
}

}  // namespace seam::report
