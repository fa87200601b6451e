// Schedules, their propagation and dominance, against definitions written out elementwise.
#include <fmt/core.h>

#include <random>
#include <set>

#include "graph/evaluate.h"
#include "schedule/dominance.h"
#include "schedule/ownership.h"
#include "support.h"

namespace seam::planner::test {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Schedule, LegalSpaceIsThePapers) {
  // Row: sums of divisors per dim; the whole value in one block is always legal.
  const std::vector<Schedule> all = legal_schedules({4, 6});
  EXPECT_EQ(all.size(), 2U * (3 + 4));
  EXPECT_EQ(blocks_of({4, 6}, {ScheduleKind::Row, 1, 3}), 12);
  EXPECT_EQ(blocks_of({4, 6}, {ScheduleKind::Column, 0, 2}), 12);
  EXPECT_EQ(blocks_of({4, 6}, {ScheduleKind::Row, 0, 1}), 1);
}

TEST(Schedule, RoundTripsThroughColumnsAndBlocks) {
  for (const Dims& dims : {Dims{8, 512, 1024}, Dims{7}, Dims{3, 5, 7}, Dims{1, 6}, Dims{}}) {
    for (const Schedule& s : legal_schedules(dims)) {
      const std::int64_t columns = columns_of(dims, s), blocks = blocks_of(dims, s);
      const auto again = schedule_for(dims, columns, blocks);
      ASSERT_TRUE(again.has_value());
      // One block owns everything, whatever the columns.
      if (blocks > 1) {
        EXPECT_EQ(columns_of(dims, *again), columns);
      }
      EXPECT_EQ(blocks_of(dims, *again), blocks);
    }
  }
}

std::int64_t owner(std::int64_t element, std::int64_t columns, std::int64_t blocks) { return element % columns / (columns / blocks); }

/// Which operand element each output element of a one-op module is, found by evaluating it on an iota: the output names the element.
std::vector<std::set<std::int64_t>> dependences(const std::string& attributes, const std::string& opcode, const std::string& in, const std::string& out) {
  const graph::Graph g = module(fmt::format("HloModule m\nENTRY e {{\n  x = s32[{}] parameter(0)\n  ROOT y = s32[{}] {}(x){}\n}}\n", in, out, opcode, attributes));
  const graph::Computation& c = g.entry_computation();
  graph::Value x;
  x.shape = c.ops[c.parameters[0]].shape;
  for (std::int64_t i = 0; i < x.shape.elements_count(); ++i) x.integers.push_back(i);
  const graph::Value* operands[] = {&x};
  const auto y = graph::evaluate_op(g, c, c.ops[c.root], operands, graph::Rounding::Wide);
  if (!y) throw std::runtime_error(describe(y.error()));
  std::vector<std::set<std::int64_t>> out_sets;
  for (const std::int64_t v : y->integers) out_sets.push_back({v});
  return out_sets;
}

/// propagate() says which elements of the operand a block needs; every element must lie in the block it says.
void check(const std::string& opcode, const std::string& attributes, const std::string& in, const std::string& out) {
  const std::vector<std::set<std::int64_t>> needs = dependences(attributes, opcode, in, out);
  const graph::Graph g = module(fmt::format("HloModule m\nENTRY e {{\n  x = s32[{}] parameter(0)\n  ROOT y = s32[{}] {}(x){}\n}}\n", in, out, opcode, attributes));
  const graph::Computation& c = g.entry_computation();
  const graph::Op& op = c.ops[c.root];
  for (const Schedule& s : legal_schedules(op.shape.dims)) {
    const std::int64_t columns = columns_of(op.shape.dims, s), blocks = blocks_of(op.shape.dims, s);
    const Ownership want = propagate(c, op, 0, {columns, columns});
    if (want.divides % blocks != 0 || want.columns % blocks != 0) continue;  // not local, and not claimed to be
    for (std::size_t e = 0; e < needs.size(); ++e)
      for (const std::int64_t read : needs[e])
        ASSERT_EQ(owner(read, want.columns, blocks), owner(static_cast<std::int64_t>(e), columns, blocks))
            << opcode << attributes << " blocks " << blocks << " columns " << columns << " element " << e;
  }
}

