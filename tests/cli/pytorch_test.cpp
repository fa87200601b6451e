// Graphs and traces of PyTorch through the program: beside Inductor, and from a trace to proven kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

const std::string kUnpacked = SEAM_UNPACKED;
const std::string kRecorded = std::string(SEAM_TEST_DATA) + "/traces/recorded/";

std::vector<std::string> words(const std::string& command) {
  std::istringstream in(command);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<std::string> beside(const std::string& format) {
  std::vector<std::string> out = {"simulate"};
  for (const auto& entry : std::filesystem::directory_iterator(kUnpacked + "/inductor"))
    if (entry.path().extension() == ".json") out.push_back(entry.path().string());
  std::ranges::sort(out.begin() + 1, out.end());
  for (const std::string& word : {std::string("--beside"), kUnpacked + "/fx/{}.txt", std::string("--quiet"), std::string("--format"), format}) out.push_back(word);
  return out;
}

TEST(PyTorch, PlansLaunchAndMoveNoMoreThanInductor) {
  const Ran ran = seam(beside("json"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const Json all = Json::parse(ran.out);
  ASSERT_EQ(all["graphs"].size(), 14U);
  for (const std::string& problem : seam::test::schema_problems(all, "seam.graphs.schema.json")) ADD_FAILURE() << problem;
  double logs = 0;
  for (const Json& graph : all["graphs"]) {
    const Json &theirs = graph["totals"], &ours = graph["ours"];
    const double launches = (ours["kernels"].get<double>() + ours["copies"].get<double>()) / theirs["launches"].get<double>();
    EXPECT_LE(launches, 1) << graph["name"];
    logs += std::log(launches);
    const auto moved = [](const Json& totals) { return totals["bytes_read"].get<double>() + totals["bytes_written"].get<double>() + totals["library_bytes"].get<double>(); };
    EXPECT_LE(moved(ours) + ours["copy_bytes"].get<double>(), 1.02 * moved(theirs)) << graph["name"];
    EXPECT_LE(ours["library_calls"].get<int>(), theirs["library_calls"].get<int>()) << graph["name"];
  }
  EXPECT_LE(std::exp(logs / 14), 0.7);
}

TEST(PyTorch, ThePageShowsWhatTheProgramSays) {
  const std::filesystem::path page = std::filesystem::path(SEAM_SOURCE) / "docs" / "pytorch.md";
  const std::string text = *read_file(page);
  const std::string begin = "<!-- scripts/pytorch --format md -->\n", end = "<!-- end of table -->\n";
  const std::size_t from = text.find(begin), to = text.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos && from < to);
  const Ran ran = seam(beside("md"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const std::size_t second = ran.out.find("**Inductor and stitch");
  ASSERT_NE(second, std::string::npos);
  std::string table = ran.out.substr(second);
  while (table.ends_with("\n\n")) table.pop_back();
  if (std::getenv("SEAM_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(page, text.substr(0, from + begin.size()) + table + text.substr(to)));
    return;
  }
  EXPECT_EQ(text.substr(from + begin.size(), to - from - begin.size()), table) << "SEAM_UPDATE_GOLDEN=1 ctest -R cli writes it anew; review the difference";
}

/// A GRU with AdamW: the tanh of its cell is kept in shared memory where the step forward is, and written for the step back. `plan` verifies what
/// each pass leaves, `optimize` runs the whole. Its gates are computed in place, in slices of one product.
TEST(PyTorch, AValueKeptForItsRowsAndWrittenForLaterKernelsIsBoth) {
  const std::string file = kRecorded + "gru_adamw.et.json.gz";
  const Ran plan = seam(words("plan " + file + " --format json"));
  ASSERT_EQ(plan.exit, 0) << plan.err;
  EXPECT_EQ(Json::parse(plan.out)["totals"]["kernels"], 21);
  const Ran proof = seam(words("optimize " + file + " --quiet --format json"));
  ASSERT_EQ(proof.exit, 0) << proof.err;
  const Json result = Json::parse(proof.out), &program = result["validate"]["program"];
  EXPECT_FALSE(program["outputs"].empty());
  EXPECT_EQ(program["verdict"], "passed") << program;
  EXPECT_EQ(result["validate"]["verdict"], "passed");
}

/// A graph that does not hold all that ran is not called proven.
TEST(PyTorch, AGraphThatLeavesOutWritesIsNoProof) {
  const Ran proof = seam(words("optimize " + kRecorded + "odd_step.et.json.gz --quiet --format json"));
  ASSERT_EQ(proof.exit, 0) << proof.err;
  const Json result = Json::parse(proof.out), &program = result["validate"]["program"];
  EXPECT_EQ(program["verdict"], "inconclusive");
  EXPECT_NE(program["reason"].get<std::string>().find("1 tensor"), std::string::npos) << program["reason"];
  EXPECT_EQ(result["validate"]["verdict"], "inconclusive");
  EXPECT_EQ(result["warnings"][0]["code"], "cut-writes");
}

TEST(PyTorch, ATrainingStepOfAnExecutionTraceEndsInProvenKernels) {
  const Ran ran = seam(words("optimize " + kRecorded + "mlp_adam_foreach.et.json.gz --quiet --format json"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const Json result = Json::parse(ran.out);
  EXPECT_EQ(result["plan"]["totals"]["kernels"], 6);
  EXPECT_EQ(result["plan"]["totals"]["library_calls"], 8);
  EXPECT_EQ(result["validate"]["verdict"], "passed");
  EXPECT_EQ(result["validate"]["program"]["verdict"], "passed");
  EXPECT_NE(ran.err.find("operands known by recorded tensor ids"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("inferred"), std::string::npos) << ran.err;
  // The optimizer in a loop is the same program.
  const Ran loop = seam(words("plan " + kRecorded + "mlp_adam_forloop.et.json.gz --format json"));
  ASSERT_EQ(loop.exit, 0) << loop.err;
  EXPECT_EQ(Json::parse(loop.out)["totals"]["kernels"], 6);
  const double bytes = result["plan"]["totals"]["bytes_read"].get<double>();
  EXPECT_NEAR(Json::parse(loop.out)["totals"]["bytes_read"].get<double>(), bytes, bytes / 1000) << "but for scalars: steps are counted one by one or in a list";
}

TEST(PyTorch, InferredOperandsAreSaid) {
  const Ran ran = seam(words("plan " + kRecorded + "lstm_t28_train.pt.trace.json.gz --format json"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.err.find("operands inferred from shapes and order"), std::string::npos) << ran.err;
}

TEST(PyTorch, FlagsThatSayNothingAreRefused) {
  for (const auto& [command, message] : {std::pair<std::string, std::string>{"plan " + kUnpacked + "/fx/mlp_b64.fw.txt --step 0", "--step is for traces"},
                                         {"plan " + std::string(SEAM_TEST_DATA) + "/xla/lr.step.hlo --size s0=4", "--size and --graph are for graphs of PyTorch's compiler"},
                                         {"plan " + kUnpacked + "/fx/mlp_b64.dyn_fw.txt --size s17", "expected a name and a number"},
                                         {"plan " + kRecorded + "mlp_adam_forloop.et.json.gz --step 7", "2 marked steps"},
                                         {"import " + kUnpacked + "/fx/mlp_b64.torch_trace.log --graph nothing", "no graph is called 'nothing'"}}) {
    const Ran ran = seam(words(command));
    EXPECT_EQ(ran.exit, 2) << command;
    EXPECT_NE(ran.err.find(message), std::string::npos) << command << "\n" << ran.err;
  }
}

}  // namespace
}  // namespace seam::cli::test
