#include "http/conversation.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "http/finish.h"
#include "http/target.h"

namespace ki::http {
namespace {

constexpr std::size_t kFailedPathMax = 200;  // of an address that cannot be read
constexpr std::size_t kFilePartBytes = 256 * 1024;

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
    Problem problem = make_problem(400, "INVALID_ADDRESS", error.message);
    problem.errors.push_back(
        {.pointer = error.where, .code = "invalid_value", .detail = error.message});
    return problem;
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
  if (error == Http::bad_transfer_encoding) {
    return make_problem(400, "TRANSFER_ENCODING", "a body comes whole or chunked, in HTTP/1.1");
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

Response too_busy(const Router& router, const Request& request) {
  Response response = router.failure(
      request, make_problem(503, "SERVER_BUSY",
                            "too many requests of this kind at once: try again in a second"));
  response.headers.push_back({"Retry-After", "1"});
  return response;
}

// A key in an address is a mistake of the client's, and must not stay in a log.
std::string without_secrets(std::string path) {
  static constexpr std::string_view kMark = "ki_";
  constexpr std::size_t kShown = 9;
  constexpr std::size_t kSecretMin = 24;
  for (auto at = path.find(kMark); at != std::string::npos; at = path.find(kMark, at + 1)) {
    const auto end = path.find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", at);
    const std::size_t size = std::min(end, path.size()) - at;
    if (size >= kSecretMin) path.replace(at + kShown, size - kShown, "...");
  }
  return path;
}

}  // namespace

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

Task<void> Turns::take() {
  if (std::exchange(taken_, true)) {
    Timer turn(io_.get_executor(), SteadyClock::time_point::max());
    waiting_.push_back(&turn);
    co_await turn.async_wait(kAsValues);
  }
  // What has arrived meanwhile and costs little goes first. To be accepted, read and answered takes
  // a connection several rounds of the loop.
  constexpr int kRounds = 4;
  for (int i = 0; i < kRounds; ++i) {
    co_await asio::post(io_.get_executor(), asio::use_awaitable_t<Executor>{});
  }
}

void Turns::give() {
  if (waiting_.empty()) {
    taken_ = false;
    return;
  }
  Timer* next = waiting_.front();
  waiting_.pop_front();
  next->cancel();
}

Conversation::Conversation(Session& session, Worker& worker, Common& common)
    : session_(session), worker_(worker), common_(common), options_(common.options) {
  error_code error;
  const auto peer = session.stream.socket().remote_endpoint(error);
  if (error) return;
  const std::string address = peer.address().to_string();  // of IPv4 too where :: listens
  peer_ = client_address(address).value_or(address);
}

Task<void> Conversation::run() {
  bool more = true;
  while (more && !worker_.draining) more = co_await exchange();
  error_code ignored;
  session_.stream.socket().shutdown(Tcp::socket::shutdown_send, ignored);
}

Task<bool> Conversation::exchange() {
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

std::string_view Conversation::received() const {
  return {static_cast<const char*>(buffer_.data().data()),
          std::min(buffer_.size(), kFailedPathMax)};
}

// A body in a coding that is not read would be taken for the next request (RFC 9112, section 6.3).
bool Conversation::is_well_framed(const Parser& parser) {
  const auto& message = parser.get();
  const auto codings = message.equal_range(beast::http::field::transfer_encoding);
  if (codings.first == codings.second) return true;
  const bool alone = std::next(codings.first) == codings.second;
  return message.version() >= 11 && alone &&
         message.count(beast::http::field::content_length) == 0 &&
         beast::iequals(trim({codings.first->value().data(), codings.first->value().size()}),
                        "chunked");
}

Task<bool> Conversation::wait_for_bytes() {
  if (buffer_.size() != 0) co_return true;
  session_.idle = true;
  session_.stream.expires_after(options_.idle_max);
  auto [error, bytes] =
      co_await session_.stream.async_read_some(buffer_.prepare(kReadBytes), kAsValues);
  session_.idle = false;
  buffer_.commit(bytes);
  co_return !error;
}

Task<error_code> Conversation::read(Parser& parser) {
  session_.stream.expires_never();
  session_.watch->start(options_.read_max);
  auto [error, bytes] =
      co_await beast::http::async_read_header(session_.stream, buffer_, parser, kAsValues);
  if (!error && !is_well_framed(parser)) {
    co_return beast::http::make_error_code(beast::http::error::bad_transfer_encoding);
  }
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

Task<Response> Conversation::answer_of(const Request& request, bool& costly) {
  if (!worker_.router.is_costly(request)) co_return answer(worker_.router, request);
  if (common_.costly.fetch_add(1) >= options_.costly_max) {
    --common_.costly;
    count_rejection(Rejected::costly);
    co_return too_busy(worker_.router, request);
  }
  costly = true;
  {
    const Counted queued(options_.metrics.get(), Gauge::queued);
    co_await worker_.turns.take();
  }
  Response response = answer(worker_.router, request);
  worker_.turns.give();
  co_return response;
}

// Whom a limit is for: the peer, or whom the proxy in front saw.
std::string Conversation::address_of(const Request& request) const {
  if (options_.behind_proxy) {
    const std::string list = request.header_list("X-Forwarded-For");
    const auto comma = list.rfind(',');
    const auto last = std::string_view(list).substr(comma == std::string::npos ? 0 : comma + 1);
    if (auto address = client_address(last)) return *std::move(address);
  }
  return peer_;
}

std::optional<Response> Conversation::refused(const Request& request,
                                              const std::string& address) const {
  if (options_.limits == nullptr) return std::nullopt;
  const auto wait = options_.limits->take(address, SteadyClock::now());
  if (wait == std::chrono::seconds(0)) return std::nullopt;
  count_rejection(Rejected::rate);
  const std::string seconds = std::to_string(wait.count());
  Response response = worker_.router.failure(
      request, make_problem(429, "RATE_LIMITED",
                            "too many requests from this address: try again in " + seconds + " s"));
  response.headers.push_back({"Retry-After", seconds});
  return response;
}

Task<bool> Conversation::respond(Request request, std::string target, error_code error,
                                 bool has_host, bool keep_alive) {
  const Counted in_flight(options_.metrics.get(), Gauge::in_flight);
  const bool to_all = target == "*" && request.method == Method::options;
  const std::optional<Problem> bad_target = to_all ? std::nullopt : read_target(target, request);
  const std::string address = address_of(request);
  Response response;
  bool costly = false;
  if (std::optional<Response> refusal = refused(request, address)) {
    response = std::move(*refusal);
  } else if (error) {
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
    response = co_await answer_of(request, costly);
  }
  response = finish(request, std::move(response));
  const std::string head = head_of(response, http_date(), keep_alive);
  const std::string_view body = request.method == Method::head ? std::string_view{} : response.body;
  session_.stream.expires_after(options_.write_max);
  const std::array<asio::const_buffer, 2> parts = {asio::buffer(head),
                                                   asio::buffer(body.data(), body.size())};
  auto [failed, bytes] = co_await asio::async_write(session_.stream, parts, kAsValues);
  if (!failed && response.file && request.method != Method::head) {
    failed = co_await send(*response.file, bytes);
  }
  // Until here its answer takes memory, however slowly it is read.
  if (costly) --common_.costly;
  note(request, response, address, bytes);
  co_return !failed;
}

Task<error_code> Conversation::send(const OpenFile& file, std::size_t& bytes) {
  std::vector<char> part(
      std::min<std::size_t>(kFilePartBytes, static_cast<std::size_t>(file.bytes())));
  for (std::int64_t at = 0; at < file.bytes();) {
    const auto left = static_cast<std::size_t>(file.bytes() - at);
    const std::size_t size = file.read(at, std::span(part).first(std::min(left, part.size())));
    if (size == 0) co_return asio::error::eof;
    session_.stream.expires_after(options_.write_max);
    auto [failed, sent] =
        co_await asio::async_write(session_.stream, asio::buffer(part.data(), size), kAsValues);
    bytes += sent;
    if (failed) co_return failed;
    at += static_cast<std::int64_t>(size);
  }
  co_return error_code();
}

Task<void> Conversation::linger() {
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

void Conversation::count_rejection(Rejected kind) const {
  if (options_.metrics) options_.metrics->reject(kind);
}

void Conversation::note(const Request& request, const Response& response,
                        const std::string& address, std::size_t bytes) const {
  const auto took =
      std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - started_);
  if (options_.metrics) {
    options_.metrics->count({.route = response.route, .status = response.status}, took, bytes);
  }
  const Level level = response.status >= 500 ? Level::error : Level::info;
  const bool logged = level >= options_.log_level && options_.log_level != Level::off;
  if (!logged && options_.access_log == nullptr) return;
  const std::string path = without_secrets(request.path);
  const std::string line = log_line(to_iso(SystemClock{}.now()), level, "http.request",
                                    {{"address", std::string_view(address)},
                                     {"method", name_of(request.method)},
                                     {"path", std::string_view(path)},
                                     {"route", worker_.router.name(response.route)},
                                     {"status", std::int64_t{response.status}},
                                     {"bytes", static_cast<std::int64_t>(bytes)},
                                     {"micros", static_cast<std::int64_t>(took.count())},
                                     {"key", std::string_view(response.log_key)},
                                     {"request_id", std::string_view(request.id)},
                                     {"detail", std::string_view(response.log_detail)}});
  if (options_.access_log) options_.access_log->write(line);
  if (logged && (options_.access_log == nullptr || level >= Level::warn)) write_log(line);
}

}  // namespace ki::http
