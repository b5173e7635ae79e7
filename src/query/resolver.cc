#include "query/resolver.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/text.h"
#include "catalog/read_index.h"
#include "policy/names.h"
#include "policy/ranking.h"
#include "query/chooser.h"
#include "query/cursor.h"
#include "query/find_operation.h"
#include "query/list_names.h"
#include "query/listings.h"
#include "query/named.h"
#include "query/parse.h"
#include "query/parser.h"
#include "query/resolver_impl.h"
#include "query/tokens.h"
#include "query/unnamed.h"

namespace ki::query {

std::unexpected<Error> not_found(std::string_view code, std::string_view what,
                                 std::string_view name, const std::vector<std::string>& near) {
  std::string message = "no " + std::string(what) + " is called '" + excerpt(name) + "'";
  message += near_text(near);
  return fail(Code::not_found, std::move(message), std::string(code));
}

std::optional<std::size_t> find_named(const OperationIndex& index, std::string_view name) {
  auto at = index.by_slug(name);
  if (!at) at = index.by_id(name);
  if (!at) at = index.by_digest(name);
  return at;
}

std::vector<std::string> operations_near(const OperationIndex& index, std::string_view name) {
  constexpr std::size_t kNear = 4;
  if (utf16_length(name) > kQueryLengthMax) return {};
  Request request = parse_query(name);
  const Found found = query::find_operation(request, index);
  std::vector<std::string> near;
  if (found.operation) near.push_back(index.entries()[*found.operation].slug);
  std::string words(name);
  std::ranges::replace(words, '-', ' ');
  std::ranges::replace(words, '_', ' ');
  for (const Hit& hit : found.hits) {
    // One that a misspelt or a single word leads to is nothing that can be meant.
    const OperationEntry& entry = index.entries()[hit.operation];
    if (near.size() == kNear) break;
    if (std::ranges::find(near, entry.slug) != near.end()) continue;
    if (has_words(names_of(entry), words)) near.push_back(entry.slug);
  }
  if (near.empty()) {
    std::vector<std::string_view> slugs;
    for (const OperationEntry& entry : index.entries()) slugs.push_back(entry.slug);
    const std::string_view nearest_slug = nearest(ascii_lower(name), slugs);
    if (!nearest_slug.empty()) near.emplace_back(nearest_slug);
  }
  return near;
}

Result<std::size_t> operation_at(const OperationIndex& index, std::string_view name) {
  if (const auto at = find_named(index, name)) return *at;
  return not_found(kOperationNotFound, "operation", name, operations_near(index, name));
}

std::unexpected<Error> invalid(std::string message) {
  return fail(Code::invalid, std::move(message), std::string(kInvalidParameter));
}

Resolver::Resolver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Resolver::Resolver(Resolver&&) noexcept = default;
Resolver& Resolver::operator=(Resolver&&) noexcept = default;
Resolver::~Resolver() = default;

Result<Resolver> Resolver::open(const std::string& database, const Clock& clock,
                                std::shared_ptr<Shared> shared) {
  auto catalog = TRY(catalog::Catalog::open(database, clock, {.mode = db::Mode::read_only}));
  return Resolver(std::unique_ptr<Impl>(new Impl{.catalog = std::move(catalog),
                                                 .database = database,
                                                 .clock = clock,
                                                 .shared = std::move(shared),
                                                 .held_index = nullptr}));
}

Status Resolver::Impl::follow() {
  Status there = connection().check_place();
  if (there) return {};
  auto replacement = catalog::Catalog::open(database, clock, {.mode = db::Mode::read_only});
  if (!replacement) {
    // Readers who may not know where the catalog lies are told what happened to it all the same.
    return fail(Code::unavailable, std::move(there).error().message, std::string(kCatalogGone));
  }
  catalog = std::move(*replacement);
  held_index = nullptr;
  seen_version.reset();
  return {};
}

Result<Resolver::Impl::Steady> Resolver::Impl::steady() {
  if (steady_ == 0) {
    TRY(follow());
  }
  db::Snapshot state = TRY(connection().snapshot());
  return Steady(*this, std::move(state));
}

Result<Shared::Index> Resolver::Impl::index() {
  if (steady_ == 0) {
    TRY(follow());
  }
  const std::int64_t version = TRY(connection().data_version());
  if (held_index && seen_version == version) return held_index;
  const auto snapshot = TRY(connection().snapshot());
  const std::string name = TRY(catalog::read_catalog_version(connection()));
  held_index = shared->index(name);
  if (!held_index) {
    auto lines = TRY(catalog::read_operation_lines(connection()));
    std::vector<OperationEntry> entries;
    entries.reserve(lines.size());
    for (auto& line : lines) {
      entries.push_back({.id = std::move(line.id),
                         .slug = std::move(line.slug),
                         .name = line.name,
                         .display_name = policy::operation_display_name(line.name),
                         .family = std::string(policy::current_family(line.family)),
                         .semantic_digest = std::move(line.semantic_digest),
                         .aliases = std::move(line.aliases),
                         .tags = std::move(line.tags),
                         .runs = line.runs,
                         .reproducible = line.reproducible,
                         .cohorts = line.cohorts,
                         .last_observed_at = std::move(line.last_observed_at),
                         .equivalence = std::move(line.equivalence)});
    }
    auto languages = TRY(catalog::read_languages(connection()));
    std::string continued = shared->version();
    const bool known = TRY(catalog::knows_catalog_version(connection(), continued));
    if (!known) continued.clear();
    held_index = shared->offer(
        {.version = name, .continued = std::move(continued)},
        std::make_shared<const OperationIndex>(std::move(entries), std::move(languages)));
  }
  seen_version = version;
  held_name = name;
  return held_index;
}

namespace {

// The operation and those that are equivalent to it, itself first.
std::vector<const OperationEntry*> members_of(const OperationIndex& index, std::size_t operation) {
  std::vector<const OperationEntry*> out = {&index.entries()[operation]};
  for (const std::uint32_t member : index.group(operation)) {
    if (member != operation) out.push_back(&index.entries()[member]);
  }
  return out;
}

}  // namespace

Result<Shared::Snapshot> Resolver::Impl::snapshot(const Shared::Index& index, std::size_t operation,
                                                  const LoadOptions& options) {
  const OperationEntry& entry = index->entries()[operation];
  const auto has_all = [&](const Shared::Snapshot& held) {
    return held && held->has_origins >= options.origins;
  };
  if (auto held = shared->find(index, entry.id); has_all(held)) return held;
  const auto consistent = TRY(connection().snapshot());
  const auto members = members_of(*index, operation);
  if (auto earlier = shared->find_earlier(index, entry.id); has_all(earlier)) {
    const auto stamp = TRY(catalog::read_operations_stamp(connection(), ids_of(members)));
    if (stamp == earlier->stamp) {
      shared->keep(index, earlier);
      return earlier;
    }
  }
  auto loaded = TRY(load_snapshot(connection(), members, options));
  if (loaded) shared->keep(index, loaded);
  return loaded;
}

Result<Shared::Snapshot> Resolver::Impl::snapshot_of(std::string_view operation_id) {
  const auto current = TRY(index());
  const auto at = current->by_id(operation_id);
  if (!at) return Shared::Snapshot();
  return snapshot(current, *at);
}

Result<std::shared_ptr<const Measured>> Resolver::Impl::measured(const Shared::Index& index) {
  if (auto held = shared->measured(index)) return held;
  const auto consistent = TRY(connection().snapshot());
  auto loaded = TRY(load_measured(connection(), *index));
  shared->keep(index, loaded);
  return loaded;
}

namespace {

bool names_something(const Request& request) {
  return std::ranges::any_of(request.words,
                             [](const NameWord& word) { return !is_filler(word.text); });
}

void guide(Envelope& out, const Request& request, const OperationIndex& index) {
  const bool named = names_something(request);
  out.notes.push_back(named ? "No operation has that name"
                            : "Filters alone cannot find an operation; add its name or family");
  constexpr std::size_t kSuggestionsMax = 8;
  for (const auto& family : index.families()) {
    if (out.suggestions.size() < kSuggestionsMax) out.suggestions.push_back(family);
  }
}

// One of each group of equivalents.
std::vector<std::size_t> by_runs(const OperationIndex& index) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < index.entries().size(); ++i) {
    if (index.listed(i) == i) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(-index.runs_of_group(i), std::string_view(index.entries()[i].slug));
  });
  return order;
}

