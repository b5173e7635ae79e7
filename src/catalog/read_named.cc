#include "catalog/read_named.h"

#include <algorithm>

namespace ki::catalog {
namespace {

using db::Sql;

// $1 is a slug, $2 the same with blanks for dashes; or both are patterns of LIKE, and the table is
// read. Served by the unique index of slug and by project_by_name.
constexpr Sql kProject{"project_named",
                       "SELECT slug, name FROM project WHERE slug = $1 OR normalized_name = $2 "
                       "ORDER BY slug LIMIT $3"};
constexpr Sql kProjectPart{"project_named_part",
                           "SELECT slug, name FROM project WHERE slug LIKE $1 "
                           "OR normalized_name LIKE $2 ORDER BY slug LIMIT $3"};
constexpr Sql kSource{"source_named",
                      "SELECT slug, name FROM source WHERE slug = $1 OR LOWER(name) = $2 "
                      "ORDER BY slug LIMIT $3"};
constexpr Sql kSourcePart{"source_named_part",
                          "SELECT slug, name FROM source WHERE slug LIKE $1 OR LOWER(name) LIKE $2 "
                          "ORDER BY slug LIMIT $3"};

// Served by the primary key of holder.
constexpr Sql kHoldersStarting{
    "holders_starting",
    "SELECT comparison_key FROM holder WHERE comparison_key >= $1 AND comparison_key < $2 "
    "ORDER BY comparison_key LIMIT $3"};

// Served by model_revision_by_slug (slug, id).
constexpr Sql kModel{"served_model_named",
                     "SELECT slug, MAX(name) FROM model_revision WHERE slug = $1 "
                     "GROUP BY slug ORDER BY slug LIMIT $2"};
constexpr Sql kModelPart{"served_model_named_part",
                         "SELECT slug, MAX(name) FROM model_revision WHERE slug LIKE $1 "
                         "OR LOWER(name) LIKE $1 "
                         "GROUP BY slug ORDER BY slug LIMIT $2"};

// Served by implementation_by_slug (slug, created_at, id), of which the part reads all.
constexpr Sql kImplementation{"implementation_named",
                              "SELECT DISTINCT slug FROM implementation WHERE slug = $1 "
                              "ORDER BY slug LIMIT $2"};
constexpr Sql kImplementationPart{"implementation_named_part",
                                  "SELECT DISTINCT slug FROM implementation WHERE slug LIKE $1 "
                                  "ORDER BY slug LIMIT $2"};
constexpr Sql kCurrent{"current_implementation",
                       "SELECT i.title, o.slug, o.name FROM implementation i "
                       "JOIN operation o ON o.id = i.operation_id WHERE i.slug = $1 "
                       "ORDER BY i.created_at DESC, i.id DESC LIMIT 1"};

bool is_name(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string pattern(std::string_view name) { return "%" + std::string(name) + "%"; }

std::string spaced(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '-', ' ');
  return out;
}

Result<std::vector<NamedLine>> lines_of(db::Rows rows) {
  std::vector<NamedLine> out;
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back(
        {.slug = row.string(0), .name = row.string(1), .operation_slug = {}, .operation_name = {}});
  }));
  return out;
}

Result<std::vector<NamedLine>> lines(db::Connection& connection, const Sql& sql,
                                     std::string_view name, std::int64_t limit) {
  auto rows = TRY(connection.query(sql, name, limit));
  return lines_of(std::move(rows));
}

// By slug, and by name with blanks.
Result<std::vector<NamedLine>> lines_by_names(db::Connection& connection, const Sql& whole,
                                              const Sql& part, std::string_view name, Naming how,
                                              std::int64_t limit) {
  const bool is_whole = how == Naming::whole;
  const std::string blanks = spaced(name);
  auto rows =
      TRY(connection.query(is_whole ? whole : part, is_whole ? std::string(name) : pattern(name),
                           is_whole ? blanks : pattern(blanks), limit));
  return lines_of(std::move(rows));
}

}  // namespace

Result<std::vector<NamedLine>> projects_named(db::Connection& connection, std::string_view name,
                                              Naming how, std::int64_t limit) {
  if (!is_name(name)) return std::vector<NamedLine>();
  return lines_by_names(connection, kProject, kProjectPart, name, how, limit);
}

Result<std::vector<NamedLine>> sources_named(db::Connection& connection, std::string_view name,
                                             Naming how, std::int64_t limit) {
  if (!is_name(name)) return std::vector<NamedLine>();
  return lines_by_names(connection, kSource, kSourcePart, name, how, limit);
}

Result<std::vector<NamedLine>> served_models_named(db::Connection& connection,
                                                   std::string_view name, Naming how,
                                                   std::int64_t limit) {
  if (!is_name(name)) return std::vector<NamedLine>();
  if (how == Naming::whole) return lines(connection, kModel, name, limit);
  return lines(connection, kModelPart, pattern(name), limit);
}

Result<std::vector<NamedLine>> implementations_named(db::Connection& connection,
                                                     std::string_view name, Naming how,
                                                     std::int64_t limit) {
  std::vector<NamedLine> out;
  if (!is_name(name)) return out;
  {
    const bool whole = how == Naming::whole;
    auto rows = TRY(connection.query(whole ? kImplementation : kImplementationPart,
                                     whole ? std::string(name) : pattern(name), limit));
    TRY(rows.each([&](const db::Rows& row) {
      out.push_back(
          {.slug = row.string(0), .name = {}, .operation_slug = {}, .operation_name = {}});
    }));
  }
  for (NamedLine& line : out) {
    auto rows = TRY(connection.query(kCurrent, line.slug));
    const bool found = TRY(rows.next());
    if (!found) continue;
    line.name = rows.maybe_string(0).value_or("");
    line.operation_slug = rows.string(1);
    line.operation_name = rows.string(2);
  }
  return out;
}

Result<std::vector<std::string>> holders_starting(db::Connection& connection,
                                                  std::string_view prefix, std::int64_t limit) {
  std::vector<std::string> out;
  // 'g' follows everything that can stand behind the scheme of a digest.
  auto rows = TRY(connection.query(kHoldersStarting, prefix, std::string(prefix) + "g", limit));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

}  // namespace ki::catalog
