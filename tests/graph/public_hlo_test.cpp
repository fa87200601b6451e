// The public corpora: 536 files and XLA's own test modules. Not part of the repository; skips, saying so, without them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "graph/verify.h"
#include "support.h"

namespace seam::graph::test {
namespace {

using Json = nlohmann::json;

std::filesystem::path public_data() {
  const char* given = std::getenv("SEAM_PUBLIC_DATA");
  return given != nullptr ? given : SEAM_PUBLIC_DATA_DEFAULT;
}

/// Unpacks the corpus into the build folder once; empty if it is not there.
std::filesystem::path corpus() {
  const std::filesystem::path packed = public_data() / "graphs/hlo/hlo-dev.tar.xz";
  const std::filesystem::path folder = SEAM_UNPACKED "/public-hlo";
  if (!std::filesystem::exists(packed)) return {};
  if (std::filesystem::exists(folder / "complete")) return folder / "dev";
  std::filesystem::create_directories(folder);
  const std::string unpack = "cd '" + folder.string() + "' && '" SEAM_CMAKE "' -E tar xJf '" + packed.string() +
                             "' && xz -dc '" + (public_data() / "graphs/hlo/COUNTS-dev.tsv.xz").string() +
                             "' > counts.tsv && touch complete";
  if (std::system(unpack.c_str()) != 0) return {};
  return folder / "dev";
}

#define SEAM_NEED_CORPUS(folder)                                                                         \
  const std::filesystem::path folder = corpus();                                                         \
  if (folder.empty()) {                                                                                  \
    GTEST_SKIP() << "public HLO corpus not found under " << public_data() << " (set SEAM_PUBLIC_DATA)"; \
  }

/// What COUNTS-dev.tsv says of one module.
struct Counts {
  std::size_t instructions = 0, entry = 0, computations = 0;
  std::map<std::string, std::size_t> opcodes;
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// The text defines this op by name, which the counts are about: not an op nested in an operand list, not %tuple#1.
bool is_stated(const Op& op, const std::vector<std::string_view>& lines) {
  std::string_view text = lines.at(static_cast<std::size_t>(op.at.line - 1)).substr(static_cast<std::size_t>(op.at.column - 1));
  if (text.starts_with('%')) text.remove_prefix(1);
  if (!text.starts_with(op.name)) return false;
  text.remove_prefix(op.name.size());
  const std::size_t next = text.find_first_not_of(" \t");
  return next != std::string_view::npos && text[next] == '=';
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t stop = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, stop - at));
    at = stop + 1;
  }
  return lines;
}

Counts counted(const Graph& graph, std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  Counts counts;
  for (std::size_t c = 0; c < graph.computations.size(); ++c) {
    // A body written inside to_apply={…} is a computation to us; the counts leave it out.
    if (graph.computations[Id<Computation>(c)].name.starts_with("inline_body")) continue;
    ++counts.computations;
    for (const Op& op : graph.computations[Id<Computation>(c)].ops) {
      const bool stated = is_stated(op, lines);
      // The histogram has nested ops too; %tuple#1 stands for an op that no text spells.
      if (stated || op.opcode != Opcode::GetTupleElement) ++counts.opcodes[op.opcode_text];
      if (!stated) continue;
      ++counts.instructions;
      if (Id<Computation>(c) == graph.entry) ++counts.entry;
    }
  }
  return counts;
}

std::map<std::string, std::vector<Counts>> expected_counts(const std::filesystem::path& folder) {
  std::map<std::string, std::vector<Counts>> rows;
  std::istringstream table(slurp(folder / "../counts.tsv"));
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::vector<std::string> fields;
    std::istringstream row(line);
    for (std::string field; std::getline(row, field, '\t');) fields.push_back(field);
    Counts counts{std::stoul(fields.at(2)), std::stoul(fields.at(3)), std::stoul(fields.at(4)), {}};
    const Json opcodes = Json::parse(fields.at(18));
    for (const auto& [opcode, count] : opcodes.items()) counts.opcodes[opcode] = count.get<std::size_t>();
    rows[fields.at(0)].push_back(std::move(counts));
  }
  return rows;
}

/// Empty, or what went wrong with both text forms.
std::string round_trip(const Graph& graph) {
  const Result<Graph> hlo = parse_hlo(print_hlo(graph), "printed.hlo");
  if (!hlo) return describe(hlo.error());
  if (!(*hlo == graph)) return "HLO text reads back different";
  const Result<Graph> own = parse_graph(print_graph(graph), "printed.graph");
  if (!own) return describe(own.error());
  return *own == graph ? "" : ".graph text reads back different";
}

