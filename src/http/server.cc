#include "http/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <exception>
#include <memory>
#include <set>
#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/clock.h"
#include "http/finish.h"
#include "http/target.h"

namespace ki::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using Tcp = asio::ip::tcp;
using Executor = asio::io_context::executor_type;
using Stream = beast::basic_stream<Tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<Tcp, Executor>;
using Socket = asio::basic_stream_socket<Tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
using Parser = beast::http::request_parser<beast::http::string_body>;
template <class T>
using Task = asio::awaitable<T, Executor>;
using SteadyClock = std::chrono::steady_clock;

// Every step reports its error as a value: nothing here throws because a peer went away.
constexpr auto kAsValues = asio::as_tuple(asio::use_awaitable_t<Executor>{});

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr std::size_t kFailedPathMax = 200;  // of an address that cannot be read
constexpr auto kLingerMax = std::chrono::seconds(2);
constexpr auto kCancelAgain = std::chrono::milliseconds(50);
constexpr auto kDrainPoll = std::chrono::milliseconds(10);
constexpr auto kAcceptPause = std::chrono::milliseconds(50);  // when descriptors have run out

// Ends what a socket waits for once a deadline has passed, and leaves the socket open, so that the
// client can still be told: a stream's own deadline closes it. On the worker's thread only.
class Watch : public std::enable_shared_from_this<Watch> {
 public:
  explicit Watch(Socket& socket) : socket_(&socket), timer_(socket.get_executor()) {}

  // From here on what is read from the socket has this long.
  void start(SteadyClock::duration time) {
    expired_ = false;
    deadline_ = SteadyClock::now() + time;
    // The timer of an earlier request goes off too soon, and is then set anew: one timer serves
    // many requests.
    if (!waiting_ || timer_.expiry() > deadline_) wait_until(deadline_);
  }
  // The request has arrived, or never will.
  void stop() { deadline_ = SteadyClock::time_point::max(); }
  // Whether start()'s time is over.
  bool expired() const { return expired_; }
  // Before the socket goes.
  void release() {
    socket_ = nullptr;
    timer_.cancel();
  }

 private:
  void wait_until(SteadyClock::time_point at) {
    waiting_ = true;
    timer_.expires_at(at);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->wake();
    });
  }
  void wake() {
    waiting_ = false;
    if (socket_ == nullptr || deadline_ == SteadyClock::time_point::max()) return;
    const auto now = SteadyClock::now();
    if (now < deadline_) return wait_until(deadline_);
    expired_ = true;
    error_code ignored;
    socket_->cancel(ignored);
    // A read of several steps may have been between two of them, with nothing to cancel.
    wait_until(now + kCancelAgain);
  }

  Socket* socket_;
  Timer timer_;
  bool waiting_ = false;
  bool expired_ = false;
  SteadyClock::time_point deadline_ = SteadyClock::time_point::max();
};

