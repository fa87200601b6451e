/// What Inductor made of graphs: every kernel of 14 of them runs at its recorded launch shape with nothing to report; descriptions that are wrong are
/// refused by field.
#include "codegen/triton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "support.h"

namespace seam::codegen::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::vector<fs::path> descriptions() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(SEAM_UNPACKED) / "inductor")) {
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

fs::path folder_of(fs::path description) { return description.replace_extension(); }

/// The first, the last and some between.
std::vector<std::uint64_t> sample(const sim::Dim3& grid) {
  const std::uint64_t count = std::uint64_t{grid.x} * grid.y * grid.z;
  constexpr std::uint64_t kMost = 8;
  std::vector<std::uint64_t> out;
  for (std::uint64_t k = 0; count > kMost && k < kMost; ++k) out.push_back(k * (count - 1) / (kMost - 1));
  return out;
}

/// What the simulator, with all its checks, has to report; counts the kinds of its notes.
std::string reports_of(const TritonGraph& graph, const TritonStep& step, const fs::path& folder, TritonTarget target, std::map<std::string, int>& notes) {
  const auto module = load_triton_kernel(graph, step.name, folder, target);
  if (!module) return describe(module.error());
  auto run = triton_run(graph, step, **module, target, 7);
  if (!run) return describe(run.error());
  run->launch.blocks = sample(step.grid);
  const auto outcome = sim::launch(**module, run->memory, run->launch);
  if (!outcome) return describe(outcome.error());
  std::set<std::string> kinds;
  for (const sim::Report& note : outcome->notes) kinds.insert(note.kind);
  for (const std::string& kind : kinds) ++notes[kind];
  std::string out;
  for (const sim::Report& one : outcome->reports) out += one.kind + ": " + one.message + "\n";
  return out;
}

TEST(Triton, KernelsOfInductorGraphsRunWithNothingToReport) {
  std::size_t kernels = 0;
  std::map<std::string, int> notes;
  for (const fs::path& description : descriptions()) {
    const TritonGraph graph = need(read_triton_graph(description));
    EXPECT_EQ(graph.name, description.stem());
    std::set<std::string> seen;
    for (const TritonStep& step : graph.steps) {
      if (step.kind != TritonKind::Launch || !seen.insert(step.name).second) continue;
      ++kernels;
      for (const TritonTarget target : {TritonTarget::Sm90, TritonTarget::Sm80}) {
        EXPECT_EQ(reports_of(graph, step, folder_of(description), target, notes), "") << graph.name << " " << step.name;
      }
    }
    EXPECT_EQ(seen.size(), graph.kernels.size()) << description;
  }
  EXPECT_EQ(kernels, 135U);
  // In-place softmax gradients; layouts changed by shuffles between load and store.
  EXPECT_EQ(notes, (std::map<std::string, int>{{"race-ordered", 2}, {"race-unused", 6}}));
}

fs::path small() { return fs::path(SEAM_UNPACKED) / "inductor" / "lr_b100.bw.json"; }
Json small_json() { return Json::parse(need(read_file(small()))); }

std::string error_of(const std::string& text) {
  const auto graph = read_triton_graph(text, "g.json");
  return graph ? "" : describe(graph.error());
}

TEST(Triton, WrongDescriptionsAreRefusedByField) {
  const Json good = small_json();
  ASSERT_EQ(error_of(good.dump()), "");
  const auto with = [&](const char* pointer, const Json& value) {
    Json out = good;
    out[Json::json_pointer(pointer)] = value;
    return error_of(out.dump());
  };
  EXPECT_EQ(with("/program", 3), "g.json: program: wants text");
  EXPECT_EQ(with("/kernels", Json::array()), "g.json: kernels: wants an object");
  EXPECT_EQ(with("/buffers/2", -1), "g.json: buffers[2]: wants a whole number from 0 to 274877906944");
  EXPECT_EQ(with("/buffers/2", 1.5), "g.json: buffers[2]: wants a whole number from 0 to 274877906944");
  EXPECT_EQ(with("/buffers/2", 18446744073709551615ULL), "g.json: buffers[2]: wants a whole number from 0 to 274877906944");
  EXPECT_EQ(with("/steps", Json::object()), "g.json: steps: wants a list");
  EXPECT_EQ(with("/steps/0", 7), "g.json: steps[0]: wants an object");
  EXPECT_EQ(with("/steps/0/kind", "cuda"), "g.json: steps[0]: kind is triton or extern, not cuda");
  EXPECT_EQ(with("/steps/0/name", "k"), "g.json: steps[0]: kernels has no k");
  EXPECT_EQ(with("/steps/0/grid", {1, 1}), "g.json: steps[0].grid: wants three sizes");
  EXPECT_EQ(with("/steps/0/grid/1", 0), "g.json: steps[0].grid[1]: wants a whole number from 1 to 65535");
  EXPECT_EQ(with("/steps/0/block/2", 65), "g.json: steps[0].block[2]: wants a whole number from 1 to 64");
  EXPECT_EQ(with("/steps/0/args/0/buffer", 8), "g.json: steps[0].args[0].buffer: wants a whole number from 0 to 7");
  EXPECT_EQ(with("/steps/0/args/0/role", "both"), "g.json: steps[0].args[0]: role is in, out or inout, not both");
  EXPECT_EQ(with("/steps/0/args/0/dtype", "float31"), "g.json: steps[0].args[0]: no such element type: float31");
  EXPECT_EQ(with("/steps/0/args/0/offset", 1001), "g.json: steps[0].args[0].offset: wants a whole number from 0 to 1000");
  EXPECT_EQ(with("/steps/0/args/0/stride", {1}), "g.json: steps[0].args[0]: shape and stride differ in length");
  EXPECT_EQ(with("/steps/0/args/0/shape", {1 << 30, 1 << 30}), "g.json: steps[0].args[0]: the shape is too large");
  EXPECT_EQ(with("/steps/0/args/5/type", "i31"), "g.json: steps[0].args[5]: no such type of a scalar: i31");
  EXPECT_EQ(with("/steps/0/args/5/value", std::int64_t{1} << 31), "g.json: steps[0].args[5].value: wants a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(with("/kernels/triton_red_fused_sum_1/ptx", "../red_1"), "g.json: kernels.triton_red_fused_sum_1: ptx is the name of a file, without folders and .ptx");
}

TEST(Triton, MissingFieldsAreNamed) {
  for (const char* field : {"program", "graph", "kernels", "buffers", "steps"}) {
    Json json = small_json();
    json.erase(field);
    EXPECT_EQ(error_of(json.dump()), std::string("g.json: has no ") + field);
  }
  for (const char* field : {"kind", "name", "grid", "block", "shared_bytes", "args"}) {
    Json json = small_json();
    json["steps"][2].erase(field);
    EXPECT_EQ(error_of(json.dump()), std::string("g.json: steps[2]: has no ") + field);
  }
  for (const char* field : {"name", "role", "dtype", "offset"}) {
    Json json = small_json();
    json["steps"][2]["args"][1].erase(field);
    EXPECT_EQ(error_of(json.dump()), std::string("g.json: steps[2].args[1]: has no ") + field);
  }
}

TEST(Triton, EveryCutOfADescriptionIsRefused) {
  const std::string text = small_json().dump();
  for (std::size_t length = 0; length < text.size(); length += 37) EXPECT_TRUE(error_of(text.substr(0, length)).starts_with("g.json: not JSON")) << length;
}

TEST(Triton, LaunchesThatDoNotFitTheirKernelAreErrors) {
  const auto problem = [](const Json& json) {
    const TritonGraph graph = need(read_triton_graph(json.dump(), "g.json"));
    const auto profiles = profile_triton(graph, folder_of(small()));
    return profiles ? "" : profiles.error().message;
  };
  EXPECT_EQ(problem(small_json()), "");
  Json more = small_json();
  for (int k = 0; k < 3; ++k) more["steps"][2]["args"].push_back({{"name", "n"}, {"type", "i32"}, {"value", 1}});
  EXPECT_EQ(problem(more), "g.json: launch of triton_red_fused_sum_1: 7 arguments for a kernel of 6 parameters");
  Json fewer = small_json();
  fewer["steps"][2]["args"].erase(3);
  EXPECT_EQ(problem(fewer), "g.json: launch of triton_red_fused_sum_1: 3 arguments for a kernel of 6 parameters");
  Json wide = small_json();
  wide["steps"][2]["args"][2]["type"] = "i64";
  EXPECT_EQ(problem(wide), "g.json: launch of triton_red_fused_sum_1: argument xnumel has 8 bytes, parameter triton_red_fused_sum_1_param_2 has 4");
}

TEST(Triton, EqualLaunchesAreCountedOnceAndOthersApart) {
  Json json = small_json();
  const Json sum = json["steps"][2];
  const auto times = [&] {
    std::vector<std::int64_t> out;
    for (const TritonProfile& one : need(profile_triton(need(read_triton_graph(json.dump(), "g.json")), folder_of(small())))) out.push_back(one.times);
    return out;
  };
  json["steps"].push_back(sum);
  json["steps"].back()["args"][0]["buffer"] = 1;  // as large as the first
  EXPECT_EQ(times(), (std::vector<std::int64_t>{1, 2}));
  json["steps"].push_back(sum);
  json["steps"].back()["args"][3]["value"] = 50;
  EXPECT_EQ(times(), (std::vector<std::int64_t>{1, 2, 1}));
  json["steps"].push_back(sum);
  json["steps"].back()["args"][0]["buffer"] = 0;  // larger
  EXPECT_EQ(times(), (std::vector<std::int64_t>{1, 2, 1, 1}));
}

TEST(Triton, WorkOfLibraryCallsIsThatOfTheirShapes) {
  const auto work_of = [](const Json& json) { return triton_library_work(need(read_triton_graph(json.dump(), "g.json")).steps[1]); };
  const auto product = work_of(small_json());
  ASSERT_TRUE(product);
  EXPECT_EQ(product->flops, 2.0 * 10 * 100 * 784);
  EXPECT_EQ(product->bytes_read, 4.0 * (10 * 100 + 100 * 784));
  EXPECT_EQ(product->bytes_written, 4.0 * 10 * 784);
  EXPECT_EQ(product->results, 10.0 * 784);
  EXPECT_EQ(product->factors, DType::F32);
  Json repeated = small_json();
  repeated["steps"][1]["args"][0]["stride"] = {0, 1};  // one row, read ten times
  EXPECT_EQ(work_of(repeated)->bytes_read, 4.0 * (100 + 100 * 784));
  Json shapeless = small_json();
  shapeless["steps"][1]["args"][0].erase("shape");
  EXPECT_FALSE(work_of(shapeless));
  Json nothing = small_json();
  nothing["steps"][1]["args"].erase(2);
  EXPECT_FALSE(work_of(nothing));
}

}  // namespace
}  // namespace seam::codegen::test
