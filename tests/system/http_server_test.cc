// The server on a loopback port, met by clients that behave and by clients that do not.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "http/server.h"
#include "tests/support/http_client.h"

namespace ki::http {
namespace {

using namespace std::chrono_literals;
using tests::Answer;
using tests::Connection;

std::atomic<int> costly_answers = 0;

Result<Router> make_router() {
  Router router([](const Request&, const Problem& problem) { return problem_response(problem); });
  router.add(
      {.method = Method::get, .pattern = "/", .handler = [](const Request&, const Captures&) {
         return html_response(200, "<p>home</p>", Cache::moderate);
       }});
  router.add({.method = Method::get,
              .pattern = "/echo/{word}",
              .handler = [](const Request& request, const Captures& captures) {
                const std::string* q = request.parameter("q");
                return html_response(200, captures[0] + "|" + (q == nullptr ? "-" : *q),
                                     Cache::brief);
              }});
  router.add(
      {.method = Method::get, .pattern = "/big", .handler = [](const Request&, const Captures&) {
         return html_response(200, std::string(200'000, 'x'), Cache::brief);
       }});
  router.add(
      {.method = Method::get, .pattern = "/slow", .handler = [](const Request&, const Captures&) {
         std::this_thread::sleep_for(300ms);
         return html_response(200, "late", Cache::no_store);
       }});
  router.add({.method = Method::get,
              .pattern = "/costly",
              .handler =
                  [](const Request&, const Captures&) {
                    std::this_thread::sleep_for(300ms);
                    ++costly_answers;
                    return html_response(200, "much", Cache::no_store);
                  },
              .name = "much",
              .is_costly = true});
  router.add({.method = Method::get,
              .pattern = "/costly/big",
              .handler =
                  [](const Request&, const Captures&) {
                    return html_response(200, std::string(64'000'000, 'x'), Cache::no_store);
                  },
              .is_costly = true});
  router.add({.method = Method::get,
              .pattern = "/throws",
              .handler = [](const Request&, const Captures&) -> Outcome {
                throw std::runtime_error("secret of the inside");
              }});
  router.add({.method = Method::post,
              .pattern = "/length",
              .handler = [](const Request& request, const Captures&) {
                return json_response(200, std::to_string(request.body.size()), Cache::none);
              }});
  return router;
}

class HttpServer : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.port = 0;
    options.workers = 2;
    options.log_level = Level::off;
    auto started = Server::start(options, make_router);
    ASSERT_TRUE(started) << to_string(started.error());
    server_ = std::move(*started);
  }
  std::uint16_t port() const { return server_->port(); }
  // Waits until the server has let go of every connection.
  bool settles() const {
    for (int i = 0; i < 500 && server_->connections() > 0; ++i) std::this_thread::sleep_for(10ms);
    return server_->connections() == 0;
  }
  std::unique_ptr<Server> server_;
};

TEST_F(HttpServer, AnswersSeveralRequestsOnOneConnection) {
  start();
  Connection connection(port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(connection.send("GET /echo/a%20b?q=x%2By+z HTTP/1.1\r\nHost: h\r\n\r\n"));
    const Answer answer = connection.receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "a b|x+y z");
    EXPECT_EQ(answer.header("Connection"), "keep-alive");
  }
}

TEST_F(HttpServer, AnswersPipelinedRequestsInOrder) {
  start();
  Connection connection(port());
  ASSERT_TRUE(connection.send(
      "GET /echo/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /echo/2 HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(connection.receive().body, "1|-");
  EXPECT_EQ(connection.receive().body, "2|-");
}

TEST_F(HttpServer, HeadSaysTheLengthAndSendsNothing) {
  start();
  Connection connection(port());
  ASSERT_TRUE(connection.send("HEAD /big HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Answer answer = connection.receive(false);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Length"), "200000");
  ASSERT_TRUE(connection.send("GET /echo/next HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  EXPECT_EQ(connection.receive().body, "next|-");
  EXPECT_TRUE(connection.closed());
}

TEST_F(HttpServer, ATagSavesTheSecondTransfer) {
  start();
  const std::string tag = tests::get(port(), "/big").header("ETag");
  ASSERT_FALSE(tag.empty());
  const Answer again = tests::get(port(), "/big", "If-None-Match: " + tag + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.header("ETag"), tag);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(again.header("Content-Length"), "");
}

TEST_F(HttpServer, ReadsABodyAndRefusesOneOverTheLimit) {
  start({.body_bytes_max = 1000});
  EXPECT_EQ(tests::post(port(), "/length", std::string(1000, 'x')).body, "1000");
  const Answer over = tests::post(port(), "/length", std::string(1001, 'x'));
  EXPECT_EQ(over.status, 413);
  EXPECT_NE(over.body.find("\"code\":\"BODY_TOO_LARGE\""), std::string::npos) << over.body;
  EXPECT_EQ(over.header("Connection"), "close");
  EXPECT_TRUE(settles());
}

TEST_F(HttpServer, RefusesAChunkedBodyOverTheLimit) {
  start({.body_bytes_max = 1000});
  Connection connection(port());
  std::string text =
      "POST /length HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 3; ++i) text += "190\r\n" + std::string(400, 'x') + "\r\n";
  ASSERT_TRUE(connection.send(text + "0\r\n\r\n"));
  EXPECT_EQ(connection.receive().status, 413);
}

TEST_F(HttpServer, SaysContinueBeforeABodyThatAsksFirst) {
  start();
  Connection connection(port());
  ASSERT_TRUE(
      connection.send("POST /length HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                      "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(connection.receive(false).status, 100);
  ASSERT_TRUE(connection.send("{}"));
  EXPECT_EQ(connection.receive().body, "2");
}

TEST_F(HttpServer, RefusesHeadersOverTheLimit) {
  start();
  const Answer answer = tests::get(port(), "/", "X-Long: " + std::string(17 * 1024, 'a') + "\r\n");
  EXPECT_EQ(answer.status, 431);
  EXPECT_EQ(tests::get(port(), "/", "X-Long: " + std::string(15 * 1024, 'a') + "\r\n").status, 200);
}

TEST_F(HttpServer, RefusesAnAddressOverTheLimit) {
  start();
  EXPECT_EQ(tests::get(port(), "/" + std::string(9000, 'a')).status, 414);
}

TEST_F(HttpServer, AnswersWhatIsNotHttpWithAProblem) {
  start();
  for (const std::string_view text :
       {"hello\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/3.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nbad header\r\n\r\n",
        "POST /length HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: "
        "chunked\r\n\r\n",
        "POST /length HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n"}) {
    Connection connection(port());
    ASSERT_TRUE(connection.send(text));
    const Answer answer = connection.receive();
    EXPECT_EQ(answer.status, 400) << text;
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << text;
    EXPECT_TRUE(connection.closed()) << text;
  }
}

TEST_F(HttpServer, ServesTheAbsoluteForm) {
  start();
  EXPECT_EQ(tests::get(port(), "http://example.org/echo/a?q=1").body, "a|1");
  EXPECT_EQ(tests::get(port(), "HTTP://example.org").body, "<p>home</p>");
}

TEST_F(HttpServer, OptionsToAllSaysWhatItTakes) {
  start();
  Connection connection(port());
  ASSERT_TRUE(connection.send("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Answer answer = connection.receive();
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("Allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(answer.header("Connection"), "keep-alive");
  ASSERT_TRUE(connection.send("OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(connection.receive().header("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(HttpServer, RefusesATargetInNoFormItServes) {
  start();
  for (const std::string_view line :
       {"GET *", "POST *", "GET echo/a", "GET ?q=1", "GET ftp://h/echo/a", "GET http://",
        "GET http:///echo/a", "CONNECT h:80", "OPTIONS echo/a"}) {
    Connection connection(port());
    ASSERT_TRUE(connection.send(std::string(line) + " HTTP/1.1\r\nHost: h\r\n\r\n"));
    const Answer answer = connection.receive();
    EXPECT_EQ(answer.status, 400) << line;
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << line;
    EXPECT_NE(answer.body.find(answer.header("X-Request-Id")), std::string::npos) << line;
  }
}

TEST_F(HttpServer, NeedsAHost) {
  start();
  Connection connection(port());
  ASSERT_TRUE(connection.send("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(connection.receive().status, 400);
}

TEST_F(HttpServer, RefusesAnUnknownMethodWithThoseItTakes) {
  start();
  Connection connection(port());
  ASSERT_TRUE(connection.send("BREW / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Answer answer = connection.receive();
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(HttpServer, DropsAClientThatDripsItsHeaders) {
  start({.idle_max = 2000ms, .read_max = 300ms});
  Connection connection(port());
  ASSERT_TRUE(connection.send("GET / HTTP/1.1\r\n"));
  for (int i = 0; i < 20 && connection.send("X: y\r\n"); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(connection.receive().status, 408);
  EXPECT_TRUE(connection.closed());
  EXPECT_TRUE(settles());
}

TEST_F(HttpServer, TellsAClientWhoseRequestStalls) {
  start({.read_max = 200ms});
  for (const std::string_view begun :
       {"G", "GET / HTTP/1.1\r\nHost: h\r\nX: ",
        "POST /length HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
        "Content-Length: 1000\r\n\r\n{"}) {
    Connection connection(port());
    ASSERT_TRUE(connection.send(begun));
    const Answer answer = connection.receive();
    EXPECT_EQ(answer.status, 408) << begun;
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << begun;
    EXPECT_NE(answer.body.find("\"code\":\"REQUEST_TIMEOUT\""), std::string::npos) << answer.body;
    EXPECT_EQ(answer.header("Connection"), "close") << begun;
    EXPECT_TRUE(connection.closed()) << begun;
  }
  EXPECT_TRUE(settles());
}

// One timer serves all requests of a connection: it must go off for the one that stalls, not for
// those before it, and not while an answer is made.
TEST_F(HttpServer, OnlyTheRequestThatStallsIsGivenUp) {
  start({.read_max = 200ms});
  Connection connection(port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(connection.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_EQ(connection.receive().body, "late") << i;
  }
  ASSERT_TRUE(connection.send("GET /slow HTTP/1.1\r\nHo"));
  EXPECT_EQ(connection.receive().status, 408);
  EXPECT_TRUE(connection.closed());
}

TEST_F(HttpServer, SaysThatARequestEndedTooSoon) {
  start();
  Connection connection(port());
  ASSERT_TRUE(connection.send("GET / HTTP/1.1\r\nHost: h\r\n"));
  connection.end();
  EXPECT_EQ(connection.receive().status, 400);
  EXPECT_TRUE(connection.closed());
}

TEST_F(HttpServer, DropsAClientThatDripsItsBody) {
  start({.read_max = 300ms});
  Connection connection(port());
  ASSERT_TRUE(
      connection.send("POST /length HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                      "Content-Length: 1000\r\n\r\n"));
  for (int i = 0; i < 20 && connection.send("x"); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(connection.receive().status, 408);
  EXPECT_TRUE(settles());
}

TEST_F(HttpServer, ClosesAnIdleConnection) {
  start({.idle_max = 100ms});
  Connection connection(port());
  EXPECT_TRUE(connection.closed());
  EXPECT_TRUE(settles());
}

TEST_F(HttpServer, DropsAClientThatDoesNotRead) {
  start({.write_max = 200ms});
  Connection connection(port());
  for (int i = 0; i < 100; ++i) {
    if (!connection.send("GET /big HTTP/1.1\r\nHost: h\r\n\r\n")) break;
  }
  EXPECT_TRUE(settles());
}

TEST_F(HttpServer, TurnsAwayConnectionsOverTheLimit) {
  start({.connections_max = 2});
  Connection first(port());
  Connection second(port());
  ASSERT_TRUE(first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  ASSERT_TRUE(second.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  ASSERT_EQ(first.receive().status, 200);
  ASSERT_EQ(second.receive().status, 200);
  const Answer third = tests::get(port(), "/");
  EXPECT_EQ(third.status, 503);
  EXPECT_EQ(third.header("Retry-After"), "1");
  EXPECT_EQ(third.header("Content-Type"), "application/problem+json");
  EXPECT_NE(third.body.find("\"code\":\"TOO_MANY_CONNECTIONS\""), std::string::npos) << third.body;
}

TEST_F(HttpServer, AnExceptionCostsOneAnswerAndTellsNothing) {
  start();
  const Answer answer = tests::get(port(), "/throws");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos) << answer.body;
  EXPECT_EQ(tests::get(port(), "/").status, 200);
}

TEST_F(HttpServer, FinishesARequestInFlightWhenStopped) {
  start();
  Connection busy(port());
  Connection idle(port());
  ASSERT_TRUE(busy.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n"));
  std::this_thread::sleep_for(100ms);
  server_->stop();
  EXPECT_EQ(busy.receive().body, "late");
  EXPECT_TRUE(idle.closed());
  server_->wait();
  EXPECT_FALSE(Connection(port()).open());
}

TEST_F(HttpServer, CutsWhatDoesNotFinishInTime) {
  start({.drain_max = 200ms});
  Connection stuck(port());
  ASSERT_TRUE(stuck.send("GET / HT"));
  std::this_thread::sleep_for(50ms);
  const auto begin = std::chrono::steady_clock::now();
  server_->stop();
  server_->wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
}

TEST_F(HttpServer, SaysThatThePortIsTaken) {
  start();
  const auto second = Server::start({.port = port()}, make_router);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::conflict);
  EXPECT_NE(second.error().message.find("--port"), std::string::npos);
}

TEST_F(HttpServer, RefusesAHostThatIsNoAddress) {
  const auto started = Server::start({.host = "example.org", .port = 0}, make_router);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::invalid);
}

TEST_F(HttpServer, AnAddressThatAsksTooMuchIsToldWhenToComeBack) {
  const auto metrics = std::make_shared<Metrics>();
  start({.behind_proxy = true,
         .limits =
             std::make_shared<AddressLimits>(AddressLimitOptions{.per_second = 0.01, .burst = 2}),
         .metrics = metrics});
  const auto ask = [&](std::string_view forwarded) {
    return tests::get(port(), "/echo/x", "X-Forwarded-For: " + std::string(forwarded) + "\r\n");
  };
  EXPECT_EQ(ask("192.0.2.1").status, 200);
  EXPECT_EQ(ask("10.0.0.1, 192.0.2.1").status, 200);
  const Answer refused = ask("192.0.2.1");
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.body.find("\"code\":\"RATE_LIMITED\""), std::string::npos) << refused.body;
  EXPECT_EQ(refused.header("Retry-After"), "100");
  EXPECT_EQ(refused.header("Cache-Control"), "private, no-store");
  EXPECT_EQ(ask("192.0.2.1:4711").status, 429) << "a port makes no other client";
  EXPECT_EQ(ask("192.0.2.2").status, 200) << "another client";
  EXPECT_EQ(ask("no address").status, 200) << "then it is the peer";
  EXPECT_NE(metrics->text().find("ki_http_rejected_total{reason=\"rate\"} 2\n"), std::string::npos);
}

TEST_F(HttpServer, ThePeerIsTheClientUnlessThereIsAProxy) {
  start({.limits =
             std::make_shared<AddressLimits>(AddressLimitOptions{.per_second = 0.01, .burst = 1})});
  EXPECT_EQ(tests::get(port(), "/", "X-Forwarded-For: 192.0.2.1\r\n").status, 200);
  EXPECT_EQ(tests::get(port(), "/", "X-Forwarded-For: 192.0.2.2\r\n").status, 429);
}

TEST_F(HttpServer, TooManyCostlyRequestsAreRefusedAtOnceAndOthersAnswered) {
  const auto metrics = std::make_shared<Metrics>();
  start({.costly_max = 1, .metrics = metrics});
  Connection first(port());
  Connection second(port());
  ASSERT_TRUE(first.send("GET /costly HTTP/1.1\r\nHost: h\r\n\r\n"));
  std::this_thread::sleep_for(50ms);
  ASSERT_TRUE(second.send("GET /costly HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Answer refused = second.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("\"code\":\"SERVER_BUSY\""), std::string::npos) << refused.body;
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(tests::get(port(), "/costly").status, 200) << "its place is free again";
  EXPECT_NE(metrics->text().find("ki_http_rejected_total{reason=\"costly\"} 1\n"),
            std::string::npos);
}

// An answer that nobody takes is memory all the same.
TEST_F(HttpServer, ACostlyRequestKeepsItsPlaceUntilItsAnswerIsTaken) {
  start({.costly_max = 1});
  Connection slow(port());
  ASSERT_TRUE(slow.send("GET /costly/big HTTP/1.1\r\nHost: h\r\n\r\n"));
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(tests::get(port(), "/costly").status, 503);
  EXPECT_EQ(slow.receive().body.size(), 64'000'000U);
  // The place is given back once the last byte has left the server, which it may do a little later.
  int status = 503;
  for (int i = 0; i < 100 && status == 503; ++i) {
    status = tests::get(port(), "/costly").status;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(status, 200);
}

// Whatever is no whole or chunked body could be read as the next request by somebody else.
TEST_F(HttpServer, ABodyInACodingThatIsNotReadEndsTheConnection) {
  start();
  const std::string hidden = "GET /echo/smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
  for (const char* headers :
       {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding: \"chunked\"\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding:\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        "Transfer-Encoding: identity\r\nContent-Length: 3\r\n"}) {
    for (const char* version : {"HTTP/1.1", "HTTP/1.0"}) {
      Connection connection(port());
      ASSERT_TRUE(connection.send("GET /echo/a " + std::string(version) +
                                  "\r\nHost: h\r\nConnection: keep-alive\r\n" + headers + "\r\n" +
                                  hidden));
      EXPECT_EQ(connection.receive().status, 400) << version << ' ' << headers;
      EXPECT_TRUE(connection.closed()) << version << ' ' << headers;
    }
  }
  Connection old(port());
  ASSERT_TRUE(
      old.send("POST /length HTTP/1.0\r\nHost: h\r\nContent-Type: application/json\r\n"
               "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"));
  EXPECT_EQ(old.receive().status, 400);
}

// Costly requests of many clients on one worker each get their turn, and what costs little is not
// kept waiting for all of them.
TEST_F(HttpServer, CostlyRequestsWaitForTheirTurn) {
  start({.costly_max = 8});
  const int before = costly_answers;
  std::vector<std::unique_ptr<Connection>> waiting;
  for (int i = 0; i < 6; ++i) {
    waiting.push_back(std::make_unique<Connection>(port()));
    ASSERT_TRUE(waiting.back()->send("GET /costly HTTP/1.1\r\nHost: h\r\n\r\n"));
  }
  std::this_thread::sleep_for(50ms);
  Connection quick(port());
  ASSERT_TRUE(quick.send("GET /echo/quick HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(quick.receive().status, 200);
  EXPECT_LT(costly_answers - before, 5) << "it went between two of them, not after all";
  for (const auto& connection : waiting) EXPECT_EQ(connection->receive().body, "much");
  EXPECT_EQ(costly_answers - before, 6);
}

TEST(AccessLogFile, NeverKeepsAnybodyWaiting) {
  const auto path =
      std::filesystem::temp_directory_path() / ("ki_fifo_" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(AccessLog::open(path.string())) << "nobody reads it";
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const auto log = AccessLog::open(path.string());
  ASSERT_TRUE(log) << to_string(log.error());
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) (*log)->write(line);  // far more than a pipe holds
  ::close(reader);
  std::filesystem::remove(path);
}

TEST_F(HttpServer, TheAccessLogHasALineForEachRequestAndNoSecret) {
  const auto path =
      std::filesystem::temp_directory_path() / ("ki_access_" + std::to_string(::getpid()));
  auto log = AccessLog::open(path.string());
  ASSERT_TRUE(log) << to_string(log.error());
  start({.access_log = *log});
  const std::string secret = "ki_abcdefghijklmnopqrstuvwxyz012345";
  EXPECT_EQ(
      tests::get(port(), "/echo/a?q=" + secret, "Authorization: Bearer " + secret + "\r\n").status,
      200);
  EXPECT_EQ(tests::get(port(), "/absent/" + secret).status, 404);
  server_->stop();
  server_->wait();
  const auto text = read_file(path, 1U << 20);
  std::filesystem::remove(path);
  ASSERT_TRUE(text);
  EXPECT_EQ(std::ranges::count(*text, '\n'), 2) << *text;
  EXPECT_NE(text->find(R"("address":"127.0.0.1","method":"GET","path":"/echo/a",)"
                       R"("route":"/echo/{word}","status":200)"),
            std::string::npos)
      << *text;
  EXPECT_NE(text->find(R"("route":"none","status":404)"), std::string::npos) << *text;
  EXPECT_NE(text->find("/absent/ki_abcdef..."), std::string::npos) << *text;
  EXPECT_EQ(text->find("ghijkl"), std::string::npos) << *text;
  EXPECT_FALSE(AccessLog::open("/nowhere/at/all"));
}

}  // namespace
}  // namespace ki::http
