// A request as structure: what POST /resolve/kernel takes. It is resolved as it stands, never
// turned into text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"

namespace ki::query {

inline constexpr std::size_t kBatchRequestsMax = 100;
inline constexpr std::size_t kLicencesMax = 32;
inline constexpr std::size_t kRequestAxesMax = 24;

// One number or a range of them, as the query language writes it (">=80", "1..8").
struct SizeOrRange {
  static constexpr std::string_view kExpected = R"(a whole number, or a range such as ">=80")";
  std::string text{};
  bool read_json(const json::Value& from);
  void write_json(json::Writer& out) const { out.string(text); }
  static void write_schema(json::Writer& out);
};

// A class of licences ("permissive"), or those that are accepted.
struct Licences {
  static constexpr std::string_view kExpected = "a text or a list of texts";
  std::vector<std::string> names{};
  bool read_json(const json::Value& from);
  void write_json(json::Writer& out) const { json::write(out, names); }
  static void write_schema(json::Writer& out);
};

struct RequestOperation {
  static constexpr std::string_view kWireName = "RequestOperation";
  std::optional<std::string> family{};
  std::optional<std::string> name{};
  std::optional<std::map<std::string, double>> axes{};
  std::optional<std::string> pass{};
  std::optional<std::string> metric{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("family", &RequestOperation::family, "exact family", kOptional);
    v.field("name", &RequestOperation::name, "slug, alias, display name or digest", kOptional);
    v.field("axes", &RequestOperation::axes, "axis name to value", kOptional);
    v.field("pass", &RequestOperation::pass, "forward, backward or full", kOptional);
    v.field("metric", &RequestOperation::metric, "latency, peak_memory, ...", kOptional);
  }
};

struct RequestEnvironment {
  static constexpr std::string_view kWireName = "RequestEnvironment";
  std::optional<std::string> hardware_product{};
  std::optional<std::string> dtype{};
  std::optional<std::string> architecture{};
  std::optional<SizeOrRange> count{};
  std::optional<SizeOrRange> memory{};
  std::optional<std::string> vendor{};
  std::optional<std::string> framework{};
  std::optional<std::string> toolkit{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("hardwareProduct", &RequestEnvironment::hardware_product,
            "product name, nickname or architecture", kOptional);
    v.field("dtype", &RequestEnvironment::dtype, "dtype or dtype family", kOptional);
    v.field("architecture", &RequestEnvironment::architecture, "sm_90, hopper, gfx942, ...",
            kOptional);
    v.field("count", &RequestEnvironment::count, "devices", kOptional);
    v.field("memory", &RequestEnvironment::memory, "GB of one device", kOptional);
    v.field("vendor", &RequestEnvironment::vendor, "maker of the hardware", kOptional);
    v.field("framework", &RequestEnvironment::framework, "pytorch, ...", kOptional);
    v.field("toolkit", &RequestEnvironment::toolkit, "CUDA by its major version: 12, >=12",
            kOptional);
  }
};

// What an answer must satisfy to be used; it never changes what is compared.
struct RequestPolicy {
  static constexpr std::string_view kWireName = "RequestPolicy";
  std::optional<std::string> minimum_trust{};
  std::optional<bool> source_required{};
  std::optional<bool> installable_required{};
  std::optional<std::string> license{};
  std::optional<Licences> licenses{};
  std::optional<std::string> framework_version{};
  std::optional<std::string> toolkit_version{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("minimumTrust", &RequestPolicy::minimum_trust,
            "reported, reproducible, verified or replicated", kOptional);
    v.field("sourceRequired", &RequestPolicy::source_required, "", kOptional);
    v.field("installableRequired", &RequestPolicy::installable_required, "", kOptional);
    v.field("license", &RequestPolicy::license, "SPDX expression, permissive or unknown",
            kOptional);
    v.field("licenses", &RequestPolicy::licenses,
            "the accepted licences, each an SPDX expression, permissive or unknown", kOptional);
    v.field("frameworkVersion", &RequestPolicy::framework_version,
            "of the framework that was measured with: 2.9, >=2.6, 2.6..2.9", kOptional);
    v.field("toolkitVersion", &RequestPolicy::toolkit_version,
            "of the CUDA toolkit that was measured with: 12.8, >=12.4", kOptional);
  }
};

struct KernelRequest {
  static constexpr std::string_view kWireName = "KernelRequest";
  std::optional<std::string> query{};
  std::optional<RequestOperation> operation{};
  std::optional<RequestEnvironment> environment{};
  std::optional<RequestPolicy> policy{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("query", &KernelRequest::query, "free text, at most 500 characters", kOptional);
    v.field("operation", &KernelRequest::operation, "", kOptional);
    v.field("environment", &KernelRequest::environment, "", kOptional);
    v.field("policy", &KernelRequest::policy, "", kOptional);
  }
};

// POST /resolve/kernel/batch.
struct KernelRequests {
  static constexpr std::string_view kWireName = "KernelRequests";
  std::vector<KernelRequest> requests;
  template <class V>
  static void describe(V& v) {
    v.field("requests", &KernelRequests::requests, "1 to 100 of them");
  }
};

// What is outside of the limits, each with its pointer, which starts with `at`.
Issues faults_of(const KernelRequest& request, const std::string& at = {});
Issues faults_of(const KernelRequests& requests);

}  // namespace ki::query
