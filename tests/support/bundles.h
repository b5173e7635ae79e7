// Small bundles for tests: one operation, one workload, and runs of named providers on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "publish/bundle.h"

namespace ki::test {

// Decodes a manifest of `kind`; a spec that is not valid stops the test program.
manifest::Manifest make(std::string_view kind, std::string_view name, std::string_view spec);

manifest::Manifest operation(std::string_view family = "axpy");
manifest::Manifest workload(const Digest& operation, int n = 1024);
manifest::Manifest implementation(const Digest& operation, std::string_view symbol);
manifest::Manifest protocol(std::string_view harness = "h");
manifest::Manifest environment(std::string_view product = "NVIDIA B200");

struct RunSpec {
  Digest implementation{};
  Digest workload{};
  std::int64_t latency_ns = 1000;
  std::string observed_at = "2026-01-02T03:04:05.000Z";
  std::string status = "passed";
  std::string external_id{};
  std::string harness = "h";
  std::string product = "NVIDIA B200";
};
publish::RunEntry run(const RunSpec& spec);

// A provider's run in bundle_of().
struct Provider {
  std::string name;
  std::int64_t latency_ns = 1000;
  std::string observed_at = "2026-01-02T03:04:05.000Z";
  std::string external_id{};
};

// Everything a first publication needs: source, project, operation "axpy", one workload, an
// implementation and a run for each provider.
publish::Bundle bundle_of(const std::vector<Provider>& providers);

}  // namespace ki::test