// Returns how many entries there are to page through.
std::int64_t browse(Envelope& out, const OperationIndex& index, const AnswerOptions& options) {
  out.mode = Mode::browse;
  const auto order = by_runs(index);
  std::vector<IndexEntry> entries;
  const auto first = std::min(static_cast<std::size_t>(options.offset), order.size());
  const auto last = std::min(first + static_cast<std::size_t>(options.limit), order.size());
  for (std::size_t i = first; i < last; ++i) entries.push_back(entry_of(index, order[i]));
  out.index = std::move(entries);
  return std::ssize(order);
}

// Others of the family with most runs, then further hits; one of each group of equivalents.
std::vector<Ref> related(const OperationIndex& index, std::size_t operation,
                         const std::vector<Hit>& hits) {
  constexpr std::size_t kRelatedMax = 6;
  std::vector<std::size_t> out;
  const auto add = [&](std::size_t other) {
    const std::size_t listed = index.listed(other);
    const bool seen =
        listed == index.listed(operation) || std::ranges::find(out, listed) != out.end();
    if (!seen && out.size() < kRelatedMax) out.push_back(listed);
  };
  for (const auto at : index.family_members(index.entries()[operation].family)) add(at);
  for (const Hit& hit : hits) add(hit.operation);
  std::vector<Ref> refs;
  for (const auto at : out) {
    refs.push_back({.name = index.entries()[at].display_name, .slug = index.entries()[at].slug});
  }
  return refs;
}

