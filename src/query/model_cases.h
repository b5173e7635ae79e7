// The exact questions about an operation and their answers, for those who keep them elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "query/model_cohort.h"
#include "query/model_row.h"

namespace ki::query {

// A measured workload, as a structured request names it. "" is what the request leaves open.
struct ExactCase {
  std::map<std::string, std::int64_t> axes;  // every one of the workload; none of a suite
  std::string dtype;
  std::string hardware;
  std::string pass;        // forward, backward, full
  std::size_t cohort = 0;  // the one that answers, in ExactAnswers::cohorts
};

struct RankedCohort {
  Cohort cohort;
  std::string hardware;  // as answers call it
  // Its other names: the model as stated, and with its form factor.
  std::vector<std::string> also_called;
  std::string product;  // the listed product that names; "" when none is known
  Verdict verdict;
  std::vector<Row> rows;  // ranked, then those without a rank
};

struct ExactAnswers {
  std::vector<ExactCase> cases;
  std::vector<RankedCohort> cohorts;
};

}  // namespace ki::query
