#include "db/dialect.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace ki::db {
namespace {

constexpr std::string_view kAppendOnly = "-- append-only:";
// A key of several columns, on a line of its own.
constexpr std::string_view kCompositeKey = "PRIMARY KEY (";

// What follows "--" outside a quoted text goes.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'') quoted = !quoted;
    if (!quoted && line.substr(i).starts_with("--")) return line.substr(0, i);
  }
  return line;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

std::string refuse(std::string_view table, std::string_view verb) {
  return fmt::format(
      "CREATE TRIGGER {0}_refuse_{1} BEFORE {2} ON {0} BEGIN\n"
      "  SELECT RAISE(ABORT, '{0} is append-only: {2} refused');\nEND;\n",
      table, ascii_lower(verb), verb);
}

}  // namespace

std::string to_sqlite(std::string_view migration) {
  std::string out;
  bool in_key_order = false;
  for (const std::string_view line : split(migration, '\n')) {
    if (const auto bare = trim(line); bare.starts_with(kAppendOnly)) {
      const std::string_view table = trim(bare.substr(kAppendOnly.size()));
      out += refuse(table, "UPDATE") + refuse(table, "DELETE");
      continue;
    }
    const std::string_view code = without_comment(line);
    const std::string_view kept = code.substr(0, code.find_last_not_of(" \t\r") + 1);
    in_key_order = in_key_order || trim(kept).starts_with(kCompositeKey);
    if (kept == ");") {  // closes CREATE TABLE, whose columns stand on lines of their own
      out += std::exchange(in_key_order, false) ? ") STRICT, WITHOUT ROWID;\n" : ") STRICT;\n";
    } else if (!kept.empty()) {
      out.append(kept).append("\n");
    }
  }
  replace_all(out, "BIGINT", "INTEGER");
  replace_all(out, "DOUBLE PRECISION", "REAL");
  return out;
}

}  // namespace ki::db
