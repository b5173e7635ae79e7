#include "query/answer.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "query/listings.h"
#include "query/nearest.h"
#include "query/requirements.h"
#include "query/resolver.h"

namespace ki::query {

namespace {

constexpr std::size_t kLanguagesMax = 16;  // whose fastest row is named

// One group while it is filled: it counts everything and keeps one page.
template <class T>
class Group {
 public:
  Group(std::vector<T>& rows, std::int64_t& total, const AnswerOptions& options)
      : rows_(rows), total_(total), options_(options) {}

  // Whether the next row is on the page; counts it either way.
  bool wants_next() {
    const std::int64_t at = total_++;
    return at >= options_.offset && at < options_.offset + options_.limit;
  }
  // Whether one of so many next rows is on the page.
  bool shows_any(std::int64_t next) const {
    return next > 0 && total_ < options_.offset + options_.limit && total_ + next > options_.offset;
  }
  // Counts rows that are not on the page.
  void skip(std::int64_t next) { total_ += next; }
  // Whether every further row comes after the page.
  bool is_past() const { return total_ >= options_.offset + options_.limit; }
  // The same for all of a range: calls `add_row` for those on the page.
  template <class AddRow>
  void take(const RunRange& runs, AddRow add_row) {
    const std::int64_t size = std::ssize(runs);
    const std::int64_t first = std::clamp<std::int64_t>(options_.offset - total_, 0, size);
    const std::int64_t end =
        std::clamp<std::int64_t>(options_.offset + options_.limit - total_, first, size);
    for (std::int64_t i = first; i < end; ++i) add_row(runs[static_cast<std::uint32_t>(i)]);
    total_ += size;
  }
  void add(T row) { rows_.push_back(std::move(row)); }

 private:
  std::vector<T>& rows_;
  std::int64_t& total_;
  const AnswerOptions& options_;
};

class Answer {
 public:
  Answer(Envelope& out, const Request& request, const RowSource& rows, const AnswerOptions& options)
      : out_(out),
        request_(request),
        facets_(request.facets),
        rows_(rows),
        snapshot_(rows.snapshot),
        options_(options),
        selection_(select(facets_, rows_, options.select)),
        left_out_(leave_out_policies()),
        baseline_(selection_.cohort
                      ? std::optional<Baseline>(std::in_place, facets_, snapshot_, ranked())
                      : std::nullopt),
        exact_(out.groups.exact, out.totals.exact, options),
        compatible_(out.groups.compatible, out.totals.compatible, options),
        unmeasured_(out.groups.supported_unmeasured, out.totals.supported_unmeasured, options),
        reported_(out.groups.reported, out.totals.reported, options),
        unmet_(out.unmet, out.totals.unmet, options) {}

  void fill() {
    describe_selection();
    if (selection_.cohort) add_primary(ranked());
    say_whole_group();  // before other groups are counted
    add_others();
    add_unmeasured();
    count_overflow();
    describe_facets();
    describe_unused();
    add_variants();
    const bool measured = selection_.cohort && (selection_.satisfied || left_out_);
    if (!measured) out_.nearest = nearest_cases(request_, rows_);
    out_.sources = snapshot_.sources;
    out_.pending_runs = snapshot_.pending_runs;
  }

 private:
  const CohortInfo& ranked() const { return snapshot_.cohorts[*selection_.cohort]; }

