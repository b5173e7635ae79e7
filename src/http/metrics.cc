#include "http/metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace ki::http {
namespace {

void write_head(std::string& out, const MetricName& metric) {
  out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", metric.name, metric.help, metric.type);
}

std::string_view name_of(Rejected kind) {
  switch (kind) {
    case Rejected::connections:
      return "connections";
    case Rejected::rate:
      return "rate";
    case Rejected::costly:
      return "costly";
  }
  return "";
}

}  // namespace

void Metrics::begin(std::vector<std::string> routes) {
  for (std::string& name : routes) {
    auto found = std::ranges::find_if(series_, [&](const auto& one) { return one->name == name; });
    if (found == series_.end()) {
      found = series_.insert(found, std::make_unique<Route>());
      (*found)->name = std::move(name);
    }
    routes_.push_back(found->get());
  }
}

void Metrics::count(const Answered& answered, std::chrono::microseconds took, std::size_t bytes) {
  Route& route = *routes_[answered.route];
  const auto status_class = static_cast<std::size_t>(std::clamp(answered.status / 100, 0, 5));
  route.by_class[status_class].fetch_add(1, std::memory_order_relaxed);
  const double seconds = std::chrono::duration<double>(took).count();
  const auto bucket = std::ranges::lower_bound(kBoundsSeconds, seconds) - kBoundsSeconds.begin();
  route.by_time[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  route.micros.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
  sent_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void Metrics::reject(Rejected kind) {
  rejected_[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
}

void Metrics::write_requests(std::string& out) const {
  write_head(out, {"ki_http_requests_total", "counter", "Requests answered."});
  for (const auto& route : series_) {
    for (std::size_t i = 0; i < route->by_class.size(); ++i) {
      const std::uint64_t count = route->by_class[i].load(std::memory_order_relaxed);
      if (count == 0) continue;
      out += fmt::format("ki_http_requests_total{{route=\"{}\",status=\"{}xx\"}} {}\n",
                         label_escaped(route->name), i, count);
    }
  }
}

void Metrics::write_times(std::string& out) const {
  constexpr std::string_view kName = "ki_http_request_seconds";
  constexpr double kMicros = 1e6;
  write_head(out, {kName, "histogram", "From a whole request to its last byte sent."});
  for (const auto& route : series_) {
    const std::string label = label_escaped(route->name);
    std::string lines;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < route->by_time.size(); ++i) {
      sum += route->by_time[i].load(std::memory_order_relaxed);
      const bool last = i == kBoundsSeconds.size();
      lines += fmt::format("{}_bucket{{route=\"{}\",le=\"{}\"}} {}\n", kName, label,
                           last ? "+Inf" : fmt::format("{}", kBoundsSeconds[i]), sum);
    }
    if (sum == 0) continue;
    const auto micros = static_cast<double>(route->micros.load(std::memory_order_relaxed));
    out += lines;
    out += fmt::format("{0}_sum{{route=\"{1}\"}} {2}\n{0}_count{{route=\"{1}\"}} {3}\n", kName,
                       label, micros / kMicros, sum);
  }
}

std::string Metrics::text() const {
  std::string out;
  write_requests(out);
  write_times(out);
  write_metric(out, {"ki_http_sent_bytes_total", "counter", "Bytes of answers, heads included."},
               static_cast<std::int64_t>(sent_bytes_.load(std::memory_order_relaxed)));
  const auto now = [&](Gauge gauge, const MetricName& metric) {
    const auto& value = gauges_[static_cast<std::size_t>(gauge)];
    write_metric(out, metric, value.load(std::memory_order_relaxed));
  };
  now(Gauge::connections, {"ki_http_connections", "gauge", "Connections open now."});
  now(Gauge::in_flight,
      {"ki_http_requests_in_flight", "gauge", "Requests whose answer is not sent yet."});
  now(Gauge::queued,
      {"ki_http_requests_queued", "gauge", "Of those the costly ones that wait for their turn."});
  write_head(out, {"ki_http_rejected_total", "counter", "Turned away by a limit."});
  for (const Rejected kind : {Rejected::connections, Rejected::rate, Rejected::costly}) {
    out += fmt::format("ki_http_rejected_total{{reason=\"{}\"}} {}\n", name_of(kind),
                       rejected_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed));
  }
  return out;
}

void write_metric(std::string& out, const MetricName& metric, std::int64_t value) {
  write_head(out, metric);
  out += fmt::format("{} {}\n", metric.name, value);
}

std::string label_escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace ki::http
