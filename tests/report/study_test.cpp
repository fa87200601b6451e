// The study of the BERT-large layer: what is recounted from the graph is what was published, to the digit that was printed; and Seam's plan beside it.
#include "report/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "graph/text.h"
#include "study/published.h"
#include "study/saved.h"
#include "support/schema.h"

namespace seam::report::test {
namespace {

constexpr std::int64_t x = 8 * 512 * 1024, a = 16 * 8 * 512 * 512, u = 8 * 512 * 4096, N = 1024, U = 4096;

const graph::Graph& bundled() {
  static const graph::Graph layer = graph::read_graph(read_file(SEAM_EXAMPLES "/bert_paper.graph").value(), "bert_paper.graph").value();
  return layer;
}

Result<BertStudy> study_of(std::int64_t batch, std::int64_t sequence) {
  planner::PlanOptions options;
  options.device = *device_named("h100");
  return bert_study(bundled(), batch, sequence, options);
}

const BertStudy& paper() {
  static const BertStudy study = study_of(8, 512).value();
  return study;
}

/// Millions with one digit, as printed.
double printed(std::int64_t words) { return std::round(static_cast<double>(words) / 1e5) / 10; }
double one_digit(double percent) { return std::round(10 * percent) / 10; }
double percent_less(std::int64_t words, std::int64_t all) { return one_digit(100 * static_cast<double>(all - words) / static_cast<double>(all)); }

const StudyKernel& kernel(std::string_view name) {
  for (const StudyKernel& one : paper().kernels)
    if (one.name == name) return one;
  throw std::runtime_error("no kernel " + std::string(name));
}

TEST(Study, OperatorsMoveWhatThePaperSays) {
  ASSERT_EQ(paper().operators.size(), published::operators().size());
  for (const StudyOperator& one : paper().operators) {
    const auto* row = published::find(published::operators(), &published::OperatorWords::label, std::string_view(one.op.label));
    ASSERT_NE(row, nullptr) << one.op.label;
    EXPECT_DOUBLE_EQ(printed(one.op.movement().words_in), row->in) << one.op.label;
    EXPECT_DOUBLE_EQ(printed(one.op.movement().words_out), row->out) << one.op.label;
    EXPECT_GT(one.floor_us, 0) << one.op.label;
  }
}

TEST(Study, KernelsMoveWhatTheirCodeSays) {
  std::size_t kernels = 0, gemms = 0;
  for (const StudyKernel& one : paper().kernels) {
    if (one.gemm) {
      ++gemms;
      EXPECT_EQ(one.moved[0], one.moved[1]) << one.name << ": no policy concerns it";
      continue;
    }
    ++kernels;
    const auto* row = published::find(published::kernels(), &published::KernelWords::name, std::string_view(one.name));
    ASSERT_NE(row, nullptr) << one.name;
    EXPECT_DOUBLE_EQ(printed(one.moved[0].words_in), row->in) << one.name;
    EXPECT_DOUBLE_EQ(printed(one.moved[0].words_out), row->out) << one.name;
  }
  EXPECT_EQ(kernels, published::kernels().size());
  EXPECT_EQ(gemms, 18U);
}

/// Word by word, from the implementation's operands.
TEST(Study, SavedTensorsAreCountedOneByOne) {
  const auto words = [](std::string_view name, SavedTensors saved) {
    const analyzer::Movement& moved = kernel(name).moved[static_cast<std::size_t>(saved)];
    return std::pair(moved.words_in, moved.words_out);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(words("BDRLN1", SavedTensors::AsPublished), Pair(2 * x + 3 * N + 1, 5 * x));
  EXPECT_EQ(words("BDRLN2", SavedTensors::AsPublished), Pair(2 * x + 3 * N + 1, 5 * x));
  EXPECT_EQ(words("BDRLN1", SavedTensors::MaskOnly), Pair(2 * x + 3 * N + 1, 3 * x));
  EXPECT_EQ(words("BAD", SavedTensors::AsPublished), Pair(u + U + 1, 3 * u));
  EXPECT_EQ(words("BAD", SavedTensors::MaskOnly), Pair(u + U + 1, 2 * u));
  EXPECT_EQ(words("BSB", SavedTensors::AsPublished), Pair(2 * x + N, x + 2 * N));
  EXPECT_EQ(words("BLNRD1", SavedTensors::AsPublished), Pair(3 * x, 2 * x));
  EXPECT_EQ(words("BDRLB", SavedTensors::AsPublished), Pair(3 * u, u + U));
  EXPECT_EQ(words("BDRLB", SavedTensors::MaskOnly), Pair(2 * u, u + U));
  EXPECT_EQ(words("EBSB", SavedTensors::AsPublished), Pair(4 * x + N, x + 3 * N));
  EXPECT_EQ(words("BLNRD2", SavedTensors::MaskOnly), Pair(3 * x, 2 * x));
  EXPECT_EQ(words("SM", SavedTensors::AsPublished), Pair(a + 1, 3 * a));
  EXPECT_EQ(words("BS", SavedTensors::AsPublished), Pair(3 * a, a));
  EXPECT_EQ(kernel("BDRLN1").moved[0].statistic_words, 8 * 512) << "1/std of each row, not its mean";
}

TEST(Study, TotalsAndReductionsAreThePublishedOnes) {
  const StudyTotal& code = paper().published[0];
  const StudyTotal& ideal = paper().published[1];
  EXPECT_EQ(code.forward, published::kForwardLaunches);
  EXPECT_EQ(code.backward, published::kBackwardLaunches);
  EXPECT_DOUBLE_EQ(printed(code.gemms.words()), published::kGemmWords);
  EXPECT_DOUBLE_EQ(printed(code.forward_kernels.words()), published::kForwardKernelWords);
  EXPECT_DOUBLE_EQ(printed(code.backward_kernels.words()), published::kBackwardKernelWords);
  EXPECT_DOUBLE_EQ(printed(code.sum().words()), published::kAllWords);
  EXPECT_DOUBLE_EQ(printed(ideal.sum().words()), published::kMaskOnlyWords);
  EXPECT_EQ(code.sum().words() - ideal.sum().words(), 12 * x);
  ASSERT_EQ(paper().baselines.size(), published::baselines().size());
  std::set<double> reductions;
  for (const StudyBaseline& one : paper().baselines) {
    const auto* row = published::find(published::baselines(), &published::Baseline::granularity, one.granularity);
    ASSERT_NE(row, nullptr);
    EXPECT_DOUBLE_EQ(printed(one.moved.words()), row->words) << analyzer::name(one.granularity);
    EXPECT_DOUBLE_EQ(percent_less(code.sum().words(), one.moved.words()), row->less_as_published) << analyzer::name(one.granularity);
    EXPECT_DOUBLE_EQ(percent_less(ideal.sum().words(), one.moved.words()), row->less_mask_only) << analyzer::name(one.granularity);
    reductions.insert({row->less_as_published, row->less_mask_only});
  }
  EXPECT_LT(*reductions.begin(), published::kHeadline);
  EXPECT_GT(*reductions.rbegin(), published::kHeadline);
  EXPECT_FALSE(reductions.contains(one_digit(published::kHeadline))) << "no baseline gives the headline";
}

TEST(Study, ClassSharesAreThePublishedOnes) {
  std::map<analyzer::Class, analyzer::Movement> classes;
  analyzer::Movement all;
  for (const StudyOperator& one : paper().operators) {
    classes[one.op.op_class] += one.op.movement();
    all += one.op.movement();
  }
  ASSERT_EQ(classes.size(), published::classes().size());
  for (const published::ClassShares& row : published::classes()) {
    EXPECT_DOUBLE_EQ(one_digit(100 * static_cast<double>(classes[row.op_class].words()) / static_cast<double>(all.words())), row.of_words);
    // Its flop counts dropouts and ReLUs, which are selects here: a hundredth of a percent.
    EXPECT_NEAR(100 * classes[row.op_class].flops / all.flops, row.of_flop, 0.01);
  }
}

TEST(Study, SeamMovesLessInFewerLaunches) {
  const PlanMovement& seam = paper().seam;
  EXPECT_LT(printed(seam.sum.words()), published::kMaskOnlyWords);
  EXPECT_LE(seam.kernels + seam.library_calls + seam.copies, published::kForwardLaunches + published::kBackwardLaunches);
  EXPECT_EQ(seam.library_calls, 18);
  std::int64_t words = 0;
  std::set<std::string> covered;
  for (const StudyLaunch& launch : paper().seam_launches) {
    EXPECT_FALSE(launch.published.empty()) << launch.name;
    covered.insert(launch.published.begin(), launch.published.end());
    words += launch.moved.words();
  }
  EXPECT_EQ(words, seam.sum.words());
  EXPECT_EQ(covered.size(), 32U) << "every published launch's work is done by some launch";
  for (const PlanLaunch& one : seam.launches) {
    if (one.kind != planner::StepKind::Kernel) continue;
    EXPECT_EQ(one.launch.traffic.sum().bytes(), one.planned_bytes) << one.launch.name << ": the planner's own model says the same";
  }
}

/// Copies that the library needs of its operands are launches and words too.
TEST(Study, SeamMovesLessHoweverValuesLie) {
  for (const planner::Layouts layouts : {planner::Layouts::RowMajor, planner::Layouts::Chosen}) {
    planner::PlanOptions options;
    options.device = *device_named("h100");
    options.layouts = layouts;
    const BertStudy study = bert_study(bundled(), 8, 512, options).value();
    EXPECT_EQ(study.layouts, planner::name(layouts));
    EXPECT_GE(study.seam.sum.words(), paper().seam.sum.words()) << study.layouts;
    EXPECT_LT(printed(study.seam.sum.words()), published::kMaskOnlyWords) << study.layouts;
    EXPECT_LE(study.seam.kernels + study.seam.library_calls + study.seam.copies, 32) << study.layouts;
  }
}

TEST(Study, OtherSizesScale) {
  const BertStudy twice = study_of(16, 512).value(), thrice = study_of(24, 512).value(), longer = study_of(8, 1024).value();
  for (const std::size_t saved : {0U, 1U}) {
    const std::int64_t one = paper().published[saved].sum().words(), two = twice.published[saved].sum().words();
    EXPECT_EQ(thrice.published[saved].sum().words() - two, two - one) << "weights aside, words go with the batch";
    EXPECT_EQ(twice.published[saved].forward + twice.published[saved].backward, 32);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(longer.baselines[i].moved.words(), 4 * paper().baselines[i].moved.words()) << "only attention goes with the square";
  EXPECT_EQ(longer.baselines[0].moved.words() - longer.baselines[3].moved.words(), 4 * 7 * a);
  EXPECT_FALSE(twice.at_published_size());
  const std::string text = study_json(twice);
  EXPECT_EQ(nlohmann::json::parse(text)["operators"][0]["published"], nullptr) << "nothing was published at that size";
}

TEST(Study, RefusesSizesAndGraphsThatMakeNoSense) {
  EXPECT_EQ(describe(study_of(0, 512).error()), "a batch of 0: at least 1");
  EXPECT_EQ(describe(study_of(8, 1).error()), "a sequence of 1: at least 2, a row of one has no statistics");
  EXPECT_NE(describe(study_of(std::int64_t{1} << 40, std::int64_t{1} << 40).error()).find("larger than any machine's memory"), std::string::npos);
  graph::Graph other = bundled();
  for (graph::Op& op : other.computations[other.entry].ops)
    if (op.name == "ln1.centred") op.name = "something";
  planner::PlanOptions options;
  options.device = *device_named("h100");
  const Result<BertStudy> refused = bert_study(other, 8, 512, options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("no value 'ln1.centred'"), std::string::npos) << describe(refused.error());
}

TEST(Study, PoliciesOnlyChangeWhatIsThere) {
  const graph::Graph& layer = bundled();
  const analyzer::Values values = analyzer::values_of(layer.entry_computation());
  EXPECT_FALSE(with_saved(values, "BDRLN1", {}, SavedTensors::AsPublished)) << "what is not written cannot be left unwritten";
  EXPECT_EQ(with_saved(values, "SM", {}, SavedTensors::MaskOnly)->sum(), analyzer::Movement{}) << "no change concerns it";
}

TEST(Study, PrintsTablesAndJson) {
  const nlohmann::json json = nlohmann::json::parse(study_json(paper()));
  EXPECT_EQ(seam::test::schema_problems(json, "seam.study.schema.json"), std::vector<std::string>());
  EXPECT_EQ(json["implementations"][0]["published_megawords"], published::kAllWords);
  const auto columns = [](const BertStudy& study) {
    std::size_t published = 0, rows = 0;
    for (const Block& block : study_document(study)) {
      const auto* table = std::get_if<Table>(&block);
      if (table == nullptr) continue;
      for (const Column& column : table->columns) published += column.key.starts_with("published") ? 1U : 0U;
      for (const auto& row : table->rows) {
        ++rows;
        EXPECT_EQ(row.size(), table->columns.size()) << table->title;
      }
    }
    return std::pair(published, rows);
  };
  const auto here = columns(paper()), elsewhere = columns(study_of(96, 128).value());
  EXPECT_EQ(here.first, 10U);
  EXPECT_EQ(elsewhere.first, 0U);
  EXPECT_EQ(here.second, elsewhere.second);
}

}  // namespace
}  // namespace seam::report::test
