// AMD's profilers: tables and JSON of rocprofv3, rocpd of rocmProfileData. Rows equal an independent count.
#include <fstream>
#include <set>
#include <sstream>

#include "base/byte_source.h"
#include "import/csv.h"
#include "support.h"
#include "support/public_traces.h"

namespace seam::collector::test {
namespace {

namespace fs = std::filesystem;
using db::Null;
using Row = std::vector<db::Field>;

std::int64_t lines_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t count = -1;  // the first one names the columns
  for (std::string line; std::getline(in, line);) count += line.empty() ? 0 : 1;
  return count;
}

class Rocm : public ImportTest {
 protected:
  void put(const std::string& name, const std::string& text) const { ASSERT_TRUE(write_file(folder_ / "in" / name, text)); }
  void SetUp() override {
    ImportTest::SetUp();
    fs::create_directories(folder_ / "in");
  }
};

const std::string kKernels = R"_("Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4",1,0,69,1,16,"void add<float, 2>(float*, ""x"")",5,1000,1500,512,0,24,64,1,1,1024,2,1
"KERNEL_DISPATCH","Agent 4",1,0,69,2,17,"mul",6,1600,1700,0,0,8,256,1,1,1000,1,1
)_";

TEST_F(Rocm, AFolderOfTablesIsOneRun) {
  put("77_kernel_trace.csv", kKernels);
  put("77_hip_api_trace.csv", "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n\"HIP_RUNTIME_API\",\"hipLaunchKernel\",77,69,5,900,950\n\"HSA_CORE_API\",\"hsa_init\",77,69,9,100,200\n");
  put("77_marker_api_trace.csv", "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n\"MARKER_CORE_API\",\"step\",77,69,1,800,2000\n");
  put("77_memory_copy_trace.csv", "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",\"Agent 0\",\"Agent 4\",0,500,700\n");
  put("77_counter_collection.csv", "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\",\"Grid_Size\",\"Kernel_Name\",\"Workgroup_Size\",\"Counter_Name\",\"Counter_Value\"\n"
                                   "6,2,4,1,77,69,1000,\"mul\",256,\"SQ_WAVES\",16.000000\n6,2,4,1,77,69,1000,\"mul\",256,\"SQ_WAVES\",17\n8,3,4,1,77,69,64,\"late\",64,\"SQ_WAVES\",1\n");
  put("77_agent_info.csv", "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Cpu_Cores_Count\",\"Cu_Count\",\"Name\",\"Product_Name\"\n0,0,\"CPU\",64,0,\"EPYC\",\"\"\n4,1,\"GPU\",0,304,\"gfx942\",\"AMD Instinct MI300X\"\n");
  put("77_scratch_memory_trace.csv", "\"Kind\",\"Operation\",\"Start_Timestamp\",\"End_Timestamp\"\n\"SCRATCH_MEMORY\",\"ALLOC\",1,2\n");
  put("77_hip_api_stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"hipLaunchKernel\",1,50\n");
  const auto imported = import(folder_ / "in");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->format, "rocprofv3");
  EXPECT_EQ(ask("SELECT name, start_ns, grid_x, grid_y, block_x, dynamic_shared, correlation FROM launches ORDER BY sequence"),
            (std::vector<Row>{{"late", Null{}, 1, 1, 64, Null{}, 8}, {"void add<float, 2>(float*, \"x\")", 1000, 16, 2, 64, 512, 5}, {"mul", 1600, 4, 1, 256, 0, 6}}));
  EXPECT_EQ(ask("SELECT kernel, counter, value FROM launch_counters ORDER BY 1"), (std::vector<Row>{{"late", "SQ_WAVES", 1.0}, {"mul", "SQ_WAVES", 16.0}}));
  EXPECT_EQ(ask("SELECT name, kind FROM api_calls ORDER BY 1"), (std::vector<Row>{{"hipLaunchKernel", "runtime"}, {"hsa_init", "driver"}}));
  EXPECT_EQ(ask("SELECT kind, duration_ns FROM copies"), (std::vector<Row>{{"htod", 200}}));
  EXPECT_EQ(ask("SELECT name, duration_ns FROM annotations"), (std::vector<Row>{{"step", 1200}}));
  EXPECT_EQ(ask("SELECT id, product, sms FROM device"), (std::vector<Row>{{4, "AMD Instinct MI300X", 304}}));
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (std::vector<Row>{{"no-time", 1}, {"not-read: 77_scratch_memory_trace.csv", 1}, {"repeated-counter", 1}}));
  EXPECT_EQ(rows_of(*imported, "links"), 1);
  EXPECT_EQ(imported->busy_ns, 500 + 100 + 200);
  ASSERT_FALSE(imported->warnings.empty());
  EXPECT_NE(imported->warnings[0].message.find("77_hip_api_stats.csv"), std::string::npos);
  const auto sources = sources_in(folder_ / "in");
  ASSERT_TRUE(sources);
  EXPECT_EQ(sources->size(), 1U);
}

