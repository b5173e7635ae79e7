// The manifests that a row of Liger-Kernel's table becomes, under either mapping.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "import/liger/bind.h"
#include "import/liger/sources.h"
#include "manifest/manifest.h"
#include "policy/taxonomy.h"

namespace ki::importer::liger {

enum class Mapping {
  distinct,      // no two providers and no two different computations share a digest
  kernelindex_1  // the digests of the public index, collisions included
};

using policy::Pass;
std::optional<Pass> parse_pass(std::string_view word);  // as the table writes it: its name alone

// A computation whose signature we do not know: only what the row says.
struct Uncurated {
  std::string kernel;  // as the source names it
  std::string family;  // of a kernel known by name, else "uncurated"
  Axes axes;           // the swept one and the whole numbers of the configuration
  std::string dtype;   // a token, "unspecified" when not stated
  std::string other;   // RFC 8785 of the configuration's other members, "" = none
};

// Of the operation: the kernel and the type, and a mark that makes it unique by axes and members.
std::string slug_of(const Uncurated& uncurated);

Result<manifest::Manifest> make_operation(const Kernel& kernel, Mapping mapping);
Result<manifest::Manifest> make_operation(const Uncurated& uncurated);

Result<manifest::Manifest> make_case(const Kernel& kernel, const Binding& binding,
                                     const Digest& operation, Mapping mapping);
Result<manifest::Manifest> make_case(const Uncurated& uncurated, const Digest& operation);

// Who made what a row measures: a known provider, or only its name.
struct Maker {
  std::string name;  // kernel_provider
  const Provider* known = nullptr;
  std::int64_t shards = 0;  // of a tiled provider, 0 = none or not stated
};

std::string project_slug_of(const Maker& maker);
Result<manifest::Manifest> make_project(const Maker& maker);

struct ImplementationNames {
  std::string slug;
  std::string title;
};
Result<manifest::Manifest> make_implementation(const Maker& maker, const Digest& operation,
                                               const ImplementationNames& names, Mapping mapping);

Result<manifest::Manifest> make_environment(const Gpu& gpu);
Result<manifest::Manifest> make_latency_protocol(Pass pass);
Result<manifest::Manifest> make_memory_protocol(Pass pass);

// Of the public index's latency protocol for a pass.
const Digest& public_protocol_digest(Pass pass);

struct Value {
  std::string_view statistic;  // median, p20, p80
  double value = 0;            // in `unit` of the run
};

struct RunFacts {
  Digest implementation, workload, protocol, environment;
  bool is_latency = true;     // else peak memory
  std::string unit;           // of the values: ns, bytes, or a label kept as it is
  std::vector<Value> values;  // the median first
  std::vector<std::pair<std::string, double>> native;  // figures as the source states them
  std::string benchmark;                               // KERNEL/PASS
  std::string external_id;
  std::string observed_at;  // ISO 8601
  std::string title;
  std::map<std::string, std::string> labels;
};
Result<manifest::Manifest> make_run(const RunFacts& facts);

}  // namespace ki::importer::liger
