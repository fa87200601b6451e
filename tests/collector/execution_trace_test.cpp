// Execution traces, alone and joined with the profiler's trace of the same run: rows equal what an independent JSON reader counts.
#include <nlohmann/json.hpp>
#include <set>

#include "import/execution_trace.h"
#include "import/python_literal.h"
#include "support.h"
#include "support/public_traces.h"

namespace seam::collector::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Row = std::vector<db::Field>;

Json attribute(const Json& node, const std::string& name) {
  if (node.contains(name)) return node[name];
  for (const Json& one : node.value("attrs", Json::array()))
    if (one["name"] == name) return one["value"];
  return {};
}

/// Values that are six numbers and a device are tensors, wherever they lie.
std::int64_t tensors_in(const Json& value) {
  if (!value.is_array()) return 0;
  if (value.size() == 6 && value[5].is_string() && value[0].is_number_integer()) return 1;
  std::int64_t sum = 0;
  for (const Json& part : value) sum += tensors_in(part);
  return sum;
}

struct Counted {
  std::int64_t nodes = 0, ops = 0, annotations = 0, kernels = 0, copies = 0, tensors = 0;
};
Counted counted(const Json& trace) {
  Counted out;
  for (const Json& node : trace["nodes"]) {
    ++out.nodes;
    const std::string name = node["name"];
    if (node.contains("cat")) ++(node["cat"] == "kernel" ? out.kernels : out.copies);
    else if (name.ends_with("|process]") || name.ends_with("|thread]")) continue;
    else ++(attribute(node, "scope") == 7 ? out.annotations : out.ops);
    for (const char* side : {"inputs", "outputs"}) out.tensors += tensors_in(node[side].is_object() ? node[side]["values"] : node[side]);
  }
  return out;
}

Json parsed(const fs::path& file) { return Json::parse(*read_file(file)); }

class ExecutionTrace : public ImportTest {
 protected:
  [[nodiscard]] Result<Imported> join(const fs::path& trace, const fs::path& execution) const {
    return import_trace(trace, {.execution_trace = execution, .counters = {}, .output = output(), .command = "seam import", .tool = "seam test", .window = std::size_t{4} << 20, .progress = {}});
  }
  void joins_every_op(const fs::path& folder, const std::string& name) const {
    SCOPED_TRACE(name);
    const fs::path execution = folder / (name + ".et.json.gz"), trace = folder / (name + ".pt.trace.json.gz");
    const auto imported = join(trace, execution);
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_TRUE(imported->loss.empty()) << imported->loss.front().detail;
    const Json nodes = parsed(execution), events = parsed(trace);
    const Counted want = counted(nodes);
    std::set<std::int64_t> records;
    for (const Json& event : events["traceEvents"])
      if (event.contains("args") && event["args"].contains("Record function id")) records.insert(event["args"]["Record function id"].get<std::int64_t>());
    std::int64_t linked = 0;
    for (const Json& node : nodes["nodes"]) linked += attribute(node, "rf_id") != 0 && records.contains(attribute(node, "rf_id").get<std::int64_t>()) ? 1 : 0;
    EXPECT_EQ(linked, want.nodes - 2) << "all but the process and its thread";
    EXPECT_EQ(rows_of(*imported, "joined"), linked);
    EXPECT_EQ(rows_of(*imported, "node"), want.nodes);
    EXPECT_EQ(rows_of(*imported, "node_tensor"), want.tensors);
    EXPECT_EQ(ask("SELECT count(DISTINCT op) > 0, sum(op IS NULL) FROM op_tensors"), (std::vector<Row>{{1, 0}})) << "each tensor belongs to an op of the trace";
    EXPECT_EQ(ask("SELECT count(*) FROM node n JOIN range r ON r.id = n.range WHERE n.name <> r.name OR r.start_ns IS NULL"), (std::vector<Row>{{0}}));
    EXPECT_EQ(ask("SELECT * FROM pragma_foreign_key_check"), std::vector<Row>{});
  }
};

TEST_F(ExecutionTrace, EveryOpOfOurPairsJoins) {
  for (const std::string name : {"mlp_noshapes", "mlp_compiled_cpp"}) joins_every_op(fs::path(SEAM_TEST_DATA) / "traces/torch", name);
  // A profiler that was not asked for shapes: they come from the other trace.
  ASSERT_TRUE(join(fs::path(SEAM_TEST_DATA) / "traces/torch/mlp_noshapes.pt.trace.json.gz", fs::path(SEAM_TEST_DATA) / "traces/torch/mlp_noshapes.et.json.gz"));
  EXPECT_EQ(ask("SELECT count(*) > 10 FROM op_inputs WHERE op_name = 'aten::addmm' AND dims IS NOT NULL"), (std::vector<Row>{{1}}));
}

