// The one resolver behind pages, API, CLI and agents: every question about the catalog that a
// person or program can ask is a function here and returns a read model.
//
// A Resolver reads through its own connection and belongs to one thread. Resolvers opened with the
// same Shared use one immutable index and one cache of operations, which are replaced when the
// catalog changes; no lock is held while reading.
//
// Errors carry the code name of the problem document in Error::where: OPERATION_NOT_FOUND,
// IMPLEMENTATION_NOT_FOUND, RUN_NOT_FOUND, MODEL_NOT_FOUND, PROJECT_NOT_FOUND,
// RECORD_NOT_FOUND, HARDWARE_NOT_FOUND, SAMPLES_NOT_FOUND, SERVING_RUN_NOT_FOUND (Code::not_found),
// INVALID_CURSOR, INVALID_PARAMETER (Code::invalid). Code::unavailable is storage; CATALOG_GONE:
// its file was deleted, or replaced by what is no catalog. One that is a catalog is turned to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "query/filters.h"
#include "query/model_request.h"
#include "query/models.h"

namespace ki::query {

inline constexpr std::size_t kQueryLengthMax = 500;  // UTF-16 units, as JSON counts characters
inline constexpr std::int64_t kGroupRowsMax = 200;   // largest `limit` of an answer's groups
inline constexpr std::int64_t kGroupRows = 20;       // rows of one group when nothing is said
inline constexpr std::int64_t kPageRowsMax = 200;    // largest `limit` of a listing
inline constexpr std::size_t kCompareRunsMax = 8;

struct SearchOptions {
  std::string cohort{};             // comparison key to rank; "" = choose
  std::string cursor{};             // nextCursor of the page before, of the same query and cohort
  std::int64_t offset = 0;          // rows of each group to skip; with a cursor, that decides
  std::int64_t limit = kGroupRows;  // rows of each group, 1 to kGroupRowsMax
};

struct OperationOptions {
  std::string workload{};  // id or digest; "" = the one with most evidence
  std::string cohort{};    // comparison key; "" = choose
};

class Shared;
// What resolvers of one process may keep of operations, about. An operation that alone takes more
// is kept as long as no other is asked for.
inline constexpr std::size_t kSharedBytesMax = std::size_t{96} << 20;
std::shared_ptr<Shared> make_shared_index(std::size_t bytes_max = kSharedBytesMax);

class Resolver {
 public:
  // Opens the catalog `database` (a path) for reading.
  static Result<Resolver> open(const std::string& database, const Clock& clock,
                               std::shared_ptr<Shared> shared = make_shared_index());
  Resolver(Resolver&&) noexcept;
  Resolver& operator=(Resolver&&) noexcept;
  ~Resolver();

  // A query in the grammar of docs/method/search.md; also a bare "sha256:..." of an operation or a
  // workload. A text over kQueryLengthMax is Code::invalid.
  Result<Envelope> search(std::string_view query, const SearchOptions& options = {}) const;
  // A request outside of the limits (faults_of) is Code::invalid. Several are answered in order and
  // from one state of the catalog.
  Result<Envelope> resolve(const KernelRequest& request, const SearchOptions& options = {}) const;
  Result<Envelopes> resolve(const KernelRequests& requests,
                            const SearchOptions& options = {}) const;

  // By id or "sha256:...", or the start of one that no other run shares; evidence that still waits
  // for an object is found by its digest.
  Result<RunDossier> run(std::string_view name) const;
  // Of a run named so; SAMPLES_NOT_FOUND when the catalog does not hold their values.
  Result<SamplesReport> samples(std::string_view name) const;
  // By slug, id or digest.
  Result<OperationDossier> operation(std::string_view name,
                                     const OperationOptions& options = {}) const;
  Result<ImplementationDossier> implementation(std::string_view name,
                                               bool include_source = false) const;

  // Every exact question about an operation (by slug, id or digest) that has an answer, and the
  // answer: what resolve() says to a request with these axes, dtype, hardware and pass.
  Result<ExactAnswers> cases(std::string_view operation) const;
  // Who leads where, over one or two axes of an operation (by slug, id or digest).
  Result<WinnerMap> winners(std::string_view operation, const WinnersOptions& options) const;
  // An answer for each shape of a trace, and totals where all of it can be compared. A request
  // outside of the limits (faults_of) is Code::invalid.
  Result<TraceAnswer> trace(const TraceRequest& request, const TraceOptions& options = {}) const;

  // Two to kCompareRunsMax runs by id or digest. Unknown ones are listed, not an error.
  Result<Comparison> compare(std::span<const std::string> runs) const;

  Result<RecordsPage> records(const RecordsFilter& filter = {}) const;
  // By comparison key, with all of its history.
  Result<Holder> record(std::string_view comparison_key) const;
  Result<RunsPage> runs(const RunsFilter& filter = {}) const;
  Result<OperationsList> operations(const OperationsFilter& filter = {}) const;
  // What was measured on, with counts; what models, projects and sources there are.
  Result<HardwareList> hardware_list() const;
  Result<ModelsList> models() const;
  // By the name behind "model:". `gpu`: the product to show; "" = the one with most runs.
  Result<ModelDossier> model(std::string_view name, const std::string& gpu = {}) const;
  // By slug; a page of the records it holds.
  Result<ProjectDossier> project(std::string_view slug, const RecordsOptions& records = {}) const;
  // By slug or name; a page of the records on it.
  Result<HardwareDossier> product(std::string_view name, const RecordsOptions& records = {}) const;
  Result<ProjectsList> projects(ProjectOrder order = ProjectOrder::runs) const;
  Result<SourcesList> sources() const;
  // Without `kind`, `indexed`, `breadth` and `hardware`, which take a look at every run.
  Result<SourcesList> sources_in_brief() const;
  Result<CoverageReport> coverage() const;
  // Who signed runs here, and whom this catalog believes.
  Result<RunnersList> runners() const;
  Result<Feed> feed(const FeedOptions& options = {}) const;
  // Every operation, one entry a group of equivalents, most runs first.
  Result<std::vector<IndexEntry>> index() const;
  Result<CatalogCounts> counts() const;

  // Results of serving. A request outside of the limits (faults_of) is Code::invalid, and so is one
  // that more than kServingRunsMax runs match. `page.limit` counts groups.
  Result<ServingAnswer> resolve_serving(const ServingRequest& request,
                                        const PageOptions& page = {}) const;
  // By id or "sha256:...", or the start of one that no other serving run shares;
  // SERVING_RUN_NOT_FOUND.
  Result<ServingRunDossier> serving_run(std::string_view name) const;
  Result<ServingRunsPage> serving_runs(const ServingRunsFilter& filter = {}) const;
  // By stack name; those after the configuration of the id `after`, "" = from the start.
  Result<std::vector<ServingConfigurationItem>> serving_configurations(
      const std::string& after = {}, std::int64_t limit = kConfigurationsMax) const;
  // Each model under each load: how much was measured, and the best.
  Result<ServingOverview> serving_overview() const;

  // Names the state of the catalog: two answers under one version are the same but for the time.
  Result<std::string> version() const;

 private:
  struct Impl;
  Result<RunsPage> pending_runs(const RunsFilter& filter) const;
  explicit Resolver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ki::query
