// The small read models that every answer is made of, in the field names of the public API. Each
// type is described once; its JSON and its OpenAPI schema follow (json/wire.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"

namespace ki::query {

struct Ref {
  static constexpr std::string_view kWireName = "Ref";
  std::string name;
  std::string slug;
  template <class V>
  static void describe(V& v) {
    v.field("name", &Ref::name, "display name");
    v.field("slug", &Ref::slug, "stable identifier");
  }
};

struct KeyValue {
  static constexpr std::string_view kWireName = "KeyValue";
  std::string key;
  std::string value;
  template <class V>
  static void describe(V& v) {
    v.field("key", &KeyValue::key, "");
    v.field("value", &KeyValue::value, "");
  }
};

struct Interval {
  static constexpr std::string_view kWireName = "Interval";
  double low = 0;
  double high = 0;
  template <class V>
  static void describe(V& v) {
    v.field("low", &Interval::low, "");
    v.field("high", &Interval::high, "");
  }
};

struct Primary {
  static constexpr std::string_view kWireName = "Primary";
  std::string metric;
  std::string unit;
  std::string statistic;
  double value = 0;
  std::optional<std::int64_t> sample_count;
  std::optional<Interval> uncertainty;  // the declared 95 % interval
  std::optional<Interval> spread;       // p20 to p80 where the source states them
  template <class V>
  static void describe(V& v) {
    v.field("metric", &Primary::metric, "what was measured, for example latency");
    v.field("unit", &Primary::unit, "ns for latency");
    v.field("statistic", &Primary::statistic, "median, mean, ...");
    v.field("value", &Primary::value, "");
    v.field("sampleCount", &Primary::sample_count, "null when the source does not say");
    v.field("uncertainty", &Primary::uncertainty, "declared 95 % confidence interval");
    v.field("spread", &Primary::spread, "p20 to p80; null when unknown, never a made-up width");
  }
};

struct Mismatch {
  static constexpr std::string_view kWireName = "Mismatch";
  std::string field;
  std::string requested;
  std::string observed;
  std::string against = "request";
  template <class V>
  static void describe(V& v) {
    v.field("field", &Mismatch::field, "");
    v.field("requested", &Mismatch::requested, "what `against` has there");
    v.field("observed", &Mismatch::observed, "");
    v.field("against", &Mismatch::against,
            "request; cohort, the ranked group, where the request does not decide it");
  }
};

struct Hardware {
  static constexpr std::string_view kWireName = "Hardware";
  std::string model;
  std::optional<std::string> architecture;
  template <class V>
  static void describe(V& v) {
    v.field("model", &Hardware::model, "");
    v.field("architecture", &Hardware::architecture, "");
  }
};

struct License {
  static constexpr std::string_view kWireName = "License";
  std::optional<std::string> declared;
  std::optional<std::string> concluded;
  template <class V>
  static void describe(V& v) {
    v.field("declared", &License::declared, "as its authors state it");
    v.field("concluded", &License::concluded,
            "the SPDX expression that follows, null when unknown");
  }
};

struct Install {
  static constexpr std::string_view kWireName = "Install";
  std::string kind;
  std::string command;
  template <class V>
  static void describe(V& v) {
    v.field("kind", &Install::kind, "");
    v.field("command", &Install::command, "");
  }
};

// A published run that a correction keeps out of an answer.
struct ExcludedRun {
  static constexpr std::string_view kWireName = "ExcludedRun";
  std::string run_id;
  std::string run_digest;
  std::string implementation;
  std::string code;
  std::string reason;
  template <class V>
  static void describe(V& v) {
    v.field("runId", &ExcludedRun::run_id, "");
    v.field("runDigest", &ExcludedRun::run_digest, "");
    v.field("implementation", &ExcludedRun::implementation, "slug");
    v.field("code", &ExcludedRun::code, "RETRACTED or SUPERSEDED");
    v.field("reason", &ExcludedRun::reason, "as whoever corrected it gave it");
  }
};

// The runs that corrections keep out of a comparison group, or out of an operation that has none.
struct Excluded {
  static constexpr std::string_view kWireName = "Excluded";
  std::int64_t total = 0;
  std::vector<ExcludedRun> runs;
  template <class V>
  static void describe(V& v) {
    v.field("total", &Excluded::total, "");
    v.field("runs", &Excluded::runs, "the first 20 by id");
  }
};

// A reason as data: a stable code and a sentence for people.
struct Reason {
  static constexpr std::string_view kWireName = "Reason";
  std::string code;
  std::string text;
  template <class V>
  static void describe(V& v) {
    v.field("code", &Reason::code, "stable, upper case");
    v.field("text", &Reason::text, "one sentence");
  }
};

// A parameter that named nothing, so that the answer is the one without it.
struct NotApplied {
  static constexpr std::string_view kWireName = "NotApplied";
  std::string parameter;
  std::string value;
  std::string text;
  template <class V>
  static void describe(V& v) {
    v.field("parameter", &NotApplied::parameter, "");
    v.field("value", &NotApplied::value, "");
    v.field("text", &NotApplied::text, "why, and what is shown instead");
  }
};

inline constexpr std::string_view kNamedNothing =
    "filters that name nothing in the catalog, for which the list is empty";

// One upstream that the answer draws on.
struct Source {
  static constexpr std::string_view kWireName = "Source";
  std::string name;
  std::string kind;
  std::optional<std::string> url;
  std::optional<std::string> license;
  std::optional<std::string> external_id;
  std::optional<std::string> observed_at;
  template <class V>
  static void describe(V& v) {
    v.field("name", &Source::name, "");
    v.field("kind", &Source::kind, "leaderboard, benchmark, submission, illustrative");
    v.field("url", &Source::url, "");
    v.field("license", &Source::license, "");
    v.field("externalId", &Source::external_id, "");
    v.field("observedAt", &Source::observed_at, "newest observation in this answer");
  }
};

}  // namespace ki::query
