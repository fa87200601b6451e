// The HLO reader where goldens would be long: names, errors with places, damage, speed.
#include <ctime>
#include <random>

#include "graph/verify.h"
#include "support.h"

namespace seam::graph::test {
namespace {

TEST(Hlo, OpsWithoutNamesGiveWayToLaterOnesThatHaveThem) {
  const Graph graph = module(R"(ENTRY e {
  p = f32[2] parameter(0)
  a = f32[2] add(negate(p), negate(p))
  negate = f32[2] abs(a)
  negate.1 = f32[2] abs(negate)
  ROOT r = f32[2] add(negate, negate.1) })");
  const Computation& entry = graph.entry_computation();
  EXPECT_EQ(entry.ops[entry.find("negate").value()].opcode, Opcode::Abs);
  EXPECT_EQ(entry.ops.size(), 7U);
  EXPECT_TRUE(parse_hlo(print_hlo(graph), "again").value() == graph);
}

TEST(Hlo, InlineBodiesGiveWayToo) {
  const Graph graph = module(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply={ a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT s = add(a, b) }
})");
  EXPECT_EQ(graph.computations.size(), 2U);
  EXPECT_TRUE(parse_hlo(print_hlo(graph), "again").value() == graph);
}

TEST(Hlo, WithoutEntryTheLastComputationIsIt) {
  const Graph graph = module("a { ROOT x = f32[] parameter(0) }\nb { ROOT y = f32[2] parameter(0) }");
  EXPECT_EQ(graph.entry_computation().name, "b");
}

TEST(Hlo, SeveralModulesInOneFile) {
  constexpr std::string_view kTwo = "// RUN: x\nHloModule a\nENTRY e { ROOT x = f32[] parameter(0) }\n// -----\n// note\nHloModule b\nENTRY e { ROOT x = f32[] parameter(0) }\n// -----\n// nothing here\n";
  const Result<std::vector<Graph>> graphs = parse_hlo_modules(kTwo, "two.hlo");
  ASSERT_TRUE(graphs);
  ASSERT_EQ(graphs->size(), 2U);
  EXPECT_EQ((*graphs)[1].name, "b");
  EXPECT_EQ((*graphs)[1].entry_computation().ops[Id<Op>(0)].at.line, 7);
  EXPECT_NE(refusal(kTwo).find("2 modules"), std::string::npos);
}

struct Bad {
  const char* text;
  const char* says;  ///< with its place
};

