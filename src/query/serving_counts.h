// How many results of served models there are, by accelerator and by model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/read_serving.h"

namespace ki::query {

struct ServedModel {
  std::string name;
  std::optional<std::int64_t> parameter_count;
  std::int64_t runs = 0;
};

struct ServingCounts {
  std::map<std::string, std::int64_t> runs_on;  // accelerator -> eligible runs
  std::map<std::string, ServedModel> models;    // by slug; several revisions of a model are one
};

Result<ServingCounts> count_serving(db::Connection& connection);

}  // namespace ki::query
