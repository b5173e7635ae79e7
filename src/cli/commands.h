// The commands as plain functions: parsed options in, exit code out. app.cc hangs them into the
// command table. Each prints to the context only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/io.h"
#include "query/model_winners.h"

namespace ki::cli {

struct SearchOptions {
  std::vector<std::string> words;  // joined with blanks
  std::string cohort;              // comparison key; "" = chosen by the resolver
  std::string manifest;            // resolve: a structured request, JSON or YAML; "" = use words
  std::int64_t limit = 20;         // rows of each group
  std::string cursor;              // where the last page ended; "" = the first page
};
struct TraceOptions {
  std::string file;  // CSV or JSON lines, - is standard input; "" = no trace
  std::string operation, hardware, dtype, pass, metric;
  std::int64_t limit = 20;  // shapes of a table; programs get all
};
int resolve_trace(const Context& context, const TraceOptions& options);

struct WinnersOptions {
  std::string operation;
  query::WinnersOptions map;
};
int winners(const Context& context, const WinnersOptions& options);

int search(const Context& context, const SearchOptions& options);
int resolve(const Context& context, const SearchOptions& options);

// resolve serving: `manifest` holds the request, limit and cursor are of groups
int resolve_serving(const Context& context, const SearchOptions& options);

struct ShowOptions {
  std::string entity;  // run, operation, implementation, project, record, serving-run
  std::string id;      // id, digest, slug or comparison key
  std::string workload;
  std::string cohort;
};
int show(const Context& context, const ShowOptions& options);

int compare(const Context& context, const std::vector<std::string>& runs);

struct PageOptions {
  std::int64_t limit = 50;  // 1 to 200
  std::string cursor;
};
inline constexpr std::int64_t kHistory = 5;
struct RecordsOptions {
  PageOptions page;
  std::int64_t history = kHistory;  // steps of each record in JSON
  std::string words, hardware;
  bool with_source = false;
  std::string trust;  // "" = any; verified, replicated: that or better
  bool without_baselines = false;
  std::string order = "published";  // of query::kRecordOrders
};
int records(const Context& context, const RecordsOptions& options);
// show record: one comparison group's, with all of its history
int show_record(const Context& context, const std::string& comparison_key);

struct RunsOptions {
  PageOptions page;
  std::string operation, hardware, source, status, trust, since;
};
int runs(const Context& context, const RunsOptions& options);

struct ServingRunsOptions {
  PageOptions page;
  std::string model, workload, hardware;
};
int serving_run(const Context& context, const std::string& id);
int serving_runs(const Context& context, const ServingRunsOptions& options);
int serving_configurations(const Context& context);
int serving_overview(const Context& context);

int hardware(const Context& context);

struct ModelOptions {
  std::string slug;  // "" = list them
  std::string gpu;   // the product to show; "" = the one with most runs
};
int models(const Context& context, const ModelOptions& options);

// One project, or one product.
struct HolderOptions {
  std::string slug;  // of a product its name, too
  PageOptions page;  // of the records it holds, or of those on it
};
int project(const Context& context, const HolderOptions& options);
int projects(const Context& context);
int product(const Context& context, const HolderOptions& options);

int sources(const Context& context);

struct ChangesOptions {
  std::string since;  // "" = the last 30 days
  std::string cursor;
};
int changes(const Context& context, const ChangesOptions& options);

struct ImportOptions {
  std::string source;  // registry, manifests, export, liger
  std::vector<std::string> files;
  bool publish = false;
  bool dry_run = false;
  std::string report;                  // a file for the JSON report; "" = none
  std::string mapping = "distinct";    // liger
  std::vector<std::string> protocols;  // liger: protocol manifests to bind
  std::string actor = "local";
};
int import(const Context& context, const ImportOptions& options);

struct PublishOptions {
  std::vector<std::string> files;  // evidence
  std::string actor = "local";
};
int publish_files(const Context& context, const PublishOptions& options);

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8080;
  int threads = 0;  // 0: one for each core
  int connections = 1024;
  double rate = 0;   // requests a second of one address; 0: no limit
  double burst = 0;  // of them at once; 0: two seconds' worth
  int costly = 16;
  int cache_mib = 96;  // of what is read of operations
  bool behind_proxy = false;
  std::string access_log;  // a file, "-" or ""
  std::string exports;     // folder of `ki export`; "" = none is offered
  bool routes = false;     // only list the routes of the API
};
int serve(const Context& context, const ServeOptions& options);

int verify(const Context& context);
int migrate(const Context& context);
int backup(const Context& context, const std::string& file);
int mcp(const Context& context, std::istream& in);
int snapshot(const Context& context, const std::string& file);
int export_catalog(const Context& context, const std::string& file);

struct KeyOptions {
  std::string name;  // create: of the key; revoke: its id or prefix
  std::vector<std::string> scopes = {"catalog:read"};
  std::string expires;  // ISO 8601; "" = never
  std::int64_t quota = 5000;
};
int key_create(const Context& context, const KeyOptions& options);
int key_list(const Context& context);
int key_revoke(const Context& context, const std::string& key);

struct CorrectOptions {
  std::string action;  // retract, restore, supersede; of a review: release, reject
  std::string run;
  std::string older_run;  // supersede: the run that `run` replaces
  std::string reason;
  std::string actor = "local";
};
int correct(const Context& context, const CorrectOptions& options);

struct AttestOptions {
  std::string run;
  std::string type;
  std::string note;
  std::string evidence_url;  // "" = none
  double observed_ns = 0;    // 0 = none
  std::string environment;   // "" = none
  std::string actor = "local";
};
int attest(const Context& context, const AttestOptions& options);

}  // namespace ki::cli
