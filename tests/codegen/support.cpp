#include "support.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/check.h"
#include "graph/evaluate.h"
#include "graph/hlo.h"
#include "graph/tolerance.h"
#include "sim/sim.h"

namespace seam::test {

using graph::Op;
using graph::Opcode;
using planner::Placement;
using planner::Schedule;

graph::Graph graph_of(std::string_view hlo) {
  auto graph = graph::parse_hlo(hlo, "test.hlo");
  if (!graph) {
    ADD_FAILURE() << describe(graph.error(), hlo);
    throw std::runtime_error("the test's own text does not parse");
  }
  return *std::move(graph);
}

graph::Graph graph_of_ops(std::string_view ops) {
  return graph_of(fmt::format(R"(HloModule m

add_f32 {{
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}}

max_f32 {{
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] maximum(x, y)
}}

ENTRY e {{
{}
}}
)",
                              ops));
}

GroupOf::GroupOf(const graph::Graph& graph, std::string name) : graph_(graph) {
  group_.name = std::move(name);
  group_.threads = 128;
  group_.parts.emplace_back();
  fill(group_.parts.back());
}

void GroupOf::fill(planner::Part& part) {
  const graph::Computation& computation = graph_.entry_computation();
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    const Op& op = computation.ops[id];
    if (op.opcode == Opcode::Parameter || op.opcode == Opcode::Tuple || op.opcode == Opcode::Constant) continue;
    if (planner::folded(computation, id)) continue;
    planner::PlannedOp planned;
    planned.op = id;
    part.ops.push_back(planned);
  }
}

planner::PlannedOp& GroupOf::at(std::string_view op) {
  const auto id = graph_.entry_computation().find(op);
  SEAM_CHECK(id.has_value(), "no such op in the test's graph");
  const auto found = std::ranges::find_if(part().ops, [&](const planner::PlannedOp& p) { return p.op == *id; });
  SEAM_CHECK(found != part().ops.end(), "that op is not in the part");
  return *found;
}

GroupOf& GroupOf::threads(int n) {
  group_.threads = n;
  return *this;
}
GroupOf& GroupOf::blocks(std::int64_t n, planner::ScheduleKind kind) {
  part().blocks = n;
  part().kind = kind;
  return *this;
}
GroupOf& GroupOf::lanes(int n) {
  part().lanes = n;
  return *this;
}
GroupOf& GroupOf::splits(std::int64_t n) {
  part().splits = n;
  return *this;
}
GroupOf& GroupOf::output(std::string_view op) { return output(op, Schedule{planner::ScheduleKind::Flat, 0, part().blocks}); }
GroupOf& GroupOf::output(std::string_view op, Schedule schedule) {
  planner::PlannedOp& planned = at(op);
  planned.output = true;
  if (planned.placement == Placement::Inline) planned.placement = Placement::Output;
  planned.schedule = schedule;
  return *this;
}
GroupOf& GroupOf::shared(std::string_view op, Schedule schedule, std::int64_t where) {
  planner::PlannedOp& planned = at(op);
  planned.placement = Placement::Shared;
  planned.schedule = schedule;
  planned.shared_bytes = graph_.entry_computation().ops[planned.op].shape.byte_size() / part().blocks;
  planned.shared_offset = where >= 0 ? where : next_shared_;
  const std::int64_t end = planned.shared_offset + planned.shared_bytes;
  next_shared_ = std::max(next_shared_, (end + 15) / 16 * 16);
  part().shared_bytes = std::max(part().shared_bytes, end);
  return *this;
}
GroupOf& GroupOf::warp(std::string_view op, Schedule schedule) {
  planner::PlannedOp& planned = at(op);
  planned.placement = Placement::Warp;
  planned.schedule = schedule;
  return *this;
}
GroupOf& GroupOf::in_place(std::string_view op, std::string_view input) {
  const auto& computation = graph_.entry_computation();
  group_.in_place.emplace_back(*computation.find(op), *computation.find(input));
  return *this;
}
GroupOf& GroupOf::only(const std::vector<std::string>& ops) {
  std::erase_if(part().ops, [&](const planner::PlannedOp& p) {
    return std::ranges::find(ops, graph_.entry_computation().ops[p.op].name) == ops.end();
  });
  return *this;
}
GroupOf& GroupOf::next_part() {
  group_.parts.emplace_back();
  next_shared_ = 0;
  fill(group_.parts.back());
  return *this;
}

