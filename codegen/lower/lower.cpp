// FusionGroup → Kernel: parameters, one branch of the grid per part, the header comment. Start reading here.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "codegen/codegen.h"
#include "codegen/passes.h"
#include "lower/part.h"
#include "pass/rewrite.h"

namespace seam::codegen {
namespace {

using graph::Op;

std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

/// 64-bit indices only where 32 bits cannot count the elements.
DType index_type_for(const graph::Computation& computation, const planner::FusionGroup& group, const planner::GroupBoundary& ends) {
  std::int64_t most = 0;
  const auto see = [&](Id<Op> id) { most = std::max(most, computation.ops[id].shape.is_tuple ? 0 : computation.ops[id].shape.elements_count()); };
  for (const planner::Part& part : group.parts) {
    for (const planner::PlannedOp& op : part.ops) {
      see(op.op);
      for (const Id<Op> operand : computation.ops[op.op].operands) see(operand);
    }
  }
  for (const Id<Op> id : ends.inputs) see(id);
  return most > INT32_MAX ? DType::S64 : DType::S32;
}

std::string describe_schedule(const planner::PlannedOp& op) {
  const planner::Schedule& s = op.schedule;
  if (s.kind == planner::ScheduleKind::Flat) return "flat";
  return fmt::format("{} split_dim {} sword {}", planner::name(s.kind), s.split_dim, s.sword);
}

std::vector<std::string> header_of(const graph::Computation& computation, const planner::FusionGroup& group, std::int64_t shared_bytes) {
  std::vector<std::string> out;
  out.push_back(fmt::format("{}: {} blocks of {} threads, {} bytes of shared memory", group.name, group.blocks(), group.threads, shared_bytes));
  out.push_back(fmt::format("modelled: reads {} bytes, writes {}{}", group.estimate.bytes_read, group.estimate.bytes_written,
                            group.estimate.exact ? "" : " at most (indices depend on data)"));
  std::int64_t first = 0;
  for (std::size_t i = 0; i < group.parts.size(); ++i) {
    const planner::Part& part = group.parts[i];
    const std::int64_t last = first + part.blocks * part.splits - 1;
    std::string line = fmt::format("part {}, blocks {} to {}: {} ops, {}", i, first, last, part.ops.size(), planner::name(part.kind));
    if (part.splits > 1) line += fmt::format(", {} blocks share each reduction", part.splits);
    if (part.lanes > 1) line += fmt::format(", {} lanes per reduced row", part.lanes);
    out.push_back(line);
    for (const planner::PlannedOp& op : part.ops) {
      const bool kept = op.placement == planner::Placement::Shared || op.placement == planner::Placement::Warp;
      if (!op.output && !kept) continue;
      std::string where = kept ? std::string(planner::name(op.placement)) : "output";
      if (kept && op.output) where += " and output";
      out.push_back(fmt::format("  {} {}: {}, {}", computation.ops[op.op].name, graph::print(computation.ops[op.op].shape), where, describe_schedule(op)));
    }
    first = last + 1;
  }
  return out;
}

Result<void> check_layouts(const graph::Computation& computation, const planner::FusionGroup& group) {
  for (const planner::Part& part : group.parts) {
    for (const planner::PlannedOp& planned : part.ops) {
      const Op& op = computation.ops[planned.op];
      if (!op.shape.is_tuple && !graph::is_row_major(op.shape)) return unsupported(op, "a layout that is not row-major");
      for (const Id<Op> operand : op.operands) {
        const graph::Shape& shape = computation.ops[operand].shape;
        if (!shape.is_tuple && !graph::is_row_major(shape)) return unsupported(op, "an operand whose layout is not row-major");
      }
    }
  }
  return {};
}

}  // namespace

Result<Kernel> lower_unsimplified(const graph::Graph& graph, const graph::Computation& computation, const planner::FusionGroup& group) {
  if (group.parts.empty() || group.threads < 32 || group.threads > 1024 || group.threads % 32 != 0) {
    return fail(Error::Code::BadInput, fmt::format("group {}: {} parts, {} threads; a block is 32 to 1024 threads, a multiple of 32", group.name,
                                                   group.parts.size(), group.threads));
  }
  if (auto ok = check_layouts(computation, group); !ok) return tl::unexpected(std::move(ok).error());
  const planner::GroupBoundary ends = planner::boundary(computation, group);
  Kernel kernel;
  kernel.name = group.name;
  kernel.grid = group.blocks();
  kernel.threads = group.threads;
  kernel.index_type = index_type_for(computation, group, ends);

  Builder builder(kernel.index_type, kernel.threads, kernel.grid);
  std::vector<Buffer> shared, workspaces, globals;
  Elements elements(graph, computation, builder);
  PartContext context{graph, computation, group, builder, elements, {}, shared, workspaces};

  const auto add_global = [&](Id<Op> id, Access access, Id<Op> aliases) -> Result<std::string> {
    const Op& op = computation.ops[id];
    if (op.shape.is_tuple) return unsupported(op, "a tuple cannot be a kernel's parameter");
    if (auto ok = check_type(op, op.shape.dtype); !ok) return tl::unexpected(std::move(ok).error());
    globals.push_back(Buffer{builder.fresh("p_" + identifier(op.name)), op.shape.dtype, op.shape.elements_count(), Space::Global, access, id, aliases, 0});
    return globals.back().name;
  };
  for (const Id<Op> id : ends.inputs) {
    SEAM_TRY(std::string name, add_global(id, Access::In, {}));
    elements.set_input(id, std::move(name));
  }
  for (const Id<Op> id : ends.outputs) {
    const auto in_place = std::ranges::find_if(group.in_place, [&](const auto& pair) { return pair.first == id; });
    const bool updated = in_place != group.in_place.end();
    SEAM_TRY(std::string name, add_global(id, updated ? Access::Update : Access::Out, updated ? in_place->second : Id<Op>{}));
    context.output_buffers.emplace(id, std::move(name));
  }

  const Expr block = builder.index().var("block");
  std::int64_t first = 0;
  for (std::size_t i = 0; i < group.parts.size(); ++i) {
    const planner::Part& part = group.parts[i];
    const std::int64_t end = first + part.blocks * part.splits;
    const bool last = i + 1 == group.parts.size();
    if (!last) builder.open_if(builder.index().lt(block, builder.index().imm(end)));
    const std::string prefix = group.parts.size() == 1 ? "" : fmt::format("part{}_", i);
    const Expr own = first == 0 ? block : builder.let(prefix + "block", builder.index().add(block, -first));
    std::set<Id<Op>> ops;
    for (const planner::PlannedOp& op : part.ops) ops.insert(op.op);
    elements.set_part(std::move(ops));
    elements.forget_kept();
    PartLowering lowering(context, part, prefix, own);
    SEAM_TRY(Body body, during(fmt::format("lowering part {} of {}", i, group.name), lowering.run()));
    for (Stmt& stmt : body) builder.emit(std::move(stmt));
    kernel.shared_bytes = std::max(kernel.shared_bytes, lowering.shared_bytes());
    if (!last) builder.otherwise();
    first = end;
  }
  // Compilers read shared memory in pieces of 16 bytes where they know its alignment, past the last value too.
  kernel.shared_bytes = (kernel.shared_bytes + 15) / 16 * 16;
  for (std::size_t i = 1; i < group.parts.size(); ++i) builder.close_if();
  kernel.body = builder.close_block();

  // Inputs that nothing reads after all (the operand of an in-place update, indices that can only be 0) are no parameters.
  const std::unordered_set<std::string> loaded = loaded_buffers(kernel.body);
  std::erase_if(globals, [&](const Buffer& b) { return b.access == Access::In && !loaded.contains(b.name); });
  kernel.buffers = std::move(globals);
  kernel.buffers.insert(kernel.buffers.end(), workspaces.begin(), workspaces.end());
  kernel.buffers.insert(kernel.buffers.end(), shared.begin(), shared.end());
  kernel.header = header_of(computation, group, kernel.shared_bytes);
  return kernel;
}

Result<Kernel> lower(const graph::Graph& graph, const graph::Computation& computation, const planner::FusionGroup& group) {
  PassOptions options;
  SEAM_TRY(Lowered lowered, lower_with(graph, computation, group, options));
  return std::move(lowered.kernel);
}

Result<Lowered> lower_with(const graph::Graph& graph, const graph::Computation& computation, const planner::FusionGroup& group,
                           const PassOptions& options) {
  SEAM_TRY(Kernel kernel, lower_unsimplified(graph, computation, group));
  const auto check = [](const Kernel& k) -> Result<void> {
    auto sound = verify(k);
    if (!sound) return tl::unexpected(std::move(sound).error());
    return {};
  };
  if (auto ok = check(kernel); !ok) return tl::unexpected(std::move(during(fmt::format("verifying kernel {}", kernel.name), std::move(ok)).error()));
  SEAM_TRY(PassRun<Kernel> run, run_passes(std::span<const Pass<Kernel>>(kPasses), std::move(kernel), options,
                                           [](const Kernel& k) { return print(k); }, check));
  return Lowered{std::move(run.ir), std::move(run.log)};
}

}  // namespace seam::codegen
