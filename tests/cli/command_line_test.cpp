#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("seam_cli_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    has_compiler_ = seam({"doctor", "--format", "json"}).out.find("\"NVRTC\",\n      \"works\": true") != std::string::npos;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static Json valid(const Ran& ran, const std::string& schema) {
    const Json json = Json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << schema << ": not JSON: " << ran.out.substr(0, 300) << ran.err;
    if (json.is_discarded()) return {};
    for (const std::string& problem : seam::test::schema_problems(json, schema)) ADD_FAILURE() << schema << ": " << problem;
    return json;
  }

  std::filesystem::path folder_;
  bool has_compiler_ = false;
};

TEST_F(CommandLine, OptimizeLeavesProvenKernels) {
  const std::string out = (folder_ / "o").string();
  const Ran ran = seam({"optimize", module("lr.step.hlo"), "-o", out, "--format", "json", "--threads", "2"});
  const Json json = valid(ran, "seam.optimize.schema.json");
  EXPECT_EQ(ran.err, "") << "no progress where there is no terminal";
  EXPECT_TRUE(std::filesystem::exists(folder_ / "o" / "report.html"));
  EXPECT_LT(json["plan"]["totals"]["kernels"], 9) << "fewer than XLA's rules of 2018";
  EXPECT_EQ(json["plan"]["totals"]["library_calls"], 2);
  if (!has_compiler_) {
    EXPECT_EQ(ran.exit, 4);
    GTEST_SKIP() << "no NVRTC: nothing could be proven";
  }
  EXPECT_EQ(ran.exit, 0) << ran.out;
  EXPECT_EQ(json["validate"]["verdict"], "passed");
  EXPECT_EQ(json["validate"]["program"]["verdict"], "passed") << "lr.step is small enough to be run whole";
  const Ran held = seam({"validate", "--certificate", out + "/certificate.json"});
  EXPECT_EQ(held.exit, 0) << held.out << held.err;
  std::ofstream(folder_ / "o" / "plan.plan", std::ios::app) << "#";
  EXPECT_EQ(seam({"validate", "--certificate", out + "/certificate.json"}).exit, 1);
}

