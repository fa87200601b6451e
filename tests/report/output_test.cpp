/// The folder that optimize leaves: all files, JSON by its schemas, equal bytes for equal inputs, a certificate that notices changes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "codegen/inputs.h"
#include "db/database.h"
#include "modules.h"
#include "report/launch.h"
#include "report/optimize_json.h"
#include "report/output_dir.h"
#include "report/run_file.h"
#include "report/validate_json.h"
#include "support/schema.h"

namespace seam::report {
namespace {

using Json = nlohmann::json;

/// One run for all tests of this file.
class Output : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared() = new Optimized(test::optimized(test::kSoftmax, true));
    folder() = std::filesystem::temp_directory_path() / "seam_report_output_test";
    std::filesystem::remove_all(folder());
    if (shared()->plan) {
      const auto written = write_output(*shared(), folder());
      ASSERT_TRUE(written) << written.error().message;
    }
  }
  static void TearDownTestSuite() {
    delete shared();
    std::filesystem::remove_all(folder());
  }
  void SetUp() override { ASSERT_NE(shared()->plan, nullptr); }

  static Optimized*& shared() {
    static Optimized* value = nullptr;
    return value;
  }
  static std::filesystem::path& folder() {
    static std::filesystem::path value;
    return value;
  }
  static bool compiled() { return !shared()->compiler.empty(); }
  static void valid(const std::string& text, const std::string& schema) {
    for (const std::string& problem : seam::test::schema_problems(Json::parse(text), schema)) ADD_FAILURE() << schema << ": " << problem;
  }
};

TEST_F(Output, HasAllFiles) {
  for (const char* name : {"module.graph", "plan.plan", "report.html", "report.json", "run.seam", "certificate.json"}) EXPECT_TRUE(std::filesystem::exists(folder() / name)) << name;
  int kernels = 0;
  for_each_kernel(*shared(), [&](const KernelView& kernel) {
    ++kernels;
    for (const char* ending : {".cu", ".kernel", ".json"}) EXPECT_TRUE(std::filesystem::exists(folder() / "kernels" / (kernel.built.source.name + ending)));
    if (!compiled()) return;
    for (const char* ending : {".ptx", ".repro.cpp"}) EXPECT_TRUE(std::filesystem::exists(folder() / "kernels" / (kernel.built.source.name + ending)));
  });
  EXPECT_GE(kernels, 2);
}

TEST_F(Output, JsonFollowsItsSchemas) {
  valid(*read_file(folder() / "report.json"), "seam.optimize.schema.json");
  valid(validate_json(shared()->verdicts, shared()->run.check), "seam.validate.schema.json");
  valid(*read_file(folder() / "certificate.json"), "seam.certificate.schema.json");
  for_each_kernel(*shared(), [&](const KernelView& kernel) { valid(*read_file(folder() / "kernels" / (kernel.built.source.name + ".json")), "seam.kernel.schema.json"); });
}

/// What a certificate says of inputs is what each kernel ran on, the extra sets of a softmax among them.
TEST_F(Output, CertificateNamesTheInputSetsThatRan) {
  if (!compiled()) GTEST_SKIP() << "no NVRTC: nothing was proven";
  const Json certificate = Json::parse(*read_file(folder() / "certificate.json"));
  std::set<int> named, ran;
  for (const Json& set : certificate["method"]["input_sets"]) named.insert(set["set"].get<int>());
  ASSERT_EQ(certificate["kernels"].size(), shared()->verdicts.size());
  for (std::size_t i = 0; i < shared()->verdicts.size(); ++i) {
    const std::vector<int>& sets = shared()->verdicts[i].sets;
    EXPECT_EQ(certificate["kernels"][i]["input_sets"].get<std::vector<int>>(), sets);
    ran.insert(sets.begin(), sets.end());
  }
  EXPECT_EQ(named, ran);
  EXPECT_TRUE(named.contains(codegen::extra_set(codegen::Distribution::Large)));
}