// Most are public reports of readers that died on these (openxla/xla 49227, 46955, 45821, 45871, 45559, 46606).
TEST(Hlo, RefusesWithAPlace) {
  const Bad cases[] = {
      {"", "empty"},
      {"HloModule m", "m.hlo:1:12: this module has no computation"},
      {"ENTRY e { p = f32[4] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply={%missing} }", "m.hlo:3:57: no computation named 'missing'"},
      {"ENTRY e { p = f32[4,8] parameter(0)\n ROOT r = f32[31] reshape(p) }", "m.hlo:2:7: reshape 'r': makes f32[31] elements of f32[4,8]"},
      {"ENTRY e { p = f32[4,8] parameter(0)\n ROOT r = f32[8,4] transpose(p), dimensions={} }", "m.hlo:2:7: transpose 'r'"},
      {"ENTRY e { p = f32[4,8] parameter(0)\n ROOT r = f32[8,4] transpose(p), dimensions={1,7} }", "names dimension 7 of rank 2"},
      {"ENTRY e { p = f32[4] parameter(0)\n ROOT r = f32[4] reverse(p), dimensions={9999999999999999999} }", "m.hlo:2:42: a number does not fit into 64 bits"},
      {"ENTRY e { ROOT c = f32[] conditional() }", "has 0 branches"},
      {"ENTRY e { ROOT r = u32[4] rng-bit-generator(), algorithm=rng_three_fry }", "takes 1 operand, it has 0"},
      {"ENTRY e { p = f32[4] parameter(0)\n ROOT r = f32[4] add(p) }", "takes 2 operands, it has 1"},
      {"ENTRY e { p = f32[4] parameter(0)\n p = f32[4] negate(p) }", "m.hlo:2:2: op 'p' is defined twice"},
      {"ENTRY e { p = f32[4] parameter(1) }", "parameter(1)"},
      {"ENTRY e { p = f32[4] parameter(99999999999) }", "fewer parameters"},
      {"ENTRY e { p = f32[4]{0,0} parameter(0) }", "layout names dimension 0 of a shape of rank 1 twice"},
      {"ENTRY e { p = f32[4]{1} parameter(0) }", "layout names dimension 1"},
      {"ENTRY e { p = f99[4] parameter(0) }", "m.hlo:1:15: unknown opcode 'f99'"},
      {"ENTRY e { p = f32[4] paramter(0) }", "m.hlo:1:22: unknown opcode 'paramter'"},
      {"ENTRY e { c = f32[2,2] constant({{1,2},{3}}) }", "dimension 1 of f32[2,2] holds 1 elements"},
      {"ENTRY e { c = s8[] constant(128) }", "128 does not fit into s8"},
      {"ENTRY e { c = u8[] constant(-1) }", "'-1' is not an integer"},
      {"ENTRY e { c = f32[999999999,999999999] constant(0) }", "too large"},
      {"ENTRY e { c = f32[999999999999,999999999999] parameter(0) }", "more elements than any device can hold"},
      {"ENTRY e { p = f32[4] parameter(0)\n ROOT r = f32[2] slice(p), slice={[3:1]} }", "m.hlo:2:7: slice 'r': bounds [3:1:1]"},
      {"ENTRY e { p = f32[4] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[4] pad(p, z), padding=0_9223372036854775807 }", "too large"},
      {"ENTRY e { p = (f32[4], s32[]) parameter(0)\n ROOT r = f32[4] get-tuple-element(p), index=2 }", "takes element 2"},
      {"ENTRY e { p = f32[4] parameter(0), metadata={op_name=\"x }", "never closed"},
      {"ENTRY e { p = f32[4] parameter(0), a=1, a=2 }", "m.hlo:1:43: attribute 'a' is given twice"},
      {"ENTRY e { p = f32[4] parameter(0) }\nENTRY f { p = f32[4] parameter(0) }", "one ENTRY"},
      {"ENTRY e { ROOT p = f32[4] parameter(0)\n ROOT q = f32[4] negate(p) }", "one ROOT"},
      {"ENTRY e () -> f32[5] { ROOT p = f32[4] parameter(0) }", "returns f32[5]"},
      {"HloModule m, input_output_alias={ {0}: (zero, {}) }\nENTRY e { p = f32[4] parameter(0) }", "m.hlo:1:41: expected a parameter number, found 'zero'"},
      {"ENTRY e { p = f32[1,4,1] parameter(0)\n k = f32[2,1,1] parameter(1)\n ROOT c = convolution(p, k), window={size=2 stride=1x1}, dim_labels=b0f_0io->b0f }", "differ in their number of dimensions"},
      {"ENTRY e { p = f32[1,4,1] parameter(0)\n k = f32[2,1,1] parameter(1)\n ROOT c = convolution(p, k), window={size=2}, dim_labels=b00_0io->b0f }", "labelled twice"},
      {"b { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\nENTRY e { p = f32[] parameter(0)\n ROOT w = f32[] while(p), condition=b, body=b }", "its condition returns f32[] and not pred[]"},
  };
  for (const Bad& bad : cases) {
    EXPECT_NE(refusal(bad.text).find(bad.says), std::string::npos) << bad.text << "\n → " << refusal(bad.text);
  }
}

