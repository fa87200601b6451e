// The faults of real profilers, one per file: what is read, mended and lost stands in tests/data/traces/hard/EXPECTED.tsv.
#include <fstream>
#include <sstream>

#include "support.h"

namespace seam::collector::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

/// "1..5" or one of "0|1".
bool allows(const std::string& expected, std::int64_t value) {
  if (expected == "-") return true;
  if (const std::size_t dots = expected.find(".."); dots != std::string::npos) return value >= std::stoll(expected.substr(0, dots)) && value <= std::stoll(expected.substr(dots + 2));
  for (const std::string& one : split(expected, '|'))
    if (std::stoll(one) == value) return true;
  return false;
}

class Hard : public ImportTest {};

TEST_F(Hard, FilesGiveTheirRightOutcome) {
  const fs::path folder = fs::path(SEAM_TEST_DATA) / "traces/hard";
  std::ifstream in(folder / "EXPECTED.tsv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> keys = split(line, '\t');
  std::size_t files = 0;
  while (std::getline(in, line)) {
    const std::vector<std::string> values = split(line, '\t');
    ASSERT_EQ(values.size(), keys.size());
    std::map<std::string, std::string> want;
    for (std::size_t i = 0; i < keys.size(); ++i) want[keys[i]] = values[i];
    SCOPED_TRACE(want["file"]);
    ++files;
    std::vector<fs::path> inputs = {folder / want["file"]};
    if (fs::is_directory(inputs[0])) {
      const fs::path job = inputs[0];
      inputs.assign(fs::directory_iterator(job), {});
    }
    std::map<std::string, std::int64_t> got;
    bool refused = false;
    for (const fs::path& input : inputs) {
      const auto imported = import(input);
      if (!imported) {
        refused = true;
        EXPECT_NE(imported.error().code, Error::Code::Environment);
        EXPECT_FALSE(fs::exists(output())) << "no file may be left";
        continue;
      }
      for (const auto& [kind, count] : imported->rows) got[kind] += count;
      got["busy_ns"] += imported->busy_ns;
      for (const ImportLoss& loss : imported->loss) got["loss"] += loss.count;
      got["warn"] += std::ssize(imported->warnings);
      // What is said is also in the file.
      EXPECT_EQ(ask("SELECT count(*) FROM warning"), (std::vector<std::vector<db::Field>>{{std::int64_t{std::ssize(imported->warnings)}}}));
      EXPECT_EQ(ask("SELECT count(*) FROM loss"), (std::vector<std::vector<db::Field>>{{std::int64_t{std::ssize(imported->loss)}}}));
      EXPECT_EQ(ask("SELECT integrity_check FROM pragma_integrity_check"), (std::vector<std::vector<db::Field>>{{"ok"}}));
      EXPECT_EQ(ask("SELECT * FROM pragma_foreign_key_check"), std::vector<std::vector<db::Field>>{});
      fs::remove(output());
    }
    EXPECT_EQ(refused, want["outcome"] == "refuse");
    if (refused) continue;
    EXPECT_TRUE(want["outcome"].find(got["loss"] > 0 ? "ok_loss" : "ok") != std::string::npos) << want["outcome"];
    for (std::size_t i = 2; i < keys.size() && keys[i] != "reports"; ++i) EXPECT_TRUE(allows(want[keys[i]], got[keys[i]])) << keys[i] << ": " << got[keys[i]] << ", expected " << want[keys[i]];
  }
  EXPECT_EQ(files, 16U);
}

TEST_F(Hard, GraphNodesBelongToTheirLaunch) {
  ASSERT_TRUE(import(fs::path(SEAM_TEST_DATA) / "traces/hard/h08_graph_launch_owns_six.json"));
  EXPECT_EQ(ask("SELECT count(DISTINCT api_call), count(*) FROM launch_calls"), (std::vector<std::vector<db::Field>>{{1, 5}}));
  EXPECT_EQ(ask("SELECT graph, graph_node FROM launch ORDER BY id LIMIT 2"), (std::vector<std::vector<db::Field>>{{3, 1}, {3, 2}}));
}

TEST_F(Hard, ProcessesWithTheSameCorrelationAreToldApart) {
  ASSERT_TRUE(import(fs::path(SEAM_TEST_DATA) / "traces/hard/h09_two_processes_one_correlation.json"));
  EXPECT_EQ(ask("SELECT n.value, p.label FROM launch l JOIN string n ON n.id = l.name JOIN process p ON p.id = l.process ORDER BY l.id"),
            (std::vector<std::vector<db::Field>>{{"first_proc", "40"}, {"second_proc", "60"}}));
  EXPECT_EQ(ask("SELECT count(*) FROM launch_calls"), (std::vector<std::vector<db::Field>>{{2}}));
}

TEST_F(Hard, TheUnitOfTimesIsMicrosecondsWhateverIsDisplayed) {
  ASSERT_TRUE(import(fs::path(SEAM_TEST_DATA) / "traces/hard/h11_display_unit_is_not_a_unit.json"));
  EXPECT_EQ(ask("SELECT start_ns, duration_ns FROM launches"), (std::vector<std::vector<db::Field>>{{1250125, 20007}}));
}

TEST_F(Hard, UnknownIsNotZero) {
  ASSERT_TRUE(import(fs::path(SEAM_TEST_DATA) / "traces/hard/h06_gpu_rows_at_time_zero.json"));
  EXPECT_EQ(ask("SELECT count(*) FROM launch WHERE start_ns IS NULL AND end_ns IS NULL"), (std::vector<std::vector<db::Field>>{{2}}));
  EXPECT_EQ(ask("SELECT end_ns - start_ns FROM run"), (std::vector<std::vector<db::Field>>{{90000}}));
}

}  // namespace
}  // namespace seam::collector::test
