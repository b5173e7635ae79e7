#include "query/chooser.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "base/text.h"
#include "catalog/read_index.h"
#include "catalog/read_operation.h"
#include "policy/facts.h"
#include "policy/metrics.h"
#include "query/select.h"
#include "query/stored.h"

namespace ki::query {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(at, end - at);
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  return digits;
}

template <class Line>
bool matches(const Facets& facets, const Line& line, const std::vector<std::string>& dtypes) {
  const std::string& model = line.hardware_model;
  return satisfies(facets,
                   {.hardware_model = model,
                    .gpu = policy::find_gpu(model, line.hardware_form_factor),
                    .architecture = policy::architecture_of(model, line.hardware_architecture),
                    .cuda_major = line.cuda_major,
                    .dtypes = dtypes});
}

void count(EntryMatch& into, const catalog::FacetLine& line) {
  ++into.matching;
  if (line.source_available) ++into.with_source;
  const auto metric = policy::find_metric(line.metric, line.unit);
  if (!line.value || !metric) return;
  if (into.best && into.best->unit != line.unit) return;  // values that cannot be compared
  if (into.best && !policy::better(metric->direction, *line.value, into.best->value)) return;
  into.best = BestValue{.value = *line.value, .unit = line.unit};
}

// The dtypes of the workload of a line, or what stands in for them, which is the same for
// equivalent operations.
class Dtypes {
 public:
  Dtypes(db::Connection& connection, const Request& request, const std::string& operation_id)
      : connection_(connection),
        wanted_(!request.facets.dtypes.empty()),
        operation_id_(operation_id) {}

  Result<std::vector<std::string>> of(const std::string& stored) {
    std::vector<std::string> dtypes = TRY(parse_list(stored, "dtypes of a workload"));
    if (!dtypes.empty() || !wanted_) return dtypes;
    if (!stand_in_) stand_in_ = TRY(operation_dtypes(connection_, operation_id_));
    return *stand_in_;
  }

 private:
  db::Connection& connection_;
  bool wanted_;
  const std::string& operation_id_;
  std::optional<std::vector<std::string>> stand_in_;
};

void count(EntryMatch& into, const catalog::CohortFacts& group) {
  into.matching += group.runs;
  into.with_source += group.sourced;
  if (!group.best_value) return;
  const auto metric = policy::find_metric(group.metric, group.unit);
  if (!metric) return;
  if (into.best && !policy::better(metric->direction, *group.best_value, into.best->value)) return;
  into.best = BestValue{.value = *group.best_value, .unit = group.unit};
}

// Run by run: where groups of several metrics match, the first run says which is meant.
Result<EntryMatch> match_by_runs(db::Connection& connection, const Request& request,
                                 const std::vector<std::string>& operation_ids) {
  EntryMatch out;
  Dtypes dtypes(connection, request, operation_ids.front());
  for (const std::string& id : operation_ids) {
    const auto lines = TRY(catalog::read_facet_lines(connection, id));
    for (const auto& line : lines) {
      const auto of_line = TRY(dtypes.of(line.dtypes));
      if (matches(request.facets, line, of_line)) count(out, line);
    }
  }
  return out;
}

Result<std::vector<catalog::CohortFacts>> groups_of(db::Connection& connection,
                                                    const std::vector<std::string>& operation_ids) {
  std::vector<catalog::CohortFacts> out;
  for (const std::string& id : operation_ids) {
    auto groups = TRY(catalog::read_cohort_facts(connection, id));
    std::ranges::move(groups, std::back_inserter(out));
  }
  return out;
}

}  // namespace

std::string facet_label(const Facets& facets) {
  std::vector<std::string> parts;
  if (facets.hardware) parts.push_back(facets.hardware->requested);
  if (facets.vendor) parts.push_back(*facets.vendor);
  if (facets.memory_gb) parts.push_back(facets.memory_gb->text() + " GB");
  if (facets.architecture) parts.push_back(facets.architecture->requested);
  if (facets.cuda) parts.push_back("CUDA " + facets.cuda->major.text());
  for (const auto& dtype : facets.dtypes) parts.push_back(dtype.requested);
  return join(parts, " · ");
}

