// verify() must refuse plans that were broken by hand, whatever made them.
#include <functional>

#include "support.h"

namespace seam::planner::test {
namespace {

Case softmax() { return planned(slurp(std::filesystem::path(SEAM_TEST_DIR) / "fig3.graph"), options_for("stitch", 20'480)); }
/// Without epilogues: a plan that begins and ends with kernels.
Case lr() {
  PlanOptions options = options_for("stitch");
  options.library_epilogues = false;
  return planned(slurp(std::filesystem::path(SEAM_TEST_DATA) / "xla" / "lr.step.hlo"), options);
}

Part& part(Case& c, std::size_t group = 0, std::size_t index = 0) { return c.plan.computations.back().groups.at(group).parts.at(index); }

PlannedOp& named(Case& c, Part& p, std::string_view name) {
  for (PlannedOp& op : p.ops)
    if (c.graph.entry_computation().ops[op.op].name == name) return op;
  throw std::runtime_error("no such op");
}

/// The complaint after breaking the plan; the unbroken one must be fine.
std::string broken(Case c, const std::function<void(Case&)>& hurt) {
  EXPECT_EQ(complaint(c), "");
  hurt(c);
  return complaint(c);
}

#define EXPECT_REFUSED(text, c, ...)                                            \
  do {                                                                          \
    const std::string said = broken(c, __VA_ARGS__);                            \
    EXPECT_NE(said.find(text), std::string::npos) << "said: '" << said << "'";  \
  } while (false)

TEST(Verify, AcceptsEveryPolicyOnEveryModule) {
  for (const auto& file : xla_modules())
    for (const char* policy : {"stitch", "xla2018", "none"}) EXPECT_EQ(complaint(planned(slurp(file), options_for(policy))), "") << file << " " << policy;
}

TEST(Verify, ReduceReadInsideMustBeKept) {
  EXPECT_REFUSED("cannot be inlined", softmax(), [](Case& c) { named(c, part(c), "Reduce.1").placement = Placement::Inline; });
  EXPECT_REFUSED("not kept on chip", softmax(), [](Case& c) {
    PlannedOp& op = named(c, part(c), "Reduce.1");
    op.placement = Placement::Output;
    op.output = true;
  });
}

TEST(Verify, KeptValuesStayInTheirBlock) {
  const Case rows = planned(R"(HloModule m
m { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] maximum(a, b) }
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[512,512] parameter(0)
  low = f32[] constant(-inf)
  z = f32[] constant(0)
  top = f32[512] reduce(x, low), dimensions={1}, to_apply=m
  tops = f32[512,512] broadcast(top), dimensions={0}
  d = f32[512,512] subtract(x, tops)
  p = f32[512,512] exponential(d)
  sum = f32[512] reduce(p, z), dimensions={1}, to_apply=s
  sums = f32[512,512] broadcast(sum), dimensions={0}
  ROOT q = f32[512,512] divide(p, sums)
})", options_for("stitch"));
  // One row per block, then the exponential by columns: as many blocks, other elements.
  EXPECT_REFUSED("another block owns", rows, [](Case& c) {
    Part& p = part(c);
    p.blocks = 512;
    p.shared_bytes = 4096;
    std::int64_t at = 0;
    for (PlannedOp& op : p.ops) {
      if (op.placement == Placement::Inline) continue;
      op.schedule = {ScheduleKind::Row, 0, 512};
      if (op.placement != Placement::Shared) continue;
      op.shared_bytes = c.graph.entry_computation().ops[op.op].shape.elements_count() / 512 * 4;
      op.shared_offset = at;
      at += (op.shared_bytes + 15) / 16 * 16;
    }
    ASSERT_EQ(complaint(c), "");
    named(c, p, "p").schedule = {ScheduleKind::Column, 1, 512};
  });
}

TEST(Verify, SchedulesDivideTheirDims) {
  EXPECT_REFUSED("does not divide", softmax(), [](Case& c) { named(c, part(c), "Reduce.1").schedule.sword = 511; });
  EXPECT_REFUSED("its part 512", softmax(), [](Case& c) { named(c, part(c), "Reduce.1").schedule.sword = 256; });
}

TEST(Verify, SharedMemoryFitsAndIsNotOverwritten) {
  EXPECT_REFUSED("which is still read", softmax(), [](Case& c) { named(c, part(c), "Exponential.1").shared_offset = named(c, part(c), "Reduce.1").shared_offset; });
  EXPECT_REFUSED("outside the part's", softmax(), [](Case& c) { part(c).shared_bytes = 64; });
  EXPECT_REFUSED("a block may have", softmax(), [](Case& c) { part(c).shared_bytes = 100'000; });
  EXPECT_REFUSED("its chunk has", softmax(), [](Case& c) { named(c, part(c), "Reduce.1").shared_bytes = 4; });
}

TEST(Verify, OpsStandOnceAndProducersFirst) {
  EXPECT_REFUSED("out of order", softmax(), [](Case& c) { std::swap(part(c).ops[0], part(c).ops[1]); });
  EXPECT_REFUSED("before anything computed it", softmax(), [](Case& c) {
    // Without it the reader would look for the value in memory.
    Part& p = part(c);
    std::erase_if(p.ops, [&](const PlannedOp& op) { return c.graph.entry_computation().ops[op.op].name == "Exponential.1"; });
  });
}

TEST(Verify, EverythingIsComputedBeforeItIsRead) {
  EXPECT_REFUSED("before anything computed it", lr(), [](Case& c) { std::swap(c.plan.computations.back().steps[0], c.plan.computations.back().steps[1]); });
  EXPECT_REFUSED("never launched", lr(), [](Case& c) { c.plan.computations.back().steps.pop_back(); });
  EXPECT_REFUSED("launched twice", lr(), [](Case& c) { c.plan.computations.back().steps.push_back(c.plan.computations.back().steps.back()); });
  EXPECT_REFUSED("is not there", lr(), [](Case& c) { c.plan.computations.back().steps.back().group = 99; });
}

TEST(Verify, ResultsAreWritten) {
  EXPECT_REFUSED("before anything computed it", lr(), [](Case& c) {
    FusionGroup& last = c.plan.computations.back().groups.back();
    last.parts.pop_back();
  });
  EXPECT_REFUSED("does not say how the entry", lr(), [](Case& c) { c.plan.computations.clear(); });
}

TEST(Verify, NamesAreUniqueIdentifiers) {
  EXPECT_REFUSED("is not a kernel's name", lr(), [](Case& c) { c.plan.computations.back().groups[0].name = "1 bad"; });
  EXPECT_REFUSED("two groups are named", lr(), [](Case& c) { c.plan.computations.back().groups[1].name = c.plan.computations.back().groups[0].name; });
  EXPECT_REFUSED("multiple of 32", lr(), [](Case& c) { c.plan.computations.back().groups[0].threads = 100; });
  EXPECT_REFUSED("lanes are", lr(), [](Case& c) { part(c).lanes = 16; });
}

constexpr const char* kUpdate = R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
ENTRY e {
  cache = f32[64,32] parameter(0)
  row = f32[1,32] parameter(1)
  at = s32[] parameter(2)
  zero = s32[] constant(0)
  new = f32[1,32] negate(row)
  u = f32[64,32] dynamic-update-slice(cache, new, at, zero)
  ROOT t = (f32[64,32]) tuple(u)
})";

TEST(Verify, UpdatesInPlaceOverwriteOnlyWhatTheyMay) {
  const Case c = planned(kUpdate, options_for("stitch"));
  ASSERT_EQ(c.plan.computations.back().groups.at(0).in_place.size(), 1U);
  EXPECT_EQ(c.plan.totals.bytes_written, 32 * 4);
  EXPECT_REFUSED("not the program's to change", c, [](Case& broken_case) { broken_case.graph.donated.clear(); });
  EXPECT_REFUSED("does not update", c, [](Case& broken_case) {
    broken_case.plan.computations.back().groups[0].in_place[0].second = broken_case.graph.entry_computation().find("row").value();
  });
  // Without a donation the result is an ordinary output.
  std::string text = kUpdate;
  text.erase(text.find(", input_output_alias"), std::string(", input_output_alias={ {0}: (0, {}, may-alias) }").size());
  const Case whole = planned(text, options_for("stitch"));
  EXPECT_TRUE(whole.plan.computations.back().groups.at(0).in_place.empty());
  EXPECT_EQ(complaint(whole), "");
}

constexpr const char* kScatter = R"(HloModule m
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  zero = f32[] constant(0)
  base = f32[100,8] broadcast(zero), dimensions={}
  indices = s32[16,1] parameter(0)
  rows = f32[16,8] parameter(1)
  twice = f32[16,8] add(rows, rows)
  ROOT u = f32[100,8] scatter(base, indices, twice), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=s
})";

TEST(Verify, ScattersOntoZerosNeedACopyFirst) {
  const Case c = planned(kScatter, options_for("stitch"));
  EXPECT_EQ(c.plan.totals.copies, 1);
  EXPECT_EQ(c.plan.totals.kernels, 1);
  EXPECT_REFUSED("a copy must fill it first", c, [](Case& broken_case) {
    std::erase_if(broken_case.plan.computations.back().steps, [](const Step& s) { return s.kind == StepKind::Copy; });
  });
  EXPECT_REFUSED("scatters into nothing", c, [](Case& broken_case) { broken_case.plan.computations.back().groups[0].in_place.clear(); });
}

}  // namespace
}  // namespace seam::planner::test
