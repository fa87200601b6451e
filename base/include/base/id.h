#pragma once
/// Typed indices. Id<Op> and Id<Computation> do not mix; IdVector<Op, Cost> is indexed by Id<Op>.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace seam {

template <class Tag>
struct Id {
  std::uint32_t value = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr bool valid() const { return value != UINT32_MAX; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

/// A vector with one value per thing that Id<Tag> names.
template <class Tag, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t count, const T& value = T{}) : items_(count, value) {}
  decltype(auto) operator[](Id<Tag> id) { return items_[id.index()]; }
  decltype(auto) operator[](Id<Tag> id) const { return items_[id.index()]; }
  Id<Tag> push_back(T value) {
    items_.push_back(std::move(value));
    return Id<Tag>(items_.size() - 1);
  }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace seam

template <class Tag>
struct std::hash<seam::Id<Tag>> {
  std::size_t operator()(const seam::Id<Tag>& id) const noexcept { return id.value; }
};
