// Kernels of your own, in C++: softmax of fp32 rows, forward and backward, on several threads.
//
//   c++ -std=c++17 -O3 -shared -fPIC -I src/kernels examples/kernels/softmax.cc -o libmine.so
//
// The threads are made by prepare and sleep between launches, since making one costs more than many
// a kernel. No exception leaves a function: the host is not C++.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ki_kernel.h"

namespace {

// Runs one function on every thread, the caller's included.
class Team {
 public:
  explicit Team(unsigned threads) {
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    start(nullptr);
    for (std::thread& thread : threads_) thread.join();
  }
  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  void run(const std::function<void(unsigned)>& work) {
    start(&work);
    work(0);
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [this] { return working_ == 0; });
  }

 private:
  void start(const std::function<void(unsigned)>* work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = work;
    working_ = static_cast<unsigned>(threads_.size());
    ++round_;
    started_.notify_all();
  }
  void serve(unsigned index) {
    for (unsigned seen = 0;;) {
      const std::function<void(unsigned)>* work = nullptr;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        started_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
        work = work_;
      }
      if (work == nullptr) return;
      (*work)(index);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--working_ == 0) finished_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable started_, finished_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned working_ = 0;
  unsigned round_ = 0;
  std::vector<std::thread> threads_;
};

// Rows may be padded: each tensor has its own distance from row to row.
struct Plan {
  explicit Plan(const ki_kernel_case& one) : team(std::max(1U, one.threads)) {
    rows = one.outputs[0].shape[0];
    width = one.outputs[0].shape[1];
    for (std::uint32_t i = 0; i < one.inputs_count; ++i) in.push_back(one.inputs[i].strides[0]);
    out = one.outputs[0].strides[0];
  }
  Team team;
  std::int64_t rows, width, out;
  std::vector<std::int64_t> in;
};

void forward_row(const float* x, float* y, std::int64_t width) {
  const float top = *std::max_element(x, x + width);
  float sum = 0;
  for (std::int64_t i = 0; i < width; ++i) sum += y[i] = std::exp(x[i] - top);
  for (std::int64_t i = 0; i < width; ++i) y[i] /= sum;
}

void backward_row(const float* dy, const float* y, float* dx, std::int64_t width) {
  float dot = 0;
  for (std::int64_t i = 0; i < width; ++i) dot += dy[i] * y[i];
  for (std::int64_t i = 0; i < width; ++i) dx[i] = y[i] * (dy[i] - dot);
}

ki_kernel_status prepare(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                         std::size_t message_size) try {
  plan->state = std::make_unique<Plan>(*one).release();
  return KI_KERNEL_OK;
} catch (const std::exception& error) {
  std::snprintf(message, message_size, "%s", error.what());
  return KI_KERNEL_FAILED;
}

template <bool kIsBack>
ki_kernel_status launch(void* state, const ki_kernel_launch* call) {
  Plan& plan = *static_cast<Plan*>(state);
  plan.team.run([&](unsigned part) {
    const std::int64_t parts = plan.team.size();
    const std::int64_t end = plan.rows * (part + 1) / parts;
    for (std::int64_t row = plan.rows * part / parts; row < end; ++row) {
      const float* first = static_cast<const float*>(call->inputs[0]) + row * plan.in[0];
      float* to = static_cast<float*>(call->outputs[0]) + row * plan.out;
      if constexpr (kIsBack) {
        const float* y = static_cast<const float*>(call->inputs[1]) + row * plan.in[1];
        backward_row(first, y, to, plan.width);
      } else {
        forward_row(first, to, plan.width);
      }
    }
  });
  return KI_KERNEL_OK;
}

void release(void* state) { delete static_cast<Plan*>(state); }

ki_kernel describe(const char* pass, decltype(ki_kernel::launch) how) {
  ki_kernel kernel{};
  kernel.struct_size = sizeof kernel;
  kernel.provider = "example-cpp";
  kernel.variant = "";
  kernel.operation = "softmax";
  kernel.pass = pass;
  kernel.dtypes = "fp32";
  kernel.device = "cpu";
  kernel.language = "cpp";
  kernel.prepare = prepare;
  kernel.launch = how;
  kernel.release = release;
  return kernel;
}

const ki_kernel kForward = describe("forward", launch<false>);
const ki_kernel kBackward = describe("backward", launch<true>);
const ki_kernel* const kKernels[] = {&kForward, &kBackward};
const ki_kernel_library kLibrary = {
    sizeof(ki_kernel_library), KI_KERNEL_ABI_VERSION, "example in C++", "1", 2, kKernels};

}  // namespace

extern "C" const ki_kernel_library* ki_kernel_library_v1(std::uint32_t host_abi_version) {
  return host_abi_version == KI_KERNEL_ABI_VERSION ? &kLibrary : nullptr;
}
