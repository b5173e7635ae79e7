// ki verify, migrate, backup, correct: the catalog itself.

#include <filesystem>
#include <map>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "base/given.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "publish/attestations.h"
#include "publish/corrections.h"
#include "publish/verify.h"
#include "query/run_name.h"

namespace ki::cli {
namespace {

Result<catalog::Catalog> open_catalog(const Context& c, db::Mode mode) {
  return catalog::Catalog::open(c.db, clock(), {.mode = mode});
}

struct Difference {
  std::string entity;
  std::string id;
  std::string field;
  std::string stored;
  std::string expected;
  template <class V>
  static void describe(V& v) {
    v.field("entity", &Difference::entity, "table");
    v.field("id", &Difference::id, "of the row");
    v.field("field", &Difference::field, "column, or row");
    v.field("stored", &Difference::stored, "");
    v.field("expected", &Difference::expected, "as it follows from the evidence");
  }
};

struct Verification {
  std::map<std::string, std::int64_t> checked;
  std::int64_t found = 0;
  std::vector<Difference> differences;
  std::optional<std::int64_t> log_rows;
  std::string log_digest;
  template <class V>
  static void describe(V& v) {
    v.field("checked", &Verification::checked, "rows recomputed, by table");
    v.field("found", &Verification::found, "all differences");
    v.field("differences", &Verification::differences, "the first of them");
    v.field("logRows", &Verification::log_rows, "rows of the audit log; null: not read");
    v.field("logDigest", &Verification::log_digest, "of its last row");
  }
};

Verification to_wire(const publish::VerifyReport& report) {
  Verification wire{.checked = report.checked,
                    .found = report.found,
                    .differences = {},
                    .log_rows = report.log_rows,
                    .log_digest = report.log_digest};
  for (const auto& finding : report.findings) {
    wire.differences.push_back({.entity = finding.entity,
                                .id = finding.id,
                                .field = finding.field,
                                .stored = finding.stored,
                                .expected = finding.expected});
  }
  return wire;
}

}  // namespace

int verify(const Context& c) {
  auto catalog = open_catalog(c, db::Mode::read_only);
  if (!catalog) return report(c, catalog.error());
  const auto result = publish::verify(*catalog);
  if (!result) return report(c, result.error());
  if (c.output == Output::json) {
    print_json(c, to_wire(*result));
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, to_wire(*result).differences);
  } else {
    for (const auto& finding : result->findings) {
      c.out << finding.entity << ' ' << finding.id << ": " << finding.field << " is "
            << printable(excerpt(finding.stored)) << ", expected "
            << printable(excerpt(finding.expected)) << '\n';
    }
    std::int64_t rows = 0;
    for (const auto& [table, count] : result->checked) rows += count;
    if (!c.quiet) {
      if (result->log_rows) {
        c.out << "audit log: " << *result->log_rows << " rows, the last is "
              << (result->log_digest.empty() ? "none" : result->log_digest) << '\n';
      } else {
        c.out << "no row was read: the tables are not those of this version\n";
      }
      c.out << rows << " rows recomputed, " << result->found << " differences\n";
    }
  }
  return result->found == 0 ? kOk : kFailed;
}

namespace {

Result<db::SchemaState> migrate_file(const std::string& file) {
  const auto connection = TRY(db::open(file, {.mode = db::Mode::create}));
  auto done = catalog::migrate(*connection, clock());
  if (!done) return std::unexpected(catalog::within(done.error(), file));
  return done;
}

}  // namespace

int migrate(const Context& c) {
  std::error_code error;
  const auto folder = std::filesystem::path(c.db).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  const bool fresh = is_absent(c.db);
  const auto before = migrate_file(c.db);
  if (!before) {
    // A file without a byte is no catalog, and the next command would say so.
    if (fresh && std::filesystem::file_size(c.db, error) == 0) std::filesystem::remove(c.db, error);
    return report(c, before.error());
  }
  keep(c, fmt::format("{} has version {}", c.db, before->latest));
  if (c.output == Output::table) {
    if (!c.quiet) {
      c.out << printable(c.db) << ": version " << before->latest
            << (before->version == before->latest ? ", nothing to do\n" : "\n");
    }
  } else {
    c.out << fmt::format("{{\"before\":{},\"version\":{}}}\n", before->version, before->latest);
  }
  return kOk;
}

