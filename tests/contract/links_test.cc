// The site as a reader walks it: every page of every kind answers, is small, says the same policy,
// and every link on it leads somewhere.

#include <deque>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/contract/site.h"

namespace ki::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kPageBytesMax = 100 * 1024;
constexpr std::size_t kPagesMax = 400;  // walked
constexpr std::size_t kOfKindMax = 12;  // addresses of one kind

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto at = text.find("&amp;");
    out += text.substr(0, at);
    if (at == std::string_view::npos) break;
    out += '&';
    text.remove_prefix(at + 5);
  }
  return out;
}

// Every href and src of this site, without fragments.
std::vector<std::string> links_of(std::string_view html) {
  std::vector<std::string> out;
  for (const std::string_view name : {"href=\"/", "src=\"/"}) {
    for (auto at = html.find(name); at != std::string_view::npos; at = html.find(name, at + 1)) {
      const auto begin = at + name.size() - 1;
      const std::string link = unescaped(html.substr(begin, html.find('"', begin) - begin));
      out.push_back(link.substr(0, link.find('#')));
    }
  }
  return out;
}

// "/operations/*": what addresses have in common but for names and parameters.
std::string kind_of(std::string_view link) {
  const std::string_view path = link.substr(0, link.find('?'));
  std::string kind;
  std::size_t number = 0;
  for (const std::string_view segment : split(path.substr(1), '/')) {
    const bool is_word = number == 0 || segment == "winners" || segment == "runs" ||
                         segment == "card.png" || segment == "v1";
    kind += is_word ? "/" + std::string(segment) : "/*";
    ++number;
  }
  return kind + (link.contains('?') ? "?" : "");
}

bool may_be_large(std::string_view link) {
  return link.starts_with("/api/") || link.starts_with("/docs/") || link.contains(".xml") ||
         link.starts_with("/feed");
}

TEST(Site, EveryLinkLeadsSomewhere) {
  const Site& site = Site::get();
  std::deque<std::string> waiting = {"/",
                                     "/search?q=rmsnorm",
                                     "/records?view=history",
                                     "/projects?sort=records",
                                     "/card.png",
                                     "/sitemap.xml",
                                     "/robots.txt",
                                     "/serving?objective=ttft_ms&tpot_ms=40",
                                     "/search?q=zzzz-no-such-kernel"};
  std::set<std::string> seen(waiting.begin(), waiting.end());
  std::map<std::string, std::size_t> of_kind;
  std::size_t walked = 0;
  while (!waiting.empty() && walked < kPagesMax) {
    const std::string link = waiting.front();
    waiting.pop_front();
    ++walked;
    const auto answer = site.ask(link);
    EXPECT_THAT(answer.status, ::testing::AnyOf(200, 302)) << link;
    if (!answer.header("Content-Type").starts_with("text/html")) continue;
    if (!may_be_large(link)) {
      EXPECT_LT(answer.body.size(), kPageBytesMax) << link;
    }
    EXPECT_THAT(answer.body, HasSubstr("<h1")) << link;
    for (const std::string& next : links_of(answer.body)) {
      if (of_kind[kind_of(next)] >= kOfKindMax || !seen.insert(next).second) continue;
      ++of_kind[kind_of(next)];
      waiting.push_back(next);
    }
  }
  for (const char* kind : {"/operations/*", "/implementations/*", "/runs/*", "/docs/*",
                           "/hardware/*", "/projects/*", "/serving/runs/*"}) {
    EXPECT_GT(of_kind[kind], 0U) << "no link leads to " << kind;
  }
}

TEST(Site, PagesSayWhereTheirAnswerIsAndNoOtherOriginIsNamed) {
  for (const char* target : {"/", "/search?q=rmsnorm", "/operations", "/records", "/hardware",
                             "/models", "/projects", "/sources", "/feed", "/serving"}) {
    const auto answer = Site::get().ask(target);
    EXPECT_THAT(answer.body, HasSubstr("type=\"application/json\"")) << target;
    EXPECT_THAT(answer.body, HasSubstr("curl -s ")) << target;
    EXPECT_THAT(answer.body, Not(HasSubstr("src=\"http"))) << target;
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << target;
    EXPECT_THAT(answer.header("Content-Security-Policy"), HasSubstr("script-src 'self'")) << target;
  }
}

TEST(Site, WhatIsWrongIsAPageWithAWayOn) {
  struct Case {
    const char* target;
    int status;
  };
  for (const auto& [target, status] :
       {Case{"/operations/none", 404}, Case{"/runs/none", 404}, Case{"/hardware/none", 404},
        Case{"/docs/none", 404}, Case{"/serving/runs/none", 404}, Case{"/records?view=x", 400},
        Case{"/projects?sort=x", 400}, Case{"/serving?ttft_ms=x", 400},
        Case{"/serving?objective=x", 400}, Case{"/feed?since=x", 400}, Case{"/feed?offset=-1", 400},
        Case{"/operations/none/winners", 404}, Case{"/badges/implementations/none.svg", 404},
        Case{"/badges/implementations/x", 404}}) {
    const auto answer = Site::get().ask(target);
    EXPECT_EQ(answer.status, status) << target;
    EXPECT_THAT(answer.body, HasSubstr("<h1")) << target;
    EXPECT_EQ(answer.header("Cache-Control"), "private, no-store") << target;
  }
}

TEST(Site, BadgesAndCardsAreWhatTheySay) {
  const Site& site = Site::get();
  const auto operations = texts_of(site, "/api/v1/operations", "operations", "slug");
  ASSERT_FALSE(operations.empty());
  const std::string slug = encoded(operations[0]);
  const auto card = site.ask("/operations/" + slug + "/card.png");
  EXPECT_EQ(card.header("Content-Type"), "image/png");
  EXPECT_TRUE(card.body.starts_with("\x89PNG"));
  const auto badge = site.ask("/badges/operations/" + slug + ".svg");
  EXPECT_EQ(badge.header("Content-Type"), "image/svg+xml");
  EXPECT_THAT(badge.body, HasSubstr("KernelIndex"));
}

}  // namespace
}  // namespace ki::contract
