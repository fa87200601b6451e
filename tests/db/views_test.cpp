// Views: every one has a comment and columns that docs/views.md says, and runs on an empty run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "db/database.h"
#include "db/writer.h"
#include "sql.h"
#include "support/need.h"

namespace seam::db::test {
namespace {

namespace fs = std::filesystem;
using seam::test::need;

struct View {
  std::string name, comment;
};

/// In the order of views.sql; the comment in front of each, without its name.
std::vector<View> views() {
  std::vector<View> out;
  std::istringstream in{std::string(sql::views)};
  std::string line, comment;
  const std::string create = "CREATE VIEW ";
  while (std::getline(in, line)) {
    if (line.starts_with("-- ")) {
      comment = line.substr(3);
    } else if (line.starts_with(create)) {
      const std::string name = line.substr(create.size(), line.find(' ', create.size()) - create.size());
      EXPECT_TRUE(comment.starts_with(name + ": ")) << name << " has no comment of its own in front";
      out.push_back({name, comment.substr(std::min(comment.size(), name.size() + 2))});
      comment.clear();
    }
  }
  return out;
}

class Views : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / "seam_views";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    auto writer = Writer::create(folder_ / "run.seam");
    ASSERT_TRUE(writer);
    writer->set_run({.kind = RunKind::Imported, .name = "empty", .command = {}, .tool = "seam test", .policy = {}, .compiler = {}, .start_ns = {}, .end_ns = {}});
    ASSERT_TRUE(writer->finish());
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Views, AreListedInTheDocumentation) {
  const Database run = need(Database::open(folder_ / "run.seam"));
  std::string page =
      "# Views of a run file\n\nEvery `.seam` file holds these views; any SQLite client can read them, and `seam sql RUN \"SELECT ...\"`. Times are nanoseconds, sizes bytes, and what nobody knows is NULL, never 0.\nA test holds this page against "
      "`db/views.sql`; the tables under the views are described in [db/schema.sql](../db/schema.sql).\n\n| view | what it holds | columns |\n| --- | --- | --- |\n";
  const std::vector<View> all = views();
  EXPECT_GE(all.size(), 40U);
  for (const View& view : all) {
    const Rows columns = need(run.query("SELECT group_concat(name, ', ') FROM pragma_table_info('" + view.name + "')"));
    page += "| `" + view.name + "` | " + view.comment + " | " + std::get<std::string>(columns.rows.at(0).at(0)) + " |\n";
    EXPECT_TRUE(run.query("SELECT * FROM " + view.name)) << view.name;
  }
  const fs::path file = fs::path(SEAM_DOCS) / "views.md";
  if (std::getenv("SEAM_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << page;
  std::ifstream in(file);
  const std::string written{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(written, page) << "SEAM_UPDATE_GOLDEN=1 writes docs/views.md";
}

}  // namespace
}  // namespace seam::db::test
