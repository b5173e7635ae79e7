// Tables for people: columns as wide as their widest cell, two blanks between, nothing after the
// last character of a line.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ki::cli {

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Requires as many cells as there are columns. Control characters become blanks: a cell comes
  // from outside and must not move the cursor.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  void print(std::ostream& out, bool headings) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns a terminal needs for `utf8`: one for each character that is not a combining mark.
std::size_t display_width(std::string_view utf8);

// `text` with control characters (and the ones that reorder text) replaced by blanks.
std::string printable(std::string_view text);

}  // namespace ki::cli