TEST(PublicHlo, FilesParseRoundTripAndHaveTheCountedOps) {
  SEAM_NEED_CORPUS(folder);
  const auto expected = expected_counts(folder);
  std::size_t modules = 0, parsed = 0, equal = 0, sound = 0;
  std::set<std::string> different;
  for (const auto& [file, rows] : expected) {
    const std::string text = slurp(folder / file);
    const Result<std::vector<Graph>> graphs = parse_hlo_modules(text, file);
    modules += rows.size();
    if (!graphs) {
      ADD_FAILURE() << describe(graphs.error());
      continue;
    }
    // The counting reader left some modules of some files out: each row must be found, in order.
    std::size_t next = 0;
    for (const Counts& row : rows) {
      while (next < graphs->size() && !(counted((*graphs)[next], text) == row)) ++next;
      if (next++ < graphs->size()) ++equal;
    }
    if (next > graphs->size()) different.insert(file);
    parsed += graphs->size();
    for (const Graph& graph : *graphs) {
      EXPECT_EQ(round_trip(graph), "") << file;
      const Result<void> verified = verify(graph);
      if (verified) {
        ++sound;
      } else {
        std::printf("  unsound: %s\n", describe(verified.error()).c_str());
      }
    }
  }
  std::printf("  %zu files: %zu modules parse, %zu of %zu counted ones have equal counts, %zu pass the shape rules\n", expected.size(),
              parsed, equal, modules, sound);
  EXPECT_EQ(modules, 537U);
  // Its five modules have no headers and the same names; they were counted as one, the names merged.
  EXPECT_EQ(different, (std::set<std::string>{"xla_test_files/backends__gpu__tests__sub_byte_collectives.hlo"}));
  EXPECT_GE(sound * 100, parsed * 98);
}

// 358 of these are XLA's own parser tests, and some of them are there to be refused.
TEST(PublicHlo, TestModulesParseAndRoundTrip) {
  SEAM_NEED_CORPUS(folder);
  std::istringstream lines(slurp(folder / "xla_cpp_test_modules/modules.jsonl"));
  std::size_t modules = 0, parsed = 0, round = 0, sound = 0, equal = 0;
  for (std::string line; std::getline(lines, line); ++modules) {
    const Json row = Json::parse(line);
    const std::string where = row["src"].get<std::string>() + ":" + std::to_string(row["line"].get<int>());
    const std::string text = row["text"].get<std::string>();
    const Result<std::vector<Graph>> graphs = parse_hlo_modules(text, where);
    if (!graphs) {
      EXPECT_TRUE(graphs.error().at.has_value()) << where;
      EXPECT_FALSE(graphs.error().message.empty()) << where;
      std::printf("  refused: %s (%s)\n", describe(graphs.error()).c_str(), row["test"].get<std::string>().c_str());
      continue;
    }
    ++parsed;
    std::size_t instructions = 0;
    bool fine = true;
    for (const Graph& graph : *graphs) {
      const std::string wrong = round_trip(graph);
      EXPECT_EQ(wrong, "") << where;
      fine = fine && wrong.empty();
      instructions += counted(graph, text).instructions;
      if (verify(graph)) ++sound;
    }
    round += fine ? 1U : 0U;
    equal += instructions == row["instr"].get<std::size_t>() ? 1U : 0U;
  }
  std::printf("  %zu modules: %zu parse, %zu round-trip, %zu with the counted instructions, %zu pass the shape rules\n", modules,
              parsed, round, equal, sound);
  EXPECT_EQ(modules, 4455U);
  EXPECT_GE(parsed * 100, modules * 99);
  EXPECT_EQ(round, parsed);
  EXPECT_EQ(equal, parsed);
  EXPECT_GE(sound * 100, modules * 98);
}

TEST(PublicHlo, HandCutFileIsRefusedAtItsPlace) {
  SEAM_NEED_CORPUS(folder);
  const Result<Graph> graph = parse_hlo(slurp(folder / "negative_hand_edited_hlo/graphhelper__mlp_test.js.hlo.txt"), "mlp_test.js");
  ASSERT_FALSE(graph);
  ASSERT_TRUE(graph.error().at);
  EXPECT_EQ(graph.error().at->line, 4);
  EXPECT_EQ(graph.error().at->column, 174);
  EXPECT_NE(graph.error().message.find("'all-reduce.307'"), std::string::npos) << graph.error().message;
}

TEST(PublicHlo, TruncatedDumpIsRefusedAtItsEnd) {
  SEAM_NEED_CORPUS(folder);
  const Result<Graph> graph = parse_hlo(slurp(folder / "post_opt_tpu_maxtext/llama3_8b.truncated-as-published.hlo.txt"), "llama3_8b");
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message.find("cut off"), std::string::npos) << graph.error().message;
}

TEST(PublicHlo, OtherFormatsAreNamed) {
  SEAM_NEED_CORPUS(folder);
  std::size_t protobuf = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "xla_test_files")) {
    const std::string text = slurp(entry.path());
    if (text_format(text) != TextFormat::Foreign) continue;
    const Result<Graph> graph = read_graph(text, entry.path().filename().string());
    EXPECT_NE(graph.error().message.find("protobuf text"), std::string::npos) << entry.path() << graph.error().message;
    ++protobuf;
  }
  EXPECT_EQ(protobuf, 4U);
}

}  // namespace
}  // namespace seam::graph::test
