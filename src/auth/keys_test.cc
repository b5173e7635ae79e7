#include "auth/keys.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"

namespace ki::auth {
namespace {

namespace fs = std::filesystem;

class Keys : public testing::Test {
 protected:
  Keys() {
    static int made = 0;
    path_ = fs::temp_directory_path() /
            ("ki_keys_" + std::to_string(::getpid()) + "_" + std::to_string(made++) + ".db");
    auto catalog = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    EXPECT_TRUE(catalog) << to_string(catalog.error());
    catalog_ = std::make_unique<catalog::Catalog>(std::move(*catalog));
  }
  ~Keys() override {
    catalog_.reset();
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending);
  }

  MadeKey make(NewKey key) {
    if (key.name.empty()) key.name = "test";
    if (key.scopes.empty()) key.scopes = {std::string(kRead)};
    auto made = create_key(*catalog_, key, clock_);
    EXPECT_TRUE(made) << to_string(made.error());
    return std::move(*made);
  }
  std::shared_ptr<Gate> gate() {
    auto opened = Gate::open(path_.string(), clock_);
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(*opened);
  }
  static Admission admit(Gate& gate, std::string_view token, std::string_view scope = kRead) {
    auto admission = gate.admit(token, scope);
    EXPECT_TRUE(admission) << to_string(admission.error());
    return std::move(*admission);
  }
  void at(std::string_view instant) { clock_.set(*parse_instant(instant)); }

  fs::path path_;
  FixedClock clock_{*parse_instant("2026-03-04T23:59:30.500Z")};
  std::unique_ptr<catalog::Catalog> catalog_;
};

TEST_F(Keys, AreKeptAsADigestOnly) {
  const MadeKey made = make({.name = "ci"});
  EXPECT_TRUE(made.token.starts_with("ki_"));
  EXPECT_EQ(made.token.size(), kTokenStart.size() + kTokenCharacters);
  EXPECT_EQ(made.row.prefix, made.token.substr(0, kPrefixCharacters));
  EXPECT_NE(make({.name = "ci"}).token, made.token);
  std::string stored;
  for (const char* ending : {"", "-wal"}) {
    const auto bytes = read_file(path_.string() + ending, std::size_t{64} << 20);
    if (bytes) stored += *bytes;
  }
  ASSERT_NE(stored.find(made.row.token_digest), std::string::npos);
  EXPECT_EQ(stored.find(made.token.substr(kPrefixCharacters)), std::string::npos);
}

TEST_F(Keys, AreRefusedForEachReason) {
  const auto gate = this->gate();
  const MadeKey good = make({});
  const MadeKey ends = make({.expires_at = *parse_instant("2026-03-05T00:00:00Z")});
  const MadeKey gone = make({});
  ASSERT_TRUE(revoke_key(*catalog_, gone.row.prefix, clock_));
  EXPECT_EQ(admit(*gate, good.token).verdict, Verdict::granted);
  EXPECT_EQ(admit(*gate, good.token, "").verdict, Verdict::granted);
  EXPECT_EQ(admit(*gate, good.token, "catalog:rea").verdict, Verdict::missing_scope);
  EXPECT_EQ(admit(*gate, good.token + "x").verdict, Verdict::unknown);
  EXPECT_EQ(admit(*gate, good.row.token_digest).verdict, Verdict::unknown);
  EXPECT_EQ(admit(*gate, ends.token).verdict, Verdict::granted);
  at("2026-03-05T00:00:00Z");
  EXPECT_EQ(admit(*gate, ends.token).verdict, Verdict::expired);
  EXPECT_EQ(admit(*gate, gone.token).verdict, Verdict::revoked);
}

TEST_F(Keys, QuotasCountWhatIsGrantedByTheUtcDay) {
  const auto gate = this->gate();
  const MadeKey made = make({.quota_per_day = 2});
  EXPECT_EQ(admit(*gate, made.token).key.used, 1);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(admit(*gate, made.token, "other").verdict, Verdict::missing_scope);
  }
  EXPECT_EQ(admit(*gate, made.token).key.used, 2) << "the refused ones did not count";
  for (int i = 0; i < 5; ++i) {
    const Admission refused = admit(*gate, made.token);
    EXPECT_EQ(refused.verdict, Verdict::exhausted);
    EXPECT_EQ(refused.retry_after, std::chrono::seconds(30)) << "29.5 s, never too early";
    EXPECT_EQ(refused.key.used, 2);
  }
  at("2026-03-05T00:00:00Z");
  EXPECT_EQ(admit(*gate, made.token).key.used, 1);
}

TEST_F(Keys, CountsOutliveTheServerAndMeetThoseOfOthers) {
  const MadeKey made = make({.quota_per_day = 4});
  {
    const auto one = gate();
    const auto other = gate();
    admit(*one, made.token);
    admit(*other, made.token);
    admit(*other, made.token);
    EXPECT_EQ(list_keys(*catalog_, clock_)->front().used, 0) << "no answer waits for the disk";
  }
  EXPECT_EQ(list_keys(*catalog_, clock_)->front().used, 3);
  const auto later = gate();
  EXPECT_EQ(admit(*later, made.token).verdict, Verdict::granted);
  EXPECT_EQ(admit(*later, made.token).verdict, Verdict::exhausted);
}

