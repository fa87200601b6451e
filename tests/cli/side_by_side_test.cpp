/// --compare with kernels: flags that do not fit, the table over many modules and the page that shows it, what the issue of better plans claims.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

std::string module(const std::string& name) { return std::string(SEAM_TEST_DATA) + "/xla/" + name + ".hlo"; }
std::string real(const std::string& what) { return std::string(SEAM_UNPACKED) + "/real/" + what; }
std::vector<std::string> kernels_of(const std::string& name) {
  return {"--compare", real("optimized/" + name + ".h100.library.hlo"), "--ptx", real("ptx/" + name + ".h100.library"), "--launches", real("launches/" + name + ".h100.library.tsv")};
}
std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class SideBySide : public testing::Test {
 protected:
  void SetUp() override {
    if (seam({"doctor", "--format", "json"}).out.find("\"NVRTC\",\n      \"works\": true") == std::string::npos) GTEST_SKIP() << "no NVRTC: our kernels cannot be run beside others";
  }
};

TEST_F(SideBySide, FlagsThatDoNotFitAreRefused) {
  const std::vector<std::string> plan = {"plan", module("lr.step")};
  const auto said = [&](const std::vector<std::string>& flags) {
    const Ran ran = seam(plan + flags);
    EXPECT_EQ(ran.exit, 2);
    return ran.err;
  };
  const std::vector<std::string> all = kernels_of("lr.step");
  EXPECT_NE(said({all[0], all[1], all[2], all[3]}).find("--ptx and --launches belong together"), std::string::npos);
  EXPECT_NE(said({all[2], all[3], all[4], all[5]}).find("one for each"), std::string::npos) << "kernels of nothing";
  EXPECT_NE(said(all + std::vector<std::string>{all[0], all[1]}).find("--compare 2 times"), std::string::npos);
  EXPECT_NE(said({"--compare", SEAM_TEST_DATA, "--ptx", all[3], "--launches", all[5]}).find("a dump folder holds its PTX"), std::string::npos);
  EXPECT_NE(said({"--compare", SEAM_TEST_DATA}).find("gpu_after_optimizations.txt"), std::string::npos) << "no dump folder";
  EXPECT_NE(said({"--compare", all[1], "--ptx", "/nowhere", "--launches", all[5]}).find("/nowhere"), std::string::npos);
  EXPECT_NE(said({"--compare", all[1], "--ptx", all[3], "--launches", module("lr.step")}).find("lr.step.hlo"), std::string::npos) << "not a launch list";
  EXPECT_NE(said({"--compare", all[1], "--ptx", real("ptx/w2v.step.h100.library"), "--launches", all[5]}).find("kernel"), std::string::npos) << "another program's kernels";
}

TEST_F(SideBySide, OneModuleAsTextAndJson) {
  const std::vector<std::string> command = std::vector<std::string>{"plan", module("w2v.step")} + kernels_of("w2v.step");
  const Ran text = seam(command);
  EXPECT_EQ(text.exit, 0) << text.err;
  for (const char* part : {"h100.library and stitch on the same simulated device", "Which launches of h100.library move bytes that stitch does not", "How times are modelled"}) EXPECT_NE(text.out.find(part), std::string::npos) << part;
  const Ran ran = seam(command + std::vector<std::string>{"--format", "json"});
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(seam::test::schema_problems(json, "seam.plan.schema.json"), std::vector<std::string>());
  EXPECT_EQ(json["side_by_side"].size(), 1U);
}

/// The page and its JSON hold it too.
TEST_F(SideBySide, OptimizeWritesItIntoThePage) {
  const std::filesystem::path out = std::filesystem::path(testing::TempDir()) / "seam_side_by_side";
  std::filesystem::remove_all(out);
  const Ran ran = seam(std::vector<std::string>{"optimize", module("lr.step"), "--no-prove", "--allow-inconclusive", "-o", out.string()} + kernels_of("lr.step"));
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const std::string page = *read_file(out / "report.html");
  EXPECT_NE(page.find("<h2>h100.library: what its kernels move that ours do not</h2>"), std::string::npos);
  const Json json = Json::parse(*read_file(out / "report.json"));
  EXPECT_EQ(json["plan"]["side_by_side"].size(), 1U);
  EXPECT_EQ(seam::test::schema_problems(json, "seam.optimize.schema.json"), std::vector<std::string>());
  std::filesystem::remove_all(out);
}

/// Rows of docs/side-by-side.md for modules that take no time; the page says for all of them what is claimed here of these.
TEST_F(SideBySide, ThePageShowsWhatTheProgramSays) {
  std::vector<std::string> command = {"plan", "--format", "md"};
  const std::vector<std::string> names = {"dlrm.infer", "gpt2_block.decode", "lr.step", "nmt.decode", "rnn.infer", "rnn.step", "w2v.dense", "w2v.step"};
  for (const std::string& name : names) command.push_back(module(name));
  const Ran ran = seam(command + kernels_of("{}"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const std::string page = *read_file(std::filesystem::path(SEAM_SOURCE) / "docs" / "side-by-side.md");
  std::istringstream lines(ran.out);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.find("---") != std::string::npos) continue;
    EXPECT_NE(page.find(line + "\n"), std::string::npos) << line << "\nscripts/side-by-side --format md writes the table anew";
    ++rows;
  }
  EXPECT_EQ(rows, names.size() + 1);
}

TEST_F(SideBySide, OursLaunchMoveAndTakeNoMore) {
  std::vector<std::string> command = {"plan", "--format", "json"};
  const std::vector<std::string> names = {"dlrm.infer", "gpt2_block.decode", "lr.step", "nmt.decode", "rnn.infer", "rnn.step", "w2v.dense", "w2v.step"};
  for (const std::string& name : names) command.push_back(module(name));
  const Json json = Json::parse(seam(command + kernels_of("{}")).out);
  EXPECT_EQ(seam::test::schema_problems(json, "seam.plans.schema.json"), std::vector<std::string>());
  for (const Json& one : json["modules"]) {
    const Json& sides = one["compare"][0]["side_by_side"];
    const Json &theirs = sides["theirs"], &ours = sides["ours"];
    const auto at = [](const Json& side, const char* what) { return side[what].get<double>(); };
    EXPECT_LE(at(ours, "kernels") + at(ours, "copies"), at(theirs, "kernels") + at(theirs, "copies")) << one["module"];
    EXPECT_LE(at(ours, "launches"), at(theirs, "launches")) << one["module"];
    EXPECT_LE(at(ours, "bytes"), 1.02 * at(theirs, "bytes")) << one["module"];
    for (const char* how : {"eager", "graph"}) EXPECT_LE(at(ours["time_us"][how], "mid"), at(theirs["time_us"][how], "mid")) << one["module"] << " " << how;
  }
}

}  // namespace
}  // namespace seam::cli::test
