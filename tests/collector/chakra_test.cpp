// Chakra's traces: both forms of one run give the same rows, as many as an independent count of the bytes.
#include "base/byte_source.h"
#include "support.h"
#include "support/public_traces.h"

namespace seam::collector::test {
namespace {

namespace fs = std::filesystem;
using Row = std::vector<db::Field>;

std::string bytes_of(const fs::path& file) {
  auto source = ByteSource::open(file);
  std::string out, chunk(std::size_t{1} << 20, '\0');
  for (std::size_t got = source->read(chunk); got > 0; got = source->read(chunk)) out.append(chunk, 0, got);
  return out;
}

/// Messages with their lengths in front.
std::int64_t messages_in(const std::string& bytes) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); ++count) {
    std::size_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      length |= static_cast<std::size_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += length;
  }
  return count;
}

std::int64_t times_in(const std::string& text, const std::string& what) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

class Chakra : public ImportTest {
 protected:
  void SetUp() override {
    ImportTest::SetUp();
    root_ = seam::test::public_data() / "traces";
    if (!fs::exists(root_)) GTEST_SKIP() << "no public traces in " << root_ << " (SEAM_PUBLIC_DATA)";
  }
  fs::path root_;
};

TEST_F(Chakra, ProtobufRowsEqualAnIndependentCount) {
  const fs::path file = root_ / "et/chakra_feeder_chakra.0.et.gz";
  const std::string bytes = bytes_of(file);
  const auto imported = import(file);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->format, "chakra");
  EXPECT_TRUE(imported->loss.empty());
  EXPECT_EQ(rows_of(*imported, "node"), messages_in(bytes) - 1) << "the first one is the metadata";
  const std::int64_t device = times_in(bytes, std::string("is_cpu_op\xd8\x01\0", 12));
  EXPECT_EQ(device, 1216);
  EXPECT_EQ(rows_of(*imported, "kernel") + rows_of(*imported, "memcpy") + rows_of(*imported, "memset"), device);
  EXPECT_EQ(ask("SELECT count(*) FROM collective WHERE launch IS NOT NULL"), (std::vector<Row>{{7}}));
  EXPECT_EQ(ask("SELECT value FROM property WHERE name = 'trace.schema'"), (std::vector<Row>{{"1.0.1"}}));
  EXPECT_EQ(ask("SELECT count(*) FROM node WHERE duration_ns IS NOT NULL"), (std::vector<Row>{{3507}}));
  EXPECT_EQ(ask("SELECT count(*) FROM launch WHERE start_ns IS NOT NULL"), (std::vector<Row>{{0}}));
}

TEST_F(Chakra, JsonGivesWhatProtobufGives) {
  const fs::path folder = root_ / "multirank/megatron_tp2_v100";
  const auto json = import(folder / "chakra_final.0.jsonseq.gz", std::size_t{4} << 20, "json.seam");
  const auto proto = import(folder / "chakra_final.0.et.gz", std::size_t{4} << 20, "proto.seam");
  ASSERT_TRUE(json) << json.error().message;
  ASSERT_TRUE(proto) << proto.error().message;
  EXPECT_EQ(rows_of(*json, "node"), times_in(bytes_of(folder / "chakra_final.0.jsonseq.gz"), "\"durationMicros\"") + 5) << "five nodes have no duration";
  EXPECT_EQ(json->rows, proto->rows);
  EXPECT_TRUE(json->loss.empty());
  for (const char* sql : {"SELECT number, kind, name, record, scope, duration_ns, op_schema, start_ns FROM nodes ORDER BY id", "SELECT node, kind, place, source FROM node_edge ORDER BY 1, 2, 3",
                          "SELECT op_name, side, place, item, tensor, storage, offset, elements, device, type, dims FROM op_tensors ORDER BY node, side, place, item", "SELECT name, group_name FROM collectives"})
    EXPECT_EQ(ask(sql, "json.seam"), ask(sql, "proto.seam")) << sql;
  EXPECT_EQ(ask("SELECT count(*) FROM collective", "json.seam"), (std::vector<Row>{{13}}));
}

TEST_F(Chakra, DamagedBytesAreReadAsFarAsTheyGo) {
  const std::string bytes = bytes_of(root_ / "multirank/megatron_tp2_v100/chakra_final.0.et.gz").substr(0, 200000);
  for (std::size_t at = 130; at < bytes.size(); at += 9973) {
    const auto cut = import_text(bytes.substr(0, at));
    ASSERT_TRUE(cut) << at << cut.error().message;
    EXPECT_FALSE(cut->loss.empty());
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const auto other = import_text(changed);
    EXPECT_TRUE(other || !fs::exists(output()));
  }
}

}  // namespace
}  // namespace seam::collector::test
