// Whatever the window, the packing and the order of keys: the same rows.
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "support.h"

namespace seam::collector::test {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::vector<db::Field>>;

const fs::path kHard = fs::path(SEAM_TEST_DATA) / "traces/hard";

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(ImportTest, SameBytesForEveryWindow) {
  for (const char* name : {"h01_no_closing_brackets.json", "h03_quote_in_name.json", "h05_bare_nan.json", "h08_graph_launch_owns_six.json", "h12_duration_runs_over_next.json", "h13_communication_names.json"}) {
    ASSERT_TRUE(import(kHard / name, std::size_t{4} << 20, "a.seam"));
    const std::string whole = *read_file(output("a.seam"));
    for (const std::size_t window : {64U, 97U, 256U, 1000U}) {
      ASSERT_TRUE(import(kHard / name, window, "b.seam"));
      EXPECT_EQ(*read_file(output("b.seam")), whole) << name << ", windows of " << window;
    }
  }
}

/// Cut anywhere, a trace still gives the events before the cut, and says what is missing.
TEST_F(ImportTest, AnyCutIsSurvived) {
  const std::string text = *read_file(kHard / "h08_graph_launch_owns_six.json");
  for (std::size_t at = 40; at < text.size(); at += 3) {
    const auto imported = import_text(text.substr(0, at));
    if (!imported) {
      EXPECT_EQ(imported.error().code, Error::Code::BadInput) << at;
      EXPECT_FALSE(fs::exists(output()));
      continue;
    }
    std::int64_t rows = rows_of(*imported, "kernel") + rows_of(*imported, "memset") + rows_of(*imported, "op") + rows_of(*imported, "runtime");
    std::size_t whole = 0;
    for (std::size_t p = text.find("\n{"); p != std::string::npos && text.find("}}", p) != std::string::npos && text.find("}}", p) + 2 <= at; p = text.find("\n{", p + 1)) ++whole;
    EXPECT_EQ(rows, static_cast<std::int64_t>(whole)) << at;
    EXPECT_TRUE(!imported->warnings.empty() || at + 4 >= text.size()) << at;
  }
}

TEST_F(ImportTest, PackedFilesAreRead) {
  const std::string text = *read_file(kHard / "h13_communication_names.json");
  const std::size_t half = text.size() / 2;
  for (const std::string& packed : {gzip(text), gzip(text.substr(0, half)) + gzip(text.substr(half)), gzip(text) + std::string(512, '\0'), zstd(text), zstd(text.substr(0, half)) + zstd(text.substr(half))}) {
    const auto imported = import_text(packed);
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(rows_of(*imported, "kernel"), 6);
    EXPECT_TRUE(imported->warnings.empty());
  }
  for (const std::string& packed : {gzip(text), gzip(text).replace(200, 5, "xxxxx")}) {
    const auto cut = import_text(packed.substr(0, packed.size() * 2 / 3));
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_LT(rows_of(*cut, "kernel"), 6);
    EXPECT_FALSE(cut->loss.empty()) << "what the damage took is not known to be nothing";
  }
}

TEST_F(ImportTest, TheBaseMayComeLast) {
  ASSERT_TRUE(import_text(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 12.345, "dur": 1.5, "args": {"stream": 7, "device": 0}}], "baseTimeNanoseconds": 1711964646000000000})"));
  EXPECT_EQ(ask("SELECT start_ns, end_ns FROM launch"), (Rows{{12345, 13845}}));
  EXPECT_EQ(ask("SELECT unix_ns, resolution_ns FROM clock"), (Rows{{1711964646000000000, 1}}));
  ASSERT_TRUE(import_text(R"([{"ph": "X", "cat": "Kernel", "name": "k", "pid": "0", "tid": "stream 7", "ts": 1606910596297023, "dur": 13, "args": {"stream": 7}}])"));
  EXPECT_EQ(ask("SELECT unix_ns, resolution_ns FROM clock"), (Rows{{0, 1000}}));
  ASSERT_TRUE(import_text(R"([{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5, "dur": 1}])"));
  EXPECT_EQ(ask("SELECT unix_ns FROM clock"), (Rows{{db::Null{}}})) << "nobody knows when that was";
}

