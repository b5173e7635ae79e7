#include "api/metrics.h"

namespace ki::api {

void add_metrics(http::Router& router, const Serving& serving) {
  const auto answer = [serving](const http::Request&, const http::Captures&) -> http::Outcome {
    std::string text = serving.metrics->text();
    http::write_metric(text,
                       {"ki_answer_cache_hits_total", "counter", "Answers taken from memory."},
                       serving.cache->hits());
    http::write_metric(text, {"ki_answer_cache_misses_total", "counter", "Answers made anew."},
                       serving.cache->misses());
    http::write_metric(text, {"ki_answer_cache_bytes", "gauge", "Memory of kept answers."},
                       static_cast<std::int64_t>(serving.cache->bytes()));
    const auto version = serving.resolver->version();
    http::write_metric(text, {"ki_catalog_up", "gauge", "Whether the catalog can be read."},
                       version ? 1 : 0);
    if (version) {
      text += "# HELP ki_catalog_info State of the catalog.\n# TYPE ki_catalog_info gauge\n";
      text += "ki_catalog_info{version=\"" + http::label_escaped(*version) + "\"} 1\n";
    }
    return http::Response{.status = 200,
                          .content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = std::move(text)};
  };
  router.add({.method = http::Method::get, .pattern = "/metrics", .handler = answer});
}

}  // namespace ki::api
