#include "auth/keys.h"

#include <algorithm>

#include <openssl/rand.h>

#include "base/digest.h"
#include "base/text.h"

namespace ki::auth {
namespace {

using catalog::ApiKeyRow;

std::string day_of(Instant now) { return to_iso(now).substr(0, 10); }

Result<std::string> new_token() {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<unsigned char, kTokenCharacters> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return fail(Code::unavailable, "the system gives no random bytes", "key");
  }
  std::string token(kTokenStart);
  for (const unsigned char byte : random) token += kAlphabet[byte % kAlphabet.size()];
  return token;
}

Status check(const NewKey& key, Instant now) {
  const bool printable = std::ranges::none_of(
      key.name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (trim(key.name).empty() || key.name.size() > kKeyNameMax || !printable || !is_utf8(key.name)) {
    return fail(Code::invalid,
                "a key is named in 1 to " + std::to_string(kKeyNameMax) + " bytes of one line",
                "name");
  }
  std::vector<std::string> known(kScopes.begin(), kScopes.end());
  if (key.scopes.empty()) {
    return fail(Code::invalid, "a key needs a scope: " + join(known, ", "), "scope");
  }
  for (const std::string& scope : key.scopes) {
    if (std::ranges::find(kScopes, scope) != kScopes.end()) continue;
    return fail(Code::invalid, "'" + excerpt(scope) + "' is none of " + join(known, ", "), "scope");
  }
  if (key.expires_at && *key.expires_at <= now) {
    return fail(Code::invalid, "the end of a key lies ahead", "expires");
  }
  if (key.quota_per_day < 1 || key.quota_per_day > kQuotaPerDayMax) {
    return fail(Code::invalid, "a quota is 1 to " + std::to_string(kQuotaPerDayMax), "quota");
  }
  return {};
}

std::chrono::seconds until_tomorrow(Instant now) {
  const Instant tomorrow = std::chrono::floor<std::chrono::days>(now) + std::chrono::days(1);
  return std::chrono::ceil<std::chrono::seconds>(tomorrow - now);
}

}  // namespace

Result<MadeKey> create_key(catalog::Catalog& catalog, const NewKey& key, const Clock& clock) {
  const Instant now = clock.now();
  TRY(check(key, now));
  std::vector<std::string> scopes = key.scopes;
  std::ranges::sort(scopes);
  scopes.erase(std::ranges::unique(scopes).begin(), scopes.end());
  std::string token = TRY(new_token());
  ApiKeyRow row{.id = uuid_v7(now),
                .name = key.name,
                .prefix = token.substr(0, kPrefixCharacters),
                .token_digest = to_string(sha256(token)),
                .scopes = join(scopes, " "),
                .quota_per_day = key.quota_per_day,
                .created_at = to_iso(now)};
  if (key.expires_at) row.expires_at = to_iso(*key.expires_at);
  db::Transaction transaction = TRY(catalog.connection().begin());
  TRY(catalog::insert_api_key(catalog.connection(), row));
  TRY(transaction.commit());
  return MadeKey{.token = std::move(token), .row = std::move(row)};
}

Result<std::vector<ApiKeyRow>> list_keys(catalog::Catalog& catalog, const Clock& clock) {
  return catalog::list_api_keys(catalog.connection(), day_of(clock.now()));
}

Result<ApiKeyRow> revoke_key(catalog::Catalog& catalog, std::string_view key, const Clock& clock) {
  db::Transaction transaction = TRY(catalog.connection().begin());
  const std::vector<ApiKeyRow> keys = TRY(list_keys(catalog, clock));
  const ApiKeyRow* found = nullptr;
  for (const ApiKeyRow& row : keys) {
    if (row.id != key && row.prefix != key) continue;
    if (found != nullptr) {
      return fail(Code::conflict, "several keys start so: name one by its id", excerpt(key));
    }
    found = &row;
  }
  if (found == nullptr) {
    // What was given may be a whole token, which is not for the terminal's memory.
    return fail(Code::not_found, "no key has this id or prefix; ki auth key list has them",
                excerpt(key, kPrefixCharacters));
  }
  ApiKeyRow revoked = *found;
  revoked.revoked_at = to_iso(clock.now());
  const bool changed =
      TRY(catalog::revoke_api_key(catalog.connection(), found->id, *revoked.revoked_at));
  if (!changed) return fail(Code::conflict, "this key is revoked already", found->id);
  TRY(transaction.commit());
  return revoked;
}

bool has_scope(const ApiKeyRow& key, std::string_view scope) {
  return std::ranges::any_of(split(key.scopes, ' '),
                             [&](std::string_view one) { return one == scope; });
}

Result<std::shared_ptr<Gate>> Gate::open(const std::string& database, const Clock& clock) {
  auto catalog = TRY(catalog::Catalog::open(database, clock, {.mode = db::Mode::read_only}));
  std::shared_ptr<Gate> gate(new Gate(database, clock, std::move(catalog)));
  gate->flusher_ = std::jthread(
      [self = gate.get()](const std::stop_token& stop) { self->flush_now_and_then(stop); });
  return gate;
}

Gate::~Gate() {
  flusher_ = {};  // ends it
  static_cast<void>(flush());
}

// What nobody asks after is written as well.
void Gate::flush_now_and_then(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, stop, kFlushEvery, [] { return false; })) {
    if (stop.stop_requested()) return;
    static_cast<void>(flush_locked());  // a catalog that is written to now: the next time
  }
}