TEST(Hlo, BinaryFilesAreNamed) {
  EXPECT_EQ(refusal(std::string_view("SQLite format 3\0more", 20)),
            "m.hlo: this is a SQLite database (a Nsight Systems export or a .seam run); modules are read as HLO text, .graph text and graphs of PyTorch's compiler");
  EXPECT_NE(refusal(std::string_view("\x08\x07\x12\x07pytorch", 11)).find("binary protobuf"), std::string::npos);
  EXPECT_NE(refusal("module @jit { func.func public @main() }").find("MLIR"), std::string::npos);
}

TEST(Hlo, DeepNestingIsRefusedNotDied) {
  const std::string shape = std::string(200'000, '(') + "f32[]" + std::string(200'000, ')');
  EXPECT_NE(refusal("ENTRY e { p = " + shape + " parameter(0) }").find("too deeply"), std::string::npos);
  std::string nested = "p";
  for (int i = 0; i < 5000; ++i) nested = "negate(" + nested + ")";
  EXPECT_NE(refusal("ENTRY e { p = f32[2] parameter(0)\n ROOT r = f32[2] negate(" + nested + ") }").find("too deeply"), std::string::npos);
  EXPECT_FALSE(refusal("ENTRY e { c = f32[1] constant(" + std::string(200'000, '{') + ") }").empty());
  std::string calls = "c0 { ROOT p = f32[] parameter(0) }\n";
  for (int i = 1; i < 3000; ++i) {
    calls += "c" + std::to_string(i) + " { p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=c" + std::to_string(i - 1) + " }\n";
  }
  EXPECT_NE(refusal(calls).find("deep"), std::string::npos);
}

TEST(Hlo, CallsThatDoubleAreRefusedNotWalked) {
  std::string calls = "c0 { p = f32[] parameter(0)\n ROOT r = f32[] tanh(p) }\n";
  for (int i = 1; i < 100; ++i) {
    const std::string below = "to_apply=c" + std::to_string(i - 1);
    calls += "c" + std::to_string(i) + " { p = f32[] parameter(0)\n q = f32[] call(p), " + below + "\n ROOT r = f32[] call(q), " + below + " }\n";
  }
  EXPECT_NE(refusal(calls + "ENTRY e { p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=c99 }").find("more than 4000000 ops"), std::string::npos);
}

TEST(Hlo, AByteOrderMarkIsNoText) {
  EXPECT_EQ(refusal("\xef\xbb\xbfHloModule m\nENTRY e { ROOT p = f32[2] parameter(0) }"), "");
}

/// Cuts, swaps and overwrites pieces of real modules: whatever comes out is read or refused with a place, and what reads
/// survives everything that is done with modules.
TEST(Hlo, DamagedModulesNeverCrash) {
  std::mt19937 random(20261130);
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  constexpr std::string_view kNoise = "{}()[],=%:x_-<>?\"'0123456789 \nROOTENTRYaddf32s8";
  std::vector<std::string> originals;
  for (const char* name : {"lr.step", "dlrm.infer", "nmt.decode", "gpt2_block.decode"}) {
    originals.push_back(slurp(std::string(SEAM_TEST_DATA "/xla/") + name + ".hlo"));
  }
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 600; ++round) {
    std::string text = originals[static_cast<std::size_t>(round) % originals.size()];
    for (std::size_t damage = 1 + below(3); damage-- > 0;) {
      const std::size_t at = below(text.size()), length = below(40);
      switch (below(5)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, text.substr(below(text.size()), length)); break;
        case 2: text[at] = kNoise[below(kNoise.size())]; break;
        case 3: text.resize(at); break;
        default: text.replace(at, length, std::string(below(8), kNoise[below(kNoise.size())]));
      }
      if (text.empty()) text = "x";
    }
    const Result<Graph> graph = read_graph(text, "damaged.hlo");
    if (!graph) {
      EXPECT_FALSE(graph.error().message.empty());
      EXPECT_TRUE(graph.error().at) << graph.error().message;
      ++refused;
      continue;
    }
    EXPECT_TRUE(parse_hlo(print_hlo(*graph), "printed").value() == *graph);
    const Result<Graph> own = parse_graph(print_graph(*graph), "printed");
    ASSERT_TRUE(own) << describe(own.error());
    EXPECT_TRUE(*own == *graph);
    ++read;
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(read, 20U);
}

TEST(GraphText, DamagedTextNeverCrashes) {
  std::mt19937 random(7);
  const std::string original = print_graph(module(slurp(SEAM_TEST_DATA "/xla/lr.step.hlo")));
  for (int round = 0; round < 400; ++round) {
    std::string text = original;
    const std::size_t at = random() % text.size();
    if (round % 3 == 0) {
      text.resize(at);
    } else if (round % 3 == 1) {
      text.erase(at, random() % 30);
    } else {
      text[at] = "{}%=:@|x\n"[random() % 9];
    }
    const Result<Graph> graph = parse_graph(text, "damaged.graph");
    if (graph) {
      const Result<Graph> again = parse_graph(print_graph(*graph), "printed");
      ASSERT_TRUE(again) << describe(again.error());
      EXPECT_TRUE(*again == *graph);
    } else {
      EXPECT_TRUE(graph.error().at) << graph.error().message;
    }
  }
}

TEST(GraphText, ShapesMayBeLeftOutByHand) {
  const Graph graph = module("graph \"hand\"\ncomputation %c {\n %x: f32[2,3] = parameter 0\n %y = transpose %x dimensions={1,0}\n root %z = negate %y\n}");
  EXPECT_EQ(print(graph.entry_computation().ops[Id<Op>(2)].shape), "f32[3,2]");
}

// A graph that no text was read for carries its donations and frames too.
TEST(GraphText, CarriesWhatNoHeaderStates) {
  Graph graph = module("ENTRY e { ROOT p = f32[2] parameter(0) }");
  graph.name = "made";
  graph.is_scheduled = true;
  graph.donated = {{0, 0}};
  graph.frames = {{"a.py", "main", 1, 2, 0}, {"b.py", "loss", 7, 1, 1}};
  const Result<Graph> again = parse_graph(print_graph(graph), "made");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_TRUE(*again == graph);
  EXPECT_EQ(parse_hlo(print_hlo(graph), "made")->frames, graph.frames);
}

/// A module of `count` chained ops.
std::string chain(std::size_t count) {
  std::string text = "HloModule chain\nENTRY e {\n  v0 = f32[128,256]{1,0} parameter(0)\n";
  for (std::size_t i = 1; i <= count; ++i) {
    text += "  v" + std::to_string(i) + " = f32[128,256]{1,0} add(v" + std::to_string(i - 1) + ", v" + std::to_string(i / 2) +
            "), metadata={op_name=\"jit(step)/layer/add\" stack_frame_id=1}\n";
  }
  return text + "}\n";
}

TEST(Hlo, ReadsInLinearTime) {
  const auto ticks = [](const std::string& text) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const std::clock_t start = std::clock();  // processor time: a busy machine changes nothing
      EXPECT_TRUE(parse_hlo(text, "chain"));
      best = std::min(best, static_cast<double>(std::clock() - start));
    }
    return best;
  };
  const std::string half = chain(20'000), whole = chain(40'000);
  const double ratio = ticks(whole) / ticks(half);
  EXPECT_LT(ratio, 3.5) << "twice the text took " << ratio << " times as long";
}

TEST(Dot, ShowsClustersAndBytes) {
  const std::string dot = print_dot(module("ENTRY e { p = f32[256] parameter(0)\n ROOT n = f32[256] negate(p) }"));
  EXPECT_NE(dot.find("subgraph cluster_0"), std::string::npos);
  EXPECT_NE(dot.find("n0_0 -> n0_1 [label=\"1.0 KiB\"]"), std::string::npos) << dot;
}

}  // namespace
}  // namespace seam::graph::test
