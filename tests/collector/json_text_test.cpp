// Numbers without rounding, strings without loss.
#include "import/json_text.h"

#include <gtest/gtest.h>

namespace seam::collector::test {
namespace {

Text number_text(const std::string& text) { return {text.data(), static_cast<std::uint32_t>(text.size()), Text::Kind::Number, true}; }
Text string_text(const std::string& text) { return {text.data(), static_cast<std::uint32_t>(text.size()), Text::Kind::String, false}; }

TEST(Nanoseconds, AreExact) {
  const std::pair<std::string, std::int64_t> exact[] = {
      {"0", 0}, {"1", 1000}, {"-1", -1000}, {"+2", 2000}, {"1250.125", 1250125}, {"1712195495519689.047", 1712195495519689047},  // a double keeps 0.25 us of that
      {"1712195495519689.0476", 1712195495519689048}, {"0.0004", 0}, {"0.0005", 1}, {"-0.0005", -1}, {"1e3", 1000000}, {"1.712195495519689e+15", 1712195495519689000}, {"12.5E-1", 1250},
      {"9223372036854775.807", INT64_MAX}, {"000012.000", 12000}, {".5", 500}, {"5.", 5000}};
  for (const auto& [text, value] : exact) EXPECT_EQ(nanoseconds(number_text(text)), value) << text;
  for (const std::string text : {"", "-", "nan", "1.2.3", "1e", "1e99", "9223372036854775.808", "99999999999999999999", "12a", "e5", "."})
    EXPECT_EQ(nanoseconds(number_text(text)), std::nullopt) << text;
}

TEST(Characters, EscapesAreUndoneAndOddOnesKept) {
  TextMends mends;
  EXPECT_EQ(characters(string_text(R"(a\n\t\"\\\/\u0041\u00e9\u20ac\ud83d\ude00)"), mends), "a\n\t\"\\/A\u00e9\u20ac\U0001F600");
  EXPECT_EQ(mends.wrong_escapes + mends.wrong_utf8 + mends.control_characters, 0U);
  EXPECT_EQ(characters(string_text(R"(D:\kit\sources)"), mends), R"(D:\kit\sources)");
  EXPECT_EQ(mends.wrong_escapes, 2U);
  EXPECT_EQ(characters(string_text("a\x01z"), mends), "a\x01z");
  EXPECT_EQ(mends.control_characters, 1U);
  EXPECT_EQ(characters(string_text("\xff\xc3\xa9\xc3"), mends), "\xef\xbf\xbd\u00e9\xef\xbf\xbd");
  EXPECT_EQ(characters(string_text(R"(\ud800x)"), mends), "\xef\xbf\xbdx");
  EXPECT_EQ(mends.wrong_utf8, 3U);
  EXPECT_EQ(characters(string_text(R"(a\u0000b)"), mends), "a\xef\xbf\xbd" "b") << "a zero byte would end the text for readers of the database";
}

}  // namespace
}  // namespace seam::collector::test
