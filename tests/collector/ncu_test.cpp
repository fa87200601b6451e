// Nsight Compute's tables in both forms, alone and joined with a trace. The inputs are written by hand after the tool's output.
#include "import/ncu_csv.h"
#include "support.h"

namespace seam::collector::test {
namespace {

using db::Null;
using Row = std::vector<db::Field>;

const std::string kRaw = R"_(==PROF== Connected to process 4242 (/usr/bin/python3)
==PROF== Profiling "add": 0%....50%....100% - 3 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum","launch__registers_per_thread","launch__shared_mem_per_block_static","launch__func_cache_config","sm__throughput.avg.pct_of_peak_sustained_elapsed"
"","","","","","","","","","","","Mbyte","byte","usecond","register/thread","Kbyte/block","","%"
"0","4242","python3","127.0.0.1","void ns::add<(int)4, float>(T2 *, T1)","1","7","(128, 1, 1)","(1,024, 1, 1)","0","9.0","4.2","1,048,576","1,234.50","32","1.02","CachePreferNone","71.25"
"1","4242","python3","127.0.0.1","mul, with a comma","1","7","(256, 1, 1)","(2, 2, 1)","0","9.0","0","n/a","2.5","16","0","CachePreferNone","1.5"
"2","4242","python3","127.0.0.1","void ns::add<(int)4, float>(T2 *, T1)","1","7","(128, 1, 1)","(1024, 1, 1)","0","9.0","8","2,097,152","1,000","32","1.02","CachePreferNone","80"
)_";

const std::string kDetails = R"_("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","4242","python3","127.0.0.1","add","1","7","(128, 1, 1)","(1024, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","us","1,234.50","","",""
"0","4242","python3","127.0.0.1","add","1","7","(128, 1, 1)","(1024, 1, 1)","0","9.0","GPU Speed Of Light Throughput","DRAM Throughput","%","63.10","","",""
"0","4242","python3","127.0.0.1","add","1","7","(128, 1, 1)","(1024, 1, 1)","0","9.0","Launch Statistics","Registers Per Thread","register/thread","32","","",""
"0","4242","python3","127.0.0.1","add","1","7","(128, 1, 1)","(1024, 1, 1)","0","9.0","SpeedOfLight","","","","Bottleneck","WRN","Memory is more heavily utilized than Compute"
"1","4242","python3","127.0.0.1","mul, with a comma","1","7","(256, 1, 1)","(2, 2, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","ns","2,500","","",""
)_";

class Ncu : public ImportTest {
 protected:
  [[nodiscard]] Result<Imported> join(const std::string& trace, const std::string& counters) const {
    EXPECT_TRUE(write_file(folder_ / "trace.json", trace));
    EXPECT_TRUE(write_file(folder_ / "report.csv", counters));
    return import_trace(folder_ / "trace.json", {.execution_trace = {}, .counters = folder_ / "report.csv", .output = output(), .command = {}, .tool = "seam test", .window = std::size_t{4} << 20, .progress = {}});
  }
};

TEST_F(Ncu, TheRawPageAloneIsARun) {
  const auto imported = import_text(kRaw);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->format, "ncu");
  EXPECT_EQ(ask("SELECT name, start_ns, grid_x, block_x, static_shared, bytes_read, bytes_written, bytes_evidence, evidence FROM launches"), (std::vector<Row>{
    {"void ns::add<(int)4, float>(T2 *, T1)", Null{}, Null{}, 128, 1020, 4'200'000, 1'048'576, "counter", "counter"}, {"mul, with a comma", Null{}, 2, 256, 0, 0, Null{}, "counter", "counter"},
    {"void ns::add<(int)4, float>(T2 *, T1)", Null{}, 1024, 128, 1020, 8'000'000, 2'097'152, "counter", "counter"}}));
  EXPECT_EQ(ask("SELECT counter, unit, value, text FROM launch_counters WHERE launch = 0 ORDER BY counter"), (std::vector<Row>{
    {"dram__bytes_read.sum", "byte", 4'200'000.0, Null{}}, {"dram__bytes_write.sum", "byte", 1'048'576.0, Null{}}, {"gpu__time_duration.sum", "nsecond", 1'234'500.0, Null{}},
    {"launch__func_cache_config", Null{}, Null{}, "CachePreferNone"}, {"launch__registers_per_thread", "register/thread", 32.0, Null{}}, {"launch__shared_mem_per_block_static", "Kbyte/block", 1.02, Null{}},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", 71.25, Null{}}}));
  EXPECT_EQ(ask("SELECT text FROM launch_counters WHERE launch = 1 AND counter = 'dram__bytes_write.sum'"), (std::vector<Row>{{"n/a"}}));
  EXPECT_EQ(ask("SELECT registers, count(*) FROM kernels GROUP BY 1 ORDER BY 1"), (std::vector<Row>{{16, 1}, {32, 1}}));
  EXPECT_EQ(ask("SELECT compute_major, compute_minor FROM device"), (std::vector<Row>{{9, 0}}));
  EXPECT_TRUE(imported->loss.empty());
  EXPECT_EQ(rows_of(*imported, "launch_counter"), 21);
  EXPECT_EQ(imported->warnings[0].code, "no-times");
}

TEST_F(Ncu, TheDetailsPageAloneIsARun) {
  const auto imported = import_text(kDetails);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(ask("SELECT name, grid_x, grid_y, block_x FROM launches"), (std::vector<Row>{{"add", 1024, 1, 128}, {"mul, with a comma", 2, 2, 256}}));
  EXPECT_EQ(ask("SELECT kernel, counter, unit, value FROM launch_counters ORDER BY launch, counter"), (std::vector<Row>{
    {"add", "GPU Speed Of Light Throughput/DRAM Throughput", "%", 63.1}, {"add", "GPU Speed Of Light Throughput/Duration", "nsecond", 1'234'500.0}, {"add", "Launch Statistics/Registers Per Thread", "register/thread", 32.0},
    {"mul, with a comma", "GPU Speed Of Light Throughput/Duration", "nsecond", 2500.0}}));
  EXPECT_EQ(ask("SELECT value FROM property WHERE name = 'ncu.advice_rows'"), (std::vector<Row>{{"1"}}));
}

std::string kernel_event(const std::string& name, int at, const std::string& grid, const std::string& block) {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" + std::to_string(at) + R"(, "dur": 2, "args": {"stream": 7, "device": 0, "correlation": )" + std::to_string(at) + R"(, "grid": )" + grid + R"(, "block": )" + block + "}}";
}

TEST_F(Ncu, CountersJoinLaunchesByNameShapeAndOrder) {
  const std::string add = "void ns::add<4, float>(float*, Array<char*, 2>)";
  const std::string trace = "{\"traceEvents\": [" + kernel_event(add, 10, "[1, 1, 1]", "[128, 1, 1]") + "," + kernel_event(add, 20, "[1024, 1, 1]", "[128, 1, 1]") + "," + kernel_event("mul, with a comma", 30, "[2, 2, 1]", "[256, 1, 1]") + "," +
                            kernel_event(add, 40, "[1024, 1, 1]", "[128, 1, 1]") + "," + kernel_event("other", 50, "[1, 1, 1]", "[1, 1, 1]") + "]}";
  const auto raw = join(trace, kRaw);
  ASSERT_TRUE(raw) << raw.error().message;
  EXPECT_EQ(raw->format, "kineto");
  EXPECT_EQ(rows_of(*raw, "kernel"), 5);
  // The first row of the table has a grid that is no number: its launch has no partner of that shape.
  EXPECT_EQ(ask("SELECT l.start_ns, c.value FROM launch_counter c JOIN launch l ON l.id = c.launch JOIN string s ON s.id = c.counter WHERE s.value LIKE 'sm__throughput%' ORDER BY 1"), (std::vector<Row>{{20000, 80.0}, {30000, 1.5}}));
  EXPECT_EQ(ask("SELECT bytes_read, bytes_evidence FROM launches WHERE start_ns = 20000"), (std::vector<Row>{{8'000'000, "counter"}}));
  EXPECT_EQ(ask("SELECT bytes_read, bytes_evidence, evidence FROM launches WHERE start_ns = 50000"), (std::vector<Row>{{Null{}, "unknown", "recorded"}}));
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (std::vector<Row>{{"counters-not-joined", 1}}));
  const auto details = join(trace, kDetails);
  ASSERT_TRUE(details) << details.error().message;
  EXPECT_TRUE(details->loss.empty());
  EXPECT_EQ(ask("SELECT DISTINCT l.start_ns FROM launch_counter c JOIN launch l ON l.id = c.launch ORDER BY 1"), (std::vector<Row>{{20000}, {30000}}));
}

TEST_F(Ncu, DamageIsSaid) {
  for (const std::string& text : {kRaw, kDetails}) {
    const auto broken = import_text(text + "\"9\",\"4242\"\n\"10\",\"never closed");
    ASSERT_TRUE(broken) << broken.error().message;
    EXPECT_EQ(ask("SELECT reason, count FROM loss"), (std::vector<Row>{{"broken-row", 2}, {"cut-off", 1}}));
    for (std::size_t at = 420; at < text.size(); at += 13) EXPECT_TRUE(import_text(text.substr(0, at))) << at;
  }
  std::filesystem::remove(output());
  const auto none = join("{\"traceEvents\": [" + kernel_event("k", 1, "[1, 1, 1]", "[1, 1, 1]") + "]}", "a,b\n1,2\n");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("no table of Nsight Compute"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(output()));
}

}  // namespace
}  // namespace seam::collector::test