TEST_F(Rocm, RowsThatAreBrokenAreCounted) {
  put("kernel_trace.csv", kKernels + "\"KERNEL_DISPATCH\",4\n\"KERNEL_DISPATCH\",4,1,0,69,3,17,\"never closed");
  const auto imported = import(folder_ / "in/kernel_trace.csv");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(rows_of(*imported, "kernel"), 2);
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (std::vector<Row>{{"broken-row", 2}, {"cut-off", 1}}));
  put("stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"hipLaunchKernel\",1,50\n");
  EXPECT_NE(import(folder_ / "in/stats.csv").error().message.find("summary"), std::string::npos);
}

TEST_F(Rocm, ThePublicTablesEqualACountOfTheirLines) {
  const fs::path folder = seam::test::public_data() / "traces/rocm/rocprofv3_doc_csv";
  if (!fs::exists(folder)) GTEST_SKIP() << "no tables in " << folder << " (SEAM_PUBLIC_DATA)";
  const auto imported = import(folder);
  ASSERT_TRUE(imported) << imported.error().message;
  // Counters of dispatches 4, 8, 12 and 16 belong to kernels that the trace of seven does not hold.
  EXPECT_EQ(rows_of(*imported, "kernel"), lines_in(folder / "kernel_trace.csv") + 4);
  EXPECT_EQ(rows_of(*imported, "launch_counter"), lines_in(folder / "counter_collection.csv") + lines_in(folder / "kernel_names.csv"));
  EXPECT_EQ(rows_of(*imported, "memcpy"), lines_in(folder / "memory_copy_trace.csv"));
  EXPECT_EQ(rows_of(*imported, "annotation"), lines_in(folder / "marker_api_trace.csv"));
  EXPECT_EQ(rows_of(*imported, "runtime"), lines_in(folder / "hip_runtime_trace.csv") + lines_in(folder / "hip_compile_trace.csv") + lines_in(folder / "hsa_api_trace.csv"));
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (std::vector<Row>{{"no-time", 4}}));
  EXPECT_EQ(ask("SELECT DISTINCT grid_x, grid_y, block_x FROM launches WHERE start_ns IS NOT NULL"), (std::vector<Row>{{16, 1024, 64}})) << "a grid of AMD is in work items";
  EXPECT_EQ(ask("SELECT * FROM pragma_foreign_key_check"), std::vector<Row>{});
  for (const char* one : {"kernel_trace", "memory_copy_trace", "hip_runtime_trace", "hsa_api_trace", "marker_api_trace", "counter_collection", "kernel_names", "hip_compile_trace"})
    EXPECT_TRUE(import(folder / (std::string(one) + ".csv"))) << one;
}