/// What one op writes, a later one reads under the same identity: that is what makes edges of a graph.
TEST_F(ExecutionTrace, OutputsAreFoundAgainAsInputs) {
  ASSERT_TRUE(join(fs::path(SEAM_TEST_DATA) / "traces/torch/mlp_noshapes.pt.trace.json.gz", fs::path(SEAM_TEST_DATA) / "traces/torch/mlp_noshapes.et.json.gz"));
  const auto edges = ask("SELECT count(*) > 0 FROM op_tensors w JOIN op_tensors r ON r.tensor = w.tensor AND r.storage = w.storage AND r.side = 'input' "
                         "WHERE w.side = 'output' AND w.op_name = 'aten::addmm' AND r.op_name = 'aten::native_layer_norm'");
  EXPECT_EQ(edges, (std::vector<Row>{{1}}));
}

TEST_F(ExecutionTrace, EveryPairOfTheCollectionJoins) {
  const fs::path folder = seam::test::public_data() / "torch/traces";
  if (!fs::exists(folder)) GTEST_SKIP() << "no traces in " << folder << " (SEAM_PUBLIC_DATA)";
  std::size_t pairs = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".et.json.gz")) continue;
    ++pairs;
    joins_every_op(folder, file.substr(0, file.size() - std::string(".et.json.gz").size()));
  }
  EXPECT_EQ(pairs, 9U);
}

TEST_F(ExecutionTrace, PublicRowsEqualAnIndependentCount) {
  const fs::path root = seam::test::public_data() / "traces";
  if (!fs::exists(root)) GTEST_SKIP() << "no public traces in " << root << " (SEAM_PUBLIC_DATA)";
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const std::string folder = entry.path().parent_path().string();
    if (!name.ends_with(".json.gz") || !(name.starts_with("et_") || folder.ends_with("/et") || folder.ends_with("_et_1.1.1"))) continue;
    SCOPED_TRACE(name);
    ++files;
    const auto imported = import(entry.path());
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_TRUE(imported->loss.empty());
    const Counted want = counted(parsed(entry.path()));
    EXPECT_EQ(rows_of(*imported, "node"), want.nodes);
    EXPECT_EQ(rows_of(*imported, "op"), want.ops);
    EXPECT_EQ(rows_of(*imported, "annotation"), want.annotations);
    EXPECT_EQ(rows_of(*imported, "kernel"), want.kernels);
    EXPECT_EQ(rows_of(*imported, "memcpy") + rows_of(*imported, "memset"), want.copies);
    EXPECT_EQ(rows_of(*imported, "node_tensor"), want.tensors);
    const bool linked = want.kernels > 0;
    EXPECT_EQ(imported->format, linked ? "et+" : "et");
    EXPECT_EQ(imported->start_ns.has_value(), linked) << "no time is made up";
    EXPECT_EQ(ask("SELECT count(*) FROM range WHERE start_ns IS NOT NULL")[0][0] == db::Field(0), !linked);
    EXPECT_EQ(ask("SELECT * FROM pragma_foreign_key_check"), std::vector<Row>{});
  }
  EXPECT_EQ(files, 16U);
}

TEST_F(ExecutionTrace, OldTracesJoinByExternalIdOrSayThatTheyDoNot) {
  const fs::path root = seam::test::public_data() / "traces";
  if (!fs::exists(root)) GTEST_SKIP() << "no public traces in " << root << " (SEAM_PUBLIC_DATA)";
  const auto simple = join(root / "kineto/hta_simple_add_kineto.json.gz", root / "et/hta_simple_add_et_1.0.1.json.gz");
  ASSERT_TRUE(simple) << simple.error().message;
  EXPECT_EQ(rows_of(*simple, "joined"), 36);
  EXPECT_TRUE(simple->loss.empty());
  const auto ranks = join(root / "multirank/megatron_tp2_v100/kineto_rank0.json.gz", root / "multirank/megatron_tp2_v100/et_rank0_1.1.0.json.gz");
  ASSERT_TRUE(ranks) << ranks.error().message;
  EXPECT_EQ(rows_of(*ranks, "joined"), 1880);
  const auto unlucky = join(root / "multirank/param_dlrm8_v100/kineto_rank0.json.gz", root / "multirank/param_dlrm8_v100/et_rank0_1.0.1.json.gz");
  ASSERT_TRUE(unlucky) << unlucky.error().message;
  EXPECT_EQ(rows_of(*unlucky, "joined"), 0);
  ASSERT_EQ(unlucky->warnings.size(), 1U);
  EXPECT_EQ(unlucky->warnings[0].code, "not-joined");
  EXPECT_EQ(ask("SELECT reason, count FROM loss ORDER BY reason"), (std::vector<Row>{{"node-not-joined", 1672}, {"op-not-joined", 1673}}));
}

