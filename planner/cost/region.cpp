#include "cost/region.h"

#include <algorithm>
#include <set>

namespace seam::planner {

namespace {

constexpr std::size_t kMostBoxes = 128;
/// Coordinates per dim times boxes: the union is counted exactly up to here.
constexpr std::int64_t kMostCells = 1 << 20;

std::int64_t product_of(const std::vector<std::int64_t>& dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

bool contains(const Range& outer, const Range& inner) {
  if (inner.start < outer.start || inner.last() > outer.last()) return false;
  return outer.stride == 1 || (inner.stride % outer.stride == 0 && (inner.start - outer.start) % outer.stride == 0) ||
         (inner.count == 1 && (inner.start - outer.start) % outer.stride == 0);
}

bool contains(const Box& outer, const Box& inner) {
  for (std::size_t d = 0; d < outer.dims.size(); ++d)
    if (!contains(outer.dims[d], inner.dims[d])) return false;
  return true;
}

}  // namespace

std::int64_t Box::elements() const {
  std::int64_t n = 1;
  for (const Range& range : dims) n *= range.count;
  return n;
}

Region Region::all(std::vector<std::int64_t> dims) {
  Region region(std::move(dims));
  Box box;
  for (const std::int64_t extent : region.dims_) box.dims.push_back({0, extent, 1});
  region.boxes_.push_back(std::move(box));
  region.full_ = true;
  return region;
}

Region Region::somewhere(std::vector<std::int64_t> dims, std::int64_t count) {
  Region region(std::move(dims));
  region.floating_ = std::min(count, product_of(region.dims_));
  return region;
}

void Region::give_up() {
  *this = all(std::move(dims_));
  exact_ = false;
}

void Region::add(Box box) {
  if (full_ || box.elements() == 0) return;
  for (Range& range : box.dims)
    if (range.count == 1) range.stride = 1;
  bool whole = true;
  for (std::size_t d = 0; d < dims_.size(); ++d) whole = whole && box.dims[d] == Range{0, dims_[d], 1};
  if (whole) {
    const bool exact = exact_;
    *this = all(std::move(dims_));
    exact_ = exact;
    return;
  }
  for (const Box& have : boxes_)
    if (contains(have, box)) return;
  std::erase_if(boxes_, [&](const Box& have) { return contains(box, have); });
  if (floating_ > 0) exact_ = false;
  boxes_.push_back(std::move(box));
  if (boxes_.size() > kMostBoxes) give_up();
}

void Region::add(const Region& other) {
  if (full_) {
    if (other.full_) exact_ = exact_ && other.exact_;
    return;
  }
  if (other.full_) {
    *this = other;
    return;
  }
  exact_ = exact_ && other.exact_;
  for (const Box& box : other.boxes_) add(box);
  if (full_ || other.floating_ == 0) return;
  if (floating_ > 0 || !boxes_.empty()) exact_ = false;
  floating_ = std::min(floating_ + other.floating_, product_of(dims_));
}

std::int64_t Region::elements() const {
  const std::int64_t all_elements = product_of(dims_);
  if (full_) return all_elements;
  std::int64_t sum = 0;
  if (boxes_.size() == 1) {
    sum = boxes_[0].elements();
  } else if (!boxes_.empty()) {
    // Coordinate compression: cut every dim where some box begins or ends, count the cells that any box covers.
    const std::size_t rank = dims_.size();
    bool strided = false;
    for (const Box& box : boxes_)
      for (const Range& range : box.dims) strided = strided || range.stride != 1;
    std::int64_t cells = 1;
    std::vector<std::vector<std::int64_t>> cuts(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      std::set<std::int64_t> points;
      for (const Box& box : boxes_) {
        const Range& range = box.dims[d];
        if (!strided) {
          points.insert({range.start, range.last() + 1});
        } else {
          for (std::int64_t i = 0; i < range.count; ++i)
            points.insert({range.start + i * range.stride, range.start + i * range.stride + 1});
        }
      }
      cuts[d].assign(points.begin(), points.end());
      cells *= std::max<std::int64_t>(1, static_cast<std::int64_t>(cuts[d].size()) - 1);
      if (cells > kMostCells) break;
    }
    if (cells > kMostCells) {
      for (const Box& box : boxes_) sum += box.elements();
    } else {
      std::vector<std::size_t> at(rank, 0);
      while (true) {
        std::int64_t volume = 1;
        for (std::size_t d = 0; d < rank; ++d) volume *= cuts[d][at[d] + 1] - cuts[d][at[d]];
        const bool covered = std::ranges::any_of(boxes_, [&](const Box& box) {
          for (std::size_t d = 0; d < rank; ++d) {
            const Range& range = box.dims[d];
            const std::int64_t point = cuts[d][at[d]];
            if (point < range.start || point > range.last() || (point - range.start) % range.stride != 0) return false;
          }
          return true;
        });
        if (covered) sum += volume;
        std::size_t d = 0;
        while (d < rank && ++at[d] + 1 >= cuts[d].size()) at[d++] = 0;
        if (d == rank) break;
      }
    }
  }
  return std::min(sum + floating_, all_elements);
}

namespace {

/// A box of `dims` as maximal runs of consecutive linear indices; nullopt-like empty result if there are too many.
bool runs_of(const Box& box, const std::vector<std::int64_t>& dims, std::vector<std::pair<std::int64_t, std::int64_t>>& runs) {
  // Trailing dims that are whole, and one more contiguous range, form one run.
  std::size_t inner = dims.size();
  std::int64_t run = 1;
  while (inner > 0) {
    const Range& range = box.dims[inner - 1];
    if (range.stride != 1) break;
    run *= range.count;
    --inner;
    if (range.count != dims[inner]) break;
  }
  std::int64_t count = 1;
  for (std::size_t d = 0; d < inner; ++d) count *= box.dims[d].count;
  if (count > static_cast<std::int64_t>(kMostBoxes)) return false;
  std::vector<std::int64_t> at(inner, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t linear = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::int64_t index = d < inner ? box.dims[d].start + at[d] * box.dims[d].stride : box.dims[d].start;
      linear = linear * dims[d] + index;
    }
    runs.emplace_back(linear, run);
    for (std::size_t d = inner; d-- > 0;) {
      if (++at[d] < box.dims[d].count) break;
      at[d] = 0;
    }
  }
  return true;
}

/// A run of linear indices as boxes of `dims`.
void boxes_of(std::int64_t first, std::int64_t count, const std::vector<std::int64_t>& dims, std::size_t dim, Box prefix, Region& out) {
  if (count == 0) return;
  if (dim == dims.size()) {
    out.add(std::move(prefix));
    return;
  }
  std::int64_t inner = 1;
  for (std::size_t d = dim + 1; d < dims.size(); ++d) inner *= dims[d];
  const auto whole = [&](std::int64_t from, std::int64_t rows) {
    if (rows <= 0) return;
    Box box = prefix;
    box.dims.push_back({from, rows, 1});
    for (std::size_t d = dim + 1; d < dims.size(); ++d) box.dims.push_back({0, dims[d], 1});
    out.add(std::move(box));
  };
  const auto part = [&](std::int64_t row, std::int64_t from, std::int64_t n) {
    Box box = prefix;
    box.dims.push_back({row, 1, 1});
    boxes_of(from, n, dims, dim + 1, std::move(box), out);
  };
  const std::int64_t end = first + count;
  std::int64_t row = first / inner;
  if (first % inner != 0) {
    const std::int64_t n = std::min(count, inner - first % inner);
    part(row, first % inner, n);
    first += n;
    ++row;
  }
  const std::int64_t last_row = end / inner;
  whole(row, last_row - row);
  if (first < end && end % inner != 0) part(last_row, 0, end % inner);
}

/// A stretch of dims of one shape that holds the same elements as a stretch of the other.
struct Group {
  std::size_t from = 0, from_end = 0, to = 0, to_end = 0;
};

std::vector<Group> groups_of(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  std::vector<Group> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group group{i, i, j, j};
    std::int64_t left = 1, right = 1;
    do {
      if (left <= right && i < from.size())
        left *= from[i++];
      else if (j < to.size())
        right *= to[j++];
      else
        left *= from[i++];
    } while (left != right && (i < from.size() || j < to.size()));
    if (left == 1 && !groups.empty()) {  // leftover dims of extent 1
      groups.back().from_end = i;
      groups.back().to_end = j;
      continue;
    }
    // A group of extents 1 joins what follows.
    while (left == 1 && i < from.size() && j < to.size() && from[i] == to[j]) {
      left *= from[i++];
      ++j;
    }
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  return groups;
}

/// The part of a box that lies in one group, as boxes of the group's other shape; false if there are too many.
bool regroup(const Box& box, const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, const Group& g,
             std::vector<Box>& out) {
  const auto at = [](const std::vector<std::int64_t>& dims, std::size_t begin, std::size_t end) {
    return std::vector<std::int64_t>(dims.begin() + static_cast<std::ptrdiff_t>(begin), dims.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const std::vector<std::int64_t> inner_from = at(from, g.from, g.from_end), inner_to = at(to, g.to, g.to_end);
  Box inner;
  for (std::size_t d = g.from; d < g.from_end; ++d) inner.dims.push_back(box.dims[d]);
  // One dim of the same extent on each side, extents of 1 aside: the range passes, stride and all.
  std::vector<std::size_t> big_from, big_to;
  for (std::size_t d = 0; d < inner_from.size(); ++d)
    if (inner_from[d] != 1) big_from.push_back(d);
  for (std::size_t d = 0; d < inner_to.size(); ++d)
    if (inner_to[d] != 1) big_to.push_back(d);
  if (big_from.size() <= 1 && big_to.size() <= 1) {
    Box next;
    next.dims.assign(inner_to.size(), Range{0, 1, 1});
    if (!big_from.empty()) next.dims[big_to[0]] = inner.dims[big_from[0]];
    out.push_back(std::move(next));
    return true;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  if (!runs_of(inner, inner_from, runs)) return false;
  Region pieces = Region::none(inner_to);
  for (const auto& [first, count] : runs) boxes_of(first, count, inner_to, 0, {}, pieces);
  out = pieces.boxes();
  return pieces.exact();
}

}  // namespace

Region reshaped(const Region& region, const std::vector<std::int64_t>& dims) {
  if (region.full()) {
    Region out = Region::all(dims);
    if (!region.exact()) out.give_up();
    return out;
  }
  Region out = region.floating() > 0 ? Region::somewhere(dims, region.floating()) : Region::none(dims);
  const std::vector<Group> groups = groups_of(region.dims(), dims);
  for (const Box& box : region.boxes()) {
    std::vector<Box> built(1);
    for (const Group& group : groups) {
      std::vector<Box> pieces, next;
      if (!regroup(box, region.dims(), dims, group, pieces) || built.size() * pieces.size() > kMostBoxes) {
        out.give_up();
        return out;
      }
      for (const Box& head : built)
        for (const Box& tail : pieces) {
          next.push_back(head);
          next.back().dims.insert(next.back().dims.end(), tail.dims.begin(), tail.dims.end());
        }
      built = std::move(next);
    }
    for (Box& done : built) out.add(std::move(done));
  }
  return out;
}

}  // namespace seam::planner
