// What a key may add over the API: notes on runs and corrections, met through a real server.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "auth/keys.h"
#include "catalog/catalog.h"
#include "import/registry.h"
#include "json/read.h"
#include "publish/verify.h"
#include "tests/support/http_client.h"
#include "web/site.h"

namespace ki::web {
namespace {

namespace fs = std::filesystem;
using tests::Answer;

class Writing : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("ki_write_" + std::to_string(::getpid()) + ".db");
    auto catalog = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(catalog) << to_string(catalog.error());
    auto prepared = importer::prepare_registry();
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    ASSERT_TRUE(importer::run_import(*catalog, std::move(*prepared), clock_,
                                     {.publish = true, .actor = "test"}));
    folder_ = path_.string() + ".exports";
    writer_ = key(*catalog, {std::string(auth::kSubmit), std::string(auth::kCorrect)});
    reader_ = key(*catalog, {std::string(auth::kRead)});
    catalog = std::unexpected(Error{});  // closed, so that its file holds all
    ServeOptions options;
    options.database = path_.string();
    options.exports = folder_.string();
    options.server = {.port = 0, .workers = 2, .log_level = http::Level::off};
    auto server = start(options, clock_);
    ASSERT_TRUE(server) << to_string(server.error());
    server_ = std::move(*server);
    const Answer search = get("/api/v1/search?q=op:fused-neighborhood-attention%20RTX%203090");
    const auto document = json::parse(search.body);
    ASSERT_TRUE(document) << search.body;
    for (const json::Value& row : document->root.find("groups")->find("exact")->items()) {
      runs_.emplace_back(row.find("runId")->string());
    }
    ASSERT_GE(runs_.size(), 2U) << search.body;
  }
  void TearDown() override {
    server_.reset();
    if (!is_damaged_) {
      auto catalog = catalog::Catalog::open(path_.string(), clock_);
      ASSERT_TRUE(catalog) << to_string(catalog.error());
      const auto report = publish::verify(*catalog);
      EXPECT_TRUE(report && report->found == 0);
    }
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending);
    fs::remove_all(folder_);
  }

  std::string key(catalog::Catalog& catalog, std::vector<std::string> scopes) {
    auto made = auth::create_key(catalog, {.name = "lab", .scopes = std::move(scopes)}, clock_);
    EXPECT_TRUE(made) << to_string(made.error());
    return made ? made->token : "";
  }
  Answer get(std::string_view target) const { return tests::get(server_->port(), target); }
  Answer post(std::string_view target, std::string_view body, const std::string& token) const {
    const std::string header = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    return tests::post(server_->port(), target, body, "application/json", header);
  }
  static std::string code(const Answer& answer) {
    const auto document = json::parse(answer.body);
    const json::Value* code = document ? document->root.find("code") : nullptr;
    return code == nullptr ? answer.body : std::string(code->string());
  }
  std::string correction(std::string_view action, const std::string& run) const {
    return R"({"action":")" + std::string(action) + R"(","runId":")" + run +
           R"(","reason":"the clock was wrong"})";
  }

  fs::path path_;
  bool is_damaged_ = false;
  fs::path folder_;  // of exports; not there until a test makes it
  SystemClock clock_;
  std::string writer_;
  std::string reader_;
  std::vector<std::string> runs_;  // of the ranked group, the leader first
  std::unique_ptr<http::Server> server_;
};

