/// A real compiler's module beside a plan: what is counted, what is refused, what is noted; ops outside kernels; tables over modules.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "graph/text.h"
#include "modules.h"
#include "report/comparison.h"
#include "report/compiler_result.h"
#include "report/module_table.h"
#include "report/optimize_json.h"
#include "report/page.h"
#include "report/plan_json.h"
#include "report/render.h"
#include "report/summary.h"
#include "support/schema.h"

namespace seam::report {
namespace {

using Json = nlohmann::json;

constexpr const char* kProgram = R"(HloModule square
ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  y = f32[64,64]{1,0} multiply(x, x)
  d = f32[64,64]{1,0} dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[64,64]{1,0} negate(d)
}
)";

/// As a compiler leaves it: two fusions, one library call, and whatever else a test adds before the root.
std::string optimized(const std::string& header = ", is_scheduled=true", const std::string& more = "", const std::string& type = "f32[64,64]{1,0}") {
  return "HloModule square" + header + "\nf { p = " + type + " parameter(0)\n  ROOT m = " + type + " multiply(p, p) }\ng { p = " + type + " parameter(0)\n  ROOT n = " + type + " negate(p) }\n" +
         "cond { s = (s32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(3)\n  ROOT l = pred[] compare(i, n), direction=LT }\n" +
         "body { s = (s32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  ROOT t = (s32[]) tuple(j) }\n" + "ENTRY main {\n  x = " + type +
         " parameter(0)\n  y = " + type + " fusion(x), kind=kLoop, calls=f\n  d = (" + type + ", s8[4096]{0}) custom-call(y, y), custom_call_target=\"__cublas$lt$matmul\"\n  e = " + type +
         " get-tuple-element(d), index=0\n" + more + "  ROOT z = " + type + " fusion(e), kind=kLoop, calls=g\n}\n";
}

graph::Graph program(const char* text = kProgram) {
  auto graph = graph::read_graph(text, "program.hlo");
  EXPECT_TRUE(graph) << (graph ? "" : describe(graph.error()));
  return *std::move(graph);
}

Result<CompilerResult> result_of(const std::string& text) { return compiler_result({text, "some/dir/square.h100.hlo"}, program(), "other/square.hlo"); }

TEST(CompilerResult, IsCountedAndCalledByItsFile) {
  const auto result = result_of(optimized());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->name, "h100") << "beside square, which names the table";
  EXPECT_EQ(result->file, "some/dir/square.h100.hlo");
  EXPECT_EQ(result->counts.kernels, 2);
  EXPECT_EQ(result->counts.library_calls, 1);
  EXPECT_EQ(result->counts.copies, 0);
  EXPECT_EQ(result->counts.kernel_bytes, 4 * 64 * 64 * 4);
  EXPECT_EQ(result->roof_floor, 2);
  EXPECT_EQ(result->notes, std::vector<std::string>{});
}

TEST(CompilerResult, OneBeforeOptimizationIsRefused) {
  for (const std::string& text : {std::string(kProgram), optimized("")}) {
    const auto result = result_of(text);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Error::Code::BadInput);
    EXPECT_NE(result.error().message.find("square.h100.hlo: this module is not optimized"), std::string::npos) << result.error().message;
  }
}

