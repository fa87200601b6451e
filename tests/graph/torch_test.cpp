// Graphs of PyTorch's compiler as text: every stage reads, what is wrong is said, borders lie as PyTorch lays them out.
#include <algorithm>
#include <map>

#include "graph/torch.h"
#include "graph/torch_program.h"
#include "graph/transform.h"
#include "graph/verify.h"
#include "graph/views.h"
#include "support.h"

namespace seam::graph::test {
namespace {

const std::filesystem::path kGraphs = std::filesystem::path(SEAM_UNPACKED) / "fx";

std::vector<std::filesystem::path> graphs() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(kGraphs))
    if (entry.path().extension() == ".txt") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

TorchOptions sized(std::int64_t size) {
  TorchOptions out;
  out.sizes = {{"s17", size}, {"s77", size}};
  return out;
}

std::map<Opcode, int> histogram(const Graph& graph) {
  std::map<Opcode, int> out;
  for (const Op& op : graph.entry_computation().ops) ++out[op.opcode];
  return out;
}

std::string message(std::string_view text, const TorchOptions& options = {}) {
  const auto graph = parse_torch(text, "g.txt", options);
  return graph ? "" : describe(graph.error());
}

/// One forward() of two f32[4,6] tensors.
std::string forward(const std::string& body) {
  return "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4, 6][6, 1]cuda:0\", y: \"f32[4, 6][6, 1]cuda:0\"):\n        # File: m.py:7 in f, code: g\n" + body;
}

TEST(Torch, EveryStageOfEveryProgramReads) {
  const auto files = graphs();
  ASSERT_EQ(files.size(), 41U);
  for (const auto& file : files) {
    const auto graph = parse_torch(slurp(file), file.string(), sized(2));
    ASSERT_TRUE(graph) << describe(graph.error());
    const auto sound = verify(*graph);
    ASSERT_TRUE(sound) << describe(sound.error());
    EXPECT_EQ(text_format(slurp(file)), TextFormat::Torch);
    for (const OpaqueOp& op : opaque_ops(*graph)) EXPECT_NE(op.target.find("scaled_dot_product"), std::string::npos) << file << ": " << op.target << ": " << op.reason;
    const auto again = parse_graph(print_graph(*graph), "again");
    ASSERT_TRUE(again) << describe(again.error());
    EXPECT_TRUE(*again == *graph) << file;
  }
}

TEST(Torch, ASymbolicSizeGivesTheGraphOfThatSize) {
  for (const auto& [dynamic, fixed, size] : {std::tuple{"mlp_b64.dyn_fw.txt", "mlp_b64.fw.txt", 64}, {"mlp_b64.dyn_bw.txt", "mlp_b64.bw.txt", 64}, {"mlp_b64.dyn_dynamo.txt", "mlp_b64.dynamo.txt", 64},
                                             {"bert_large_b2s64_f32.dyn_fw.txt", "bert_large_b2s64_f32.fw.txt", 2}}) {
    const auto open = parse_torch(slurp(kGraphs / dynamic), dynamic, sized(size));
    const auto closed = parse_torch(slurp(kGraphs / fixed), fixed);
    ASSERT_TRUE(open && closed);
    EXPECT_EQ(histogram(without_dead_code(*open)), histogram(without_dead_code(*closed))) << dynamic;
  }
}

TEST(Torch, LogsHoldGraphsByName) {
  const std::string log = slurp(kGraphs / "mlp_b64.torch_trace.log");
  std::vector<std::string> names;
  for (const TorchGraphText& graph : torch_graphs(log)) names.push_back(graph.name);
  EXPECT_EQ(names, (std::vector<std::string>{"dynamo_output_graph 0/0", "before_pre_grad_graph 0/0", "after_pre_grad_graph 0/0", "aot_joint_graph 0/0", "aot_forward_graph 0/0", "aot_backward_graph 0/0",
                                             "before_post_grad_graph 0/0", "inductor_post_grad_graph 0/0", "before_post_grad_graph 0/0", "inductor_post_grad_graph 0/0"}));
  TorchOptions options;
  options.graph = "aot_forward_graph";
  const auto graph = parse_torch(log, "log", options);
  ASSERT_TRUE(graph) << describe(graph.error());
  const auto printed = parse_torch(slurp(kGraphs / "mlp_b64.fw.txt"), "fw");
  ASSERT_TRUE(printed);
  EXPECT_EQ(histogram(*graph)[Opcode::Dot], histogram(*printed)[Opcode::Dot]);
  EXPECT_NE(message(log).find("10 graphs; choose one with --graph"), std::string::npos);
  options.graph = "nothing";
  EXPECT_NE(message(log, options).find("no graph is called 'nothing'"), std::string::npos);
  // TORCH_LOGS puts the same prefix before every line.
  std::string prefixed = "V0521 11:50:41.782000 3054118 torch/x.py:214] [0/0] [__aot_graphs] ===== Forward graph 0 =====\n";
  const std::string bare = forward("        add: \"f32[4, 6]\" = torch.ops.aten.add.Tensor(x, y)\n        return (add,)\n");
  for (std::size_t at = 0; at < bare.size();) {
    const std::size_t end = bare.find('\n', at);
    prefixed += "V0521 11:50:41.782000 3054118 torch/x.py:214] [0/0] [__aot_graphs] " + bare.substr(at, end - at) + "\n";
    at = end + 1;
  }
  EXPECT_EQ(message(prefixed), "");
  EXPECT_EQ(torch_graphs(prefixed).at(0).name, "Forward graph 0");
}

/// The functions and powers that SymPy prints into dims and strides of dynamic graphs, as Python computes them; a name before a parenthesis is
/// no size to ask for, nor is the symbol of a float.
TEST(Torch, SizesAreReadAsSymPyPrintsThem) {
  const std::map<std::string, std::int64_t> sizes = {{"s0", 7}, {"s1", 3}};
  const auto value = [&](const std::string& text) -> std::optional<std::int64_t> {
    std::vector<std::string> missing;
    const std::optional<torch::Annotation> read = torch::read_annotation("Sym(" + text + ")", sizes, missing);
    EXPECT_TRUE(missing.empty()) << text;
    return read ? read->symbol : std::nullopt;
  };
  EXPECT_EQ(value("8*Max(1, (s0//2))**2"), 72);
  EXPECT_EQ(value("Max(1, s0 - 9, 2)"), 2);
  EXPECT_EQ(value("Min(s0, s1)"), 3);
  EXPECT_EQ(value("-s1**2"), -9);
  EXPECT_EQ(value("-s0//2"), -4);
  EXPECT_EQ(value("(-s0)//2"), -4);
  EXPECT_EQ(value("PythonMod(-s0, s1)"), 2);
  EXPECT_EQ(value("s0 % s1"), 1);
  EXPECT_EQ(value("CeilDiv(s0, s1)"), 3);
  EXPECT_EQ(value("CleanDiv(6*s0, s1)"), 14);
  EXPECT_EQ(value("FloorDiv(s0, s1)"), 2);
  EXPECT_EQ(value("s0**64"), std::nullopt);
  EXPECT_EQ(value("s0//0"), std::nullopt);
  EXPECT_EQ(value("Max()"), std::nullopt);
  EXPECT_EQ(value("-(0 - 9223372036854775807 - 1)"), std::nullopt);
  for (const char* real : {"zf66", "ToFloat(s0)", "FloatTrueDiv(2.0, ToFloat(s0) - 1.0)", "0.100000000000000"}) EXPECT_EQ(value(real), std::nullopt) << real;
}

TEST(Torch, SizesToGiveAreListedWhereTheirGraphStands) {
  const std::string two = message("\n\ndef forward(self, x: \"f32[s0, Max(1, s1)]\"):\n    a = torch.ops.aten.relu.default(x)\n    return (a,)\n");
  EXPECT_NE(two.find("s0, s1; give them, as in --size s0=64 --size s1=64"), std::string::npos) << two;
  EXPECT_NE(two.find("g.txt:3:"), std::string::npos) << two;
}

TEST(Torch, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_NE(message(forward("        a: \"f32[4, 6]\" = torch.ops.aten.add.Tensor(x, z)\n        return (a,)\n")).find("g.txt:4:9: nothing defines 'z'"), std::string::npos);
  EXPECT_NE(message("def forward(self, x):\n    a = torch.ops.aten.relu.default(x)\n    return (a,)\n").find("'x' has no shape in this text"), std::string::npos);
  EXPECT_NE(message("def forward(self, x: \"f32[s0, 4]\"):\n    a = torch.ops.aten.relu.default(x)\n    return (a,)\n").find("only known when it runs: s0; give them, as in --size s0=64"), std::string::npos);
  EXPECT_NE(message(forward("        a = torch.ops.my.op.default(x)\n        return (a,)\n")).find("no known meaning), and the text states no shape"), std::string::npos);
  EXPECT_NE(message(forward("        a = x + y + x\n        return (a,)\n")).find("expected the end of the line"), std::string::npos);
  EXPECT_NE(message(forward("        a: \"f32[4, 6]\" = torch.ops.aten.add.Tensor(x, y)\n")).find("no complete graph in this text"), std::string::npos);
  EXPECT_NE(message(forward("        v: \"f32[6]\" = torch.ops.aten.select.int(x, 0, 1)\n        w: \"f32[6]\" = torch.ops.aten.add_.Tensor(v, 1)\n        return (w, x)\n")).find("writes memory that 'x' shows as well"),
            std::string::npos);
}

TEST(Torch, WhatHasNoMeaningStaysOpaqueWithItsShape) {
  const auto graph = parse_torch(forward("        s = torch.ops.aten.sort.default(x)\n        v: \"f32[4, 6]\" = s[0]\n        i: \"i64[4, 6]\" = s[1]\n        w: \"f32[6, 4][1, 6]cuda:0\" = torch.ops.my.op.default(v)\n"
                                         "        a: \"f32[6, 4]\" = torch.ops.aten.relu.default(w)\n        return (a, i)\n"),
                                 "g.txt");
  ASSERT_TRUE(graph) << describe(graph.error());
  EXPECT_TRUE(verify(*graph));
  ASSERT_EQ(opaque_ops(*graph).size(), 2U);
  EXPECT_EQ(opaque_ops(*graph)[0].target, "aten.sort.default");
  // An annotation that contradicts the operator takes its meaning away: one of the two is wrong.
  const auto wrong = parse_torch(forward("        a: \"f32[4, 7]\" = torch.ops.aten.add.Tensor(x, y)\n        return (a,)\n"), "g.txt");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(opaque_ops(*wrong).at(0).reason, "the text says f32[4,7], its operands give f32[4,6]");
}

TEST(Torch, PermutedTensorsAreReadAndReturnedAsTheyLie) {
  const auto graph = parse_torch("def forward(self, x: \"f32[6, 4][1, 6]\", y: \"f32[6, 4][1, 6]\"):\n    a: \"f32[6, 4][1, 6]\" = torch.ops.aten.add.Tensor(x, y)\n    t: \"f32[4, 6][6, 1]\" = torch.ops.aten.t.default(a)\n"
                                 "    s: \"f32[4][6]\" = torch.ops.aten.select.int(t, 1, 2)\n    return (a, t, s)\n",
                                 "g.txt");
  ASSERT_TRUE(graph) << describe(graph.error());
  EXPECT_EQ(histogram(*graph)[Opcode::Transpose], 0);  // nothing is moved
  EXPECT_EQ(view_of(*graph, Border::Input, 0), (StridedView{{6, 4}, {1, 6}, 0}));
  EXPECT_EQ(view_of(*graph, Border::Output, 0), (StridedView{{6, 4}, {1, 6}, 0}));
  EXPECT_EQ(view_of(*graph, Border::Output, 1), std::nullopt);
  EXPECT_EQ(view_of(*graph, Border::Output, 2), (StridedView{{4}, {6}, 2}));
}

TEST(Torch, WrittenParametersAreOutputsThatTakeTheirMemory) {
  const auto graph = parse_torch(forward("        a: \"f32[4, 6]\" = torch.ops.aten.mul.Tensor(x, 2)\n        c: \"f32[4, 6]\" = torch.ops.aten.copy_.default(y, a)\n        return (a,)\n"), "g.txt");
  ASSERT_TRUE(graph) << describe(graph.error());
  EXPECT_EQ(graph->donated, (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}}));
}

