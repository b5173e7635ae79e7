#include "cli/table.h"

#include <algorithm>
#include <ostream>

#include "base/result.h"

namespace ki::cli {
namespace {

// The code point that starts at `i`, moving `i` past it. Requires valid UTF-8.
char32_t next_code_point(std::string_view text, std::size_t& i) {
  const auto lead = static_cast<unsigned char>(text[i++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t point = lead & (0x3F >> more);
  for (int k = 0; k < more && i < text.size(); ++k) {
    point = (point << 6) | (static_cast<unsigned char>(text[i++]) & 0x3F);
  }
  return point;
}

bool is_combining(char32_t point) {
  return (point >= 0x300 && point < 0x370) || (point >= 0x200B && point <= 0x200D);
}

// C0 and C1 controls, and the marks that change the direction of what follows.
bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x200E || point == 0x200F ||
         (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < utf8.size();) {
    if (!is_combining(next_code_point(utf8, i))) ++width;
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (is_control(next_code_point(text, i))) {
      out += ' ';
    } else {
      out += text.substr(start, i - start);
    }
  }
  return out;
}

void Table::add(std::vector<std::string> cells) {
  KI_CHECK(cells.size() == columns_.size());
  std::ranges::transform(cells, cells.begin(), printable);
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out, bool headings) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = headings ? display_width(columns_[c].heading) : 0;
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const auto print_line = [&](auto cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string_view cell = cell_of(c);
      const std::string pad(widths[c] - display_width(cell), ' ');
      if (c > 0) line += "  ";
      if (columns_[c].align == Align::right) line += pad;
      line += cell;
      if (columns_[c].align == Align::left) line += pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  if (headings) print_line([&](std::size_t c) -> std::string_view { return columns_[c].heading; });
  for (const auto& row : rows_) {
    print_line([&](std::size_t c) -> std::string_view { return row[c]; });
  }
}

}  // namespace ki::cli
