#include "http/metrics.h"

#include <gtest/gtest.h>

namespace ki::http {
namespace {

using std::chrono::microseconds;

TEST(Metrics, CountByRouteAndClassOfStatus) {
  Metrics metrics;
  metrics.begin({"none", "search", "search", "/runs/{run}"});
  metrics.count({.route = 1, .status = 200}, microseconds(90), 100);
  metrics.count({.route = 2, .status = 304}, microseconds(300), 50);
  metrics.count({.route = 1, .status = 200}, microseconds(20'000'000), 1);
  metrics.count({.route = 0, .status = 404}, microseconds(10), 9);
  metrics.reject(Rejected::rate);
  const Counted connection(&metrics, Gauge::connections);
  const Counted waits(&metrics, Gauge::queued);
  {
    const Counted gone(&metrics, Gauge::connections);
  }
  {
    const Counted nowhere(nullptr, Gauge::in_flight);
  }
  const std::string text = metrics.text();
  for (const std::string_view line : {
           "ki_http_requests_total{route=\"search\",status=\"2xx\"} 2\n",
           "ki_http_requests_total{route=\"search\",status=\"3xx\"} 1\n",
           "ki_http_requests_total{route=\"none\",status=\"4xx\"} 1\n",
           "ki_http_request_seconds_bucket{route=\"search\",le=\"0.0001\"} 1\n",
           "ki_http_request_seconds_bucket{route=\"search\",le=\"0.0005\"} 2\n",
           "ki_http_request_seconds_bucket{route=\"search\",le=\"10\"} 2\n",
           "ki_http_request_seconds_bucket{route=\"search\",le=\"+Inf\"} 3\n",
           "ki_http_request_seconds_sum{route=\"search\"} 20.00039\n",
           "ki_http_request_seconds_count{route=\"search\"} 3\n",
           "ki_http_sent_bytes_total 160\n",
           "ki_http_connections 1\n",
           "ki_http_requests_in_flight 0\n",
           "ki_http_requests_queued 1\n",
           "ki_http_rejected_total{reason=\"rate\"} 1\n",
           "ki_http_rejected_total{reason=\"costly\"} 0\n",
           "# TYPE ki_http_request_seconds histogram\n",
       }) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find("/runs"), std::string::npos) << "nobody asked it";
}

TEST(Metrics, LabelsAreEscaped) { EXPECT_EQ(label_escaped("a\"\\\n"), "a\\\"\\\\\\n"); }

}  // namespace
}  // namespace ki::http
