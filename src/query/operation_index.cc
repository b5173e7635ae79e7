#include "query/operation_index.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace ki::query {
namespace {

std::string without(std::string_view text, std::string_view dropped) {
  std::string out;
  for (const char c : text) {
    if (dropped.find(c) == std::string_view::npos) out += c;
  }
  return out;
}

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool is_term(std::string_view word) {
  const auto allowed = [](char c) { return is_alnum(c) || c == '_' || c == '-'; };
  return !word.empty() && is_alnum(word[0]) && std::ranges::all_of(word, allowed) &&
         std::ranges::any_of(word, is_letter);
}

}  // namespace

bool is_filler(std::string_view word) {
  static constexpr std::array<std::string_view, 27> kWords = {
      "the",    "and",    "for",   "with",  "kernel",         "kernels",   "gpu",  "fastest",
      "best",   "lowest", "least", "which", "implementation", "operation", "fast", "vs",
      "versus", "what",   "can",   "use",   "usable",         "installed", "how",  "does",
      "are",    "there",  "please"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::vector<std::string> usable_terms(const std::vector<std::string>& words,
                                      const OperationIndex& index) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    if (!is_term(word) || is_filler(word)) continue;
    const bool exact = index.by_slug(word).has_value() || index.is_alias(word);
    if (word.size() < 3 && !exact) continue;
    if (std::ranges::find(out, word) == out.end()) out.push_back(word);
  }
  return out;
}

OperationIndex::OperationIndex(std::vector<OperationEntry> entries,
                               std::vector<std::string> languages)
    : entries_(std::move(entries)), languages_(std::move(languages)) {
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    add_exact_keys(i);
    selves_.push_back(i);
    if (!entries_[i].equivalence.empty()) groups_[entries_[i].equivalence].push_back(i);
  }
  order_groups();
  rank_families();
}

bool OperationIndex::has_language(std::string_view word) const {
  return std::ranges::binary_search(languages_, word);
}

const OperationWords& OperationIndex::words() const {
  std::call_once(words_once_, [this] { words_ = std::make_unique<OperationWords>(entries_); });
  return *words_;
}

void OperationIndex::add_exact_keys(std::uint32_t at) {
  const OperationEntry& entry = entries_[at];
  slugs_.try_emplace(entry.slug, at);
  ids_.try_emplace(entry.id, at);
  digests_.try_emplace(entry.semantic_digest, at);
  slugs_collapsed_[without(entry.slug, "-")].push_back(at);
  members_[ascii_lower(entry.family)].push_back(at);
  for (const auto& alias : entry.aliases) {
    aliases_[alias].push_back(at);
    aliases_collapsed_[without(alias, "_-")].push_back(at);
  }
}

void OperationIndex::order_groups() {
  for (auto& [key, group] : groups_) {
    std::ranges::sort(group, {}, [&](std::uint32_t at) {
      return std::tuple(-entries_[at].runs, std::string_view(entries_[at].slug));
    });
  }
}

std::span<const std::uint32_t> OperationIndex::group(std::size_t at) const {
  const std::string& key = entries_[at].equivalence;
  if (key.empty()) return std::span(selves_).subspan(at, 1);
  return groups_.find(key)->second;
}

std::int64_t OperationIndex::runs_of_group(std::size_t at) const {
  std::int64_t runs = 0;
  for (const std::uint32_t member : group(at)) runs += entries_[member].runs;
  return runs;
}

void OperationIndex::rank_families() {
  std::map<std::string, std::int64_t> runs;
  for (const auto& entry : entries_) runs[entry.family] += entry.runs;
  for (const auto& [family, count] : runs) families_.push_back(family);
  std::ranges::stable_sort(families_,
                           [&](const auto& a, const auto& b) { return runs[a] > runs[b]; });
}

