// Every public trace of PyTorch's profiler: rows per kind equal what an independent JSON reader counts.
#include <nlohmann/json.hpp>
#include <set>

#include "support.h"
#include "support/public_traces.h"

namespace seam::collector::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::map<std::string, std::string> kKinds = {
    {"cpu_op", "op"}, {"Operator", "op"}, {"user_annotation", "annotation"}, {"python_function", "python"}, {"cuda_runtime", "runtime"}, {"Runtime", "runtime"}, {"cuda_driver", "runtime"},
    {"kernel", "kernel"}, {"Kernel", "kernel"}, {"gpu_memcpy", "memcpy"}, {"Memcpy", "memcpy"}, {"gpu_memset", "memset"}, {"Memset", "memset"}, {"cuda_sync", "sync"}, {"overhead", "overhead"},
    {"Trace", "profiler"}, {"gpu_user_annotation", "gpu_annotation"}};

std::map<std::string, std::int64_t> counted(const Json& events) {
  std::map<std::string, std::int64_t> out;
  std::set<std::int64_t> calls;
  std::set<std::string> threads;
  const auto word = [](const Json& event, const char* key) { return !event.contains(key) ? std::string() : event[key].is_string() ? event[key].get<std::string>() : event[key].dump(); };
  const auto kind_of = [&](const Json& event) {
    const auto at = kKinds.find(word(event, "cat"));
    return at == kKinds.end() ? std::string("other") : at->second;
  };
  const auto correlation = [](const Json& event) { return event.contains("args") && event["args"].contains("correlation") ? event["args"]["correlation"].get<std::int64_t>() : -1; };
  for (const Json& event : events) {
    const std::string phase = word(event, "ph");
    if (phase == "X") {
      const std::string kind = kind_of(event);
      ++out[kind];
      if (kind == "runtime" && correlation(event) >= 0) calls.insert(correlation(event));
      if (kind == "op" || kind == "annotation" || kind == "python" || kind == "runtime" || kind == "other") threads.insert(word(event, "pid") + " " + word(event, "tid"));
    }
    if (phase == "i" || phase == "I") ++out["instant"];
    if (phase == "C") ++out["counter"];
    if (phase == "s" || phase == "t" || phase == "f") ++out[kind_of(event) == "other" && word(event, "cat") == "fwdbwd" ? "flow" : "launch_flow"];
  }
  for (const Json& event : events) {
    if (word(event, "ph") != "X") continue;
    const std::string kind = kind_of(event);
    if (kind == "kernel" || kind == "memcpy" || kind == "memset") out["links"] += calls.contains(correlation(event)) ? 1 : 0;
  }
  out["threads"] = std::ssize(threads);
  return out;
}

class Public : public ImportTest {};

TEST_F(Public, KinetoRowsEqualAnIndependentCount) {
  const std::vector<fs::path> traces = seam::test::public_kineto_traces();
  if (traces.empty()) GTEST_SKIP() << "no public traces in " << seam::test::public_data() << " (SEAM_PUBLIC_DATA)";
  EXPECT_EQ(traces.size(), 53U);
  for (const fs::path& trace_file : traces) {
    SCOPED_TRACE(trace_file.filename().string());
    const auto imported = import(trace_file);
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(imported->format, "kineto");
    EXPECT_TRUE(imported->loss.empty());
    const Json trace = Json::parse(*read_file(trace_file), nullptr, false);
    ASSERT_FALSE(trace.is_discarded());
    const std::map<std::string, std::int64_t> want = counted(trace.is_array() ? trace : trace["traceEvents"]);
    for (const auto& [kind, count] : imported->rows) {
      if (kind == "metadata" || kind == "allocation" || kind == "launch_flow" || kind == "flow") continue;
      const auto at = want.find(kind);
      EXPECT_EQ(count, at == want.end() ? 0 : at->second) << kind;
    }
  }
}

}  // namespace
}  // namespace seam::collector::test
