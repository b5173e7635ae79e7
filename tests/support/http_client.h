// A blocking HTTP client for tests: it sends exactly the bytes it is told to, also wrong ones.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"

namespace ki::tests {

struct Answer {
  int status = 0;  // 0: the connection ended without an answer
  std::string head;
  std::string body;

  // The value of the first header of that name, any case; "" when there is none.
  std::string header(std::string_view name) const {
    for (const std::string_view line : split(head, '\n')) {
      const auto colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      if (equals_ignoring_case(line.substr(0, colon), name)) {
        return std::string(trim(line.substr(colon + 1)));
      }
    }
    return {};
  }
};

class Connection {
 public:
  explicit Connection(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval timeout{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() { ::close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool open() const { return open_; }

  // Whether every byte went out.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Sends nothing more, and can still receive.
  void end() const { ::shutdown(fd_, SHUT_WR); }

  // Reads one answer; `with_body` is false for the answer to HEAD.
  Answer receive(bool with_body = true) {
    Answer answer;
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return answer;
    }
    answer.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    answer.status = std::atoi(answer.head.c_str() + 9);
    const auto size = std::strtoul(answer.header("Content-Length").c_str(), nullptr, 10);
    while (with_body && buffer_.size() < size) {
      if (!fill()) break;
    }
    if (with_body) {
      answer.body = buffer_.substr(0, size);
      buffer_.erase(0, size);
    }
    return answer;
  }

  // Whether the peer has closed: nothing more comes.
  bool closed() { return buffer_.empty() && !fill(); }

 private:
  bool fill() {
    char chunk[16 * 1024];
    const auto size = ::recv(fd_, chunk, sizeof chunk, 0);
    if (size <= 0) return false;
    buffer_.append(chunk, static_cast<std::size_t>(size));
    return true;
  }

  int fd_;
  bool open_ = false;
  std::string buffer_;
};

inline Answer get(std::uint16_t port, std::string_view target, std::string_view headers = {}) {
  Connection connection(port);
  connection.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" +
                  std::string(headers) + "\r\n");
  return connection.receive();
}

inline Answer post(std::uint16_t port, std::string_view target, std::string_view body,
                   std::string_view content_type = "application/json",
                   std::string_view headers = {}) {
  Connection connection(port);
  connection.send("POST " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" +
                  std::string(headers) + "Content-Type: " + std::string(content_type) +
                  "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                  std::string(body));
  return connection.receive();
}

}  // namespace ki::tests