TEST_F(Output, SameInputSameBytes) {
  const Optimized again = test::optimized(test::kSoftmax, true);
  ASSERT_NE(again.plan, nullptr);
  const Files a = output_files(*shared());
  const Files b = output_files(again);
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, bytes] : a) EXPECT_EQ(bytes, b.at(name)) << name;
  const std::filesystem::path other = folder() / "other.seam";
  ASSERT_TRUE(write_run_file(again, other));
  EXPECT_EQ(*read_file(other), *read_file(folder() / "run.seam"));
  std::filesystem::remove(other);
}

TEST_F(Output, RunFileHoldsTheProgramInOrder) {
  const auto database = db::Database::open(folder() / "run.seam");
  ASSERT_TRUE(database) << database.error().message;
  const auto totals = database->query("SELECT kind, count FROM totals ORDER BY kind");
  ASSERT_TRUE(totals);
  const planner::Totals& expected = shared()->plan->totals;
  for (const auto& row : totals->rows) {
    const auto& kind = std::get<std::string>(row[0]);
    const std::int64_t count = std::get<std::int64_t>(row[1]);
    EXPECT_EQ(count, kind == "kernel" ? expected.kernels : kind == "library" ? expected.library_calls : expected.copies) << kind;
  }
  const auto bytes = database->query("SELECT sum(bytes_read), sum(bytes_written) FROM program WHERE kind = 'kernel'");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(std::get<std::int64_t>(bytes->rows[0][0]), expected.bytes_read);
  EXPECT_EQ(std::get<std::int64_t>(bytes->rows[0][1]), expected.bytes_written);
  const auto library = database->query("SELECT bytes_read, bytes_evidence FROM launches WHERE kind = 'library'");
  ASSERT_TRUE(library);
  ASSERT_EQ(library->rows.size(), 1U);
  EXPECT_EQ(std::get<std::int64_t>(library->rows[0][0]), 4 * (32 * 48 + 48 * 64));
  EXPECT_EQ(std::get<std::string>(library->rows[0][1]), "modelled");
  // One after another on one stream; that and when they ran is modelled.
  const auto timed = database->query("SELECT count(*), count(DISTINCT evidence), min(evidence) FROM launches");
  ASSERT_TRUE(timed);
  EXPECT_EQ(std::get<std::int64_t>(timed->rows[0][1]), 1);
  EXPECT_EQ(std::get<std::string>(timed->rows[0][2]), "modelled");
  const auto apart = database->query("SELECT min(gap), max(gap), min(end_ns - start_ns) FROM (SELECT start_ns, end_ns, start_ns - lag(end_ns) OVER (ORDER BY sequence) AS gap FROM launch)");
  ASSERT_TRUE(apart);
  EXPECT_GE(std::get<std::int64_t>(apart->rows[0][0]), 3999);
  EXPECT_LE(std::get<std::int64_t>(apart->rows[0][1]), 4001);
  EXPECT_GT(std::get<std::int64_t>(apart->rows[0][2]), 0);
}

TEST_F(Output, CertificateHoldsAndNoticesChanges) {
  const std::filesystem::path certificate = folder() / "certificate.json";
  auto problems = check_certificate(certificate);
  ASSERT_TRUE(problems);
  if (compiled()) {
    EXPECT_EQ(*problems, std::vector<std::string>{});
  }
  const std::size_t before = problems->size();
  const std::string name = shared()->verdicts.front().kernel;
  const std::filesystem::path cu = folder() / "kernels" / (name + ".cu");
  const std::string text = *read_file(cu);
  ASSERT_TRUE(write_file(cu, text + "\n// changed"));
  ASSERT_TRUE(write_file(folder() / "kernels" / "stranger.ptx", "x"));
  problems = check_certificate(certificate);
  ASSERT_TRUE(problems);
  EXPECT_EQ(problems->size(), before + 2);
  EXPECT_NE(std::ranges::find(*problems, "kernels/" + name + ".cu: its bytes are not those that were proven"), problems->end());
  EXPECT_NE(std::ranges::find(*problems, "kernels/stranger.ptx: the certificate does not speak of it"), problems->end());
  std::filesystem::remove(cu);
  problems = check_certificate(certificate);
  EXPECT_NE(std::ranges::find(*problems, "kernels/" + name + ".cu: is missing"), problems->end());
  ASSERT_TRUE(write_file(cu, text));
  std::filesystem::remove(folder() / "kernels" / "stranger.ptx");
}

