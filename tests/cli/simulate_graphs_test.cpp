/// `seam simulate GRAPH.json…` from outside: launches, bytes and time of what Inductor made of graphs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "golden.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string graph(const std::string& name) { return (fs::path(SEAM_UNPACKED) / "inductor" / (name + ".json")).string(); }

std::vector<std::string> all_graphs() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(fs::path(SEAM_UNPACKED) / "inductor")) {
    if (entry.path().extension() == ".json") out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  return out;
}

Json json(std::vector<std::string> arguments, int exit = 0) {
  arguments.insert(arguments.begin(), "simulate");
  arguments.insert(arguments.end(), {"--format", "json"});
  const Ran ran = seam(arguments);
  EXPECT_EQ(ran.exit, exit) << ran.err;
  const Json out = Json::parse(ran.out, nullptr, false);
  EXPECT_FALSE(out.is_discarded()) << ran.out << ran.err;
  if (out.is_discarded()) return {};
  for (const std::string& problem : seam::test::schema_problems(out, "seam.graphs.schema.json")) ADD_FAILURE() << problem;
  return out;
}

double sum(const Json& rows, const char* times, const char* field) {
  double out = 0;
  for (const Json& row : rows) out += row[times].get<double>() * row[field].get<double>();
  return out;
}

/// A copy of one graph's description and PTX, to be broken.
class Graphs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("seam_cli_graphs_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    fs::copy(graph("lr_b100.bw"), folder_ / "g.json");
    fs::path ptx = graph("lr_b100.bw");
    fs::copy(ptx.replace_extension(), folder_ / "g");
    std::ifstream in(folder_ / "g.json");
    description_ = Json::parse(in);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return (folder_ / "g.json").string(); }
  void write(const std::string& text) const { std::ofstream(folder_ / "g.json") << text; }
  void expect_refused(const std::string& why) const {
    const Ran ran = seam({"simulate", file()});
    EXPECT_EQ(ran.exit, 2) << ran.out;
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }

  fs::path folder_;
  Json description_;
};

TEST_F(Graphs, FiguresOfASmallGraphAreThoseOfItsShapes) {
  const Json out = json({file()});
  EXPECT_EQ(out["verdict"], "passed");
  const Json& totals = out["graphs"][0]["totals"];
  EXPECT_EQ(totals["launches"], 2);
  EXPECT_EQ(totals["library_calls"], 1);
  EXPECT_EQ(totals["kernels"], 2);
  // Softmax gradient: two 100 x 10, two columns of 100 in 13 sectors each, one scalar. Sum: 100 x 10.
  EXPECT_EQ(totals["bytes_read"], 2 * 4000 + 2 * 13 * 32 + 32 + 4000);
  EXPECT_EQ(totals["bytes_written"], 4000 + 2 * 32);
  EXPECT_EQ(totals["library_bytes"], 4 * (10 * 100 + 100 * 784 + 10 * 784));
  EXPECT_EQ(totals["evidence"], "simulated");
  // Three launches: gaps of 4 us when eager, 0.9 us in a graph.
  EXPECT_NEAR(totals["time_us"]["eager"]["mid"].get<double>() - totals["time_us"]["graph"]["mid"].get<double>(), 3 * (4.0 - 0.9), 1e-9);
}