TEST_F(ImportTest, OpsKeepWhatTheyWereCalledWith) {
  const std::string op = R"({"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 2, "ts": 1, "dur": 2, "args": {"External id": 5, "Record function id": 9, "Sequence number": 3, "Fwd thread id": 0, "Ev Idx": 1,
    "Input Dims": [[128, 256], [], [[2, 3], [4]]], "Input type": ["c10::Half", "Scalar", "TensorList"], "Input Strides": [[256, 1], [], [[3, 1], [1]]], "Concrete Inputs": ["", "1", ""], "module": "fc"}})";
  ASSERT_TRUE(import_text("{\"traceEvents\": [" + op + ",\n" + op + "]}"));
  EXPECT_EQ(ask("SELECT external, number, sequence FROM ops"), (Rows{{5, 9, 3}, {5, 9, 3}}));
  EXPECT_EQ(ask("SELECT place, type, dims, strides, value FROM op_inputs WHERE op = 0"),
            (Rows{{0, "c10::Half", "[128,256]", "[256,1]", db::Null{}}, {1, "Scalar", db::Null{}, db::Null{}, "1"}, {2, "TensorList", "[[2,3],[4]]", "[[3,1],[1]]", db::Null{}}}));
  EXPECT_EQ(ask("SELECT count(*) FROM signature"), (Rows{{1}}));
  EXPECT_EQ(ask("SELECT s.value FROM range r JOIN string s ON s.id = r.extra LIMIT 1"), (Rows{{R"({"module":"fc"})"}})) << "what has no column is not dropped";
}

TEST_F(ImportTest, CollectivesAllocationsSyncsCountersFlowsAndPairsHaveRows) {
  ASSERT_TRUE(import_text(R"({"traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 9, "ts": 1, "dur": 2, "args": {"device": 0, "context": 1, "stream": 9, "Collective name": "allreduce", "In msg nelems": 64, "Out msg nelems": 64, "dtype": "Float", "Group size": 2, "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Seq": 4}},
    {"ph": "i", "name": "[memory]", "pid": 1, "tid": 2, "ts": 3, "args": {"Bytes": -512, "Addr": 140001, "Device Type": 1, "Device Id": 0, "Total Allocated": 1024, "Total Reserved": 2048}},
    {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 9, "ts": 5, "dur": 0, "args": {"stream": 9, "device": 0, "context": 1, "correlation": 8, "cuda_sync_kind": "Stream Wait Event", "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 6, "wait_on_cuda_event_id": 1}},
    {"ph": "C", "name": "GPU", "pid": 1, "ts": 4, "args": {"util": 0.5, "sm": 1}},
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 3, "pid": 1, "tid": 2, "ts": 6}, {"ph": "f", "cat": "ac2g", "id": 4, "pid": 0, "tid": 9, "ts": 6},
    {"ph": "B", "name": "outer", "pid": 1, "tid": 2, "ts": 7}, {"ph": "B", "name": "inner", "pid": 1, "tid": 2, "ts": 8}, {"ph": "E", "pid": 1, "tid": 2, "ts": 9}, {"ph": "E", "pid": 1, "tid": 2, "ts": 10},
    {"ph": "E", "pid": 1, "tid": 2, "ts": 11}, {}]})"));
  EXPECT_EQ(ask("SELECT launch, name, dtype, elements_in, group_size, ranks, sequence FROM collectives"), (Rows{{0, "allreduce", "Float", 64, 2, "[0, 1]", 4}}));
  EXPECT_EQ(ask("SELECT device, address, bytes, allocated, reserved FROM allocations"), (Rows{{0, 140001, -512, 1024, 2048}}));
  EXPECT_EQ(ask("SELECT kind, stream, wait_stream, wait_correlation, wait_event FROM syncs"), (Rows{{"stream_wait_event", 9, 7, 6, 1}}));
  EXPECT_EQ(ask("SELECT name, series, value FROM counters ORDER BY id"), (Rows{{"GPU", "util", 0.5}, {"GPU", "sm", 1.0}}));
  EXPECT_EQ(ask("SELECT number, category, place FROM flows"), (Rows{{3, "fwdbwd", "start"}}));
  EXPECT_EQ(ask("SELECT name, start_ns, end_ns FROM ranges"), (Rows{{"inner", 8000, 9000}, {"outer", 7000, 10000}}));
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (Rows{{"end-without-begin", 1}}));
}

TEST_F(ImportTest, NamesOfThreadsProcessesAndDevicesAreFound) {
  ASSERT_TRUE(import_text(R"({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0, "numSms": 132}], "distributedInfo": {"rank":3}, "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 10, "tid": 11, "ts": 1, "dur": 2}, {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "context": 1, "stream": 7}},
    {"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "args": {"name": "python3"}}, {"ph": "M", "name": "thread_name", "pid": 10, "tid": "11", "args": {"name": "main"}}]})"));
  EXPECT_EQ(ask("SELECT process, process_name, thread, name FROM threads"), (Rows{{"10", "python3", "11", "main"}}));
  EXPECT_EQ(ask("SELECT device_name, context, number FROM streams"), (Rows{{"NVIDIA H100 80GB HBM3", 1, 7}}));
  EXPECT_EQ(ask("SELECT name, sms FROM device"), (Rows{{"h100", 132}}));
  EXPECT_EQ(ask("SELECT value FROM property WHERE name = 'rank'"), (Rows{{"3"}}));
}