TEST(Propagate, EveryElementReadLiesInTheReadersBlock) {
  check("copy", "", "4,6", "4,6");
  check("reshape", "", "4,6", "2,2,6");
  check("reshape", "", "24", "4,1,6");
  check("broadcast", ", dimensions={0}", "4", "4,6");
  check("broadcast", ", dimensions={1}", "6", "4,6");
  check("broadcast", ", dimensions={0,2}", "4,6", "4,3,6");
  check("transpose", ", dimensions={0,2,1}", "4,3,2", "4,2,3");
  check("transpose", ", dimensions={1,0,2}", "4,3,2", "3,4,2");
  check("slice", ", slice={[0:4],[2:5]}", "4,6", "4,3");
  check("slice", ", slice={[1:3],[0:6]}", "4,6", "2,6");
  check("reverse", ", dimensions={1}", "4,6", "4,6");
}

TEST(Propagate, RowPassesTrailingReducesAndTurnsIntoColumnForLeadingOnes) {
  const graph::Graph g = module(R"(HloModule m
s { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[8,512,1024] parameter(0)
  z = f32[] constant(0)
  row = f32[8,512] reduce(x, z), dimensions={2}, to_apply=s
  ROOT column = f32[1024] reduce(x, z), dimensions={0,1}, to_apply=s
})");
  const graph::Computation& c = g.entry_computation();
  EXPECT_EQ(propagate(c, c.ops[c.find("row").value()], 0, {4096, 4096}), (Ownership{8 * 512 * 1024, 4096}));
  EXPECT_EQ(propagate(c, c.ops[c.find("column").value()], 0, {1024, 1024}), (Ownership{1024, 1024}));
}

TEST(Propagate, DotPassesBatchDimsToBothSidesAndFreeDimsToOne) {
  const graph::Graph g = module(R"(HloModule m
ENTRY e {
  x = f32[6,4,5] parameter(0)
  y = f32[6,5,7] parameter(1)
  ROOT d = f32[6,4,7] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
})");
  const graph::Computation& c = g.entry_computation();
  const graph::Op& dot = c.ops[c.root];
  EXPECT_EQ(propagate(c, dot, 0, {168, 168}), (Ownership{120, 24}));
  EXPECT_EQ(propagate(c, dot, 1, {168, 168}), (Ownership{210, 6}));
}

/// Dominators by definition: remove a node, see who is no longer reached.
std::vector<std::set<std::size_t>> dominators_by_removal(const std::vector<std::vector<std::size_t>>& next, std::size_t root) {
  const auto reach = [&](std::size_t without) {
    std::vector<bool> seen(next.size(), false);
    std::vector<std::size_t> stack;
    if (root != without) stack.push_back(root), seen[root] = true;
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      for (const std::size_t to : next[at])
        if (to != without && !seen[to]) seen[to] = true, stack.push_back(to);
    }
    return seen;
  };
  const std::vector<bool> all = reach(next.size());
  std::vector<std::set<std::size_t>> out(next.size());
  for (std::size_t d = 0; d < next.size(); ++d) {
    const std::vector<bool> rest = reach(d);
    for (std::size_t n = 0; n < next.size(); ++n)
      if (all[n] && n != d && !rest[n]) out[n].insert(d);
  }
  return out;
}

TEST(Dominance, MatchesTheDefinitionOnRandomDags) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 3 + random() % 12;
    std::vector<std::vector<std::size_t>> next(count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j)
        if (random() % 3 == 0) next[i].push_back(j);
    const std::vector<std::size_t> immediate = immediate_dominators(next, 0);
    const std::vector<std::set<std::size_t>> all = dominators_by_removal(next, 0);
    for (std::size_t n = 1; n < count; ++n) {
      std::set<std::size_t> chain;
      for (std::size_t d = immediate[n]; d != SIZE_MAX; d = immediate[d]) chain.insert(d);
      EXPECT_EQ(chain, all[n]) << "round " << round << " node " << n;
    }
  }
}

}  // namespace
}  // namespace seam::planner::test
