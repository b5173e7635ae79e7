// Every list of the API that has pages: together they are the list, whatever their size.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "json/write.h"
#include "tests/contract/site.h"

namespace ki::contract {
namespace {

struct Listed {
  const char* target;  // with "?" and the filters, if any
  std::vector<const char*> rows;
};

// In the order in which a page shows them; of a day, each entry.
void collect(const json::Value& list, std::vector<std::string>& rows) {
  for (const json::Value& row : list.items()) {
    if (const json::Value* entries = row.find("entries")) {
      collect(*entries, rows);
    } else {
      std::string text;
      json::append_compact(text, row);
      rows.push_back(std::move(text));
    }
  }
}

// The rows of each of the lists in turn over all pages of `limit`; "" stands for no limit.
std::vector<std::vector<std::string>> rows_of(const Listed& list, const std::string& limit) {
  std::vector<std::vector<std::string>> out(list.rows.size());
  std::string cursor;
  for (int page = 0; page < 2000; ++page) {
    const auto answer = Site::get().ask(list.target + (limit.empty() ? "" : "&limit=" + limit) +
                                        (cursor.empty() ? "" : "&cursor=" + encoded(cursor)));
    EXPECT_EQ(answer.status, 200) << list.target << answer.body.substr(0, 400);
    if (answer.status != 200) return out;
    const auto document = parsed(answer);
    std::size_t shown = 0;
    for (std::size_t i = 0; i < list.rows.size(); ++i) {
      const std::size_t before = out[i].size();
      const json::Value* rows = document.root.find(list.rows[i]);
      if (rows == nullptr) rows = document.root.find("groups")->find(list.rows[i]);
      collect(*rows, out[i]);
      shown = std::max(shown, out[i].size() - before);
    }
    if (!limit.empty()) {
      EXPECT_LE(shown, std::stoul(limit)) << list.target;
    }
    const json::Value* next = document.root.find("nextCursor");
    if (next == nullptr || next->is_null()) return out;
    cursor = next->string();
  }
  ADD_FAILURE() << list.target << " never ends";
  return out;
}

TEST(Lists, ThePagesOfEachAreTheList) {
  const std::vector<Listed> all = {
      {"/api/v1/operations?q=", {"operations"}},
      {"/api/v1/operations?family=gemm", {"operations"}},
      {"/api/v1/hardware?fields=", {"hardware"}},
      {"/api/v1/models?fields=", {"serving", "kernel"}},
      {"/api/v1/sources?fields=slug,runs", {"sources"}},
      {"/api/v1/serving?fields=", {"pairs"}},
      {"/api/v1/serving-runs?fields=id", {"runs"}},
      {"/api/v1/feed?since=2020-01-01T00:00:00Z", {"days"}},
      {"/api/v1/search?q=rmsnorm-h4096", {"exact", "compatible", "reported", "unmet"}},
  };
  for (const Listed& list : all) {
    const auto whole = rows_of(list, "200");
    for (const char* limit : {"1", "7"}) {
      if (whole.front().size() > 500 && *limit == '1') continue;  // too many requests
      EXPECT_EQ(rows_of(list, limit), whole) << list.target << " by " << limit;
    }
  }
}

TEST(Lists, AreWholeWhereNoPageIsAskedFor) {
  for (const Listed& list : std::vector<Listed>{{"/api/v1/operations?q=", {"operations"}},
                                                {"/api/v1/hardware?fields=", {"hardware"}},
                                                {"/api/v1/models?fields=", {"serving", "kernel"}},
                                                {"/api/v1/sources?fields=", {"sources"}}}) {
    const auto answer = Site::get().ask(list.target);
    EXPECT_EQ(parsed(answer).root.find("nextCursor"), nullptr) << list.target;
    EXPECT_EQ(rows_of(list, ""), rows_of(list, "200")) << list.target;
  }
}

TEST(Lists, ACursorIsGoodForItsFiltersOnly) {
  const auto answer = Site::get().ask("/api/v1/operations?limit=1");
  const auto document = parsed(answer);
  const std::string cursor = encoded(document.root.find("nextCursor")->string());
  EXPECT_EQ(Site::get().ask("/api/v1/operations?limit=5&cursor=" + cursor).status, 200);
  for (const char* other :
       {"/api/v1/operations?tag=x&cursor=", "/api/v1/hardware?cursor=", "/api/v1/feed?cursor="}) {
    const auto refused = Site::get().ask(other + cursor);
    EXPECT_EQ(refused.status, 400) << other;
    EXPECT_NE(refused.body.find("INVALID_CURSOR"), std::string::npos) << refused.body;
    EXPECT_NE(refused.body.find(R"("pointer":"/query/cursor")"), std::string::npos);
  }
}

}  // namespace
}  // namespace ki::contract