  void describe_selection() {
    out_.fitting_cohorts = std::ssize(selection_.fitting);
    if (selection_.workload) {
      const WorkloadInfo& workload = snapshot_.workloads[*selection_.workload];
      out_.workload = SelectedWorkload{.id = workload.id,
                                       .digest = workload.digest,
                                       .label = workload.label,
                                       .summary = workload.summary,
                                       .selected_because = selection_.because};
      out_.cohort_options =
          cohort_options(request_, rows_, *selection_.workload, selection_.fitting);
    }
    if (!selection_.cohort) return;
    out_.cohort = cohort_of(snapshot_, ranked());
    if (left_out_) {
      out_.notes.emplace_back(
          "This was measured, but no run of it satisfies the conditions on trust, licence, source, "
          "installation or versions");
    } else if (selection_.satisfied) {
      out_.verdict = rows_.verdict(ranked());
      if (!request_.issues.empty()) {
        out_.verdict = Verdict{
            .code = "none",
            .text = "no winner is claimed: " + request_.issues.front().token + " could not be read",
            .run_ids = {}};
      }
    } else if (!selection_.unknown_cohort.empty()) {
      out_.notes.push_back(
          "No comparison group of this operation, or more than one, has a key that "
          "starts with '" +
          excerpt(selection_.unknown_cohort) + "'; the group shown is another");
    } else {
      out_.notes.emplace_back(
          "Nothing measured satisfies this request; the rows below say what they miss");
    }
  }

  // Where only the conditions on how an answer may be used find nothing, the answer is about what
  // was measured all the same. Whether that is so.
  bool leave_out_policies() {
    if (selection_.satisfied || !facets_.requires_anything()) return false;
    Facets others = facets_;
    others.trust.reset();
    others.license.reset();
    others.source.reset();
    others.installable.reset();
    others.framework_version.reset();
    others.toolkit_version.reset();
    Selection measured = select(others, rows_, options_.select);
    if (!measured.satisfied || !measured.cohort) return false;
    measured.fitting.clear();  // what fails a requirement is not counted
    selection_ = std::move(measured);
    selection_.satisfied = false;
    selection_.because = "measured, but no run of it satisfies what is required";
    return true;
  }

  // Whether a row is kept; one that a requirement leaves out is counted by requirement and listed
  // as what `unmet_row` makes of it.
  template <class MakeRow>
  bool kept(const Offered& offer, MakeRow unmet_row) {
    const auto fields = failed_fields(facets_, offer);
    if (fields.empty()) return true;
    for (const std::string_view field : fields) ++hidden_[std::string(field)];
    if (unmet_.wants_next()) {
      unmet_.add({.row = unmet_row(), .failed = failed_requirements(facets_, offer)});
    }
    return false;
  }

  void add_primary(const CohortInfo& cohort) {
    const std::vector<RunInfo>& runs = rows_.runs(cohort).runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RunInfo& run = runs[i];
      const std::size_t at = cohort.runs.front() + i;
      auto missed = mismatches(facets_, snapshot_, run);
      const Offered offer = offered(snapshot_, run);
      if (missed.empty() && run.rank > 0) choose_best(at, run, offer);
      const auto row_of = [&] {
        return missed.empty() ? rows_.finished(at) : compatible(at, missed);
      };
      if (!kept(offer, row_of)) continue;
      if (!missed.empty()) {
        if (compatible_.wants_next()) compatible_.add(compatible(at, std::move(missed)));
      } else if (exact_.wants_next()) {
        Row row = rows_.finished(at);
        if (run.rank == 0) row.caveats.emplace_back("No primary measurement, so no rank");
        exact_.add(std::move(row));
      }
    }
  }

  void choose_best(std::size_t at, const RunInfo& run, const Offered& offer) {
    const ImplementationInfo& implementation = snapshot_.implementations[run.implementation];
    if (!out_.fastest) {
      out_.fastest = rows_.finished(at);
      out_.fastest_blocked_by = blocked_by(*out_.fastest, failed_requirements(facets_, offer));
    }
    if (!out_.best_deployable && implementation.deployable && meets_requirements(facets_, offer)) {
      out_.best_deployable = rows_.finished(at);
    }
    if (!out_.best_verified && run.level >= policy::EvidenceLevel::verified) {
      out_.best_verified = rows_.finished(at);
    }
    auto& languages = out_.fastest_by_language;
    const bool known = languages.size() == kLanguagesMax ||
                       std::ranges::find(languages, implementation.line.language, &Row::language) !=
                           languages.end();
    if (!known) languages.push_back(rows_.finished(at));
  }

  Row compatible(std::size_t at, std::vector<Mismatch> missed) const {
    Row row = rows_.finished(at);
    row.match = "compatible";
    row.differs = baseline_ ? baseline_->differs(rows_.run(at)) : missed;
    row.mismatches = std::move(missed);
    return row;
  }