int backup(const Context& c, const std::string& file) {
  if (!is_absent(file)) {
    return report(c, Error{.code = Code::conflict,
                           .message = "exists already, and a backup replaces nothing; name another",
                           .where = file});
  }
  auto catalog = open_catalog(c, db::Mode::read_only);
  if (!catalog) return report(c, catalog.error());
  const auto tables = catalog->connection().backup(file);
  if (!tables) return report(c, tables.error());
  keep(c, file + " is whole and checked");
  std::int64_t rows = 0;
  for (const auto& table : *tables) rows += table.rows;
  if (c.output == Output::table) {
    if (!c.quiet) {
      c.out << printable(file) << ": " << tables->size() << " tables, " << rows
            << " rows, checked\n";
    }
  } else {
    c.out << fmt::format("{{\"tables\":{},\"rows\":{}}}\n", tables->size(), rows);
  }
  return kOk;
}

namespace {

// The id or digest that a run is called by, or that starts with what it is called by.
Result<std::string> whole_name(catalog::Catalog& catalog, const std::string& name) {
  const auto found = TRY(query::run_name(catalog.connection(), name));
  if (found) return *found;
  return fail(Code::not_found,
              "no run is called '" + excerpt(name) + "'; " + std::string(query::kHowRunsAreNamed));
}

}  // namespace

int attest(const Context& c, const AttestOptions& options) {
  auto catalog = open_catalog(c, db::Mode::read_write);
  if (!catalog) return report(c, catalog.error());
  const auto run = whole_name(*catalog, options.run);
  if (!run) return report(c, run.error());
  publish::Attestation attestation{.type = options.type,
                                   .body = options.note,
                                   .evidence_url = given(options.evidence_url),
                                   .observed_ns = {},
                                   .environment_summary = given(options.environment)};
  if (options.observed_ns != 0) attestation.observed_ns = options.observed_ns;
  const auto id = publish::attest(*catalog, *run, attestation, options.actor, clock());
  if (!id) {
    return report_options(c, id.error(),
                          {{"type", "--type"},
                           {"body", "--note"},
                           {"evidenceUrl", "--evidence-url"},
                           {"observedNs", "--observed-ns"},
                           {"environmentSummary", "--environment"},
                           {"actor", "--actor"}});
  }
  keep(c, "the note is filed as " + *id);
  if (c.output != Output::table) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("attestationId").string(*id).key("run").string(*run).end_object();
    print_json_text(c, text);
  } else if (!c.quiet) {
    c.out << "filed; ki show run " << *run << " has it\n";
  }
  return kOk;
}

int correct(const Context& c, const CorrectOptions& options) {
  auto catalog = open_catalog(c, db::Mode::read_write);
  if (!catalog) return report(c, catalog.error());
  const auto run = whole_name(*catalog, options.run);
  if (!run) return report(c, run.error());
  const auto older =
      options.older_run.empty() ? Result<std::string>() : whole_name(*catalog, options.older_run);
  if (!older) return report(c, older.error());
  const publish::Justification why{.actor = options.actor, .reason = options.reason};
  const auto done =
      options.action == "retract"   ? publish::retract(*catalog, *run, why, clock())
      : options.action == "restore" ? publish::restore(*catalog, *run, why, clock())
      : options.action == "release" ? publish::release(*catalog, *run, why, clock())
      : options.action == "reject"
          ? publish::reject(*catalog, *run, why, clock())
          : publish::supersede(*catalog, {.run_id = *run, .older_run_id = *older}, why, clock());
  if (!done) {
    return report_options(c, done.error(), {{"reason", "--reason"}, {"actor", "--actor"}});
  }
  keep(c, fmt::format("{} of {} is recorded as {}", options.action, done->run_id,
                      done->correction_id));
  if (c.output != Output::table) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("correctionId").string(done->correction_id);
    out.key("runId").string(done->run_id).key("comparisonKey").string(done->comparison_key);
    out.key("holderRunId");
    done->holder_run_id.empty() ? out.null() : out.string(done->holder_run_id);
    out.end_object();
    print_json_text(c, text);
  } else if (!c.quiet) {
    c.out << options.action << " recorded; ";
    if (done->holder_run_id.empty()) {
      c.out << "nobody leads the cohort now\n";
    } else {
      c.out << "the cohort's record is held by " << done->holder_run_id << '\n';
    }
  }
  return kOk;
}

}  // namespace ki::cli