Result<std::vector<std::string>> operation_dtypes(db::Connection& connection,
                                                  const std::string& operation_id) {
  const auto manifest = TRY(catalog::read_operation_manifest(connection, operation_id));
  if (!manifest) return std::vector<std::string>();
  const json::Document document = TRY(parse_stored(*manifest, operation_id));
  const json::Value* spec = document.root.find("spec");
  if (spec == nullptr) return std::vector<std::string>();
  return policy::derive_operation_facts(*spec).dtypes;
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto left = digits_at(a, i);
      const auto right = digits_at(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      while (i < a.size() && is_digit(a[i])) ++i;
      while (j < b.size() && is_digit(b[j])) ++j;
      continue;
    }
    const std::string left = ascii_lower(a.substr(i++, 1));
    const std::string right = ascii_lower(b.substr(j++, 1));
    if (left != right) return left < right;
  }
  return a.size() - i < b.size() - j;
}

IndexEntry entry_of(const OperationIndex& index, std::size_t at) {
  const OperationEntry& operation = index.entries()[at];
  IndexEntry entry;
  entry.name = operation.display_name;
  entry.slug = operation.slug;
  entry.family = operation.family;
  entry.aliases = operation.aliases;
  entry.runs = index.runs_of_group(at);
  entry.last_observed_at = operation.last_observed_at;
  const auto call = [&](const std::string& name) {
    const bool known = name == entry.slug || name == entry.name ||
                       std::ranges::find(entry.aliases, name) != entry.aliases.end();
    if (!known) entry.aliases.push_back(name);
  };
  for (const std::uint32_t member : index.group(at)) {
    const OperationEntry& other = index.entries()[member];
    if (member == at) continue;
    call(other.display_name);
    call(other.slug);
    for (const std::string& alias : other.aliases) call(alias);
    entry.last_observed_at = std::max(entry.last_observed_at, other.last_observed_at);
  }
  return entry;
}

Result<EntryMatch> match_of(db::Connection& connection, const OperationIndex& index,
                            const Request& request, std::size_t operation) {
  EntryMatch out;
  std::vector<std::string> ids;
  for (const std::uint32_t member : index.group(operation)) {
    ids.push_back(index.entries()[member].id);
  }
  Dtypes dtypes(connection, request, ids.front());
  const auto groups = TRY(groups_of(connection, ids));
  const catalog::CohortFacts* valued = nullptr;
  for (const auto& group : groups) {
    const auto of_group = TRY(dtypes.of(group.dtypes));
    if (!matches(request.facets, group, of_group)) continue;
    if (group.best_value) {
      if (valued == nullptr) valued = &group;
      if (std::tie(group.metric, group.unit) != std::tie(valued->metric, valued->unit)) {
        out = TRY(match_by_runs(connection, request, ids));
        break;
      }
    }
    count(out, group);
  }
  out.facet_label = facet_label(request.facets);
  return out;
}

std::vector<Hit> in_order(std::vector<Hit> hits, const OperationIndex& index,
                          const MeasuredOperations* with_runs) {
  if (with_runs == nullptr) return hits;
  std::set<std::size_t> measured;
  for (const MeasuredOperation& one : *with_runs) measured.insert(one.operation);
  const auto before = [&](const Hit& a, const Hit& b) {
    const auto order = [&](const Hit& hit) {
      return std::tuple(!measured.contains(index.listed(hit.operation)), -hit.named_points(),
                        -hit.score);
    };
    if (order(a) != order(b)) return order(a) < order(b);
    const OperationEntry& left = index.entries()[a.operation];
    const OperationEntry& right = index.entries()[b.operation];
    if (left.family != right.family) return natural_less(left.family, right.family);
    return natural_less(left.display_name, right.display_name);
  };
  std::ranges::stable_sort(hits, before);
  return hits;
}

Result<std::vector<IndexEntry>> chooser(db::Connection& connection, const OperationIndex& index,
                                        const Request& request, std::span<const Hit> hits) {
  std::vector<IndexEntry> out;
  const bool annotate = request.facets.has_hardware_or_dtype();
  for (const Hit& hit : hits) {
    IndexEntry entry = entry_of(index, hit.operation);
    entry.query = narrowed_query(request, entry.slug);
    if (annotate) entry.match = TRY(match_of(connection, index, request, hit.operation));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace ki::query
