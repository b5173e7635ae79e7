// A small pool of threads that wait for work by spinning a moment, then sleeping: handing work over
// costs about a microsecond while kernels follow each other, and nothing while none runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

namespace ki::kernels::native {

class Pool {
 public:
  // The process's pool. Threads are made by `reserve` and end with the process.
  static Pool& shared();

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // Makes sure of `threads` threads, the caller's included.
  void reserve(unsigned threads);

  // Calls work(part, parts) for every part in [0, parts) at once, the caller's being part 0, and
  // returns when all are done and what they wrote is seen. Parts must be reserved. Which part does
  // what is up to the caller, so that results do not depend on timing.
  template <class Work>
  void run(unsigned parts, const Work& work) {
    run_all(
        parts,
        [](const void* all, unsigned part, unsigned count) {
          (*static_cast<const Work*>(all))(part, count);
        },
        &work);
  }

 private:
  using Call = void (*)(const void* work, unsigned part, unsigned parts);
  // Only the threads that take part in a round hear of it, so no other reads what the next changes.
  struct Worker {
    std::atomic<std::uint32_t> round{0};
    std::thread thread;
  };
  void run_all(unsigned parts, Call call, const void* work);
  void serve(unsigned part, const std::atomic<std::uint32_t>& round);

  std::mutex one_at_a_time_;
  std::deque<Worker> workers_;  // of parts 1, 2, ...
  std::atomic<std::uint32_t> unfinished_{0};
  Call call_ = nullptr;
  const void* work_ = nullptr;
  unsigned parts_ = 0;
};

}  // namespace ki::kernels::native
