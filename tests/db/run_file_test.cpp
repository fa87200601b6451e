#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "db/database.h"
#include "db/writer.h"
#include "migrate.h"

namespace seam::db {
namespace {

class RunFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("seam_db_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file(const char* name = "run.seam") const { return folder_ / name; }

  std::filesystem::path folder_;
};

/// Two kernels, a library call and a memset.
void fill(Writer& writer) {
  writer.set_run({.kind = RunKind::Simulated, .name = "step", .command = "", .tool = "seam test", .policy = "stitch", .compiler = "", .start_ns = {}, .end_ns = {}});
  writer.add_device(*device_named("h100"), true);
  const StreamId stream = writer.add_stream({});
  const KernelId kernel = writer.add_kernel({.name = writer.intern("softmax"), .registers = {}, .cuda_sha256 = "aa", .ptx_sha256 = "", .ir_sha256 = "", .verdict = "passed"});
  writer.add_kernel_op(kernel, 0, {writer.intern("main/exp.1"), writer.intern("exponential"), writer.intern("jit(f)/softmax/exp")});
  Launch launch;
  launch.name = writer.intern("softmax");
  launch.kernel = kernel;
  launch.stream = stream;
  launch.grid = Grid{512, 1, 1};
  launch.block = Grid{256, 1, 1};
  launch.bytes_read = 100;
  launch.bytes_written = 40;
  launch.bytes_evidence = Evidence::Simulated;
  launch.evidence = Evidence::Simulated;
  writer.add(launch);
  launch.sequence = 3;
  writer.add(launch);
  Launch call;
  call.sequence = 1;
  call.kind = LaunchKind::Library;
  call.name = writer.intern("dot.2");
  call.evidence = Evidence::Modelled;
  writer.add(call);
  Copy copy;
  copy.sequence = 2;
  copy.kind = CopyKind::Memset;
  copy.bytes = 64;
  copy.bytes_evidence = Evidence::Modelled;
  copy.evidence = Evidence::Modelled;
  writer.add(copy);
  writer.add_loss("loop-not-expanded", 5, "rows of loop a");
  writer.add_loss("loop-not-expanded", 2, "rows of loop a");
  writer.add_loss("unknown-trips", std::nullopt, "how often a loop runs depends on data");
}

std::vector<std::vector<Field>> rows(const Database& database, std::string_view sql) {
  auto result = database.query(sql);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(result->rows) : std::vector<std::vector<Field>>{};
}

TEST_F(RunFile, ViewsTellWhatWasWritten) {
  auto writer = Writer::create(file());
  ASSERT_TRUE(writer);
  fill(*writer);
  ASSERT_TRUE(writer->finish());
  auto database = Database::open(file());
  ASSERT_TRUE(database) << database.error().message;
  using Row = std::vector<Field>;
  EXPECT_EQ(rows(*database, "SELECT sequence, kind, name, bytes_read, bytes_written, bytes_evidence FROM program"),
            (std::vector<Row>{{0, "kernel", "softmax", 100, 40, "simulated"},
                              {1, "library", "dot.2", Null{}, Null{}, "unknown"},
                              {2, "memset", Null{}, 0, 64, "modelled"},
                              {3, "kernel", "softmax", 100, 40, "simulated"}}));
  EXPECT_EQ(rows(*database, "SELECT kind, count, bytes_read FROM totals ORDER BY kind"),
            (std::vector<Row>{{"kernel", 2, 200}, {"library", 1, Null{}}, {"memset", 1, 0}})) << "unknown is not 0";
  EXPECT_EQ(rows(*database, "SELECT name, launches, bytes_read, bytes_evidence, ops FROM kernels"), (std::vector<Row>{{"softmax", 2, 200, "simulated", 1}}));
  EXPECT_EQ(rows(*database, "SELECT reason, count FROM loss ORDER BY reason"), (std::vector<Row>{{"loop-not-expanded", 7}, {"unknown-trips", Null{}}}));
  EXPECT_EQ(rows(*database, "SELECT start_ns FROM launches WHERE start_ns IS NOT NULL"), std::vector<Row>{}) << "no time is made up";
  EXPECT_EQ(rows(*database, "SELECT integrity_check FROM pragma_integrity_check"), (std::vector<Row>{{"ok"}}));
  EXPECT_EQ(rows(*database, "SELECT * FROM pragma_foreign_key_check"), std::vector<Row>{});
}

TEST_F(RunFile, EveryViewRuns) {
  auto writer = Writer::create(file());
  ASSERT_TRUE(writer);
  fill(*writer);
  ASSERT_TRUE(writer->finish());
  auto database = Database::open(file());
  ASSERT_TRUE(database);
  const auto views = rows(*database, "SELECT name FROM sqlite_schema WHERE type = 'view'");
  EXPECT_GE(views.size(), 20U);
  for (const auto& view : views) rows(*database, "SELECT * FROM " + std::get<std::string>(view[0]));
}

TEST_F(RunFile, SameRowsSameBytes) {
  for (const char* name : {"a.seam", "b.seam"}) {
    auto writer = Writer::create(file(name));
    ASSERT_TRUE(writer);
    fill(*writer);
    ASSERT_TRUE(writer->finish());
  }
  EXPECT_EQ(*read_file(file("a.seam")), *read_file(file("b.seam")));
}

TEST_F(RunFile, OnlyItsOwnerReadsIt) {
  auto writer = Writer::create(file());
  ASSERT_TRUE(writer);
  fill(*writer);
  ASSERT_TRUE(writer->finish());
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(RunFile, AnAbandonedWriterLeavesNothing) {
  std::ofstream(file()) << "what was there";
  {
    auto writer = Writer::create(file());
    ASSERT_TRUE(writer);
    fill(*writer);
  }
  EXPECT_EQ(*read_file(file()), "what was there");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(RunFile, ABadRowIsSaidAtTheEnd) {
  auto writer = Writer::create(file());
  ASSERT_TRUE(writer);
  fill(*writer);
  writer->add(Launch{});  // no name
  const auto finished = writer->finish();
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message.find("launch.name"), std::string::npos) << finished.error().message;
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(RunFile, OnlyRunFilesAreOpened) {
  std::ofstream(file("text.seam")) << "HloModule x, this is not a database at all, although its name says so; long enough for a header............";
  for (const char* name : {"text.seam", "absent.seam"}) {
    const auto opened = Database::open(file(name));
    ASSERT_FALSE(opened) << name;
    EXPECT_NE(opened.error().message.find(name), std::string::npos);
  }
}

TEST_F(RunFile, QueriesOnlyRead) {
  auto writer = Writer::create(file());
  ASSERT_TRUE(writer);
  fill(*writer);
  ASSERT_TRUE(writer->finish());
  auto database = Database::open(file());
  ASSERT_TRUE(database);
  EXPECT_FALSE(database->query("DELETE FROM launch"));
  EXPECT_FALSE(database->query("SELECT 1; SELECT 2"));
  EXPECT_FALSE(database->query("SELEC"));
  EXPECT_FALSE(database->query(""));
}

/// Upgraded files and new ones: the same tables and views, and every view answers.
class OldRunFile : public RunFile {
 protected:
  void write_old(const char* dump) const {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(file("old.seam").c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(raw, read_file(std::filesystem::path(SEAM_TEST_DIR) / dump)->c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    sqlite3_close(raw);
  }
  void has_what_new_files_have(const Database& old) const {
    auto writer = Writer::create(file());
    ASSERT_TRUE(writer);
    fill(*writer);
    ASSERT_TRUE(writer->finish());
    const auto fresh = Database::open(file());
    ASSERT_TRUE(fresh);
    const std::string columns = "SELECT m.type, m.name, c.name, c.type FROM sqlite_schema m LEFT JOIN pragma_table_info(m.name) c ORDER BY 1, 2, 3";
    EXPECT_EQ(rows(old, columns), rows(*fresh, columns));
    for (const auto& view : rows(old, "SELECT name FROM sqlite_schema WHERE type = 'view'")) rows(old, "SELECT * FROM " + std::get<std::string>(view[0]));
  }
};

/// The version 2 that recordings were in before execution traces and counters had tables.
TEST_F(OldRunFile, Version2IsTakenForward) {
  write_old("run_v2.sql");
  const auto upgraded = upgrade(file("old.seam"));
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  const auto old = Database::open(file("old.seam"));
  ASSERT_TRUE(old) << old.error().message;
  has_what_new_files_have(*old);
  using Row = std::vector<Field>;
  EXPECT_EQ(rows(*old, "SELECT name, launch, sequence, node FROM collectives"), (std::vector<Row>{{"ncclAllReduce", 0, 5, Null{}}}));
  EXPECT_EQ(rows(*old, "SELECT op_name, type, dims FROM op_inputs"), (std::vector<Row>{{"aten::add", "float", "[4,4]"}}));
  EXPECT_EQ(rows(*old, "SELECT count(*) FROM node"), (std::vector<Row>{{0}}));
  EXPECT_EQ(rows(*old, "SELECT name, duration_ns FROM launches"), (std::vector<Row>{{"add_kernel", 40}}));
  EXPECT_EQ(rows(*old, "SELECT integrity_check FROM pragma_integrity_check"), (std::vector<Row>{{"ok"}}));
  EXPECT_EQ(rows(*old, "SELECT * FROM pragma_foreign_key_check"), std::vector<Row>{});
}

/// Every version that was ever written is taken forward, and then has what a new file has.
TEST_F(OldRunFile, Version1IsTakenForward) {
  write_old("run_v1.sql");
  const auto before = Database::open(file("old.seam"));
  ASSERT_FALSE(before);
  EXPECT_NE(before.error().message.find("must be upgraded"), std::string::npos);
  const auto upgraded = upgrade(file("old.seam"));
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  const auto old = Database::open(file("old.seam"));
  ASSERT_TRUE(old) << old.error().message;
  has_what_new_files_have(*old);
  using Row = std::vector<Field>;
  EXPECT_EQ(rows(*old, "SELECT process, thread FROM threads ORDER BY id"), (std::vector<Row>{{"4711", Null{}}, {"4711", Null{}}, {Null{}, Null{}}}));
  EXPECT_EQ(rows(*old, "SELECT name, kind, correlation FROM api_calls"), (std::vector<Row>{{"cudaLaunchKernel", "runtime", 17}}));
  EXPECT_EQ(rows(*old, "SELECT name, bytes_read FROM launches"), (std::vector<Row>{{"softmax", 100}}));
  EXPECT_EQ(rows(*old, "SELECT reason, count FROM loss"), (std::vector<Row>{{"loop-not-expanded", 7}}));
  EXPECT_EQ(rows(*old, "SELECT integrity_check FROM pragma_integrity_check"), (std::vector<Row>{{"ok"}}));
  EXPECT_EQ(rows(*old, "SELECT * FROM pragma_foreign_key_check"), std::vector<Row>{});
}

TEST_F(RunFile, MigrationsGoForwardOrNotAtAll) {
  auto writer = Writer::create(file());
  ASSERT_TRUE(writer);
  fill(*writer);
  ASSERT_TRUE(writer->finish());
  const std::string before = *read_file(file());
  const Migration broken[] = {{kVersion, "ALTER TABLE copy ADD COLUMN pinned INTEGER"}, {kVersion + 1, "ALTER TABLE nonsense ADD COLUMN x"}};
  EXPECT_FALSE(migrate(file(), broken, kVersion + 2));
  EXPECT_TRUE(Database::open(file())) << "still at the version it had";
  EXPECT_FALSE(migrate(file(), {}, kVersion + 1)) << "no step leads there";
  EXPECT_EQ(*read_file(file()), before);
  const Migration sound[] = {{kVersion, "ALTER TABLE copy ADD COLUMN pinned INTEGER"}};
  ASSERT_TRUE(migrate(file(), sound, kVersion + 1));
  const auto opened = Database::open(file());
  ASSERT_FALSE(opened) << "the next version is from the future for this program";
  EXPECT_NE(opened.error().message.find(std::to_string(kVersion + 1)), std::string::npos);
  EXPECT_TRUE(upgrade(file("absent.seam")).error().code == Error::Code::NotFound);
}

}  // namespace
}  // namespace seam::db