TEST_F(CommandLine, OptimizeSaysTheSameInTextAndMarkdown) {
  const Ran text = seam({"optimize", module("lr.step.hlo"), "--no-prove"});
  EXPECT_EQ(text.exit, 4) << "nothing was proven";
  EXPECT_NE(text.out.find("library calls stay"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("No speed is claimed"), std::string::npos);
  EXPECT_EQ(text.out.find("registers a thread"), std::string::npos) << "nobody asked for them";
  if (has_compiler_ && seam({"doctor", "--format", "json"}).out.find("\"nvJitLink\",\n      \"works\": true") != std::string::npos) {
    const Ran registers = seam({"optimize", module("lr.step.hlo"), "--no-prove", "--registers"});
    EXPECT_NE(registers.out.find("registers a thread"), std::string::npos) << registers.out;
  }
  const Ran markdown = seam({"optimize", module("lr.step.hlo"), "--no-prove", "--allow-inconclusive", "--format", "md"});
  EXPECT_EQ(markdown.exit, 0);
  EXPECT_NE(markdown.out.find("| stitch |"), std::string::npos) << markdown.out;
}

TEST_F(CommandLine, DamagedModulesSayWhere) {
  const Ran ran = seam({"optimize", file("bad.hlo", "HloModule bad\n\nENTRY main {\n  a = f32[4]{0} parameter(0)\n  ROOT b = f32[5]{0} add(a, a)\n}\n"), "-o", (folder_ / "o").string()});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("bad.hlo:5:"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o"));
  EXPECT_EQ(seam({"optimize", file("empty.hlo", "")}).exit, 2);
  EXPECT_EQ(seam({"optimize", file("binary.hlo", std::string("\0\1\2\377", 4))}).exit, 2);
  const std::string whole = *read_file(module("lr.step.hlo"));
  for (const std::size_t part : {3U, 5U, 8U}) {
    const Ran cut = seam({"optimize", file("cut.hlo", whole.substr(0, whole.size() * part / 9)), "--no-prove"});
    EXPECT_EQ(cut.exit, 2) << cut.err;
    EXPECT_NE(cut.err.find("cut.hlo"), std::string::npos) << cut.err;
  }
}

TEST_F(CommandLine, BadUseIsExitCode2) {
  EXPECT_EQ(seam({}).exit, 2);
  const Ran unknown = seam({"frobnicate"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("there is no command 'frobnicate'"), std::string::npos) << unknown.err;
  const Ran forgotten = seam({module("lr.step.hlo")});
  EXPECT_EQ(forgotten.exit, 2);
  EXPECT_NE(forgotten.err.find("seam optimize"), std::string::npos) << "a file alone: says how to use it: " << forgotten.err;
  const Ran promised = seam({"gate", "x.seam"});
  EXPECT_EQ(promised.exit, 2);
  EXPECT_NE(promised.err.find("not built yet"), std::string::npos) << promised.err;
  EXPECT_EQ(seam({"optimize"}).exit, 2);
  EXPECT_EQ(seam({"optimize", "/nonexistent/x.hlo"}).exit, 2);
  const Ran device = seam({"optimize", module("lr.step.hlo"), "--device", "gtx9000"});
  EXPECT_EQ(device.exit, 2);
  EXPECT_NE(device.err.find("h100"), std::string::npos) << "names the devices that exist: " << device.err;
  EXPECT_EQ(seam({"optimize", module("lr.step.hlo"), "--policy", "magic"}).exit, 2);
  EXPECT_EQ(seam({"optimize", module("lr.step.hlo"), "-o", "/proc/nope"}).exit, 2);
  EXPECT_EQ(seam({"--help"}).exit, 0);
  EXPECT_EQ(seam({"--version"}).exit, 0);
  EXPECT_EQ(seam({"optimize", "--help"}).exit, 0);
}

/// An op on a type that HLO does not define it for is nobody's kernel, and no fault of ours.
TEST_F(CommandLine, OpsOnTypesTheyAreNotDefinedForAreNoFault) {
  const std::string file = (folder_ / "typed.hlo").string();
  for (const char* op : {"exponential", "floor", "sine"}) {
    ASSERT_TRUE(write_file(file, std::string("HloModule m\nENTRY e {\n  p = s32[40] parameter(0)\n  ROOT r = s32[40] ") + op + "(p)\n}\n"));
    const Ran ran = seam({"plan", file});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    const Ran proof = seam({"optimize", file, "--no-prove", "--allow-inconclusive"});
    EXPECT_EQ(proof.err.find("fault in Seam"), std::string::npos) << proof.err;
  }
}

/// What a plan was made for is in it; a flag that says otherwise must not be dropped.
TEST_F(CommandLine, FlagsThatContradictAPlanAreRefused) {
  const std::string plan = (folder_ / "v100.plan").string();
  ASSERT_EQ(seam({"plan", module("lr.step.hlo"), "--device", "v100", "-o", plan, "-q"}).exit, 0);
  const Ran taken = seam({"plan", module("lr.step.hlo"), "--plan", plan});
  EXPECT_EQ(taken.exit, 0) << taken.err;
  EXPECT_NE(taken.out.find("on v100"), std::string::npos) << taken.out;
  EXPECT_EQ(seam({"plan", module("lr.step.hlo"), "--plan", plan, "--device", "v100", "--policy", "stitch"}).exit, 0);
  for (const std::vector<std::string>& flag : {std::vector<std::string>{"--device", "h100"}, {"--policy", "none"}, {"--no-merges"}, {"--no-epilogues"}, {"--unroll"}}) {
    std::vector<std::string> words = {"plan", module("lr.step.hlo"), "--plan", plan};
    words.insert(words.end(), flag.begin(), flag.end());
    const Ran ran = seam(words);
    EXPECT_EQ(ran.exit, 2) << flag[0];
    EXPECT_NE(ran.err.find(flag[0] + ": plan " + plan + " was made"), std::string::npos) << ran.err;
  }
}

TEST_F(CommandLine, CtrlCLeavesValidFiles) {
  if (!has_compiler_) GTEST_SKIP() << "no NVRTC: nothing takes long enough to be interrupted";
  const std::string out = (folder_ / "o").string();
  const Ran ran = seam({"optimize", module("bert_layer.step.hlo"), "-o", out}, 1500);
  EXPECT_EQ(ran.exit, 130) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("Stopped early"), std::string::npos) << ran.out;
  const Json certificate = Json::parse(*read_file(folder_ / "o" / "certificate.json"));
  EXPECT_EQ(certificate["complete"], false);
  EXPECT_EQ(certificate["verdict"], "inconclusive");
  EXPECT_NE(read_file(folder_ / "o" / "report.html")->find("stopped early"), std::string::npos);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "o")) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(name.find(".part"), std::string::npos) << name;
    EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
  }
}

