#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/document.h"
#include "report/render.h"

namespace seam::report {
namespace {

Table example() {
  return {"Policies",
          {{"policy", "policy", Unit::Text, {}}, {"kernels", "kernels", Unit::Count, {}}, {"bytes", "bytes", Unit::Bytes, Evidence::Modelled}},
          {{std::string("none"), std::int64_t{1409}, std::int64_t{14'024'331'458}}, {std::string("a|b <c>"), Unknown{}, 0.0}},
          {"baseline: none"}};
}

TEST(Table, Text) {
  EXPECT_EQ(to_text(example()),
            "Policies\n"
            "policy   kernels    bytes\n"
            "-------  -------  -------\n"
            "none       1,409  14.0 GB\n"
            "a|b <c>  unknown      0 B\n"
            "baseline: none\n");
}

TEST(Table, WideTextColumnsKeepBothEnds) {
  Table table{"", {{"a", "name", Unit::Text, {}}, {"n", "n", Unit::Count, {}}}, {{std::string("begin") + std::string(100, 'x') + "end", std::int64_t{7}}}, {}};
  const std::string text = to_text(table, 40);
  std::size_t longest = 0;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start)) longest = std::max(longest, end - start);
  EXPECT_LE(longest, 40U);
  EXPECT_NE(text.find("begin"), std::string::npos);
  EXPECT_NE(text.find("end  7"), std::string::npos);
}

TEST(Table, SentencesWrapInsteadOfLosingTheirMiddle) {
  Table table{"", {{"n", "n", Unit::Count, {}}, {"why", "because", Unit::Text, {}}}, {{std::int64_t{7}, std::string("a library call stands between them")}, {std::int64_t{8}, std::string("short")}}, {}};
  EXPECT_EQ(to_text(table, 21),
            "n  because\n"
            "-  ------------------\n"
            "7  a library call\n"
            "   stands between\n"
            "   them\n"
            "8  short\n");
}

TEST(Table, UnicodeIsAlignedByCharacters) {
  Table table{"", {{"a", "a", Unit::Text, {}}, {"b", "b", Unit::Text, {}}}, {{std::string("é·"), std::string("x")}, {std::string("ab"), std::string("y")}}, {}};
  EXPECT_EQ(to_text(table), "a   b\n--  -\né·  x\nab  y\n");
}

TEST(Table, MarkdownEscapes) {
  EXPECT_EQ(to_markdown(example()),
            "**Policies**\n\n"
            "| policy | kernels | bytes (modelled) |\n"
            "| --- | ---: | ---: |\n"
            "| none | 1,409 | 14.0 GB |\n"
            "| a\\|b \\<c> | unknown | 0 B |\n"
            "\nbaseline: none\n");
}

TEST(Table, JsonHasExactNumbersAndNullForUnknown) {
  const auto json = nlohmann::json::parse(to_json(example()));
  EXPECT_EQ(json["rows"][0]["bytes"], 14'024'331'458);
  EXPECT_TRUE(json["rows"][1]["kernels"].is_null());
  EXPECT_EQ(json["rows"][1]["bytes"], 0.0);
  EXPECT_EQ(json["columns"][2]["evidence"], "modelled");
  EXPECT_FALSE(json["columns"][1].contains("evidence"));
}

TEST(Table, MillionsRoundForPeopleOnly) {
  EXPECT_EQ(shown(std::int64_t{1'216'377'028}, Unit::Millions), "1,216.4");
  EXPECT_EQ(shown(std::int64_t{49'999}, Unit::Millions), "0.0");
  EXPECT_EQ(shown(99'950'000.0, Unit::Millions), "100.0");
  const Table table{"t", {{"words", "Mwords", Unit::Millions, Evidence::Modelled}}, {{std::int64_t{1'216'377'028}}}, {}};
  EXPECT_NE(to_json(table).find("\"words\": 1216377028"), std::string::npos);
  EXPECT_NE(to_json(table).find("\"unit\": \"count\""), std::string::npos);
}

TEST(Table, HtmlEscapes) {
  const std::string html = to_html(example());
  EXPECT_NE(html.find("a|b &lt;c&gt;"), std::string::npos);
  EXPECT_EQ(html.find("<c>"), std::string::npos);
  EXPECT_NE(html.find("<span class=\"ev\">modelled</span>"), std::string::npos);
}

TEST(Document, TextWrapsParagraphs) {
  const Document document = {Heading{"Title"}, Paragraph{"one two three four"}, Verbatim{"a  b"}};
  EXPECT_EQ(to_text(document, 9), "Title\n=====\none two\nthree\nfour\n\na  b\n");
  EXPECT_EQ(to_markdown(document), "## Title\n\none two three four\n\n```\na  b\n```\n");
}

}  // namespace
}  // namespace seam::report
