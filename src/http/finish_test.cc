#include "http/finish.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include "http/etag.h"
#include "http/log.h"

namespace ki::http {
namespace {

std::string header(const Response& response, std::string_view name) {
  for (const Header& header : response.headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

Request get(std::vector<Header> headers = {}) {
  Request request;
  request.id = "id-7";
  request.headers = std::move(headers);
  return request;
}

TEST(Finish, TagsWhatCanBeReadAgain) {
  const Response response = finish(get(), html_response(200, "body", Cache::moderate));
  EXPECT_EQ(header(response, "ETag"), strong_tag("body"));
  EXPECT_EQ(header(response, "Cache-Control"),
            "public, max-age=0, s-maxage=300, stale-while-revalidate=86400");
  EXPECT_EQ(header(response, "X-Request-Id"), "id-7");
  EXPECT_EQ(header(finish(get(), html_response(404, "body", Cache::no_store)), "ETag"), "");
}

TEST(Finish, AnUnchangedBodyIsNotSentAgain) {
  const Response response = finish(get({{"If-None-Match", "\"x\", W/" + strong_tag("body")}}),
                                   html_response(200, "body", Cache::brief));
  EXPECT_EQ(response.status, 304);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(header(response, "ETag"), strong_tag("body"));
  EXPECT_NE(header(response, "Cache-Control"), "");
}

TEST(Finish, KeepsATagThatTheHandlerMade) {
  Response made = html_response(200, std::string(5000, 'x'), Cache::brief);
  made.tag = "\"7\"";
  EXPECT_EQ(header(finish(get(), made), "ETag"), "\"7\"");
  EXPECT_EQ(finish(get({{"If-None-Match", "\"7\""}}), made).status, 304);
  // Another form of it has a tag of its own: a strong tag names bytes.
  EXPECT_EQ(header(finish(get({{"Accept-Encoding", "gzip"}}), made), "ETag"), "\"7-gzip\"");
  EXPECT_EQ(finish(get({{"Accept-Encoding", "gzip"}, {"If-None-Match", "\"7\""}}), made).status,
            200);
}

TEST(Finish, NamesACacheClassForEachAnswer) {
  const auto class_of = [](Cache cache) {
    return header(finish(get(), html_response(200, "body", cache)), "Cache-Control");
  };
  EXPECT_EQ(class_of(Cache::none), "");
  EXPECT_EQ(class_of(Cache::brief), "public, max-age=0, s-maxage=60, stale-while-revalidate=300");
  EXPECT_EQ(class_of(Cache::immutable), "public, max-age=31536000, immutable");
  EXPECT_EQ(class_of(Cache::personal), "private, no-cache");
  EXPECT_EQ(class_of(Cache::no_store), "private, no-store");
}

TEST(Finish, AllowsNothingInline) {
  const std::string policy =
      header(finish(get(), html_response(200, "", Cache::brief)), "Content-Security-Policy");
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(policy.find("script-src 'self';"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(policy.find("data:"), std::string::npos);
  EXPECT_EQ(policy.find('*'), std::string::npos);
}

TEST(Finish, CompressesLongTextForWhoAcceptsIt) {
  const std::string body(5000, 'x');
  const Request asking = get({{"Accept-Encoding", "gzip, zstd"}});
  const Response packed = finish(asking, html_response(200, body, Cache::brief));
  EXPECT_EQ(header(packed, "Content-Encoding"), "zstd");
  EXPECT_EQ(header(packed, "Vary"), "Accept-Encoding");
  EXPECT_LT(packed.body.size(), 200U);
  std::string unpacked(body.size(), '\0');
  ASSERT_EQ(
      ZSTD_decompress(unpacked.data(), unpacked.size(), packed.body.data(), packed.body.size()),
      body.size());
  EXPECT_EQ(unpacked, body);
  const Response plain = finish(get(), html_response(200, body, Cache::brief));
  EXPECT_EQ(plain.body, body);
  EXPECT_NE(header(plain, "ETag"), header(packed, "ETag"));
  EXPECT_EQ(header(plain, "Vary"), "Accept-Encoding");
  EXPECT_EQ(header(finish(asking, html_response(200, "short", Cache::brief)), "Content-Encoding"),
            "");
}

TEST(Tags, AreComparedWeaklyAndReadStrictly) {
  EXPECT_TRUE(names_tag("*", "\"a\""));
  EXPECT_TRUE(names_tag("\"b\",\"a\"", "\"a\""));
  EXPECT_TRUE(names_tag(" W/\"a\" , \"c\"", "\"a\""));
  EXPECT_FALSE(names_tag("", "\"a\""));
  EXPECT_FALSE(names_tag("a", "\"a\""));
  EXPECT_FALSE(names_tag("\"a", "\"a\""));
  EXPECT_FALSE(names_tag("\"x\" junk \"a\"", "\"a\""));
  EXPECT_NE(strong_tag("a"), strong_tag("b"));
  EXPECT_EQ(strong_tag("a"), strong_tag("a"));
}

TEST(Head, HasOneHeaderALineWhateverTheValuesHold) {
  Response response = html_response(200, "body", Cache::brief);
  response.headers.push_back({"X-From-Outside", "a\r\nSet-Cookie: b"});
  const std::string head = head_of(response, "Sun, 01 Feb 2026 00:00:00 GMT", true);
  EXPECT_EQ(head,
            "HTTP/1.1 200 OK\r\nDate: Sun, 01 Feb 2026 00:00:00 GMT\r\n"
            "Content-Type: text/html; charset=utf-8\r\nContent-Length: 4\r\n"
            "X-From-Outside: a  Set-Cookie: b\r\nConnection: keep-alive\r\n\r\n");
}

TEST(Log, IsOneLineOfJson) {
  EXPECT_EQ(log_line("2026-02-01T00:00:00.000Z", Level::warn, "http.request",
                     {{"path", "/a\n\xff\""}, {"status", std::int64_t{404}}, {"detail", ""}}),
            R"({"at":"2026-02-01T00:00:00.000Z","level":"warn","event":"http.request",)"
            R"("path":"/a\n?\"","status":404})"
            "\n");
}

}  // namespace
}  // namespace ki::http
