// The encoder layer of "Data Movement Is All You Need", as the paper lists it: 46 operators, 32 launches, the words each moves, and how
// flop divides over classes. examples/bert_paper.graph is written by scripts/bert-paper, which states the flops per element.
#include <gtest/gtest.h>

#include <map>

#include "analyzer/movement.h"
#include "analyzer/shares.h"
#include "bert_layer.h"

namespace seam::analyzer::test {
namespace {

constexpr std::int64_t x = 8 * 512 * 1024, a = 16 * 8 * 512 * 512, u = 8 * 512 * 4096, n = 1024 * 1024, w = 1024 * 4096, N = 1024, U = 4096;

struct Row {
  std::int64_t in, out;
};
/// The paper's words in and out, with biases, gains, their gradients (N or U words) and the seed of a dropout (1 word), which its table rounds away.
const std::map<std::string, Row>& table() {
  static const std::map<std::string, Row> rows = {
      {"QKV/qkv", {x + 3 * n, 3 * x}},          {"AIB/input_bias", {3 * x + 3 * N, 3 * x}},
      {"QKT/qkt", {2 * x, a}},                  {"SM/scaled_softmax", {a + 1, 3 * a}},
      {"GAMMA/gamma", {x + a, x}},              {"OUT/out", {x + n, x}},
      {"BDRLN1/out_bias", {x + N, x}},          {"BDRLN1/dropout", {x + 1, 2 * x}},
      {"BDRLN1/residual", {2 * x, x}},          {"BDRLN1/layer_norm", {x + 2 * N, x}},
      {"LIN1/lin1", {x + w, u}},                {"BAD/bias", {u + U, u}},
      {"BAD/relu", {u, u}},                     {"BAD/dropout", {u + 1, 2 * u}},
      {"LIN2/lin2", {u + w, x}},                {"BDRLN2/bias", {x + N, x}},
      {"BDRLN2/dropout", {x + 1, 2 * x}},       {"BDRLN2/residual", {2 * x, x}},
      {"BDRLN2/layer_norm", {x + 2 * N, x}},    {"BSB/layer_norm_dw", {2 * x, 2 * N}},
      {"BLNRD1/layer_norm_dx", {2 * x + N, x}}, {"BLNRD1/dropout_dx", {2 * x, x}},
      {"LIN2DX/lin2_dx", {x + w, u}},           {"LIN2DW/lin2_dw", {x + u, w}},
      {"BDRLB/bias2_dw", {x, N}},               {"BDRLB/dropout_dx", {2 * u, u}},
      {"BDRLB/relu_dx", {2 * u, u}},            {"BDRLB/bias1_dw", {u, U}},
      {"LIN1DX/lin1_dx", {u + w, x}},           {"LIN1DW/lin1_dw", {u + x, w}},
      {"EBSB/residual_dx", {2 * x, x}},         {"EBSB/layer_norm_dw", {2 * x, 2 * N}},
      {"BLNRD2/layer_norm_dx", {2 * x + N, x}}, {"BLNRD2/dropout_dx", {2 * x, x}},
      {"BAOB/out_bias_dw", {x, N}},             {"OUTDX/out_dx", {x + n, x}},
      {"OUTDW/out_dw", {2 * x, n}},             {"GAMMADX1/gamma_dx1", {2 * x, a}},
      {"GAMMADX2/gamma_dx2", {x + a, x}},       {"BS/softmax_dx", {3 * a, a}},
      {"QKTDX1/qkt_dx1", {x + a, x}},           {"QKTDX2/qkt_dx2", {x + a, x}},
      {"QKVDX/qkv_dx", {3 * x + 3 * n, x}},     {"QKVDW/qkv_dw", {4 * x, 3 * n}},
      {"BAIB/input_bias_dw", {3 * x, 3 * N}},   {"BEI/residual_dx", {2 * x, x}},
  };
  return rows;
}

TEST(BertPaper, HasThePapersOperatorsAndLaunches) {
  std::map<std::string, int> kernels;
  std::size_t operators = 0;
  for (const Operator& one : operators_of(bert_layer(), Granularity::Paper46)) {
    ASSERT_TRUE(table().contains(one.label)) << one.label;
    ++operators;
    ++kernels[one.label.substr(0, one.label.find('/'))];
  }
  EXPECT_EQ(operators, 46U);
  EXPECT_EQ(kernels.size(), 32U);
}

TEST(BertPaper, EveryOperatorMovesThePapersWords) {
  for (const Operator& one : operators_of(bert_layer(), Granularity::Paper46)) {
    const Movement moved = one.movement();
    EXPECT_EQ(moved.words_in, table().at(one.label).in) << one.label;
    EXPECT_EQ(moved.words_out, table().at(one.label).out) << one.label;
    const bool norm = one.label.find("layer_norm") != std::string::npos;
    EXPECT_EQ(moved.statistic_words, norm ? 2 * 8 * 512 : 0) << one.label << ": mean and 1/std of each row";
  }
}

/// Section 2.9 of the notes: the same layer, cut more or less finely.
TEST(BertPaper, EveryGranularityMovesItsWords) {
  const auto words = [](Granularity granularity) {
    std::int64_t sum = 0;
    for (const Operator& one : operators_of(bert_layer(), granularity)) sum += one.movement().words();
    return sum;
  };
  std::int64_t paper = 0;
  for (const auto& [scope, row] : table()) paper += row.in + row.out;
  EXPECT_EQ(words(Granularity::Paper46), paper);
  EXPECT_EQ(words(Granularity::SoftmaxDropoutSplit), paper + 3 * a) << "softmax is written and read again forward, the masked gradient backward, and both by dropout";
  EXPECT_EQ(words(Granularity::ScaleSplit), paper + 5 * a);
  EXPECT_EQ(words(Granularity::Plain), paper + 7 * a);
  EXPECT_NEAR(static_cast<double>(words(Granularity::Paper46)) / 1e6, 1216.4, 0.05);
  EXPECT_NEAR(static_cast<double>(words(Granularity::SoftmaxDropoutSplit)) / 1e6, 1317.0, 0.05);
  EXPECT_NEAR(static_cast<double>(words(Granularity::ScaleSplit)) / 1e6, 1384.1, 0.05);
  EXPECT_NEAR(static_cast<double>(words(Granularity::Plain)) / 1e6, 1451.3, 0.05);
}

/// Section 2.9: shares of words over classes of operators.
TEST(BertPaper, WordsDivideOverClassesAsInThePaper) {
  std::map<Class, std::int64_t> words;
  std::int64_t all = 0;
  for (const Operator& one : operators_of(bert_layer(), Granularity::Paper46)) {
    words[one.op_class] += one.movement().words();
    all += one.movement().words();
  }
  const auto share = [&](Class c) { return 100 * static_cast<double>(words[c]) / static_cast<double>(all); };
  EXPECT_NEAR(share(Class::Contraction), 40.3, 0.05);
  EXPECT_NEAR(share(Class::Normalization), 26.9, 0.05);
  EXPECT_NEAR(share(Class::Elementwise), 32.8, 0.05);
  EXPECT_EQ(words.size(), 3U);
}

TEST(BertPaper, FlopDividesAsInThePaper) {
  double all = 0;
  std::map<Class, double> flops;
  for (const Share& share : shares_of(bert_layer())) {
    flops[share.op_class] += share.flops;
    all += share.flops;
  }
  // 312 Gi of contractions: 3 x 104.
  EXPECT_NEAR(flops[Class::Contraction] / (1 << 30), 312, 0.001);
  EXPECT_NEAR(100 * flops[Class::Contraction] / all, 99.80, 0.02);
  EXPECT_NEAR(100 * flops[Class::Normalization] / all, 0.17, 0.02);
  EXPECT_NEAR(100 * flops[Class::Elementwise] / all, 0.03, 0.02);
}

}  // namespace
}  // namespace seam::analyzer::test