TEST(Torch, RandomNumbersArePhilox) {
  const auto graph = parse_torch("def forward(self):\n    r: \"f32[2]\" = torch.ops.aten.rand.default([2], dtype = torch.float32)\n    return (r,)\n", "g.txt");
  ASSERT_TRUE(graph) << describe(graph.error());
  ASSERT_EQ(graph->entry_computation().parameters.size(), 1U);
  const Value seed = value("s64[1]", {0});
  const auto out = evaluate(*graph, std::vector{seed});
  ASSERT_TRUE(out) << describe(out.error());
  // Random123's known answer for counter 0 and key 0 begins with 6627e8d5; Triton makes a float of it so.
  EXPECT_EQ(static_cast<float>(out->elements[0].numbers[0]), static_cast<float>(0x6627e8d5) * 4.6566127342e-10F);
  EXPECT_NE(out->elements[0].numbers[0], out->elements[0].numbers[1]);
}

TEST(Views, ReshapedViewsShowTheSameElements) {
  // Every view of 24 elements by permutation, reshaped to every factorization: where strides can say it, the elements are those of the copy.
  Array memory = make_array(DType::F32, {2, 3, 4});
  for (std::int64_t i = 0; i < 24; ++i) store_from_double(DType::F32, &memory.data[static_cast<std::size_t>(i) * 4], static_cast<double>(i));
  const StridedView dense = dense_view(memory.dims);
  int possible = 0;
  std::vector<std::size_t> order = {0, 1, 2};
  do {
    StridedView view;
    for (const std::size_t k : order) {
      view.dims.push_back(dense.dims[k]);
      view.strides.push_back(dense.strides[k]);
    }
    const Array shown = seen_through(view, memory).value();
    for (const auto& dims : {std::vector<std::int64_t>{24}, {6, 4}, {4, 6}, {2, 12}, {12, 2}, {8, 3}, {2, 3, 4}, {1, 24}, {2, 2, 2, 3}, {3, 1, 8}}) {
      const auto other = reshaped(view, dims);
      if (!other) continue;
      ++possible;
      EXPECT_EQ(seen_through(*other, memory).value().data, shown.data);
      EXPECT_EQ(stored_through(view, shown, make_array(DType::F32, memory.dims)).value().data, memory.data);
    }
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(possible, 14);
  EXPECT_FALSE(seen_through({{25}, {1}, 0}, memory));
  EXPECT_FALSE(seen_through({{2}, {1}, 23}, memory));
}

}  // namespace
}  // namespace seam::graph::test
