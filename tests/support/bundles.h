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
  double half_width = 0;  // of its 95 % interval, as a share of the latency; 0 = none stated
};
publish::RunEntry run(const RunSpec& spec);

// A provider's run in bundle_of().
struct Provider {
  std::string name;
  std::int64_t latency_ns = 1000;
  std::string observed_at = "2026-01-02T03:04:05.000Z";
  std::string external_id{};
  double half_width = 0;
};

// Everything a first publication needs: source, project, operation "axpy", one workload, an
// implementation and a run for each provider.
publish::Bundle bundle_of(const std::vector<Provider>& providers);

// A serving run with all it is about. Members that are JSON stand in the manifests as they are.
struct Served {
  std::string name = "run";
  std::string model = "m-1";
  std::string stack = "stack";
  std::string version = "1.0";
  std::string options = R"({"level":"1"})";  // of the configuration
  std::string load = R"("streaming":true,"loadGeneration":"open_loop")";
  std::string load_name = "chat";
  std::string accelerator = "NVIDIA B200";
  int per_node = 8;
  int nodes = 1;
  std::string quality = "exact";
  std::string status = "valid";
  std::string measurements =
      R"([{"metric":"output_token_throughput_tps","unit":"tokens_s","statistic":"mean","value":100}])";
  std::string source_native{};  // ,"sourceNative":{...}
  std::string observed_at = "2026-01-02T03:04:05.000Z";
};
// Adds the five entries; those that the bundle has are repeated, which publish() takes as known.
void add_served(publish::Bundle& bundle, const Served& served);

}  // namespace ki::test
