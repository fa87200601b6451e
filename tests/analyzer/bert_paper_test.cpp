// The encoder layer of "Data Movement Is All You Need", as the paper lists it: 46 operators, 32 launches, the words each moves, and how
// flop divides over classes. examples/bert_paper.graph is written by scripts/bert-paper, which states the flops per element.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "analyzer/group_cost.h"
#include "analyzer/shares.h"
#include "graph/text.h"

namespace seam::analyzer::test {
namespace {

const graph::Graph& layer() {
  static const graph::Graph graph = [] {
    std::ifstream in(std::filesystem::path(SEAM_EXAMPLES) / "bert_paper.graph");
    std::stringstream text;
    text << in.rdbuf();
    Result<graph::Graph> read = graph::read_graph(text.str(), "bert_paper.graph");
    if (!read) throw std::runtime_error(describe(read.error()));
    return *std::move(read);
  }();
  return graph;
}

constexpr double x = 8 * 512 * 1024, a = 16.0 * 8 * 512 * 512, u = 8.0 * 512 * 4096, n = 1024.0 * 1024, w = 1024.0 * 4096;

struct Row {
  double in, out;
};
/// Section 2.3 of the notes: words in and out, small vectors (biases, statistics, gains) aside.
const std::map<std::string, Row>& table() {
  static const std::map<std::string, Row> rows = {
      {"QKV/qkv", {x + 3 * n, 3 * x}},          {"AIB/input_bias", {3 * x, 3 * x}},
      {"QKT/qkt", {2 * x, a}},                  {"SM/scaled_softmax", {a, 3 * a}},
      {"GAMMA/gamma", {x + a, x}},              {"OUT/out", {x + n, x}},
      {"BDRLN1/out_bias", {x, x}},              {"BDRLN1/dropout", {x, 2 * x}},
      {"BDRLN1/residual", {2 * x, x}},          {"BDRLN1/layer_norm", {x, x}},
      {"LIN1/lin1", {x + w, u}},                {"BAD/bias", {u, u}},
      {"BAD/relu", {u, u}},                     {"BAD/dropout", {u, 2 * u}},
      {"LIN2/lin2", {u + w, x}},                {"BDRLN2/bias", {x, x}},
      {"BDRLN2/dropout", {x, 2 * x}},           {"BDRLN2/residual", {2 * x, x}},
      {"BDRLN2/layer_norm", {x, x}},            {"BSB/layer_norm_dw", {2 * x, 0}},
      {"BLNRD1/layer_norm_dx", {2 * x, x}},     {"BLNRD1/dropout_dx", {2 * x, x}},
      {"LIN2DX/lin2_dx", {x + w, u}},           {"LIN2DW/lin2_dw", {x + u, w}},
      {"BDRLB/bias2_dw", {x, 0}},               {"BDRLB/dropout_dx", {2 * u, u}},
      {"BDRLB/relu_dx", {2 * u, u}},            {"BDRLB/bias1_dw", {u, 0}},
      {"LIN1DX/lin1_dx", {u + w, x}},           {"LIN1DW/lin1_dw", {u + x, w}},
      {"EBSB/residual_dx", {2 * x, x}},         {"EBSB/layer_norm_dw", {2 * x, 0}},
      {"BLNRD2/layer_norm_dx", {2 * x, x}},     {"BLNRD2/dropout_dx", {2 * x, x}},
      {"BAOB/out_bias_dw", {x, 0}},             {"OUTDX/out_dx", {x + n, x}},
      {"OUTDW/out_dw", {2 * x, n}},             {"GAMMADX1/gamma_dx1", {2 * x, a}},
      {"GAMMADX2/gamma_dx2", {x + a, x}},       {"BS/softmax_dx", {3 * a, a}},
      {"QKTDX1/qkt_dx1", {x + a, x}},           {"QKTDX2/qkt_dx2", {x + a, x}},
      {"QKVDX/qkv_dx", {3 * x + 3 * n, x}},     {"QKVDW/qkv_dw", {4 * x, 3 * n}},
      {"BAIB/input_bias_dw", {3 * x, 0}},       {"BEI/residual_dx", {2 * x, x}},
  };
  return rows;
}

TEST(BertPaper, HasThePapersOperatorsAndLaunches) {
  std::map<std::string, int> kernels;
  std::size_t operators = 0;
  for (const OriginGroup& group : origin_groups(layer())) {
    ASSERT_TRUE(table().contains(group.scope)) << group.scope;
    ++operators;
    ++kernels[group.scope.substr(0, group.scope.find('/'))];
  }
  EXPECT_EQ(operators, 46U);
  EXPECT_EQ(kernels.size(), 32U);
}

TEST(BertPaper, EveryOperatorMovesThePapersWords) {
  double words_in = 0, words_out = 0;
  for (const OriginGroup& group : origin_groups(layer())) {
    const OpCost cost = cost_of_group(layer().computations[group.computation], group.ops);
    const Row& row = table().at(group.scope);
    // Vectors of up to 65,536 words (statistics of rows of attention) are what the paper leaves out.
    const double small = 2 * 65'536 + 16 * 1024;
    EXPECT_GE(static_cast<double>(cost.words_in), row.in) << group.scope;
    EXPECT_LE(static_cast<double>(cost.words_in), row.in + small) << group.scope;
    EXPECT_GE(static_cast<double>(cost.words_out), row.out) << group.scope;
    EXPECT_LE(static_cast<double>(cost.words_out), row.out + small) << group.scope;
    words_in += static_cast<double>(cost.words_in);
    words_out += static_cast<double>(cost.words_out);
  }
  double table_in = 0, table_out = 0;
  for (const auto& [scope, row] : table()) table_in += row.in, table_out += row.out;
  EXPECT_NEAR(words_in / table_in, 1, 0.002);
  EXPECT_NEAR(words_out / table_out, 1, 0.002);
}

TEST(BertPaper, FlopDividesAsInThePaper) {
  double all = 0;
  std::map<Class, double> flops;
  for (const Share& share : shares_of(layer())) {
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
