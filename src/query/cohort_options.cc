// The cohorts of one workload as a list to choose from, each with the query that leads to it.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "query/answer.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

std::string pass_of(const CohortInfo& cohort) {
  return std::string(cohort.setting->pass ? policy::name_of(*cohort.setting->pass) : "");
}

// Which of the three facts a person would name tell some cohorts apart.
struct Varying {
  bool hardware = false;
  bool pass = false;
  bool metric = false;
};

Varying varying(const OperationSnapshot& snapshot, const std::vector<std::size_t>& cohorts) {
  Varying out;
  if (cohorts.empty()) return out;
  const CohortInfo& first = snapshot.cohorts[cohorts.front()];
  for (const auto at : cohorts) {
    const CohortInfo& other = snapshot.cohorts[at];
    out.hardware = out.hardware || other.setting->hardware_model != first.setting->hardware_model;
    out.pass = out.pass || other.setting->pass != first.setting->pass;
    out.metric = out.metric || other.metric != first.metric;
    if (out.hardware && out.pass && out.metric) break;
  }
  return out;
}

std::string label_of(const CohortInfo& cohort, const Varying& varies) {
  std::string label(cohort.setting->hardware_model);
  if (varies.pass && cohort.setting->pass) label += " · " + pass_of(cohort);
  if (varies.metric && !cohort.metric.empty()) label += " · " + std::string(cohort.metric);
  return label;
}

// Writes the queries that lead from one request to single cohorts.
class Narrower {
 public:
  Narrower(const Request& request, const OperationSnapshot& snapshot,
           const std::vector<std::size_t>& fitting)
      : snapshot_(snapshot), fitting_(fitting), varies_(varying(snapshot, fitting)) {
    std::vector<std::string> dropped;
    const auto drop = [&](auto fits) {
      for (const Reading& reading : request.readings) {
        if (!fits(reading.kind)) continue;
        for (auto& token : tokens_of(reading.token)) dropped.push_back(std::move(token));
      }
      return without_tokens(request.tokens, dropped);
    };
    text_ = drop([](std::string_view kind) { return kind == "cohort" || kind == "replaced"; });
    // What the words below say again. A count of devices may stand in the name of the hardware.
    const bool hardware = varies_.hardware && !request.facets.device_count;
    bare_text_ = drop([&](std::string_view kind) {
      return (hardware && kind == "gpu") || (varies_.pass && kind == "pass") ||
             (varies_.metric && kind == "metric");
    });
  }

  std::string query_for(std::size_t cohort) const {
    if (const auto words = by_words(cohort)) return bare_text_ + *words;
    const std::string_view key = snapshot_.cohorts[cohort].comparison_key;
    std::size_t shown = std::string_view("sha256:").size() + kCohortPrefix;
    while (shown < key.size() && !find_cohort(snapshot_, key.substr(0, shown))) ++shown;
    return text_ + " cohort:" + std::string(key.substr(0, shown));
  }

 private:
  static constexpr std::size_t kCohortPrefix = 12;  // digits of a key that mostly tell it apart

  // Facets that leave nothing but this cohort; nullopt when there are none.
  std::optional<std::string> by_words(std::size_t wanted) const {
    const CohortInfo& cohort = snapshot_.cohorts[wanted];
    const HardwareFacet product{.requested = std::string(cohort.setting->hardware_model),
                                .gpu = policy::read_gpu(cohort.setting->hardware_model),
                                .part = ascii_lower(cohort.setting->hardware_model)};
    const auto left = [&](std::size_t at) {
      const CohortInfo& other = snapshot_.cohorts[at];
      return (!varies_.hardware ||
              satisfies(product, other.setting->gpu, other.setting->hardware_model)) &&
             (!varies_.pass || other.setting->pass == cohort.setting->pass) &&
             (!varies_.metric || other.metric == cohort.metric);
    };
    const bool nameless =
        (varies_.pass && !cohort.setting->pass) || (varies_.metric && !cohort.has_value);
    if (nameless || !std::ranges::binary_search(fitting_, wanted)) return std::nullopt;
    const auto first = std::ranges::find_if(fitting_, left);
    if (first == fitting_.end()) return std::nullopt;
    if (std::find_if(first + 1, fitting_.end(), left) != fitting_.end()) return std::nullopt;
    std::string out;
    if (varies_.hardware) out += " gpu:\"" + std::string(cohort.setting->hardware_model) + "\"";
    if (varies_.pass) out += " pass:" + pass_of(cohort);
    if (varies_.metric) out += " metric:" + std::string(cohort.metric);
    return out;
  }

  const OperationSnapshot& snapshot_;
  const std::vector<std::size_t>& fitting_;
  Varying varies_;
  std::string text_;       // the request without a cohort
  std::string bare_text_;  // nor what by_words() says
};

}  // namespace

std::vector<CohortOption> cohort_options(const Request& request, const RowSource& rows,
                                         std::size_t workload,
                                         const std::vector<std::size_t>& fitting) {
  const OperationSnapshot& snapshot = rows.snapshot;
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    if (snapshot.cohorts[i].workload == workload) own.push_back(i);
  }
  const Varying varies = varying(snapshot, own);
  std::map<std::string, int> shared;
  for (const auto at : own) ++shared[label_of(snapshot.cohorts[at], varies)];
  std::map<std::string, int> seen;
  const Narrower narrower(request, snapshot, fitting);
  std::vector<CohortOption> out;
  for (const auto at : own) {
    const CohortInfo& cohort = snapshot.cohorts[at];
    std::string label = label_of(cohort, varies);
    if (shared[label] > 1) label += " · env " + std::to_string(++seen[label]);
    CohortOption option;
    if (cohort.setting->pass) option.pass = pass_of(cohort);
    if (cohort.has_value) option.metric = std::string(cohort.metric);
    out.push_back({.key = std::string(cohort.comparison_key),
                   .label = std::move(label),
                   .runs = std::ssize(cohort.runs),
                   .head = rows.head(cohort),
                   .hardware = std::string(cohort.setting->hardware_model),
                   .pass = std::move(option.pass),
                   .metric = std::move(option.metric),
                   .protocol = std::string(cohort.setting->protocol_text),
                   .satisfies = std::ranges::find(fitting, at) != fitting.end(),
                   .query = narrower.query_for(at)});
  }
  return out;
}

}  // namespace ki::query
