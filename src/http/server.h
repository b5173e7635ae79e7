// The HTTP/1.1 server: bounded in everything, drained on stop. Handlers run on the worker that owns
// the connection, one at a time, so what a worker's router captures needs no lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/address_limits.h"
#include "http/log.h"
#include "http/message.h"
#include "http/metrics.h"
#include "http/router.h"

namespace ki::http {

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address, not a name
  std::uint16_t port = 8080;       // 0: any free one
  int workers = 0;                 // threads that answer; 0: one a processor, at most kWorkersMax
  bool stop_on_signals = false;    // SIGINT and SIGTERM drain and stop

  std::size_t header_bytes_max = 16 * 1024;           // request line and headers; over it 431
  std::size_t body_bytes_max = std::size_t{1} << 20;  // over it 413
  int connections_max = 1024;                         // over it 503 and closed

  std::chrono::milliseconds idle_max{60'000};  // between two requests
  std::chrono::milliseconds read_max{10'000};  // for all headers, and again for the body
  std::chrono::milliseconds write_max{30'000};
  std::chrono::milliseconds drain_max{5'000};  // what requests in flight get on stop

  int costly_max = 16;        // requests of costly routes until they are sent; over it 503
  bool behind_proxy = false;  // the last X-Forwarded-For address is the client, not the peer
  std::shared_ptr<AddressLimits> limits = nullptr;  // nullptr: none; over them 429

  // Failures of ours at or above it go to standard error; other requests too without an access log.
  Level log_level = Level::info;
  std::shared_ptr<AccessLog> access_log = nullptr;  // gets a line for each request
  std::shared_ptr<Metrics> metrics = nullptr;       // counts them; of one server
};

inline constexpr int kWorkersMax = 16;

// Makes one worker's router; called once a worker, on the thread that starts the server.
using MakeRouter = std::function<Result<Router>()>;

class Server {
 public:
  // Binds, starts the workers and returns at once. Errors: Code::invalid for a host that is no
  // address; Code::conflict when the port is taken; Code::denied when it may not be bound;
  // whatever `make_router` reports.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options,
                                               const MakeRouter& make_router);
  ~Server();  // stops and waits
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;  // the one bound
  int workers() const;
  int connections() const;  // open now

  // Stops accepting, closes idle connections, lets requests in flight finish within drain_max.
  // Returns at once; callable from any thread, more than once.
  void stop();
  void wait();  // until stopped

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ki::http
