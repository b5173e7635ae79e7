// The insides of Resolver, shared by the files that implement it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/read_listing.h"
#include "query/answer.h"
#include "query/codes.h"
#include "query/cursor.h"
#include "query/find_operation.h"
#include "query/request.h"
#include "query/resolver.h"
#include "query/rows.h"
#include "query/shared.h"

namespace ki::query {

// How one operation is read while it is answered about, in the state of the catalog that its
// snapshot shows: the caller holds that state. What cannot be read is empty, and status() says why:
// it is asked before the answer is given.
class RowReader final : public RunSource {
 public:
  RowReader(db::Connection& connection, Shared& shared, Shared::Snapshot snapshot)
      : connection_(connection), shared_(shared), snapshot_(std::move(snapshot)) {}
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  ~RowReader() override;

  // Used as long as the reader lives.
  RowSource source(Instant now) { return {.snapshot = *snapshot_, .read = *this, .now = now}; }
  Status status() { return std::move(status_); }

  std::shared_ptr<const ShownRow> row(std::size_t run) override;
  const RankedRuns& runs(std::size_t cohort) override;
  std::shared_ptr<const Tallies> tallies(std::size_t cohort) override;
  std::shared_ptr<const Head> head(std::size_t cohort) override;
  // Of every implementation. Goes through all runs of the operation once, one cohort at a time.
  std::shared_ptr<const Achievements> achievements();

 private:
  // What was read, unless it failed; the first failure is kept.
  template <class T>
  std::optional<T> taken(Result<T> read);
  const RankedRuns& used(std::size_t cohort);
  std::optional<catalog::ShownLine> shown(std::string_view run_id);
  static std::size_t first_of(const CohortInfo& cohort, const std::vector<catalog::BestLine>& best);

  db::Connection& connection_;
  Shared& shared_;
  Shared::Snapshot snapshot_;
  std::unordered_map<std::size_t, std::shared_ptr<const RankedRuns>> used_;
  const RankedRuns* last_ = nullptr;  // of used_
  std::size_t last_cohort_ = 0;
  Status status_;
  bool has_read_ = false;
};

struct Resolver::Impl {
  catalog::Catalog catalog;
  std::string database;
  const Clock& clock;
  std::shared_ptr<Shared> shared;
  Shared::Index held_index;
  std::optional<std::int64_t> seen_version{};  // of the connection, when held_index was current
  std::string held_name{};                     // of the catalog state that held_index shows

  db::Connection& connection() const { return catalog.connection(); }

  // One state of the catalog, in which a question is answered from its first read to its last. They
  // nest.
  class Steady {
   public:
    Steady(Impl& impl, db::Snapshot state) : impl_(&impl), state_(std::move(state)) {
      ++impl.steady_;
    }
    Steady(Steady&& other) noexcept
        : impl_(std::exchange(other.impl_, nullptr)), state_(std::move(other.state_)) {}
    Steady& operator=(Steady&&) = delete;
    ~Steady() {
      if (impl_ != nullptr) --impl_->steady_;
    }

   private:
    Impl* impl_;
    db::Snapshot state_;
  };
  Result<Steady> steady();
  int steady_ = 0;  // how many there are

  // Turns to the catalog that is at the place of the one that was opened, when that was replaced
  // while it was open. Code::unavailable with the code name kCatalogGone where there is none.
  Status follow();
  // The index of the catalog as it is now.
  Result<Shared::Index> index();
  // An operation of that index, as its cohorts. nullptr: it has just vanished.
  Result<Shared::Snapshot> snapshot(const Shared::Index& index, std::size_t operation,
                                    const LoadOptions& options = {});
  // The operation of that id, read if need be; for runs and implementations.
  Result<Shared::Snapshot> snapshot_of(std::string_view operation_id);

  RowReader reader(Shared::Snapshot snapshot) const {
    return {connection(), *shared, std::move(snapshot)};
  }

  // What is measured in the catalog of that index.
  Result<std::shared_ptr<const Measured>> measured(const Shared::Index& index);
  // The record of that line with its history; nullopt when its run has just gone.
  // With at most `history` steps.
  Result<std::optional<Holder>> holder(const catalog::HolderListing& line, Instant now,
                                       std::int64_t history);

  Result<Envelope> resolve(Request request, const SearchOptions& options);
  Status resolve_exact(Envelope& out, Request& request, const Shared::Index& index,
                       std::size_t operation, const AnswerOptions& options, Instant now);
  // A page of the operations that a query may mean; how many there are.
  Result<std::int64_t> choose(Envelope& out, const Request& request, const Shared::Index& index,
                              const Found& found, const AnswerOptions& options);
  // What the words name besides operations: of an exact answer those it leaves over.
  Status add_named(Envelope& out, const Request& request, const Shared::Index& index);
  // Where nothing found satisfies the hardware, CUDA and dtype facets: what else does. How many
  // entries there are to page through, 0 when they are only an addition.
  Result<std::int64_t> offer_measured(Envelope& out, const Request& request,
                                      const Shared::Index& index, const Found& found,
                                      const AnswerOptions& options);
};

// An error with the code name of its problem document.
// `near`: what may have been meant instead, put into the message.
std::unexpected<Error> not_found(std::string_view code, std::string_view what,
                                 std::string_view name, const std::vector<std::string>& near = {});
// The operation of this slug, id or digest, and what a search for `name` would find.
std::optional<std::size_t> find_named(const OperationIndex& index, std::string_view name);
std::vector<std::string> operations_near(const OperationIndex& index, std::string_view name);
// find_named, or OPERATION_NOT_FOUND with what is near.
Result<std::size_t> operation_at(const OperationIndex& index, std::string_view name);

std::unexpected<Error> invalid(std::string message);

// Whether a listing may have that many rows.
Status check_limit(std::int64_t limit);
// Where a page of records goes on; an empty cursor is the start.
Result<catalog::HolderPosition> holder_position_of(std::string_view cursor,
                                                   const CursorScope& scope);
std::string cursor_after(const catalog::HolderListing& line, const CursorScope& scope);

}  // namespace ki::query
