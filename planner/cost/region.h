#pragma once
/// Which elements of a value a kernel touches: a union of boxes with strides. Small on purpose: nearly every region is the
/// whole value, one slice, or the few pieces that a concatenation or a split leaves.
#include <cstdint>
#include <vector>

namespace seam::planner {

struct Range {
  std::int64_t start = 0, count = 0, stride = 1;
  [[nodiscard]] std::int64_t last() const { return start + (count - 1) * stride; }
  friend bool operator==(const Range&, const Range&) = default;
};

struct Box {
  std::vector<Range> dims;
  [[nodiscard]] std::int64_t elements() const;
  friend bool operator==(const Box&, const Box&) = default;
};

class Region {
 public:
  static Region none(std::vector<std::int64_t> dims) { return Region(std::move(dims)); }
  static Region all(std::vector<std::int64_t> dims);
  /// `count` elements whose place is known only at run time.
  static Region somewhere(std::vector<std::int64_t> dims, std::int64_t count);

  void add(Box box);
  void add(const Region& other);
  /// Everything, because the exact set would be too long to keep.
  void give_up();

  [[nodiscard]] bool empty() const { return boxes_.empty() && floating_ == 0; }
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] bool exact() const { return exact_; }
  [[nodiscard]] std::int64_t floating() const { return floating_; }
  [[nodiscard]] const std::vector<Box>& boxes() const { return boxes_; }
  [[nodiscard]] const std::vector<std::int64_t>& dims() const { return dims_; }
  /// Elements in the union; with data-dependent places an upper bound (then exact() is false where places may overlap).
  [[nodiscard]] std::int64_t elements() const;

 private:
  explicit Region(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  std::vector<std::int64_t> dims_;
  std::vector<Box> boxes_;
  std::int64_t floating_ = 0;
  bool full_ = false;
  bool exact_ = true;
};

/// The same elements under another shape of the same size (row-major).
[[nodiscard]] Region reshaped(const Region& region, const std::vector<std::int64_t>& dims);

}  // namespace seam::planner