  // Groups with fewest differences first, of as many the less material ones. Runs of the ranked
  // metric come before all others: values of two metrics never stand among each other.
  void add_others() {
    struct Other {
      bool other_metric = false;
      Distance distance{};
      const CohortInfo* cohort = nullptr;
    };
    std::vector<Other> others;
    for (std::size_t i = 0; i < snapshot_.cohorts.size(); ++i) {
      if (selection_.cohort == i) continue;
      const CohortInfo& cohort = snapshot_.cohorts[i];
      Other other{.cohort = &cohort};
      if (baseline_) {
        other.other_metric = cohort.metric != ranked().metric;
        other.distance = baseline_->distance(cohort);
      } else {
        other.distance = misses(facets_, snapshot_, cohort);
      }
      others.push_back(other);
    }
    const auto order = [](const Other& other) {
      return std::tuple(other.other_metric, other.distance.count, other.distance.weight,
                        !other.cohort->is_ranked(), other.cohort->order_value, other.cohort);
    };
    const auto later = [&](const Other& a, const Other& b) { return order(b) < order(a); };
    // Only what may be on the page is put in order; everything else is counted.
    auto reported_left = std::ranges::count_if(
        others, [&](const Other& other) { return is_ranked_workload(other.cohort->workload); });
    std::ranges::make_heap(others, later);
    while (!others.empty()) {
      const bool full = compatible_.is_past() && (reported_left == 0 || reported_.is_past()) &&
                        (!facets_.requires_anything() || unmet_.is_past());
      if (full) break;
      std::ranges::pop_heap(others, later);
      if (is_ranked_workload(others.back().cohort->workload)) --reported_left;
      add_other(*others.back().cohort);
      others.pop_back();
    }
    for (const Other& other : others) add_other(*other.cohort);
  }

  bool is_ranked_workload(std::size_t workload) const {
    return selection_.workload && workload == *selection_.workload;
  }

  void add_other(const CohortInfo& cohort) {
    Group<Row>& group = is_ranked_workload(cohort.workload) ? reported_ : compatible_;
    if (!facets_.requires_anything()) {
      group.take(cohort.runs, [&](std::size_t at) { group.add(other_row(at)); });
      return;
    }
    if (count_only(cohort, group)) return;
    const std::vector<RunInfo>& runs = rows_.runs(cohort).runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t at = cohort.runs.front() + i;
      const Offered offer = offered(snapshot_, runs[i]);
      if (!kept(offer, [&] { return other_row(at); })) continue;
      if (group.wants_next()) group.add(other_row(at));
    }
  }

  // Counts the runs of a cohort, where none of them is on a page; whether that was so.
  bool count_only(const CohortInfo& cohort, Group<Row>& group) {
    const auto tallies = rows_.read.tallies(snapshot_.position_of(cohort));
    std::int64_t left_out = 0;
    std::map<std::string_view, std::int64_t> failed;  // runs by the requirement they fail
    for (const Tally& tally : *tallies) {
      const auto fields = failed_fields(facets_, offered(snapshot_, cohort, tally));
      if (!fields.empty()) left_out += tally.runs;
      for (const std::string_view field : fields) failed[field] += tally.runs;
    }
    const std::int64_t kept = std::ssize(cohort.runs) - left_out;
    if (group.shows_any(kept) || unmet_.shows_any(left_out)) return false;
    group.skip(kept);
    unmet_.skip(left_out);
    for (const auto& [field, runs] : failed) hidden_[std::string(field)] += runs;
    return true;
  }

  // The row of a run outside the ranked group.
  Row other_row(std::size_t at) const {
    const RunInfo& run = rows_.run(at);
    if (is_ranked_workload(run.workload)) return reported(at);
    auto missed = mismatches(facets_, snapshot_, run);
    if (selection_.workload) {
      const WorkloadInfo& selected = snapshot_.workloads[*selection_.workload];
      for (auto& difference : differences(selected, snapshot_.workloads[run.workload])) {
        if (std::ranges::find(missed, difference.field, &Mismatch::field) == missed.end()) {
          missed.push_back(std::move(difference));
        }
      }
    }
    return compatible(at, std::move(missed));
  }

