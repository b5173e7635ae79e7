#include "cli/table.h"

#include <algorithm>
#include <ostream>

#include "base/result.h"
#include "base/text.h"

namespace ki::cli {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

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
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x061C || point == 0x200E ||
         point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
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
  std::string ascii;
  if (!is_utf8(text)) {
    ascii = text;
    std::ranges::replace_if(
        ascii, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    text = ascii;
  }
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

std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    out += printable(text.substr(from, end - from));
    if (end < text.size()) out += '\n';
    from = end + 1;
  }
  return out;
}

void Table::add(std::vector<std::string> cells) {
  KI_CHECK(cells.size() == columns_.size());
  std::ranges::transform(cells, cells.begin(), printable);
  rows_.push_back(std::move(cells));
}

std::vector<std::string> broken(std::string_view text, std::size_t width) {
  KI_CHECK(width > 0);
  if (display_width(text) <= width) return {std::string(text)};
  std::vector<std::string> lines(1);
  std::size_t used = 0;  // characters of the last line
  const auto start_line = [&] {
    lines.emplace_back();
    used = 0;
  };
  for (std::string_view word : split(text, ' ')) {
    const std::size_t length = display_width(word);
    if (used > 0 && used + 1 + length > width) start_line();
    if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    for (std::size_t i = 0; i < word.size();) {
      const std::size_t from = i;
      const std::size_t wide = is_combining(next_code_point(word, i)) ? 0 : 1;
      if (used + wide > width) start_line();
      lines.back() += word.substr(from, i - from);
      used += wide;
    }
  }
  return lines;
}

namespace {

// Of the words that a line should hold whole: a name with dashes is one, a digest is not.
std::size_t longest_word(std::string_view text) {
  constexpr std::size_t kWhole = 32;
  std::size_t longest = 0;
  for (const std::string_view word : split(text, ' ')) {
    longest = std::max(longest, display_width(word));
  }
  return std::min(longest, kWhole);
}

}  // namespace

std::vector<std::size_t> Table::fitted(bool headings, std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t most = headings ? display_width(columns_[c].heading) : 0;
    for (const auto& row : rows_) most = std::max(most, display_width(row[c]));
    widths.push_back(most);
  }
  if (width == 0) return widths;
  std::vector<std::size_t> narrowest;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t least =
        std::max(columns_[c].narrowest, headings ? display_width(columns_[c].heading) : 0);
    for (const auto& row : rows_) least = std::max(least, longest_word(row[c]));
    narrowest.push_back(columns_[c].narrowest > 0 ? std::min(widths[c], least) : widths[c]);
  }
  const auto least = [&](std::size_t c) { return narrowest[c]; };
  const auto sum = [&](auto width_of) {
    std::size_t total = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] > 0) total += width_of(c) + (total > 0 ? kGap : 0);
    }
    return total;
  };
  while (sum(least) > width) {
    std::size_t drop = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0 || columns_[c].spare == 0) continue;
      if (drop == columns_.size() || columns_[c].spare > columns_[drop].spare) drop = c;
    }
    if (drop == columns_.size()) break;
    widths[drop] = 0;
  }
  while (sum([&](std::size_t c) { return widths[c]; }) > width) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] <= least(c)) continue;
      if (widest == columns_.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
}

void Table::print(std::ostream& out, bool headings, std::size_t width) const {
  const auto widths = fitted(headings, width);
  const auto print_row = [&](auto cell_of) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      cells.push_back(widths[c] == 0 ? std::vector<std::string>() : broken(cell_of(c), widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (widths[c] == 0) continue;
        const std::string cell = l < cells[c].size() ? cells[c][l] : "";
        const std::string pad(widths[c] - display_width(cell), ' ');
        if (!line.empty()) line.append(kGap, ' ');
        if (columns_[c].align == Align::right) line += pad;
        line += cell;
        if (columns_[c].align == Align::left) line += pad;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out << line << '\n';
    }
  };
  if (headings) print_row([&](std::size_t c) -> std::string_view { return columns_[c].heading; });
  for (const auto& row : rows_) {
    print_row([&](std::size_t c) -> std::string_view { return row[c]; });
  }
}

}  // namespace ki::cli