TEST_F(Output, CertificateThatPraisesAFailedKernelIsRefused) {
  Json json = Json::parse(*read_file(folder() / "certificate.json"));
  json["kernels"][0]["verdict"] = "passed";
  json["kernels"][0]["tiers"]["sim"] = "failed";
  const std::filesystem::path forged = folder() / "forged.json";
  ASSERT_TRUE(write_file(forged, json.dump()));
  const auto problems = check_certificate(forged);
  ASSERT_TRUE(problems);
  EXPECT_TRUE(std::ranges::any_of(*problems, [](const std::string& p) { return p.find("a tier did not") != std::string::npos; }));
  json["module"]["file"] = "../../etc/passwd";
  ASSERT_TRUE(write_file(forged, json.dump()));
  EXPECT_TRUE(std::ranges::any_of(*check_certificate(forged), [](const std::string& p) { return p.find("leads out") != std::string::npos; }));
  for (const char* text : {"", "{}", "[1]", "{\"schema\":\"seam.plan/1\"}"}) {
    ASSERT_TRUE(write_file(forged, text));
    EXPECT_FALSE(check_certificate(forged)) << text;
  }
  std::filesystem::remove(forged);
}

TEST_F(Output, OldKernelsOfTheFolderGo) {
  ASSERT_TRUE(write_file(folder() / "kernels" / "k99_old.cu", "x"));
  ASSERT_TRUE(write_file(folder() / "kernels" / "notes.txt", "mine"));
  ASSERT_TRUE(write_output(*shared(), folder()));
  EXPECT_FALSE(std::filesystem::exists(folder() / "kernels" / "k99_old.cu"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "kernels" / "notes.txt")) << "only what an earlier run wrote is removed";
  std::filesystem::remove(folder() / "kernels" / "notes.txt");
}

TEST_F(Output, ReplacementSetTakesOnlyProvenKernels) {
  if (!compiled()) GTEST_SKIP() << "no NVRTC: nothing is proven, so nothing can be exported";
  const auto set = replacement_set(*shared());
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->kernels.size(), shared()->verdicts.size());
  const std::string text = print_replacement(*set);
  valid(text, "seam.replacement.schema.json");
  EXPECT_EQ(parse_replacement(text, "x").value(), *set);
  auto saved = shared()->verdicts[0].sim;
  shared()->verdicts[0].sim.outcome = codegen::Outcome::Failed;
  const auto refused = replacement_set(*shared());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(shared()->verdicts[0].kernel), std::string::npos);
  shared()->verdicts[0].sim = saved;
}

TEST_F(Output, PageRefersToNothingOutside) {
  const std::string html = *read_file(folder() / "report.html");
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("}) EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  for (const codegen::Verdict& v : shared()->verdicts) EXPECT_NE(html.find("id=\"k-" + v.kernel + "\""), std::string::npos) << v.kernel;
  EXPECT_NE(html.find("No speed is claimed"), std::string::npos);
}

/// A rate or a momentum below 0 would make every root of a second moment NaN, and a program of NaN proves nothing.
TEST(Optimize, ScalarsOfAProgramArePositive) {
  std::string text = "ENTRY main {\n v = f32[64] parameter(0)\n q = f32[64] multiply(v, v)\n";
  std::string root;
  for (int k = 1; k <= 6; ++k) {
    text += fmt::format(" b{0} = f32[] parameter({0})\n w{0} = f32[64] broadcast(b{0}), dimensions={{}}\n m{0} = f32[64] multiply(q, w{0})\n r{0} = f32[64] sqrt(m{0})\n", k);
    root += fmt::format("{}r{}", k > 1 ? ", " : "", k);
  }
  text += " ROOT out = (f32[64], f32[64], f32[64], f32[64], f32[64], f32[64]) tuple(" + root + ")\n}\n";
  const Optimized result = test::optimized(text, true);
  if (result.compiler.empty()) GTEST_SKIP() << "no NVRTC: nothing was run";
  ASSERT_EQ(result.run.check.outcome, codegen::Outcome::Passed) << result.run.check.reason;
  for (const codegen::OutputCheck& output : result.run.check.outputs) EXPECT_GT(output.tolerance, 0) << "output " << output.index << " is NaN everywhere";
}

