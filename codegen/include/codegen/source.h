#pragma once
/// A kernel as text and how to launch it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/id.h"
#include "graph/graph.h"

namespace seam::codegen {

/// A pointer parameter, in order. Names are those in the text ("p0_dot_general_2").
struct Argument {
  std::string name;
  Id<graph::Op> op;          ///< the value it holds; invalid for workspace
  DType dtype = DType::F32;
  std::int64_t elements = 0;
  bool output = false;       ///< written; otherwise const
  bool updated = false;      ///< output that starts as `aliases` (in place): partly written
  Id<graph::Op> aliases;     ///< the group input whose buffer it shares
  std::int64_t workspace_bytes = 0;  ///< > 0: scratch that starts as zeros
};

struct Source {
  std::string name;          ///< entry point
  std::string cuda;          ///< readable CUDA C++ text
  std::int64_t grid = 1;     ///< blocks (x only)
  int block = 256;           ///< threads
  std::int64_t shared_bytes = 0;  ///< dynamic shared memory
  std::vector<Argument> arguments;
};

}  // namespace seam::codegen