bool has_axis(const OperationSnapshot& snapshot, std::string_view name) {
  return std::ranges::any_of(snapshot.workloads, [&](const WorkloadInfo& workload) {
    return workload.axis(name).has_value() ||
           std::ranges::find(workload.suite_axes, name) != workload.suite_axes.end();
  });
}

// A word that may be an axis ("causal") is a facet only where some workload has that axis.
void drop_absent_words(Facets& facets, const OperationSnapshot& snapshot) {
  std::erase_if(facets.axes,
                [&](const AxisFacet& axis) { return axis.soft && !has_axis(snapshot, axis.name); });
}

// A filter that nothing knows is an axis of this operation with a value that is no size.
void name_axes(std::vector<QueryIssue>& issues, const OperationSnapshot& snapshot) {
  for (QueryIssue& issue : issues) {
    if (issue.code != "unknown_filter") continue;
    const std::string name = ascii_lower(issue.token.substr(0, issue.token.find_first_of(":=")));
    if (has_axis(snapshot, name)) issue = axis_issue(issue.token, name);
  }
}

// The same for a word that may be a pass ("backward"): where no run states one, it means nothing.
void settle_soft_pass(Request& request, const OperationSnapshot& snapshot) {
  auto& pass = request.facets.pass;
  if (!pass) return;
  const bool stated = std::ranges::any_of(
      snapshot.cohorts, [](const CohortInfo& cohort) { return cohort.setting->pass.has_value(); });
  std::optional<std::size_t> standing;
  for (std::size_t i = 0; i < request.readings.size(); ++i) {
    const Reading& reading = request.readings[i];
    // A word counts less than pass:, which is the one with a display here.
    if (reading.kind == "pass" && (pass->soft || !reading.display.empty())) standing = i;
  }
  for (std::size_t i = 0; i < request.readings.size(); ++i) {
    Reading& reading = request.readings[i];
    if (reading.kind != "pass" || !reading.display.empty()) continue;
    if (!stated) {
      reading.kind = "ignored";
      reading.meaning = "no run of this operation states a pass";
    } else if (i == standing) {
      reading.display = "pass " + std::string(policy::name_of(pass->pass));
    } else if (standing) {
      replace_reading(request, i, *standing);
    }
  }
  if (!stated && pass->soft) pass.reset();
}

constexpr std::int64_t kOffsetMax = std::int64_t{1} << 40;  // more rows than a catalog holds

