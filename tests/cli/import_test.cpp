// seam import and seam sql of traces from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string kHard = SEAM_SOURCE "/tests/data/traces/hard/";

class ImportCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("seam_import_cli_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string out(const std::string& name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

TEST_F(ImportCommand, ATraceBecomesARunFile) {
  const Ran json = seam({"import", kHard + "h08_graph_launch_owns_six.json", "-o", out("a.seam"), "--format", "json"});
  ASSERT_EQ(json.exit, 0) << json.err;
  const Json report = Json::parse(json.out);
  EXPECT_EQ(seam::test::schema_problems(report, "seam.import.schema.json"), std::vector<std::string>());
  EXPECT_EQ(report["rows"]["kernel"], 5);
  EXPECT_EQ(report["busy_ns"], 42000);
  EXPECT_EQ(report["runs"][0]["output"], out("a.seam"));
  const Ran text = seam({"import", kHard + "h03_quote_in_name.json", "-o", out("b.seam")});
  EXPECT_NE(text.out.find("lost: 1 x broken-event"), std::string::npos) << text.out;
  const Ran piped = seam({"import", kHard + "h16_lfs_pointer.json", "-o", out("c.seam")});
  EXPECT_EQ(piped.exit, 2);
  EXPECT_NE(piped.err.find("Git LFS pointer"), std::string::npos);
  EXPECT_FALSE(fs::exists(out("c.seam")));
}

TEST_F(ImportCommand, AFolderIsAJob) {
  const Ran json = seam({"import", kHard + "h14_two_ranks_compact", "-o", out("job"), "--format", "json"});
  ASSERT_EQ(json.exit, 0) << json.err;
  const Json report = Json::parse(json.out);
  EXPECT_EQ(seam::test::schema_problems(report, "seam.import.schema.json"), std::vector<std::string>());
  ASSERT_EQ(report["runs"].size(), 2U);
  EXPECT_EQ(report["runs"][0]["rank"], 0);
  EXPECT_EQ(report["runs"][1]["rank"], 1);
  EXPECT_EQ(report["runs"][0]["busy_ns"], 20000);
  EXPECT_EQ(report["runs"][1]["busy_ns"], 30000);
  for (const Json& run : report["runs"]) EXPECT_TRUE(fs::exists(run["output"].get<std::string>()));
  EXPECT_EQ(seam({"import", kHard + "h14_two_ranks_compact"}).exit, 2) << "several files and nobody says where";
  EXPECT_EQ(seam({"import", kHard + "h08_graph_launch_owns_six.json", SEAM_SOURCE "/tests/data/xla/lr.step.hlo"}).exit, 2);
}

TEST_F(ImportCommand, AnalyzeTellsWhereTimeGoes) {
  const std::string trace = kHard + "h08_graph_launch_owns_six.json";
  const Ran json = seam({"analyze", trace, "--format", "json"});
  ASSERT_EQ(json.exit, 0) << json.err;
  const Json report = Json::parse(json.out);
  EXPECT_EQ(seam::test::schema_problems(report, "seam.analyze.schema.json"), std::vector<std::string>());
  EXPECT_EQ(report["wall_ns"], 72000);
  EXPECT_EQ(report["devices"][0]["busy_ns"], 42000);
  EXPECT_EQ(report["critical_path"]["ns"], 72000);
  EXPECT_EQ(report["launches"]["calls"], 1);
  const Ran text = seam({"analyze", trace});
  EXPECT_NE(text.out.find("idle: launch_call"), std::string::npos) << text.out;
  EXPECT_NE(seam({"analyze", kHard + "h03_quote_in_name.json"}).out.find("Lost: 1"), std::string::npos) << "a loss is said in every report";
  ASSERT_EQ(seam({"import", trace, "-o", out("a.seam")}).exit, 0);
  Json again = Json::parse(seam({"analyze", out("a.seam"), "--format", "json"}).out);
  EXPECT_EQ(again, report) << "a run says what its trace says";
  EXPECT_EQ(seam({"analyze", trace, "--movement"}).exit, 2);
  EXPECT_EQ(seam({"analyze", trace, "--layouts", "chosen"}).exit, 2) << "flags of plans say nothing to a run";
}

TEST_F(ImportCommand, TimesOfARunThatNobodyRanAreModelledAndSaidToBe) {
  const Ran made = seam({"optimize", SEAM_SOURCE "/tests/data/xla/lr.step.hlo", "--no-prove", "-o", out("o")});
  ASSERT_TRUE(made.exit == 0 || made.exit == 4) << made.err;
  const Json report = Json::parse(seam({"analyze", out("o") + "/run.seam", "--format", "json"}).out);
  EXPECT_EQ(seam::test::schema_problems(report, "seam.analyze.schema.json"), std::vector<std::string>());
  EXPECT_EQ(report["kind"], "planned");
  EXPECT_FALSE(report["totals"].empty());
  for (const Json& share : report["shares"]) {
    EXPECT_EQ(share["evidence"], "modelled");
    EXPECT_NE(share["class"], "unknown") << "kernels say which ops they do";
    EXPECT_GT(share["bytes"], 0);
  }
  const std::string text = seam({"analyze", out("o") + "/run.seam"}).out;
  EXPECT_NE(text.find("All times are modelled."), std::string::npos) << text;
  EXPECT_EQ(text.find("recorded"), std::string::npos) << text;
}

/// PyTorch's two traces of one run: joined where --et says so, and in a folder where only one pair can be meant.
TEST_F(ImportCommand, ExecutionTracesGiveOpsTheirTensors) {
  const std::string folder = SEAM_SOURCE "/tests/data/traces/torch/", trace = folder + "mlp_noshapes.pt.trace.json.gz", execution = folder + "mlp_noshapes.et.json.gz";
  const Ran joined = seam({"import", trace, "--et", execution, "-o", out("a.seam"), "--format", "json"});
  ASSERT_EQ(joined.exit, 0) << joined.err;
  const Json report = Json::parse(joined.out);
  EXPECT_EQ(seam::test::schema_problems(report, "seam.import.schema.json"), std::vector<std::string>());
  EXPECT_EQ(report["rows"]["joined"], 544);
  EXPECT_TRUE(report["loss"].empty());
  const Ran pairs = seam({"import", folder, "-o", out("all"), "--format", "json"});
  ASSERT_EQ(pairs.exit, 0) << pairs.err;
  ASSERT_EQ(Json::parse(pairs.out)["runs"].size(), 2U) << "two pairs of the same process: told apart by their names";
  EXPECT_EQ(Json::parse(pairs.out)["runs"][0]["rows"]["joined"], 756);
  EXPECT_EQ(Json::parse(pairs.out)["runs"][1]["rows"]["joined"], 544);
  // Copies under names that say nothing: any of them could be meant, so none is joined.
  fs::create_directories(folder_ / "unclear");
  fs::copy_file(trace, folder_ / "unclear/a.json.gz");
  fs::copy_file(execution, folder_ / "unclear/b.json.gz");
  fs::copy_file(execution, folder_ / "unclear/c.json.gz");
  const Ran unclear = seam({"import", out("unclear"), "-o", out("many"), "--format", "json"});
  ASSERT_EQ(unclear.exit, 0) << unclear.err;
  EXPECT_EQ(Json::parse(unclear.out)["runs"].size(), 3U);
  EXPECT_EQ(Json::parse(unclear.out)["rows"]["joined"], 0);
  EXPECT_EQ(seam({"import", execution, "--et", execution, "-o", out("x.seam")}).exit, 2);
  EXPECT_EQ(seam({"import", folder, "--et", execution, "-o", out("x")}).exit, 2) << "one execution trace for several traces";
  EXPECT_EQ(seam({"import", SEAM_SOURCE "/tests/data/xla/lr.step.hlo", "--et", execution}).exit, 2);
  EXPECT_FALSE(fs::exists(out("x.seam")));
}

TEST_F(ImportCommand, ExecutionTracesAloneHaveNoTimes) {
  const std::string execution = SEAM_SOURCE "/tests/data/traces/torch/mlp_noshapes.et.json.gz";
  const Json imported = Json::parse(seam({"import", execution, "-o", out("a.seam"), "--format", "json"}).out);
  EXPECT_EQ(seam::test::schema_problems(imported, "seam.import.schema.json"), std::vector<std::string>());
  EXPECT_EQ(imported["busy_ns"], nullptr) << "unknown is not 0";
  const Json report = Json::parse(seam({"analyze", out("a.seam"), "--format", "json"}).out);
  EXPECT_EQ(seam::test::schema_problems(report, "seam.analyze.schema.json"), std::vector<std::string>());
  EXPECT_EQ(report["wall_ns"], nullptr);
  EXPECT_GT(report["ops"].size(), 10U);
  EXPECT_GT(report["ops"][0]["count"], 10);
  const Ran text = seam({"analyze", execution});
  EXPECT_NE(text.out.find("no times"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("0.00 us"), std::string::npos) << text.out;
}

TEST_F(ImportCommand, CountersOfNsightComputeJoinATrace) {
  std::ofstream(out("report.csv")) << R"_("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","gpu__time_duration.sum"
"","","","","","","","","","","","Kbyte","nsecond"
"0","1","a","b","node_0","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","1,024","8,000"
)_";
  const std::string trace = kHard + "h08_graph_launch_owns_six.json";
  std::ofstream(out("other.csv")) << "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"a.sum\"\n\"\",\"\",\"\",\"\",\"\"\n\"0\",\"no_such_kernel\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"5\"\n";
  ASSERT_EQ(seam({"import", trace, "--ncu", out("other.csv"), "-o", out("b.seam")}).exit, 0);
  const Ran unjoined = seam({"analyze", out("b.seam")});
  EXPECT_NE(unjoined.out.find("Lost: 1 (launches that Nsight Compute counted"), std::string::npos) << unjoined.out;
  EXPECT_EQ(unjoined.out.find("incomplete-recording"), std::string::npos) << "the trace itself is whole";
  const Ran joined = seam({"import", trace, "--ncu", out("report.csv"), "-o", out("a.seam"), "--format", "json"});
  ASSERT_EQ(joined.exit, 0) << joined.err;
  EXPECT_EQ(Json::parse(joined.out)["rows"]["launch_counter"], 2) << joined.out;
  EXPECT_EQ(seam({"sql", out("a.seam"), "SELECT name, bytes_read, bytes_evidence FROM launches WHERE bytes_read IS NOT NULL", "--csv"}).out, "name,bytes_read,bytes_evidence\r\nnode_0,1024000,counter\r\n");
  const Json alone = Json::parse(seam({"analyze", out("report.csv"), "--format", "json"}).out);
  EXPECT_EQ(seam::test::schema_problems(alone, "seam.analyze.schema.json"), std::vector<std::string>());
  ASSERT_EQ(alone["counted"].size(), 1U);
  EXPECT_EQ(alone["counted"][0]["ns"], 8000);
  EXPECT_EQ(alone["wall_ns"], nullptr);
  EXPECT_EQ(seam({"import", trace, "--ncu", trace, "-o", out("x.seam")}).exit, 2);
  EXPECT_FALSE(fs::exists(out("x.seam")));
}

TEST_F(ImportCommand, SqlAsksTracesAndRuns) {
  const std::string trace = kHard + "h08_graph_launch_owns_six.json";
  ASSERT_EQ(seam({"import", trace, "-o", out("a.seam")}).exit, 0);
  const Ran json = seam({"sql", out("a.seam"), "SELECT name, duration_ns, NULL FROM launches ORDER BY id LIMIT 1", "--format", "json"});
  ASSERT_EQ(json.exit, 0) << json.err;
  EXPECT_EQ(seam::test::schema_problems(Json::parse(json.out), "seam.sql.schema.json"), std::vector<std::string>());
  EXPECT_EQ(Json::parse(json.out)["rows"], Json::parse(R"([["node_0", 8000, null]])"));
  EXPECT_EQ(seam({"sql", trace, "SELECT count(*) AS n FROM launches", "--csv"}).out, "n\r\n5\r\n");
  EXPECT_EQ(seam({"sql", out("a.seam"), "SELECT 'a,\"b' AS t, '' AS e, NULL AS u", "--csv"}).out, "t,e,u\r\n\"a,\"\"b\",\"\",\r\n");
  for (const char* query : {"SELEC", "DELETE FROM launch", "SELECT 1; SELECT 2"}) EXPECT_EQ(seam({"sql", out("a.seam"), query}).exit, 2) << query;
  EXPECT_EQ(seam({"sql", out("absent.seam"), "SELECT 1"}).exit, 2);
  std::ofstream(out("text.seam")) << "no database";
  EXPECT_EQ(seam({"sql", out("text.seam"), "SELECT 1"}).exit, 2);
}

}  // namespace
}  // namespace seam::cli::test
