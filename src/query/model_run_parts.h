// The parts of a run dossier.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_run_standing.h"

namespace ki::query {

struct RunWorkload {
  static constexpr std::string_view kWireName = "RunWorkload";
  std::string id;
  std::string digest;
  std::string label;
  std::map<std::string, json::Raw> axes;
  std::vector<KeyValue> tensors;
  std::vector<KeyValue> tolerance;
  std::vector<KeyValue> axis_list;
  template <class V>
  static void describe(V& v) {
    v.field("id", &RunWorkload::id, "");
    v.field("digest", &RunWorkload::digest, "");
    v.field("label", &RunWorkload::label, "");
    v.field("axes", &RunWorkload::axes, "number or text by name");
    v.field("tensors", &RunWorkload::tensors, "");
    v.field("tolerance", &RunWorkload::tolerance, "");
    v.field("axisList", &RunWorkload::axis_list, "the axes in their stored order");
  }
};

struct Correctness {
  static constexpr std::string_view kWireName = "Correctness";
  std::string comparator;
  std::optional<double> max_absolute_error;
  std::optional<double> max_relative_error;
  std::optional<double> matched_ratio;
  bool passed = false;
  template <class V>
  static void describe(V& v) {
    v.field("comparator", &Correctness::comparator, "");
    v.field("maxAbsoluteError", &Correctness::max_absolute_error, "");
    v.field("maxRelativeError", &Correctness::max_relative_error, "");
    v.field("matchedRatio", &Correctness::matched_ratio, "");
    v.field("passed", &Correctness::passed, "");
  }
};

struct MeasurementItem {
  static constexpr std::string_view kWireName = "MeasurementItem";
  std::string metric;
  std::string statistic;
  double value = 0;
  std::string unit;
  std::optional<std::int64_t> sample_count;
  template <class V>
  static void describe(V& v) {
    v.field("metric", &MeasurementItem::metric, "");
    v.field("statistic", &MeasurementItem::statistic, "");
    v.field("value", &MeasurementItem::value, "");
    v.field("unit", &MeasurementItem::unit, "");
    v.field("sampleCount", &MeasurementItem::sample_count, "");
  }
};

struct ArtifactItem {
  static constexpr std::string_view kWireName = "ArtifactItem";
  std::string role;
  std::string digest;
  std::string media_type;
  std::optional<std::int64_t> size_bytes;
  std::optional<std::string> uri;
  std::string availability;
  template <class V>
  static void describe(V& v) {
    v.field("role", &ArtifactItem::role, "");
    v.field("digest", &ArtifactItem::digest, "");
    v.field("mediaType", &ArtifactItem::media_type, "");
    v.field("sizeBytes", &ArtifactItem::size_bytes, "");
    v.field("uri", &ArtifactItem::uri, "");
    v.field("availability", &ArtifactItem::availability, "public, upstream or unavailable");
  }
};

struct RunProvenance {
  static constexpr std::string_view kWireName = "RunProvenance";
  Source source;
  std::optional<std::string> external_id;
  std::optional<std::string> parser_version;
  std::optional<std::string> snapshot_digest;
  std::optional<std::string> snapshot_locator;
  std::optional<std::int64_t> source_row;
  std::optional<std::int64_t> source_line;
  template <class V>
  static void describe(V& v) {
    v.field("source", &RunProvenance::source, "");
    v.field("externalId", &RunProvenance::external_id, "");
    v.field("parserVersion", &RunProvenance::parser_version, "");
    v.field("snapshotDigest", &RunProvenance::snapshot_digest, "");
    v.field("snapshotLocator", &RunProvenance::snapshot_locator, "");
    v.field("sourceRow", &RunProvenance::source_row, "");
    v.field("sourceLine", &RunProvenance::source_line, "");
  }
};

struct Attestation {
  static constexpr std::string_view kWireName = "Attestation";
  std::string id;
  std::string type;
  std::string body;
  std::optional<std::string> evidence_url;
  std::optional<double> observed_ns;
  std::optional<std::string> environment_summary;
  std::string author;
  std::string at;
  template <class V>
  static void describe(V& v) {
    v.field("id", &Attestation::id, "");
    v.field("type", &Attestation::type, "");
    v.field("body", &Attestation::body, "");
    v.field("evidenceUrl", &Attestation::evidence_url, "");
    v.field("observedNs", &Attestation::observed_ns, "");
    v.field("environmentSummary", &Attestation::environment_summary, "");
    v.field("author", &Attestation::author, "");
    v.field("at", &Attestation::at, "");
  }
};

// The stored manifests, as published.
struct RunManifests {
  static constexpr std::string_view kWireName = "RunManifests";
  json::Raw run;
  json::Raw protocol;
  json::Raw environment;
  template <class V>
  static void describe(V& v) {
    v.field("run", &RunManifests::run, "");
    v.field("protocol", &RunManifests::protocol, "");
    v.field("environment", &RunManifests::environment, "");
  }
};

}  // namespace ki::query