TEST(Optimize, WithoutProofsNothingPasses) {
  const Optimized result = test::optimized(test::kSoftmax, false);
  ASSERT_NE(result.plan, nullptr);
  EXPECT_EQ(count(result.verdicts).passed, 0U);
  EXPECT_EQ(overall(result.verdicts, result.run.check), codegen::Outcome::Inconclusive);
  EXPECT_FALSE(replacement_set(result));
}

TEST(Optimize, WithoutACompilerThereIsStillAPlanAndText) {
  OptimizeRequest request = test::request(test::kSoftmax, true);
  request.find_compiler = []() -> Result<std::shared_ptr<const codegen::Compiler>> { return fail(Error::Code::Environment, "NVRTC was not found; scripts/setup fetches it"); };
  const auto result = optimize(request);
  ASSERT_TRUE(result);
  const Files files = output_files(*result);
  for (const codegen::Verdict& v : result->verdicts) {
    EXPECT_EQ(v.outcome(), codegen::Outcome::Inconclusive);
    EXPECT_EQ(v.ir.outcome, codegen::Outcome::Passed) << "tier 1 needs no compiler";
    EXPECT_NE(v.sim.detail.find("scripts/setup"), std::string::npos);
    EXPECT_TRUE(files.contains("kernels/" + v.kernel + ".cu"));
    EXPECT_FALSE(files.contains("kernels/" + v.kernel + ".ptx"));
  }
  EXPECT_NE(files.at("report.html").find("scripts/setup"), std::string::npos);
  EXPECT_FALSE(replacement_set(*result));
  for (const std::string& problem : seam::test::schema_problems(Json::parse(optimize_json(*result)), "seam.optimize.schema.json")) ADD_FAILURE() << problem;
}

/// A compiler that always refuses: what is then said of its kernel.
struct Refusing final : codegen::Compiler {
  Result<std::string> compile(std::string_view, std::string_view, int, int) const override { return fail(Error::Code::BadInput, "line 3: no such function"); }
  std::string version() const override { return "refusing compiler 1"; }
};

TEST(Optimize, AKernelThatDoesNotCompileFails) {
  OptimizeRequest request = test::request(test::kSoftmax, true);
  request.find_compiler = []() -> Result<std::shared_ptr<const codegen::Compiler>> { return std::make_shared<const Refusing>(); };
  const auto result = optimize(request);
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->verdicts.empty());
  for (const codegen::Verdict& v : result->verdicts) {
    EXPECT_EQ(v.outcome(), codegen::Outcome::Failed);
    EXPECT_NE(v.sim.detail.find("no such function"), std::string::npos);
  }
  EXPECT_EQ(overall(result->verdicts, result->run.check), codegen::Outcome::Failed);
}

TEST(Optimize, SaysWhereAModuleIsWrong) {
  const auto result = optimize(test::request("HloModule x\nENTRY main {\n  ROOT a = f32[2] frobnicate()\n}\n", false));
  ASSERT_FALSE(result);
  ASSERT_TRUE(result.error().at.has_value());
  EXPECT_EQ(result.error().at->line, 3);
}

TEST(Optimize, StopsWhenAsked) {
  Observer observer;
  observer.cancelled = [] { return true; };
  const auto result = optimize(test::request(test::kSoftmax, true), observer);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->cancelled);
  EXPECT_EQ(count(result->verdicts).passed, 0U);
  EXPECT_EQ(Json::parse(optimize_json(*result))["complete"], false);
}

}  // namespace
}  // namespace seam::report
