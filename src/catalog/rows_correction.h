// Rows of the catalog: what was said of runs after they were published.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/table.h"

namespace ki::catalog {

// A retraction, restoration or supersession.
struct CorrectionRow {
  static constexpr std::string_view kTable = "correction";
  std::string id{};
  std::string action{};
  std::string run_id{};
  std::optional<std::string> superseded_run_id{};
  std::string actor{};
  std::string reason{};
  std::string at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &CorrectionRow::id);
    v("action", &CorrectionRow::action);
    v("run_id", &CorrectionRow::run_id);
    v("superseded_run_id", &CorrectionRow::superseded_run_id);
    v("actor", &CorrectionRow::actor);
    v("reason", &CorrectionRow::reason);
    v("at", &CorrectionRow::at);
  }
};

// What somebody found when looking at a run.
struct AttestationRow {
  static constexpr std::string_view kTable = "attestation";
  std::string id{};
  std::string run_id{};
  std::string type{};
  std::string body{};
  std::optional<std::string> evidence_url{};
  std::optional<double> observed_ns{};
  std::optional<std::string> environment_summary{};
  std::string author{};
  std::string at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &AttestationRow::id);
    v("run_id", &AttestationRow::run_id);
    v("type", &AttestationRow::type);
    v("body", &AttestationRow::body);
    v("evidence_url", &AttestationRow::evidence_url);
    v("observed_ns", &AttestationRow::observed_ns);
    v("environment_summary", &AttestationRow::environment_summary);
    v("author", &AttestationRow::author);
    v("at", &AttestationRow::at);
  }
};

}  // namespace ki::catalog