const std::string kNode = R"_({"id": 7, "name": "aten::cat", "ctrl_deps": 3, "inputs": {"values": [[[4, 5, 0, 8, 4, "cuda:0"], "<None>", [6, 7, 2, 8, 4, "cuda:0"]], 1, "inf"],
  "shapes": [[[8], [], [8]], [], []], "types": ["GenericList[Tensor(float),None,Tensor(float)]", "Int", "Double"], "strides": [[[1], [], [1]], [], []]},
  "outputs": {"values": [[8, 9, 0, 16, 4, "cuda:0"]], "shapes": [[16]], "types": ["Tensor(float)"], "strides": [[1]]},
  "attrs": [{"name": "rf_id", "type": "uint64", "value": 5}, {"name": "fw_parent", "type": "uint64", "value": 0}, {"name": "seq_id", "type": "int64", "value": -1}, {"name": "scope", "type": "uint64", "value": 0},
  {"name": "tid", "type": "uint64", "value": 1}, {"name": "fw_tid", "type": "uint64", "value": 0}, {"name": "op_schema", "type": "string", "value": "aten::cat(Tensor[] tensors) -> Tensor"},
  {"name": "kernel_backend", "type": "string", "value": "triton"}, {"name": "kernel_file", "type": "string", "value": "abc.py"}, {"name": "collective_name", "type": "string", "value": "allreduce"},
  {"name": "in_msg_nelems", "type": "uint64", "value": 16}, {"name": "pg_name", "type": "string", "value": "0"}, {"name": "pg_size", "type": "uint64", "value": 2}, {"name": "new_key", "type": "string", "value": "x"}]})_";

std::string trace_of(const std::string& nodes, const std::string& schema = "1.1.1-chakra.0.0.4") { return R"({"schema": ")" + schema + R"(", "pid": 11, "time": "now", "start_ts": 5, "nodes": [)" + nodes + "]}"; }

TEST_F(ExecutionTrace, ANodeBecomesRows) {
  const auto imported = import_text(trace_of(kNode + R"(, {"id": 3, "name": "step", "ctrl_deps": 1, "attrs": [{"name": "rf_id", "value": 2}, {"name": "scope", "value": 7}, {"name": "tid", "value": 1}]},
    {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "attrs": [{"name": "rf_id", "value": 0}, {"name": "tid", "value": 0}]})"));
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->format, "et");
  using db::Null;
  EXPECT_EQ(ask("SELECT number, kind, name, parent, record, scope, backend, kernel_file FROM nodes"),
            (std::vector<Row>{{7, "communication", "aten::cat", 3, 5, 0, "triton", "abc.py"}, {3, "host", "step", 1, 2, 7, Null{}, Null{}}, {1, "root", "[pytorch|profiler|execution_trace|process]", Null{}, Null{}, Null{}, Null{}, Null{}}}));
  EXPECT_EQ(ask("SELECT side, place, item, tensor, storage, offset, elements, item_bytes, device, dims FROM op_tensors ORDER BY side, place, item"),
            (std::vector<Row>{{"input", 0, 0, 4, 5, 0, 8, 4, "cuda:0", "[[8],[],[8]]"}, {"input", 0, 2, 6, 7, 2, 8, 4, "cuda:0", "[[8],[],[8]]"}, {"output", 0, 0, 8, 9, 0, 16, 4, "cuda:0", "[16]"}}));
  EXPECT_EQ(ask("SELECT place, type, value FROM op_inputs"), (std::vector<Row>{{0, "GenericList[Tensor(float),None,Tensor(float)]", Null{}}, {1, "Int", "1"}, {2, "Double", "inf"}}));
  EXPECT_EQ(ask("SELECT r.kind, p.value, r.start_ns FROM range r LEFT JOIN range q ON q.id = r.parent LEFT JOIN string p ON p.id = q.name"), (std::vector<Row>{{"op", "step", Null{}}, {"annotation", Null{}, Null{}}}));
  EXPECT_EQ(ask("SELECT name, elements_in, group_name, group_size FROM collectives"), (std::vector<Row>{{"allreduce", 16, "0", 2}}));
  EXPECT_EQ(ask("SELECT s.value FROM node n JOIN string s ON s.id = n.extra"), (std::vector<Row>{{R"({"new_key":"x"})"}}));
  EXPECT_EQ(imported->warnings.size(), 1U);
  EXPECT_EQ(imported->warnings[0].code, "no-times");
}

