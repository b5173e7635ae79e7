// Kernels of provider "native" beside their floor: the time in which this process, in the same
// minute, moves the bytes or does the operations that the case needs. Rounds are interleaved, each
// measures every ceiling and every kernel once; the best of all rounds is shown, since what
// disturbs a round only ever slows it.
//   kernels_bench [--threads=N | --cpu-time] [--rounds=N] [--benchmark_min_time=...] [WORD...]
// --through-caches stores nothing around the caches; --cpu-time takes one thread's CPU time, for a
// machine that others use; --benchmark_min_time makes a short run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "kernels/native/native.h"
#include "kernels/problem.h"
#include "kernels/provider.h"
#include "kernels/registry.h"

namespace {

using namespace ki::kernels;

// With one thread the CPU's time can be taken instead, which does not run while others hold the
// core.
bool is_cpu_time = false;

double seconds() {
  timespec now{};
  clock_gettime(is_cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// A case with its memory, touched before anything is timed.
struct Subject {
  std::string name;
  Bound bound;
  std::vector<Buffer> memory;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  std::vector<unsigned char> workspace;
  Plan plan;
  double best_s = 1e300;

  void time() {
    ki_kernel_launch call{};
    call.struct_size = sizeof call;
    call.inputs = inputs.data();
    call.outputs = outputs.data();
    call.workspace =
        workspace.data() + (64 - reinterpret_cast<std::uintptr_t>(workspace.data()) % 64);
    const double begin = seconds();
    plan.launch(call);
    best_s = std::min(best_s, seconds() - begin);
  }
};

std::unique_ptr<Subject> make_subject(const ki_kernel& kernel, const Case& one, unsigned threads) {
  auto subject = std::make_unique<Subject>();
  std::string problem;
  if (!bind(one, subject->bound, problem)) return nullptr;
  if (!serves(kernel, subject->bound)) return nullptr;
  const Answer answer = prepare(kernel, subject->bound, threads, subject->plan);
  if (!answer.ok()) {
    std::printf("%s %s: %s\n", one.operation.c_str(), kernel.provider, answer.reason.c_str());
    return nullptr;
  }
  std::vector<void*> addresses;
  for (const Tensor& tensor : subject->bound.inputs) {
    addresses.push_back(subject->memory.emplace_back(tensor).data());
    subject->inputs.push_back(addresses.back());
  }
  fill_inputs(subject->bound, Distribution::bell, 1, addresses.data());
  for (const Tensor& tensor : subject->bound.outputs) {
    subject->outputs.push_back(subject->memory.emplace_back(tensor).data());
    poison(tensor, subject->outputs.back());
  }
  subject->workspace.resize(subject->plan.workspace_bytes() + 128);
  return subject;
}

void print(const Subject& subject, double copy_bytes_per_s) {
  const double bytes = subject.bound.bytes();
  const double floor_s = bytes / copy_bytes_per_s;
  std::printf("%-44s %9.3f ms %7.2f GB/s %6.1f %% of copy", subject.name.c_str(),
              subject.best_s * 1e3, bytes / subject.best_s / 1e9, 100 * floor_s / subject.best_s);
  const double flops = subject.bound.flops();
  if (flops > 0) std::printf(" %8.2f GFLOP/s", flops / subject.best_s / 1e9);
  std::printf("\n");
}

struct Options {
  unsigned threads = 2;
  int rounds = 30;
  bool is_short = false;
  std::vector<std::string> words;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--threads=", 0) == 0) {
      options.threads = static_cast<unsigned>(std::atoi(word.c_str() + 10));
    } else if (word.rfind("--rounds=", 0) == 0) {
      options.rounds = std::atoi(word.c_str() + 9);
    } else if (word == "--cpu-time") {
      is_cpu_time = true;
      options.threads = 1;
    } else if (word == "--through-caches") {
      native::set_streaming_bytes_min(1e300);
    } else if (word.rfind("--benchmark_min_time", 0) == 0) {
      options.is_short = true;
    } else {
      options.words.push_back(word);
    }
  }
  if (options.is_short) options.rounds = 1;
  return options;
}

bool is_wanted(const Options& options, const std::string& name) {
  return options.words.empty() ||
         std::any_of(options.words.begin(), options.words.end(),
                     [&](const std::string& word) { return name.find(word) != std::string::npos; });
}

// Subjects whose memory together stays below what a small machine has.
constexpr double kBytesMax = 700e6;

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  const ki_kernel* copy_kernel = nullptr;
  for (const ki_kernel* kernel : built_in_kernels()) {
    const bool is_native = std::string(kernel->provider) == "native";
    if (is_native && std::string(kernel->operation) == "copy") copy_kernel = kernel;
  }
  const std::int64_t n = options.is_short ? 1 << 16 : 1 << 25;
  const auto ceiling = make_subject(
      *copy_kernel, {"copy", Pass::forward, KI_KERNEL_FP32, {{"n", n}}, {}}, options.threads);
  if (ceiling == nullptr) return 1;
  for (const ki_kernel* kernel : built_in_kernels()) {
    if (std::string(kernel->provider) != "native") continue;
    Pass pass{};
    if (!read_pass(kernel->pass, pass) || pass == Pass::full) continue;
    for (const NamedCase& named : find_operation(kernel->operation)->cases) {
      const std::string name = std::string(kernel->operation) + " " + kernel->pass + " " +
                               named.name + " " + std::string(name_of(named.dtype));
      if (!is_wanted(options, name)) continue;
      const Case one{kernel->operation, pass, named.dtype, named.axes, {}};
      Bound bound;
      std::string problem;
      if (!bind(one, bound, problem) || bound.bytes() > (options.is_short ? 20e6 : kBytesMax)) {
        continue;
      }
      const auto subject = make_subject(*kernel, one, options.threads);
      if (subject == nullptr) continue;
      subject->name = name;
      ceiling->best_s = 1e300;
      for (int round = 0; round < options.rounds; ++round) {
        ceiling->time();
        subject->time();
      }
      print(*subject, ceiling->bound.bytes() / ceiling->best_s);
    }
  }
  std::printf("copy: %.2f GB/s, threads %u, %s\n", ceiling->bound.bytes() / ceiling->best_s / 1e9,
              options.threads, is_cpu_time ? "CPU time" : "wall time");
  return 0;
}