// What a cursor of an answer is bound to. Its groups are paged side by side, so the position is how
// many rows of each came before; as long as the catalog stays the same, that names one row.
CursorScope scope_of(const Request& request, const SearchOptions& options, std::string version) {
  return {.list = {"search", request.text, options.cohort}, .version = std::move(version)};
}

Result<std::int64_t> offset_of(const SearchOptions& options, const CursorScope& scope) {
  if (options.cursor.empty()) return std::max<std::int64_t>(options.offset, 0);
  const Position position = TRY(decode_cursor(options.cursor, scope));
  const auto offset = leading_integer(position.key);
  if (offset && *offset >= 0 && *offset <= kOffsetMax) return *offset;
  return fail(Code::invalid, "the cursor is past every answer; start without it",
              std::string(kInvalidCursor));
}

void add_next_cursor(Envelope& out, const SearchOptions& options, const CursorScope& scope,
                     std::int64_t offset, std::int64_t listed) {
  const GroupCounts& totals = out.totals;
  std::int64_t longest = std::max(std::max(totals.exact, totals.compatible),
                                  std::max(totals.supported_unmeasured, totals.reported));
  longest = std::max({longest, totals.unmet, listed});
  const std::int64_t next = offset + options.limit;
  if (next >= longest) return;
  out.next_cursor = encode_cursor({.time = {}, .key = std::to_string(next)}, scope);
}

}  // namespace

Status Resolver::Impl::resolve_exact(Envelope& out, Request& request, const Shared::Index& index,
                                     std::size_t operation, const AnswerOptions& options,
                                     Instant now) {
  const auto names_origin = [](const TextFacet& facet) {
    return facet.text == Text::author || facet.text == Text::package;
  };
  const LoadOptions needed{.origins = std::ranges::any_of(request.facets.texts, names_origin)};
  const auto found = TRY(snapshot(index, operation, needed));
  if (!found) return fail(Code::unavailable, "the catalog is being changed; try again");
  drop_absent_words(request.facets, *found);
  settle_soft_pass(request, *found);
  name_axes(request.issues, *found);
  out.mode = Mode::exact;
  out.operation = found->ref;
  RowReader reader = this->reader(found);
  answer(out, request, reader.source(now), options);
  TRY(reader.status());
  out.excluded = excluded_of(*found, out.cohort ? out.cohort->comparison_key : "");
  if (found->operations.size() > 1) {
    std::vector<std::string> others;
    for (std::size_t i = 1; i < found->operations.size(); ++i) {
      others.push_back(found->operations[i].ref.slug);
    }
    out.notes.push_back("united with what computes the same: " + join(others, ", "));
  }
  return {};
}

namespace {

// The operations an answer is about that may have no run which satisfies the facets.
std::vector<std::size_t> lacking(const Envelope& out, const Found& found) {
  if (out.mode == Mode::exact && out.fitting_cohorts == 0) return {*found.operation};
  std::vector<std::size_t> operations;
  if (out.mode != Mode::chooser) return operations;
  for (const Hit& hit : found.hits) operations.push_back(hit.operation);
  return operations;
}

std::string offer_note(const Facets& facets, bool named, const MeasuredOperations& all,
                       const MeasuredOperations& offered, const Measured& measured) {
  const std::string label = facet_label(facets);
  if (all.empty()) {
    return "Nothing is measured with " + label + "; runs are on " + measured.hardware();
  }
  std::int64_t runs = 0;
  for (const MeasuredOperation& one : all) runs += one.runs;
  const std::string whole =
      label + " has " + counted(runs, "run") + " of " + counted(std::ssize(all), "operation");
  if (!named) return whole;
  if (offered.empty()) return "No related operation has runs with it either; " + whole;
  return "What is related and has runs with " + label + " is listed";
}

}  // namespace

