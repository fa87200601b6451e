#pragma once
/// Zeroed memory that costs only what is touched: reserved with mmap, committed by the first access to each page.
#include <cstddef>
#include <cstdint>
#include <utility>

namespace seam::sim {

class Pages {
 public:
  Pages() = default;
  /// Throws std::bad_alloc if the address space cannot be had.
  explicit Pages(std::size_t bytes);
  ~Pages() { release(); }
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    if (this != &other) {
      release();
      data_ = std::exchange(other.data_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] explicit operator bool() const { return data_ != nullptr; }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data_);  // mmap'd: aligned for every T
  }

 private:
  void release() noexcept;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace seam::sim