  Row reported(std::size_t at) const {
    Row row = rows_.finished(at);
    const RunInfo& run = rows_.run(at);
    row.mismatches = mismatches(facets_, snapshot_, run);
    row.match = row.mismatches.empty() ? "exact" : "compatible";
    row.differs = baseline_ ? baseline_->differs(run) : row.mismatches;
    row.caveats.emplace_back(
        "Measured under another protocol or environment: not comparable with the ranked group");
    return row;
  }

  // Those whose declaration covers the request first, then those it says nothing of, then those it
  // excludes, saying why.
  void add_unmeasured() {
    for (const std::string_view match : {"supported_unobserved", "unknown", "incompatible"}) {
      for (const Unmeasured& one : snapshot_.unmeasured) {
        SupportCoverage coverage = coverage_of(facets_, one.support, snapshot_.axes);
        const std::string_view found = coverage.match();
        if (found != match) continue;
        if (!kept(offered(one), [&] { return one.row; })) continue;
        if (!unmeasured_.wants_next()) continue;
        Row row = one.row;
        row.match = match;
        if (found == "incompatible") {
          row.caveats.emplace_back("Its declared support excludes this request");
        } else if (found == "unknown") {
          row.caveats.push_back("Its declaration does not say: " + join(coverage.unstated, ", "));
        }
        row.differs = row.mismatches = std::move(coverage.excluded);
        unmeasured_.add(std::move(row));
      }
    }
  }

  void count_overflow() {
    const auto cut = [](std::int64_t total, const auto& rows) { return total - std::ssize(rows); };
    out_.overflow = {.exact = cut(out_.totals.exact, out_.groups.exact),
                     .compatible = cut(out_.totals.compatible, out_.groups.compatible),
                     .supported_unmeasured =
                         cut(out_.totals.supported_unmeasured, out_.groups.supported_unmeasured),
                     .reported = cut(out_.totals.reported, out_.groups.reported),
                     .unmet = cut(out_.totals.unmet, out_.unmet)};
  }

  void say_whole_group();
  void describe_facets();
  void describe_unused();
  std::optional<std::string> axis_measured_at(std::string_view size) const;
  void add_named_cohort();
  void add_variants();
  void add_steering(const std::string& name, const std::string& requested);
  void add_filter(const std::string& name, const std::string& requested, bool applies);

  Envelope& out_;
  const Request& request_;
  const Facets& facets_;
  const RowSource& rows_;
  const OperationSnapshot& snapshot_;
  const AnswerOptions& options_;
  Selection selection_;
  bool left_out_;                     // measured, but no run satisfies the requirements
  std::optional<Baseline> baseline_;  // where a group is ranked
  Group<Row> exact_;
  Group<Row> compatible_;
  Group<Row> unmeasured_;
  Group<Row> reported_;
  Group<UnmetRow> unmet_;
  std::map<std::string, std::int64_t> hidden_;  // rows by the requirement they fail
};

// Ranks are those of the whole group, and so is what may be claimed.
void Answer::say_whole_group() {
  if (!out_.verdict || out_.verdict->run_ids.empty()) return;
  const auto all = std::ssize(snapshot_.cohorts[*selection_.cohort].runs);
  if (out_.totals.exact == all) return;
  out_.verdict->text += " (of all " + counted(all, "run") + " of the group, of which " +
                        std::to_string(out_.totals.exact) + " satisfy the request)";
}