Result<std::int64_t> Resolver::Impl::offer_measured(Envelope& out, const Request& request,
                                                    const Shared::Index& index, const Found& found,
                                                    const AnswerOptions& options) {
  if (!request.facets.has_hardware_or_dtype()) return 0;
  const bool named = out.mode != Mode::none;
  auto without = lacking(out, found);
  for (std::size_t& operation : without) operation = index->listed(operation);
  if (named ? without.empty() : names_something(request)) return 0;
  const auto groups = TRY(measured(index));
  const auto all = groups->under(request.facets, *index);
  // An operation that has such runs misses something else.
  const auto has_runs = [&](const MeasuredOperation& one) {
    return std::ranges::find(without, one.operation) != without.end();
  };
  if (std::ranges::any_of(*all, has_runs)) return 0;
  const auto offered = named ? siblings(request, without, *all, *index) : *all;
  out.notes.push_back(offer_note(request.facets, named, *all, offered, *groups));
  const auto first = named ? std::size_t{0} : static_cast<std::size_t>(options.offset);
  const auto last = std::min(offered.size(), first + static_cast<std::size_t>(options.limit));
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t operation = offered[i].operation;
    IndexEntry entry = entry_of(*index, operation);
    entry.query = narrowed_query(request, entry.slug);
    entry.match = TRY(groups->match_of(connection(), *index, request, operation));
    out.measured.push_back(std::move(entry));
  }
  return named ? 0 : std::ssize(offered);
}

Result<std::int64_t> Resolver::Impl::choose(Envelope& out, const Request& request,
                                            const Shared::Index& index, const Found& found,
                                            const AnswerOptions& options) {
  out.mode = Mode::chooser;
  std::shared_ptr<const MeasuredOperations> with_runs;
  if (request.facets.has_hardware_or_dtype()) {
    const auto groups = TRY(measured(index));
    with_runs = groups->under(request.facets, *index);
  }
  const auto hits = in_order(found.hits, *index, with_runs.get());
  const auto first = std::min(static_cast<std::size_t>(options.offset), hits.size());
  const auto count = std::min(static_cast<std::size_t>(options.limit), hits.size() - first);
  out.matches = TRY(chooser(connection(), *index, request, std::span(hits).subspan(first, count)));
  return std::ssize(hits);
}

Status Resolver::Impl::add_named(Envelope& out, const Request& request,
                                 const Shared::Index& index) {
  std::vector<std::string> words;
  for (const NameWord& word : request.words) {
    const bool left_over = request.readings[word.reading].kind == "ignored";
    if (is_filler(word.text) || (out.mode == Mode::exact && !left_over)) continue;
    words.push_back(word.text);
  }
  const auto how = out.mode == Mode::none ? catalog::Naming::part : catalog::Naming::whole;
  Named named = TRY(query::find_named(connection(), *index, words, how));
  if (out.mode == Mode::none) {
    // What a word was read as may have a page of its own ("pytorch").
    for (const Reading& reading : request.readings) {
      if (reading.kind != "framework" && reading.kind != "language") continue;
      const std::vector<std::string> word = {ascii_lower(reading.token)};
      Named called = TRY(query::find_named(connection(), *index, word, catalog::Naming::whole));
      std::ranges::move(called.things, std::back_inserter(named.things));
    }
  }
  out.named = std::move(named.things);
  for (const std::string& kind : named.more) {
    out.notes.push_back(kind + "s: " + std::to_string(kNamedMax) +
                        " of those that are called so are listed; a longer name finds others");
  }
  // Words that say nothing else may be the start of a product's name.
  std::vector<std::string> left_over;
  for (const NameWord& word : request.words) {
    const bool unused = request.readings[word.reading].kind == "ignored";
    if (!is_filler(word.text) && (unused || out.mode == Mode::none)) left_over.push_back(word.text);
  }
  const bool asked = out.mode == Mode::none && request.facets.hardware;
  if (!asked && left_over.empty()) return {};
  const auto groups = TRY(measured(index));
  auto hardware = named_hardware(asked ? &*request.facets.hardware : nullptr, left_over, *groups);
  std::ranges::move(hardware, std::back_inserter(out.named));
  return {};
}

