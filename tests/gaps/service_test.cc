// Gaps 33, 34 and 36 to 38: what a stranger may send, and what becomes of it.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "auth/keys.h"
#include "catalog/catalog.h"
#include "http/address_limits.h"
#include "http/server.h"
#include "manifest/documents.h"
#include "publish/publish.h"
#include "support/bundles.h"
#include "tests/support/http_client.h"
#include "web/site.h"

namespace ki {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::Answer;

class GapsOfService : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    path_ =
        std::filesystem::temp_directory_path() / ("ki_gaps_" + std::to_string(::getpid()) + ".db");
    auto catalog = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(catalog) << to_string(catalog.error());
    ASSERT_TRUE(publish::publish(*catalog, test::bundle_of({{"a", 1000}, {"b", 900}}), clock_, {}));
    const auto made = auth::create_key(
        *catalog, {.name = "gaps", .scopes = {std::string(auth::kRead)}, .quota_per_day = kQuota},
        clock_);
    ASSERT_TRUE(made) << to_string(made.error());
    token_ = made->token;
    server_ = serve(0);
    limited_ = serve(1);
  }
  static void TearDownTestSuite() {
    server_.reset();
    limited_.reset();
    for (const char* ending : {"", "-wal", "-shm"}) {
      std::filesystem::remove(path_.string() + ending);
    }
  }

  static std::unique_ptr<http::Server> serve(double rate) {
    web::ServeOptions options;
    options.database = path_.string();
    options.server = {.port = 0, .workers = 1, .log_level = http::Level::off};
    if (rate > 0) {
      options.server.limits = std::make_shared<http::AddressLimits>(
          http::AddressLimitOptions{.per_second = rate, .burst = 1});
    }
    auto server = web::start(options, clock_);
    EXPECT_TRUE(server) << to_string(server.error());
    return server ? std::move(*server) : nullptr;
  }

  static Answer get(std::string_view target, std::string_view headers = {}) {
    return tests::get(server_->port(), target, headers);
  }

  static constexpr std::int64_t kQuota = 2;
  static inline std::filesystem::path path_;
  static inline SystemClock clock_;
  static inline std::string token_;
  static inline std::unique_ptr<http::Server> server_;
  static inline std::unique_ptr<http::Server> limited_;
};

TEST_F(GapsOfService, G33ABodyThatIsNotJsonNeverRuns) {
  for (const char* route : {"compare", "resolve/kernel", "resolve/kernel/batch", "resolve/trace"}) {
    const std::string target = std::string("/api/v1/") + route;
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", ""}) {
      const Answer answer = tests::post(server_->port(), target, "{}", type);
      EXPECT_EQ(answer.status, 415) << target << " as " << type;
      EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    }
    EXPECT_EQ(tests::post(server_->port(), target, "").status, 400) << target;
  }
}

TEST_F(GapsOfService, G34AnotherSiteMayAskFirst) {
  tests::Connection connection(server_->port());
  connection.send(
      "OPTIONS /api/v1/compare HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n"
      "Access-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: content-type, authorization\r\n\r\n");
  const Answer answer = connection.receive();
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "*");
  EXPECT_THAT(answer.header("Access-Control-Allow-Methods"), HasSubstr("POST"));
  EXPECT_THAT(ascii_lower(answer.header("Access-Control-Allow-Headers")),
              HasSubstr("content-type"));
  EXPECT_THAT(ascii_lower(answer.header("Access-Control-Allow-Headers")),
              HasSubstr("authorization"));
}

TEST_F(GapsOfService, G36OnlyWhatIsGrantedCountsAndNothingKeyedIsShared) {
  const std::string keyed = "Authorization: Bearer " + token_ + "\r\n";
  const Answer first = get("/api/v1/records", keyed);
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.header("Cache-Control"), HasSubstr("private"));
  EXPECT_THAT(first.header("Cache-Control"), Not(HasSubstr("public")));
  EXPECT_EQ(get("/api/v1/records", keyed).status, 200);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get("/api/v1/records", keyed).status, 429);
  auto catalog = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::read_write});
  ASSERT_TRUE(catalog);
  server_.reset();  // writes what it counted
  const auto keys = auth::list_keys(*catalog, clock_);
  ASSERT_TRUE(keys) << to_string(keys.error());
  ASSERT_EQ(keys->size(), 1U);
  EXPECT_EQ(keys->front().used, kQuota) << "what was refused does not count";
  server_ = serve(0);
}

TEST_F(GapsOfService, G37AStrangersQuestionsAreCountedAndAnswersBounded) {
  int refused = 0;
  for (int i = 0; i < 6; ++i) {
    const Answer answer = tests::get(limited_->port(), "/api/v1/records");
    if (answer.status != 429) continue;
    ++refused;
    EXPECT_NE(answer.header("Retry-After"), "");
  }
  EXPECT_GT(refused, 0);
  for (const char* target :
       {"/api/v1/records?limit=201", "/api/v1/runs?limit=201", "/api/v1/search?q=axpy&limit=201"}) {
    EXPECT_EQ(get(target).status, 400) << target;
  }
  const Answer trimmed = get("/api/v1/records?fields=cohortKey");
  EXPECT_EQ(trimmed.status, 200);
  EXPECT_LT(trimmed.body.size(), get("/api/v1/records").body.size() / 2);
}

TEST_F(GapsOfService, G38TextIsBoundedInSizeAndDepthAndTags) {
  const auto codes = [](const std::string& text) {
    std::vector<std::string> out;
    for (const Issue& issue : manifest::read_documents(text, "manifest.yaml").issues) {
      out.push_back(issue.code);
    }
    return out;
  };
  const auto has = [&](const std::string& text, const std::string& code) {
    const auto all = codes(text);
    return std::ranges::find(all, code) != all.end();
  };
  EXPECT_TRUE(has(std::string(200, '[') + std::string(200, ']'), "depth"));
  EXPECT_TRUE(has("a: !!python/object:os.system x\n", "tag"));
  EXPECT_TRUE(
      has("a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
          "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n",
          "alias"));
  const std::string body = "{\"query\":\"" + std::string(std::size_t{2} << 20U, 'a') + "\"}";
  EXPECT_EQ(tests::post(server_->port(), "/api/v1/resolve/kernel", body).status, 413);
}

}  // namespace
}  // namespace ki