std::optional<std::size_t> OperationIndex::by_slug(std::string_view slug) const {
  const auto found = slugs_.find(slug);
  return found == slugs_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

std::optional<std::size_t> OperationIndex::by_id(std::string_view id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

std::optional<std::size_t> OperationIndex::by_digest(std::string_view digest) const {
  const auto found = digests_.find(digest);
  return found == digests_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

bool OperationIndex::has_family(std::string_view family) const { return members_.contains(family); }

std::vector<std::size_t> OperationIndex::family_members(std::string_view family) const {
  const auto found = members_.find(ascii_lower(family));
  if (found == members_.end()) return {};
  std::vector<std::size_t> out(found->second.begin(), found->second.end());
  std::ranges::stable_sort(out, {}, [&](std::size_t at) { return -entries_[at].runs; });
  return out;
}

std::map<std::size_t, double> OperationIndex::tiers_of(const OperationQuery& query) const {
  const std::string phrase = join(query.terms, " ");
  const std::string slug = join(query.terms, "-");
  const std::string underscore = join(query.terms, "_");
  const std::string collapsed = without(join(query.terms, ""), "-_");
  std::map<std::size_t, double> tiers;
  const auto raise = [&](const Table<Many>& table, std::string_view key, double tier) {
    const auto found = table.find(key);
    if (found == table.end()) return;
    for (const auto at : found->second) tiers[at] = std::max(tiers[at], tier);
  };
  if (const auto at = by_slug(slug)) tiers[*at] = kExactTier;
  raise(slugs_collapsed_, collapsed, kExactTier);
  for (const auto& key : {phrase, slug, underscore}) raise(aliases_, key, kAliasTier);
  raise(aliases_collapsed_, collapsed, kAliasTier);
  raise(members_, phrase, kFamilyTier);
  raise(members_, slug, kFamilyTier);
  return tiers;
}

std::optional<std::size_t> OperationIndex::named_exactly(const OperationQuery& query) const {
  if (query.terms.empty() || !query.model.empty()) return std::nullopt;
  std::size_t best = 0;
  double best_tier = 0;
  double next_tier = 0;
  for (const auto& [at, tier] : tiers_of(query)) {
    if (best_tier > 0 && listed(at) == listed(best)) {
      if (tier == best_tier) best = listed(at);
      if (tier > best_tier) best = at;
      best_tier = std::max(best_tier, tier);
    } else if (tier > best_tier) {
      next_tier = std::exchange(best_tier, tier);
      best = at;
    } else {
      next_tier = std::max(next_tier, tier);
    }
  }
  const double others_at_most = next_tier + 50 + 10 * static_cast<double>(query.terms.size());
  if (best_tier < kAliasTier || others_at_most >= best_tier) return std::nullopt;
  return best;
}

void OperationIndex::unite(std::vector<Hit>& hits) const {
  if (groups_.empty()) return;
  std::map<std::size_t, std::size_t> seen;  // place of a group in `out`, by what is listed of it
  std::vector<Hit> out;
  for (const Hit& hit : hits) {
    const bool spelt = hit.tier >= kExactTier;
    const std::size_t shown = listed(hit.operation);
    const auto [place, is_new] = seen.try_emplace(shown, out.size());
    if (is_new) {
      out.push_back(hit);
      if (!spelt) out.back().operation = shown;
      continue;
    }
    Hit& united = out[place->second];
    if (spelt) united.operation = united.tier >= kExactTier ? shown : hit.operation;
    united.score = std::max(united.score, hit.score);
    united.tier = std::max(united.tier, hit.tier);
    united.shares_word = united.shares_word || hit.shares_word;
    united.has_model = united.has_model || hit.has_model;
  }
  hits = std::move(out);
}

std::vector<Hit> OperationIndex::match(const OperationQuery& query) const {
  if (query.terms.empty() && query.model.empty()) return {};
  std::vector<double> tiers(entries_.size());
  std::vector<double> scores(entries_.size());
  std::vector<double> ranks(entries_.size());
  if (!query.terms.empty()) {
    for (const auto& [at, tier] : tiers_of(query)) tiers[at] = tier;
    words().add_ranks(join(query.terms, " "), scores);
    ranks = scores;
    words().add_similarities(query.terms, scores);
  }
  const std::string tag = "model:" + query.model;
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    scores[i] += tiers[i];
    const auto tagged = [&](const std::string& t) { return t.starts_with(tag); };
    const bool has_model = !query.model.empty() && std::ranges::any_of(entries_[i].tags, tagged);
    if (has_model) {
      scores[i] += kModelPoints;
      ranks[i] = kModelPoints;
    }
    if (scores[i] < kScoreMin) continue;
    hits.push_back({.operation = i,
                    .score = scores[i],
                    .tier = tiers[i],
                    .shares_word = ranks[i] > 0 || tiers[i] > 0,
                    .has_model = has_model});
  }
  unite(hits);
  const auto before = [&](const Hit& a, const Hit& b) {
    if (a.score != b.score) return a.score > b.score;
    // Never by when they came in: what a large family is offered by must not depend on that.
    const auto order = [&](const Hit& hit) {
      return std::tuple(-runs_of_group(hit.operation),
                        std::string_view(entries_[hit.operation].slug));
    };
    return order(a) < order(b);
  };
  std::ranges::sort(hits, before);
  return hits;
}

bool dominates(const std::vector<Hit>& hits) {
  if (hits.empty()) return false;
  if (hits.size() == 1) return hits[0].shares_word;
  const double lead = hits[0].score - hits[1].score;
  return lead >= kLead || (hits[0].tier >= kAliasTier && lead > 0);
}

}  // namespace ki::query
