#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/check.h"
#include "base/device.h"
#include "base/files.h"
#include "base/result.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace seam {
namespace {

TEST(Sha256, KnownAnswers) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Utf8, EachByteOutsideACharacterIsReplaced) {
  EXPECT_TRUE(is_utf8("plain text, longer than eight bytes, \u00e9\u20ac\U0001f600 and more"));
  EXPECT_EQ(to_utf8("a\u20ac"), "a\u20ac");
  EXPECT_EQ(to_utf8("a\xff" "b\xe2\x82"), "a\ufffd" "b\ufffd\ufffd");
  EXPECT_EQ(to_utf8("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd");  // overlong, surrogate, beyond U+10FFFF
  for (std::size_t pad = 0; pad < 17; ++pad) EXPECT_FALSE(is_utf8(std::string(pad, 'x') + "\x80" + std::string(16 - pad, 'x'))) << pad;
}

TEST(Files, MoreThanAskedForIsNotRead) {
  // An endless device ends at the limit; so does a few kilobytes of gzip that hold gigabytes.
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP() << "no /dev/zero on this system";
  const Result<std::string> endless = read_file("/dev/zero", 1 << 20);
  ASSERT_FALSE(endless.has_value());
  EXPECT_EQ(endless.error().code, Error::Code::BadInput);
  EXPECT_NE(endless.error().message.find("more than 1048576 bytes"), std::string::npos) << endless.error().message;
}

TEST(Device, OccupancyFollowsTheGuide) {
  const Device h100 = *device_named("h100");
  EXPECT_EQ(blocks_per_sm(h100, 1024, 32, 0), 2);
  EXPECT_EQ(blocks_per_sm(h100, 256, 32, 0), 8);
  EXPECT_EQ(blocks_per_sm(h100, 256, 128, 0), 2);
  EXPECT_EQ(blocks_per_sm(h100, 32, 16, 0), 32);
  EXPECT_EQ(blocks_per_sm(h100, 128, 32, 100 * 1024), 2);
  EXPECT_EQ(blocks_per_sm(h100, 128, 32, 300 * 1024), 0);
  EXPECT_EQ(blocks_per_sm(h100, 2048, 32, 0), 0);
  // AStitch's wave on V100: 160 blocks of 1,024 threads at 32 registers.
  const Device v100 = *device_named("v100");
  EXPECT_EQ(v100.sms * blocks_per_sm(v100, 1024, 32, 0), 160);
  EXPECT_FALSE(device_named("h1000"));
}

TEST(Error, QuotesTheLineWithACaret) {
  const Error error{Error::Code::BadInput, "no such op", Position{"m.hlo", 2, 3}, {"reading m.hlo"}};
  EXPECT_EQ(describe(error, "first\nsecond\n"), "m.hlo:2:3: no such op\n  second\n    ^\n  while reading m.hlo");
}

TEST(Check, ThrowsBugWithItsPlace) {
  try {
    SEAM_CHECK(1 == 2, "arithmetic");
    FAIL();
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("small_test.cpp"), std::string::npos);
  }
}

}  // namespace
}  // namespace seam