TEST(CompilerResult, OneForATpuIsRefused) {
  const auto result = result_of(optimized(", is_scheduled=true", "", "f32[64,64]{1,0:T(8,128)}"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("TPU"), std::string::npos) << result.error().message;
}

TEST(CompilerResult, OneForACpuIsRefused) {
  for (const char* op : {"  c = f32[64,64]{1,0} negate(y), backend_config={\"outer_dimension_partitions\":[\"4\"]}\n", "  c = f32[64,64]{1,0} custom-call(y, y), custom_call_target=\"__onednn$matmul\"\n"}) {
    const auto result = result_of(optimized(", is_scheduled=true", op));
    ASSERT_FALSE(result) << op;
    EXPECT_NE(result.error().message.find("CPU"), std::string::npos) << result.error().message;
  }
}

TEST(CompilerResult, SaysWhatLimitsTheComparison) {
  const auto noted = [](const std::string& text, const std::string& what) {
    const auto result = result_of(text);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(std::ranges::any_of(result->notes, [&](const std::string& note) { return note.find(what) != std::string::npos; })) << what;
  };
  noted(optimized(", is_scheduled=true", "  c = s32[] constant(0)\n  t = (s32[]) tuple(c)\n  w = (s32[]) while(t), condition=cond, body=body\n"), "1 of its loops does not say");
  noted(optimized(", is_scheduled=true", "  q = f32[64,64]{1,0} dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"), "1 product stands outside");
  noted(optimized(", is_scheduled=true", "", "f32[32,32]{1,0}"), "not this module's");
}

TEST(CompilerResult, FilesOfOneNameAreToldApart) {
  const std::vector<CompilerModule> modules = {{optimized(), "a/x.hlo"}, {optimized(), "b/x.hlo"}, {optimized(), "y.hlo"}, {optimized(), "square.hlo"}, {optimized(), "squared.hlo"}};
  const auto results = compiler_results(modules, program(), "square.hlo");
  ASSERT_TRUE(results);
  EXPECT_EQ(results->at(0).name, "a/x.hlo");
  EXPECT_EQ(results->at(1).name, "b/x.hlo");
  EXPECT_EQ(results->at(2).name, "y");
  EXPECT_EQ(results->at(3).name, "square");
  EXPECT_EQ(results->at(4).name, "squared") << "another name that begins alike";
}

TEST(Comparison, HasTheCompilersRowInEveryRendering) {
  OptimizeRequest request = test::request(kProgram, false);
  request.compilers = {{optimized(), "d/square.h100.hlo"}};
  const auto done = optimize(request);
  ASSERT_TRUE(done) << done.error().message;
  const Json json = Json::parse(optimize_json(*done));
  for (const std::string& problem : seam::test::schema_problems(json, "seam.optimize.schema.json")) ADD_FAILURE() << problem;
  const Json rows = json["comparison"]["rows"];
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[2]["policy"], "square.h100") << "test::request() optimizes a file of another name";
  EXPECT_EQ(rows[2]["kernels_and_copies"], 2);
  EXPECT_EQ(rows[2]["launches"], 3);
  EXPECT_TRUE(rows[2]["bytes_read"].is_null()) << "not known apart from what is written";
  EXPECT_EQ(rows[2]["bytes"], 4 * 64 * 64 * 4);
  EXPECT_EQ(json["plan"]["compare"][0]["kernels"], 2);
  EXPECT_NE(page(*done).find("<th scope=\"row\">square.h100</th>"), std::string::npos);
  EXPECT_NE(to_text(summary(*done)).find("\nsquare.h100 "), std::string::npos);
  request.compilers = {{kProgram, "square.hlo"}};
  EXPECT_FALSE(optimize(request)) << "not optimized";
}

TEST(OutsideKernels, EachHasItsReason) {
  // A complex multiply cannot be emitted; a product and a sort are library work by nature and not listed.
  const graph::Graph module = program(R"(HloModule m
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT l = pred[] compare(a, b), direction=LT }
ENTRY main {
  x = c64[64,64]{1,0} parameter(0)
  v = f32[64,64]{1,0} parameter(1)
  m = c64[64,64]{1,0} multiply(x, x)
  s = f32[64,64]{1,0} sort(v), dimensions={1}, to_apply=less
  n = f32[64,64]{1,0} negate(s)
  ROOT t = (c64[64,64]{1,0}, f32[64,64]{1,0}) tuple(m, n)
}
)");
  planner::PlanOptions options;
  options.device = *device_named("h100");
  const auto graph = planner::prepared(module, options);
  ASSERT_TRUE(graph);
  const auto plan = planner::make_plan(*graph, options);
  ASSERT_TRUE(plan);
  const auto outside = outside_kernels(*plan, *graph);
  ASSERT_EQ(outside.size(), 1U);
  EXPECT_EQ(outside[0].op, "m");
  EXPECT_EQ(outside[0].opcode, "multiply");
  EXPECT_NE(outside[0].reason.find("c64"), std::string::npos) << outside[0].reason;
  const Json json = Json::parse(plan_json(*plan, *graph));
  EXPECT_EQ(json["outside"][0]["op"], "m");
  for (const std::string& problem : seam::test::schema_problems(json, "seam.plan.schema.json")) ADD_FAILURE() << problem;
}

TEST(ModuleTable, OneRowEachAndNothingMixed) {
  planner::PlanOptions options;
  options.device = *device_named("h100");
  ModuleTable table{"h100", {"none", "xla2018", "stitch"}, {"h100.library"}, {}};
  for (const bool compared : {true, false}) {
    std::vector<std::optional<CompilerModule>> compilers(1);
    if (compared) compilers[0] = CompilerModule{optimized(), "square.step.h100.library.hlo"};
    auto row = module_row(compared ? "dir/square.step.hlo" : "alone.hlo", program(), options, table.policies, compilers);
    ASSERT_TRUE(row) << row.error().message;
    table.rows.push_back(*std::move(row));
  }
  const std::string text = to_text(to_table(table));
  EXPECT_NE(text.find("square.step  2+0+1  2+0+1    2+0+1         2+0+1       2   1.00         1.00  2 of 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("alone        2+0+1  2+0+1    unknown "), std::string::npos) << text;
  EXPECT_NE(text.find("alone: there is no h100.library."), std::string::npos) << text;
  const Json json = Json::parse(module_table_json(table));
  for (const std::string& problem : seam::test::schema_problems(json, "seam.plans.schema.json")) ADD_FAILURE() << problem;
  EXPECT_EQ(json["modules"][0]["compare"][0]["launches"], 3);
  EXPECT_EQ(json["modules"][0]["compare"][0]["name"], "h100.library");
  EXPECT_TRUE(json["modules"][1]["compare"][0].is_null());
  EXPECT_EQ(json["modules"][1]["policies"][2]["policy"], "stitch");
}

}  // namespace
}  // namespace seam::report