struct Session {
  explicit Session(Socket socket)
      : stream(std::move(socket)), watch(std::make_shared<Watch>(stream.socket())) {}
  ~Session() { watch->release(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Stream stream;
  std::shared_ptr<Watch> watch;
  bool idle = false;  // nothing of a request has arrived
};

struct Worker {
  explicit Worker(Router r) : router(std::move(r)) {}
  Router router;
  bool draining = false;        // worker's thread only
  std::set<Session*> sessions;  // worker's thread only
  std::atomic<int> connections = 0;
  std::thread thread;
  asio::io_context io{1};  // last: its destructor ends the coroutines, which use all of the above
  asio::executor_work_guard<Executor> work{io.get_executor()};
};

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

Request to_request(beast::http::request<beast::http::string_body>&& message) {
  Request request;
  request.method = parse_method({message.method_string().data(), message.method_string().size()});
  request.id = uuid_v7(SystemClock{}.now());
  for (const auto& field : message) {
    request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
  }
  request.body = std::move(message.body());
  return request;
}

// The target of a request line, as far as it came, when the request as a whole was refused.
std::string_view target_of(std::string_view received) {
  const std::size_t blank = received.find(' ');
  if (blank == std::string_view::npos) return {};
  received.remove_prefix(blank + 1);
  return received.substr(0, received.find_first_of(" \r\n"));
}

// Reads the target into the request; what is wrong with it is the answer.
std::optional<Problem> read_target(std::string_view text, Request& request) {
  auto target = parse_target(text);
  if (!target) {
    // Enough of the address to tell which surface failed, and for the log.
    request.path = text.substr(0, std::min(text.find('?'), kFailedPathMax));
    if (text.starts_with('/')) {
      request.segments = {std::string(text.substr(1, text.find_first_of("/?", 1) - 1))};
    }
    const Error& error = target.error();
    if (error.code == Code::too_large) return make_problem(414, "URI_TOO_LONG", error.message);
    return make_problem(400, "INVALID_ADDRESS", error.message);
  }
  request.path = std::move(target->path);
  request.segments = std::move(target->segments);
  request.parameters = std::move(target->parameters);
  return std::nullopt;
}

Problem problem_of_read(const error_code& error, const ServerOptions& options) {
  using Http = beast::http::error;
  if (error == beast::error::timeout) {
    return make_problem(408, "REQUEST_TIMEOUT",
                        "the request did not arrive within " +
                            std::to_string(options.read_max.count()) + " ms: send it again");
  }
  if (error == Http::partial_message) {
    return make_problem(400, "MALFORMED_REQUEST", "the request ends before it is whole");
  }
  if (error == Http::header_limit || error == Http::buffer_overflow) {
    return make_problem(431, "HEADERS_TOO_LARGE",
                        "the request line and headers are over " +
                            std::to_string(options.header_bytes_max) + " bytes");
  }
  if (error == Http::body_limit) {
    return make_problem(413, "BODY_TOO_LARGE",
                        "the body is over " + std::to_string(options.body_bytes_max) + " bytes");
  }
  return make_problem(400, "MALFORMED_REQUEST", "this is not HTTP/1.1: " + error.message());
}

// Whether the target starts as one of a page or a route does, whatever is wrong with the rest.
bool is_address(std::string_view target) { return target.starts_with('/'); }

Problem with_id(Problem problem, const std::string& id) {
  problem.request_id = id;
  return problem;
}

// An exception out of a handler is a bug of ours (or memory run out): it costs one answer.
Response answer(const Router& router, const Request& request) {
  try {
    return router.dispatch(request);
  } catch (const std::exception& thrown) {
    return router.failure(request, problem_of(Error{Code::internal, thrown.what(), {}}));
  }
}

bool is_http_error(const error_code& error) {
  return error.category() ==
         beast::http::make_error_code(beast::http::error::bad_target).category();
}

// One connection, from its first byte to its last.
class Conversation {
 public:
  Conversation(Session& session, Worker& worker, const ServerOptions& options)
      : session_(session), worker_(worker), options_(options) {}

  Task<void> run() {
    bool more = true;
    while (more && !worker_.draining) more = co_await exchange();
    error_code ignored;
    session_.stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  }

 private:
  // One request and its answer. Whether the connection is good for another.
  Task<bool> exchange() {
    const bool arrived = co_await wait_for_bytes();
    if (!arrived) co_return false;
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(options_.header_bytes_max));
    parser.body_limit(options_.body_bytes_max);
    error_code error = co_await read(parser);
    session_.watch->stop();
    started_ = SteadyClock::now();
    if (error && session_.watch->expired()) error = beast::error::timeout;
    // Nobody is there any more.
    const bool told = is_http_error(error) || error == beast::error::timeout;
    if ((error && !told) || error == beast::http::error::end_of_stream) co_return false;
    const bool keep_alive = !error && parser.get().keep_alive() && !worker_.draining;
    auto message = parser.release();
    std::string target(message.target());
    if (error && target.empty()) target = target_of(received());
    const bool has_host = message.version() < 11 || message.count("Host") == 1;
    Request request = to_request(std::move(message));
    const bool written = co_await respond(std::move(request), target, error, has_host, keep_alive);
    if (error && written) co_await linger();
    co_return written ? keep_alive : false;
  }

  // The start of what has arrived and was not read.
  std::string_view received() const {
    return {static_cast<const char*>(buffer_.data().data()),
            std::min(buffer_.size(), kFailedPathMax)};
  }

  Task<bool> wait_for_bytes() {
    if (buffer_.size() != 0) co_return true;
    session_.idle = true;
    session_.stream.expires_after(options_.idle_max);
    auto [error, bytes] =
        co_await session_.stream.async_read_some(buffer_.prepare(kReadBytes), kAsValues);
    session_.idle = false;
    buffer_.commit(bytes);
    co_return !error;
  }

  Task<error_code> read(Parser& parser) {
    session_.stream.expires_never();
    session_.watch->start(options_.read_max);
    auto [error, bytes] =
        co_await beast::http::async_read_header(session_.stream, buffer_, parser, kAsValues);
    if (error || parser.is_done()) co_return error;
    session_.watch->start(options_.read_max);
    if (beast::iequals(parser.get()[beast::http::field::expect], "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      auto [refused, sent] = co_await asio::async_write(
          session_.stream, asio::buffer(kContinue.data(), kContinue.size()), kAsValues);
      if (refused) co_return refused;
    }
    auto [failed, rest] =
        co_await beast::http::async_read(session_.stream, buffer_, parser, kAsValues);
    co_return failed;
  }

  Task<bool> respond(Request request, std::string target, error_code error, bool has_host,
                     bool keep_alive) {
    const bool to_all = target == "*" && request.method == Method::options;
    const std::optional<Problem> bad_target = to_all ? std::nullopt : read_target(target, request);
    Response response;
    if (error) {
      response = worker_.router.failure(request, problem_of_read(error, options_));
    } else if (bad_target) {
      // What starts no address belongs to no surface: no person has typed it.
      response = is_address(target) ? worker_.router.failure(request, *bad_target)
                                    : problem_response(with_id(*bad_target, request.id));
    } else if (!has_host) {
      response = worker_.router.failure(
          request, make_problem(400, "HOST_MISSING", "HTTP/1.1 needs one Host header"));
    } else if (to_all) {
      response = worker_.router.dispatch_to_all();
    } else {
      response = answer(worker_.router, request);
    }
    response = finish(request, std::move(response));
    const std::string head = head_of(response, http_date(), keep_alive);
    const std::string_view body =
        request.method == Method::head ? std::string_view{} : response.body;
    session_.stream.expires_after(options_.write_max);
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(head),
                                                     asio::buffer(body.data(), body.size())};
    auto [failed, bytes] = co_await asio::async_write(session_.stream, parts, kAsValues);
    log(request, response, bytes);
    co_return !failed;
  }

