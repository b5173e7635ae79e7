// Keys of clients. A token is shown once, when it is made; the catalog keeps its digest. Reading
// needs no key; a key has scopes, an end if it was given one, and a quota for each day (UTC).
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/api_key.h"
#include "catalog/catalog.h"

namespace ki::auth {

inline constexpr std::string_view kRead = "catalog:read";
inline constexpr std::string_view kSubmit = "submissions:write";  // attestations
inline constexpr std::string_view kCorrect = "catalog:correct";   // corrections
inline constexpr std::array kScopes = {kRead, kSubmit, kCorrect};

inline constexpr std::string_view kTokenStart = "ki_";
inline constexpr std::size_t kTokenCharacters = 32;  // behind the start, of 64 each: 192 bits
inline constexpr std::size_t kPrefixCharacters = 9;  // of the token, that may be shown
inline constexpr std::size_t kKeyNameMax = 100;      // bytes
inline constexpr std::int64_t kQuotaPerDay = 5000;
inline constexpr std::int64_t kQuotaPerDayMax = 1'000'000'000;

struct NewKey {
  std::string name{};                 // 1 to kKeyNameMax bytes without control characters
  std::vector<std::string> scopes{};  // of kScopes, at least one
  std::optional<Instant> expires_at{};
  std::int64_t quota_per_day = kQuotaPerDay;  // 1 to kQuotaPerDayMax
};

struct MadeKey {
  std::string token;
  catalog::ApiKeyRow row;
};

// Errors: Code::invalid at "name", "scope", "expires" or "quota"; those of storage.
Result<MadeKey> create_key(catalog::Catalog& catalog, const NewKey& key, const Clock& clock);

// Keys with what they used today and the day (UTC) of their last granted request, both as last
// written by the servers. Days are kept, so that no request is a write.
Result<std::vector<catalog::ApiKeyRow>> list_keys(catalog::Catalog& catalog, const Clock& clock);

// By id, or by prefix where one key has it. Errors: Code::not_found; Code::conflict when it is
// revoked already or several have the prefix.
Result<catalog::ApiKeyRow> revoke_key(catalog::Catalog& catalog, std::string_view key,
                                      const Clock& clock);

enum class Verdict : std::uint8_t { granted, unknown, revoked, expired, missing_scope, exhausted };

struct Admission {
  Verdict verdict = Verdict::unknown;
  catalog::ApiKeyRow key{};             // used: with this request, if it was granted
  std::chrono::seconds retry_after{0};  // of an exhausted quota: until the next day
};

bool has_scope(const catalog::ApiKeyRow& key, std::string_view scope);

// Admits the requests of one server process and counts them. Counts are kept in memory and added to
// the catalog every kFlushEvery and at the end, so that no answer waits for a disk: a process that
// is killed forgets that much, and processes over one catalog learn of each other so often.
// A thread of its own writes them. Thread-safe.
class Gate {
 public:
  static constexpr std::chrono::seconds kFlushEvery{5};

  // Errors: those of Catalog::open.
  static Result<std::shared_ptr<Gate>> open(const std::string& database, const Clock& clock);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Only a request that is granted counts against the quota. "" asks for no scope.
  // Errors: those of storage.
  Result<Admission> admit(std::string_view token, std::string_view scope);

  // Writes the counts now. A catalog that cannot be written to is tried again later.
  Status flush();

 private:
  Gate(std::string database, const Clock& clock, catalog::Catalog catalog)
      : database_(std::move(database)), clock_(clock), catalog_(std::move(catalog)) {}
  Status flush_locked();

  void flush_now_and_then(const std::stop_token& stop);

  const std::string database_;
  const Clock& clock_;
  std::mutex mutex_;
  catalog::Catalog catalog_;
  std::string day_;                                     // that `more_` is of
  std::unordered_map<std::string, std::int64_t> more_;  // not in the catalog yet, by key
  Instant flushed_at_{};
  std::condition_variable_any stopping_;
  std::jthread flusher_;  // last: it uses all of the above
};

}  // namespace ki::auth
