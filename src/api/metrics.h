// GET /metrics, for Prometheus.
#pragma once

#include "api/routes.h"

namespace ki::api {

// Adds the route: what the server counts, the cache of answers, the version of the catalog.
// Requires serving.metrics.
void add_metrics(http::Router& router, const Serving& serving);

}  // namespace ki::api
