// seam analyze --movement from outside: the paper's figures, and what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

const std::string kLayer = SEAM_SOURCE "/examples/bert_paper.graph";

TEST(AnalyzeMovement, GivesThePapersWordsAtEachGranularity) {
  for (const auto& [granularity, millions, operators] : {std::tuple{"plain", 1451.3, 50U}, {"scale-split", 1384.1, 49U}, {"softmax-dropout-split", 1317.0, 48U}, {"paper46", 1216.4, 46U}}) {
    const Ran ran = seam({"analyze", kLayer, "--movement", "--granularity", granularity, "--format", "json"});
    ASSERT_EQ(ran.exit, 0) << ran.err;
    const Json json = Json::parse(ran.out);
    EXPECT_EQ(seam::test::schema_problems(json, "seam.analyze.schema.json"), std::vector<std::string>());
    const Json& movement = json["movement"];
    EXPECT_EQ(movement["granularity"], granularity);
    EXPECT_EQ(movement["saved_tensors"], "as-written");
    EXPECT_EQ(movement["operators"].size(), operators);
    EXPECT_NEAR((movement["words_in"].get<double>() + movement["words_out"].get<double>()) / 1e6, millions, 0.05);
    EXPECT_TRUE(movement["operators"][0]["mue"]["b_over_peak"].is_null());
  }
}

TEST(AnalyzeMovement, SaysTheSameInTextAndMarkdown) {
  const Ran text = seam({"analyze", kLayer, "--movement"});
  ASSERT_EQ(text.exit, 0) << text.err;
  EXPECT_NE(text.out.find("all 46 operators"), std::string::npos);
  EXPECT_NE(text.out.find("contraction                       18      327.2  163.6    40.3 %"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("26 more operators"), std::string::npos);
  EXPECT_EQ(seam({"analyze", kLayer, "--movement", "-v"}).out.find("more operators"), std::string::npos);
  const Ran markdown = seam({"analyze", kLayer, "--movement", "--format", "md"});
  EXPECT_NE(markdown.out.find("| all 46 operators |"), std::string::npos) << markdown.out;
}

TEST(AnalyzeMovement, RefusesWhatItDoesNotKnow) {
  const Ran unknown = seam({"analyze", kLayer, "--movement", "--granularity", "foo"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_NE(unknown.err.find("there is no granularity 'foo'; there are plain, scale-split, softmax-dropout-split, paper46"), std::string::npos) << unknown.err;
  EXPECT_EQ(seam({"analyze", kLayer, "--granularity", "plain"}).exit, 2) << "says nothing without --movement";
}

}  // namespace
}  // namespace seam::cli::test
