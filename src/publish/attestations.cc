#include "publish/attestations.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/update.h"
#include "json/write.h"
#include "publish/corrections.h"

namespace ki::publish {
namespace {

std::unexpected<Error> wrong(std::string_view member, std::string message) {
  return fail(Code::invalid, std::move(message), std::string(member));
}

bool is_address(std::string_view text) {
  constexpr std::string_view kHttps = "https://";
  return text.size() > kHttps.size() && text.starts_with(kHttps) &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c != '\x7F'; });
}

}  // namespace

Status check_attestation(const catalog::AttestationRow& row) {
  TRY(check_actor(row.author));
  if (std::ranges::find(kAttestationTypes, row.type) == kAttestationTypes.end()) {
    return wrong("type", fmt::format("must be one of {}", fmt::join(kAttestationTypes, ", ")));
  }
  if (!is_utf8(row.body) || row.body.empty() || trim(row.body) != row.body ||
      row.body.size() > kAttestationBytesMax) {
    return wrong("body", "must say what was found, in 1 to 2000 bytes");
  }
  if (row.evidence_url &&
      (!is_address(*row.evidence_url) || row.evidence_url->size() > kAttestationBytesMax)) {
    return wrong("evidenceUrl", "must be an https address without blanks, up to 2000 bytes");
  }
  if (row.observed_ns && !(std::isfinite(*row.observed_ns) && *row.observed_ns > 0)) {
    return wrong("observedNs", "must be a number of nanoseconds above 0");
  }
  if (row.environment_summary &&
      (!is_utf8(*row.environment_summary) || row.environment_summary->empty() ||
       row.environment_summary->size() > kAttestationSummaryMax)) {
    return wrong("environmentSummary", "must be text of 1 to 200 bytes");
  }
  return {};
}

catalog::AuditRow audit_row(const catalog::AttestationRow& row) {
  std::string detail;
  json::Writer out(detail);
  out.begin_object().key("attestationId").string(row.id).key("type").string(row.type).end_object();
  return {.id = row.id,
          .at = row.at,
          .actor = row.author,
          .action = std::string(kAttest),
          .entity_kind = "run",
          .entity_id = row.run_id,
          .detail = std::move(detail)};
}

Status record_attestation(catalog::Ledger& ledger, const catalog::AttestationRow& row) {
  TRY(ledger.insert(row));
  ledger.note(audit_row(row));
  return {};
}

Result<std::string> attest(catalog::Catalog& catalog, std::string_view run,
                           const Attestation& attestation, std::string_view author,
                           const Clock& clock) {
  const Instant now = clock.now();
  catalog::AttestationRow row{.id = uuid_v7(now),
                              .run_id = {},
                              .type = attestation.type,
                              .body = std::string(trim(attestation.body)),
                              .evidence_url = attestation.evidence_url,
                              .observed_ns = attestation.observed_ns,
                              .environment_summary = attestation.environment_summary,
                              .author = std::string(author),
                              .at = to_iso(now)};
  TRY(check_attestation(row));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  const auto found = TRY(catalog::find_run(connection, run));
  if (!found || !found->published_at) {
    return fail(Code::not_found, "there is no such published run", std::string(run));
  }
  constexpr std::chrono::hours kDay{24};
  const std::int64_t filed =
      TRY(catalog::count_attestations(connection, row.author, to_iso(now - kDay)));
  if (!attestation.evidence && filed >= kAttestationsPerAuthorMax) {
    return fail(Code::denied, "20 attestations were filed in the last 24 hours: try again later",
                row.author);
  }
  row.run_id = found->id;
  catalog::Ledger ledger = TRY(catalog::Ledger::open(connection));
  if (attestation.evidence) {
    const std::string digest = to_string(*attestation.evidence);
    const auto artifact = TRY(catalog::artifact_id(connection, digest));
    if (!artifact) return fail(Code::not_found, "there is no such evidence", digest);
    const catalog::ArtifactLinkRow link{.entity_kind = "run",
                                        .entity_id = row.run_id,
                                        .role = std::string(kVerification),
                                        .artifact_id = *artifact};
    const bool added = TRY(catalog::add_link(connection, link));
    if (added) ledger.add(link);
  }
  TRY(record_attestation(ledger, row));
  TRY(ledger.write());
  TRY(transaction.commit());
  return row.id;
}

}  // namespace ki::publish
