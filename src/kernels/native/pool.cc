#include "kernels/native/pool.h"

namespace ki::kernels::native {

namespace {

// About 20 us: longer than the gap between two kernels, shorter than anybody's patience.
constexpr int kSpins = 4000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Stores around the caches are ordered by nothing else.
void finish_streaming() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

// Returns once `value` is no longer `old`.
void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Pool& Pool::shared() {
  static Pool pool;
  return pool;
}

Pool::~Pool() {
  call_ = nullptr;  // the end
  for (Worker& worker : workers_) {
    worker.round.fetch_add(1, std::memory_order_release);
    worker.round.notify_one();
  }
  for (Worker& worker : workers_) worker.thread.join();
}

void Pool::reserve(unsigned threads) {
  const std::lock_guard lock(one_at_a_time_);
  while (workers_.size() + 1 < threads) {
    const auto part = static_cast<unsigned>(workers_.size()) + 1;
    Worker& worker = workers_.emplace_back();
    worker.thread = std::thread([this, part, &worker] { serve(part, worker.round); });
  }
}

void Pool::serve(unsigned part, const std::atomic<std::uint32_t>& round) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(round, seen);
    if (call_ == nullptr) return;
    call_(work_, part, parts_);
    finish_streaming();
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  }
}

void Pool::run_all(unsigned parts, Call call, const void* work) {
  if (parts <= 1) {
    call(work, 0, 1);
    return finish_streaming();
  }
  const std::lock_guard lock(one_at_a_time_);
  call_ = call;
  work_ = work;
  parts_ = parts;
  unfinished_.store(parts - 1, std::memory_order_relaxed);
  for (unsigned part = 1; part < parts; ++part) {
    std::atomic<std::uint32_t>& round = workers_[part - 1].round;
    round.fetch_add(1, std::memory_order_release);
    round.notify_one();
  }
  call(work, 0, parts);
  finish_streaming();
  for (std::uint32_t left = unfinished_.load(std::memory_order_acquire); left != 0;
       left = unfinished_.load(std::memory_order_acquire)) {
    wait_while(unfinished_, left);
  }
}

}  // namespace ki::kernels::native
