// Exports of Nsight Systems, old and new: made here by their tables, and the public ones.
#include <sqlite3.h>

#include "support.h"
#include "support/public_traces.h"

namespace seam::collector::test {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::vector<db::Field>>;

constexpr std::int64_t kPid = std::int64_t{281474976710656} + 40 * 0x1000000, kTid = kPid + 41, kOther = std::int64_t{281474976710656} + 60 * 0x1000000;

/// What all versions have.
const std::string kCommon = "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                            "INSERT INTO StringIds VALUES (1,'void k<float>(int)'),(2,'k'),(3,'cudaLaunchKernel_v7000'),(4,'cudaDeviceSynchronize_v3020'),(5,'main thread'),(6,'step'),(7,'cudaGraphLaunch_v10000');"
                            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT, callchainId INT);";

class Nsys : public ImportTest {
 protected:
  [[nodiscard]] Result<Imported> import_tables(const std::string& sql) const {
    const fs::path file = folder_ / "export.sqlite";
    fs::remove(file);
    sqlite3* raw = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    sqlite3_close(raw);
    return import(file);
  }
};

/// 2021: no versions, no graph columns; the correlation of another process does not count.
TEST_F(Nsys, OldExportsAreRead) {
  const auto imported = import_tables(
      kCommon + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, "
                "blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100,110,0," + std::to_string(kTid) + ",7,3,0,NULL),(120,300,0," + std::to_string(kTid) + ",8,4,0,NULL);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (150,250,0,1,7,7," + std::to_string(kPid) + ",1,2,32,10,1,1,128,1,1,64,0),(260,280,1,1,7,7," + std::to_string(kOther) + ",1,2,32,10,1,1,128,1,1,64,0);" +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (310,320,0,1,7,9," + std::to_string(kPid) + ",4096,2,2,0);" +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, syncType INT, eventId INT);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (120,300,0,1,4294967295,8," + std::to_string(kPid) + ",1,4294967295);" +
      "CREATE TABLE ThreadNames (nameId INT, priority INT, globalTid INT); INSERT INTO ThreadNames VALUES (5,20," + std::to_string(kTid) + ");" +
      "CREATE TABLE OSRT_API (start INT, end INT); INSERT INTO OSRT_API VALUES (1,2),(3,4); CREATE TABLE SCHED_EVENTS (start INT);");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->format, "nsys");
  EXPECT_EQ(rows_of(*imported, "kernel"), 2);
  EXPECT_EQ(rows_of(*imported, "links"), 1);
  EXPECT_EQ(imported->busy_ns, 100 + 10 + 20);
  EXPECT_EQ(ask("SELECT name, grid_x, block_x, static_shared, correlation FROM launches WHERE id = 0"), (Rows{{"void k<float>(int)", 10, 128, 64, 7}}));
  EXPECT_EQ(ask("SELECT launch FROM launch_calls"), (Rows{{0}}));
  EXPECT_EQ(ask("SELECT kind, name, bytes, source, destination FROM copies"), (Rows{{"dtoh", "Memcpy DtoH (device -> pageable)", 4096, "device", "pageable"}}));
  EXPECT_EQ(ask("SELECT kind, stream FROM syncs"), (Rows{{"context", db::Null{}}})) << "told by the call, not by the type";
  EXPECT_EQ(ask("SELECT name, kind FROM api_calls ORDER BY id"), (Rows{{"cudaLaunchKernel", "runtime"}, {"cudaDeviceSynchronize", "runtime"}}));
  EXPECT_EQ(ask("SELECT name FROM threads"), (Rows{{"main thread"}}));
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (Rows{{"not-read: OSRT_API", 2}})) << "what is not read is said, what is empty is not";
  EXPECT_EQ(ask("SELECT unix_ns FROM clock"), (Rows{{db::Null{}}}));
}

