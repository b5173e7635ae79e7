#include "query/measured.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "catalog/read_index.h"
#include "query/chooser.h"
#include "query/select.h"
#include "query/stored.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

bool contains(std::span<const std::size_t> list, std::size_t wanted) {
  return std::ranges::find(list, wanted) != list.end();
}

// Names what is looked at, so that different facets never share a key, whatever was typed.
std::string key_of(const Facets& facets) {
  std::string key;
  const auto add = [&](char kind, std::string_view text) {
    key += kind;
    key += std::to_string(text.size()) + ":";
    key += text;
  };
  if (facets.hardware) add('g', facets.hardware->requested);
  if (facets.vendor) add('v', *facets.vendor);
  if (facets.memory_gb) add('m', facets.memory_gb->text());
  if (facets.architecture) add('a', facets.architecture->requested);
  if (facets.cuda) add('c', facets.cuda->major.text());
  for (const DtypeFacet& dtype : facets.dtypes) add('d', dtype.requested);
  return key;
}

}  // namespace

Result<std::shared_ptr<const Measured>> load_measured(db::Connection& connection,
                                                      const OperationIndex& index) {
  const auto lines = TRY(catalog::read_measured(connection));
  std::vector<MeasuredGroup> out;
  out.reserve(lines.size());
  std::map<std::string, std::vector<std::string>> stand_ins;
  for (const auto& line : lines) {
    const auto at = index.by_id(line.operation_id);
    if (!at) continue;  // published since the index was read
    std::vector<std::string> dtypes = TRY(parse_list(line.dtypes, "dtypes of a workload"));
    if (dtypes.empty()) {
      const auto [known, added] = stand_ins.try_emplace(line.operation_id);
      if (added) known->second = TRY(operation_dtypes(connection, line.operation_id));
      dtypes = known->second;
    }
    const std::string& model = line.hardware_model;
    out.push_back(
        {.operation = *at,
         .hardware_model = model,
         .gpu = policy::find_gpu(model, line.hardware_form_factor),
         .architecture = std::string(policy::architecture_of(model, line.hardware_architecture)),
         .cuda_major = line.cuda_major,
         .dtypes = std::move(dtypes),
         .runs = line.runs});
  }
  return std::make_shared<const Measured>(std::move(out));
}

std::shared_ptr<const MeasuredOperations> Measured::under(const Facets& facets,
                                                          const OperationIndex& index) const {
  const std::string key = key_of(facets);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = under_.find(key); found != under_.end()) return found->second;
  }
  std::map<std::size_t, std::int64_t> runs;
  for (const MeasuredGroup& group : groups_) {
    const Setup setup{.hardware_model = group.hardware_model,
                      .gpu = group.gpu,
                      .architecture = group.architecture,
                      .cuda_major = group.cuda_major,
                      .dtypes = group.dtypes};
    if (satisfies(facets, setup)) runs[index.listed(group.operation)] += group.runs;
  }
  MeasuredOperations out;
  for (const auto& [operation, count] : runs) out.push_back({operation, count});
  std::ranges::sort(out, {}, [&](const MeasuredOperation& one) {
    return std::tuple(-one.runs, std::string_view(index.entries()[one.operation].slug));
  });
  auto kept = std::make_shared<const MeasuredOperations>(std::move(out));
  const std::scoped_lock lock(mutex_);
  if (under_.size() >= kKeptMax) under_.clear();
  under_.emplace(key, kept);
  return kept;
}

Result<EntryMatch> Measured::match_of(db::Connection& connection, const OperationIndex& index,
                                      const Request& request, std::size_t operation) const {
  const std::string key = index.entries()[operation].id + key_of(request.facets);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = matches_.find(key); found != matches_.end()) return found->second;
  }
  EntryMatch match = TRY(query::match_of(connection, index, request, operation));
  const std::scoped_lock lock(mutex_);
  if (matches_.size() >= kKeptMax) matches_.clear();
  matches_.emplace(key, match);
  return match;
}

MeasuredOperations siblings(const Request& request, std::span<const std::size_t> for_,
                            const MeasuredOperations& all, const OperationIndex& index) {
  const auto same_family = [&](const MeasuredOperation& one) {
    return std::ranges::any_of(for_, [&](std::size_t other) {
      return index.entries()[one.operation].family == index.entries()[other].family;
    });
  };
  MeasuredOperations out;
  for (const MeasuredOperation& one : all) {
    if (out.size() == kSiblingsMax) return out;
    if (!contains(for_, one.operation) && same_family(one)) out.push_back(one);
  }
  if (!out.empty()) return out;
  std::vector<std::string> words;
  for (const NameWord& word : request.words) words.push_back(word.text);
  auto hits = index.match({.terms = usable_terms(words, index), .model = {}});
  if (hits.size() > kHitsMax) hits.resize(kHitsMax);
  for (const Hit& hit : hits) {
    const std::size_t listed = index.listed(hit.operation);
    const auto found = std::ranges::find(all, listed, &MeasuredOperation::operation);
    if (out.size() == kSiblingsMax) break;
    if (found != all.end() && !contains(for_, listed)) out.push_back(*found);
  }
  return out;
}

template <class Meant>
std::vector<std::string> Measured::products_where(Meant meant) const {
  std::map<std::string_view, std::int64_t> runs;
  for (const MeasuredGroup& group : groups_) {
    if (meant(group)) runs[group.hardware_model] += group.runs;
  }
  std::vector<std::string> out;
  for (const auto& [model, count] : runs) out.emplace_back(model);
  std::ranges::stable_sort(out, {}, [&](const std::string& model) { return -runs[model]; });
  return out;
}

std::vector<std::string> Measured::products(const HardwareFacet& hardware) const {
  return products_where([&](const MeasuredGroup& group) {
    return satisfies(hardware, group.gpu, group.hardware_model);
  });
}

std::vector<std::string> Measured::products_named(std::string_view start) const {
  constexpr std::size_t kStartMin = 3;
  if (start.size() < kStartMin) return {};
  return products_where([&](const MeasuredGroup& group) {
    return std::ranges::any_of(name_words(ascii_lower(group.hardware_model)),
                               [&](const std::string& word) { return word.starts_with(start); });
  });
}

std::string Measured::hardware() const {
  constexpr std::size_t kShown = 8;
  std::map<std::string_view, std::int64_t> runs;
  for (const MeasuredGroup& group : groups_) runs[group.hardware_model] += group.runs;
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [model, count] : runs) order.emplace_back(-count, model);
  std::ranges::sort(order);
  std::vector<std::string> parts;
  for (const auto& [count, model] : order) {
    if (parts.size() < kShown) {
      parts.push_back(std::string(model) + " (" + std::to_string(-count) +
                      (count == -1 ? " run)" : " runs)"));
    }
  }
  return join(parts, ", ");
}

}  // namespace ki::query