Result<Envelope> Resolver::Impl::resolve(Request request, const SearchOptions& options) {
  if (options.limit < 1 || options.limit > kGroupRowsMax) {
    return invalid("limit is 1 to " + std::to_string(kGroupRowsMax));
  }
  const Steady state = TRY(steady());
  const auto current = TRY(index());
  const CursorScope scope = scope_of(request, options, held_name);
  const std::int64_t offset = TRY(offset_of(options, scope));
  Envelope out;
  out.policy_version = std::string(policy::kRankingV2);
  out.query = request.text;
  const Instant now = clock.now();
  AnswerOptions answer_options{.offset = offset,
                               .limit = options.limit,
                               .select = {.cohort = options.cohort, .workload = {}}};
  out.generated_at = to_iso(now);
  std::int64_t listed = 0;  // entries of the index, of a chooser or of what is measured
  if (request.tokens.empty()) {
    listed = browse(out, *current, answer_options);
  } else {
    Found found = find_operation(request, *current);
    if (!found.operation && !request.digest.empty()) {
      const auto owner = TRY(catalog::find_workload_owner(connection(), request.digest));
      if (owner) {
        found.operation = current->by_id(owner->operation_id);
        answer_options.select.workload = owner->workload_id;
      }
    }
    out.notes = std::move(found.notes);
    if (found.operation) {
      TRY(resolve_exact(out, request, current, *found.operation, answer_options, now));
      out.related = related(*current, *found.operation, found.hits);
    } else if (!found.hits.empty()) {
      listed = TRY(choose(out, request, current, found, answer_options));
    } else {
      out.mode = Mode::none;
      guide(out, request, *current);
    }
    const std::int64_t offered = TRY(offer_measured(out, request, current, found, answer_options));
    listed = std::max(listed, offered);
    TRY(add_named(out, request, current));
  }
  out.entries_total = listed;
  out.notes.insert(out.notes.end(), request.notes.begin(), request.notes.end());
  out.limit = options.limit;
  add_next_cursor(out, options, scope, offset, listed);
  out.interpretation = interpretation_of(request, out.operation ? out.operation->name : "");
  out.issues = std::move(request.issues);
  out.readings = std::move(request.readings);
  return out;
}

Result<Envelope> Resolver::search(std::string_view query, const SearchOptions& options) const {
  if (!is_utf8(query)) return invalid("the query is not valid UTF-8");
  if (utf16_length(query) > kQueryLengthMax) {
    return invalid("a query has at most " + std::to_string(kQueryLengthMax) + " characters");
  }
  return impl_->resolve(parse_query(query), options);
}

Result<Envelope> Resolver::resolve(const KernelRequest& request,
                                   const SearchOptions& options) const {
  if (const Issues faults = faults_of(request); !faults.empty()) {
    return invalid(to_error(faults).message);
  }
  return impl_->resolve(read_request(request), options);
}

Result<Envelopes> Resolver::resolve(const KernelRequests& requests,
                                    const SearchOptions& options) const {
  if (const Issues faults = faults_of(requests); !faults.empty()) {
    return invalid(to_error(faults).message);
  }
  const auto state = TRY(impl_->steady());
  Envelopes out;
  out.generated_at = to_iso(impl_->clock.now());
  for (const KernelRequest& request : requests.requests) {
    Envelope answer = TRY(impl_->resolve(read_request(request), options));
    out.results.push_back(std::move(answer));
  }
  return out;
}

Result<std::vector<IndexEntry>> Resolver::index() const {
  const auto current = TRY(impl_->index());
  std::vector<IndexEntry> out;
  for (const auto at : by_runs(*current)) out.push_back(entry_of(*current, at));
  return out;
}

Result<std::string> Resolver::version() const {
  TRY(impl_->index());
  return impl_->held_name;
}

Result<CatalogCounts> Resolver::counts() const {
  const auto state = TRY(impl_->steady());
  const auto index = TRY(impl_->index());
  const auto counts = TRY(catalog::read_counts(impl_->connection()));
  CatalogCounts out{.operations = std::ssize(index->entries()),
                    .workloads = counts.workloads,
                    .implementations = counts.implementations,
                    .runs = counts.runs,
                    .verified_runs = counts.verified_runs,
                    .pending_runs = counts.pending_runs};
  for (const OperationEntry& entry : index->entries()) {
    out.eligible_runs += entry.runs;
    out.reproducible_runs += entry.reproducible;
    out.cohorts += entry.cohorts;
  }
  return out;
}

}  // namespace ki::query
