/// Kernels that Triton compiled: 55 small ones must leave memory as Triton's own interpreter did. (Those of whole graphs: tests/foreign/triton_test.cpp.)
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/dtype.h"
#include "base/files.h"
#include "base/npy.h"
#include "device.h"

namespace seam::sim::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::vector<fs::path> descriptions(const char* archive) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(SEAM_UNPACKED) / archive)) {
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

Json json_of(const fs::path& file) {
  const auto text = read_file(file);
  EXPECT_TRUE(text) << file;
  return text ? Json::parse(*text) : Json();
}

DType dtype_of(const std::string& torch) {
  static const std::map<std::string, DType> names = {{"float32", DType::F32}, {"float16", DType::F16}, {"bfloat16", DType::BF16},
                                                     {"int64", DType::S64},   {"bool", DType::Pred},   {"int32", DType::S32}};
  return names.at(torch);
}

Dim3 dim3(const Json& sizes) { return {sizes[0].get<std::uint32_t>(), sizes[1].get<std::uint32_t>(), sizes[2].get<std::uint32_t>()}; }

void add_scalar(Arguments& arguments, const std::string& type, const Json& value) {
  if (type == "i32") {
    arguments.add(value.get<std::int32_t>());
  } else if (type == "i64" || type.starts_with('*')) {
    arguments.add(value.get<std::int64_t>());
  } else {
    ASSERT_EQ(type, "fp32");
    arguments.add(value.get<float>());
  }
}

/// How far the memory is from what was recorded: the largest difference, divided by the largest value that the kernel wrote.
struct Difference {
  double worst = 0;
  std::string where;
};

void compare(DType dtype, std::span<const std::byte> actual, const Array& before, const Array& after, const std::string& name, Difference& out) {
  const auto step = static_cast<std::size_t>(bytes(dtype));
  double largest = 0;
  for (std::size_t at = 0; at + step <= after.data.size(); at += step) {
    if (std::memcmp(&after.data[at], &before.data[at], step) == 0) continue;
    const double value = std::abs(load_as_double(dtype, &after.data[at]));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  for (std::size_t at = 0; at + step <= after.data.size(); at += step) {
    if (std::memcmp(&after.data[at], &actual[at], step) == 0) continue;
    const double want = load_as_double(dtype, &after.data[at]);
    const double is = load_as_double(dtype, &actual[at]);
    if (std::isnan(want) && std::isnan(is)) continue;
    const double difference = want == is ? 0 : std::isfinite(want) && std::isfinite(is) && largest > 0 ? std::abs(want - is) / largest : INFINITY;
    if (difference <= out.worst) continue;
    out.worst = difference;
    out.where = name + " at " + std::to_string(at / step) + ": " + std::to_string(is) + " instead of " + std::to_string(want);
  }
}

std::set<std::string> kinds(const std::vector<Report>& reports) {
  std::set<std::string> out;
  for (const Report& one : reports) out.insert(one.kind);
  return out;
}

/// Empty: the kernel runs clean and leaves the recorded memory. Adds the kinds of its notes.
std::string run_recorded(const fs::path& description, const std::string& suffix, std::map<std::string, std::set<std::string>>& notes) {
  const Json json = json_of(description);
  fs::path folder = description;
  folder.replace_extension();
  const auto text_of_ptx = read_file(folder.string() + suffix + ".ptx");
  EXPECT_TRUE(text_of_ptx);
  const auto module = load_ptx(*text_of_ptx, folder.filename().string() + suffix + ".ptx");
  if (!module) return describe(module.error());
  Memory memory;
  Launch launch;
  launch.kernel = json["name"];
  launch.grid = dim3(json["grid"]);
  launch.block = dim3(json["block"]);
  launch.dynamic_shared = json["shared_bytes"];
  if (!suffix.empty() && json["sm_80"].contains("shared_bytes")) launch.dynamic_shared = json["sm_80"]["shared_bytes"];
  Arguments arguments(**module, launch.kernel);
  std::map<std::string, std::pair<std::uint64_t, Array>> buffers;
  for (const Json& parameter : json["params"]) {
    const std::string name = parameter["name"];
    if (parameter.contains("value")) {
      add_scalar(arguments, parameter["type"], parameter["value"]);
      continue;
    }
    auto array = read_npy(folder / ("in_" + name + ".npy"));
    if (!array) return describe(array.error());
    const std::uint64_t at = input(memory, name, array->data, !parameter["changed"].get<bool>());
    arguments.add(at);
    buffers.emplace(name, std::pair(at, *std::move(array)));
  }
  launch.parameters = arguments.bytes();
  const auto outcome = sim::launch(**module, memory, launch);
  if (!outcome) return describe(outcome.error());
  if (!outcome->clean()) return text(*outcome);
  if (!outcome->notes.empty()) notes[folder.filename().string()].merge(kinds(outcome->notes));
  Difference difference;
  for (const Json& parameter : json["params"]) {
    const std::string name = parameter["name"];
    if (!buffers.contains(name)) continue;
    const auto& [at, before] = buffers.at(name);
    const fs::path after = folder / ("out_" + name + ".npy");
    EXPECT_EQ(fs::exists(after), parameter["changed"].get<bool>()) << after;
    const auto want = fs::exists(after) ? read_npy(after) : Result<Array>(before);
    if (!want) return describe(want.error());
    if (want->data.size() != before.data.size()) return name + " changes its size";
    compare(dtype_of(parameter["dtype"]), memory.bytes(at), before, *want, name, difference);
  }
  return difference.worst <= json["tolerance"].get<double>() ? "" : "differs by " + std::to_string(difference.worst) + ": " + difference.where;
}

TEST(Triton, KernelsLeaveTheRecordedMemory) {
  /// Those that do not, and why.
  static const std::map<std::string, std::string> kKnown = {};
  /// What looks like a race in some of them and is none.
  static const std::map<std::string, std::set<std::string>> kNotes = {{"col_mean_var.infer.per_1", {"race-rounding"}},
                                                                       {"col_mean_var.infer.red_0", {"race-rounding"}},
                                                                       {"layer_norm_wide.infer.red_0", {"race-rounding"}},
                                                                       {"linear_softmax_xent.bw.per_0", {"race-unused"}}};
  std::map<std::string, std::set<std::string>> notes;
  const auto all = descriptions("triton");
  EXPECT_EQ(all.size(), 55U);
  std::size_t runs = 0;
  std::size_t agreed = 0;
  for (const fs::path& one : all) {
    for (const char* suffix : {"", ".sm_80"}) {
      const std::string name = one.stem().string() + suffix;
      const std::string problem = run_recorded(one, suffix, notes);
      ++runs;
      if (problem.empty()) ++agreed;
      EXPECT_EQ(problem.empty(), !kKnown.contains(name)) << name << ": " << problem;
    }
  }
  EXPECT_GE(agreed * 100, runs * 95);
  EXPECT_EQ(notes, kNotes);
}

}  // namespace
}  // namespace seam::sim::test
