#include "publish/publish.h"

#include <algorithm>

#include "base/text.h"
#include "publish/corrections.h"
#include "publish/derive.h"
#include "publish/session.h"

namespace ki::publish {
namespace {

// Manifests are UTF-8 since they were read; the names of input files come from a file system.
Status check_names(const Bundle& bundle) {
  for (const SnapshotEntry& entry : bundle.snapshots) {
    if (!is_utf8(entry.locator)) {
      return fail(Code::invalid, "the name of an input file must be text in UTF-8; rename it",
                  to_string(entry.content_digest));
    }
  }
  return {};
}

Status derive(Session& session, catalog::Ledger& ledger, const Bundle& bundle,
              const RefreshOptions& options) {
  std::vector<RecordEventPreset> presets = bundle.record_events;
  std::ranges::sort(presets, [](const RecordEventPreset& a, const RecordEventPreset& b) {
    return std::tie(a.run_id, a.cause) < std::tie(b.run_id, b.cause);
  });
  RefreshOptions with_presets = options;
  with_presets.presets = &presets;
  const RefreshReport refreshed = TRY(refresh_cohorts(ledger, session.cohorts, with_presets));
  session.report.record_events = refreshed.new_events;
  return refresh_operations(ledger.connection(), session.operations);
}

}  // namespace

Result<Report> publish(catalog::Catalog& catalog, const Bundle& bundle, const Clock& clock,
                       const Options& options) {
  TRY(check_actor(options.actor));
  TRY(check_names(bundle));
  db::Connection& connection = catalog.connection();
  db::Transaction transaction = TRY(connection.begin());
  catalog::Ledger ledger = TRY(catalog::Ledger::open(connection));
  Session session(ledger, bundle, clock, options);
  {
    const db::WithoutTriggers adding(connection);
    TRY(session.insert_all());
  }
  TRY(derive(session, ledger, bundle, {.now = clock.now(), .actor = options.actor}));
  TRY(session.check_record_events());
  TRY(session.write_log());
  session.report.changed = session.changed;
  if (session.changed && !options.dry_run) {
    TRY(transaction.commit());
  }
  return std::move(session.report);
}

}  // namespace ki::publish
