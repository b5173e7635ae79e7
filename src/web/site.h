// The site: pages over the resolver, the API beside them, and the server that answers both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/routes.h"
#include "http/server.h"
#include "query/resolver.h"

namespace ki::web {

// Adds every page and the style sheet. The clock must outlive the router.
void add_pages(http::Router& router, const api::Serving& serving);

// What one worker serves from: a resolver of its own, whose clock stands at the state of the
// catalog while an answer that may be kept is built. Errors: those of Resolver::open.
Result<api::Serving> open_serving(const std::string& database, const Clock& clock,
                                  const std::shared_ptr<query::Shared>& index,
                                  const std::shared_ptr<api::AnswerCache>& cache);

// Pages, API and tools of one worker. Below /api/ (and for the documents at the root) a failure is
// a problem document, elsewhere a page.
http::Router make_router(const api::Serving& serving);

struct ServeOptions {
  std::string database;  // path of the catalog
  std::string exports;   // folder of exports that are offered; "" = none
  std::size_t cache_bytes_max = query::kSharedBytesMax;
  http::ServerOptions server = {.stop_on_signals = true};
  // Called once the port is open, with the address to visit ("http://127.0.0.1:8080").
  std::function<void(const std::string& address)> on_listening;
};

// Starts to serve. Each worker reads through a connection of its own; all share one index, and what
// keys use is counted once. `clock` must outlive the server. Errors: those of Resolver::open,
// Gate::open and Server::start.
Result<std::unique_ptr<http::Server>> start(const ServeOptions& options, const Clock& clock);

// Serves until SIGINT or SIGTERM. Errors: those of start().
Status serve(const ServeOptions& options);

}  // namespace ki::web
