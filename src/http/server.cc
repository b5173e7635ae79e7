#include "http/server.h"

#include <algorithm>
#include <memory>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/write.hpp>

#include "http/conversation.h"
#include "http/finish.h"

namespace ki::http {
namespace {

using Acceptor = asio::basic_socket_acceptor<Tcp, Executor>;

constexpr auto kDrainPoll = std::chrono::milliseconds(10);
constexpr auto kAcceptPause = std::chrono::milliseconds(50);  // when descriptors have run out

// Counts and registers a connection for as long as it lives.
class Registration {
 public:
  Registration(Worker& worker, Session& session, Metrics* metrics)
      : worker_(worker), session_(session), counted_(metrics, Gauge::connections) {
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
  Counted counted_;
};

Task<void> converse(Socket socket, Worker& worker, Common& common) {
  Session session(std::move(socket));
  const Registration registration(worker, session, common.options.metrics.get());
  Conversation conversation(session, worker, common);
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
      if (options.metrics) options.metrics->reject(Rejected::connections);
      asio::co_spawn(worker.io.get_executor(), turn_away(std::move(socket)), asio::detached);
      return;
    }
    ++worker.connections;
    asio::co_spawn(worker.io.get_executor(), converse(std::move(socket), worker, common),
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
  Common common{.options = options};
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
  if (options.metrics) options.metrics->begin(impl->workers.front()->router.names());
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