const std::string kJson = R"_({"rocprofiler-sdk-tool": [{"metadata": {"pid": 77, "init_time": 1, "fini_time": 9},
  "agents": [{"id": {"handle": 100}, "type": 1, "node_id": 0}, {"id": {"handle": 104}, "type": 2, "node_id": 4, "cu_count": 304, "name": "gfx942", "product_name": "AMD Instinct MI300X"}],
  "counters": [{"id": {"handle": 9}, "name": "SQ_WAVES"}],
  "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "HIP_RUNTIME_API", "operations": ["hipMalloc", "hipLaunchKernel"]}, {"kind": "MARKER_CORE_API", "operations": ["roctxRangePop"]},
    {"kind": "MEMORY_COPY", "operations": ["NONE", "HOST_TO_DEVICE"]}], "marker_api": [{"key": 3, "value": "step"}]},
  "kernel_symbols": [{"kernel_id": 16, "kernel_name": "_Z3addv.kd", "demangled_kernel_name": "add()"}],
  "callback_records": {"counter_collection": [{"thread_id": 69, "arch_vgpr_count": 24, "dispatch_data": {"correlation_id": {"internal": 5}, "dispatch_info": {"agent_id": {"handle": 104}, "queue_id": {"handle": 1}, "kernel_id": 16, "dispatch_id": 1,
    "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 1024, "y": 1, "z": 1}}}, "records": [{"counter_id": {"handle": 9}, "value": 10.0}, {"counter_id": {"handle": 9}, "value": 6.0}]}]},
  "buffer_records": {"kernel_dispatch": [{"kind": 11, "operation": 1, "thread_id": 69, "correlation_id": {"internal": 5, "external": 0}, "start_timestamp": 1000, "end_timestamp": 1500,
      "dispatch_info": {"agent_id": {"handle": 104}, "queue_id": {"handle": 1}, "kernel_id": 16, "dispatch_id": 1, "private_segment_size": 0, "group_segment_size": 512, "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 1024, "y": 2, "z": 1}}}],
    "hip_api": [{"kind": 1, "operation": 1, "thread_id": 69, "correlation_id": {"internal": 5}, "start_timestamp": 900, "end_timestamp": 950}],
    "marker_api": [{"kind": 2, "operation": 0, "thread_id": 69, "correlation_id": {"internal": 3}, "start_timestamp": 800, "end_timestamp": 2000}],
    "memory_copy": [{"kind": 3, "operation": 1, "thread_id": 69, "correlation_id": {"internal": 0}, "start_timestamp": 500, "end_timestamp": 700, "src_agent_id": {"handle": 100}, "dst_agent_id": {"handle": 104}, "bytes": 4096}],
    "scratch_memory": [{"kind": 8}], "hsa_api": []}}]})_";

TEST_F(Rocm, JsonGivesWhatTablesGive) {
  const auto imported = import_text(kJson);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->format, "rocprofv3");
  EXPECT_EQ(ask("SELECT name, start_ns, end_ns, grid_x, grid_y, block_x, dynamic_shared, correlation FROM launches"), (std::vector<Row>{{"add()", 1000, 1500, 16, 2, 64, 512, 5}}));
  EXPECT_EQ(ask("SELECT counter, value FROM launch_counters"), (std::vector<Row>{{"SQ_WAVES", 16.0}})) << "one value per instance of the hardware: their sum";
  EXPECT_EQ(ask("SELECT name, correlation FROM api_calls"), (std::vector<Row>{{"hipLaunchKernel", 5}}));
  EXPECT_EQ(ask("SELECT name FROM annotations"), (std::vector<Row>{{"step"}}));
  EXPECT_EQ(ask("SELECT kind, bytes, name FROM copies"), (std::vector<Row>{{"htod", 4096, "HOST_TO_DEVICE"}}));
  EXPECT_EQ(ask("SELECT id, product FROM device"), (std::vector<Row>{{4, "AMD Instinct MI300X"}}));
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (std::vector<Row>{{"not-read: scratch_memory", 1}}));
  EXPECT_EQ(rows_of(*imported, "links"), 1);
  for (std::size_t at = 40; at < kJson.size(); at += 31) {
    const auto cut = import_text(kJson.substr(0, at));
    ASSERT_FALSE(cut) << at;
    EXPECT_EQ(cut.error().code, Error::Code::BadInput);
  }
}

TEST_F(Rocm, RpdRowsEqualTheTables) {
  const fs::path packed = seam::test::public_data() / "traces/rocm/rpd_mi300_llm_decode.rpd.gz";
  if (!fs::exists(packed)) GTEST_SKIP() << "no rpd at " << packed << " (SEAM_PUBLIC_DATA)";
  const auto imported = import(packed);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->format, "rocpd");
  auto source = ByteSource::open(packed);
  std::string bytes, chunk(std::size_t{1} << 20, '\0');
  for (std::size_t got = source->read(chunk); got > 0; got = source->read(chunk)) bytes.append(chunk, 0, got);
  ASSERT_TRUE(write_file(folder_ / "in/plain.rpd", bytes));
  const auto plain = db::Database::open_foreign(folder_ / "in/plain.rpd");
  ASSERT_TRUE(plain);
  const auto count = [&](const std::string& from) { return std::get<std::int64_t>(plain->query("SELECT count(*) FROM " + from)->rows[0][0]); };
  EXPECT_EQ(rows_of(*imported, "kernel") + rows_of(*imported, "memcpy"), count("rocpd_op"));
  EXPECT_EQ(rows_of(*imported, "memcpy"), count("op WHERE opType LIKE 'Copy%'"));
  EXPECT_EQ(rows_of(*imported, "op"), count("ext_autogradapi"));
  EXPECT_EQ(rows_of(*imported, "annotation"), count("api WHERE apiName = 'UserMarker' AND id NOT IN (SELECT api_ptr_id FROM ext_autogradapi)"));
  EXPECT_EQ(rows_of(*imported, "runtime"), count("api WHERE apiName <> 'UserMarker'"));
  EXPECT_EQ(rows_of(*imported, "counter"), count("rocpd_monitor"));
  EXPECT_EQ(rows_of(*imported, "links"), count("rocpd_api_ops"));
  EXPECT_EQ(ask("SELECT sum(duration_ns) FROM launches")[0][0], plain->query("SELECT sum(\"end\" - \"start\") FROM op WHERE opType NOT LIKE 'Copy%'")->rows[0][0]);
  EXPECT_TRUE(imported->loss.empty());
  EXPECT_EQ(ask("SELECT * FROM pragma_foreign_key_check"), std::vector<Row>{});
}

TEST(Csv, FieldsMayHoldAnything) {
  ByteSource source = ByteSource::of("a,\"b,\"\"c\"\"\nd\"\r\n\n1,,\n\"open");
  CsvReader reader(source);
  std::vector<std::string> fields;
  ASSERT_TRUE(reader.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a", "b,\"c\"\nd"}));
  ASSERT_TRUE(reader.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"1", "", ""}));
  EXPECT_EQ(reader.line(), 4);
  EXPECT_TRUE(reader.next(fields));
  EXPECT_TRUE(reader.cut_off());
  EXPECT_FALSE(reader.next(fields));
  EXPECT_EQ(csv_number("1,048,576.5"), 1048576.5);
  for (const char* no : {"", "n/a", "inf", "1 KB", "nan"}) EXPECT_FALSE(csv_number(no)) << no;
}

}  // namespace
}  // namespace seam::collector::test