TEST_F(Writing, ANoteIsFiledByAKeyAndShownAtOnce) {
  const std::string target = "/api/v1/runs/" + runs_[0] + "/attestations";
  const std::string note = R"({"type":"reproduced","body":" within 1 % ","observedNs":15210000,)"
                           R"("evidenceUrl":"https://example.org/log"})";
  get("/api/v1/runs/" + runs_[0]);  // which is kept
  const Answer filed = post(target, note, writer_);
  EXPECT_EQ(filed.status, 201) << filed.body;
  EXPECT_EQ(filed.header("Cache-Control"), "private, no-store");
  EXPECT_NE(filed.body.find(R"({"filed":true,"runId":")" + runs_[0]), std::string::npos);
  const std::string run = get("/api/v1/runs/" + runs_[0]).body;
  EXPECT_NE(run.find(R"("type":"reproduced","body":"within 1 %")"), std::string::npos) << run;
  EXPECT_NE(run.find(R"("author":"lab")"), std::string::npos);
  const std::string search =
      get("/api/v1/search?q=op:fused-neighborhood-attention%20RTX%203090").body;
  EXPECT_NE(search.find(R"("attestations":1)"), std::string::npos) << "rows count them";
  const std::string page = get("/runs/" + runs_[0]).body;
  EXPECT_NE(page.find("within 1 %"), std::string::npos);
  EXPECT_NE(page.find("https://example.org/log"), std::string::npos);
}

TEST_F(Writing, ANoteNeedsItsScopeAndAForm) {
  const std::string target = "/api/v1/runs/" + runs_[0] + "/attestations";
  const std::string note = R"({"type":"reproduced","body":"same"})";
  EXPECT_EQ(post(target, note, "").status, 401);
  EXPECT_EQ(code(post(target, note, "")), "API_KEY_REQUIRED");
  EXPECT_EQ(post(target, note, reader_).status, 403);
  EXPECT_EQ(code(post(target, note, reader_)), "MISSING_SCOPE");
  const Answer empty = post(target, R"({"type":"reproduced","body":"  "})", writer_);
  EXPECT_EQ(empty.status, 422) << empty.body;
  EXPECT_EQ(code(empty), "INVALID_ATTESTATION");
  EXPECT_EQ(post(target, R"({"type":"reproduced"})", writer_).status, 400);
  EXPECT_EQ(post(target, R"({"type":"reproduced","body":"x","level":"verified"})", writer_).status,
            400)
      << "nobody states a level";
  const Answer nowhere = post("/api/v1/runs/no-such-run/attestations", note, writer_);
  EXPECT_EQ(nowhere.status, 404);
  EXPECT_EQ(code(nowhere), "RUN_NOT_FOUND");
  EXPECT_EQ(get("/api/v1/runs/" + runs_[0]).body.find("\"attestations\":[]") != std::string::npos,
            true);
}

// Whatever is wrong with what is sent, the answer says where: "errors" was empty here.
TEST_F(Writing, WhatIsRefusedSaysWhichMemberIsWrong) {
  const auto pointer = [](const Answer& answer) {
    const auto document = json::parse(answer.body);
    const json::Value* errors = document ? document->root.find("errors") : nullptr;
    if (errors == nullptr || errors->items().empty()) return "nothing: " + answer.body;
    EXPECT_FALSE(errors->items()[0].find("detail")->string().empty());
    return std::string(errors->items()[0].find("pointer")->string());
  };
  const auto note = [&](const std::string& members) {
    return pointer(post("/api/v1/runs/" + runs_[0] + "/attestations", members, writer_));
  };
  EXPECT_EQ(note(R"({"type":"liked","body":"x"})"), "/type");
  EXPECT_EQ(note(R"({"type":"reproduced","body":"  "})"), "/body");
  EXPECT_EQ(note(R"({"type":"reproduced","body":"x","observedNs":0})"), "/observedNs");
  EXPECT_EQ(note(R"({"type":"reproduced","body":"x","evidenceUrl":"http://e.org"})"),
            "/evidenceUrl");
  EXPECT_EQ(note(R"({"type":"reproduced","body":"x","environmentSummary":""})"),
            "/environmentSummary");
  const auto supersede = [&](const std::string& newer, const std::string& older) {
    return pointer(post("/api/v1/corrections",
                        R"({"action":"supersede","reason":"is newer","runId":")" + newer +
                            R"(","supersedesRunId":")" + older + R"("})",
                        writer_));
  };
  EXPECT_EQ(supersede(runs_[0], runs_[0]), "/supersedesRunId");
  EXPECT_EQ(supersede(runs_[0], runs_[1]), "/supersedesRunId") << "of two implementations";
  const auto compare = [&](const std::string& runs) {
    return pointer(post("/api/v1/compare", "{\"runs\":[" + runs + "]}", ""));
  };
  EXPECT_EQ(compare(R"("a","b")"), "/runs/0");
  EXPECT_EQ(compare('"' + runs_[0] + R"(","b")"), "/runs/1");
  EXPECT_EQ(compare('"' + runs_[0] + "\",\"" + runs_[0] + '"'), "/runs");
  EXPECT_EQ(pointer(get("/api/v1/serving-configurations?after=b")), "/query/after");
  EXPECT_EQ(pointer(get("/api/v1/runs?cursor=b")), "/query/cursor");
  EXPECT_EQ(pointer(get("/api/v1/runs?status=pending&hardware=b")), "/query");
}

