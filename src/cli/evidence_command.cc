// ki publish: signed evidence into the catalog. ki runner: the key of this runner.

#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/commands_trust.h"
#include "cli/documents.h"
#include "cli/evidence_keys.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "evidence/publish_evidence.h"
#include "query/listings.h"
#include "runner/environment.h"

namespace ki::cli {
namespace {

struct PublishedFile {
  std::string file;
  std::string session;
  std::string key_id;
  std::string protocol;
  std::vector<std::string> runs;
  std::int64_t inserted = 0;
  std::int64_t existing = 0;
  template <class V>
  static void describe(V& v) {
    v.field("file", &PublishedFile::file, "");
    v.field("session", &PublishedFile::session, "");
    v.field("keyId", &PublishedFile::key_id, "whose signature it has");
    v.field("protocol", &PublishedFile::protocol, "");
    v.field("runs", &PublishedFile::runs, "digests");
    v.field("inserted", &PublishedFile::inserted, "objects new to the catalog");
    v.field("existing", &PublishedFile::existing, "");
  }
};

struct RunnerKey {
  std::string file;
  std::string key_id;
  std::string public_key;
  std::string machine;
  template <class V>
  static void describe(V& v) {
    v.field("file", &RunnerKey::file, "");
    v.field("keyId", &RunnerKey::key_id, "");
    v.field("publicKey", &RunnerKey::public_key, "");
    v.field("machine", &RunnerKey::machine, "digest of what tells this machine from others");
  }
};

Result<PublishedFile> publish_file(catalog::Catalog& catalog, const std::string& file,
                                   const std::string& actor) {
  const std::string bytes = TRY(read_file(file, runner::kEvidenceFileBytesMax));
  const std::string name = std::filesystem::path(file).filename().string();
  auto done = evidence::publish_evidence(catalog, bytes, name, clock(), {.actor = actor});
  if (!done) {
    Error error = std::move(done).error();
    error.where = error.where.empty() ? file : file + ": " + error.where;
    return std::unexpected(std::move(error));
  }
  return PublishedFile{.file = file,
                       .session = done->session,
                       .key_id = done->key_id,
                       .protocol = done->protocol,
                       .runs = done->runs,
                       .inserted = done->report.inserted,
                       .existing = done->report.existing};
}

}  // namespace

int publish_files(const Context& c, const PublishOptions& options) {
  auto catalog = catalog::Catalog::open(c.db, clock(), {.mode = db::Mode::create});
  if (!catalog) return report(c, catalog.error());
  std::vector<PublishedFile> all;
  bool refused = false;
  for (const std::string& pattern : options.files) {
    const auto files = matching_files(pattern);
    if (files.empty()) {
      report(c, Error{.code = Code::not_found, .message = "no file matches", .where = pattern});
      refused = true;
    }
    for (const std::string& file : files) {
      auto done = publish_file(*catalog, file, options.actor);
      refused = refused || !done;
      done ? all.push_back(std::move(*done)) : static_cast<void>(report(c, done.error()));
    }
  }
  if (c.output == Output::table) {
    for (const PublishedFile& file : all) {
      c.out << printable(file.file) << ": "
            << query::counted(static_cast<std::int64_t>(file.runs.size()), "run") << " under "
            << file.protocol << ", " << query::counted(file.inserted, "object") << " new, "
            << file.existing << " known\n";
    }
  } else {
    print_json_lines(c, all);
  }
  if (!refused) return kOk;
  return all.empty() ? kFailed : kPartly;
}

int runner_key_command(const Context& c, const RunnerOptions& options) {
  const auto named = runner_key_path(options.key);
  if (!named) return report(c, named.error());
  const std::string& path = *named;
  const auto key = options.create ? make_runner_key(c, path) : runner::SigningKey::load(path);
  if (!key) {
    Error error = key.error();
    if (error.code == Code::not_found) error.message = "no key yet; ki runner init makes one";
    return report(c, error);
  }
  const RunnerKey shown{.file = path,
                        .key_id = to_string(key->id()),
                        .public_key = key->public_key(),
                        .machine = to_string(runner::read_facts().machine)};
  if (c.output != Output::table) {
    print_json(c, shown);
  } else {
    c.out << "key      " << shown.key_id << "\npublic   " << shown.public_key << "\nmachine  "
          << shown.machine << "\nfile     " << printable(path) << '\n';
  }
  return kOk;
}

}  // namespace ki::cli
