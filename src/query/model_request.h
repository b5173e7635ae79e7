// A request as structure: what POST /resolve/kernel takes. It is resolved as it stands, never
// turned into text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "json/wire.h"

namespace ki::query {

struct RequestOperation {
  static constexpr std::string_view kWireName = "RequestOperation";
  std::optional<std::string> family{};
  std::optional<std::string> name{};
  std::optional<std::map<std::string, double>> axes{};
  template <class V>
  static void describe(V& v) {
    v.field("family", &RequestOperation::family, "exact family", json::Presence::optional);
    v.field("name", &RequestOperation::name, "slug, alias, display name or digest",
            json::Presence::optional);
    v.field("axes", &RequestOperation::axes, "axis name to value", json::Presence::optional);
  }
};

struct RequestEnvironment {
  static constexpr std::string_view kWireName = "RequestEnvironment";
  std::optional<std::string> hardware_product{};
  std::optional<std::string> dtype{};
  template <class V>
  static void describe(V& v) {
    v.field("hardwareProduct", &RequestEnvironment::hardware_product,
            "product name, nickname or architecture", json::Presence::optional);
    v.field("dtype", &RequestEnvironment::dtype, "dtype or dtype family", json::Presence::optional);
  }
};

struct RequestPolicy {
  static constexpr std::string_view kWireName = "RequestPolicy";
  std::optional<std::string> minimum_trust{};
  std::optional<bool> source_required{};
  std::optional<bool> installable_required{};
  std::optional<std::string> license{};
  template <class V>
  static void describe(V& v) {
    v.field("minimumTrust", &RequestPolicy::minimum_trust,
            "reported, reproducible, verified or replicated", json::Presence::optional);
    v.field("sourceRequired", &RequestPolicy::source_required, "", json::Presence::optional);
    v.field("installableRequired", &RequestPolicy::installable_required, "",
            json::Presence::optional);
    v.field("license", &RequestPolicy::license, "SPDX expression, permissive or unknown",
            json::Presence::optional);
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
    v.field("query", &KernelRequest::query, "free text, at most 500 bytes",
            json::Presence::optional);
    v.field("operation", &KernelRequest::operation, "", json::Presence::optional);
    v.field("environment", &KernelRequest::environment, "", json::Presence::optional);
    v.field("policy", &KernelRequest::policy, "", json::Presence::optional);
  }
};

}  // namespace ki::query