void Answer::add_steering(const std::string& name, const std::string& requested) {
  std::int64_t missing = 0;
  if (selection_.cohort) {
    for (const RunInfo& run : rows_.runs(ranked()).runs) {
      const auto missed = mismatches(facets_, snapshot_, run);
      if (std::ranges::find(missed, name, &Mismatch::field) != missed.end()) ++missing;
    }
  }
  const bool met = selection_.cohort && missing == 0;
  const std::int64_t size =
      selection_.cohort ? std::ssize(snapshot_.cohorts[*selection_.cohort].runs) : 0;
  std::string text = met ? "every run of the ranked group satisfies it"
                         : std::to_string(missing) + " of " + counted(size, "run") +
                               " of the chosen group miss it and are listed as compatible";
  if (!selection_.cohort) text = "no measured group satisfies it";
  out_.facets.push_back({.name = name,
                         .requested = requested,
                         .state = met || missing < size ? "applied" : "refused",
                         .text = std::move(text)});
}

void Answer::add_filter(const std::string& name, const std::string& requested, bool applies) {
  const std::int64_t hidden = hidden_[name];
  if (applies && hidden > 0) {
    out_.notes.push_back(name + " " + requested + ": " + counted(hidden, "row") +
                         (hidden == 1 ? " does not satisfy it and is left out"
                                      : " do not satisfy it and are left out"));
  }
  out_.facets.push_back(
      {.name = name,
       .requested = requested,
       .state = "applied",
       .text = applies ? counted(hidden, "row") + (hidden == 1 ? " does" : " do") +
                             " not satisfy it and " + (hidden == 1 ? "is" : "are") + " excluded"
                       : "asks for nothing"});
}

void Answer::describe_facets() {
  const Facets& f = facets_;
  if (f.hardware) add_steering("hardware.gpu", f.hardware->requested);
  if (f.vendor) add_steering("hardware.vendor", *f.vendor);
  if (f.memory_gb) add_steering("hardware.memory", f.memory_gb->text() + " GB");
  if (f.device_count) add_steering("hardware.count", f.device_count->text());
  if (f.architecture) add_steering("hardware.architecture", f.architecture->requested);
  if (f.cuda) add_steering("environment.cudaToolkit", f.cuda->typed);
  for (const auto& dtype : f.dtypes) {
    add_steering("workload.dtype", dtype.requested);
    if (dtype.reading.kind != policy::DtypeKind::compute) continue;
    out_.notes.push_back("records state how numbers are stored (fp32), not whether " +
                         dtype.requested + " computed with them");
  }
  if (f.pass) add_steering("protocol.pass", std::string(policy::name_of(f.pass->pass)));
  if (f.metric) add_steering("metric", *f.metric);
  for (const TextFacet& one : f.texts) {
    add_steering(std::string(name_of(one.text)), one.major ? one.major->text() : one.requested);
  }
  if (f.layout) add_steering("workload.layout", *f.layout);
  if (f.framework) add_steering("framework", *f.framework);
  if (f.language) add_steering("language", *f.language);
  if (f.shape) add_steering("workload.shape", shape_text(*f.shape));
  for (const auto& axis : f.axes) add_steering("axes." + axis.name, axis.size.text());
  if (!f.cohort.empty()) add_named_cohort();
  if (f.quantization) {
    out_.facets.push_back(
        {.name = "quantization",
         .requested = *f.quantization,
         .state = "refused",
         .text = "records state no quantisation scheme, so it cannot be filtered"});
  }
  if (f.trust) add_filter("trust", std::string(policy::name_of(*f.trust)), true);
  if (f.license) add_filter("license", f.license->requested, true);
  if (f.source) add_filter("source", *f.source ? "true" : "false", *f.source);
  if (f.installable) add_filter("installable", *f.installable ? "true" : "false", *f.installable);
  if (f.framework_version) add_filter("frameworkVersion", f.framework_version->requested, true);
  if (f.toolkit_version) add_filter("toolkitVersion", f.toolkit_version->requested, true);
}

