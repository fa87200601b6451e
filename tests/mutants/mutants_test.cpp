// Kernels broken on purpose. Every one must be caught by some tier of the proof, every correct one must pass; mutants.txt says which tier catches what.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/files.h"
#include "campaign.h"
#include "golden.h"

namespace seam::codegen::test {
namespace {

constexpr const char* kNoCompiler = "SKIP: NVRTC was not found: no mutant is compiled or proven (scripts/setup fetches it)";

/// nullptr without NVRTC.
const Compiler* compiler() {
  static const auto found = Compiler::find();
  return found ? found->get() : nullptr;
}

/// What mutants.txt asks for; run once, for all tests.
const Campaign& sampled() {
  static const Campaign done = [] {
    const std::string text = *read_file(std::string(SEAM_TEST_DIR) + "/mutants.txt");
    return campaign(text.substr(0, text.find("\n----\n")), *compiler(), false);
  }();
  return done;
}

std::map<Catch, std::size_t> counted(const Campaign& campaign) {
  std::map<Catch, std::size_t> out;
  for (const Row& row : campaign.rows) ++out[row.by];
  return out;
}

std::string summary(const Campaign& campaign) {
  std::size_t places = 0;
  for (const std::size_t n : campaign.places) places += n;
  std::string out = fmt::format("{} kernels, {} rules that apply at {} places, {} mutants:", campaign.origins.size(), campaign.places.size(), places,
                                campaign.rows.size());
  const std::map<Catch, std::size_t> counts = counted(campaign);
  for (const Catch by : {Catch::Ir, Catch::Simulator, Catch::Values, Catch::Nobody, Catch::NotCompiled}) {
    out += fmt::format("{} {} {}", by == Catch::Ir ? "" : ",", counts.contains(by) ? counts.at(by) : 0, name(by));
  }
  return out;
}

void expect_all_caught(const Campaign& campaign) {
  for (const Row& row : campaign.rows) {
    EXPECT_TRUE(row.by != Catch::Nobody && row.by != Catch::NotCompiled)
        << row.rule << " at " << row.place << " of " << row.kernel << ": " << name(row.by) << ' ' << row.detail;
  }
}

TEST(Mutants, CorrectKernelsPassWithoutAReport) {
  if (compiler() == nullptr) GTEST_SKIP() << kNoCompiler;
  for (const auto& origin : sampled().origins) EXPECT_EQ(complaint(*origin, *compiler()), "") << origin->name;
}

TEST(Mutants, EveryRuleAppliesSomewhere) {
  if (compiler() == nullptr) GTEST_SKIP() << kNoCompiler;
  ASSERT_EQ(sampled().places.size(), rules().size());
  for (std::size_t r = 0; r < rules().size(); ++r) EXPECT_GT(sampled().places[r], 0U) << rules()[r].name;
  EXPECT_GE(rules().size(), 16U);
  EXPECT_GE(sampled().rows.size(), 60U);
}

TEST(Mutants, AllAreCaught) {
  if (compiler() == nullptr) GTEST_SKIP() << kNoCompiler;
  expect_all_caught(sampled());
  const std::map<Catch, std::size_t> counts = counted(sampled());
  for (const Catch by : {Catch::Ir, Catch::Simulator, Catch::Values}) EXPECT_TRUE(counts.contains(by)) << "nothing is left for tier " << name(by);
}

/// Every place of every rule, not some: minutes. SEAM_ALL_MUTANTS=1 mutants_test --gtest_filter='*EveryPlace'
TEST(Mutants, AllAreCaughtAtEveryPlace) {
  if (std::getenv("SEAM_ALL_MUTANTS") == nullptr) GTEST_SKIP() << "SKIP: takes minutes; SEAM_ALL_MUTANTS=1 runs it";
  if (compiler() == nullptr) GTEST_SKIP() << kNoCompiler;
  const char* other = std::getenv("SEAM_CAMPAIGN");  // another list of kernels, for exploring
  const std::string text = *read_file(other != nullptr ? other : std::string(SEAM_TEST_DIR) + "/mutants.txt");
  const Campaign all = campaign(text.substr(0, text.find("\n----\n")), *compiler(), true);
  expect_all_caught(all);
  fmt::print("{}\n", summary(all));
}

std::string table(std::string_view) {
  std::string out = fmt::format("{:<21} {:<47} {:<55} {:<12} {}\n", "rule", "kernel", "place", "caught by", "kind");
  for (const Row& row : sampled().rows) {
    out += fmt::format("{:<21} {:<47} {:<55} {:<12} {}{}\n", row.rule, row.kernel, row.place, name(row.by), row.kind, row.also.empty() ? "" : "; also " + row.also);
  }
  return out + "\n" + summary(sampled());
}

/// Which report of a broken kernel comes first depends on what a compiler makes of it: the table is that of the version the project pins.
bool pinned() { return compiler() != nullptr && compiler()->version() == "NVRTC 13.0"; }

TEST(Mutants, TableIsCompared) {
  if (!pinned()) GTEST_SKIP() << "SKIP: mutants.txt is the table of NVRTC 13.0, which is not the one found: it is not compared";
}

const std::optional<seam::test::GoldenSuite> kSuite =
    pinned() ? std::optional<seam::test::GoldenSuite>(std::in_place, ".txt", table) : std::nullopt;

}  // namespace
}  // namespace seam::codegen::test