TEST_F(CommandLine, PlanStandsBesideARealCompilersModule) {
  const std::string real = std::string(SEAM_UNPACKED) + "/real/optimized/";
  const Ran ran = seam({"plan", "--compare", real + "lr.step.h100.library.hlo", module("lr.step.hlo"), "--compare", real + "{}.v100.library.hlo", "--format", "json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const Json json = valid(ran, "seam.plan.schema.json");
  ASSERT_EQ(json["compare"].size(), 2U);
  EXPECT_EQ(json["compare"][0]["name"], "h100.library");
  EXPECT_EQ(json["compare"][0]["kernels"], 7);
  EXPECT_EQ(json["compare"][0]["library_calls"], 2);
  EXPECT_EQ(json["compare"][0]["bytes"]["kernels"], 126252);
  EXPECT_EQ(json["compare"][1]["kernels"], 8);
  const Ran text = seam({"plan", module("lr.step.hlo"), "--compare", real + "lr.step.h100.library.hlo"});
  EXPECT_NE(text.out.find("\nh100.library        7       0                 7              2             9  unknown  unknown   126 kB        0 B          698 kB\n"), std::string::npos) << text.out;
  const Ran before = seam({"plan", module("lr.step.hlo"), "--compare", module("lr.step.hlo")});
  EXPECT_EQ(before.exit, 2);
  EXPECT_NE(before.err.find("lr.step.hlo: this module is not optimized"), std::string::npos) << before.err;
  EXPECT_EQ(seam({"optimize", module("lr.step.hlo"), "--compare", module("lr.step.hlo")}).exit, 2);
  EXPECT_EQ(seam({"plan", module("lr.step.hlo"), "--compare", "/nonexistent.hlo"}).exit, 2);
  EXPECT_EQ(seam({"plan", module("lr.step.hlo"), "--ptx", "x"}).exit, 2) << "not part of this version";
}

TEST_F(CommandLine, NonsenseValuesAreRefusedNotIgnored) {
  const std::string lr = module("lr.step.hlo");
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--shared-cap", "-1"}, {"--shared-cap", "99999999999999999999"}, {"--footprint-cap", "-5"}, {"--skip", "nopass"},
                                               {"--dump-after", "group,nopass"}, {"--stop-after", "nopass"}}) {
    for (const char* command : {"plan", "codegen"}) {
      std::vector<std::string> all = {command, lr};
      all.insert(all.end(), more.begin(), more.end());
      const Ran ran = seam(all);
      EXPECT_EQ(ran.exit, 2) << command << " " << more[0] << " " << more[1];
      EXPECT_EQ(ran.out, "") << command << " " << more[0];
      EXPECT_NE(ran.err, "");
    }
  }
  EXPECT_EQ(seam({"validate", lr, "--expect", folder_.string()}).exit, 2) << "nothing would be compared with it";
  EXPECT_NE(seam({"plan", lr, "--skip", "nopass"}).err.find("own-state"), std::string::npos) << "names those that exist";
}

TEST_F(CommandLine, JsonIsTheOnlyThingPrintedBesideIt) {
  const std::string lr = module("lr.step.hlo");
  EXPECT_EQ(seam({"plan", lr, "--quiet"}).out, seam({"plan", lr}).out) << "quiet leaves out progress, not the result";
  const Json explained = valid(seam({"plan", lr, "--format", "json", "--explain"}), "seam.plan.schema.json");
  EXPECT_TRUE(explained.contains("explanation"));
  const Ran dumped = seam({"plan", lr, "--format", "json", "--dump-after", "all", "--time-passes"});
  valid(dumped, "seam.plan.schema.json");
  EXPECT_NE(dumped.err.find("// after group"), std::string::npos);
  EXPECT_FALSE(Json::parse(seam({"codegen", lr, "--format", "json", "--dump-after", "all"}).out, nullptr, false).is_discarded());
  EXPECT_EQ(seam({"plan", lr, "--format", "json", "--dot"}).exit, 2);
}

