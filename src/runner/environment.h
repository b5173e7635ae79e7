// What is measured on. Facts that stay are identity and make the ExecutionEnvironment manifest;
// readings change from minute to minute and are evidence, taken before and after.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/digest.h"

namespace ki::runner {

struct Facts {
  std::string vendor;                 // "amd", "intel", "arm", "unknown"
  std::string product;                // "AMD EPYC 9654 96-Core Processor"
  std::string architecture;           // "x86_64"
  std::int64_t memory_bytes = 0;      // rounded up to whole GiB: firmware takes a little of it
  int cores = 0;                      // that may be used
  std::int64_t last_cache_bytes = 0;  // 0 = unknown
  std::string driver, cuda_toolkit;   // of a device that a worker named; "" = unknown, or none
  std::string operating_system;
  std::string kernel;
  std::string compiler;
  std::map<std::string, std::string> settings;  // "cpu_governor": "performance", ...
  Digest
      machine;  // of what tells this machine from others of its kind; nothing can be read from it
};

// Reads <root>/proc, /sys and /etc; `root` is "/" but in tests. What cannot be read is left out.
Facts read_facts(const std::filesystem::path& root = "/");

// The manifest of these facts and of how many threads are used, JSON. `version` is that of ki.
std::string manifest_of(const Facts& facts, int threads, std::string_view version);

// load_1m, load_5m, cpu_steal_share (since boot), cpu_mhz, memory_available_bytes,
// pressure_cpu_10s, ...
std::map<std::string, std::string> take_readings(const std::filesystem::path& root = "/");

// Time that all CPUs together spent, from <root>/proc/stat.
struct CpuTimes {
  std::int64_t total = 0;
  std::int64_t stolen = 0;
  std::int64_t idle = 0;
};
CpuTimes read_cpu_times(const std::filesystem::path& root = "/");

// Why this machine is not quiet: load above half of its cores, or more than 1 % of its time stolen
// between two readings; "" when it is.
std::string busy_reason(const Facts& facts, const CpuTimes& before, const CpuTimes& after,
                        double load);
double read_load(const std::filesystem::path& root = "/");

}  // namespace ki::runner