codegen::Kernel kernel_of(const graph::Graph& graph, const planner::FusionGroup& group) {
  auto kernel = codegen::lower(graph, graph.entry_computation(), group);
  if (!kernel) {
    ADD_FAILURE() << describe(kernel.error());
    throw std::runtime_error("no kernel");
  }
  return *std::move(kernel);
}

std::string cuda_of(const graph::Graph& graph, const planner::FusionGroup& group) { return codegen::emit(kernel_of(graph, group)).cuda; }

namespace {

std::shared_ptr<const codegen::Compiler> compiler() {
  static const auto found = codegen::Compiler::find();
  return found ? *found : nullptr;
}

/// Values that are no further apart than the precision of the type and of the math functions allow.
void expect_close(const Array& actual, const Array& expected, const graph::Tolerance& tolerance, const std::string& what) {
  double scale = 0;
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    const auto at = static_cast<std::size_t>(i * bytes(expected.dtype));
    const double v = std::abs(load_as_double(expected.dtype, expected.data.data() + at));
    if (std::isfinite(v)) scale = std::max(scale, v);
  }
  int wrong = 0;
  for (std::int64_t i = 0; i < expected.elements() && wrong < 3; ++i) {
    const auto at = static_cast<std::size_t>(i * bytes(expected.dtype));
    if (std::memcmp(actual.data.data() + at, expected.data.data() + at, static_cast<std::size_t>(bytes(expected.dtype))) == 0) continue;
    const double a = load_as_double(actual.dtype, actual.data.data() + at);
    const double e = load_as_double(expected.dtype, expected.data.data() + at);
    if (std::isnan(a) && std::isnan(e)) continue;
    if (a == e) continue;
    const double allowed = tolerance.abs * scale + tolerance.rel * std::abs(e);
    if (std::isfinite(a) && std::isfinite(e) && std::abs(a - e) <= allowed) continue;
    ADD_FAILURE() << what << " element " << i << ": " << a << ", expected " << e << ", allowed difference " << allowed;
    ++wrong;
  }
}

}  // namespace

static void run_once(const graph::Graph& graph, const codegen::Source& source, const sim::Module& module, const RunOptions& options);

void expect_right(const graph::Graph& graph, const planner::FusionGroup& group, const std::vector<RunOptions>& runs) {
  const codegen::Kernel kernel = kernel_of(graph, group);
  const auto sound = codegen::verify(kernel);
  ASSERT_TRUE(sound) << describe(sound.error());
  EXPECT_TRUE(sound->unproven.empty()) << sound->unproven.front();
  const std::string text = codegen::print(kernel);
  const auto back = codegen::parse_kernel(text, "printed");
  ASSERT_TRUE(back) << describe(back.error(), text);
  EXPECT_EQ(*back, kernel);
  const codegen::Source source = codegen::emit(kernel);
  if (std::getenv("SEAM_SHOW_KERNELS") != nullptr) fmt::print("{}\n{}\n", text, source.cuda);
  if (compiler() == nullptr) GTEST_SKIP() << "NVRTC was not found: kernels are not compiled (scripts/setup fetches it)";
  const auto ptx = compiler()->compile(source.cuda, group.name + ".cu", 9, 0);
  ASSERT_TRUE(ptx) << describe(ptx.error()) << source.cuda;
  const auto module = sim::load_ptx(*ptx, group.name + ".ptx");
  ASSERT_TRUE(module) << describe(module.error(), *ptx) << source.cuda;

  for (const RunOptions& run : runs) {
    SCOPED_TRACE(codegen::name(run.distribution));
    run_once(graph, source, **module, run);
  }
  if (testing::Test::HasFailure()) fmt::print("{}\n", source.cuda);
}

