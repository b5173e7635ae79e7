// One connection of the server, from its first byte to its last. Internal to server.cc: all of it
// runs on the thread of the worker that owns the connection.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/server.h"

namespace ki::http {

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
constexpr auto kLingerMax = std::chrono::seconds(2);
constexpr auto kCancelAgain = std::chrono::milliseconds(50);

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

// Requests that cost much go one at a time on a worker, the first that came first; others, which
// wait for nothing but the processor, go between two of them.
class Turns {
 public:
  explicit Turns(asio::io_context& io) : io_(io) {}
  Task<void> take();
  void give();  // what take() gave

 private:
  asio::io_context& io_;
  bool taken_ = false;
  std::deque<Timer*> waiting_;
};

struct Worker {
  explicit Worker(Router r) : router(std::move(r)) {}
  Router router;
  bool draining = false;        // worker's thread only
  std::set<Session*> sessions;  // worker's thread only
  std::atomic<int> connections = 0;
  std::thread thread;
  Turns turns{io};
  asio::io_context io{1};  // last: its destructor ends the coroutines, which use all of the above
  asio::executor_work_guard<Executor> work{io.get_executor()};
};

std::string http_date();

// What all workers of a server share.
struct Common {
  const ServerOptions& options;
  std::atomic<int> costly = 0;  // requests in progress or waiting for their turn
};

// One connection, from its first byte to its last.
class Conversation {
 public:
  Conversation(Session& session, Worker& worker, Common& common);

  Task<void> run();

 private:
  // One request and its answer. Whether the connection is good for another.
  Task<bool> exchange();
  static bool is_well_framed(const Parser& parser);
  Task<bool> wait_for_bytes();
  Task<error_code> read(Parser& parser);
  // `costly` is set when a place of the costly ones is taken, until the answer is sent.
  Task<Response> answer_of(const Request& request, bool& costly);
  Task<bool> respond(Request request, std::string target, error_code error, bool has_host,
                     bool keep_alive);
  // Sends a file, a part at a time; what was sent. An error also where the file ends too soon.
  Task<error_code> send(const OpenFile& file, std::size_t& bytes);
  // After a refusal there may be bytes still coming; closing at once would reset the connection
  // and could take the answer with it.
  Task<void> linger();
  // The start of what has arrived and was not read.
  std::string_view received() const;
  std::string address_of(const Request& request) const;
  // The answer to an address that asks too much, without looking at what it asks.
  std::optional<Response> refused(const Request& request, const std::string& address) const;
  void count_rejection(Rejected kind) const;
  void note(const Request& request, const Response& response, const std::string& address,
            std::size_t bytes) const;

  Session& session_;
  Worker& worker_;
  Common& common_;
  const ServerOptions& options_;
  std::string peer_;
  beast::flat_buffer buffer_{256 * 1024};
  SteadyClock::time_point started_;
};

}  // namespace ki::http
