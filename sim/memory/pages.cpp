#include "memory/pages.h"

#include <sys/mman.h>

#include <new>

namespace seam::sim {

Pages::Pages(std::size_t bytes) : bytes_(bytes == 0 ? 1 : bytes) {
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    bytes_ = 0;
    throw std::bad_alloc();
  }
  data_ = static_cast<std::byte*>(at);
}

void Pages::release() noexcept {
  if (data_) ::munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace seam::sim
