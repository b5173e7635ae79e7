// What bears a name besides operations: projects, implementations, sources and served models.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

struct NamedLine {
  std::string slug;
  std::string name;  // for people; "" = the slug alone
  // Of an implementation: the operation it names.
  std::string operation_slug;
  std::string operation_name;
};

// How a name is looked for: a whole slug, or any part of one; of projects and sources also a name.
enum class Naming { whole, part };

// By slug, at most `limit`. `name` is lower case, of a-z, 0-9 and '-'; of anything else nothing is
// called so. Of the rows that share an implementation's slug the newest counts. By a part the slugs
// of a table are all looked at.
Result<std::vector<NamedLine>> projects_named(db::Connection& connection, std::string_view name,
                                              Naming how, std::int64_t limit);
Result<std::vector<NamedLine>> implementations_named(db::Connection& connection,
                                                     std::string_view name, Naming how,
                                                     std::int64_t limit);
Result<std::vector<NamedLine>> sources_named(db::Connection& connection, std::string_view name,
                                             Naming how, std::int64_t limit);
Result<std::vector<NamedLine>> served_models_named(db::Connection& connection,
                                                   std::string_view name, Naming how,
                                                   std::int64_t limit);

// The comparison keys of records that start with `prefix`, in order.
Result<std::vector<std::string>> holders_starting(db::Connection& connection,
                                                  std::string_view prefix, std::int64_t limit);

}  // namespace ki::catalog