static void run_once(const graph::Graph& graph, const codegen::Source& source, const sim::Module& module, const RunOptions& options) {
  const graph::Computation& computation = graph.entry_computation();
  // Inputs by parameter; the evaluator gives every value the kernel may read or write.
  std::vector<graph::Value> inputs;
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    const graph::Shape& shape = computation.ops[computation.parameters[i]].shape;
    arrays.push_back(codegen::random_array(shape.dtype, shape.dims, options.distribution, options.seed * 100 + i, options.low, options.high));
    auto value = graph::to_value(arrays.back(), shape);
    ASSERT_TRUE(value) << describe(value.error());
    inputs.push_back(*std::move(value));
  }
  const graph::Rounding rounding = options.wide_reference ? graph::Rounding::Wide : graph::Rounding::Rounded;
  std::map<Id<Op>, graph::Value> values;
  for (std::size_t i = 0; i < computation.ops.size(); ++i) {
    const Id<Op> id(i);
    const Op& op = computation.ops[id];
    if (op.opcode == Opcode::Parameter) {
      values[id] = inputs.at(static_cast<std::size_t>(op.attributes.index));
      continue;
    }
    std::vector<const graph::Value*> operands;
    for (const Id<Op> operand : op.operands) operands.push_back(&values.at(operand));
    auto value = graph::evaluate_op(graph, computation, op, operands, rounding);
    ASSERT_TRUE(value) << describe(value.error());
    values[id] = *std::move(value);
  }

  sim::Memory memory;
  std::vector<std::byte> block;
  std::vector<std::uint64_t> addresses;
  for (const codegen::Argument& argument : source.arguments) {
    const std::int64_t size = argument.workspace_bytes > 0 ? argument.workspace_bytes : argument.elements * bytes(argument.dtype);
    const std::uint64_t address = memory.allocate(size, argument.name);
    addresses.push_back(address);
    const auto fill = [&](const Array& array) {
      ASSERT_EQ(array.data.size(), static_cast<std::size_t>(size));
      std::ranges::copy(array.data, memory.bytes(address).begin());
      memory.set_initialized(address, true);
    };
    if (argument.workspace_bytes > 0) {
      std::ranges::fill(memory.bytes(address), std::byte{0});
      memory.set_initialized(address, true);
    } else if (!argument.output) {
      fill(graph::to_array(values.at(argument.op)));
      memory.set_read_only(address, true);
    } else if (argument.updated) {
      fill(graph::to_array(values.at(argument.aliases)));
    }
    const auto* raw = reinterpret_cast<const std::byte*>(&address);
    block.insert(block.end(), raw, raw + sizeof address);
  }
  sim::Launch launch{source.name, {static_cast<std::uint32_t>(source.grid)}, {static_cast<std::uint32_t>(source.block)}, source.shared_bytes, false, block, {}};
  sim::Checks checks;
  checks.seed = options.seed;
  const auto outcome = sim::launch(module, memory, launch, checks);
  ASSERT_TRUE(outcome) << describe(outcome.error());
  for (const sim::Report& report : outcome->reports) {
    ADD_FAILURE() << report.kind << ": " << report.message << " (" << report.file << ":" << report.line << ")\n" << source.cuda;
    break;
  }
  for (std::size_t i = 0; i < source.arguments.size(); ++i) {
    const codegen::Argument& argument = source.arguments[i];
    if (argument.workspace_bytes > 0) {
      if (argument.op.valid() || argument.dtype != DType::U32) continue;
      for (const std::byte b : memory.bytes(addresses[i])) EXPECT_EQ(b, std::byte{0}) << "a counter is not zero again";
      continue;
    }
    if (!argument.output) continue;
    EXPECT_EQ(memory.unwritten_bytes(addresses[i]), 0) << argument.name << " is not written whole";
    Array actual = make_array(argument.dtype, computation.ops[argument.op].shape.dims);
    std::ranges::copy(memory.bytes(addresses[i]), actual.data.begin());
    std::int64_t length = 1;
    for (const Op& op : computation.ops) length = std::max(length, graph::reduction_length(computation, op));
    DType coarsest = argument.dtype;
    for (const Op& op : computation.ops) {
      if (is_float(op.shape.dtype) && !op.shape.is_tuple && bits(op.shape.dtype) < bits(coarsest)) coarsest = op.shape.dtype;
    }
    expect_close(actual, graph::to_array(values.at(argument.op)), graph::tolerance(is_float(argument.dtype) ? coarsest : argument.dtype, length), argument.name);
  }
}

}  // namespace seam::test
