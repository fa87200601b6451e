#pragma once
/// What the reader, the runner and the checks of foreign programs share: which ops launch something, and what a fusion updates in place.
#include <optional>
#include <vector>

#include "codegen/foreign.h"

namespace seam::codegen {

/// Costs nothing at run time: it only names values that are there (or constants, which are there from the start).
[[nodiscard]] bool launches_nothing(graph::Opcode opcode);
/// Computations whose ops run as the program's own: the entry, bodies, branches, callees; conditions only where the number of trips is not known.
[[nodiscard]] std::vector<Id<graph::Computation>> running_computations(const graph::Graph& graph);

/// Some instruction of `kernel` begins with `opcode` and has `modifier` among its modifiers ("mma", "tf32").
[[nodiscard]] bool has_instruction(std::string_view ptx, std::string_view opcode, std::string_view modifier);
/// Leaves of an op's result: of a tuple its elements, which are no tuples in what a compiler launches.
[[nodiscard]] std::vector<graph::Shape> leaves(const graph::Shape& shape);
/// By leaf of a result: the operand whose buffer it takes over, if any.
using Sharing = std::vector<std::optional<std::size_t>>;
/// What the kernel's text and the module say about it: the kernel writes a result through an operand's pointer, or it writes only a part of it
/// (dynamic-update-slice, scatter). Several answers where it writes several results through several operands of one size; the first has them in order.
[[nodiscard]] std::vector<Sharing> possible_sharings(const ForeignProgram& program, const graph::Computation& computation, const graph::Op& op,
                                                     const ForeignLaunch& launch);
/// Fills in ForeignLaunch::shared of all kernels. Where there are several answers, the one with which the kernel computes what its fusion says, tried on
/// seeded inputs. Error: none does.
[[nodiscard]] Result<void> find_sharings(ForeignProgram& program);

}  // namespace seam::codegen