  // After a refusal there may be bytes still coming; closing at once would reset the connection
  // and could take the answer with it.
  Task<void> linger() {
    error_code ignored;
    session_.stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    session_.stream.expires_after(kLingerMax);
    std::size_t left = 4 * options_.body_bytes_max;
    std::array<char, kReadBytes> sink;
    while (left > sink.size()) {
      auto [error, bytes] = co_await session_.stream.async_read_some(asio::buffer(sink), kAsValues);
      if (error) co_return;
      left -= bytes;
    }
  }

  void log(const Request& request, const Response& response, std::size_t bytes) const {
    const Level level = response.status >= 500 ? Level::error : Level::info;
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - started_);
    log_event(options_.log_level, level, "http.request",
              {{"method", name_of(request.method)},
               {"path", std::string_view(request.path)},
               {"status", std::int64_t{response.status}},
               {"bytes", static_cast<std::int64_t>(bytes)},
               {"micros", static_cast<std::int64_t>(took.count())},
               {"request_id", std::string_view(request.id)},
               {"detail", std::string_view(response.log_detail)}});
  }

  Session& session_;
  Worker& worker_;
  const ServerOptions& options_;
  beast::flat_buffer buffer_{256 * 1024};
  SteadyClock::time_point started_;
};

// Counts and registers a connection for as long as it lives.
class Registration {
 public:
  Registration(Worker& worker, Session& session) : worker_(worker), session_(session) {
    worker_.sessions.insert(&session_);
  }
  ~Registration() {
    worker_.sessions.erase(&session_);
    --worker_.connections;
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  Worker& worker_;
  Session& session_;
};

Task<void> converse(Socket socket, Worker& worker, const ServerOptions& options) {
  Session session(std::move(socket));
  const Registration registration(worker, session);
  Conversation conversation(session, worker, options);
  co_await conversation.run();
}

// Told apart from silence: a client that meets a full server should come back, not wait.
Task<void> turn_away(Socket socket) {
  Stream stream(std::move(socket));
  static const Response kFull = [] {
    Response full = problem_response(
        make_problem(503, "TOO_MANY_CONNECTIONS", "the server is full: try again in a second"));
    full.headers.push_back({"Retry-After", "1"});
    return full;
  }();
  const std::string text = head_of(kFull, http_date(), false) + kFull.body;
  stream.expires_after(kLingerMax);
  auto [error, bytes] = co_await asio::async_write(stream, asio::buffer(text), kAsValues);
  if (error) co_return;
  error_code ignored;
  stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
}

Result<Acceptor> bind(asio::io_context& io, const ServerOptions& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.host, error);
  if (error) {
    return fail(Code::invalid, "the host must be an address such as 127.0.0.1 or ::", options.host);
  }
  const std::string where = options.host + ":" + std::to_string(options.port);
  const Tcp::endpoint endpoint(address, options.port);
  Acceptor acceptor(io.get_executor());
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return acceptor;
  if (error == asio::error::address_in_use) {
    return fail(Code::conflict, "the port is taken by another program: choose another with --port",
                where);
  }
  if (error == asio::error::access_denied) {
    return fail(Code::denied, "this port may not be bound: ports below 1024 need a privilege",
                where);
  }
  return fail(Code::unavailable, "cannot listen: " + error.message(), where);
}

}  // namespace

