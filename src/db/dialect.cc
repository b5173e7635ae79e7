#include "db/dialect.h"

#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"

namespace ki::db {
namespace {

constexpr std::string_view kAppendOnly = "-- append-only:";
constexpr std::string_view kExcept = " except ";
constexpr std::string_view kCreateTable = "CREATE TABLE ";
// Keys of several columns, on lines of their own.
constexpr std::string_view kPrimaryKey = "PRIMARY KEY (";
constexpr std::string_view kUniqueKey = "UNIQUE (";

// What the triggers of a table have to know about it.
struct Table {
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>> keys{};  // the columns of each
  bool in_key_order = false;
};

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> out;
  for (const std::string_view name : split(list, ',')) out.emplace_back(trim(name));
  return out;
}

// One line between "CREATE TABLE" and ");".
void read_line(std::string_view line, Table& table) {
  const bool primary = line.starts_with(kPrimaryKey);
  if (primary || line.starts_with(kUniqueKey)) {
    const std::size_t begin = line.find('(') + 1;
    table.keys.push_back(names_in(line.substr(begin, line.find(')') - begin)));
    table.in_key_order = table.in_key_order || primary;
    return;
  }
  table.columns.emplace_back(line.substr(0, line.find(' ')));
  if (line.contains(" PRIMARY KEY") || line.contains(" UNIQUE")) {
    table.keys.push_back({table.columns.back()});
  }
}

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

std::string refuse(std::string_view table, std::string_view verb, std::string_view columns = {}) {
  return fmt::format(
      "CREATE TRIGGER {0}_refuse_{1} BEFORE {2}{3} ON {0} BEGIN\n"
      "  SELECT RAISE(ABORT, '{0} is append-only: {2} refused');\nEND;\n",
      table, ascii_lower(verb), verb, columns);
}

// REPLACE removes the row that stands in its way without DELETE triggers, unless the program that
// does it asked for recursive triggers. So a key that is taken is refused before it comes to that.
std::string refuse_replace(std::string_view name, const Table& table) {
  std::string taken;
  const auto add = [&](std::string_view guard, const std::vector<std::string>& key) {
    taken += fmt::format("{}{}EXISTS (SELECT 1 FROM {} WHERE ", taken.empty() ? "" : "\n  OR ",
                         guard, name);
    for (const std::string& column : key) {
      taken += fmt::format("{0}{1} = NEW.{1}", &column == &key.front() ? "" : " AND ", column);
    }
    taken += ")";
  };
  for (const auto& key : table.keys) add("", key);
  // A number that no row has stands for a rowid that is yet to be chosen.
  if (!table.in_key_order) add("NEW.rowid > 0 AND ", {"rowid"});
  return fmt::format(
      "CREATE TRIGGER {0}_refuse_replace BEFORE INSERT ON {0}\n  WHEN {1} BEGIN\n"
      "  SELECT RAISE(ABORT, '{0} is append-only: {2}');\nEND;\n",
      name, taken, kKeyTaken);
}

// "TABLE" or "TABLE except COLUMN".
std::string append_only(std::string_view what, const std::map<std::string, Table>& tables) {
  const std::size_t except = what.find(kExcept);
  const std::string name(what.substr(0, except));
  const auto found = tables.find(name);
  KI_CHECK(found != tables.end());  // stands above the line
  std::string columns;
  if (except != std::string_view::npos) {
    const std::string_view open = what.substr(except + kExcept.size());
    for (const std::string& column : found->second.columns) {
      if (column != open) columns += (columns.empty() ? " OF " : ", ") + column;
    }
  }
  return refuse(name, "UPDATE", columns) + refuse(name, "DELETE") +
         refuse_replace(name, found->second);
}

}  // namespace

std::string to_sqlite(std::string_view migration) {
  std::string out;
  std::map<std::string, Table> tables;
  Table* open = nullptr;
  for (const std::string_view line : split(migration, '\n')) {
    if (const auto bare = trim(line); bare.starts_with(kAppendOnly)) {
      out += append_only(trim(bare.substr(kAppendOnly.size())), tables);
      continue;
    }
    const std::string_view code = without_comment(line);
    const std::string_view kept = code.substr(0, code.find_last_not_of(" \t\r") + 1);
    if (kept == ");") {  // closes CREATE TABLE, whose columns stand on lines of their own
      const Table* const closed = std::exchange(open, nullptr);
      const bool in_key_order = closed != nullptr && closed->in_key_order;
      out += in_key_order ? ") STRICT, WITHOUT ROWID;\n" : ") STRICT;\n";
    } else if (!kept.empty()) {
      if (open != nullptr) read_line(trim(kept), *open);
      if (kept.starts_with(kCreateTable)) {
        const std::string_view rest = kept.substr(kCreateTable.size());
        open = &tables[std::string(rest.substr(0, rest.find(' ')))];
      }
      out.append(kept).append("\n");
    }
  }
  replace_all(out, "BIGINT", "INTEGER");
  replace_all(out, "DOUBLE PRECISION", "REAL");
  return out;
}

}  // namespace ki::db