// Axes that no case of the operation has, and numbers that name none.
void Answer::describe_unused() {
  const auto is_number = [](const Reading& reading) {
    return reading.kind == "ignored" &&
           reading.token.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!std::ranges::any_of(request_.readings, is_number) &&
      std::ranges::all_of(facets_.axes, &AxisFacet::soft)) {
    return;
  }
  std::vector<std::string_view> known;
  for (const WorkloadInfo& workload : snapshot_.workloads) {
    for (const auto& [name, value] : workload.axes) {
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    }
    for (const std::string& name : workload.suite_axes) {
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    }
  }
  if (known.empty()) return;
  std::ranges::sort(known);
  const std::vector<std::string> names(known.begin(), known.end());
  for (const AxisFacet& axis : facets_.axes) {
    if (axis.soft || std::ranges::find(known, axis.name) != known.end()) continue;
    const std::string near(nearest(axis.name, known));
    out_.notes.push_back("no case of this operation has an axis '" + excerpt(axis.name) + "'" +
                         (near.empty() ? "" : "; did you mean " + near + "?") +
                         " (axes: " + join(names, ", ") + ")");
  }
  for (const Reading& reading : request_.readings) {
    if (!is_number(reading)) continue;
    out_.notes.push_back(reading.token + " names no axis, so it is not used; write for example " +
                         axis_measured_at(reading.token).value_or(names.front()) + "=" +
                         reading.token);
  }
}

// An axis of which a case has this size; nullopt when none has.
std::optional<std::string> Answer::axis_measured_at(std::string_view size) const {
  for (const WorkloadInfo& workload : snapshot_.workloads) {
    for (const auto& [name, value] : workload.axes) {
      if (std::to_string(value) == size) return std::string(name);
    }
  }
  return std::nullopt;
}

void Answer::add_named_cohort() {
  const bool found = find_cohort(snapshot_, facets_.cohort).has_value();
  out_.facets.push_back({.name = "cohort",
                         .requested = facets_.cohort,
                         .state = found ? "applied" : "refused",
                         .text = found ? "names the ranked group"
                                       : "no comparison group of this operation, or more than one, "
                                         "has a key that starts so"});
}

// An ambiguous name never gets one ranking over its products: each measured product is its own
// group, and those nobody measured are named too.
void Answer::add_variants() {
  if (!facets_.hardware || !facets_.hardware->gpu || !facets_.hardware->gpu->ambiguous()) return;
  std::map<std::string_view, Variant> measured;
  for (const CohortInfo& cohort : snapshot_.cohorts) {
    if (!satisfies(*facets_.hardware, cohort.setting->gpu, cohort.setting->hardware_model))
      continue;
    Variant& variant = measured[cohort.setting->hardware_model];
    variant.label = cohort.setting->hardware_model;
    variant.architecture = cohort.setting->architecture;
    variant.runs += std::ssize(cohort.runs);
    // What is shown beside a product answers the question, or nothing does.
    if (!variant.cohort_key && cohort_satisfies(facets_, snapshot_, cohort)) {
      variant.head = rows_.head(cohort);
      variant.cohort_key = std::string(cohort.comparison_key);
    }
  }
  for (auto& [model, variant] : measured) out_.variants.push_back(std::move(variant));
  for (const policy::Gpu* gpu : facets_.hardware->gpu->variants) {
    std::string product(gpu->product);
    if (measured.contains(product)) continue;
    out_.variants.push_back({.label = std::move(product),
                             .architecture = std::string(gpu->architecture),
                             .runs = 0,
                             .head = {},
                             .cohort_key = {},
                             .query = {}});
  }
  std::string kept;
  for (const Reading& reading : request_.readings) {
    if (reading.kind == "gpu") kept = reading.query_without;
  }
  for (Variant& variant : out_.variants) {
    variant.query = kept + (kept.empty() ? "" : " ") + "gpu:\"" + variant.label + "\"";
  }
  const std::string name = "'" + facets_.hardware->requested + "' names several products; ";
  if (measured.empty()) {
    out_.notes.push_back(name + "none of them has a run here");
  } else if (measured.size() == 1) {
    out_.notes.push_back(name + "only " + out_.variants.front().label + " has runs here");
  } else {
    out_.notes.push_back(name + "they are listed apart and never ranked together");
  }
}

}  // namespace

void answer(Envelope& into, const Request& request, const RowSource& rows,
            const AnswerOptions& options) {
  Answer(into, request, rows, options).fill();
}

}  // namespace ki::query