/// JAX's trace.json has no categories: kernels stand on threads that are named after streams.
TEST_F(ImportTest, JaxTracesGiveKernelsAndCopies) {
  struct Case {
    const char* model;
    std::int64_t kernels, copies;
  };
  for (const Case& one : {Case{"lr", 32, 8}, Case{"rnn", 140, 8}, Case{"bert_layer", 228, 24}, Case{"dlrm", 120, 16}}) {
    SCOPED_TRACE(one.model);
    const auto imported = import(fs::path(SEAM_TEST_DATA) / "traces/jax" / (std::string(one.model) + ".trace.json.gz"));
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(imported->format, "tsl");
    EXPECT_EQ(rows_of(*imported, "kernel"), one.kernels);
    EXPECT_EQ(rows_of(*imported, "memcpy"), one.copies);
    EXPECT_TRUE(imported->warnings.empty() && imported->loss.empty());
    EXPECT_EQ(ask("SELECT count(*) FROM launches WHERE grid_x IS NULL OR block_x IS NULL OR static_shared IS NULL OR correlation IS NULL"), (Rows{{0}}));
    EXPECT_EQ(ask("SELECT count(*) FROM copies WHERE bytes IS NULL OR source IS NULL OR kind = 'unknown'"), (Rows{{0}}));
    EXPECT_EQ(ask("SELECT count(*) > 0 FROM annotations"), (Rows{{1}}));
  }
}

/// Both forms of one run give the same kernels and copies, with their shapes and times.
TEST_F(ImportTest, XSpaceGivesWhatItsTraceJsonGives) {
  for (const std::string model : {"lr", "rnn", "bert_layer", "dlrm"}) {
    SCOPED_TRACE(model);
    const auto json = import(fs::path(SEAM_TEST_DATA) / "traces/jax" / (model + ".trace.json.gz"), std::size_t{4} << 20, "json.seam");
    const auto space = import(fs::path(SEAM_TEST_DATA) / "traces/jax" / (model + ".xplane.pb.gz"), std::size_t{4} << 20, "space.seam");
    ASSERT_TRUE(json) << json.error().message;
    ASSERT_TRUE(space) << space.error().message;
    EXPECT_EQ(space->format, "xplane");
    EXPECT_EQ(space->busy_ns, json->busy_ns);
    for (const char* kind : {"kernel", "memcpy", "memset", "runtime", "annotation"}) EXPECT_EQ(rows_of(*space, kind), rows_of(*json, kind)) << kind;
    const std::string kernels = "SELECT name, duration_ns, grid_x, grid_y, grid_z, block_x, block_y, block_z, static_shared, dynamic_shared, correlation FROM launches ORDER BY start_ns, name, correlation";
    const std::string copies = "SELECT name, kind, duration_ns, bytes, source, destination, correlation FROM copies ORDER BY start_ns, name, correlation";
    EXPECT_EQ(ask(kernels, "space.seam"), ask(kernels, "json.seam"));
    EXPECT_EQ(ask(copies, "space.seam"), ask(copies, "json.seam"));
  }
  const std::string bytes = *read_file(fs::path(SEAM_TEST_DATA) / "traces/jax/lr.xplane.pb.gz");
  for (std::size_t at = 100; at < bytes.size(); at += bytes.size() / 40) {
    const auto cut = import_text(bytes.substr(0, at));
    EXPECT_TRUE(cut || !fs::exists(output())) << "no half a file";
    fs::remove(output());
  }
}