TEST_F(Keys, TellOnWhichDayTheyWereUsedLast) {
  const MadeKey used = make({.name = "used"});
  const MadeKey idle = make({.name = "idle"});
  const auto gate = this->gate();
  const auto days = [&] {
    EXPECT_TRUE(gate->flush());
    const auto rows = list_keys(*catalog_, clock_);
    if (!rows) return std::vector<std::string>{to_string(rows.error())};
    std::vector<std::string> out;
    for (const auto& row : *rows) {
      out.push_back(row.name + " " + row.last_used_on.value_or("never"));
    }
    std::ranges::sort(out);
    return out;
  };
  EXPECT_EQ(days(), (std::vector<std::string>{"idle never", "used never"}));
  admit(*gate, used.token);
  at("2026-03-06T08:00:00Z");
  EXPECT_EQ(days(), (std::vector<std::string>{"idle never", "used 2026-03-04"}));
  admit(*gate, used.token);
  EXPECT_EQ(admit(*gate, idle.token, kCorrect).verdict, Verdict::missing_scope);
  EXPECT_EQ(days(), (std::vector<std::string>{"idle never", "used 2026-03-06"}))
      << "what was refused is no use";
  ASSERT_TRUE(revoke_key(*catalog_, used.row.id, clock_));
  at("2026-03-09T08:00:00Z");
  EXPECT_EQ(admit(*gate, used.token).verdict, Verdict::revoked);
  EXPECT_EQ(days(), (std::vector<std::string>{"idle never", "used 2026-03-06"}));
}

TEST_F(Keys, CountsAreWrittenWhileTheServerRuns) {
  const auto gate = this->gate();
  const MadeKey made = make({});
  admit(*gate, made.token);
  admit(*gate, made.token);
  clock_.set(clock_.now() + Gate::kFlushEvery);
  admit(*gate, made.token);
  EXPECT_EQ(list_keys(*catalog_, clock_)->front().used, 2);
  EXPECT_EQ(admit(*gate, made.token).key.used, 4);
}

TEST_F(Keys, AreThoseOfTheFileThatTookTheCatalogsPlace) {
  const auto gate = this->gate();
  const MadeKey made = make({});
  EXPECT_EQ(admit(*gate, made.token).verdict, Verdict::granted);
  catalog_.reset();
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending);
  auto fresh = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
  ASSERT_TRUE(fresh) << to_string(fresh.error());
  catalog_ = std::make_unique<catalog::Catalog>(std::move(*fresh));
  clock_.set(clock_.now() + Gate::kFlushEvery);
  EXPECT_EQ(admit(*gate, made.token).verdict, Verdict::unknown);
  EXPECT_EQ(admit(*gate, make({}).token).verdict, Verdict::granted);
}

TEST_F(Keys, NothingIsMadeOfWhatIsWrong) {
  const auto place = [&](NewKey key) {
    const auto made = create_key(*catalog_, key, clock_);
    return made ? std::string("none") : made.error().where;
  };
  const std::vector<std::string> read = {std::string(kRead)};
  EXPECT_EQ(place({.name = "", .scopes = read}), "name");
  EXPECT_EQ(place({.name = "  ", .scopes = read}), "name");
  EXPECT_EQ(place({.name = "a\nb", .scopes = read}), "name");
  EXPECT_EQ(place({.name = std::string(kKeyNameMax + 1, 'a'), .scopes = read}), "name");
  EXPECT_EQ(place({.name = std::string(kKeyNameMax, 'a'), .scopes = read}), "none");
  EXPECT_EQ(place({.name = "a", .scopes = {}}), "scope");
  EXPECT_EQ(place({.name = "a", .scopes = {"catalog:all"}}), "scope");
  EXPECT_EQ(place({.name = "a", .scopes = read, .expires_at = clock_.now()}), "expires");
  EXPECT_EQ(place({.name = "a", .scopes = read, .quota_per_day = 0}), "quota");
  EXPECT_EQ(place({.name = "a", .scopes = read, .quota_per_day = kQuotaPerDayMax + 1}), "quota");
  EXPECT_EQ(list_keys(*catalog_, clock_)->size(), 1U);
}

TEST_F(Keys, AreRevokedOnce) {
  const MadeKey made = make({});
  const auto failed = [&](std::string_view key) {
    return revoke_key(*catalog_, key, clock_).error();
  };
  const Error absent = failed(made.token);
  EXPECT_EQ(absent.code, Code::not_found);
  EXPECT_EQ(to_string(absent).find(made.token.substr(kPrefixCharacters)), std::string::npos)
      << "a token that is given by mistake is not printed";
  EXPECT_TRUE(revoke_key(*catalog_, made.row.id, clock_));
  EXPECT_EQ(failed(made.row.id).code, Code::conflict);
}

}  // namespace
}  // namespace ki::auth