Result<Admission> Gate::admit(std::string_view token, std::string_view scope) {
  const Instant now = clock_.now();
  const std::string day = day_of(now);
  const std::string digest = to_string(sha256(token));
  const std::scoped_lock lock(mutex_);
  if (day != day_ || now - flushed_at_ >= kFlushEvery || now < flushed_at_) {
    static_cast<void>(flush_locked());  // a catalog that is written to now: the next time
    flushed_at_ = now;
    if (day != day_) more_.clear();
    day_ = day;
    // Another file may have taken the place of the one that was opened.
    catalog_ = TRY(catalog::Catalog::open(database_, clock_, {.mode = db::Mode::read_only}));
  }
  auto found = TRY(catalog::find_api_key(catalog_.connection(), digest, day));
  if (!found) return Admission{.verdict = Verdict::unknown};
  Admission out{.verdict = Verdict::granted, .key = std::move(*found)};
  ApiKeyRow& key = out.key;
  const auto more = more_.find(key.id);
  if (more != more_.end()) key.used += more->second;
  if (key.revoked_at) {
    out.verdict = Verdict::revoked;
  } else if (key.expires_at && *key.expires_at <= to_iso(now)) {
    out.verdict = Verdict::expired;
  } else if (!scope.empty() && !has_scope(key, scope)) {
    out.verdict = Verdict::missing_scope;
  } else if (key.used >= key.quota_per_day) {
    out.verdict = Verdict::exhausted;
    out.retry_after = until_tomorrow(now);
  } else {
    ++more_[key.id];
    ++key.used;
  }
  return out;
}

Status Gate::flush() {
  const std::scoped_lock lock(mutex_);
  return flush_locked();
}

Status Gate::flush_locked() {
  if (more_.empty()) return {};
  // A writer who takes longer is waited for the next time, not by those who ask now.
  constexpr std::chrono::milliseconds kWait{20};
  const auto writer = TRY(catalog::Catalog::open(
      database_, clock_, {.mode = db::Mode::read_write, .busy_wait = kWait}));
  db::Transaction transaction = TRY(writer.connection().begin());
  for (const auto& [key, more] : more_) {
    TRY(catalog::add_api_key_use(writer.connection(), {.key_id = key, .day = day_, .more = more}));
  }
  TRY(transaction.commit());
  more_.clear();
  return {};
}

}  // namespace ki::auth