struct Server::Impl {
  explicit Impl(ServerOptions o) : options(std::move(o)) {}

  Task<void> accept_all() {
    while (!stopping) {
      Worker& worker = *std::ranges::min_element(workers, {}, [](const auto& w) {
                          return w->connections.load();
                        })->get();
      Socket socket(worker.io.get_executor());
      auto [error] = co_await acceptor->async_accept(socket, kAsValues);
      if (stopping) co_return;
      if (error) {
        Timer pause(control.get_executor(), kAcceptPause);
        static_cast<void>(co_await pause.async_wait(kAsValues));
        continue;
      }
      take(std::move(socket), worker);
    }
  }

  void take(Socket socket, Worker& worker) {
    error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    if (open() >= options.connections_max) {
      asio::co_spawn(worker.io.get_executor(), turn_away(std::move(socket)), asio::detached);
      return;
    }
    ++worker.connections;
    asio::co_spawn(worker.io.get_executor(), converse(std::move(socket), worker, options),
                   asio::detached);
  }

  int open() const {
    int sum = 0;
    for (const auto& worker : workers) sum += worker->connections.load();
    return sum;
  }

  // On the control thread. Once: later calls find `stopping` set.
  void begin_stop() {
    if (std::exchange(stopping, true)) return;
    error_code ignored;
    acceptor->close(ignored);
    if (signals) signals->cancel(ignored);
    for (const auto& worker : workers) {
      asio::post(worker->io, [w = worker.get()] {
        w->draining = true;
        error_code error;
        for (Session* session : w->sessions) {
          if (session->idle) session->stream.socket().shutdown(Tcp::socket::shutdown_both, error);
        }
      });
    }
    asio::co_spawn(control.get_executor(), drain(), asio::detached);
  }

  Task<void> drain() {
    const auto deadline = SteadyClock::now() + options.drain_max;
    Timer timer(control.get_executor());
    while (open() > 0 && SteadyClock::now() < deadline) {
      timer.expires_after(kDrainPoll);
      static_cast<void>(co_await timer.async_wait(kAsValues));
    }
    if (open() > 0) {
      log_event(options.log_level, Level::warn, "http.drain_cut",
                {{"connections", std::int64_t{open()}}});
    }
    for (const auto& worker : workers) worker->io.stop();
    work.reset();
  }

  Task<void> await_signal() {
    auto [error, signal] = co_await signals->async_wait(kAsValues);
    if (!error) begin_stop();
  }

  void join() {
    if (control_thread.joinable()) control_thread.join();
    for (const auto& worker : workers) {
      if (worker->thread.joinable()) worker->thread.join();
    }
  }

  ServerOptions options;
  std::uint16_t port = 0;
  bool stopping = false;  // control thread only
  std::vector<std::unique_ptr<Worker>> workers;
  std::thread control_thread;
  asio::io_context control{1};  // below what its coroutines use
  asio::executor_work_guard<Executor> work{control.get_executor()};
  std::optional<Acceptor> acceptor;
  std::optional<asio::basic_signal_set<Executor>> signals;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  stop();
  wait();
}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options,
                                              const MakeRouter& make_router) {
  auto impl = std::make_unique<Impl>(options);
  impl->acceptor = TRY(bind(impl->control, options));
  impl->port = impl->acceptor->local_endpoint().port();
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int wanted = options.workers > 0 ? options.workers : processors;
  for (int i = 0; i < std::min(wanted, kWorkersMax); ++i) {
    Router router = TRY(make_router());
    impl->workers.push_back(std::make_unique<Worker>(std::move(router)));
  }
  if (options.stop_on_signals) {
    impl->signals.emplace(impl->control.get_executor(), SIGINT, SIGTERM);
    asio::co_spawn(impl->control.get_executor(), impl->await_signal(), asio::detached);
  }
  asio::co_spawn(impl->control.get_executor(), impl->accept_all(), asio::detached);
  for (const auto& worker : impl->workers) {
    worker->thread = std::thread([w = worker.get()] { w->io.run(); });
  }
  impl->control_thread = std::thread([i = impl.get()] { i->control.run(); });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const { return impl_->port; }
int Server::workers() const { return static_cast<int>(impl_->workers.size()); }
int Server::connections() const { return impl_->open(); }
void Server::stop() {
  asio::post(impl_->control, [impl = impl_.get()] { impl->begin_stop(); });
}
void Server::wait() { impl_->join(); }

}  // namespace ki::http
