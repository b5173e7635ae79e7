// Start-up, memory and request rates of `ki serve`, from outside: the server is a child process on
// a free port, the load comes from this process on the same machine.
//
//   http_bench KI_BINARY CATALOG [SECONDS]
//
// It prints figures beside their targets; nothing here passes or fails.

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kConnections = 16;

double since_ms(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    return -1;
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(fd);
  return ntohs(address.sin_port);
}

// One request and its whole answer on a kept connection. Returns the status, 0 when it broke.
int request(int fd, std::string_view target, std::string& buffer, std::string* body = nullptr) {
  std::string text = "GET ";
  text += target;
  text += " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) return 0;
  buffer.clear();
  std::size_t header_end = std::string::npos;
  std::size_t whole = 0;
  char chunk[65536];
  while (header_end == std::string::npos || buffer.size() < whole) {
    const ssize_t count = ::recv(fd, chunk, sizeof chunk, 0);
    if (count <= 0) return 0;
    buffer.append(chunk, static_cast<std::size_t>(count));
    if (header_end != std::string::npos) continue;
    header_end = buffer.find("\r\n\r\n");
    if (header_end == std::string::npos) continue;
    const auto at = buffer.find("Content-Length: ");
    if (at == std::string::npos || at > header_end) return 0;
    std::size_t length = 0;
    std::from_chars(buffer.data() + at + 16, buffer.data() + header_end, length);
    whole = header_end + 4 + length;
  }
  if (body != nullptr) *body = buffer.substr(header_end + 4);
  return std::atoi(buffer.c_str() + std::strlen("HTTP/1.1 "));
}

std::string percent(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      out += c;
    } else {
      char hex[4];
      std::snprintf(hex, sizeof hex, "%%%02X",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += hex;
    }
  }
  return out;
}

// Every value of "key":"..." in a JSON text; enough for slugs and digests.
std::vector<std::string> values_of(const std::string& json, const std::string& key) {
  std::vector<std::string> out;
  const std::string mark = "\"" + key + "\":\"";
  for (auto at = json.find(mark); at != std::string::npos; at = json.find(mark, at)) {
    at += mark.size();
    out.push_back(json.substr(at, json.find('"', at) - at));
  }
  return out;
}

struct Tally {
  std::vector<double> latencies_ms;
  std::size_t bad = 0;
  std::size_t bytes = 0;
};

void load(const char* name, int port, double seconds, const std::vector<std::string>& targets) {
  if (targets.empty()) return;
  std::atomic<std::size_t> next{0};
  std::vector<Tally> tallies(kConnections);
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (Tally& tally : tallies) {
      threads.emplace_back([&] {
        const int fd = connect_to(port);
        std::string buffer;
        while (since_ms(start) < seconds * 1000) {
          const auto begin = Clock::now();
          if (request(fd, targets[next++ % targets.size()], buffer) != 200) ++tally.bad;
          tally.latencies_ms.push_back(since_ms(begin));
          tally.bytes += buffer.size();
        }
        ::close(fd);
      });
    }
  }
  const double elapsed_s = since_ms(start) / 1000;
  Tally all;
  for (const Tally& tally : tallies) {
    all.latencies_ms.insert(all.latencies_ms.end(), tally.latencies_ms.begin(),
                            tally.latencies_ms.end());
    all.bad += tally.bad;
    all.bytes += tally.bytes;
  }
  std::ranges::sort(all.latencies_ms);
  const auto count = all.latencies_ms.size();
  std::printf("%-42s %8.0f /s   p50 %6.2f ms   p99 %6.2f ms   %6.1f KB each   %zu not 200\n", name,
              static_cast<double>(count) / elapsed_s, all.latencies_ms[count / 2],
              all.latencies_ms[count * 99 / 100],
              static_cast<double>(all.bytes) / static_cast<double>(count) / 1000, all.bad);
}

long peak_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

pid_t start_server(const char* binary, const char* catalog, const std::string& port) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int null = ::open("/dev/null", O_WRONLY);
  ::dup2(null, STDERR_FILENO);
  ::dup2(null, STDOUT_FILENO);
  ::execl(binary, binary, "--db", catalog, "serve", "--port", port.c_str(), nullptr);
  ::_exit(127);
}

void measure(int port, int fd, double seconds) {
  std::string buffer;
  std::string body;
  const auto targets = [&](const char* list, const char* key, std::string_view prefix) {
    request(fd, list, buffer, &body);
    std::vector<std::string> out;
    for (const auto& value : values_of(body, key)) out.push_back(std::string(prefix) + value);
    return out;
  };
  auto distinct = targets("/api/v1/operations", "slug", "op:");
  for (auto& query : distinct) query = "/api/v1/search?q=" + percent(query);
  std::printf("%zu operations, %d connections, %.1f s each\n", distinct.size(), kConnections,
              seconds);
  load("GET /api/v1/search, distinct (target 5000)", port, seconds, distinct);
  if (!distinct.empty()) distinct.resize(1);
  load("GET /api/v1/search, repeated (target 10000)", port, seconds, distinct);
  load("GET /api/v1/runs/DIGEST (target 3000)", port, seconds,
       targets("/api/v1/runs?limit=200", "digest", "/api/v1/runs/"));
  load("GET /runs/DIGEST, page (target 3000)", port, seconds,
       targets("/api/v1/runs?limit=200", "digest", "/runs/"));
  load("GET /operations/SLUG, page (target 3000)", port, seconds,
       targets("/api/v1/operations", "slug", "/operations/"));
  load("GET /, page (target 3000)", port, seconds, {"/"});
  load("GET /api/v1/records?limit=50", port, seconds, {"/api/v1/records?limit=50"});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: http_bench KI_BINARY CATALOG [SECONDS]\n");
    return 2;
  }
  const int port = free_port();
  const auto start = Clock::now();
  const pid_t pid = start_server(argv[1], argv[2], std::to_string(port));
  std::string buffer;
  int fd = -1;
  while (fd < 0 && since_ms(start) < 10'000) {
    fd = connect_to(port);
    if (fd < 0) ::usleep(500);
  }
  if (fd < 0 || request(fd, "/healthz", buffer) != 200) {
    std::fprintf(stderr, "the server does not answer\n");
    ::kill(pid, SIGKILL);
    return 1;
  }
  std::printf("start to first answer %.0f ms (target 300)\n", since_ms(start));
  measure(port, fd, argc > 3 ? std::atof(argv[3]) : 3);
  std::printf("peak memory %.0f MB (target 200)\n", static_cast<double>(peak_kib(pid)) / 1024);
  ::close(fd);
  ::kill(pid, SIGTERM);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
