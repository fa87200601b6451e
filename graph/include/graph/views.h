#pragma once
/// How tensors of a framework lie in the values of a graph. Values of a Graph are dense and row-major; a PyTorch tensor may be a view (a
/// permutation, a slice) of memory that another tensor fills. A graph read from PyTorch has storage at its border, and says here which
/// view of it each tensor is, so that nothing is copied only to be called by other strides.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/npy.h"
#include "base/result.h"
#include "graph/graph.h"

namespace seam::graph {

/// Element (i0, i1, …) of the tensor is element offset + Σ i_k·strides_k of the value, counted row-major. Strides in elements; 0 repeats.
struct StridedView {
  std::vector<std::int64_t> dims, strides;
  std::int64_t offset = 0;
  friend bool operator==(const StridedView&, const StridedView&) = default;
};
[[nodiscard]] StridedView dense_view(std::vector<std::int64_t> dims);
/// The view under other dims of as many elements; nullopt if strides cannot say it (PyTorch's rule for view()).
[[nodiscard]] std::optional<StridedView> reshaped(const StridedView& view, const std::vector<std::int64_t>& dims);
[[nodiscard]] std::string print(const StridedView& view);  ///< "[2,64][1,2]+0"

/// A view as a box of memory whose elements are counted in digits: digit k counts steps of radices[k] elements.
struct ViewBox {
  std::vector<std::int64_t> radices;        ///< descending, each a multiple of the next; the last is 1
  std::vector<std::int64_t> starts, sizes;  ///< per digit
};
/// `radices`: strides to count by beside the view's own. nullopt: no such box (repeated elements, or strides of which one is no multiple of the
/// next, or rows that wrap around).
[[nodiscard]] std::optional<ViewBox> box_of(const StridedView& view, const std::vector<std::int64_t>& radices = {});
/// Its dims of more than one element, largest stride first: the order in which a box holds its elements.
[[nodiscard]] std::vector<std::int64_t> dims_by_stride(const StridedView& view);
/// Whether no element is shown by both views of one memory; false also where that cannot be told.
[[nodiscard]] bool apart(const StridedView& a, const StridedView& b);

enum class Border : std::uint8_t { Input, Output };
/// Notes the view that entry parameter or output `index` is seen through; dense ones need none.
void set_view(Graph& graph, Border border, std::int64_t index, const StridedView& view);
[[nodiscard]] std::optional<StridedView> view_of(const Graph& graph, Border border, std::int64_t index);

/// The tensor that `view` shows of `value`. Error: BadInput if the view reaches outside.
[[nodiscard]] Result<Array> seen_through(const StridedView& view, const Array& value);
/// `value` with `tensor` where the view shows it. Error: BadInput as above, and if the tensor's shape is not the view's.
[[nodiscard]] Result<Array> stored_through(const StridedView& view, const Array& tensor, Array value);

}  // namespace seam::graph
