#include "base/replacement.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json_out.h"
#include "base/sha256.h"

namespace seam {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kSchema = "seam.replacement/1";
constexpr std::array<std::string_view, 4> kRoles = {"input", "output", "updated", "workspace"};

Json json_of(const LaunchArgument& a) {
  return {{"name", a.name}, {"role", name(a.role)}, {"value", a.value}, {"aliases", a.aliases}, {"dtype", name(a.dtype)}, {"dims", a.dims}, {"bytes", a.bytes}};
}

Json json_of(const LaunchShape& l) {
  Json arguments = Json::array();
  for (const LaunchArgument& a : l.arguments) arguments.push_back(json_of(a));
  return {{"grid", l.grid}, {"block", l.block}, {"shared_bytes", l.shared_bytes}, {"arguments", std::move(arguments)}};
}

LaunchArgument argument_of(const Json& json) {
  LaunchArgument a;
  a.name = json.at("name");
  const auto role = std::ranges::find(kRoles, json.at("role").get<std::string>());
  if (role == kRoles.end()) throw std::invalid_argument("unknown role of an argument");
  a.role = static_cast<ArgumentRole>(role - kRoles.begin());
  a.value = json.at("value");
  a.aliases = json.at("aliases");
  const auto dtype = dtype_named(json.at("dtype").get<std::string>());
  if (!dtype) throw std::invalid_argument("unknown dtype");
  a.dtype = *dtype;
  a.dims = json.at("dims").get<std::vector<std::int64_t>>();
  a.bytes = json.at("bytes");
  return a;
}

LaunchShape shape_of(const Json& json) {
  LaunchShape l;
  l.grid = json.at("grid");
  l.block = json.at("block");
  l.shared_bytes = json.at("shared_bytes");
  for (const Json& a : json.at("arguments")) l.arguments.push_back(argument_of(a));
  return l;
}

ReplacementSet set_of(const Json& json) {
  if (json.at("schema") != kSchema) throw std::invalid_argument("its schema is not seam.replacement/1");
  ReplacementSet set;
  set.module = json.at("module");
  set.device = json.at("device");
  set.policy = json.at("policy");
  set.compiler = json.at("compiler");
  const Json& guards = json.at("guards");
  set.guards.module_sha256 = guards.at("module_sha256");
  set.guards.compute_major = guards.at("compute_major");
  set.guards.compute_minor = guards.at("compute_minor");
  set.guards.alignment = guards.at("alignment");
  set.guards.shared_bytes = guards.at("shared_bytes");
  set.guards.distinct_buffers = guards.at("distinct_buffers");
  for (const Json& k : json.at("kernels")) {
    ReplacementKernel kernel;
    kernel.name = k.at("name");
    kernel.ptx = k.at("ptx");
    kernel.ptx_sha256 = k.at("ptx_sha256");
    if (sha256(kernel.ptx) != kernel.ptx_sha256) throw std::invalid_argument("the PTX of kernel " + kernel.name + " is not what its hash says");
    kernel.launch = shape_of(k.at("launch"));
    kernel.computation = k.at("computation");
    kernel.ops = k.at("ops").get<std::vector<std::string>>();
    set.kernels.push_back(std::move(kernel));
  }
  for (const Json& s : json.at("schedules")) {
    ReplacementSchedule schedule{s.at("computation"), {}};
    for (const Json& step : s.at("steps")) schedule.steps.push_back({step.at("kind"), step.at("name")});
    set.schedules.push_back(std::move(schedule));
  }
  return set;
}

}  // namespace

std::string_view name(ArgumentRole role) { return kRoles[static_cast<std::size_t>(role)]; }

std::string print_launch(const LaunchShape& launch) { return dumped(json_of(launch)); }

std::string print_replacement(const ReplacementSet& set) {
  Json kernels = Json::array();
  for (const ReplacementKernel& k : set.kernels) {
    kernels.push_back({{"name", k.name}, {"computation", k.computation}, {"ops", k.ops}, {"launch", json_of(k.launch)}, {"ptx_sha256", k.ptx_sha256}, {"ptx", k.ptx}});
  }
  Json schedules = Json::array();
  for (const ReplacementSchedule& s : set.schedules) {
    Json steps = Json::array();
    for (const ReplacementStep& step : s.steps) steps.push_back({{"kind", step.kind}, {"name", step.name}});
    schedules.push_back({{"computation", s.computation}, {"steps", std::move(steps)}});
  }
  const Json json = {{"schema", kSchema}, {"module", set.module}, {"device", set.device}, {"policy", set.policy}, {"compiler", set.compiler},
                     {"guards", {{"module_sha256", set.guards.module_sha256}, {"compute_major", set.guards.compute_major}, {"compute_minor", set.guards.compute_minor},
                                 {"alignment", set.guards.alignment}, {"shared_bytes", set.guards.shared_bytes}, {"distinct_buffers", set.guards.distinct_buffers}}},
                     {"kernels", std::move(kernels)}, {"schedules", std::move(schedules)}};
  // Foreign names may hold bytes that are not UTF-8: replaced, not thrown over.
  return dumped(json) + "\n";
}

Result<ReplacementSet> parse_replacement(std::string_view json, std::string_view file) {
  try {
    return set_of(Json::parse(json));
  } catch (const std::exception& e) {
    return fail(Error::Code::BadInput, fmt::format("{}: not a replacement set: {}", file, e.what()));
  }
}

}  // namespace seam