TEST_F(Writing, ACorrectionIsMadeByAKeyAndCanBeUndone) {
  const Answer made = post("/api/v1/corrections", correction("retract", runs_[0]), writer_);
  EXPECT_EQ(made.status, 200) << made.body;
  EXPECT_NE(made.body.find(R"({"retracted":true,"newLeaderRunId":")" + runs_[1]), std::string::npos)
      << made.body;
  const std::string search = "/api/v1/search?q=op:fused-neighborhood-attention%20RTX%203090";
  EXPECT_NE(get(search).body.find(R"("code":"RETRACTED")"), std::string::npos);
  const Answer again = post("/api/v1/corrections", correction("retract", runs_[0]), writer_);
  EXPECT_EQ(again.status, 409) << again.body;
  const Answer undone = post("/api/v1/corrections", correction("restore", runs_[0]), writer_);
  EXPECT_NE(undone.body.find(R"({"restored":true,"newLeaderRunId":")" + runs_[0]),
            std::string::npos)
      << undone.body;
  EXPECT_EQ(get(search).body.find(R"("code":"RETRACTED")"), std::string::npos);
}

TEST_F(Writing, ACorrectionThatCannotBeIsRefused) {
  const auto status = [&](const std::string& body, const std::string& token) {
    return post("/api/v1/corrections", body, token).status;
  };
  EXPECT_EQ(status(correction("retract", runs_[0]), ""), 401);
  EXPECT_EQ(status(correction("retract", runs_[0]), reader_), 403);
  EXPECT_EQ(status(correction("delete", runs_[0]), writer_), 400);
  EXPECT_EQ(status(correction("retract", "no-such-run"), writer_), 404);
  EXPECT_EQ(status(correction("restore", runs_[0]), writer_), 409);
  // Without the second run it was the run itself that was superseded, and vanished.
  const Answer alone = post("/api/v1/corrections", correction("supersede", runs_[0]), writer_);
  EXPECT_EQ(alone.status, 400);
  EXPECT_NE(alone.body.find(R"("pointer":"/supersedesRunId")"), std::string::npos) << alone.body;
  const std::string others = R"({"action":"supersede","runId":")" + runs_[0] +
                             R"(","supersedesRunId":")" + runs_[1] + R"(","reason":"is newer"})";
  EXPECT_EQ(status(others, writer_), 400) << "runs of two implementations";
}

TEST_F(Writing, ExportsAreOfferedFromTheirFolderAndNothingElseIs) {
  const std::string newest = "/api/v1/exports/catalog.jsonl.zst";
  const Answer none = get(newest);
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(code(none), "EXPORT_NOT_AVAILABLE");
  fs::create_directories(folder_);
  const std::string name = "catalog-2026-08-16-94af2ae7.jsonl.zst";
  std::string bytes(std::size_t{3} << 20, '\0');  // more than one part
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 % 251);
  std::ofstream(folder_ / name, std::ios::binary) << bytes;
  std::ofstream(folder_ / "secret.txt") << "s";
  for (const std::string& target : {newest, std::string("/exports/catalog.jsonl.zst")}) {
    const Answer moved = get(target);
    EXPECT_EQ(moved.status, 302) << moved.body;
    EXPECT_EQ(moved.header("Location"), "/exports/" + name);
  }
  const Answer file = get("/exports/" + name);
  EXPECT_EQ(file.status, 200);
  EXPECT_TRUE(file.body == bytes) << file.body.size();
  EXPECT_EQ(file.header("Content-Type"), "application/zstd");
  EXPECT_EQ(file.header("Content-Encoding"), "");
  EXPECT_EQ(file.header("ETag"), "\"catalog-2026-08-16-94af2ae7\"");
  const Answer same = tests::get(server_->port(), "/exports/" + name,
                                 "If-None-Match: " + file.header("ETag") + "\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  for (const char* other : {"/exports/secret.txt", "/exports/..%2Fki.db",
                            "/exports/catalog-2026-08-16-00000000.jsonl.zst"}) {
    EXPECT_EQ(get(other).status, 404) << other;
  }
}

