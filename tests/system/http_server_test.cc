// The server on a loopback port, met by clients that behave and by clients that do not.

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "http/server.h"
#include "tests/support/http_client.h"

namespace ki::http {
namespace {

using namespace std::chrono_literals;
using tests::Answer;
using tests::Connection;

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

}  // namespace
}  // namespace ki::http
