#pragma once
/// Keeps the memory of jobs that run side by side below a limit: each says what it needs and waits until that is free. A job that needs more than
/// there is runs alone.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace seam::report {

class MemoryGate {
 public:
  explicit MemoryGate(std::int64_t bytes) : limit_(bytes), free_(bytes) {}

  class Pass {
   public:
    Pass(MemoryGate& gate, std::int64_t bytes) : gate_(gate), bytes_(std::clamp<std::int64_t>(bytes, 0, gate.limit_)) {
      std::unique_lock lock(gate_.guard_);
      gate_.changed_.wait(lock, [&] { return gate_.free_ >= bytes_; });
      gate_.free_ -= bytes_;
    }
    ~Pass() {
      {
        const std::lock_guard lock(gate_.guard_);
        gate_.free_ += bytes_;
      }
      gate_.changed_.notify_all();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    MemoryGate& gate_;
    std::int64_t bytes_;
  };

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::int64_t limit_, free_;
};

}  // namespace seam::report