TEST_F(CommandLine, OutputThatDoesNotArriveIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  const std::string full = "sh -c '\"$0\" plan \"$1\" >/dev/full' '" + std::string(SEAM_PROGRAM) + "' '" + module("lr.step.hlo") + "' 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(full.c_str())), 2);
  // More than a buffer holds: it fails while it prints, not at the end.
  const std::string said = (folder_ / "said").string();
  const std::string much = "sh -c '\"$0\" plan --text \"$1\" >/dev/full 2>\"$2\"' '" + std::string(SEAM_PROGRAM) + "' '" + module("bert_layer.step.hlo") + "' '" + said + "'";
  EXPECT_EQ(WEXITSTATUS(std::system(much.c_str())), 2);
  EXPECT_NE(read_file(said)->find("cannot write to standard output"), std::string::npos) << *read_file(said);
}

TEST_F(CommandLine, PlanOfSeveralModulesTakesOnlyWhatSpeaksOfAll) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--text"}, {"--dot"}, {"-o", "x.plan"}, {"--explain"}, {"--compare", "x.hlo"}, {"--compare", "/nonexistent/{}.hlo"}, {"/nonexistent.hlo"}}) {
    std::vector<std::string> all = {"plan", module("lr.step.hlo"), module("w2v.dense.hlo")};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = seam(all);
    EXPECT_EQ(ran.exit, 2) << more[0];
    EXPECT_EQ(ran.out, "") << more[0];
    EXPECT_NE(ran.err, "") << more[0];
  }
  const Ran both = seam({"plan", module("w2v.dense.hlo"), module("lr.step.hlo"), "--policy", "xla2018"});
  EXPECT_EQ(both.exit, 0) << both.err;
  EXPECT_LT(both.out.find("w2v.dense"), both.out.find("lr.step")) << "in the order given";
}

/// Names are the user's bytes: JSON stays JSON whatever they are.
TEST_F(CommandLine, NamesThatAreNoTextGiveJson) {
  std::string text = *read_file(module("lr.step.hlo"));
  int scopes = 0;
  for (std::size_t at = text.find("op_name=\""); at != std::string::npos; at = text.find("op_name=\"", at + 10)) text.insert(at + 9, "\xff\x9d"), ++scopes;
  ASSERT_GT(scopes, 0);
  const std::string odd = file("odd\xff.hlo", text);
  for (std::vector<std::string> command : {std::vector<std::string>{"import", odd}, {"analyze", odd}, {"analyze", odd, "--movement"}, {"plan", odd}, {"plan", odd, "--layouts", "chosen"}, {"codegen", odd, "-o", (folder_ / "k").string()}, {"export", odd}}) {
    const std::string what = command[0];
    command.insert(command.end(), {"--format", "json"});
    const Ran ran = seam(command);
    EXPECT_EQ(ran.err.find("fault"), std::string::npos) << what << ran.err;
    if (what != "codegen") {  // needs a compiler
      EXPECT_EQ(ran.exit, 0) << what << ran.err;
    }
    if (ran.exit != 2) {
      EXPECT_FALSE(Json::parse(ran.out, nullptr, false).is_discarded()) << what << ": " << ran.out.substr(0, 300);
    }
  }
}

TEST_F(CommandLine, EveryCommandsJsonFollowsItsSchema) {
  valid(seam({"plan", module("lr.step.hlo"), "--format", "json"}), "seam.plan.schema.json");
  valid(seam({"import", module("lr.step.hlo"), "--format", "json"}), "seam.import.schema.json");
  valid(seam({"analyze", module("lr.step.hlo"), "--format", "json"}), "seam.analyze.schema.json");
  valid(seam({"analyze", module("lr.step.hlo"), "--movement", "--format", "json"}), "seam.analyze.schema.json");
  valid(seam({"doctor", "--format", "json"}), "seam.doctor.schema.json");
  valid(seam({"passes", "--format", "json"}), "seam.passes.schema.json");
  if (has_compiler_) valid(seam({"validate", module("lr.step.hlo"), "--format", "json"}), "seam.validate.schema.json");
  const Ran codegen = seam({"codegen", module("lr.step.hlo"), "-o", (folder_ / "k").string(), "--format", "json"});
  if (codegen.exit != 2) valid(codegen, "seam.codegen.schema.json");
}

}  // namespace
}  // namespace seam::cli::test
