#include "catalog/dump.h"

#include <map>
#include <string>
#include <vector>

#include "catalog/dump_tables.h"
#include "catalog/update.h"
#include "json/write.h"

namespace ki::catalog {
namespace {

constexpr db::Sql kTagsSql = {
    "dump_tags", "SELECT operation_id, tag FROM operation_tag ORDER BY operation_id, ordinal"};

// What stands in other tables than the row, by the id of the operation or of the run.
struct Beside {
  std::map<std::string, std::vector<std::string>, std::less<>> tags{};
  std::map<std::string, std::string, std::less<>> older{};
};

// Who supersedes whom, as it stands. A run that supersedes several states one of them here; the
// corrections state all.
Status read_older(db::Connection& connection, Beside& beside) {
  constexpr db::Sql kSuperseded{"superseded_runs",
                                "SELECT DISTINCT superseded_run_id FROM correction "
                                "WHERE superseded_run_id IS NOT NULL ORDER BY 1"};
  auto rows = TRY(connection.query(kSuperseded));
  return rows.each([&](const db::Rows& row) -> Status {
    const std::string id = row.string(0);
    const auto corrections = TRY(corrections_of(connection, id));
    const std::string by = state_of(id, corrections).superseded_by;
    if (!by.empty()) beside.older[by] = id;
    return {};
  });
}

void write_column(json::Writer& out, const db::Rows& rows, int column, As as,
                  const Beside& beside) {
  if (rows.is_null(column)) {
    out.null();
    return;
  }
  switch (as) {
    case As::text:
    case As::text_if_any:
      out.string(rows.text(column));
      break;
    case As::integer:
      out.integer(rows.integer(column));
      break;
    case As::real:
      out.number(rows.real(column));
      break;
    case As::flag:
      out.boolean(rows.flag(column));
      break;
    case As::json:
      out.raw(rows.text(column));
      break;
    case As::tags: {
      const auto found = beside.tags.find(rows.text(column));
      out.begin_array();
      if (found != beside.tags.end()) {
        for (const std::string& tag : found->second) out.string(tag);
      }
      out.end_array();
      break;
    }
    case As::older: {
      const auto found = beside.older.find(rows.text(column));
      found == beside.older.end() ? out.null() : out.string(found->second);
      break;
    }
    case As::no:
    case As::yes:
    case As::zero:
      KI_UNREACHABLE();
  }
}

void write_line(std::string& line, const DumpTable& table, const db::Rows& rows,
                const Beside& beside) {
  line.clear();
  json::Writer out(line);
  out.begin_object().key("table").string(table.name).key("row").begin_object();
  int column = 0;
  for (const Field& field : table.fields) {
    if (field.as == As::text_if_any && rows.is_null(column)) {
      ++column;
      continue;
    }
    out.key(field.name);
    if (field.as == As::no || field.as == As::yes) {
      out.boolean(field.as == As::yes);
    } else if (field.as == As::zero) {
      out.integer(0);
    } else {
      write_column(out, rows, column++, field.as, beside);
    }
  }
  out.end_object().end_object();
}

}  // namespace

Result<std::int64_t> dump(db::Connection& connection, const LineSink& sink) {
  const auto snapshot = TRY(connection.snapshot());
  Beside beside;
  TRY(read_older(connection, beside));
  {
    auto rows = TRY(connection.query(kTagsSql));
    TRY(rows.each(
        [&](const db::Rows& row) { beside.tags[row.string(0)].push_back(row.string(1)); }));
  }
  std::int64_t lines = 0;
  std::string line;
  for (const DumpTable& table : dump_tables()) {
    auto rows = TRY(connection.query(table.sql));
    TRY(rows.each([&](const db::Rows& row) -> Status {
      write_line(line, table, row, beside);
      ++lines;
      return sink(line);
    }));
  }
  return lines;
}

}  // namespace ki::catalog
