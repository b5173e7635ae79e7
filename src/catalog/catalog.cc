#include "catalog/catalog.h"

#include <string>

#include "base/embedded.h"

namespace ki::embedded {
std::span<const File> catalog_schema();
}

namespace ki::catalog {

Error within(Error error, std::string_view url) {
  if (error.where.contains(url)) return error;
  error.where = std::string(url) + (error.where.empty() ? "" : " " + error.where);
  return error;
}

Result<db::SchemaState> schema_state(db::Connection& connection) {
  return db::schema_state(connection, embedded::catalog_schema());
}

Result<std::vector<db::SchemaObject>> fresh_schema() {
  return db::fresh_schema(embedded::catalog_schema());
}

Result<db::SchemaState> migrate(db::Connection& connection, const Clock& clock) {
  const db::SchemaState before = TRY(schema_state(connection));
  TRY(db::migrate(connection, embedded::catalog_schema(), clock));
  return before;
}

Result<Catalog> Catalog::open(std::unique_ptr<db::Connection> connection, const Clock& clock,
                              db::Mode mode) {
  if (mode == db::Mode::create) {
    TRY(migrate(*connection, clock));
    return Catalog(std::move(connection));
  }
  const db::SchemaState state = TRY(schema_state(*connection));
  if (state.version == 0) {
    return fail(Code::not_found, "the database holds no catalog; `ki migrate` makes an empty one");
  }
  if (state.version < state.latest) {
    return fail(Code::conflict, "the database has schema version " + std::to_string(state.version) +
                                    ", this program needs " + std::to_string(state.latest) +
                                    "; run `ki migrate`");
  }
  return Catalog(std::move(connection));
}

Result<Catalog> Catalog::open(std::string_view url, const Clock& clock,
                              const db::OpenOptions& options) {
  auto connection = TRY(db::open(url, options));
  auto opened = open(std::move(connection), clock, options.mode);
  if (!opened) return std::unexpected(within(std::move(opened).error(), url));
  return opened;
}

}  // namespace ki::catalog
