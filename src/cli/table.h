// Tables for people: columns as wide as their widest cell, two blanks between, nothing after the
// last character of a line. A table that is wider than its medium breaks the cells that may be
// broken over lines and then leaves out the columns that matter least. No cell is ever cut.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ki::cli {

enum class Align { left, right };

inline constexpr std::size_t kNarrowest = 10;  // characters that most words of names fit in
inline constexpr std::size_t kProduct = 24;    // characters that most names of products fit in

struct Column {
  std::string heading;
  Align align = Align::left;
  std::size_t narrowest = 0;  // how narrow its cells may be broken, words being kept whole; 0: not
                              // at all, as what is to be typed or copied
  int spare = 0;              // columns with the highest number go first; 0 always stays
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Requires as many cells as there are columns. Control characters become blanks: a cell comes
  // from outside and must not move the cursor.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // In at most `width` characters a line where that can be reached; 0: as wide as it gets.
  void print(std::ostream& out, bool headings, std::size_t width = 0) const;

 private:
  // Of each column; 0 for one that is left out.
  std::vector<std::size_t> fitted(bool headings, std::size_t width) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns a terminal needs for `utf8`: one for each character that is not a combining mark.
std::size_t display_width(std::string_view utf8);

// `text` as lines of at most `width` characters, broken at blanks; a longer word between
// characters. Requires width > 0.
std::vector<std::string> broken(std::string_view text, std::size_t width);

// `text` with control characters (and the ones that reorder text) replaced by blanks, and bytes
// that are no UTF-8 by question marks.
std::string printable(std::string_view text);
// The same of a text of several lines, which stay lines.
std::string printable_lines(std::string_view text);

}  // namespace ki::cli
