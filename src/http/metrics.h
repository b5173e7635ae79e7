// What a server counts, in the text format of Prometheus (version 0.0.4).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ki::http {

enum class Rejected : std::uint8_t { connections, rate, costly };

// What there is now: connections, requests that have arrived whole and whose answer is not sent
// yet, and of those the costly ones that wait for their turn.
enum class Gauge : std::uint8_t { connections, in_flight, queued };

// begin() comes first and once; all else from any thread.
class Metrics {
 public:
  // The routes that are told apart, by Router::names().
  void begin(std::vector<std::string> routes);

  struct Answered {
    std::size_t route = 0;  // of the names
    int status = 0;
  };
  void count(const Answered& answered, std::chrono::microseconds took, std::size_t bytes);
  void reject(Rejected kind);
  void change(Gauge gauge, int by) { gauges_[static_cast<std::size_t>(gauge)] += by; }

  // ki_http_requests_total by route and class of status, ki_http_request_seconds by route (from the
  // last byte of the request to the last of the answer), ki_http_sent_bytes_total,
  // ki_http_connections, ki_http_requests_in_flight, ki_http_requests_queued,
  // ki_http_rejected_total by reason. Routes that nobody asked are left out.
  std::string text() const;

 private:
  static constexpr std::array<double, 12> kBoundsSeconds = {
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10};
  struct Route {
    std::string name;
    std::array<std::atomic<std::uint64_t>, 6> by_class{};  // [2] is 2xx
    std::array<std::atomic<std::uint64_t>, kBoundsSeconds.size() + 1> by_time{};
    std::atomic<std::uint64_t> micros{0};
  };
  void write_requests(std::string& out) const;
  void write_times(std::string& out) const;

  std::vector<std::unique_ptr<Route>> series_;  // one a name
  std::vector<Route*> routes_;                  // whose series a route counts in
  std::array<std::atomic<std::uint64_t>, 3> rejected_{};
  std::atomic<std::uint64_t> sent_bytes_{0};
  std::array<std::atomic<std::int64_t>, 3> gauges_{};
};

// One more of a gauge for as long as it lives; of nothing where there are no metrics.
class Counted {
 public:
  Counted(Metrics* metrics, Gauge gauge) : metrics_(metrics), gauge_(gauge) {
    if (metrics_ != nullptr) metrics_->change(gauge_, 1);
  }
  ~Counted() {
    if (metrics_ != nullptr) metrics_->change(gauge_, -1);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  Metrics* metrics_;
  Gauge gauge_;
};

// Appends "# HELP", "# TYPE" and the line of one value without labels; for what others count.
struct MetricName {
  std::string_view name;
  std::string_view type;  // counter, gauge
  std::string_view help;
};
void write_metric(std::string& out, const MetricName& metric, std::int64_t value);
// A value as it stands between the quotes of a label.
std::string label_escaped(std::string_view value);

}  // namespace ki::http