TEST_F(Graphs, MarkdownOfASmallGraph) {
  const Ran ran = seam({"simulate", file(), "--format", "md"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("| lr\\_b100.bw | 2 | 1 | 2 | 12.9 kB | 4.06 kB | 349 kB |"), std::string::npos) << ran.out;
}

TEST(SimulateGraphs, TotalsAreSumsOfLaunches) {
  std::vector<std::string> arguments = all_graphs();
  ASSERT_EQ(arguments.size(), 14U);
  arguments.insert(arguments.end(), {"--instructions", "2000000"});
  const Json out = json(arguments);
  std::int64_t launches = 0, calls = 0, kernels = 0, sampled = 0;
  for (const Json& one : out["graphs"]) {
    const Json& totals = one["totals"];
    const Json& rows = one["launches"];
    for (const char* field : {"bytes_read", "bytes_written", "instructions", "barriers"}) {
      EXPECT_NEAR(totals[field].get<double>(), sum(rows, "launches", field), 1e-9 * sum(rows, "launches", field)) << one["name"] << " " << field;
    }
    const double library = sum(one["library_calls"], "calls", "bytes_read") + sum(one["library_calls"], "calls", "bytes_written");
    EXPECT_NEAR(totals["library_bytes"].get<double>(), library, 1e-9 * library);
    for (const auto& [gap, us] : {std::pair("eager", 4.0), std::pair("graph", 0.9)}) {
      double time = us * (totals["launches"].get<double>() + totals["library_calls"].get<double>());
      for (const Json& row : rows) time += row["launches"].get<double>() * row["time_us"]["mid"].get<double>();
      for (const Json& row : one["library_calls"]) time += row["calls"].get<double>() * row["time_us"]["mid"].get<double>();
      EXPECT_NEAR(totals["time_us"][gap]["mid"].get<double>(), time, 1e-9 * time) << one["name"];
    }
    launches += totals["launches"].get<std::int64_t>();
    calls += totals["library_calls"].get<std::int64_t>();
    kernels += totals["kernels"].get<std::int64_t>();
    for (const Json& row : rows) {
      const bool whole = row["blocks"] == row["blocks_run"];
      EXPECT_EQ(row["evidence"], whole ? "simulated" : "modelled");
      sampled += whole ? 0 : 1;
    }
  }
  // data/torch: the wrapper code's own counts.
  EXPECT_EQ(launches, 221);
  EXPECT_EQ(calls, 167);
  EXPECT_EQ(kernels, 135);
  EXPECT_GT(sampled, 0);
  EXPECT_LT(sampled, 135);
}

TEST_F(Graphs, UnknownIsNotZero) {
  description_["steps"][1]["args"][0].erase("shape");
  write(description_.dump());
  const Json out = json({file()});
  const Json& totals = out["graphs"][0]["totals"];
  EXPECT_TRUE(totals["library_bytes"].is_null());
  EXPECT_TRUE(totals["time_us"]["eager"].is_null());
  EXPECT_EQ(totals["bytes_written"], 4064);
  EXPECT_NE(seam({"simulate", file()}).out.find("1 library call without shapes: bytes and time unknown"), std::string::npos);
}

TEST_F(Graphs, AKernelThatTheSimulatorDoesNotKnowIsInconclusive) {
  std::ofstream(folder_ / "g" / "red_1.ptx") << ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry triton_red_fused_sum_1() {\nnonesuch.b32;\nret;\n}\n";
  const Json out = json({file()}, 4);
  EXPECT_EQ(out["verdict"], "inconclusive");
  EXPECT_TRUE(out["graphs"][0]["totals"]["bytes_read"].is_null());
  EXPECT_EQ(out["graphs"][0]["totals"]["evidence"], "unknown");
  EXPECT_NE(out["graphs"][0]["launches"][1]["refusal"].get<std::string>().find("red_1.ptx:5"), std::string::npos) << out.dump();
}

TEST_F(Graphs, AReportOfTheSimulatorFails) {
  description_["buffers"][7] = 4;
  write(description_.dump());
  const Json out = json({file()}, 1);
  EXPECT_EQ(out["verdict"], "failed");
  EXPECT_NE(out["graphs"][0]["launches"][1]["reports"].dump().find("out-of-bounds"), std::string::npos) << out.dump();
}

TEST_F(Graphs, WrongInputsAreRefused) {
  const std::string text = description_.dump();
  write(text.substr(0, text.size() / 2));
  expect_refused("g.json: not JSON, or cut off");
  write("");
  expect_refused("g.json: not JSON, or cut off");
  write("[]");
  expect_refused("g.json: wants an object");
  write(R"({"program": 1})");
  expect_refused("g.json: program: wants text");
  write(text);
  fs::remove(folder_ / "g" / "red_1.ptx");
  expect_refused("red_1.ptx");
  fs::remove_all(folder_ / "g");
  expect_refused("no such folder; --ptx names the one with the PTX of");
  fs::remove(folder_ / "g.json");
  expect_refused("g.json");
}

TEST_F(Graphs, FoldersAndFlags) {
  fs::rename(folder_ / "g", folder_ / "elsewhere");
  EXPECT_EQ(json({file(), "--ptx", (folder_ / "elsewhere").string()})["graphs"][0]["totals"]["bytes_written"], 4064);
  const std::string other = graph("lr_b100.fw");
  EXPECT_EQ(seam({"simulate", file(), other, "--ptx", (folder_ / "elsewhere").string()}).exit, 2);
  EXPECT_EQ(seam({"simulate", other, "--grid", "1"}).exit, 2);
  EXPECT_EQ(seam({"simulate", other, "--max-instructions", "5"}).exit, 2);
  const std::string kernel = (folder_ / "elsewhere" / "red_1.ptx").string();
  EXPECT_NE(seam({"simulate", kernel, "--grid", "1", "--block", "64", "--threads", "1"}).err.find("--threads are for one"), std::string::npos);
  EXPECT_EQ(seam({"simulate", other, "--device", "h1000"}).exit, 2);
  const Json a100 = json({other, "--device", "a100"});
  EXPECT_EQ(a100["device"], "a100");
  EXPECT_EQ(json({other, "--threads", "1"}).dump(), json({other, "--threads", "4"}).dump());
}

/// Input: names of graphs. Output: the command's text with a line per launch.
const seam::test::GoldenSuite kTexts(".graphs", [](std::string_view input) {
  std::vector<std::string> arguments = {"simulate", "-v"};
  std::istringstream words{std::string(input)};
  for (std::string name; words >> name;) arguments.push_back(graph(name));
  return seam(arguments).out;
});

}  // namespace
}  // namespace seam::cli::test