// A catalog that is damaged is the server's trouble, and where it lies is nobody's business.
TEST_F(Writing, ADamagedCatalogIsUnavailableAndItsPathUnsaid) {
  get("/api/v1/records");
  for (const char* ending : {"", "-wal"}) {
    if (fs::exists(path_.string() + ending)) fs::resize_file(path_.string() + ending, 0);
  }
  for (const char* target : {"/api/v1/search?q=softmax", "/api/v1/records", "/search?q=softmax"}) {
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 503) << target << answer.body;
    EXPECT_EQ(answer.body.find(path_.parent_path().string()), std::string::npos) << answer.body;
  }
  is_damaged_ = true;
}

TEST_F(Writing, WhatAKeyUsedIsWrittenThoughNobodyAsksAgain) {
  const Answer asked = tests::get(server_->port(), "/api/v1/search?q=x",
                                  "Authorization: Bearer " + reader_ + "\r\n");
  EXPECT_EQ(asked.status, 200);
  std::int64_t used = 0;
  for (int i = 0; i < 200 && used == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    auto catalog = catalog::Catalog::open(path_.string(), clock_);
    ASSERT_TRUE(catalog);
    const auto keys = auth::list_keys(*catalog, clock_);
    ASSERT_TRUE(keys);
    for (const auto& key : *keys) used += key.used;
  }
  EXPECT_EQ(used, 1);
}

// Readers of every surface while the leader is taken out and put back, over and over: each answer
// is one state of the catalog, whole, and what was acknowledged is in the next answer.
TEST_F(Writing, ReadersSeeWholeStatesWhileOthersWrite) {
  constexpr std::string_view kSearch =
      "/api/v1/search?q=op:fused-neighborhood-attention%20RTX%203090";
  const auto ranked =
      [&](const Answer& answer) {  // the runs in order; the excluded last, after "-"
        const auto document = json::parse(answer.body);
        if (answer.status != 200 || !document) return std::to_string(answer.status) + answer.body;
        std::string out;
        for (const json::Value& row : document->root.find("groups")->find("exact")->items()) {
          out += std::string(row.find("runId")->string()) + " ";
        }
        for (const json::Value& run : document->root.find("excluded")->find("runs")->items()) {
          out += "- " + std::string(run.find("runId")->string());
        }
        return out;
      };
  const std::string whole = ranked(get(kSearch));
  const std::string without = runs_[1] + " - " + runs_[0];
  ASSERT_EQ(whole, runs_[0] + " " + runs_[1] + " ");

  std::atomic<bool> done = false;
  std::atomic<int> read = 0;
  const std::vector<std::string> others = {"/",
                                           "/api/v1/records",
                                           "/api/v1/runs/" + runs_[0],
                                           "/runs/" + runs_[0],
                                           "/search?q=neighborhood",
                                           "/api/v1/feed",
                                           "/healthz"};
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      for (std::size_t turn = i; !done; ++turn) {
        const std::string state = ranked(get(kSearch));
        EXPECT_TRUE(state == whole || state == without) << state;
        const Answer other = get(others[turn % others.size()]);
        EXPECT_EQ(other.status, 200) << others[turn % others.size()] << other.body;
        ++read;
      }
    });
  }
  for (int round = 0; round < 12 || read < 100; ++round) {
    const bool retract = round % 2 == 0;
    const Answer made =
        post("/api/v1/corrections", correction(retract ? "retract" : "restore", runs_[0]), writer_);
    EXPECT_LT(made.status, 300) << made.body;
    EXPECT_EQ(ranked(get(kSearch)), retract ? without : whole);
    if (HasFailure()) break;
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
}

TEST_F(Writing, RevalidateTakesAKeyOfTheCatalogsKeepers) {
  EXPECT_EQ(post("/api/v1/revalidate", "", reader_).status, 403);
  const Answer done = post("/api/v1/revalidate", "", writer_);
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_NE(done.body.find(R"({"revalidated":true,"at":")"), std::string::npos);
  // It takes no body, so none has to be called JSON.
  tests::Connection bare(server_->port());
  bare.send("POST /api/v1/revalidate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
            writer_ + "\r\n\r\n");
  EXPECT_EQ(bare.receive().status, 200);
}

}  // namespace
}  // namespace ki::web
