// seam study from outside.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "support/schema.h"

namespace seam::cli::test {
namespace {

using Json = nlohmann::json;

TEST(StudyCommand, FindsTheBundledLayer) {
  const Ran text = seam({"study", "bert-layer"});
  ASSERT_EQ(text.exit, 0) << text.err;
  EXPECT_NE(text.out.find("\npaper46                       46  1,216.4       1,216.4        11.0 %        11.0 %     15.2 %        15.2 %"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("32 launches: 11 forward, 21 backward."), std::string::npos);
  EXPECT_NE(text.out.find("22.91 %"), std::string::npos);
  const Ran markdown = seam({"study", "bert-layer", "--format", "md"});
  EXPECT_NE(markdown.out.find("| paper46 |"), std::string::npos) << markdown.out;
  EXPECT_EQ(seam({"study", "bert-layer"}).out, text.out) << "same input, same bytes";
}

TEST(StudyCommand, TakesOtherSizesAndDevices) {
  const Ran ran = seam({"study", "bert-layer", "--batch", "96", "--seq", "128", "--device", "v100", "--format", "json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const Json json = Json::parse(ran.out);
  EXPECT_EQ(seam::test::schema_problems(json, "seam.study.schema.json"), std::vector<std::string>());
  EXPECT_EQ(json["batch"], 96);
  EXPECT_EQ(json["sequence"], 128);
  EXPECT_EQ(json["device"], "v100");
  EXPECT_EQ(json["published_headline_percent"], nullptr);
}

TEST(StudyCommand, RefusesNonsense) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"bert-layer", "--batch", "0"}, {"bert-layer", "--batch", "-1"}, {"bert-layer", "--seq", "1"}, {"bert-layer", "--seq", "99999999999999999999"},
                                               {"bert-layer", "--batch", "16777216", "--seq", "16777216"}, {"bert-layer", "--device", "gtx9000"}, {"resnet"}, {}}) {
    std::vector<std::string> all = {"study"};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = seam(all);
    EXPECT_EQ(ran.exit, 2) << (more.empty() ? "" : more.back());
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err, "");
  }
  EXPECT_NE(seam({"study", "resnet"}).err.find("there is no study 'resnet'; there are bert-layer and layouts"), std::string::npos);
}

}  // namespace
}  // namespace seam::cli::test
