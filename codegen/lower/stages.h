#pragma once
/// Cuts a part into stages. A stage is one loop nest in which every op is computed for the elements a block owns; ops join a
/// stage when they walk the same elements with the same threads and read of each other only what their own thread (or the lanes of
/// their own row) just computed. Between stages values travel through shared memory, behind a barrier.
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "lower/access.h"
#include "lower/elements.h"
#include "planner/plan.h"

namespace seam::codegen {

enum class StageKind : std::uint8_t {
  Loop,     ///< every thread an element of its own
  Rows,     ///< `lanes` threads per row: reduces along rows, ops over the rows' elements, ops with one value per row
  Columns,  ///< a tile of columns x row lanes: reduces down columns, and ops over their elements
  Update,   ///< dynamic-update-slice or scatter in place: a loop over the update's elements
};

/// Where in a Rows or Columns stage an op is computed.
enum class Level : std::uint8_t {
  Element,  ///< once per reduced element
  Reduce,   ///< accumulated over the elements
  Result,   ///< once per row or column, after a reduce
};

struct StageOp {
  Id<graph::Op> op;        ///< what is stored
  Id<graph::Op> reduce;    ///< Level::Reduce: the reduce itself
  Level level = Level::Element;
  int pass = 0;            ///< Element, Reduce: the loop over a row's elements it belongs to; Result: after that pass
  bool output = false, shared = false;
};

struct Stage {
  StageKind kind = StageKind::Loop;
  std::vector<StageOp> ops;
  std::int64_t elements = 0;   ///< Loop, Update: in the whole value
  std::int64_t columns = 0;    ///< schedule.h's C of the looped elements (Loop) or of the results (Rows, Columns)
  std::int64_t outputs = 0;    ///< Rows, Columns: results in the whole value
  std::int64_t reduced = 0;    ///< elements per result
  int lanes = 1;
};

/// Columns of the ownership matrix of a value with `dims` (planner/schedule.h).
[[nodiscard]] std::int64_t ownership_columns(const std::vector<std::int64_t>& dims, const planner::Schedule& schedule);
/// Dims of the op's value; of the first element for variadic reduces.
[[nodiscard]] const std::vector<std::int64_t>& value_dims(const graph::Computation& computation, Id<graph::Op> op);

[[nodiscard]] Result<std::vector<Stage>> form_stages(const graph::Computation& computation, const planner::FusionGroup& group,
                                                     const planner::Part& part, DType index_type);

}  // namespace seam::codegen