/// What is known and not read says so, and what to do instead.
TEST_F(ImportTest, KnownFormatsGetAHint) {
  using std::string_literals::operator""s;
  const std::pair<std::string, std::string> cases[] = {
      {"PAR1\x15\x04"s, "nsys export"}, {"\xfd" "7zXZ\0\0"s, "xz -d"}, {"\x0a\x25\x40\0\xe2\x03\x20\x08\x86\xd0\xd8\xe3\x9f\xc0\x89\x89\x77\x1a"s, "traceconv"},
      {"Start (ns),End (ns),Name\n"s, "nsys export"}, {"\"Kind\",\"Agent_Id\"\n"s, "rocprofv3"}, {"version https://git-lfs.github.com/spec/v1\n"s, "git lfs pull"}};
  for (const auto& [bytes, says] : cases) {
    const auto imported = import_text(bytes);
    ASSERT_FALSE(imported) << says;
    EXPECT_EQ(imported.error().code, Error::Code::Unsupported) << says;
    EXPECT_NE(imported.error().message.find(says), std::string::npos) << imported.error().message;
    EXPECT_FALSE(fs::exists(output()));
    EXPECT_TRUE(*is_trace(folder_ / "trace.json")) << "others must not take it for a module: " << says;
  }
  ASSERT_TRUE(write_file(folder_ / "report.nsys-rep", "whatever"));
  EXPECT_NE(import(folder_ / "report.nsys-rep").error().message.find("nsys export --type sqlite report.nsys-rep"), std::string::npos);
  for (const std::string module : {"HloModule x\n\nENTRY e {", "graph \"x\" {", "# a comment\nHloModule x"}) {
    ASSERT_TRUE(write_file(folder_ / "m.hlo", module));
    EXPECT_FALSE(*is_trace(folder_ / "m.hlo")) << module;
  }
}

/// Wherever a byte of a file may end up in a run file or a message, what stands there is UTF-8.
TEST_F(ImportTest, BytesThatAreNoTextAreMendedEverywhere) {
  const std::string kernel = R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"stream": 7)";
  const std::string bad = "\x9d\xff";
  for (const std::string& event : {R"({"ph": ")" + bad + R"(", "name": "p", "ts": 1})", kernel + ", \"x\": " + bad + "}}", kernel + ", \"" + bad + "\": 1}}", R"({"ph": "X", "cat": "cpu_op", "name": ")" + bad + R"(", "pid": )" + bad + R"(, "tid": ")" + bad + R"(", "ts": 1, "dur": 1})",
                                   R"({"ph": "C", "name": "n", "pid": 1, "ts": 1, "args": {")" + bad + R"(": 1, "y": )" + bad + "}}", R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": ")" + bad + R"("}})"}) {
    const auto imported = import_text("{\"" + bad + "\": \"" + bad + "\", \"\x9d\xfe\": 2, \"traceEvents\": [" + kernel + "}}, " + event + "]}");
    ASSERT_TRUE(imported) << event << (imported ? "" : imported.error().message);
    for (const auto& warning : imported->warnings) EXPECT_TRUE(is_utf8(warning.message)) << event;
    for (const auto& loss : imported->loss) EXPECT_TRUE(is_utf8(loss.detail)) << event;
    for (const char* texts : {"SELECT value FROM string", "SELECT name FROM property", "SELECT value FROM property", "SELECT label FROM thread", "SELECT label FROM process", "SELECT detail FROM loss", "SELECT message FROM warning"})
      for (const auto& row : ask(texts))
        if (const auto* value = std::get_if<std::string>(row.data())) {
          EXPECT_TRUE(is_utf8(*value)) << texts << " after " << event;
        }
  }
}

/// A pipe gives its bytes once, also to formats that are looked at first.
TEST_F(ImportTest, StandardInputIsATraceToo) {
  for (const std::string name : {"hard/h08_graph_launch_owns_six.json", "torch/mlp_noshapes.et.json.gz"}) {
    const fs::path file = fs::path(SEAM_TEST_DATA) / "traces" / name;
    const int kept = ::dup(STDIN_FILENO), input = ::open(file.c_str(), O_RDONLY);  // NOLINT(cppcoreguidelines-pro-type-vararg)
    ::dup2(input, STDIN_FILENO);
    const auto piped = import("-", std::size_t{4} << 20, "piped.seam");
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
    ::close(input);
    ASSERT_TRUE(piped) << piped.error().message;
    EXPECT_EQ(piped->file, "-");
    const auto read = import(file);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(piped->rows, read->rows) << name;
  }
}

TEST_F(ImportTest, WhatIsNoTraceIsRefused) {
  for (const std::string text : {"", "   \n", "{}", "{\"nodes\": []}", "HloModule x", "{\"traceEvents\": 5}", "\x1f\x8b", "7"}) {
    const auto imported = import_text(text);
    EXPECT_FALSE(imported) << text;
    EXPECT_FALSE(fs::exists(output())) << text;
  }
  EXPECT_EQ(import(folder_ / "absent.json").error().code, Error::Code::NotFound);
}

}  // namespace
}  // namespace seam::collector::test