TEST_F(Nsys, GraphsOpsAndTimesOfNewExportsAreRead) {
  const auto imported = import_tables(
      kCommon + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100,110,1," + std::to_string(kTid) + ",7,7,0,NULL);" +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT, contextId INT, greenContextId INT, streamId INT, correlationId INT, globalPid INT, graphId INT, graphExecId INT);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (120,180,0,1,0,7,7," + std::to_string(kPid) + ",3,4);" +
      "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, textId INT);" +
      "INSERT INTO NVTX_EVENTS VALUES (90,200,59,NULL," + std::to_string(kTid) + ",6),(95,96,59,'aten::add, seq = 5, op_id = 12, sizes = [[2], [2]]'," + std::to_string(kTid) + ",NULL),(97,NULL,34,'mark'," + std::to_string(kTid) + ",NULL),(98,NULL,75,'domain'," + std::to_string(kTid) + ",NULL);" +
      "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT, memoryBandwidth INT, clockRate INT, computeMajor INT, computeMinor INT); INSERT INTO TARGET_INFO_GPU VALUES (0,'NVIDIA H100 80GB HBM3',132,3352320000000,1980000000,9,0);" +
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014975716426);");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(rows_of(*imported, "graph"), 1);
  EXPECT_EQ(rows_of(*imported, "op"), 1);
  EXPECT_EQ(rows_of(*imported, "annotation"), 1);
  EXPECT_EQ(rows_of(*imported, "instant"), 1);
  EXPECT_EQ(rows_of(*imported, "metadata"), 1);
  EXPECT_EQ(ask("SELECT code FROM warning ORDER BY id"), (Rows{{"graphs-are-whole"}, {"no-kernels"}}));
  EXPECT_EQ(ask("SELECT kind, name, graph FROM launches"), (Rows{{"library", "CUDA graph 3", 3}}));
  EXPECT_EQ(ask("SELECT name, external, sequence FROM ops"), (Rows{{"aten::add", 12, 5}}));
  EXPECT_EQ(ask("SELECT unix_ns FROM clock"), (Rows{{1779630014975716426}}));
  EXPECT_EQ(ask("SELECT name, sms FROM device"), (Rows{{"h100", 132}}));
}

TEST_F(Nsys, OtherDatabasesAreRefused) {
  for (const std::string sql : {"CREATE TABLE t (x)", "CREATE TABLE rocpd_string (id INTEGER)"}) {
    const auto imported = import_tables(sql);
    EXPECT_FALSE(imported);
    EXPECT_FALSE(fs::exists(output()));
  }
  EXPECT_EQ(import_tables("CREATE TABLE t (id INTEGER); CREATE VIEW rocpd_info_node AS SELECT * FROM t").error().code, Error::Code::Unsupported);
}

TEST_F(Nsys, PublicExportsGiveTheRowsOfTheirTables) {
  const fs::path root = seam::test::public_data() / "traces" / "nsys";
  if (!fs::exists(root)) GTEST_SKIP() << "no public exports at " << root << " (SEAM_PUBLIC_DATA)";
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (!entry.path().filename().string().ends_with(".sqlite.gz")) continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    const auto imported = import(entry.path());
    ASSERT_TRUE(imported) << imported.error().message;
    ASSERT_TRUE(write_file(folder_ / "plain.sqlite", *read_file(entry.path())));
    const auto plain = db::Database::open_foreign(folder_ / "plain.sqlite");
    ASSERT_TRUE(plain);
    const auto count = [&](const std::string& table) {
      const auto rows = plain->query("SELECT count(*) FROM " + table);
      return rows ? std::get<std::int64_t>(rows->rows[0][0]) : 0;
    };
    EXPECT_EQ(rows_of(*imported, "kernel"), count("CUPTI_ACTIVITY_KIND_KERNEL"));
    EXPECT_EQ(rows_of(*imported, "memcpy"), count("CUPTI_ACTIVITY_KIND_MEMCPY"));
    EXPECT_EQ(rows_of(*imported, "memset"), count("CUPTI_ACTIVITY_KIND_MEMSET"));
    EXPECT_EQ(rows_of(*imported, "runtime"), count("CUPTI_ACTIVITY_KIND_RUNTIME"));
    EXPECT_EQ(rows_of(*imported, "sync"), count("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"));
    EXPECT_EQ(rows_of(*imported, "graph"), count("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"));
    EXPECT_EQ(rows_of(*imported, "overhead"), count("PROFILER_OVERHEAD") + count("CUPTI_ACTIVITY_KIND_OVERHEAD"));
    EXPECT_EQ(rows_of(*imported, "op") + rows_of(*imported, "annotation") + rows_of(*imported, "instant") + rows_of(*imported, "metadata"), count("NVTX_EVENTS"));
    for (const ImportLoss& loss : imported->loss) EXPECT_EQ(loss.count, count(loss.reason.substr(loss.reason.find(' ') + 1))) << loss.reason;
  }
  EXPECT_EQ(files, 8U);
}

}  // namespace
}  // namespace seam::collector::test
