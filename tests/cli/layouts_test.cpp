// --layouts from outside: what is said of a choice, plans that carry it, and what is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

const std::string kModule = SEAM_SOURCE "/tests/data/xla/bert_layer.fwdbwd.hlo";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

class LayoutsCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("seam_layouts_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

Json plan(const std::vector<std::string>& flags) {
  std::vector<std::string> arguments = {"plan", kModule, "--format", "json"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const Ran ran = seam(arguments);
  EXPECT_EQ(ran.exit, 0) << ran.err;
  Json json = Json::parse(ran.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded());
  EXPECT_EQ(seam::test::schema_problems(json, "seam.plan.schema.json"), std::vector<std::string>());
  return json;
}

TEST_F(LayoutsCommand, ChosenOnesSaveTransposesAndSayWhy) {
  const Json before = plan({"--layouts", "row-major"}), after = plan({"--layouts", "chosen"});
  EXPECT_LT(after["totals"]["kernels"], before["totals"]["kernels"]);
  EXPECT_EQ(after["totals"]["library_calls"], before["totals"]["library_calls"]);
  EXPECT_TRUE(before["layouts"].empty());
  EXPECT_FALSE(after["layouts"].empty());
  const Ran why = seam({"plan", kModule, "--layouts", "chosen", "--explain=transpose.13"});
  EXPECT_EQ(why.exit, 0) << why.err;
  EXPECT_NE(why.out.find("lies as {"), std::string::npos) << why.out;
  EXPECT_NE(why.out.find("it would cost"), std::string::npos) << why.out;
  const Ran text = seam({"plan", kModule, "--layouts", "chosen"});
  EXPECT_NE(text.out.find("\nLayouts\n"), std::string::npos);
  EXPECT_EQ(seam({"plan", kModule, "--layouts", "row-major"}).out.find("\nLayouts\n"), std::string::npos);
}

TEST_F(LayoutsCommand, PlansCarryThem) {
  const std::string file = (folder_ / "p.plan").string();
  ASSERT_EQ(seam({"plan", kModule, "--layouts", "chosen", "-o", file}).exit, 0);
  const Ran again = seam({"plan", kModule, "--plan", file, "--text"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(again.out, text_of(file));
  const std::string text = text_of(file);
  const std::size_t line = text.find("\nlayout ") + 1;
  const std::string first = text.substr(line, text.find('\n', line) - line);
  const auto edited = [&](const std::string& with) {
    std::ofstream(folder_ / "q.plan") << text.substr(0, line) << with << text.substr(line + first.size());
    return seam({"plan", kModule, "--plan", (folder_ / "q.plan").string()});
  };
  for (const std::string& with : {std::string("layout nowhere x \"{0,1}\""), std::string("layout main.42 nobody \"{0,1}\""), first.substr(0, first.find('"')) + "\"{7,1}\"", first.substr(0, first.find('"')) + "\"{0}\"",
                                  std::string("layout main.42"), first + "\n" + first}) {
    const Ran refused = edited(with);
    EXPECT_EQ(refused.exit, 2) << with << refused.out;
    EXPECT_FALSE(refused.err.empty()) << with;
  }
}

TEST_F(LayoutsCommand, FlagsThatContradictAreRefused) {
  const std::string file = (folder_ / "p.plan").string();
  ASSERT_EQ(seam({"plan", kModule, "--layouts", "chosen", "-o", file}).exit, 0);
  EXPECT_EQ(seam({"plan", kModule, "--plan", file, "--layouts", "chosen"}).exit, 0);
  for (const char* other : {"as-written", "row-major"}) {
    const Ran refused = seam({"plan", kModule, "--plan", file, "--layouts", other});
    EXPECT_EQ(refused.exit, 2) << other;
    EXPECT_NE(refused.err.find("--layouts"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(seam({"plan", kModule, "--layouts", "chosen", "--policy", "none"}).exit, 2) << "its rules choose no layouts";
  EXPECT_EQ(seam({"plan", kModule, "--layouts", "chosen", "--costs", (folder_ / "c.db").string()}).exit, 2);
  for (const std::vector<std::string>& study : {std::vector<std::string>{"study", "layouts", "--policy", "none"}, {"study", "layouts", "--layouts", "chosen"}, {"study", "bert-layer", "--layouts", "simulated"},
                                                {"study", "bert-layer", "--no-prove"}})
    EXPECT_EQ(seam(study).exit, 2) << study.back();
}

TEST_F(LayoutsCommand, SimulatedOnesAreCountedOnce) {
  const std::string costs = (folder_ / "costs.db").string(), module = SEAM_UNPACKED "/oracle/bert_layer.fwd/before.hlo";
  const Ran first = seam({"plan", module, "--layouts", "simulated", "--costs", costs, "--format", "json"});
  if (first.exit == 2 && first.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << "no NVRTC";
  ASSERT_EQ(first.exit, 0) << first.err;
  const Json json = Json::parse(first.out);
  EXPECT_EQ(seam::test::schema_problems(json, "seam.plan.schema.json"), std::vector<std::string>());
  EXPECT_LE(json["layout_gains"]["chosen_us"], json["layout_gains"]["row_major_us"]);
  EXPECT_GT(json["layout_gains"]["kernels_run"], 0);
  const Json again = Json::parse(seam({"plan", module, "--layouts", "simulated", "--costs", costs, "--format", "json"}).out);
  EXPECT_EQ(again["layout_gains"]["kernels_run"], 0);
  EXPECT_EQ(again["layouts"], json["layouts"]);
  std::ofstream(folder_ / "text") << "not a table of costs";
  const Ran refused = seam({"plan", module, "--layouts", "simulated", "--costs", (folder_ / "text").string()});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_EQ(seam({"plan", module, "--layouts", "best"}).exit, 2);
}

TEST_F(LayoutsCommand, ValuesWithoutElementsAndOddCostsAreSurvived) {
  std::ofstream(folder_ / "zero.hlo") << "HloModule zero\nENTRY main {\n  p = f32[0,4,6] parameter(0)\n  ROOT t = f32[4,6,0] transpose(p), dimensions={1,2,0}\n}\n";
  const std::string costs = (folder_ / "costs.db").string();
  const Ran zero = seam({"plan", (folder_ / "zero.hlo").string(), "--layouts", "simulated", "--costs", costs});
  if (zero.exit == 2 && zero.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << "no NVRTC";
  EXPECT_EQ(zero.exit, 0) << zero.err;
}

TEST_F(LayoutsCommand, AnalyzeNamesWhatPays) {
  const Ran ran = seam({"analyze", kModule, "--format", "json"});
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(seam::test::schema_problems(json, "seam.analyze.schema.json"), std::vector<std::string>());
  ASSERT_FALSE(json["bad_layouts"].empty());
  for (const Json& one : json["bad_layouts"]) EXPECT_GE(one["now_us"].get<double>(), 2 * one["best_us"].get<double>() * 0.999);
}

TEST_F(LayoutsCommand, ThePageShowsThem) {
  const std::string out = (folder_ / "o").string();
  const Ran ran = seam({"optimize", SEAM_UNPACKED "/oracle/bert_layer.fwd/before.hlo", "--layouts", "chosen", "-o", out, "--no-prove"});
  ASSERT_TRUE(ran.exit == 0 || ran.exit == 4) << ran.err;
  EXPECT_NE(text_of(folder_ / "o" / "report.html").find("id=\"layouts\""), std::string::npos);
  EXPECT_NE(text_of(folder_ / "o" / "report.html").find(" --layouts chosen"), std::string::npos) << "the command that makes this page";
  EXPECT_NE(text_of(folder_ / "o" / "plan.plan").find("\nlayout "), std::string::npos);
}

}  // namespace
}  // namespace seam::cli::test