TEST_F(ExecutionTrace, WhatIsBrokenIsCountedAndTheRestRead) {
  const std::string text = trace_of(kNode + ", 5, {\"name\": \"no id\"}, {\"id\": 8, \"name\": bare}, " + R"_({"id": 9, "name": "x", "inputs": [[1, 2]], "input_types": ["Tensor(float)"]})_", "9.9");
  const auto imported = import_text(text);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(rows_of(*imported, "node"), 2);
  EXPECT_EQ(ask("SELECT reason, count FROM loss"), (std::vector<Row>{{"broken-node", 3}, {"tensor-not-understood", 1}}));
  EXPECT_EQ(imported->warnings[0].code, "schema-not-known");
  for (std::size_t at = text.find("nodes") + 9; at < text.size(); at += 7) {
    const auto cut = import_text(text.substr(0, at));
    ASSERT_TRUE(cut) << at << cut.error().message;
    EXPECT_FALSE(cut->loss.empty()) << at;
  }
}

TEST_F(ExecutionTrace, PairsInAFolderAreOfOneProcess) {
  std::filesystem::create_directories(folder_ / "job");
  const auto put = [&](const char* name, const std::string& text) { ASSERT_TRUE(write_file(folder_ / "job" / name, text)); };
  put("rank0.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::cat", "pid": 11, "tid": 1, "ts": 1, "dur": 2}]})");
  put("rank1.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::cat", "pid": 111, "tid": 1, "ts": 1, "dur": 2}]})");
  put("nodes0.json", trace_of(kNode));
  put("communicators.json", R"({"groups": [0, 1]})");
  const auto sources = sources_in(folder_ / "job");
  ASSERT_TRUE(sources) << sources.error().message;
  ASSERT_EQ(sources->size(), 2U) << "the file of communicators is no trace";
  EXPECT_EQ((*sources)[0].execution_trace, folder_ / "job/nodes0.json");
  EXPECT_EQ((*sources)[1].execution_trace, "") << "111 is not 11";
  put("nodes0_again.json", trace_of(kNode));
  const auto unclear = sources_in(folder_ / "job");
  ASSERT_TRUE(unclear);
  EXPECT_EQ(unclear->size(), 4U) << "either could be meant: none is joined";
  for (const Source& one : *unclear) EXPECT_EQ(one.execution_trace, "");
}

TEST_F(ExecutionTrace, OthersAreRefused) {
  ASSERT_TRUE(write_file(folder_ / "et.json", trace_of(kNode)));
  ASSERT_TRUE(write_file(folder_ / "kineto.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::cat", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})"));
  EXPECT_NE(join(folder_ / "et.json", folder_ / "et.json").error().message.find("--et wants"), std::string::npos);
  EXPECT_NE(join(folder_ / "kineto.json", folder_ / "kineto.json").error().message.find("no execution trace"), std::string::npos);
  EXPECT_EQ(join(folder_ / "kineto.json", folder_ / "absent.json").error().code, Error::Code::NotFound);
  EXPECT_FALSE(fs::exists(output()));
}

TEST(PythonLiteral, IsJson) {
  EXPECT_EQ(python_literal(R"([[4, 5, -1, 'cuda:0'], ('a\'b', "c"), None, True, 1.5, inf, []])")->dump(), R"([[4,5,-1,"cuda:0"],["a'b","c"],null,true,1.5,"inf",[]])");
  for (const char* text : {"", "[1", "[1 2]", "'open", "[1],", "word", "[,]"}) EXPECT_FALSE(python_literal(text)) << text;
  EXPECT_FALSE(python_literal(std::string(100000, '[')));
}

}  // namespace
}  // namespace seam::collector::test
