// ki auth key: who may do more than read, or is counted while reading.

#include <ostream>

#include "auth/keys.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace ki::cli {
namespace {

using catalog::ApiKeyRow;

struct Key {
  std::string id;
  std::string name;
  std::string prefix;
  std::vector<std::string> scopes;
  std::int64_t quota_per_day = 0;
  std::int64_t used_today = 0;
  std::optional<std::string> last_used_on;
  std::string created_at;
  std::optional<std::string> expires_at;
  std::optional<std::string> revoked_at;
  template <class V>
  static void describe(V& v) {
    v.field("id", &Key::id, "");
    v.field("name", &Key::name, "");
    v.field("prefix", &Key::prefix, "how its token starts");
    v.field("scopes", &Key::scopes, "");
    v.field("quotaPerDay", &Key::quota_per_day, "");
    v.field("usedToday", &Key::used_today, "as last written by the servers");
    v.field("lastUsedOn", &Key::last_used_on, "day (UTC) of the last granted request; null: none");
    v.field("createdAt", &Key::created_at, "");
    v.field("expiresAt", &Key::expires_at, "null: never");
    v.field("revokedAt", &Key::revoked_at, "null: it is good");
  }
};

struct KeyList {
  std::vector<Key> keys;
  template <class V>
  static void describe(V& v) {
    v.field("keys", &KeyList::keys, "oldest first");
  }
};

struct CreatedKey {
  std::string token;
  Key key;
  template <class V>
  static void describe(V& v) {
    v.field("token", &CreatedKey::token, "shown this once");
    v.field("key", &CreatedKey::key, "");
  }
};

Key to_wire(const ApiKeyRow& row) {
  Key key{.id = row.id,
          .name = row.name,
          .prefix = row.prefix,
          .scopes = {},
          .quota_per_day = row.quota_per_day,
          .used_today = row.used,
          .last_used_on = row.last_used_on,
          .created_at = row.created_at,
          .expires_at = row.expires_at,
          .revoked_at = row.revoked_at};
  for (const std::string_view scope : split(row.scopes, ' ')) key.scopes.emplace_back(scope);
  return key;
}

Result<catalog::Catalog> open_catalog(const Context& c, db::Mode mode) {
  return catalog::Catalog::open(c.db, clock(), {.mode = mode});
}

std::string state_of(const ApiKeyRow& row) {
  if (row.revoked_at) return "revoked";
  return row.expires_at && *row.expires_at <= to_iso(clock().now()) ? "expired" : "good";
}

}  // namespace

int key_create(const Context& c, const KeyOptions& options) {
  auth::NewKey key{.name = options.name,
                   .scopes = options.scopes,
                   .expires_at = {},
                   .quota_per_day = options.quota};
  if (!options.expires.empty()) {
    key.expires_at = parse_instant(options.expires);
    if (!key.expires_at) {
      return report(c,
                    Error{.code = Code::invalid,
                          .message = "an instant is written 2027-01-31 or 2027-01-31T12:00:00Z",
                          .where = "--expires"},
                    {"--expires"});
    }
  }
  auto catalog = open_catalog(c, db::Mode::read_write);
  if (!catalog) return report(c, catalog.error());
  const auto made = auth::create_key(*catalog, key, clock());
  if (!made) {
    return report_options(
        c, made.error(),
        {{"name", "name"}, {"scope", "--scope"}, {"expires", "--expires"}, {"quota", "--quota"}});
  }
  keep(c, "key " + made->row.prefix +
              "... is made and will not be shown again; ki auth key revoke " + made->row.prefix +
              " ends it");
  if (c.output != Output::table) {
    print_json(c, CreatedKey{.token = made->token, .key = to_wire(made->row)});
    return kOk;
  }
  c.out << made->token << '\n';
  if (!c.quiet) {
    c.err << "This is the only time the key is shown. Send it as\n"
             "  Authorization: Bearer "
          << made->row.prefix << "...\n";
  }
  return kOk;
}

int key_list(const Context& c) {
  auto catalog = open_catalog(c, db::Mode::read_only);
  if (!catalog) return report(c, catalog.error());
  const auto rows = auth::list_keys(*catalog, clock());
  if (!rows) return report(c, rows.error());
  KeyList list;
  for (const ApiKeyRow& row : *rows) list.keys.push_back(to_wire(row));
  if (c.output == Output::json) {
    print_json(c, list);
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, list.keys);
  } else {
    Table table({{.heading = "name", .narrowest = kNarrowest},
                 {"key"},
                 {"state"},
                 {.heading = "scopes", .narrowest = kNarrowest},
                 {.heading = "used today", .align = Align::right},
                 {.heading = "a day", .align = Align::right, .spare = 1},
                 {.heading = "last used"},
                 {.heading = "expires", .spare = 2},
                 {.heading = "id", .spare = 3}});
    for (const ApiKeyRow& row : *rows) {
      table.add({row.name, row.prefix + "...", state_of(row), row.scopes, std::to_string(row.used),
                 std::to_string(row.quota_per_day), row.last_used_on.value_or("never"),
                 row.expires_at.value_or("never"), row.id});
    }
    if (!table.empty()) table.print(c.out, !c.quiet, c.width);
    if (table.empty() && !c.quiet) c.out << "no keys; ki auth key create NAME makes one\n";
  }
  return kOk;
}

int key_revoke(const Context& c, const std::string& key) {
  auto catalog = open_catalog(c, db::Mode::read_write);
  if (!catalog) return report(c, catalog.error());
  const auto revoked = auth::revoke_key(*catalog, key, clock());
  if (!revoked) return report(c, revoked.error());
  keep(c, "key " + revoked->prefix + "... is revoked");
  if (c.output != Output::table) {
    print_json(c, to_wire(*revoked));
  } else if (!c.quiet) {
    c.out << "revoked " << revoked->prefix << "... (" << printable(revoked->name)
          << "); servers refuse it from now on\n";
  }
  return kOk;
}

}  // namespace ki::cli
