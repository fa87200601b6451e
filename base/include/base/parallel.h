#pragma once
/// Independent jobs on a few threads. Results do not depend on the number of threads: job i writes only its own slot.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace seam {

/// Runs job(0) … job(count - 1), at most `threads` at a time (0 = as many as the machine has). The first exception thrown
/// by a job is thrown again here, after all threads have stopped.
template <class Job>
void parallel_for(std::size_t count, std::size_t threads, Job&& job) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) job(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads; ++t) pool.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace seam
