// Every operation of the catalog in memory, ready to be found by words: immutable, shared between
// threads, rebuilt when the catalog changes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/operation_words.h"

namespace ki::query {

struct OperationEntry {
  std::string id;
  std::string slug;
  std::string name;          // as stored: the manifest's title, else the slug
  std::string display_name;  // as shown
  std::string family;
  std::string semantic_digest;
  std::vector<std::string> aliases;  // lower case
  std::vector<std::string> tags;
  std::int64_t runs = 0;          // eligible ones
  std::int64_t reproducible = 0;  // of those: of that level of evidence, or a better one
  std::int64_t cohorts = 0;
  std::int64_t workloads = 0;
  std::optional<std::string> last_observed_at;
  std::string equivalence;  // key that it shares with others that compute the same; "" = none
};

inline constexpr std::size_t kHitsMax = 20;  // that a chooser of the public system offers
inline constexpr double kScoreMin = 8;
inline constexpr double kExactTier = 400;
inline constexpr double kAliasTier = 300;
inline constexpr double kFamilyTier = 200;
inline constexpr double kModelPoints = 250;
inline constexpr double kLead = 40;  // the first hit stands alone when it leads by this

// What an operation is looked for by.
struct OperationQuery {
  std::vector<std::string> terms;  // see usable_terms
  std::string model;               // slug, "" = none
};

struct Hit {
  std::size_t operation = 0;  // position in OperationIndex::entries()
  double score = 0;
  double tier = 0;
  // Whether a word of the query is one of the operation's, or it has the model asked for; else only
  // letters are alike ("mul" in "multi").
  bool shares_word = false;
  bool has_model = false;  // the one asked for

  // Points that a name, an alias, a family or a model gives, not likeness.
  double named_points() const { return tier + (has_model ? kModelPoints : 0); }
};

class OperationIndex {
 public:
  // `languages` are those that implementations state, ascending.
  explicit OperationIndex(std::vector<OperationEntry> entries,
                          std::vector<std::string> languages = {});

  const std::vector<OperationEntry>& entries() const { return entries_; }
  // Exact look-ups; nullopt when there is none.
  std::optional<std::size_t> by_slug(std::string_view slug) const;
  std::optional<std::size_t> by_id(std::string_view id) const;
  std::optional<std::size_t> by_digest(std::string_view digest) const;
  bool has_family(std::string_view family) const;
  // The operations that compute the same as this one, with itself: the one that lists show for all
  // of them first, which has most runs; of as many the first by slug.
  std::span<const std::uint32_t> group(std::size_t at) const;
  std::size_t listed(std::size_t at) const { return group(at).front(); }
  std::int64_t runs_of_group(std::size_t at) const;
  // Operations of a family, most runs first.
  std::vector<std::size_t> family_members(std::string_view family) const;
  bool is_alias(std::string_view word) const { return aliases_.contains(word); }
  bool has_language(std::string_view word) const;

  // The one operation whose slug or alias the whole query spells, when no other operation, but
  // those equivalent to it, can score as high: what match() would put first and dominates() accept,
  // without scoring the rest.
  std::optional<std::size_t> named_exactly(const OperationQuery& query) const;

  // The operations that score at least kScoreMin, by score, then most runs, then slug. Of
  // equivalent ones the one whose slug was spelt, else the one that lists show, with the best score
  // of any.
  std::vector<Hit> match(const OperationQuery& query) const;

  // The words of all operations, built when first asked for. Thread-safe.
  const OperationWords& words() const;

  // Families, most runs first.
  const std::vector<std::string>& families() const { return families_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  template <class T>
  using Table = std::unordered_map<std::string, T, Hash, std::equal_to<>>;
  using Many = std::vector<std::uint32_t>;

  void add_exact_keys(std::uint32_t at);
  void order_groups();
  void unite(std::vector<Hit>& hits) const;
  void rank_families();
  // Tiers above 0, by operation.
  std::map<std::size_t, double> tiers_of(const OperationQuery& query) const;

  std::vector<OperationEntry> entries_;
  std::vector<std::string> languages_;
  Table<std::uint32_t> slugs_, ids_, digests_;
  Table<Many> slugs_collapsed_, aliases_, aliases_collapsed_, members_;
  Table<Many> groups_;  // by the key they share
  Many selves_;         // 0, 1, 2, ...: the groups of one
  std::vector<std::string> families_;
  mutable std::once_flag words_once_;
  mutable std::unique_ptr<const OperationWords> words_;
};

// The words of a free text that can name an operation: at least three characters of a-z, 0-9, '_',
// '-', starting with a letter or digit, with a letter, no stop word; shorter ones count when they
// are the slug or an alias of an operation. De-duplicated, in order.
std::vector<std::string> usable_terms(const std::vector<std::string>& words,
                                      const OperationIndex& index);

// Whether the first hit alone is the answer: the only hit, and not by its letters only; or named
// exactly (slug or alias) and ahead of the second; or ahead by kLead. A tag or family that several
// operations share never is.
bool dominates(const std::vector<Hit>& hits);

// Whether every query would ignore the word ("the", "fastest", "kernel").
bool is_filler(std::string_view word);

}  // namespace ki::query
