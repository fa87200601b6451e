#pragma once
/// Values of attributes: lists, windows, paddings, slices, convolution labels.
#include "graph/graph.h"
#include "read/cursor.h"

namespace seam::graph {

/// {1,0}
[[nodiscard]] Result<std::vector<std::int64_t>> read_integers(Cursor& cursor);
/// {[0:8:2], [1:4]}
[[nodiscard]] Result<void> read_slice(Cursor& cursor, Attributes& attributes);
/// 0_1x2_3_1
[[nodiscard]] Result<std::vector<PadDim>> read_padding(Cursor& cursor);
/// {size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}
[[nodiscard]] Result<std::vector<WindowDim>> read_window(Cursor& cursor);
/// b01f_01io->b01f
[[nodiscard]] Result<ConvDims> read_dim_labels(Cursor& cursor);
[[nodiscard]] Result<bool> read_bool(Cursor& cursor);

[[nodiscard]] std::string print_integers(const std::vector<std::int64_t>& values);
[[nodiscard]] std::string print_slice(const Attributes& attributes);
[[nodiscard]] std::string print_padding(const std::vector<PadDim>& padding);
[[nodiscard]] std::string print_window(const std::vector<WindowDim>& window);
[[nodiscard]] std::string print_dim_labels(const ConvDims& dims);

}  // namespace seam::graph
